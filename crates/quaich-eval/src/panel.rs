//! A gold standard and one or more systems read side by side, a sentence of each at a time, in constant memory.
//!
//! All must have the same tokens. Multiword ranges, empty nodes and comments are not compared, and the formats
//! may differ.

use std::cmp::Ordering;

use quaich_treebank::{Node, Reader, Role, Sentence};

use crate::analysis::Verdict;
use crate::error::{Difference, Error, Mismatch, Place, Result};
use crate::evaluator::Judged;
use crate::punctuation::PunctuationRule;

/// The files of a gold standard and of systems that are judged by it.
#[derive(Debug)]
pub struct Panel {
    gold: Side,
    systems: Vec<Side>,
    n_sentences: u64,
    /// The verdicts on the sentence read last, by system and node.
    verdicts: Vec<Vec<Option<Verdict>>>,
}

/// A sentence as the gold standard and all systems have it, with the verdict on every token for every system.
#[derive(Clone, Copy, Debug)]
pub struct PanelSentence<'a> {
    /// The sentence in the gold standard.
    pub gold: &'a Sentence,
    systems: &'a [Side],
    verdicts: &'a [Vec<Option<Verdict>>],
}

impl<'a> PanelSentence<'a> {
    /// How many systems there are.
    pub fn n_systems(&self) -> usize {
        self.systems.len()
    }

    /// The sentence of a system with the verdicts on its tokens.
    ///
    /// # Panics
    /// When there is no such system.
    pub fn system(&self, index: usize) -> Judged<'a> {
        Judged::new(self.gold, &self.systems[index].sentence, &self.verdicts[index])
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
        let systems: Vec<Side> = systems.into_iter().map(Side::new).collect();
        Self { gold: Side::new(gold), verdicts: vec![Vec::new(); systems.len()], systems, n_sentences: 0 }
    }

    /// The next sentence of the gold standard, the same of every system, and the verdicts on the tokens that the rule does not
    /// skip; none at the end of all.
    pub fn read(&mut self, punctuation: PunctuationRule) -> Result<Option<PanelSentence<'_>>> {
        if !self.advance()? {
            return Ok(None);
        }
        let gold = &self.gold.sentence;
        for (side, verdicts) in self.systems.iter().zip(&mut self.verdicts) {
            verdicts.clear();
            verdicts.push(None);
            verdicts.extend(gold.tokens().map(|token| {
                let is_scored = !punctuation.skips(gold.form(token));
                is_scored.then(|| Verdict::of(gold, &side.sentence, token))
            }));
        }
        Ok(Some(PanelSentence { gold, systems: &self.systems, verdicts: &self.verdicts }))
    }

    /// How many sentences were read.
    pub fn n_sentences(&self) -> u64 {
        self.n_sentences
    }

    /// Whether the gold standard, which has been read to its end, had anything to score by.
    pub fn check_scored(&self, n_tokens: u64, n_scored: u64) -> Result<()> {
        let file = self.gold.reader.file().to_owned();
        match (n_tokens, n_scored) {
            (0, _) => Err(Error::NoSentences { file }),
            (_, 0) => Err(Error::NothingScored { file, n_tokens }),
            _ => Ok(()),
        }
    }

    /// Goes on to the next sentence of every file; false at the end of all.
    fn advance(&mut self) -> Result<bool> {
        let has_gold = self.gold.read()?;
        for index in 0..self.systems.len() {
            let has_system = self.systems[index].read()?;
            let system = &self.systems[index];
            let difference = match (has_gold, has_system) {
                (false, false) => None,
                (true, true) => difference(&self.gold, system),
                (true, false) => Some(sentence_missing(&self.gold, system, self.n_sentences)),
                (false, true) => Some(sentence_extra(&self.gold, system, self.n_sentences)),
            };
            if let Some(mismatch) = difference {
                return Err(Error::Mismatch(Box::new(mismatch)));
            }
        }
        if !has_gold {
            return Ok(false);
        }
        let heads = self.gold.sentence.heads();
        if let Some(token) = self.gold.sentence.tokens().find(|token| heads[token.index()].is_none()) {
            let context = self.gold.sentence.in_brackets(token);
            return Err(Error::NoGoldHead { at: self.gold.place(token, Role::Head), context });
        }
        self.n_sentences += 1;
        Ok(true)
    }
}

