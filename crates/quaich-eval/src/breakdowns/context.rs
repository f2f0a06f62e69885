//! What some break-downs need besides the two analyses.

use std::collections::HashSet;
use std::sync::Arc;

use quaich_treebank::Sentence;

/// What a break-down needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// No more than the two analyses.
    Nothing,
    /// The words of the training data.
    KnownWords,
    /// How a parser came to its analyses; see [`Derivation`](crate::derivation::Derivation).
    Derivations,
}

/// What is known to all break-downs.
#[derive(Clone, Default, Debug)]
pub struct Context {
    /// The words of the training data.
    pub known_words: Arc<KnownWords>,
}

/// Words, as they are written.
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

    /// Whether a word is among them.
    pub fn contains(&self, form: &str) -> bool {
        self.0.contains(form)
    }
}
