//! Additional input of breakdowns.

use std::collections::HashSet;
use std::sync::Arc;

use quaich_treebank::Sentence;

/// The input that a breakdown needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// Only the two analyses.
    Nothing,
    /// The words of the training data.
    KnownWords,
    /// The derivations of a parser; see [`Derivation`](crate::derivation::Derivation).
    Derivations,
}

/// The additional input.
#[derive(Clone, Default, Debug)]
pub struct Context {
    /// The words of the training data.
    pub known_words: Arc<KnownWords>,
}

/// Words as spelled.
#[derive(Clone, Default, Debug)]
pub struct KnownWords(HashSet<String>);

impl KnownWords {
    /// Adds the words of a sentence.
    pub fn add(&mut self, sentence: &Sentence) {
        for token in sentence.tokens() {
            let form = sentence.form(token);
            if !self.0.contains(form) {
                self.0.insert(form.to_owned());
            }
        }
    }

    /// Whether a word is known.
    pub fn contains(&self, form: &str) -> bool {
        self.0.contains(form)
    }
}
