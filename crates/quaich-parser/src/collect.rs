//! Sentences → states: following the static oracle, and exploring what a model does after its
//! first mistake.

use quaich_features::{TokenValues, Tokens};
use quaich_transition::configuration::Configuration;
use quaich_transition::guide::{Guide, run};
use quaich_transition::oracle::Oracle;
use quaich_transition::transition::{KindSet, Transition};
use rayon::prelude::*;

use crate::decider::Way;
use crate::decisions::Asked;
use crate::model::{Choice, Model, Reading, State};
use crate::prepare::Example;

/// Sentences a thread takes at a time. The parts are put together in order, so that the result
/// does not depend on the number of threads.
const CHUNK: usize = 100;

/// The most transitions per token that are learned from in one sentence. With SWAP, and with Covington's lists, a derivation
/// may have as many transitions as there are pairs of tokens, too many to keep all their states. Sentences of treebanks take far
/// fewer: at most 12 per token with SWAP (Basque 3LB), 25 with Covington's lists (Chinese GSD).
pub(crate) const TRANSITIONS_PER_TOKEN: usize = 100;

/// Whether so many transitions are made that nothing more is learned from the sentence.
pub(crate) fn is_exhausted(c: &Configuration) -> bool {
    c.n_transitions() >= TRANSITIONS_PER_TOKEN * c.n_tokens()
}

/// Takes down the states in which a question was to be answered. What a learner wants to know of a
/// state is its own affair.
pub trait Recorder {
    /// Looks at a sentence before its states come.
    fn read(&mut self, _reading: Reading<'_>) {}

    /// In this state these classes were right, the one to learn first.
    fn record(&mut self, question: usize, state: State<'_>, right: &[u32]);
}

/// Follows the static oracle through every example; gives the recorders of all parts in order.
pub fn follow<R: Recorder + Send>(
    way: Way<'_>,
    token_values: &TokenValues,
    examples: &[&Example<'_>],
    recorder: impl Fn() -> R + Sync,
) -> Vec<R> {
    in_chunks(examples, |chunk| {
        let mut recorder = recorder();
        follow_in_turn(way, token_values, chunk, &mut recorder);
        recorder
    })
}

/// Follows the static oracle through every example, one after the other, for recorders that number what
/// they see.
pub fn follow_in_turn<R: Recorder>(
    way: Way<'_>,
    token_values: &TokenValues,
    examples: &[&Example<'_>],
    recorder: &mut R,
) {
    let (mut oracle, mut c, mut tokens) = (Oracle::static_only(), Configuration::new(), Tokens::default());
    for example in examples {
        tokens.read(example.sentence, token_values, way.order);
        let reading = Reading { sentence: example.sentence, tokens: &tokens, order: way.order };
        recorder.read(reading);
        oracle.read(way.system, &example.tree);
        let mut guide =
            Follower { oracle: &mut oracle, way, reading, recorder: &mut *recorder, right: Vec::new() };
        run(way.system, &mut guide, &mut (), example.tree.n_tokens(), &mut c);
    }
}

/// Lets a model parse every example and takes down what it should have done after its first
/// mistake, as the dynamic oracle sees it.
pub fn explore<M: Model, R: Recorder + Send>(
    way: Way<'_>,
    token_values: &TokenValues,
    model: &M,
    examples: &[&Example<'_>],
    recorder: impl Fn() -> R + Sync,
) -> Vec<R> {
    in_chunks(examples, |chunk| {
        let mut recorder = recorder();
        let (mut oracle, mut c, mut tokens) = (Oracle::new(), Configuration::new(), Tokens::default());
        let mut scratch = M::Scratch::default();
        for example in chunk {
            tokens.read(example.sentence, token_values, way.order);
            let reading = Reading { sentence: example.sentence, tokens: &tokens, order: way.order };
            recorder.read(reading);
            oracle.read(way.system, &example.tree);
            let mut guide = Explorer {
                model,
                scratch: &mut scratch,
                oracle: &mut oracle,
                way,
                strayed: false,
                reading,
                recorder: &mut recorder,
                right: Vec::new(),
            };
            run(way.system, &mut guide, &mut (), example.tree.n_tokens(), &mut c);
        }
        recorder
    })
}

fn in_chunks<R: Send>(examples: &[&Example<'_>], work: impl Fn(&[&Example<'_>]) -> R + Sync) -> Vec<R> {
    examples.par_chunks(CHUNK).map(&work).collect()
}

/// Follows the oracle and takes down everything.
struct Follower<'a, R> {
    oracle: &'a mut Oracle,
    way: Way<'a>,
    reading: Reading<'a>,
    recorder: &'a mut R,
    right: Vec<u32>,
}

impl<R: Recorder> Guide for Follower<'_, R> {
    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let Way { system, questions, .. } = self.way;
        let right = self.oracle.right(system, c, permissible);
        if is_exhausted(c) {
            return right.preferred;
        }
        // MaltParser's oracles may go where its parser could not.
        let permissible = permissible.with(right.preferred.kind);
        questions.decide(system, c, permissible, |asked| {
            questions.right_classes(system, c, asked, right, self.oracle, &mut self.right);
            if !self.right.is_empty() {
                let state = State { c, tokens: self.reading.tokens, focus: asked.focus };
                self.recorder.record(asked.question, state, &self.right);
            }
            Choice::sole(self.right.first().copied().unwrap_or(0))
        });
        right.preferred
    }
}

/// Follows a model and takes down what would have been right once it has gone astray.
struct Explorer<'a, M: Model, R> {
    model: &'a M,
    scratch: &'a mut M::Scratch,
    oracle: &'a mut Oracle,
    way: Way<'a>,
    strayed: bool,
    reading: Reading<'a>,
    recorder: &'a mut R,
    right: Vec<u32>,
}

