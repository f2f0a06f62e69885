//! Entries of the table of transformations, and the options chosen from them.

use crate::error::Result;
use crate::transform::Transform;

/// An entry of the table of transformations.
#[derive(Debug)]
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// What the inverse cannot restore, as worded in the documentation.
    pub losses: &'static str,
    /// The options, each chosen by a word after the name and a colon.
    pub choices: &'static [Choice],
    /// What a file is used for, if one can be given, also after a colon.
    pub file: Option<FileUse>,
    /// Creates the transformation.
    pub build: fn(&Chosen<'_>) -> Result<Box<dyn Transform>>,
}

/// An option.
#[derive(Debug)]
pub struct Choice {
    /// The values, the default first; never empty.
    pub words: &'static [Word],
    /// Whether several values can be combined with `+`.
    pub several: bool,
}

/// A value of an option.
#[derive(Debug)]
pub struct Word {
    /// The word on the command line.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
}

/// The use of a file.
#[derive(Debug)]
pub struct FileUse {
    /// The kind of file, for messages and help.
    pub what: &'static str,
    /// Whether the transformation needs the file.
    pub required: bool,
}

/// A file given to a transformation, as stored in a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedText {
    /// Its name without folders.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The chosen values, by the index of the option.
#[derive(Debug)]
pub struct Chosen<'a> {
    /// Indices of option and value, in the order of the options.
    pub(crate) words: &'a [(usize, usize)],
    /// The file, if one was given.
    pub(crate) file: Option<&'a NamedText>,
}

impl Chosen<'_> {
    /// Returns the index of the chosen value, 0 for the default.
    pub fn word(&self, choice: usize) -> usize {
        self.given(choice).unwrap_or(0)
    }

    /// Returns the index of the chosen value, if one was given.
    pub fn given(&self, choice: usize) -> Option<usize> {
        self.all(choice).next()
    }

    /// Iterates over the indices of all chosen values of an option.
    pub fn all(&self, choice: usize) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().filter(move |&&(of, _)| of == choice).map(|&(_, word)| word)
    }

    /// The file, if one was given.
    pub fn file(&self) -> Option<&NamedText> {
        self.file
    }
}
