//! Training a blend: all parsers on all sentences, and beside that rehearsals, trainings without a part of the sentences, by which
//! is known what votes count and how sure the blend may be.

use quaich_eval::Verdict;
use quaich_eval::attachment::Attachment;
use quaich_treebank::{Node, Sentence};
use rayon::prelude::*;

use super::blended::{Blend, BlendDescription};
use super::certainty::Certainty;
use super::election::{Election, las};
use super::recipe::Recipe;
use super::vote::{LabelVote, Rules};
use super::weights::{TagScores, Weights};
use crate::calibration::expected_error;
use crate::checkpoint::Checkpoint;
use crate::development::gold_tree;
use crate::error::Result;
use crate::learners;
use crate::member::Member;
use crate::model_file::{Description, Scores};
use crate::observer::{Event, Observer};
use crate::parser::{Parser, Worker};
use crate::settings::Settings;
use crate::train::{Trainer, train_sharing};

/// Of so many sentences one is kept from rehearsals.
const FOLDS: usize = 5;
/// Fewer sentences are not cut.
const FEWEST: usize = 4 * FOLDS;

/// A training of a blend to be: its parsers, and what may be given besides.
#[derive(Clone, Debug)]
pub struct BlendTrainer<'t> {
    recipe: &'t Recipe,
    labels: LabelVote,
    equal: bool,
    dev: &'t [Sentence],
    notes: Vec<(String, String)>,
    checkpoint: Checkpoint,
}

impl<'t> BlendTrainer<'t> {
    /// A training of these parsers.
    pub fn new(recipe: &'t Recipe) -> Self {
        Self {
            recipe,
            labels: LabelVote::default(),
            equal: false,
            dev: &[],
            notes: Vec::new(),
            checkpoint: Checkpoint::default(),
        }
    }

    /// When labels are voted on.
    #[must_use]
    pub fn labels(self, labels: LabelVote) -> Self {
        Self { labels, ..self }
    }

    /// Whether all votes count the same, whatever rehearsals tell.
    #[must_use]
    pub fn equal(self, equal: bool) -> Self {
        Self { equal, ..self }
    }

    /// Sentences to score on; never learned from.
    #[must_use]
    pub fn dev(self, dev: &'t [Sentence]) -> Self {
        Self { dev, ..self }
    }

    /// Something to be noted in the model: date, licence, anything.
    #[must_use]
    pub fn note(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.notes.push((name.into(), text.into()));
        self
    }

    /// Where the trainings keep what they have done, to be taken up again after an interruption.
    #[must_use]
    pub fn checkpoint(self, checkpoint: Checkpoint) -> Self {
        Self { checkpoint, ..self }
    }

    /// Trains.
    ///
    /// # Panics
    /// Never: recipes have two parsers at least, and what is learned fits them.
    pub fn train(self, sentences: &[Sentence], observer: &dyn Observer) -> Result<Parser> {
        let (parsers, rehearsed) = rayon::join(
            || self.train_all(sentences, observer, learners::uncalibrated),
            || self.rehearse(sentences, observer),
        );
        let mut parsers = parsers?.into_iter();
        let Parser { description, member, .. } = parsers.next().expect("a recipe has two parsers at least");
        let (weights, certainty) = rehearsed?;
        let votes = BlendDescription {
            rules: self.rules(&member),
            weights,
            certainty,
            settings: self.recipe.parsers.clone(),
        };
        let blend = Blend::new(votes, &member, parsers.map(|parser| parser.member).collect());
        let blend = blend.expect("what was just learned fits");
        let (interrupted, settings) = (observer.stop(), self.recipe.parsers[0].clone());
        let description = Description { interrupted, settings, dev: None, notes: self.notes, ..description };
        let mut parser = Parser::new(description, member, Some(blend));
        parser.description.dev = score(&parser, self.dev);
        if let Some(scores) = parser.description.dev {
            observer.event(&Event::Scored { model: "", scores });
        }
        Ok(parser)
    }

    fn rules(&self, member: &Member) -> Rules {
        Rules { labels: self.labels, single_root: member.plan.single_root }
    }

