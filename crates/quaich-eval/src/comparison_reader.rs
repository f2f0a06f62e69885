//! Reads a gold standard and several systems in parallel, and matches every token.

use quaich_treebank::{Reader, Role, Sentence};

use crate::analysis::TokenMatch;
use crate::error::{Error, Result};
use crate::evaluator::SentencePair;
use crate::parallel_reader::ParallelReader;
use crate::punctuation::PunctuationRule;

/// A reader of a gold standard and of systems to compare with it.
#[derive(Debug)]
pub struct ComparisonReader {
    /// The gold standard, then the systems.
    files: ParallelReader,
    /// The matches of the sentence read last, by system and node.
    matches: Vec<Vec<Option<TokenMatch>>>,
}

/// A sentence in the gold standard and in all systems, with the matches of every token for every system.
#[derive(Clone, Copy, Debug)]
pub struct ComparedSentence<'a> {
    /// The sentence in the gold standard.
    pub gold: &'a Sentence,
    files: &'a ParallelReader,
    matches: &'a [Vec<Option<TokenMatch>>],
}

impl<'a> ComparedSentence<'a> {
    /// Returns the number of systems.
    pub fn n_systems(&self) -> usize {
        self.matches.len()
    }

    /// Returns the sentence of a system with the matches of its tokens.
    ///
    /// # Panics
    /// If the system does not exist.
    pub fn system(&self, index: usize) -> SentencePair<'a> {
        SentencePair::new(self.gold, self.files.sentence(index + 1), &self.matches[index])
    }

    /// Iterates over the sentence in all systems, in order.
    pub fn systems(&self) -> impl Iterator<Item = SentencePair<'a>> + use<'a> {
        let this = *self;
        (0..self.n_systems()).map(move |index| this.system(index))
    }
}

impl ComparisonReader {
    /// Creates a reader of these files.
    pub fn new(gold: Reader, systems: impl IntoIterator<Item = Reader>) -> Self {
        let systems: Vec<Reader> = systems.into_iter().collect();
        let matches = vec![Vec::new(); systems.len()];
        Self { files: ParallelReader::new([gold].into_iter().chain(systems)), matches }
    }

    /// Returns the next sentence of the gold standard, the same of every system, and the matches of the tokens that the
    /// rule does not skip; `None` at the end of all.
    pub fn read(&mut self, punctuation: PunctuationRule) -> Result<Option<ComparedSentence<'_>>> {
        if !self.advance()? {
            return Ok(None);
        }
        let gold = self.files.sentence(0);
        for (system, matches) in self.files.sentences().skip(1).zip(&mut self.matches) {
            matches.clear();
            matches.push(None);
            matches.extend(gold.tokens().map(|token| {
                let is_scored = !punctuation.skips(gold.form(token));
                is_scored.then(|| TokenMatch::of(gold, system, token))
            }));
        }
        Ok(Some(ComparedSentence { gold, files: &self.files, matches: &self.matches }))
    }

    /// Returns the sentence read last, in the gold standard and in one system.
    pub(crate) fn current(&self, system: usize) -> (&Sentence, &Sentence) {
        (self.files.sentence(0), self.files.sentence(system + 1))
    }

    /// Returns the number of sentences read.
    pub fn n_sentences(&self) -> u64 {
        self.files.n_sentences()
    }

    /// Checks that the gold standard, which has been read to its end, has any scored tokens.
    pub fn check_scored(&self, n_tokens: u64, n_scored: u64) -> Result<()> {
        let file = self.files.first_file().to_owned();
        match (n_tokens, n_scored) {
            (0, _) => Err(Error::NoSentences { file }),
            (_, 0) => Err(Error::NothingScored { file, n_tokens }),
            _ => Ok(()),
        }
    }

    /// Moves to the next sentence of every file; returns false at the end of all.
    fn advance(&mut self) -> Result<bool> {
        if !self.files.advance(|_| ())? {
            return Ok(false);
        }
        let gold = self.files.sentence(0);
        if let Some(token) = gold.tokens().find(|token| gold.heads()[token.index()].is_none()) {
            let (at, context) = (self.files.place_in_first(token, Role::Head), gold.in_brackets(token));
            return Err(Error::NoGoldHead { at, context });
        }
        Ok(true)
    }
}
