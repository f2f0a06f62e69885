//! Rows of the table of transformations, and what was chosen of what a row offers.

use crate::error::Result;
use crate::transform::Transform;

/// A row of the table of transformations.
#[derive(Debug)]
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// What the inverse cannot bring back, in the words of the documentation.
    pub losses: &'static str,
    /// What can be chosen, each by a word after the name and a colon.
    pub choices: &'static [Choice],
    /// What a file can be given for, also after a colon.
    pub file: Option<FileUse>,
    /// Makes the transformation.
    pub build: fn(&Chosen<'_>) -> Result<Box<dyn Transform>>,
}

/// Words of which one can be chosen.
#[derive(Debug)]
pub struct Choice {
    /// The words, the default first; never empty.
    pub words: &'static [Word],
    /// Whether several can be chosen, with `+` between them.
    pub several: bool,
}

/// One way of doing a transformation.
#[derive(Debug)]
pub struct Word {
    /// The word on the command line.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
}

/// What a file is given for.
#[derive(Debug)]
pub struct FileUse {
    /// What it is, for messages and help.
    pub what: &'static str,
    /// Whether the transformation needs one.
    pub required: bool,
}

/// A file that a transformation was given: what a model has to remember of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedText {
    /// Its name, without the folders that it is in.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// What was chosen, by the number of the choice.
#[derive(Debug)]
pub struct Chosen<'a> {
    /// Numbers of choice and word, in the order of the choices.
    pub(crate) words: &'a [(usize, usize)],
    /// The file, if one was given.
    pub(crate) file: Option<&'a NamedText>,
}

impl Chosen<'_> {
    /// The number of the word that was chosen, 0 for the default.
    pub fn word(&self, choice: usize) -> usize {
        self.given(choice).unwrap_or(0)
    }

    /// The number of the word that was chosen, if one was.
    pub fn given(&self, choice: usize) -> Option<usize> {
        self.all(choice).next()
    }

    /// The numbers of all words of a choice that were chosen.
    pub fn all(&self, choice: usize) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().filter(move |&&(of, _)| of == choice).map(|&(_, word)| word)
    }

    /// The file, if one was given.
    pub fn file(&self) -> Option<&NamedText> {
        self.file
    }
}
