//! Training: a treebank → a model.
//!
//! ```text
//!   sentences ─▶ Corpus ─▶ Recipe: one parser, or several in groups that share an encoder
//!                 └─▶ by group: a Task per parser ─▶ Lesson ─▶ Learner ─▶ Learned ─┐
//!   held-out sentences ─▶ calibration, or the weights of votes ──────────────────┴─▶ Model
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quaich_features::FeatureModel;
use quaich_treebank::Sentence;
use rayon::prelude::*;

use crate::checkpoint::Checkpoint;
use crate::checksum::FORMAT_VERSION;
use crate::corpus::{Corpus, fingerprint};
use crate::description::Description;
use crate::encoder::SentenceEncoder;
use crate::ensemble::voting::{Ensemble, Voter};
use crate::ensemble::{Certainty, EnsembleDescription, LabelVote, Rules, Weights};
use crate::error::Result;
use crate::head_shares::HeadShares;
use crate::judge::judge;
use crate::learners;
use crate::lesson::{HeldOutSize, Learned, Lesson};
use crate::model::{Member, Model, Parts};
use crate::observer::{Event, Observer, Unobserved};
use crate::recipe::Recipe;
use crate::settings::Settings;
use crate::task::Task;
use crate::weigh::weigh;

/// Trains a model with these settings on these sentences and nothing else; see [`Trainer`] for the rest.
pub fn train(sentences: &[Sentence], settings: &Settings, observer: &dyn Observer) -> Result<Model> {
    Trainer::new(settings).observer(observer).train(sentences)
}

/// A training to be: settings, and what may be given besides.
///
/// ```
/// use quaich_parser::{Settings, Trainer};
///
/// # let text = "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n";
/// # let treebank = quaich_treebank::Treebank::from_text(&text.repeat(10))?;
/// let settings = Settings::default().with("learner=linear")?;
/// let model = Trainer::new(&settings).dev(&treebank).note("licence", "CC0").train(&treebank)?;
/// assert!(model.description().dev.is_some_and(|scores| scores.las > 99.0));
/// # Ok::<(), quaich_parser::Error>(())
/// ```
#[derive(Clone)]
pub struct Trainer<'t> {
    settings: Settings,
    recipe: Option<Recipe>,
    labels: LabelVote,
    equal: bool,
    dev: &'t [Sentence],
    head_shares: &'t [HeadShares],
    features: Option<FeatureModel>,
    notes: Vec<(String, String)>,
    checkpoint: Checkpoint,
    observer: &'t dyn Observer,
}

impl std::fmt::Debug for Trainer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trainer").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Default for Trainer<'_> {
    fn default() -> Self {
        Self::new(&Settings::default())
    }
}

