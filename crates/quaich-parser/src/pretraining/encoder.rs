//! A pretrained encoder: floats, the words that it knows, and where it comes from.

use quaich_learn::encoder::EncoderWeights;
use quaich_treebank::Sentence;

use crate::description::PretrainingDescription;
use crate::encoder::Lexicon;

/// An encoder that was pretrained on text, from which any number of models can be trained.
#[derive(Debug)]
pub struct PretrainedEncoder {
    pub(super) lexicon: Lexicon,
    pub(super) weights: EncoderWeights,
    pub(super) description: PretrainingDescription,
}

impl PretrainedEncoder {
    /// Where it comes from.
    pub fn description(&self) -> &PretrainingDescription {
        &self.description
    }

    /// The number of layers.
    pub fn n_layers(&self) -> usize {
        self.weights.shape.layers
    }

    /// Units per layer and direction.
    pub fn n_units(&self) -> usize {
        self.weights.shape.units
    }

    /// The same encoder with these notes.
    #[must_use]
    pub fn with_notes(mut self, notes: Vec<(String, String)>) -> Self {
        self.description.notes = notes;
        self
    }

    /// The share of the words of a treebank whose form is known, in percent.
    #[allow(clippy::cast_precision_loss, reason = "numbers of words")]
    pub fn coverage(&self, sentences: &[Sentence]) -> f64 {
        let (mut known, mut all) = (0usize, 0usize);
        for sentence in sentences {
            for token in sentence.tokens() {
                known += usize::from(self.lexicon.knows(sentence.form(token)));
                all += 1;
            }
        }
        100.0 * known as f64 / all.max(1) as f64
    }

    /// Identifies the encoder among others.
    pub(crate) fn key(&self) -> String {
        let PretrainingDescription { fingerprint, settings, seen_words, continued, .. } = &self.description;
        format!("{fingerprint} {seen_words} {continued:?} {}", settings.to_toml())
    }

    pub(crate) fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    pub(crate) fn weights(&self) -> &EncoderWeights {
        &self.weights
    }
}
