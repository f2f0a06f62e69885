//! The scorers of CoNLL 2017 and 2018 for Universal Dependencies: the two files are aligned by characters, so they may
//! have different tokens, words and sentences.

mod align;
mod common;
mod content;
mod measures;
mod relations;
mod text;

pub use content::{clas, has_function_words, mlas};
pub use measures::{Counts, Report};

use quaich_treebank::Reader;

use super::{Official, Scorer};
use crate::error::Result;
use align::align;
use text::Text;

/// The scorer of CoNLL 2018.
pub static UD: Ud = Ud {
    name: "ud",
    about: "Universal Dependencies (conll18_ud_eval.py): LAS, MLAS, BLEX and tagging, with words aligned",
    year: Year::Of2018,
};

/// The scorer of CoNLL 2017.
pub static CONLL17: Ud = Ud {
    name: "conll17",
    about: "Universal Dependencies as in 2017 (conll17_ud_eval.py): all features, and no MLAS or BLEX",
    year: Year::Of2017,
};

/// The shared task: features, content words and white space differ between the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Year {
    Of2017,
    Of2018,
}

/// A scorer of one of the shared tasks.
#[derive(Clone, Copy, Debug)]
pub struct Ud {
    name: &'static str,
    about: &'static str,
    year: Year,
}

impl Scorer for Ud {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn score(&self, gold: Reader, system: Reader, done: &mut dyn FnMut()) -> Result<Official> {
        let gold = Text::read(gold, self.year, &mut *done)?;
        let system = Text::read(system, self.year, done)?;
        gold.check_same_characters(&system)?;
        let aligned = align(&gold, &system);
        Ok(Official::Alignment(Report::new(self.year, &gold, &system, &aligned)))
    }
}