impl<'t> Trainer<'t> {
    /// A training with these settings.
    pub fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            recipe: None,
            labels: LabelVote::default(),
            equal: false,
            dev: &[],
            head_shares: &[],
            features: None,
            notes: Vec::new(),
            checkpoint: Checkpoint::default(),
            observer: &Unobserved,
        }
    }

    /// An ensemble of these parsers, in place of what the settings say.
    #[must_use]
    pub fn recipe(self, recipe: Recipe) -> Self {
        Self { recipe: Some(recipe), ..self }
    }

    /// When the parsers of an ensemble vote on labels.
    #[must_use]
    pub fn labels(self, labels: LabelVote) -> Self {
        Self { labels, ..self }
    }

    /// Whether all votes of an ensemble count the same.
    #[must_use]
    pub fn equal(self, equal: bool) -> Self {
        Self { equal, ..self }
    }

    /// Sentences to score on; never learned from.
    #[must_use]
    pub fn dev(self, dev: &'t [Sentence]) -> Self {
        Self { dev, ..self }
    }

    /// What a teacher thinks of the sentences to learn from, for learners that can learn from it; by sentence, without an entry for those after the
    /// last that it has seen.
    #[must_use]
    pub fn head_shares(self, head_shares: &'t [HeadShares]) -> Self {
        Self { head_shares, ..self }
    }

    /// Templates in place of the usual ones.
    #[must_use]
    pub fn features(self, features: FeatureModel) -> Self {
        Self { features: Some(features), ..self }
    }

    /// Something to be noted in the model: date, licence, anything.
    #[must_use]
    pub fn note(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.notes.push((name.into(), text.into()));
        self
    }

    /// Where the training stores what it has done, to be resumed after an interruption.
    #[must_use]
    pub fn checkpoint(self, checkpoint: Checkpoint) -> Self {
        Self { checkpoint, ..self }
    }

    /// Who is told how training goes, and can end it early.
    #[must_use]
    pub fn observer(self, observer: &'t dyn Observer) -> Self {
        Self { observer, ..self }
    }

    /// Trains.
    ///
    /// # Panics
    /// Never: what is learned fits the recipe.
    pub fn train(&self, sentences: &[Sentence]) -> Result<Model> {
        let recipe = match &self.recipe {
            Some(recipe) => recipe.clone(),
            None => Recipe::of(&self.settings)?,
        };
        for settings in &recipe.parsers {
            settings.check()?;
            if self.features.is_some() {
                settings.check_templates()?;
            }
        }
        let corpus = Corpus::new(sentences, self.head_shares);
        let parts = match &recipe.parsers[..] {
            [settings] => self.train_single(settings, &corpus)?,
            _ => self.train_ensemble(&recipe, &corpus)?,
        };
        let (dev, interrupted) = (self.dev.iter().collect::<Vec<_>>(), self.observer.stop());
        let model = Model::new(parts);
        let scores = judge(&model, &dev).scores();
        if let Some(scores) = scores {
            self.observer.event(&Event::Scored { model: "", scores });
        }
        let description = Description { interrupted, dev: scores, ..model.description().clone() };
        Ok(model.with_description(description))
    }

    fn train_single(&self, settings: &Settings, corpus: &Corpus<'_>) -> Result<Parts> {
        let effort = Effort { calibrates: true, is_trial: false, dev: self.dev };
        let group = self.learn(corpus, &[(settings, self.observer)], effort, &self.checkpoint)?;
        let description = self.describe(settings, corpus, &group);
        let Group { encoders, members, .. } = group;
        Ok(Parts { description, encoders, members, ensemble: None })
    }

    fn train_ensemble(&self, recipe: &Recipe, corpus: &Corpus<'_>) -> Result<Parts> {
        let effort = Effort { calibrates: false, is_trial: false, dev: &[] };
        let (groups, weighed) = rayon::join(
            || self.learn_groups(recipe, corpus, effort, &self.checkpoint, self.observer),
            || self.weigh(recipe, corpus),
        );
        let (groups, (weights, certainty)) = (groups?, weighed?);
        let (first, group) = &groups[0];
        let description = self.describe(&recipe.parsers[first[0]], corpus, group);
        let (numbers, encoders, members) = assemble(groups);
        let ensemble = (members.len() > 1).then(|| {
            let of_trained = |number: &usize| (weights[*number].clone(), recipe.parsers[*number].clone());
            let (weights, settings) = numbers.iter().map(of_trained).unzip();
            self.ensemble(&members, weights, certainty, settings)
        });
        let settings = if self.settings.ensemble().is_some() {
            self.settings.clone()
        } else {
            description.settings.clone()
        };
        Ok(Parts { description: Description { settings, ..description }, encoders, members, ensemble })
    }

    fn ensemble(
        &self,
        members: &[Member],
        weights: Vec<Weights>,
        certainty: Certainty,
        settings: Vec<Settings>,
    ) -> Ensemble {
        let rules = Rules { labels: self.labels, single_root: members[0].scheme.plan.single_root };
        let voters: Vec<Voter<'_>> = members.iter().map(Member::voter).collect();
        let description = EnsembleDescription { rules, weights, certainty, settings };
        Ensemble::new(description, &voters).expect("what was just learned fits")
    }

    /// Trains the groups of a recipe side by side. Those that have not begun when an end is asked for are left out, but for one.
    fn learn_groups(
        &self,
        recipe: &Recipe,
        corpus: &Corpus<'_>,
        effort: Effort<'_>,
        checkpoint: &Checkpoint,
        observer: &dyn Observer,
    ) -> Result<Vec<(Vec<usize>, Group)>> {
        let has_begun = AtomicBool::new(false);
        let learn = |numbers: &Vec<usize>| -> Option<Result<(Vec<usize>, Group)>> {
            if observer.stop() && has_begun.swap(true, Ordering::Relaxed) {
                return None;
            }
            has_begun.store(true, Ordering::Relaxed);
            let observers: Vec<_> =
                numbers.iter().map(|&number| OfMember { observer, number: number + 1 }).collect();
            let parsers: Vec<(&Settings, &dyn Observer)> = numbers
                .iter()
                .zip(&observers)
                .map(|(&number, o)| (&recipe.parsers[number], o as _))
                .collect();
            let checkpoint = checkpoint.of_parser(numbers[0] + 1);
            let group = self.learn(corpus, &parsers, effort, &checkpoint);
            Some(group.map(|group| (numbers.clone(), group)))
        };
        let groups: Vec<_> = recipe.groups.par_iter().map(learn).collect();
        groups.into_iter().flatten().collect()
    }

    /// What votes count and how certain one may be of what comes of them, by a shorter training without a fold. Where there is too little
    /// to tell, all votes are equal.
    fn weigh(&self, recipe: &Recipe, corpus: &Corpus<'_>) -> Result<(Vec<Weights>, Certainty)> {
        /// Of so many folds one is held out; fewer sentences are not cut.
        const FOLDS: usize = 5;
        const FEWEST: usize = 4 * FOLDS;
        let equal = || vec![Weights::equal(); recipe.n_parsers()];
        let is_wanted = recipe.parsers.iter().all(Settings::held_out) && !self.observer.stop();
        if corpus.sources.len() < FEWEST || !is_wanted {
            return Ok((equal(), Certainty::default()));
        }
        let (others, held_out) = corpus.without(0, FOLDS);
        let quiet = Quiet(self.observer);
        let effort = Effort { calibrates: false, is_trial: true, dev: &[] };
        // What is done in the shorter training is not stored.
        let groups = self.learn_groups(recipe, &others, effort, &Checkpoint::default(), &quiet)?;
        let (numbers, encoders, members) = assemble(groups);
        if self.observer.stop() || numbers.len() < recipe.n_parsers() {
            return Ok((equal(), Certainty::default()));
        }
        let ensemble = self.ensemble(&members, equal(), Certainty::default(), recipe.parsers.clone());
        let parts =
            Parts { description: Description::default(), encoders, members, ensemble: Some(ensemble) };
        Ok(weigh(&Model::new(parts), &held_out, self.equal, self.observer))
    }

    /// Trains parsers that share an encoder, or one.
    fn learn(
        &self,
        corpus: &Corpus<'_>,
        parsers: &[(&Settings, &dyn Observer)],
        effort: Effort<'_>,
        checkpoint: &Checkpoint,
    ) -> Result<Group> {
        let (settings, observer) = parsers[0];
        let named = learners::by_name(&settings.learner())?;
        let profile = named.profile();
        let prepare = |&(settings, observer): &(&Settings, &dyn Observer)| {
            Task::prepare(corpus, settings, (profile.usual_system(), profile.keeps_states), observer)
        };
        let tasks: Vec<Task<'_>> = parsers.iter().map(prepare).collect::<Result<_>>()?;
        let mut lessons = Vec::new();
        for (task, &(settings, observer)) in tasks.iter().zip(parsers) {
            let learner = learners::effective(named, task.scheme.n_labels)?;
            lessons.push((learner, std::slice::from_ref(task), settings, observer));
        }
        if lessons.iter().all(|(learner, ..)| learner.profile().shares_encoder) {
            lessons = vec![(lessons[0].0, &tasks[..], settings, observer)];
        }
        let key = self.key(corpus, parsers, effort);
        let mut group = Group::default();
        for (number, (learner, tasks, settings, observer)) in lessons.into_iter().enumerate() {
            // Parsers that cannot share after all are stored apart.
            let key = if number == 0 { key.clone() } else { format!("{key} {number}") };
            let lesson = Lesson {
                tasks,
                settings,
                features: self.features.as_ref(),
                dev: effort.dev,
                observer,
                checkpoint: checkpoint.of(&key),
                is_trial: effort.is_trial,
                calibrates: effort.calibrates,
            };
            observer.event(&Event::Work { steps: learner.steps(&lesson) });
            group.add(learner.learn(&lesson)?, tasks);
        }
        (group.n_sentences, group.n_tokens) = (tasks[0].examples.len(), tasks[0].n_tokens());
        Ok(group)
    }

    /// Tells this training from others.
    fn key(&self, corpus: &Corpus<'_>, parsers: &[(&Settings, &dyn Observer)], effort: Effort<'_>) -> String {
        let settings: Vec<String> = parsers.iter().map(|(settings, _)| settings.to_toml()).collect();
        format!(
            "{:x} {:x} {:?} {} {}",
            corpus.fingerprint(),
            fingerprint(effort.dev.iter()),
            self.features,
            settings.join(" "),
            self.head_shares.len()
        )
    }

    fn describe(&self, settings: &Settings, corpus: &Corpus<'_>, group: &Group) -> Description {
        Description {
            format_version: FORMAT_VERSION,
            trained_by: format!("quaich {}", env!("CARGO_PKG_VERSION")),
            settings: settings.clone(),
            sentences: group.n_sentences - group.held_out.sentences,
            tokens: group.n_tokens - group.held_out.tokens,
            fingerprint: format!("{:016x}", corpus.fingerprint()),
            interrupted: false,
            dev: None,
            notes: self.notes.clone(),
        }
    }
}

