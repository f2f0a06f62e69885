//! Damaged copies of source files, for studies of robustness and for training.
//!
//! Each kind of damage edits the text of a file, by a seed. What remains of the file is known, so the tree of the original
//! can be carried over to the copy ([`Alignment`]).

mod alignment;
mod edits;
mod kinds;
mod random;
#[cfg(feature = "grammar")]
mod real_macros;
#[cfg(feature = "grammar")]
mod trial;

pub use alignment::Alignment;
pub use edits::Damaged;
pub use random::Random;
#[cfg(feature = "grammar")]
pub use real_macros::Blanked;
#[cfg(feature = "grammar")]
pub use trial::Trial;

use edits::Edit;

use crate::error::Result;
use crate::language::Language;
use crate::lexer::Token;
use quaich_treebank::UnknownName;

/// A kind of damage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Damage {
    /// A token is lost.
    Delete,
    /// A copy of a token is somewhere else, too.
    Insert,
    /// A token is replaced by a copy of another one.
    Replace,
    /// A bracket is lost.
    Brace,
    /// The end of the file is lost.
    Cut,
    /// The beginning of the file is lost.
    Start,
    /// A stretch out of the middle is lost.
    Merge,
    /// One edit per 100 tokens, at least two: tokens are lost, inserted and replaced.
    Many,
    /// A keyword is another one throughout the file, as in a dialect that is not known.
    Dialect,
    /// Macros that are not known.
    Macro,
}

/// The kinds of damage: names and one line of help each.
pub const DAMAGES: [(&str, Damage, &str); 10] = [
    ("delete", Damage::Delete, "one token is lost"),
    ("insert", Damage::Insert, "one token is inserted: a copy of another one"),
    ("replace", Damage::Replace, "one token is replaced by a copy of another one"),
    ("brace", Damage::Brace, "one bracket is lost"),
    ("cut", Damage::Cut, "the end of the file is lost"),
    ("start", Damage::Start, "the beginning of the file is lost"),
    ("merge", Damage::Merge, "a stretch out of the middle of the file is lost"),
    ("many", Damage::Many, "one token in 100 is lost, inserted or replaced, at least two"),
    ("dialect", Damage::Dialect, "a keyword is another one, as in an unknown dialect"),
    ("macro", Damage::Macro, "there are unknown macros (C and C++)"),
];

impl Damage {
    /// Returns the kind of damage with a name.
    pub fn by_name(name: &str) -> Result<Self> {
        let found = DAMAGES.iter().find(|(known, ..)| *known == name);
        let known = DAMAGES.iter().map(|(known, ..)| *known);
        found.map(|&(_, damage, _)| damage).ok_or_else(|| UnknownName::new("damage", name, known).into())
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        DAMAGES.iter().find(|(_, damage, _)| *damage == self).map_or("", |(name, ..)| name)
    }

    /// Whether files of a language can have this damage.
    pub fn applies_to(self, language: &Language) -> bool {
        match self {
            Self::Macro => language.macros,
            Self::Dialect => !language.dialect.is_empty(),
            _ => true,
        }
    }

    /// Returns a damaged copy of a file with these tokens, or `None` if the file has nothing that can be damaged so.
    pub fn apply(
        self,
        language: &Language,
        source: &[u8],
        tokens: &[Token],
        random: &mut Random,
    ) -> Option<Damaged> {
        let tokens: Vec<Token> = tokens.iter().filter(|token| !token.tag.is_layout()).copied().collect();
        let file = kinds::File { language, source, tokens: &tokens };
        let edits: Vec<Edit> = if tokens.len() < 2 { None } else { file.edits(self, random) }?;
        Some(Damaged::new(source, edits))
    }
}
