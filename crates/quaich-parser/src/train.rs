//! Training: a treebank → a model.
//!
//! ```text
//!   sentences ─▶ Corpus ─▶ Recipe: one parser, or several in groups that share an encoder
//!                 └─▶ per group: a Task per parser ─▶ TrainingInput ─▶ Learner ─▶ Learned ─┐
//!   held-out sentences ─▶ calibration, or vote weights ────────────────────────────────┴─▶ Model
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use quaich_features::FeatureModel;
use quaich_treebank::Sentence;
use rayon::prelude::*;

use crate::checkpoint::Checkpoint;
use crate::checksum::FORMAT_VERSION;
use crate::completion::complete;
use crate::consumers;
use crate::corpus::{Corpus, fingerprint};
use crate::description::Description;
use crate::encoder::SentenceEncoder;
use crate::ensemble::voting::{Ensemble, Voter};
use crate::ensemble::{Certainty, EnsembleDescription, LabelVote, Rules, Weights};
use crate::error::{Error, Result, unless_stopped};
use crate::evaluation::evaluate;
use crate::head_distribution::HeadDistribution;
use crate::learner::{HeldOutSize, Learned, TrainingInput, some_trained};
use crate::learners;
use crate::model::{Member, Model, Parts};
use crate::observer::{Event, Observer, Unobserved};
use crate::partial::Completed;
use crate::pretraining::{PretrainedEncoder, Pretraining, TextFiles, WordText, warn_of_other_script};
use crate::recipe::Recipe;
use crate::sentence_weights::{self, Weighted};
use crate::settings::{ALL_PARTS, NONE, Settings};
use crate::task::Task;
use crate::tokenizer::Tokenizer;
use crate::vote_weights::fit_vote_weights;

/// Trains a model on these sentences with these settings. [`Trainer`] has more options.
pub fn train(sentences: &[Sentence], settings: &Settings, observer: &dyn Observer) -> Result<Model> {
    Trainer::new(settings).observer(observer).train(sentences)
}

