//! Classifiers as a scorer: a state becomes a row of numbered values, which a classifier scores.

use quaich_features::{ColumnName, FrozenAlphabet, SymbolicProgram, SymbolicScratch, SymbolicTokens};
use quaich_learn::{Classifier, Learner, Scratch};

use super::split::{Split, SplitScratch};
use crate::scorer::{Allowed, Choice, Input, Scorer, State, best};

/// The classifiers of all questions.
#[derive(Debug)]
pub(crate) struct Classifiers {
    pub(crate) learner: &'static dyn Learner,
    /// One per question.
    pub(crate) by_question: Vec<QuestionClassifiers>,
}

/// The classifiers of a question.
#[derive(Debug)]
pub(crate) struct QuestionClassifiers {
    pub(crate) program: SymbolicProgram,
    pub(crate) alphabet: FrozenAlphabet,
    /// One per position: the number of its first value.
    pub(crate) offsets: Vec<u32>,
    pub(crate) split: Option<Split>,
    /// One per part of the data.
    pub(crate) classifiers: Vec<Box<dyn Classifier>>,
}

/// The number of the first value of each position, and the total number of values.
pub(crate) fn offsets(program: &SymbolicProgram, alphabet: &FrozenAlphabet) -> Vec<u32> {
    let mut end = 0u32;
    let mut offsets = vec![0];
    for position in 0..program.n_positions() {
        end += u32::try_from(alphabet.n_values(position)).expect("fewer than 2³² values");
        offsets.push(end);
    }
    offsets
}

impl QuestionClassifiers {
    /// Converts values to numbers over all positions.
    pub(crate) fn number(&self, values: &[(u16, u32)], row: &mut Vec<u32>) {
        row.clear();
        row.extend(values.iter().map(|&(position, value)| self.offsets[usize::from(position)] + value));
    }
}

/// The buffers of one thread.
#[derive(Debug, Default)]
pub(crate) struct ClassifiersScratch {
    /// One per question.
    questions: Vec<(SymbolicTokens, SplitScratch)>,
    pub(crate) symbols: SymbolicScratch,
    pub(crate) row: Vec<u32>,
    wanted: Vec<u32>,
    classifier: Scratch,
    scores: Vec<f32>,
}

impl ClassifiersScratch {
    /// Called for each sentence before its states.
    pub(crate) fn read(&mut self, by_question: &[QuestionClassifiers], input: Input<'_>) {
        self.questions.resize_with(by_question.len(), Default::default);
        for (entry, (tokens, split_scratch)) in by_question.iter().zip(&mut self.questions) {
            tokens.read(input.sentence, &entry.program, input.order, &mut &entry.alphabet);
            if let Some(split) = &entry.split {
                split.read(input, split_scratch);
            }
        }
    }

    /// Computes the row of a state; returns its part of the data.
    pub(crate) fn see(
        &mut self,
        by_question: &[QuestionClassifiers],
        question: usize,
        state: State<'_>,
    ) -> usize {
        let entry = &by_question[question];
        let (tokens, split_scratch) = &mut self.questions[question];
        entry.program.run(state.c, tokens, state.focus, &mut &entry.alphabet, &mut self.symbols);
        entry.number(&self.symbols.values, &mut self.row);
        entry.split.as_ref().map_or(0, |split| split.part(state, split_scratch))
    }
}

impl Classifiers {
    /// Computes the row of a state; returns the classifier for it.
    fn classifier_for(
        &self,
        question: usize,
        state: State<'_>,
        scratch: &mut ClassifiersScratch,
    ) -> &dyn Classifier {
        let part = scratch.see(&self.by_question, question, state);
        let chosen = &*self.by_question[question].classifiers[part];
        scratch.scores.clear();
        scratch.scores.resize(chosen.n_classes(), 0.0);
        chosen
    }
}

impl Scorer for Classifiers {
    type Scratch = ClassifiersScratch;

    fn columns(&self) -> Vec<&ColumnName> {
        let splits = self.by_question.iter().filter_map(|entry| entry.split.as_ref());
        let programs = self.by_question.iter().map(|entry| &entry.program);
        programs.chain(splits.map(|split| &split.program)).flat_map(SymbolicProgram::columns).collect()
    }

    fn start(&self, input: Input<'_>, scratch: &mut ClassifiersScratch) {
        scratch.read(&self.by_question, input);
    }

    fn scores<'s>(
        &self,
        question: usize,
        state: State<'_>,
        _allowed: Allowed<'_>,
        scratch: &'s mut ClassifiersScratch,
    ) -> &'s [f32] {
        let chosen = self.classifier_for(question, state, scratch);
        chosen.scores(&scratch.row, &mut scratch.classifier, &mut scratch.scores);
        &scratch.scores
    }

    fn choose(
        &self,
        question: usize,
        state: State<'_>,
        allowed: Allowed<'_>,
        scratch: &mut ClassifiersScratch,
    ) -> Choice {
        let chosen = self.classifier_for(question, state, scratch);
        let ClassifiersScratch { row, wanted, classifier, scores, .. } = scratch;
        wanted.clear();
        wanted.extend(allowed.classes(chosen.n_classes()));
        chosen.leading_scores(row, wanted, classifier, scores);
        best(scores, allowed)
    }
}
