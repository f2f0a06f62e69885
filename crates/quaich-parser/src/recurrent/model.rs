//! The recurrent network as a model. The sentence is read once; what is decided costs a few vector additions.

use quaich_learn::recurrent::{Encoder, EncoderScratch};
use quaich_treebank::Node;

use super::cache::WordCache;
use super::lexicon::Lexicon;
use super::roles::{Sight, View};
use crate::mixed::Partner;
use crate::model::{Allowed, Model, Reading, State};

/// Words of a long sentence that are read together.
const PART: usize = 1024;
/// Words before and after a part that are read with it.
const AROUND: usize = 128;

/// An encoder, what feeds it and what it is asked about.
#[derive(Clone, Debug)]
pub struct RecurrentModel {
    pub(super) lexicon: Lexicon,
    pub(super) encoder: Encoder,
    /// By question.
    pub(super) views: Vec<View>,
}

/// What one thread keeps between decisions and sentences.
#[derive(Debug, Default)]
pub struct RecurrentScratch {
    encoder: EncoderScratch,
    cache: WordCache,
    /// By word of the sentence: its row in the cache.
    words: Vec<u32>,
    values: Vec<Vec<u32>>,
    sight: Sight,
}

impl Model for RecurrentModel {
    type Scratch = RecurrentScratch;

    fn start(&self, reading: Reading<'_>, scratch: &mut RecurrentScratch) {
        let RecurrentScratch { encoder, cache, words, values, .. } = scratch;
        let page = self.lexicon.open(reading.sentence, reading.order);
        let n_words = reading.sentence.n_tokens() + 1;
        // A long sentence is read in parts, each with some words around it: memory stays small, and what is further away
        // makes no difference.
        for first in (0..n_words).step_by(PART) {
            let kept = first..n_words.min(first + PART);
            let start = first.saturating_sub(AROUND);
            cache.make_room();
            words.clear();
            for node in (start..n_words.min(kept.end + AROUND)).map(Node::from_index) {
                let (row, is_new) = cache.row(page.key(node));
                words.push(row);
                if is_new {
                    page.values(node, values);
                    self.encoder.add_word(values.iter().map(Vec::as_slice), encoder);
                }
            }
            self.encoder.words(cache.new_rows(self.encoder.word_width()), encoder);
            let kept = kept.start - start..kept.end - start;
            self.encoder.read(cache.cells(), words, (first, kept), encoder);
        }
    }

    /// In nats: logarithms of probabilities but for a constant.
    #[inline]
    fn scores<'s>(
        &self,
        question: usize,
        state: State<'_>,
        _allowed: Allowed<'_>,
        scratch: &'s mut RecurrentScratch,
    ) -> &'s [f32] {
        let RecurrentScratch { encoder, sight, .. } = scratch;
        let view = &self.views[question];
        view.look(state.c, state.focus, sight);
        self.encoder.scores(question, &sight.words, &sight.marks[..view.n_marks()], encoder)
    }
}

impl Partner for RecurrentModel {
    #[inline]
    fn last_scores<'s>(&self, _question: usize, scratch: &'s mut RecurrentScratch) -> &'s [f32] {
        scratch.encoder.last_scores()
    }
}