/// Trains models: settings and options for a training run.
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
    /// The name of the model in events; empty for the whole model.
    name: &'static str,
    settings: Settings,
    recipe: Option<Recipe>,
    labels: LabelVote,
    equal: bool,
    dev: &'t [Sentence],
    head_distributions: &'t [HeadDistribution],
    features: Option<FeatureModel>,
    text: Option<&'t TextFiles>,
    encoder: Option<Arc<PretrainedEncoder>>,
    /// Whether the treebank has tags.
    has_tags: bool,
    notes: Vec<(String, String)>,
    checkpoint: Checkpoint,
    observer: &'t dyn Observer,
    /// The completed heads of partial trees, once they are known.
    completed: Option<Arc<Completed>>,
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
    /// A trainer with these settings.
    pub fn new(settings: &Settings) -> Self {
        Self {
            name: "",
            settings: settings.clone(),
            recipe: None,
            labels: LabelVote::default(),
            equal: false,
            dev: &[],
            head_distributions: &[],
            features: None,
            text: None,
            encoder: None,
            has_tags: true,
            notes: Vec::new(),
            checkpoint: Checkpoint::default(),
            observer: &Unobserved,
            completed: None,
        }
    }

    /// Trains an ensemble of these parsers instead of what the settings specify.
    #[must_use]
    pub fn recipe(self, recipe: Recipe) -> Self {
        Self { recipe: Some(recipe), ..self }
    }

    /// Sets when the parsers of an ensemble vote on labels.
    #[must_use]
    pub fn labels(self, labels: LabelVote) -> Self {
        Self { labels, ..self }
    }

    /// Gives all votes of an ensemble the same weight.
    #[must_use]
    pub fn equal(self, equal: bool) -> Self {
        Self { equal, ..self }
    }

    /// Sets the development sentences: each epoch is scored on them, and they are never learned from.
    #[must_use]
    pub fn dev(self, dev: &'t [Sentence]) -> Self {
        Self { dev, ..self }
    }

    /// Sets the teacher's head distributions, one per training sentence, for learners that support distillation. Sentences beyond the end
    /// of the slice have none.
    #[must_use]
    pub fn head_distributions(self, head_distributions: &'t [HeadDistribution]) -> Self {
        Self { head_distributions, ..self }
    }

    /// Replaces the learner's default feature templates.
    #[must_use]
    pub fn features(self, features: FeatureModel) -> Self {
        Self { features: Some(features), ..self }
    }

    /// Pretrains the encoders on this text first: they predict hidden words. Text that is not split into words is split by the tokenizer
    /// that is trained on the treebank.
    #[must_use]
    pub fn text(self, text: &'t TextFiles) -> Self {
        Self { text: Some(text), ..self }
    }

    /// Starts the encoders from a pretrained one, whose sizes they take over.
    #[must_use]
    pub fn encoder(self, encoder: Arc<PretrainedEncoder>) -> Self {
        Self { encoder: Some(encoder), ..self }
    }

    /// Drops text and encoder, with the settings that only they have: encoders start from random weights.
    #[must_use]
    pub fn without_text(self) -> Self {
        let settings = self.settings.retaining(|name| !name.starts_with("text."));
        Self { settings, text: None, encoder: None, ..self }
    }

    /// Adds a note to the model's metadata: date, licence, or anything else.
    #[must_use]
    pub fn note(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.notes.push((name.into(), text.into()));
        self
    }

    /// Sets where training stores checkpoints, from which an interrupted run resumes.
    #[must_use]
    pub fn checkpoint(self, checkpoint: Checkpoint) -> Self {
        Self { checkpoint, ..self }
    }

    /// Gives the checkpoints names of their own, for one of several training runs towards the same model. The name has letters and hyphens.
    #[must_use]
    pub fn run_name(self, name: &str) -> Self {
        let checkpoint = self.checkpoint.of_run(name);
        Self { checkpoint, ..self }
    }

    /// Sets the observer, which receives progress events and can stop training early.
    #[must_use]
    pub fn observer(self, observer: &'t dyn Observer) -> Self {
        Self { observer, ..self }
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether encoders start from a pretrained one.
    pub fn has_encoder(&self) -> bool {
        self.encoder.is_some()
    }

    /// Whether parsers for tagged words, or for untagged ones, can start from a pretrained encoder.
    pub fn can_start_pretrained(&self, is_tagged: bool) -> bool {
        let has_encoder = Recipe::of(&self.settings).and_then(|recipe| has_encoder(&recipe)).unwrap_or(false);
        let starts = has_encoder && self.starts_pretrained(&self.settings);
        starts || (!is_tagged && self.trains_all_parts())
    }

    /// Pretrains an encoder for this trainer's models on words. If the trainer has an encoder, that is trained further.
    pub fn pretrain(&self, words: &WordText) -> Result<PretrainedEncoder> {
        let recipe = self.own_recipe()?;
        self.pretraining(&recipe, self.encoder.as_deref(), words)
    }

    fn own_recipe(&self) -> Result<Recipe> {
        match &self.recipe {
            Some(recipe) => Ok(recipe.clone()),
            None => Recipe::of(&self.settings),
        }
    }

    /// Trains a model.
    ///
    /// # Errors
    /// If settings or sentences do not fit; [`Error::Stopped`] if the observer stops training before there is a model.
    ///
    /// # Panics
    /// Never: what was learned always fits the recipe.
    pub fn train(&self, sentences: &[Sentence]) -> Result<Model> {
        // Parts of a model get sentences whose weights are already applied.
        let weighted = match self.name {
            "" => sentence_weights::apply(sentences, self.head_distributions)?,
            _ => None,
        };
        let Some(weighted) = weighted else { return self.train_unweighted(sentences) };
        let Weighted { sentences: learned_from, head_distributions, n_given } = weighted;
        self.observer.event(&Event::Weighted {
            sentences: n_given,
            learned_from: learned_from.len(),
            of: sentences.len(),
        });
        let trainer = Trainer { head_distributions: &head_distributions, ..self.clone() };
        trainer.train_unweighted(&learned_from)
    }

    fn train_unweighted(&self, sentences: &[Sentence]) -> Result<Model> {
        let recipe = self.own_recipe()?;
        for settings in &recipe.parsers {
            settings.check()?;
            if self.features.is_some() {
                settings.check_templates()?;
            }
        }
        let trains_all = self.trains_all_parts();
        let has_tags = consumers::by_names(consumers::ALL)?.iter().any(|consumer| consumer.is_in(sentences));
        let mut trainer = Self { has_tags, ..self.clone() };
        trainer.check_encoder(&recipe)?;
        let names = self.part_names(trains_all, has_tags);
        let start = |name: &'static str| {
            if let (Some(number), true) = (names.iter().position(|part| *part == name), names.len() > 1) {
                self.observer.event(&Event::Part { number: number + 1, of: names.len(), name });
            }
        };
        let mut tokenizer = None;
        if let Some(text) = self.text {
            // The tokenizer comes first, because it reads the text.
            start(TOKENIZER);
            tokenizer = self.train_tokenizer(sentences)?;
            start(ENCODER);
            trainer.encoder =
                Some(Arc::new(self.pretrain_on(&recipe, text, tokenizer.as_ref(), sentences)?));
            trainer.text = None;
        } else if let (Some(encoder), "") = (&self.encoder, self.name) {
            let words = encoder.description().words;
            self.observer.event(&Event::Pretrained { words, known_percent: encoder.coverage(sentences) });
        }
        trainer.train_parts(&recipe, sentences, (trains_all, has_tags), tokenizer, &start)
    }

    /// Trains the parts that follow pretraining. Afterwards, `start` announces a part by its name.
    fn train_parts(
        &self,
        recipe: &Recipe,
        sentences: &[Sentence],
        (trains_all, has_tags): (bool, bool),
        tokenizer: Option<Arc<Tokenizer>>,
        start: &dyn Fn(&'static str),
    ) -> Result<Model> {
        let completed = match &self.completed {
            Some(completed) => Arc::clone(completed),
            None => Arc::new(complete(sentences, self.settings.seed(), self.observer)?),
        };
        let corpus = Corpus::new(sentences, self.head_distributions).with_completed(&completed);
        start(if has_tags { PARSER_OF_TAGGED } else { PARSER });
        let parts = match &recipe.parsers[..] {
            [settings] => self.train_single(settings, &corpus)?,
            _ => self.train_ensemble(recipe, &corpus)?,
        };
        let model = Model::new(parts);
        let dev = self.dev.iter().collect::<Vec<_>>();
        let scores = unless_stopped(evaluate(&model, &dev, self.observer))?;
        let scores = scores.and_then(|evaluation| evaluation.scores());
        let interrupted = self.observer.stop();
        if let Some(scores) = scores {
            self.observer.event(&Event::Scored { model: self.name, scores });
        }
        let description = Description { interrupted, dev: scores, ..model.description().clone() };
        let model = model.with_description(description);
        if !trains_all || interrupted {
            return Ok(model);
        }
        let mut untagged = None;
        if has_tags {
            start(PARSER_OF_UNTAGGED);
            untagged = unless_stopped(self.train_untagged(sentences, &completed))?;
        }
        let mut tokenizer = tokenizer;
        if tokenizer.is_none() && !self.observer.stop() {
            start(TOKENIZER);
            tokenizer = unless_stopped(self.train_tokenizer(sentences))?.flatten();
        }
        let model = model.with_untagged(untagged).with_tokenizer(tokenizer);
        let description = Description { interrupted: self.observer.stop(), ..model.description().clone() };
        Ok(self.score_text(model.with_description(description)))
    }

    /// The names of the parts that are trained, in their order.
    fn part_names(&self, trains_all: bool, has_tags: bool) -> Vec<&'static str> {
        let mut names = Vec::new();
        if self.text.is_some() {
            names.extend([TOKENIZER, ENCODER]);
        }
        names.push(if has_tags { PARSER_OF_TAGGED } else { PARSER });
        if trains_all {
            names.extend(has_tags.then_some(PARSER_OF_UNTAGGED));
            names.extend(self.text.is_none().then_some(TOKENIZER));
        }
        names
    }

    fn train_tokenizer(&self, sentences: &[Sentence]) -> Result<Option<Arc<Tokenizer>>> {
        let tokenizer = Tokenizer::train(sentences, self.settings.seed(), self.observer)?;
        Ok(tokenizer.map(Arc::new))
    }

    /// Checks that some encoder can start from the pretrained one.
    fn check_encoder(&self, recipe: &Recipe) -> Result<()> {
        if self.text.is_none() && self.encoder.is_none() {
            return if self.name.is_empty() { self.settings.check_without_text() } else { Ok(()) };
        }
        if !has_encoder(recipe)? && !self.trains_all_parts() {
            return Err(Error::Setting(format!(
                "the learner `{}` has no encoder that could be pretrained on text",
                self.settings.learner()
            )));
        }
        let starts_pretrained = |settings: &&Settings| self.starts_pretrained(settings);
        if !self.trains_all_parts() && !recipe.parsers.iter().any(|settings| self.starts_pretrained(settings))
        {
            return Err(Error::Setting(
                "found text or an encoder for a parser of tagged words alone, which starts from random weights unless \
                 encoder.pretrained = all is set"
                    .to_owned(),
            ));
        }
        let units = |settings: &Settings| settings.group("encoder").given_size("units");
        if let Some(encoder) = &self.encoder
            && let Some(given) = recipe.parsers.iter().filter(starts_pretrained).find_map(units)
            && given != encoder.n_units()
        {
            return Err(Error::Setting(format!(
                "found encoder.units = {given}, but the pretrained encoder has {}; leave the setting out",
                encoder.n_units()
            )));
        }
        Ok(())
    }

    /// Whether the encoder of a parser with these settings starts from the pretrained one. The default for tagged words is to start from
    /// random weights: on a held-out fifth of latin-perseus, starting from the pretrained ones costs 1.6 points of LAS there, while untagged
    /// words gain 3.4.
    fn starts_pretrained(&self, settings: &Settings) -> bool {
        settings.predicts() || !self.has_tags || settings.pretrains_all()
    }

    /// Pretrains an encoder on the text and the words of the treebank.
    fn pretrain_on(
        &self,
        recipe: &Recipe,
        text: &TextFiles,
        tokenizer: Option<&Arc<Tokenizer>>,
        sentences: &[Sentence],
    ) -> Result<PretrainedEncoder> {
        let mut words = text.read_with(tokenizer, self.settings.max_text_words(), self.observer)?.words;
        warn_of_other_script(&words, sentences, self.observer);
        for sentence in sentences {
            words.add(sentence.tokens().map(|token| sentence.form(token)));
        }
        self.pretraining(recipe, None, &words)
    }

    fn pretraining(
        &self,
        recipe: &Recipe,
        before: Option<&PretrainedEncoder>,
        words: &WordText,
    ) -> Result<PretrainedEncoder> {
        // If only the parser for words without tags has an encoder, its size counts.
        let settings =
            if has_encoder(recipe)? { self.settings.clone() } else { self.settings.for_untagged()? };
        let settings =
            settings.retaining(|name| name == "seed" || name == "encoder.units" || name.starts_with("text."));
        let run = Pretraining::new(&settings).checkpoint(self.checkpoint.clone()).observer(self.observer);
        match before {
            Some(before) => run.continuing(before).run(words),
            None => run.run(words),
        }
    }

    /// Adds the scores on the text of the dev set to the description.
    fn score_text(&self, model: Model) -> Model {
        if self.dev.is_empty() || !model.reads_text() {
            return model;
        }
        match model.score_text_until(self.dev, self.observer) {
            Ok(dev_text) => {
                self.observer.event(&Event::ScoredText { measures: &dev_text });
                let description = Description { dev_text, ..model.description().clone() };
                model.with_description(description)
            }
            Err(Error::Stopped) => model,
            Err(error) => {
                self.observer.event(&Event::TextNotScored { reason: error.to_string() });
                model
            }
        }
    }

    /// Whether models get all parts, so that they read raw text: by default unless a learner is given, since learners are compared on given
    /// words and tags.
    pub fn trains_all_parts(&self) -> bool {
        match self.settings.parts() {
            Some(parts) => parts == ALL_PARTS,
            None => !self.settings.is_given("learner") && self.recipe.is_none() && !self.settings.predicts(),
        }
    }

    /// Trains a model for untagged words, which it predicts.
    fn train_untagged(&self, sentences: &[Sentence], completed: &Arc<Completed>) -> Result<Model> {
        let mut settings = self.settings.for_untagged()?;
        if self.encoder.is_some() {
            settings = settings.retaining(|name| name != "encoder.units" && !name.starts_with("text."));
        }
        if Recipe::file(&settings).is_some() {
            // The parsers of a file may have learners that predict no tags.
            settings.set("ensemble", NONE)?;
        }
        let trainer = Trainer {
            settings,
            name: "untagged words",
            recipe: None,
            features: None,
            checkpoint: self.checkpoint.of_parser(0),
            completed: Some(Arc::clone(completed)),
            ..self.clone()
        };
        trainer.train(sentences)
    }

    fn train_single(&self, settings: &Settings, corpus: &Corpus<'_>) -> Result<Parts> {
        let options = GroupOptions { calibrates: true, is_held_out_run: false, dev: self.dev };
        let group = self.learn(corpus, &[(settings, self.observer)], options, &self.checkpoint)?;
        let description = self.describe(settings, corpus, &group);
        let Group { encoders, members, .. } = group;
        Ok(Parts { description, encoders, members, ensemble: None, untagged: None, tokenizer: None })
    }

    fn train_ensemble(&self, recipe: &Recipe, corpus: &Corpus<'_>) -> Result<Parts> {
        let options = GroupOptions { calibrates: false, is_held_out_run: false, dev: &[] };
        let (groups, weighed) = rayon::join(
            || self.learn_groups(recipe, corpus, options, &self.checkpoint, self.observer),
            || self.vote_weights(recipe, corpus),
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
        let description = Description { settings, ..description };
        Ok(Parts { description, encoders, members, ensemble, untagged: None, tokenizer: None })
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

    /// Trains the groups of a recipe in parallel. When the observer stops the training, only those that have learned something are left, at
    /// least one.
    fn learn_groups(
        &self,
        recipe: &Recipe,
        corpus: &Corpus<'_>,
        options: GroupOptions<'_>,
        checkpoint: &Checkpoint,
        observer: &dyn Observer,
    ) -> Result<Vec<(Vec<usize>, Group)>> {
        let learn = |numbers: &Vec<usize>| -> Result<(Vec<usize>, Group)> {
            observer.check()?;
            let observers: Vec<_> =
                numbers.iter().map(|&number| MemberObserver { observer, number: number + 1 }).collect();
            let parsers: Vec<(&Settings, &dyn Observer)> = numbers
                .iter()
                .zip(&observers)
                .map(|(&number, o)| (&recipe.parsers[number], o as _))
                .collect();
            let checkpoint = checkpoint.of_parser(numbers[0] + 1);
            let group = self.learn(corpus, &parsers, options, &checkpoint);
            group.map(|group| (numbers.clone(), group))
        };
        some_trained(recipe.groups.par_iter().map(learn).collect())
    }

    /// Estimates vote weights and the ensemble's certainty from a shorter run without one fold. With too little data, all votes have the
    /// same weight.
    fn vote_weights(&self, recipe: &Recipe, corpus: &Corpus<'_>) -> Result<(Vec<Weights>, Certainty)> {
        /// One fold of this many is held out; smaller treebanks are not split.
        const FOLDS: usize = 5;
        const MIN_SENTENCES: usize = 4 * FOLDS;
        let equal = || vec![Weights::equal(); recipe.n_parsers()];
        let is_wanted = recipe.parsers.iter().all(Settings::held_out);
        if corpus.sources.len() < MIN_SENTENCES || !is_wanted {
            return Ok((equal(), Certainty::default()));
        }
        let (others, held_out) = corpus.without(0, FOLDS);
        let progress_only = ProgressOnly(self.observer);
        let options = GroupOptions { calibrates: false, is_held_out_run: true, dev: &[] };
        // The shorter run is not checkpointed.
        let groups = self.learn_groups(recipe, &others, options, &Checkpoint::default(), &progress_only);
        let (numbers, encoders, members) = assemble(unless_stopped(groups)?.unwrap_or_default());
        if self.observer.stop() || numbers.len() < recipe.n_parsers() {
            return Ok((equal(), Certainty::default()));
        }
        let ensemble = self.ensemble(&members, equal(), Certainty::default(), recipe.parsers.clone());
        let parts = Parts {
            description: Description::default(),
            encoders,
            members,
            ensemble: Some(ensemble),
            untagged: None,
            tokenizer: None,
        };
        Ok(fit_vote_weights(&Model::new(parts), &held_out, self.equal, self.observer))
    }

    /// Trains one parser, or several that share an encoder.
    fn learn(
        &self,
        corpus: &Corpus<'_>,
        parsers: &[(&Settings, &dyn Observer)],
        options: GroupOptions<'_>,
        checkpoint: &Checkpoint,
    ) -> Result<Group> {
        let (settings, observer) = parsers[0];
        let named = learners::by_name(&settings.learner())?;
        let profile = named.profile();
        let prepare = |&(settings, observer): &(&Settings, &dyn Observer)| {
            Task::prepare(corpus, settings, (profile.default_system(), profile.keeps_states), observer)
        };
        let tasks: Vec<Task<'_>> = parsers.iter().map(prepare).collect::<Result<_>>()?;
        let mut inputs = Vec::new();
        for (task, &(settings, observer)) in tasks.iter().zip(parsers) {
            let learner = learners::effective(named, task.scheme.n_labels)?;
            inputs.push((learner, std::slice::from_ref(task), settings, observer));
        }
        if inputs.iter().all(|(learner, ..)| learner.profile().shares_encoder) {
            inputs = vec![(inputs[0].0, &tasks[..], settings, observer)];
        }
        let key = self.key(corpus, parsers, options);
        let mut group = Group::default();
        for (number, (learner, tasks, settings, observer)) in inputs.into_iter().enumerate() {
            // Parsers that cannot share an encoder after all have checkpoints of their own.
            let key = if number == 0 { key.clone() } else { format!("{key} {number}") };
            let input = TrainingInput {
                tasks,
                settings,
                features: self.features.as_ref(),
                pretrained: self.encoder.as_deref().filter(|_| self.starts_pretrained(settings)),
                dev: options.dev,
                observer,
                checkpoint: checkpoint.of(&key),
                is_held_out_run: options.is_held_out_run,
                calibrates: options.calibrates,
            };
            observer.event(&Event::Work { steps: learner.steps(&input) });
            group.add(learner.learn(&input)?, tasks);
        }
        (group.n_sentences, group.n_tokens) = (tasks[0].examples.len(), tasks[0].n_tokens());
        Ok(group)
    }

    /// Identifies this training run among others.
    fn key(
        &self,
        corpus: &Corpus<'_>,
        parsers: &[(&Settings, &dyn Observer)],
        options: GroupOptions<'_>,
    ) -> String {
        let settings: Vec<String> = parsers.iter().map(|(settings, _)| settings.to_toml()).collect();
        format!(
            "{:x} {:x} {:?} {} {}{}",
            corpus.fingerprint(),
            fingerprint(options.dev.iter()),
            self.features,
            settings.join(" "),
            self.head_distributions.len(),
            self.encoder.as_ref().map(|encoder| encoder.key()).unwrap_or_default()
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
            dev_text: Vec::new(),
            pretraining: self.encoder.as_ref().map(|encoder| Box::new(encoder.description().clone())),
            notes: self.notes.clone(),
            attributes: BTreeMap::new(),
        }
    }
}

/// Whether some parser of a recipe has an encoder.
fn has_encoder(recipe: &Recipe) -> Result<bool> {
    for settings in &recipe.parsers {
        if learners::by_name(&settings.learner())?.groups().contains(&"encoder") {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The names of the parts that are trained.
const TOKENIZER: &str = "tokenizer";
const ENCODER: &str = "encoder, pretrained on text";
const PARSER_OF_TAGGED: &str = "parser for tagged words";
const PARSER_OF_UNTAGGED: &str = "tagger, lemmatizer and parser for untagged words";
/// The parser for a treebank without tags.
const PARSER: &str = "parser";

/// How a group is trained.
#[derive(Clone, Copy)]
struct GroupOptions<'t> {
    /// Whether sentences are held out for calibration.
    calibrates: bool,
    /// Whether this is a held-out run: a shorter one, whose result is only scored on held-out sentences.
    is_held_out_run: bool,
    /// Development sentences, to score epochs on.
    dev: &'t [Sentence],
}

/// Parsers that were trained together.
#[derive(Default)]
struct Group {
    encoders: Vec<Arc<SentenceEncoder>>,
    /// Their encoder numbers count within the group.
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

/// Merges groups: the numbers of the parsers in their recipe, in order, and all encoders and parsers.
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

/// Adds the number of the parser to events.
struct MemberObserver<'o> {
    observer: &'o dyn Observer,
    number: usize,
}

impl Observer for MemberObserver<'_> {
    fn event(&self, event: &Event<'_>) {
        self.observer.event(&Event::Member { number: self.number, event });
    }

    fn stop(&self) -> bool {
        self.observer.stop()
    }
}

/// Forwards only progress events: a held-out run has the same plan and findings as the main run.
struct ProgressOnly<'o>(&'o dyn Observer);

impl Observer for ProgressOnly<'_> {
    fn event(&self, event: &Event<'_>) {
        if let Event::Member { event: Event::Work { .. } | Event::Step, .. } = event {
            self.0.event(event);
        }
    }

    fn stop(&self) -> bool {
        self.0.stop()
    }
}
