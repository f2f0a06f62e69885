//! Sentences in context: the encoding of a sentence, made once and then read by every consumer: the decisions of parsers, head
//! pointers.
//!
//! ```text
//!   sentence ─▶ Lexicon: values of every word ─▶ networks ─▶ SentenceEncoding ─▶ consumers
//! ```
//!
//! Encoders read sentences from left to right as they stand, whatever the direction of a parser; a right-to-left parser turns the
//! places that it asks about.

mod file;
mod lexicon;
mod sizes;

use quaich_features::ColumnName;
use quaich_learn::encoder::{Encoder, Encoding, PointerHead, PointerScratch, Reader};
use quaich_treebank::Sentence;

use crate::consumers::WordClasses;

pub(crate) use lexicon::Lexicon;
pub(crate) use sizes::{SizeBudget, Sizes};

/// The most networks whose scores are averaged.
pub(crate) const MAX_NETWORKS: usize = 16;

/// What makes encodings of sentences: one network, or several that differ only in their random numbers.
#[derive(Debug)]
pub(crate) struct SentenceEncoder {
    lexicon: Lexicon,
    networks: Vec<Encoder>,
    /// By network: how its words find their heads.
    pointers: Vec<PointerHead>,
    /// What else is predicted of words.
    classes: Vec<WordClasses>,
}

/// What an encoder makes of a sentence. It is filled once per sentence and then only read; consumers have scratch space of their own.
#[derive(Debug, Default)]
pub(crate) struct SentenceEncoding {
    /// By network.
    networks: Vec<Encoding>,
    reader: Reader,
}

/// The probability of every head.
#[derive(Debug, Default)]
pub(crate) struct HeadScores {
    /// By node, then by head; nothing where they are not known.
    probabilities: Vec<f32>,
    scratch: PointerScratch,
}

impl SentenceEncoder {
    /// From its parts.
    ///
    /// # Panics
    /// When there are not as many pointers as networks.
    pub(crate) fn new(
        lexicon: Lexicon,
        networks: Vec<Encoder>,
        pointers: Vec<PointerHead>,
        classes: Vec<WordClasses>,
    ) -> Self {
        assert_eq!(networks.len(), pointers.len(), "every network has pointers");
        Self { lexicon, networks, pointers, classes }
    }

    /// What is predicted of words besides heads.
    pub(crate) fn classes(&self) -> &[WordClasses] {
        &self.classes
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

    /// Works out how likely each word of an encoded sentence is the head of each; the mean of all networks. Nothing for very long
    /// sentences.
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
    /// By network: what it makes of the sentence.
    #[inline]
    pub(crate) fn networks(&self) -> &[Encoding] {
        &self.networks
    }
}
