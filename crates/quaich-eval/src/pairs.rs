//! Two treebanks read side by side, a sentence of each at a time, in constant memory.
//!
//! Both must have the same tokens. Multiword ranges, empty nodes and comments are not compared, and the formats
//! may differ.

use std::cmp::Ordering;

use quaich_treebank::{Node, Reader, Role, Sentence};

use crate::error::{Difference, Error, Mismatch, Place, Result};

/// The sentences of a gold standard and those of a system, in pairs.
#[derive(Debug)]
pub struct Pairs {
    gold: Side,
    system: Side,
    n_sentences: u64,
}

impl Pairs {
    /// Pairs from two files.
    pub fn new(gold: Reader, system: Reader) -> Self {
        Self { gold: Side::new(gold), system: Side::new(system), n_sentences: 0 }
    }

    /// The next sentence of the gold standard and the same of the system; none at the end of both.
    pub fn read(&mut self) -> Result<Option<(&Sentence, &Sentence)>> {
        let (gold, system) = (self.gold.read()?, self.system.read()?);
        let difference = match (gold, system) {
            (false, false) => return Ok(None),
            (true, true) => self.difference(),
            (true, false) => Some(self.sentence_missing()),
            (false, true) => Some(self.sentence_extra()),
        };
        if let Some(mismatch) = difference {
            return Err(Error::Mismatch(Box::new(mismatch)));
        }
        let heads = self.gold.sentence.heads();
        if let Some(token) = self.gold.sentence.tokens().find(|token| heads[token.index()].is_none()) {
            let context = self.gold.sentence.in_brackets(token);
            return Err(Error::NoGoldHead { at: self.gold.place(token, Role::Head), context });
        }
        self.n_sentences += 1;
        Ok(Some((&self.gold.sentence, &self.system.sentence)))
    }

    /// How many pairs were read.
    pub fn n_sentences(&self) -> u64 {
        self.n_sentences
    }

    /// Where two sentences first differ.
    fn difference(&self) -> Option<Mismatch> {
        let (gold, system) = (&self.gold.sentence, &self.system.sentence);
        let n_tokens = (system.n_tokens(), gold.n_tokens());
        let mut both = gold.tokens().zip(system.tokens()).map(|(token, _)| token);
        if let Some(token) = both.find(|&token| gold.form(token) != system.form(token)) {
            let (found, expected) = (system.form(token).to_owned(), gold.form(token).to_owned());
            return Some(self.mismatch(token, token, Difference::Form { found, expected, n_tokens }));
        }
        // One is the beginning of the other.
        let (found, expected) = n_tokens;
        let last = Node::from_index(found.min(expected));
        let next = Node(last.0 + 1);
        match found.cmp(&expected) {
            Ordering::Equal => None,
            Ordering::Less => {
                let expected = gold.form(next).to_owned();
                Some(self.mismatch(last, next, Difference::MissingToken { n_tokens: found, expected }))
            }
            Ordering::Greater => {
                let found = system.form(next).to_owned();
                Some(self.mismatch(next, last, Difference::ExtraToken { found, n_tokens: expected }))
            }
        }
    }

    fn sentence_missing(&self) -> Mismatch {
        let expected = self.gold.sentence.form(Node(1)).to_owned();
        Mismatch {
            system: self.system.end(),
            gold: self.gold.place(Node(1), Role::Form),
            difference: Difference::MissingSentence { n_sentences: self.n_sentences, expected },
            system_context: String::new(),
            gold_context: self.gold.sentence.in_brackets(Node(1)),
        }
    }

    fn sentence_extra(&self) -> Mismatch {
        let found = self.system.sentence.form(Node(1)).to_owned();
        Mismatch {
            system: self.system.place(Node(1), Role::Form),
            gold: self.gold.end(),
            difference: Difference::ExtraSentence { found, n_sentences: self.n_sentences },
            system_context: self.system.sentence.in_brackets(Node(1)),
            gold_context: String::new(),
        }
    }

    fn mismatch(&self, system: Node, gold: Node, difference: Difference) -> Mismatch {
        Mismatch {
            system: self.system.place(system, Role::Form),
            gold: self.gold.place(gold, Role::Form),
            difference,
            system_context: self.system.sentence.in_brackets(system),
            gold_context: self.gold.sentence.in_brackets(gold),
        }
    }
}

/// One of the two files, with the sentence read last.
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
        let column = self.sentence.layout().position(role).unwrap_or(0);
        Place {
            file: self.reader.file().to_owned(),
            line: self.sentence.line_of(token),
            column: self.sentence.column_of(token, column),
        }
    }

    /// The line after the last, once all is read.
    fn end(&self) -> Place {
        let line = self.sentence.first_line() + self.sentence.text().lines().count() as u64;
        Place { file: self.reader.file().to_owned(), line, column: 1 }
    }
}