/// Where two sentences first differ.
fn difference(gold: &Side, system: &Side) -> Option<Mismatch> {
    let (gold_sentence, system_sentence) = (&gold.sentence, &system.sentence);
    let n_tokens = (system_sentence.n_tokens(), gold_sentence.n_tokens());
    let mut both = gold_sentence.tokens().zip(system_sentence.tokens()).map(|(token, _)| token);
    if let Some(token) = both.find(|&token| gold_sentence.form(token) != system_sentence.form(token)) {
        let (found, expected) =
            (system_sentence.form(token).to_owned(), gold_sentence.form(token).to_owned());
        return Some(mismatch(gold, system, (token, token), Difference::Form { found, expected, n_tokens }));
    }
    // One is the beginning of the other.
    let (found, expected) = n_tokens;
    let last = Node::from_index(found.min(expected));
    let next = Node(last.0 + 1);
    match found.cmp(&expected) {
        Ordering::Equal => None,
        Ordering::Less => {
            let expected = gold_sentence.form(next).to_owned();
            Some(mismatch(gold, system, (next, last), Difference::MissingToken { n_tokens: found, expected }))
        }
        Ordering::Greater => {
            let found = system_sentence.form(next).to_owned();
            Some(mismatch(gold, system, (last, next), Difference::ExtraToken { found, n_tokens: expected }))
        }
    }
}

fn sentence_missing(gold: &Side, system: &Side, n_sentences: u64) -> Mismatch {
    let expected = gold.sentence.form(Node(1)).to_owned();
    Mismatch {
        system: system.end(),
        gold: gold.place(Node(1), Role::Form),
        difference: Difference::MissingSentence { n_sentences, expected },
        system_context: String::new(),
        gold_context: gold.sentence.in_brackets(Node(1)),
    }
}

fn sentence_extra(gold: &Side, system: &Side, n_sentences: u64) -> Mismatch {
    let found = system.sentence.form(Node(1)).to_owned();
    Mismatch {
        system: system.place(Node(1), Role::Form),
        gold: gold.end(),
        difference: Difference::ExtraSentence { found, n_sentences },
        system_context: system.sentence.in_brackets(Node(1)),
        gold_context: String::new(),
    }
}

fn mismatch(gold: &Side, system: &Side, tokens: (Node, Node), difference: Difference) -> Mismatch {
    Mismatch {
        system: system.place(tokens.1, Role::Form),
        gold: gold.place(tokens.0, Role::Form),
        difference,
        system_context: system.sentence.in_brackets(tokens.1),
        gold_context: gold.sentence.in_brackets(tokens.0),
    }
}

/// One of the files, with the sentence read last.
#[derive(Debug)]
struct Side {
    reader: Reader,
    sentence: Sentence,
}

impl Side {
    fn new(reader: Reader) -> Self {
        let sentence = reader.sentence();
        Self { reader, sentence }
    }

    /// Reads the next sentence that has tokens; false at the end of the file.
    fn read(&mut self) -> Result<bool> {
        while self.reader.read(&mut self.sentence)? {
            if self.sentence.n_tokens() > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn place(&self, token: Node, role: Role) -> Place {
        Place::of(self.reader.file(), &self.sentence, token, role)
    }

    /// The line after the last, once all is read.
    fn end(&self) -> Place {
        let line = self.sentence.first_line() + self.sentence.text().lines().count() as u64;
        Place { file: self.reader.file().to_owned(), line, column: 1 }
    }
}
