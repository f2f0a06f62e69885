//! The recurrent network as a model. The sentence is read once; what is decided costs a few vector additions.

use quaich_learn::recurrent::{Encoder, EncoderScratch};
use quaich_treebank::Node;

use super::cache::WordCache;
use super::lexicon::Lexicon;
use super::roles::{Sight, View};
use crate::model::{Allowed, Model, Reading, State};

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
    words: Vec<f32>,
    values: Vec<Vec<u32>>,
    sight: Sight,
}

impl Model for RecurrentModel {
    type Scratch = RecurrentScratch;

    fn start(&self, reading: Reading<'_>, scratch: &mut RecurrentScratch) {
        let RecurrentScratch { encoder, cache, words, values, .. } = scratch;
        let page = self.lexicon.open(reading.sentence, reading.order);
        let width = self.encoder.word_width();
        cache.start_sentence();
        words.clear();
        for node in (0..=reading.sentence.n_tokens()).map(Node::from_index) {
            let row = cache.row(page.key(node), width, |row| {
                page.values(node, values);
                self.encoder.word(values.iter().map(Vec::as_slice), row, encoder);
            });
            words.extend_from_slice(row);
        }
        self.encoder.read(words, encoder);
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
