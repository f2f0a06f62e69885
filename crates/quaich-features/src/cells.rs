//! Cells and their parts as text: the input of both back ends from a sentence.

use std::fmt::Write;

use quaich_treebank::{Layout, Node, Role, Sentence};

use crate::separator::Separator;
use crate::value::ColumnName;

/// A missing value.
pub(crate) const MISSING: &str = "_";

/// How the cells of a column are split into pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Pieces {
    /// At every `|`.
    Listed,
    /// Character by character.
    Positional,
    /// At every separator; `_` is a piece like any other.
    Separated(Separator),
}

impl ColumnName {
    /// Returns the cell of a token; `_` if the format does not have the column.
    pub fn cell<'a>(&self, sentence: &'a Sentence, token: Node) -> &'a str {
        let (position, _) = self.find(sentence.layout());
        position.map_or(MISSING, |position| sentence.cell(token, position))
    }

    /// Returns the index of the column, if the format has it.
    pub fn position(&self, layout: &Layout) -> Option<usize> {
        match self {
            Self::Role(role) => layout.position(*role),
            Self::MainTag => {
                let coarse = layout.position(Role::CoarseTag);
                let is_upos = |&position: &usize| layout.columns()[position].name == "UPOS";
                coarse.filter(is_upos).or(layout.position(Role::FineTag)).or(coarse)
            }
            Self::Named(name) => layout.columns().iter().position(|column| column.name == name.as_str()),
        }
    }

    /// Returns the index of the column, and how its cells are split.
    pub(crate) fn find(&self, layout: &Layout) -> (Option<usize>, Pieces) {
        let position = self.position(layout);
        let role = match self {
            Self::Role(role) => Some(*role),
            Self::MainTag | Self::Named(_) => position.map(|position| layout.columns()[position].role),
        };
        let listed = matches!(role, Some(Role::Feats | Role::Misc));
        (position, if listed { Pieces::Listed } else { Pieces::Positional })
    }
}

impl Pieces {
    /// Visits the pieces of a cell in order: the name of each, and the whole piece (`Case` and `Case=Nom`).
    pub(crate) fn visit(&self, cell: &str, mut visit: impl FnMut(&str, &str)) {
        match self {
            Self::Separated(separator) => separator.visit(cell, |piece| visit(piece, piece)),
            _ if cell == MISSING => {}
            Self::Listed => {
                for piece in cell.split('|').filter(|piece| !piece.is_empty()) {
                    visit(piece.split_once('=').map_or(piece, |(name, _)| name), piece);
                }
            }
            Self::Positional => {
                let mut piece = String::new();
                for (place, character) in cell.chars().enumerate().filter(|&(_, character)| character != '-')
                {
                    piece.clear();
                    let _ = write!(piece, "{place}=");
                    let name_len = piece.len() - 1;
                    piece.push(character);
                    visit(&piece[..name_len], &piece);
                }
            }
        }
    }
}

/// Returns the value of a piece: the text after the `=`, or the name itself.
pub(crate) fn value_of(piece: &str) -> &str {
    piece.split_once('=').map_or(piece, |(_, value)| value)
}

/// Returns the characters of a range; `_` if it is empty, and for a cell without a value.
pub(crate) fn slice(cell: &str, from: Option<i8>, to: Option<i8>) -> &str {
    let start = from.map_or(0, |from| offset(cell, from));
    let end = to.map_or(cell.len(), |to| offset(cell, to));
    if start < end && cell != MISSING { &cell[start..end] } else { MISSING }
}

/// Returns the byte where a character starts, counted from the end if negative; an end of the cell if it does not have
/// that character.
fn offset(cell: &str, place: i8) -> usize {
    let distance = usize::from(place.unsigned_abs());
    let mut starts = cell.char_indices().map(|(at, _)| at);
    if place >= 0 {
        starts.nth(distance).unwrap_or(cell.len())
    } else {
        starts.nth_back(distance - 1).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_count_characters() {
        let check = |cell, from, to, expected| assert_eq!(slice(cell, from, to), expected, "{cell}");
        check("größer", Some(-3), None, "ßer");
        check("größer", None, Some(2), "gr");
        check("größer", Some(2), Some(4), "öß");
        check("größer", Some(-4), Some(-1), "öße");
        check("ab", Some(-3), None, "ab");
        check("ab", None, Some(5), "ab");
        check("ab", Some(2), None, "_");
        check("ab", Some(1), Some(1), "_");
        check("ab", Some(2), Some(1), "_");
        check("ab", Some(7), Some(3), "_");
        check("語", Some(-3), None, "語");
        check("", Some(-1), Some(1), "_");
        check("_", Some(1), None, "_");
        check("ab", Some(-128), Some(127), "ab");
    }

    #[test]
    fn cells_fall_into_pieces() {
        let check = |pieces: Pieces, cell: &str, expected: &[(&str, &str)]| {
            let mut found = Vec::new();
            pieces.visit(cell, |name, piece| found.push((name.to_owned(), piece.to_owned())));
            let expected: Vec<(String, String)> =
                expected.iter().map(|(name, piece)| ((*name).to_owned(), (*piece).to_owned())).collect();
            assert_eq!(found, expected, "{cell}");
        };
        check(Pieces::Listed, "_", &[]);
        check(Pieces::Listed, "Case=Nom|Number=Sing", &[("Case", "Case=Nom"), ("Number", "Number=Sing")]);
        check(Pieces::Listed, "ABS||MG", &[("ABS", "ABS"), ("MG", "MG")]);
        check(Pieces::Listed, "A=b=c|=d", &[("A", "A=b=c"), ("", "=d")]);
        check(Pieces::Positional, "N-ö", &[("0", "0=N"), ("2", "2=ö")]);
        check(Pieces::Positional, "_", &[]);
        assert_eq!([value_of("A=b=c"), value_of("ABS")], ["b=c", "ABS"]);
    }
}