/// How a group is trained.
#[derive(Clone, Copy)]
struct Effort<'t> {
    /// Whether sentences are held out to calibrate.
    calibrates: bool,
    /// Whether it is a shorter training.
    is_trial: bool,
    /// Sentences to score epochs on.
    dev: &'t [Sentence],
}

/// Parsers that were trained together.
#[derive(Default)]
struct Group {
    encoders: Vec<Arc<SentenceEncoder>>,
    /// With the numbers of their encoders in the group.
    members: Vec<Member>,
    held_out: HeldOutSize,
    n_sentences: usize,
    n_tokens: usize,
}

impl Group {
    fn add(&mut self, Learned { encoder, decoders, held_out }: Learned, tasks: &[Task<'_>]) {
        let number = encoder.is_some().then_some(self.encoders.len());
        self.encoders.extend(encoder);
        self.held_out = held_out;
        for ((decoder, calibration), task) in decoders.into_iter().zip(tasks) {
            let scheme = Arc::clone(&task.scheme);
            self.members.push(Member { scheme, decoder: decoder.into(), encoder: number, calibration });
        }
    }
}

/// Groups as one model: the numbers of its parsers in their recipe, in order, encoders and parsers.
fn assemble(groups: Vec<(Vec<usize>, Group)>) -> (Vec<usize>, Vec<Arc<SentenceEncoder>>, Vec<Member>) {
    let (mut encoders, mut numbered) = (Vec::new(), Vec::new());
    for (numbers, group) in groups {
        let first = encoders.len();
        encoders.extend(group.encoders);
        for (number, member) in numbers.into_iter().zip(group.members) {
            let encoder = member.encoder.map(|encoder| first + encoder);
            numbered.push((number, Member { encoder, ..member }));
        }
    }
    numbered.sort_by_key(|(number, _)| *number);
    let (numbers, members) = numbered.into_iter().unzip();
    (numbers, encoders, members)
}

/// Says of which parser something is told.
struct OfMember<'o> {
    observer: &'o dyn Observer,
    number: usize,
}

impl Observer for OfMember<'_> {
    fn event(&self, event: &Event<'_>) {
        self.observer.event(&Event::Member { number: self.number, event });
    }

    fn stop(&self) -> bool {
        self.observer.stop()
    }
}

/// Tells of work, and of nothing else: shorter trainings plan and find the same as the trainings beside them.
struct Quiet<'o>(&'o dyn Observer);

impl Observer for Quiet<'_> {
    fn event(&self, event: &Event<'_>) {
        if let Event::Member { event: Event::Work { .. } | Event::Step, .. } = event {
            self.0.event(event);
        }
    }

    fn stop(&self) -> bool {
        self.0.stop()
    }
}
