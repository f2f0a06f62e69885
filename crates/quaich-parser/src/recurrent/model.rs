//! The recurrent network as a model. The sentence is read once; what is decided costs a few vector additions.

use quaich_learn::recurrent::{Encoder, EncoderScratch};
use quaich_treebank::Node;

use super::cache::{Rows, WordCache};
use super::lexicon::Lexicon;
use super::roles::{Sight, View};
use crate::mixed::Partner;
use crate::model::{Allowed, Model, Reading, State};

/// The most encoders that decide together.
pub(crate) const MOST_NETWORKS: usize = 16;
/// Words of a long sentence that are read together.
const PART: usize = 1024;
/// Words before and after a part that are read with it.
const AROUND: usize = 128;

/// Encoders that decide together, what feeds them and what they are asked about.
#[derive(Clone, Debug)]
pub struct RecurrentModel {
    pub(super) lexicon: Lexicon,
    /// One or more, which differ only in the chances of their trainings.
    pub(super) encoders: Vec<Encoder>,
    /// By question.
    pub(super) views: Vec<View>,
}

/// What one thread keeps between decisions and sentences.
#[derive(Debug, Default)]
pub struct RecurrentScratch {
    /// By encoder.
    encoders: Vec<(EncoderScratch, Rows)>,
    cache: WordCache,
    /// By word of the sentence: its row in the cache.
    words: Vec<u32>,
    values: Vec<Vec<u32>>,
    sight: Sight,
    /// What several encoders say together.
    scores: Vec<f32>,
}

impl Model for RecurrentModel {
    type Scratch = RecurrentScratch;

    fn start(&self, reading: Reading<'_>, scratch: &mut RecurrentScratch) {
        let RecurrentScratch { encoders, cache, words, values, .. } = scratch;
        encoders.resize_with(self.encoders.len(), Default::default);
        let page = self.lexicon.open(reading.sentence, reading.order);
        let n_words = reading.sentence.n_tokens() + 1;
        // A long sentence is read in parts, each with some words around it: memory stays small, and what is further away
        // makes no difference.
        for first in (0..n_words).step_by(PART) {
            let kept = first..n_words.min(first + PART);
            let start = first.saturating_sub(AROUND);
            if cache.make_room() {
                for (_, rows) in encoders.iter_mut() {
                    rows.clear();
                }
            }
            words.clear();
            for node in (start..n_words.min(kept.end + AROUND)).map(Node::from_index) {
                let (row, is_new) = cache.row(page.key(node));
                words.push(row);
                if is_new {
                    page.values(node, values);
                    for (encoder, (scratch, _)) in self.encoders.iter().zip(&mut *encoders) {
                        encoder.add_word(values.iter().map(Vec::as_slice), scratch);
                    }
                }
            }
            let kept = kept.start - start..kept.end - start;
            for (encoder, (scratch, rows)) in self.encoders.iter().zip(&mut *encoders) {
                encoder.words(rows.new_rows(cache.len(), encoder.word_width()), scratch);
                encoder.read(rows.cells(), words, (first, kept.clone()), scratch);
            }
        }
    }

    /// In nats: logarithms of probabilities but for a constant; the mean of what all encoders say.
    #[inline]
    fn scores<'s>(
        &self,
        question: usize,
        state: State<'_>,
        _allowed: Allowed<'_>,
        scratch: &'s mut RecurrentScratch,
    ) -> &'s [f32] {
        let RecurrentScratch { encoders, sight, scores, .. } = scratch;
        let view = &self.views[question];
        view.look(state.c, state.focus, sight);
        let (words, marks) = (&sight.words, &sight.marks[..view.n_marks()]);
        if self.encoders.len() == 1 {
            return self.encoders[0].scores(question, words, marks, &mut encoders[0].0);
        }
        scores.clear();
        #[allow(clippy::cast_precision_loss, reason = "a handful")]
        let share = 1.0 / self.encoders.len() as f32;
        for (encoder, (scratch, _)) in self.encoders.iter().zip(encoders) {
            let own = encoder.scores(question, words, marks, scratch);
            scores.resize(own.len(), 0.0);
            for (sum, score) in scores.iter_mut().zip(own) {
                *sum += share * score;
            }
        }
        scores
    }
}

impl Partner for RecurrentModel {
    #[inline]
    fn last_scores<'s>(&self, _question: usize, scratch: &'s mut RecurrentScratch) -> &'s [f32] {
        match &scratch.encoders[..] {
            [(encoder, _)] => encoder.last_scores(),
            _ => &scratch.scores,
        }
    }
}
