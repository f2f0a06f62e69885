//! Two treebanks read side by side: a [`Panel`] of one system.

use quaich_treebank::{Reader, Sentence};

use crate::error::Result;
use crate::panel::Panel;
use crate::punctuation::PunctuationRule;

/// The sentences of a gold standard and those of a system, in pairs.
#[derive(Debug)]
pub struct Pairs {
    panel: Panel,
}

impl Pairs {
    /// Pairs from two files.
    pub fn new(gold: Reader, system: Reader) -> Self {
        Self { panel: Panel::new(gold, [system]) }
    }

    /// The next sentence of the gold standard and the same of the system; none at the end of both.
    pub fn read(&mut self) -> Result<Option<(&Sentence, &Sentence)>> {
        let sentence = self.panel.read(PunctuationRule::Keep)?;
        Ok(sentence.map(|sentence| (sentence.gold, sentence.system(0).system)))
    }

    /// The pair that was read last; two sentences without tokens before the first.
    pub fn current(&self) -> (&Sentence, &Sentence) {
        self.panel.current(0)
    }

    /// How many pairs were read.
    pub fn n_sentences(&self) -> u64 {
        self.panel.n_sentences()
    }

    /// Whether the gold standard, which has been read to its end, had anything to score by.
    pub fn check_scored(&self, n_tokens: u64, n_scored: u64) -> Result<()> {
        self.panel.check_scored(n_tokens, n_scored)
    }
}
