//! The official scorers of the shared tasks, reproduced to the last digit: the same counts, divisions and rounding.
//!
//! If several rows have the same count, Perl programs print them in an order that changes from run to run; here they
//! are sorted by name. Input that these programs reject or fail on is listed in `docs/reference/differences.md`.

pub mod conll;
pub mod ud;

use std::fmt;

use quaich_treebank::{Error as TreebankError, Reader};
use serde::Serialize;

use crate::error::Result;

/// A scorer of a shared task.
pub trait Scorer: Sync {
    /// Returns the name on the command line.
    fn name(&self) -> &'static str;
    /// Returns one line of help.
    fn about(&self) -> &'static str;
    /// Compares two files, calling `done` after every sentence.
    fn score(&self, gold: Reader, system: Reader, done: &mut dyn FnMut()) -> Result<Official>;
}

/// All scorers, in the order of help.
pub static SCORERS: &[&dyn Scorer] =
    &[&conll::CONLLX, &conll::CONLL07, &conll::CONLL09, &ud::UD, &ud::CONLL17];

/// Returns the scorer with this name.
pub fn by_name(name: &str) -> Result<&'static dyn Scorer, TreebankError> {
    let found = SCORERS.iter().find(|scorer| scorer.name() == name).copied();
    found.ok_or_else(|| {
        TreebankError::unknown_name("scorer", name, SCORERS.iter().map(|scorer| scorer.name()))
    })
}

/// The results of a scorer: as text, the program's output; as JSON, the same as numbers.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Official {
    /// Results of the scorers of CoNLL-X, 2007 and 2009.
    Attachment(Box<conll::Report>),
    /// Results of the scorers of 2017 and 2018, which align words.
    Alignment(ud::Report),
}

impl fmt::Display for Official {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attachment(report) => report.fmt(f),
            Self::Alignment(report) => report.fmt(f),
        }
    }
}
