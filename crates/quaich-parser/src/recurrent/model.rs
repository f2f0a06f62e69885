//! Decisions over an encoding. The sentence has been encoded; what is decided costs a few vector additions.

use quaich_features::Order;
use quaich_learn::encoder::{ABSENT, SlotHead, SlotScratch};

use super::roles::{SlotExtractor, SlotValues};
use crate::scorer::{Allowed, Input, Partner, Scorer, State};

/// What is asked about words in context.
#[derive(Clone, Debug)]
pub(crate) struct RecurrentModel {
    /// By question.
    pub(super) questions: Vec<QuestionHeads>,
}

/// How a question is answered.
#[derive(Clone, Debug)]
pub(super) struct QuestionHeads {
    /// What is looked at.
    pub(super) extractor: SlotExtractor,
    /// By network of the encoder: what scores the classes.
    pub(super) heads: Vec<SlotHead>,
}

/// What one thread keeps between decisions.
#[derive(Debug, Default)]
pub(crate) struct RecurrentScratch {
    found: SlotValues,
    /// Whether the parser reads from right to left.
    is_right_to_left: bool,
    n_words: u32,
    heads: SlotScratch,
    /// The mean of what several networks say.
    scores: Vec<f32>,
}

impl Scorer for RecurrentModel {
    type Scratch = RecurrentScratch;

    fn start(&self, input: Input<'_>, scratch: &mut RecurrentScratch) {
        scratch.is_right_to_left = input.order == Order::RightToLeft;
        scratch.n_words = u32::try_from(input.sentence.n_tokens() + 1).unwrap_or(u32::MAX);
    }

    /// Log-probabilities but for a constant; the mean of what all networks say.
    #[inline]
    fn scores<'s>(
        &self,
        question: usize,
        state: State<'_>,
        _allowed: Allowed<'_>,
        scratch: &'s mut RecurrentScratch,
    ) -> &'s [f32] {
        let RecurrentScratch { found, is_right_to_left, n_words, heads: space, scores } = scratch;
        let QuestionHeads { extractor, heads } = &self.questions[question];
        extractor.extract(state.c, state.focus, found);
        if *is_right_to_left {
            mirror(&mut found.words[..extractor.n_roles()], *n_words);
        }
        let encodings = state.encoding.map_or(&[][..], |encoding| encoding.networks());
        let (words, marks) = (&found.words[..], &found.marks[..extractor.n_marks()]);
        if let ([head], [encoding]) = (&heads[..], encodings) {
            return head.scores(encoding, words, marks, space);
        }
        scores.clear();
        #[allow(clippy::cast_precision_loss, reason = "a handful")]
        let share = 1.0 / heads.len() as f32;
        for (head, encoding) in heads.iter().zip(encodings) {
            let own = head.scores(encoding, words, marks, space);
            scores.resize(own.len(), 0.0);
            for (sum, score) in scores.iter_mut().zip(own) {
                *sum += share * score;
            }
        }
        scores
    }
}

/// Turns places in a sentence of so many words, the root among them, into those of the other direction, as far as there are words
/// in them.
pub(super) fn mirror(places: &mut [u32], n_words: u32) {
    for place in places {
        if *place != 0 && *place != ABSENT {
            *place = n_words - *place;
        }
    }
}

impl Partner for RecurrentModel {
    #[inline]
    fn last_scores<'s>(&self, question: usize, scratch: &'s mut RecurrentScratch) -> &'s [f32] {
        match &self.questions[question].heads[..] {
            [_] => scratch.heads.last_scores(),
            _ => &scratch.scores,
        }
    }
}