    /// Trains all parsers side by side, with other settings than those of the recipe.
    fn train_all(
        &self,
        sentences: &[Sentence],
        observer: &dyn Observer,
        changed: impl Fn(&Settings) -> Settings + Sync,
    ) -> Result<Vec<Parser>> {
        let settings: Vec<Settings> = self.recipe.parsers.iter().map(changed).collect();
        let train = |group: &Vec<usize>| -> Result<Vec<(usize, Parser)>> {
            let trainer = |&number: &usize| {
                Trainer::new(&settings[number]).checkpoint(self.checkpoint.of_parser(number + 1))
            };
            let trainers: Vec<Trainer<'_>> = group.iter().map(trainer).collect();
            let observers: Vec<_> =
                group.iter().map(|&number| OfMember { observer, number: number + 1 }).collect();
            let parsers = if let ([alone], [observer]) = (&trainers[..], &observers[..]) {
                vec![alone.clone().train(sentences, observer)?]
            } else {
                let observers: Vec<&dyn Observer> =
                    observers.iter().map(|observer| observer as &dyn Observer).collect();
                train_sharing(&trainers, sentences, &observers)?
            };
            Ok(group.iter().copied().zip(parsers).collect())
        };
        let parsers: Vec<_> = self.recipe.groups.par_iter().map(train).collect::<Result<_>>()?;
        let mut parsers = parsers.into_iter().flatten().collect::<Vec<_>>();
        parsers.sort_by_key(|(number, _)| *number);
        Ok(parsers.into_iter().map(|(_, parser)| parser).collect())
    }

    /// What votes count and how sure one may be of what comes of them. Where there is too little to tell all votes are
    /// equal.
    fn rehearse(&self, sentences: &[Sentence], observer: &dyn Observer) -> Result<(Vec<Weights>, Certainty)> {
        let nothing = (vec![Weights::equal(); self.recipe.n_parsers()], Certainty::default());
        if sentences.len() < FEWEST {
            return Ok(nothing);
        }
        let is_held_out = |number: usize| number.is_multiple_of(FOLDS);
        let part = |held_out: bool| {
            let numbered =
                sentences.iter().enumerate().filter(|(number, _)| is_held_out(*number) == held_out);
            numbered.map(|(_, sentence)| sentence.clone()).collect::<Vec<Sentence>>()
        };
        let (others, held_out) = (part(false), part(true));
        let n_tokens = others.iter().map(Sentence::n_tokens).sum();
        let quiet = Quiet(observer);
        // What is done in rehearsals is not kept.
        let rehearsal = Self { checkpoint: Checkpoint::default(), ..self.clone() };
        let parsers =
            rehearsal.train_all(&others, &quiet, |settings| learners::rehearsal(settings, n_tokens))?;
        if observer.stop() {
            return Ok(nothing);
        }
        let mut members = parsers.into_iter().map(|parser| parser.member);
        let first = members.next().expect("a recipe has two parsers at least");
        let rules = self.rules(&first);
        let settings = self.recipe.parsers.clone();
        let votes = BlendDescription { rules, weights: nothing.0, certainty: nothing.1, settings };
        let blend = Blend::new(votes, &first, members.collect()).expect("what was just learned fits");
        let election = Election::new(&blend, &first, &held_out);
        let all_equal = &blend.description().weights;
        let weights: Vec<Weights> = election.scores.iter().map(TagScores::weights).collect();
        let equal = election.hold(&blend, all_equal);
        let weighted = election.hold(&blend, &weights);
        let parsers: Vec<f64> = election.scores.iter().filter_map(TagScores::las).collect();
        let (las, weighted_las) = (las(&equal), las(&weighted));
        observer.event(&Event::Voted { parsers: &parsers, equal: las, weighted: weighted_las });
        if self.equal {
            Ok((all_equal.clone(), Certainty::fit(&equal)))
        } else {
            Ok((weights, Certainty::fit(&weighted)))
        }
    }
}

/// How well a blend does; nothing where there is nothing to score on.
fn score(parser: &Parser, sentences: &[Sentence]) -> Option<Scores> {
    let labels = parser.labels();
    let judge = |(worker, probabilities): &mut (Worker<'_>, Vec<f32>), sentence: &Sentence| {
        let gold = gold_tree(sentence, labels.len(), |text| labels.get(text));
        let tree = worker.parse_with_scores(sentence, probabilities);
        let verdict = |token: Node| (Verdict::of(&gold, tree, token), probabilities[token.index()]);
        sentence.tokens().map(verdict).collect::<Vec<_>>()
    };
    let verdicts: Vec<Vec<(Verdict, f32)>> =
        sentences.par_iter().map_init(|| (parser.worker(), Vec::new()), judge).collect();
    let mut counts = Attachment::default();
    for (verdict, _) in verdicts.iter().flatten() {
        counts.add(*verdict);
    }
    let probabilities =
        verdicts.iter().flatten().map(|(verdict, probability)| (*probability, verdict.both()));
    Some(Scores {
        las: counts.las().known()?,
        uas: counts.uas().known()?,
        calibration_error: expected_error(probabilities),
    })
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

/// Tells of work, and of nothing else: rehearsals plan and find the same as the trainings beside them.
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
