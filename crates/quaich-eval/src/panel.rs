//! A gold standard and one or more systems read side by side, with the verdict on every token.

use quaich_treebank::{Reader, Role, Sentence};

use crate::analysis::Verdict;
use crate::error::{Error, Result};
use crate::evaluator::Judged;
use crate::punctuation::PunctuationRule;
use crate::side_by_side::SideBySide;

/// The files of a gold standard and of systems that are judged by it.
#[derive(Debug)]
pub struct Panel {
    /// The gold standard, then the systems.
    files: SideBySide,
    /// The verdicts on the sentence read last, by system and node.
    verdicts: Vec<Vec<Option<Verdict>>>,
}

/// A sentence as the gold standard and all systems have it, with the verdict on every token for every system.
#[derive(Clone, Copy, Debug)]
pub struct PanelSentence<'a> {
    /// The sentence in the gold standard.
    pub gold: &'a Sentence,
    files: &'a SideBySide,
    verdicts: &'a [Vec<Option<Verdict>>],
}

impl<'a> PanelSentence<'a> {
    /// How many systems there are.
    pub fn n_systems(&self) -> usize {
        self.verdicts.len()
    }

    /// The sentence of a system with the verdicts on its tokens.
    ///
    /// # Panics
    /// When there is no such system.
    pub fn system(&self, index: usize) -> Judged<'a> {
        Judged::new(self.gold, self.files.sentence(index + 1), &self.verdicts[index])
    }

    /// The sentence as every system has it, in their order.
    pub fn systems(&self) -> impl Iterator<Item = Judged<'a>> + use<'a> {
        let this = *self;
        (0..self.n_systems()).map(move |index| this.system(index))
    }
}

impl Panel {
    /// A panel of these files.
    pub fn new(gold: Reader, systems: impl IntoIterator<Item = Reader>) -> Self {
        let systems: Vec<Reader> = systems.into_iter().collect();
        let verdicts = vec![Vec::new(); systems.len()];
        Self { files: SideBySide::new([gold].into_iter().chain(systems)), verdicts }
    }

    /// The next sentence of the gold standard, the same of every system, and the verdicts on the tokens that the rule does not
    /// skip; none at the end of all.
    pub fn read(&mut self, punctuation: PunctuationRule) -> Result<Option<PanelSentence<'_>>> {
        if !self.advance()? {
            return Ok(None);
        }
        let gold = self.files.sentence(0);
        for (system, verdicts) in self.files.sentences().skip(1).zip(&mut self.verdicts) {
            verdicts.clear();
            verdicts.push(None);
            verdicts.extend(gold.tokens().map(|token| {
                let is_scored = !punctuation.skips(gold.form(token));
                is_scored.then(|| Verdict::of(gold, system, token))
            }));
        }
        Ok(Some(PanelSentence { gold, files: &self.files, verdicts: &self.verdicts }))
    }

    /// The sentence read last, in the gold standard and of one system.
    pub(crate) fn current(&self, system: usize) -> (&Sentence, &Sentence) {
        (self.files.sentence(0), self.files.sentence(system + 1))
    }

    /// How many sentences were read.
    pub fn n_sentences(&self) -> u64 {
        self.files.n_sentences()
    }

    /// Whether the gold standard, which has been read to its end, had anything to score by.
    pub fn check_scored(&self, n_tokens: u64, n_scored: u64) -> Result<()> {
        let file = self.files.first_file().to_owned();
        match (n_tokens, n_scored) {
            (0, _) => Err(Error::NoSentences { file }),
            (_, 0) => Err(Error::NothingScored { file, n_tokens }),
            _ => Ok(()),
        }
    }

    /// Goes on to the next sentence of every file; false at the end of all.
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
