//! Training a blend: all parsers on all sentences, and beside that rehearsals, trainings without a part of the sentences, by which
//! is known what votes count and how sure the blend may be.

use quaich_treebank::{Node, Sentence, Symbols, Tree, Underscore};
use rayon::prelude::*;

use super::blended::{Blend, BlendDescription, coarse_tag};
use super::certainty::Certainty;
use super::recipe::Recipe;
use super::vote::{LabelVote, Rules, Vote};
use super::weights::{TagScores, Weights};
use crate::calibration::expected_error;
use crate::checkpoint::Checkpoint;
use crate::error::Result;
use crate::learners;
use crate::member::{Member, MemberWorker};
use crate::model_file::{Description, Scores};
use crate::observer::{Event, Observer};
use crate::parser::{Parser, Worker};
use crate::settings::Settings;
use crate::train::Trainer;

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
    checkpoints: Vec<Checkpoint>,
}

impl<'t> BlendTrainer<'t> {
    /// A training of these parsers.
    pub fn new(recipe: &'t Recipe) -> Self {
        let checkpoints = vec![Checkpoint::default(); recipe.n_parsers()];
        Self { recipe, labels: LabelVote::default(), equal: false, dev: &[], notes: Vec::new(), checkpoints }
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

    /// Where the trainings keep what they have done, one for each parser, to be taken up again after an interruption.
    #[must_use]
    pub fn checkpoints(self, of_parsers: &[Checkpoint]) -> Self {
        let mut checkpoints = of_parsers.to_vec();
        checkpoints.resize(self.recipe.n_parsers(), Checkpoint::default());
        Self { checkpoints, ..self }
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
        let train = |(number, settings): (usize, &Settings)| {
            let settings = changed(settings);
            let checkpoint = self.checkpoints[number].clone();
            let observer = OfMember { observer, number: number + 1 };
            Trainer::new(&settings).checkpoint(checkpoint).train(sentences, &observer)
        };
        self.recipe.parsers.par_iter().enumerate().map(train).collect()
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
        let rehearsal = Self { checkpoints: self.unkept(), ..self.clone() };
        let parsers =
            rehearsal.train_all(&others, &quiet, |settings| learners::rehearsal(settings, n_tokens))?;
        if observer.stop() {
            return Ok(nothing);
        }
        let election = Election::new(&parsers, &held_out);
        let rules = self.rules(&parsers[0].member);
        let weights: Vec<Weights> = election.scores.iter().map(TagScores::weights).collect();
        let equal = election.hold(rules, &nothing.0);
        let weighted = election.hold(rules, &weights);
        let las = |arcs: &[(f32, bool)]| percent(arcs.iter().filter(|arc| arc.1).count(), arcs.len());
        let parsers: Vec<f64> = election.scores.iter().filter_map(TagScores::las).collect();
        observer.event(&Event::Voted { parsers: &parsers, equal: las(&equal), weighted: las(&weighted) });
        if self.equal {
            Ok((nothing.0, Certainty::fit(&equal)))
        } else {
            Ok((weights, Certainty::fit(&weighted)))
        }
    }

    /// What is done in rehearsals is not kept.
    fn unkept(&self) -> Vec<Checkpoint> {
        vec![Checkpoint::default(); self.recipe.n_parsers()]
    }
}

/// Held-out sentences as the parsers have them.
struct Election<'s> {
    sentences: &'s [Sentence],
    /// By sentence: the gold tree, then that of every parser.
    trees: Vec<Vec<Tree>>,
    /// By parser.
    scores: Vec<TagScores>,
}

impl<'s> Election<'s> {
    fn new(parsers: &[Parser], sentences: &'s [Sentence]) -> Self {
        let mut labels = Symbols::new();
        let mut trees: Vec<Vec<Tree>> = sentences
            .iter()
            .map(|sentence| vec![sentence.tree_with(&mut labels, Underscore::Label)])
            .collect();
        let mut scores = Vec::new();
        for parser in parsers {
            let parse = |worker: &mut MemberWorker<'_>, sentence: &Sentence| worker.parse(sentence).clone();
            let parsed: Vec<Tree> =
                sentences.par_iter().map_init(|| MemberWorker::new(&parser.member), parse).collect();
            let mut of_parser = TagScores::default();
            for ((sentence, trees), mut tree) in sentences.iter().zip(&mut trees).zip(parsed) {
                for token in sentence.tokens() {
                    let (head, label) = (tree.head(token), tree.label(token));
                    let label = if label.is_none() { "_" } else { parser.labels().text(label) };
                    tree.set(token, head, labels.intern(label));
                    if trees[0].head(token).is_some() {
                        of_parser.add(coarse_tag(sentence, token), same_arc(&trees[0], &tree, token));
                    }
                }
                trees.push(tree);
            }
            scores.push(of_parser);
        }
        Self { sentences, trees, scores }
    }

    /// The part of the votes that each arc of the winner has, and whether it is right.
    fn hold(&self, rules: Rules, weights: &[Weights]) -> Vec<(f32, bool)> {
        let (mut vote, mut winner, mut arcs) = (Vote::default(), Tree::default(), Vec::new());
        for (sentence, trees) in self.sentences.iter().zip(&self.trees) {
            let Some((gold, trees)) = trees.split_first() else { continue };
            vote.hold(
                rules,
                trees,
                |parser, token| weights[parser].of(coarse_tag(sentence, token)),
                &mut winner,
            );
            let known = sentence.tokens().filter(|token| gold.head(*token).is_some());
            arcs.extend(known.map(|token| (vote.support()[token.index()], same_arc(gold, &winner, token))));
        }
        arcs
    }
}

fn same_arc(one: &Tree, other: &Tree, token: Node) -> bool {
    one.head(token) == other.head(token) && one.label(token) == other.label(token)
}

fn percent(part: usize, of: usize) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "counts of tokens")]
    let percent = 100.0 * part as f64 / of.max(1) as f64;
    percent
}

/// How well a blend does; nothing where there is nothing to score on.
fn score(parser: &Parser, sentences: &[Sentence]) -> Option<Scores> {
    let judge = |(worker, probabilities): &mut (Worker<'_>, Vec<f32>), sentence: &Sentence| {
        let tree = worker.parse_with_scores(sentence, probabilities);
        let verdict = |token: Node| {
            let label = tree.label(token);
            let label = if label.is_none() { "_" } else { parser.labels().text(label) };
            let head = tree.head(token) == sentence.heads()[token.index()];
            (head, head && label == sentence.label(token), probabilities[token.index()])
        };
        sentence.tokens().map(verdict).collect::<Vec<_>>()
    };
    let tokens: Vec<Vec<(bool, bool, f32)>> =
        sentences.par_iter().map_init(|| (parser.worker(), Vec::new()), judge).collect();
    let tokens = tokens.concat();
    let count = |right: fn(&(bool, bool, f32)) -> bool| {
        percent(tokens.iter().filter(|token| right(token)).count(), tokens.len())
    };
    (!tokens.is_empty()).then(|| Scores {
        las: count(|token| token.1),
        uas: count(|token| token.0),
        calibration_error: expected_error(tokens.iter().map(|token| (token.2, token.1))),
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