impl<M: Model, R: Recorder> Guide for Explorer<'_, M, R> {
    fn start(&mut self, _c: &Configuration) {
        self.model.start(self.reading, self.scratch);
    }

    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let Way { system, questions, .. } = self.way;
        if is_exhausted(c) {
            return system.fallback(c, permissible);
        }
        let right = self.oracle.right(system, c, permissible);
        let ask = |asked: Asked<'_>| {
            let state = State { c, tokens: self.reading.tokens, focus: asked.focus };
            let choice = self.model.choose(asked.question, state, asked.allowed, self.scratch);
            questions.right_classes(system, c, asked, right, self.oracle, &mut self.right);
            // Of several right answers the model's own is the easiest to learn.
            let own = self.right.iter().position(|&class| class == choice.class);
            if let Some(own) = own {
                self.right.swap(0, own);
            }
            if self.strayed && !self.right.is_empty() {
                self.recorder.record(asked.question, state, &self.right);
            }
            self.strayed |= own.is_none() && !self.right.is_empty();
            choice
        };
        questions.decide(system, c, permissible, ask).transition
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use quaich_testkit::treebanks;
    use quaich_transition::gold::Gold;
    use quaich_transition::oracle::derives;
    use quaich_transition::systems::{Options, SYSTEMS};
    use quaich_treebank::{ReadOptions, Reader, Symbols};

    use super::*;

    #[test]
    fn no_sentence_of_a_treebank_is_learned_from_in_part() {
        let Some(folder) = treebanks() else { return };
        let entries = |folder: PathBuf| {
            std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path())
        };
        let is_treebank =
            |path: &PathBuf| path.extension().is_some_and(|end| end == "conllu" || end == "conll");
        let files = entries(folder).flat_map(entries).filter(is_treebank);
        let (mut gold, mut c, mut n_trees) = (Gold::new(), Configuration::new(), 0);
        for file in files {
            for sentence in Reader::open(&file, &ReadOptions::default()).unwrap().sentences() {
                let tree = sentence.unwrap().tree(&mut Symbols::new());
                if !tree.is_well_formed() {
                    continue;
                }
                n_trees += 1;
                for entry in SYSTEMS {
                    derives(&*(entry.build)(Options::default()), &tree, &mut gold, &mut c, &mut ());
                    assert!(!is_exhausted(&c), "{}: {} tokens in {file:?}", entry.name, tree.n_tokens());
                }
            }
        }
        assert!(n_trees > 0);
    }
}
