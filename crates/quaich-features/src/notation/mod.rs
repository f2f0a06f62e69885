//! Notations of feature models, one file each. All are parsed into the same syntax tree of [`Address`](crate::Address),
//! [`Value`](crate::Value) and [`Template`](crate::Template), which is written in [`ours`].

pub mod malt;
mod malt_par;
mod malt_xml;
pub mod ours;

use std::path::Path;

use quaich_treebank::UnknownName;

pub use malt::{Input, MaltOptions};

use crate::model::{FeatureModel, ModelError};

/// A notation of feature models.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// The notation of this project, in TOML.
    Ours,
    /// The XML of `MaltParser` 1.0 and later.
    MaltXml,
    /// The `.par` files of `MaltParser` before 1.0.
    MaltPar,
}

impl Notation {
    /// All notations, in the order of help.
    pub const ALL: [Self; 3] = [Self::Ours, Self::MaltXml, Self::MaltPar];

    /// Returns the name, which is the file name ending.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ours => "toml",
            Self::MaltXml => "xml",
            Self::MaltPar => "par",
        }
    }

    /// Returns the notation with this name.
    pub fn by_name(name: &str) -> Result<Self, UnknownName> {
        let known = Self::ALL.into_iter().find(|notation| notation.name() == name);
        known.ok_or_else(|| UnknownName::new("notation", name, Self::ALL.map(Self::name)))
    }

    /// Detects the notation of a file from its name, or else from its beginning.
    pub fn of(file: &Path, text: &str) -> Self {
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if let Some(named) =
            Self::ALL.into_iter().find(|notation| extension.eq_ignore_ascii_case(notation.name()))
        {
            return named;
        }
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with('<') {
            Self::MaltXml
        } else if malt_par::is_line(text.lines().next().unwrap_or_default()) {
            Self::MaltPar
        } else {
            Self::Ours
        }
    }

    /// Parses a feature model; the options are for `MaltParser`'s notations.
    pub fn parse(self, text: &str, options: MaltOptions) -> Result<FeatureModel, ModelError> {
        match self {
            Self::Ours => FeatureModel::parse(text),
            Self::MaltXml => malt_xml::parse(text, options),
            Self::MaltPar => malt_par::parse(text, options),
        }
    }
}

/// Returns the line and column of a byte, both counted from 1; columns in characters.
pub(crate) fn place_of(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notations_are_distinguished() {
        let of = |file: &str, text: &str| Notation::of(Path::new(file), text);
        assert_eq!(of("a.XML", ""), Notation::MaltXml);
        assert_eq!(of("a.par", ""), Notation::MaltPar);
        assert_eq!(of("a.toml", "<x/>"), Notation::Ours);
        assert_eq!(of("a", "\u{feff}\n<x/>"), Notation::MaltXml);
        assert_eq!(of("a.txt", "POS\tSTACK\t0\n"), Notation::MaltPar);
        assert_eq!(of("a.txt", "transition = []"), Notation::Ours);
        for notation in Notation::ALL {
            assert_eq!(Notation::by_name(notation.name()).unwrap(), notation);
        }
    }

    #[test]
    fn places_are_counted_from_1() {
        assert_eq!(
            [0, 2, 3, 5, 99].map(|at| place_of("ab\näc", at)),
            [(1, 1), (1, 3), (2, 1), (2, 2), (2, 3)]
        );
    }
}
