//! Contextual encodings of sentences, computed once and read by all consumers: the parsers' decisions, head pointers, taggers.
//!
//! ```text
//!   sentence ─▶ Lexicon: values of each word ─▶ networks ─▶ SentenceEncoding ─▶ consumers
//! ```
//!
//! Encoders always read sentences from left to right; a right-to-left parser mirrors the positions that it looks up.

mod file;
mod inputs;
mod lexicon;
mod sizes;

use quaich_features::ColumnName;
use quaich_learn::encoder::{Encoder, Encoding, PointerHead, PointerScratch, Reader};
use quaich_treebank::Sentence;

use crate::consumers::Tagger;

pub(crate) use inputs::Inputs;
pub use inputs::encoder_inputs;
pub(crate) use lexicon::{Lexicon, LexiconLimits};
pub(crate) use sizes::{SizeBudget, Sizes};

/// The maximum number of averaged networks.
pub(crate) const MAX_NETWORKS: usize = 16;

/// Computes the encodings of sentences with one network, or with several that differ only in their seeds.
#[derive(Debug)]
pub(crate) struct SentenceEncoder {
    lexicon: Lexicon,
    networks: Vec<Encoder>,
    /// One per network: its head pointers.
    pointers: Vec<PointerHead>,
    /// Predicts tags and lemmas.
    tagger: Option<Tagger>,
}

/// The encoding of a sentence. It is computed once per sentence and then only read; consumers have their own scratch space.
#[derive(Debug, Default)]
pub(crate) struct SentenceEncoding {
    /// One per network.
    networks: Vec<Encoding>,
    reader: Reader,
}

/// The probability of each head for each word.
#[derive(Debug, Default)]
pub(crate) struct HeadScores {
    /// Indexed by node, then by head; empty where they are not available.
    probabilities: Vec<f32>,
    scratch: PointerScratch,
}

impl SentenceEncoder {
    /// An encoder made of its parts.
    ///
    /// # Panics
    /// If the number of pointers differs from the number of networks.
    pub(crate) fn new(
        lexicon: Lexicon,
        networks: Vec<Encoder>,
        pointers: Vec<PointerHead>,
        tagger: Option<Tagger>,
    ) -> Self {
        assert_eq!(networks.len(), pointers.len(), "every network has pointers");
        Self { lexicon, networks, pointers, tagger }
    }

    /// The tagger over it.
    pub(crate) fn tagger(&self) -> Option<&Tagger> {
        self.tagger.as_ref()
    }

    /// The networks.
    pub(crate) fn networks(&self) -> &[Encoder] {
        &self.networks
    }

    /// The columns that it reads.
    pub(crate) fn columns(&self) -> Vec<&ColumnName> {
        self.lexicon.columns().collect()
    }

    /// Encodes a sentence.
    pub(crate) fn encode(&self, sentence: &Sentence, into: &mut SentenceEncoding) {
        let SentenceEncoding { networks, reader } = into;
        reader.read(&self.networks, &self.lexicon.items(sentence), networks);
    }

    /// Computes the probability that each word is the head of each other word, averaged over all networks; empty for very long sentences.
    pub(crate) fn head_scores<'s>(&self, encoding: &SentenceEncoding, into: &'s mut HeadScores) -> &'s [f32] {
        let HeadScores { probabilities, scratch } = into;
        #[allow(clippy::cast_precision_loss, reason = "a handful")]
        let share = 1.0 / self.networks.len() as f32;
        let n_words = encoding.networks.first().map_or(0, Encoding::n_items);
        probabilities.clear();
        probabilities.resize(n_words * n_words, 0.0);
        for (pointers, encoding) in self.pointers.iter().zip(&encoding.networks) {
            match pointers.probabilities(encoding, scratch) {
                Some(own) => {
                    for (sum, probability) in probabilities.iter_mut().zip(own) {
                        *sum += share * probability;
                    }
                }
                None => probabilities.clear(),
            }
        }
        probabilities
    }
}

impl SentenceEncoding {
    /// One encoding per network.
    #[inline]
    pub(crate) fn networks(&self) -> &[Encoding] {
        &self.networks
    }
}
