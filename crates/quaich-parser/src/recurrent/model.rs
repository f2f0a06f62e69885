//! Decisions over an encoding. Since the sentence is already encoded, a decision costs only a few vector additions.

use quaich_features::Order;
use quaich_learn::encoder::{ABSENT, SlotHead, SlotScratch};

use super::roles::{SlotExtractor, SlotValues};
use crate::scorer::{Allowed, Input, Partner, Scorer, State};

/// The classifiers of all questions.
#[derive(Clone, Debug)]
pub(crate) struct RecurrentModel {
    /// One per question.
    pub(super) questions: Vec<QuestionHeads>,
}

/// The classifiers of a question.
#[derive(Clone, Debug)]
pub(super) struct QuestionHeads {
    /// Extracts the input.
    pub(super) extractor: SlotExtractor,
    /// One per network of the encoder.
    pub(super) heads: Vec<SlotHead>,
}

/// The buffers of one thread.
#[derive(Debug, Default)]
pub(crate) struct RecurrentScratch {
    found: SlotValues,
    /// Whether the parser reads from right to left.
    is_right_to_left: bool,
    n_words: u32,
    heads: SlotScratch,
    /// The mean of the networks' scores.
    scores: Vec<f32>,
}

impl Scorer for RecurrentModel {
    type Scratch = RecurrentScratch;

    fn start(&self, input: Input<'_>, scratch: &mut RecurrentScratch) {
        scratch.is_right_to_left = input.order == Order::RightToLeft;
        scratch.n_words = u32::try_from(input.sentence.n_tokens() + 1).unwrap_or(u32::MAX);
    }

    /// Unnormalised log-probabilities, averaged over all networks.
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

/// Mirrors the positions of words in a sentence of `n_words` words including the root; leaves the root and absent words.
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
