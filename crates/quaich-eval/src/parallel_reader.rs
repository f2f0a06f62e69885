//! Reads several analyses of one text in parallel, sentence by sentence, in constant memory.
//!
//! All must have the same tokens. Multiword ranges, empty nodes and comments are not compared, and the formats may
//! differ.

use std::cmp::Ordering;

use quaich_treebank::{Node, Reader, Role, Sentence};

use crate::error::{Difference, Error, Mismatch, Place, Result};

/// A reader of files with the same tokens. The first difference is an error.
#[derive(Debug)]
pub struct ParallelReader {
    sides: Vec<Side>,
    n_sentences: u64,
}

impl ParallelReader {
    /// Creates a reader of these files, at least one.
    pub fn new(readers: impl IntoIterator<Item = Reader>) -> Self {
        Self { sides: readers.into_iter().map(Side::new).collect(), n_sentences: 0 }
    }

    /// Moves to the next sentence that has tokens; returns false at the end of all. Sentences of the first file without
    /// tokens are passed to `aside`.
    pub fn advance(&mut self, mut aside: impl FnMut(&Sentence)) -> Result<bool> {
        let Some((first, others)) = self.sides.split_first_mut() else { return Ok(false) };
        let has_first = first.read(&mut aside)?;
        for other in others {
            let has_other = other.read(&mut |_| ())?;
            let difference = match (has_first, has_other) {
                (false, false) => None,
                (true, true) => difference(first, other),
                (true, false) => Some(sentence_missing(first, other, self.n_sentences)),
                (false, true) => Some(sentence_extra(first, other, self.n_sentences)),
            };
            if let Some(mismatch) = difference {
                return Err(Error::Mismatch(Box::new(mismatch)));
            }
        }
        self.n_sentences += u64::from(has_first);
        Ok(has_first)
    }

    /// Returns the sentence in a file.
    ///
    /// # Panics
    /// If the file does not exist.
    pub fn sentence(&self, file: usize) -> &Sentence {
        &self.sides[file].sentence
    }

    /// Iterates over the sentence in all files.
    pub fn sentences(&self) -> impl Iterator<Item = &Sentence> {
        self.sides.iter().map(|side| &side.sentence)
    }

    /// Returns the number of sentences read.
    pub fn n_sentences(&self) -> u64 {
        self.n_sentences
    }

    /// Returns the name of the first file.
    pub(crate) fn first_file(&self) -> &str {
        self.sides.first().map_or("", |first| first.reader.file())
    }

    /// Returns the place of a cell of the first file's sentence.
    pub(crate) fn place_in_first(&self, token: Node, role: Role) -> Place {
        self.sides[0].place(token, role)
    }
}

/// Returns the first difference of two sentences.
fn difference(gold: &Side, system: &Side) -> Option<Mismatch> {
    let (gold_sentence, system_sentence) = (&gold.sentence, &system.sentence);
    let n_tokens = (system_sentence.n_tokens(), gold_sentence.n_tokens());
    let mut both = gold_sentence.tokens().zip(system_sentence.tokens()).map(|(token, _)| token);
    if let Some(token) = both.find(|&token| gold_sentence.form(token) != system_sentence.form(token)) {
        let (found, expected) =
            (system_sentence.form(token).to_owned(), gold_sentence.form(token).to_owned());
        return Some(mismatch(gold, system, (token, token), Difference::Form { found, expected, n_tokens }));
    }
    // One is a prefix of the other.
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

    /// Reads the next sentence that has tokens, and passes those that have none to `aside`; returns false at the end of
    /// the file.
    fn read(&mut self, aside: &mut dyn FnMut(&Sentence)) -> Result<bool> {
        while self.reader.read(&mut self.sentence)? {
            if self.sentence.n_tokens() > 0 {
                return Ok(true);
            }
            aside(&self.sentence);
        }
        Ok(false)
    }

    fn place(&self, token: Node, role: Role) -> Place {
        Place::of(self.reader.file(), &self.sentence, token, role)
    }

    /// Returns the place after the last line, once everything is read.
    fn end(&self) -> Place {
        let line = self.sentence.first_line() + self.sentence.text().lines().count() as u64;
        Place { file: self.reader.file().to_owned(), line, column: 1 }
    }
}
