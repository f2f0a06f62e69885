//! Reads a gold standard and one system in parallel.

use quaich_treebank::{Reader, Sentence};

use crate::comparison_reader::ComparisonReader;
use crate::error::Result;
use crate::punctuation::PunctuationRule;

/// A reader of a gold standard and a system's file, sentence by sentence.
#[derive(Debug)]
pub struct PairReader {
    reader: ComparisonReader,
}

impl PairReader {
    /// Creates a reader of two files.
    pub fn new(gold: Reader, system: Reader) -> Self {
        Self { reader: ComparisonReader::new(gold, [system]) }
    }

    /// Returns the next sentence of the gold standard and the same of the system; `None` at the end of both.
    pub fn read(&mut self) -> Result<Option<(&Sentence, &Sentence)>> {
        let sentence = self.reader.read(PunctuationRule::Keep)?;
        Ok(sentence.map(|sentence| (sentence.gold, sentence.system(0).system)))
    }

    /// Returns the pair read last; two sentences without tokens before the first.
    pub fn current(&self) -> (&Sentence, &Sentence) {
        self.reader.current(0)
    }

    /// Returns the number of pairs read.
    pub fn n_sentences(&self) -> u64 {
        self.reader.n_sentences()
    }

    /// Checks that the gold standard, which has been read to its end, has any scored tokens.
    pub fn check_scored(&self, n_tokens: u64, n_scored: u64) -> Result<()> {
        self.reader.check_scored(n_tokens, n_scored)
    }
}
