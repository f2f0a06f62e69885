//! A file as the scorers read it: its characters without white space, and the spans of tokens, words and sentences.

use std::ops::Range;

use quaich_treebank::{Line, Node, Reader, Role, Sentence, Tree};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::Year;
use super::relations::{is_functional, without_subtype};
use crate::error::{Difference, Error, Mismatch, Place, Result};

/// A whole file.
#[derive(Debug)]
pub(super) struct Text {
    file: String,
    pub(super) treebank: Vec<Sentence>,
    /// The forms of all tokens, concatenated.
    characters: String,
    pub(super) tokens: Vec<Range<usize>>,
    pub(super) words: Vec<Word>,
    pub(super) sentences: Vec<Range<usize>>,
}

/// A word.
#[derive(Clone, Debug)]
pub(super) struct Word {
    /// The index of its sentence.
    pub(super) sentence: usize,
    pub(super) node: Node,
    /// Its span in the characters; for a word of a multiword token, that of the token.
    pub(super) span: Range<usize>,
    /// Whether it is a word of a multiword token.
    pub(super) is_multiword: bool,
    /// The index of its head among all words; `None` for a root.
    pub(super) head: Option<usize>,
    /// The indices of its dependents that are function words.
    pub(super) function_words: Vec<usize>,
}

impl Text {
    /// Reads a whole file, calling `done` after every sentence.
    pub(super) fn read(reader: Reader, year: Year, mut done: impl FnMut()) -> Result<Self> {
        let mut text = Self {
            file: reader.file().to_owned(),
            treebank: Vec::new(),
            characters: String::new(),
            tokens: Vec::new(),
            words: Vec::new(),
            sentences: Vec::new(),
        };
        for sentence in reader.sentences() {
            let sentence = sentence?;
            if sentence.n_tokens() > 0 {
                text.add(sentence, year)?;
                done();
            }
        }
        Ok(text)
    }

    /// Returns the characters of a token that is a word.
    pub(super) fn characters_of(&self, word: &Word) -> &str {
        &self.characters[word.span.clone()]
    }

    /// Returns a cell of a word.
    pub(super) fn value(&self, word: usize, role: Role) -> &str {
        let word = &self.words[word];
        self.treebank[word.sentence].value(word.node, role)
    }

    /// Returns the relation of a word to its head, without its subtype.
    pub(super) fn relation(&self, word: usize) -> &str {
        without_subtype(self.value(word, Role::Label))
    }

    fn add(&mut self, sentence: Sentence, year: Year) -> Result<()> {
        self.check_tree(&sentence)?;
        let (first_word, start) = (self.words.len(), self.characters.len());
        let mut multiword: Option<Range<usize>> = None;
        // The last word of the current multiword token.
        let mut last = 0;
        for line in sentence.lines() {
            match line {
                Line::Extra(row) => {
                    if let Some((range, form)) = multiword_token(&sentence, row) {
                        multiword = Some(self.add_token(form, year));
                        last = range;
                    }
                }
                Line::Token(node) => {
                    let is_multiword = multiword.is_some();
                    let span = match &multiword {
                        Some(span) => span.clone(),
                        None => self.add_token(sentence.form(node), year),
                    };
                    if node.index() >= last {
                        multiword = None;
                    }
                    let head = sentence.heads()[node.index()];
                    let head = (!head.is_root()).then(|| first_word + head.index() - 1);
                    let number = self.treebank.len();
                    let function_words = Vec::new();
                    self.words.push(Word {
                        sentence: number,
                        node,
                        span,
                        is_multiword,
                        head,
                        function_words,
                    });
                }
                Line::Blank | Line::Comment(_) => {}
            }
        }
        for node in sentence.tokens() {
            let word = first_word + node.index() - 1;
            if let Some(head) = self.words[word].head
                && is_functional(without_subtype(sentence.label(node)))
            {
                self.words[head].function_words.push(word);
            }
        }
        self.sentences.push(start..self.characters.len());
        self.treebank.push(sentence);
        Ok(())
    }

    /// Adds the characters of a token and returns their span. Inner white space is removed, so spaces in tokens do not
    /// matter.
    fn add_token(&mut self, form: &str, year: Year) -> Range<usize> {
        let start = self.characters.len();
        let is_space = |c: char| match year {
            Year::Of2017 => c == ' ',
            Year::Of2018 => c.general_category() == GeneralCategory::SpaceSeparator,
        };
        self.characters.extend(form.chars().filter(|c| !is_space(*c)));
        let span = start..self.characters.len();
        self.tokens.push(span.clone());
        span
    }

    /// The scorers require trees with one root.
    fn check_tree(&self, sentence: &Sentence) -> Result<()> {
        let heads = sentence.heads();
        let refuse = |token: Node, reason| {
            let context = sentence.in_brackets(token);
            Err(Error::NotATree { at: Place::of(&self.file, sentence, token, Role::Head), reason, context })
        };
        if let Some(token) = sentence.tokens().find(|token| heads[token.index()].is_none()) {
            return refuse(token, "the token has no head");
        }
        let mut roots = sentence.tokens().filter(|token| heads[token.index()].is_root());
        if let Some(second) = roots.nth(1) {
            return refuse(second, "the sentence has a second root");
        }
        let tree = Tree::from_heads(&heads[1..].iter().map(|head| head.0).collect::<Vec<u32>>());
        match tree.problems().first() {
            Some(problem) => refuse(problem.token(), "the token is in a cycle"),
            None => Ok(()),
        }
    }

    /// Checks that another file has the same characters.
    pub(super) fn check_same_characters(&self, system: &Self) -> Result<()> {
        if self.characters == system.characters {
            return Ok(());
        }
        let both = self.characters.char_indices().zip(system.characters.chars());
        let same = both.take_while(|((_, one), other)| one == other).last();
        let at = same.map_or(0, |((place, character), _)| place + character.len_utf8());
        let shown = |text: &Self| text.characters[at..].chars().take(20).collect::<String>();
        let difference = Difference::Text { found: shown(system), expected: shown(self) };
        let ((gold, gold_context), (system, system_context)) = (self.place(at), system.place(at));
        Err(Error::Mismatch(Box::new(Mismatch { system, gold, difference, system_context, gold_context })))
    }

    /// Returns the place of a character in the file, and the sentence with its word in brackets.
    fn place(&self, at: usize) -> (Place, String) {
        match self.words.iter().find(|word| word.span.end > at).or(self.words.last()) {
            Some(word) => {
                let sentence = &self.treebank[word.sentence];
                (Place::of(&self.file, sentence, word.node, Role::Form), sentence.in_brackets(word.node))
            }
            None => (Place { file: self.file.clone(), line: 1, column: 1 }, String::new()),
        }
    }
}

/// Returns the last word and the form of a row if it is a multiword token; `None` for an empty node.
fn multiword_token<'a>(sentence: &Sentence, row: &'a str) -> Option<(usize, &'a str)> {
    let layout = sentence.layout();
    let mut cells = row.split('\t');
    let id = layout.position(Role::Id).and_then(|column| cells.clone().nth(column))?;
    let form = layout.position(Role::Form).and_then(|column| cells.nth(column))?;
    let (_, last) = id.split_once('-')?;
    Some((last.parse().ok()?, form))
}
