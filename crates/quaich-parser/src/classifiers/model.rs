//! Classifiers as a model: a state becomes numbered values, a classifier scores them.

use quaich_features::{ColumnName, FrozenAlphabet, SymbolicProgram, SymbolicScratch, SymbolicTokens};
use quaich_learn::{Classifier, Learner, Scratch};

use super::split::{Split, SplitScratch};
use crate::scorer::{Allowed, Choice, Input, Scorer, State, best};

/// Classifiers, one or several per question.
#[derive(Debug)]
pub(crate) struct Classifiers {
    pub(crate) learner: &'static dyn Learner,
    /// By question.
    pub(crate) answers: Vec<QuestionClassifiers>,
}

/// What answers one question.
#[derive(Debug)]
pub(crate) struct QuestionClassifiers {
    pub(crate) program: SymbolicProgram,
    pub(crate) alphabet: FrozenAlphabet,
    /// By position: the number of its first value.
    pub(crate) offsets: Vec<u32>,
    pub(crate) split: Option<Split>,
    /// By part of the data.
    pub(crate) classifiers: Vec<Box<dyn Classifier>>,
}

/// The numbers of the first values of positions, and the number of all.
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
    /// The numbers of values among those of all positions.
    pub(crate) fn number(&self, values: &[(u16, u32)], row: &mut Vec<u32>) {
        row.clear();
        row.extend(values.iter().map(|&(position, value)| self.offsets[usize::from(position)] + value));
    }
}

/// What a thread needs to ask classifiers.
#[derive(Debug, Default)]
pub(crate) struct ClassifiersScratch {
    /// By question.
    questions: Vec<(SymbolicTokens, SplitScratch)>,
    pub(crate) symbols: SymbolicScratch,
    pub(crate) row: Vec<u32>,
    wanted: Vec<u32>,
    classifier: Scratch,
    scores: Vec<f32>,
}

impl ClassifiersScratch {
    /// Looks at a sentence before its states come.
    pub(crate) fn read(&mut self, answers: &[QuestionClassifiers], input: Input<'_>) {
        self.questions.resize_with(answers.len(), Default::default);
        for (answer, (tokens, split_scratch)) in answers.iter().zip(&mut self.questions) {
            tokens.read(input.sentence, &answer.program, input.order, &mut &answer.alphabet);
            if let Some(split) = &answer.split {
                split.read(input, split_scratch);
            }
        }
    }

    /// Finds the values of a state and makes its row; gives the part of the data that it belongs to.
    pub(crate) fn see(
        &mut self,
        answers: &[QuestionClassifiers],
        question: usize,
        state: State<'_>,
    ) -> usize {
        let answer = &answers[question];
        let (tokens, split_scratch) = &mut self.questions[question];
        answer.program.run(state.c, tokens, state.focus, &mut &answer.alphabet, &mut self.symbols);
        answer.number(&self.symbols.values, &mut self.row);
        answer.split.as_ref().map_or(0, |split| split.part(state, split_scratch))
    }
}

impl Classifiers {
    /// Makes the row of a state; gives the classifier that is to be asked about it.
    fn asked(&self, question: usize, state: State<'_>, scratch: &mut ClassifiersScratch) -> &dyn Classifier {
        let part = scratch.see(&self.answers, question, state);
        let asked = &*self.answers[question].classifiers[part];
        scratch.scores.clear();
        scratch.scores.resize(asked.n_classes(), 0.0);
        asked
    }
}

impl Scorer for Classifiers {
    type Scratch = ClassifiersScratch;

    fn columns(&self) -> Vec<&ColumnName> {
        let splits = self.answers.iter().filter_map(|answer| answer.split.as_ref());
        let programs = self.answers.iter().map(|answer| &answer.program);
        programs.chain(splits.map(|split| &split.program)).flat_map(SymbolicProgram::columns).collect()
    }

    fn start(&self, input: Input<'_>, scratch: &mut ClassifiersScratch) {
        scratch.read(&self.answers, input);
    }

    fn scores<'s>(
        &self,
        question: usize,
        state: State<'_>,
        _allowed: Allowed<'_>,
        scratch: &'s mut ClassifiersScratch,
    ) -> &'s [f32] {
        let asked = self.asked(question, state, scratch);
        asked.scores(&scratch.row, &mut scratch.classifier, &mut scratch.scores);
        &scratch.scores
    }

    fn choose(
        &self,
        question: usize,
        state: State<'_>,
        allowed: Allowed<'_>,
        scratch: &mut ClassifiersScratch,
    ) -> Choice {
        let asked = self.asked(question, state, scratch);
        let ClassifiersScratch { row, wanted, classifier, scores, .. } = scratch;
        wanted.clear();
        wanted.extend(allowed.classes(asked.n_classes()));
        asked.leading_scores(row, wanted, classifier, scores);
        best(scores, allowed)
    }
}
