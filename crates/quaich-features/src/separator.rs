//! Separators of pieces of a cell in feature models: the simple subset of the regular expressions of `MaltParser`'s
//! `Split`.
//!
//! `\|` is a bar, `\|` and `:` with a bar between them are alternatives; `\s` is white space, `\d` a digit, `.` any
//! character.

use std::fmt;

/// A separator of the pieces of cells.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Separator {
    written: String,
    /// The first match counts, as in a regular expression.
    alternatives: Vec<Vec<Atom>>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Atom {
    Character(char),
    Any,
    Space,
    Digit,
}

impl Separator {
    /// Parses a regular expression of characters and alternatives.
    pub fn parse(written: &str) -> Result<Self, String> {
        let wrong = |found: &str| {
            let expected = "characters, `\\` before special ones, and `|` between alternatives";
            Err(format!("found {found} in the separator `{written}`, expected {expected}"))
        };
        let (mut alternatives, mut atoms) = (Vec::new(), Vec::new());
        let mut characters = written.chars();
        while let Some(character) = characters.next() {
            match character {
                '\\' => match characters.next() {
                    Some('s') => atoms.push(Atom::Space),
                    Some('d') => atoms.push(Atom::Digit),
                    Some('t') => atoms.push(Atom::Character('\t')),
                    Some(letter) if letter.is_alphanumeric() => return wrong(&format!("`\\{letter}`")),
                    Some(literal) => atoms.push(Atom::Character(literal)),
                    None => return wrong("`\\` at its end"),
                },
                '|' => alternatives.push(std::mem::take(&mut atoms)),
                '.' => atoms.push(Atom::Any),
                '*' | '+' | '?' | '{' | '}' | '^' | '$' | '[' | ']' | '(' | ')' => {
                    return wrong(&format!("`{character}`"));
                }
                literal => atoms.push(Atom::Character(literal)),
            }
        }
        alternatives.push(atoms);
        if alternatives.iter().any(Vec::is_empty) {
            return wrong("nothing between two alternatives");
        }
        Ok(Self { written: written.to_owned(), alternatives })
    }

    /// Returns it as written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Visits the pieces of a cell in order, skipping empty ones.
    pub(crate) fn visit(&self, cell: &str, mut visit: impl FnMut(&str)) {
        let (mut start, mut at) = (0, 0);
        while at < cell.len() {
            if let Some(length) = self.length_at(&cell[at..]) {
                if start < at {
                    visit(&cell[start..at]);
                }
                at += length;
                start = at;
            } else {
                at += cell[at..].chars().next().map_or(1, char::len_utf8);
            }
        }
        if start < cell.len() {
            visit(&cell[start..]);
        }
    }

    /// Returns the length of the separator at the beginning of a text, if there is one.
    fn length_at(&self, text: &str) -> Option<usize> {
        self.alternatives.iter().find_map(|atoms| {
            let mut rest = text.chars();
            let fits = atoms.iter().all(|atom| rest.next().is_some_and(|character| atom.fits(character)));
            fits.then(|| text.len() - rest.as_str().len())
        })
    }
}

impl Atom {
    fn fits(&self, character: char) -> bool {
        match self {
            Self::Character(own) => *own == character,
            Self::Any => true,
            Self::Space => character.is_whitespace(),
            Self::Digit => character.is_ascii_digit(),
        }
    }
}

impl fmt::Display for Separator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(separator: &str, cell: &str, expected: &[&str]) {
        let mut found = Vec::new();
        Separator::parse(separator).unwrap().visit(cell, |piece| found.push(piece.to_owned()));
        assert_eq!(found, expected, "{cell} at {separator}");
    }

    #[test]
    fn cells_are_cut() {
        check(r"\|", "Case=Nom|Number=Sing", &["Case=Nom", "Number=Sing"]);
        check(r"\|", "|a||ö|", &["a", "ö"]);
        check(r"\|", "_", &["_"]);
        check(r"\.", ".", &[]);
        check(r"\||=", "Case=Nom|Tense=Past", &["Case", "Nom", "Tense", "Past"]);
        check("--", "a---b", &["a", "-b"]);
        check(r"\d", "a1ö22c", &["a", "ö", "c"]);
        check("ö.", "aöxb", &["a", "b"]);
        check("a", "", &[]);
    }

    #[test]
    fn mistakes_are_explained() {
        for (separator, found) in [
            ("a+", "`+`"),
            (r"\w", r"`\w`"),
            (r"a\", r"`\` at its end"),
            ("a||b", "nothing between two alternatives"),
        ] {
            let error = Separator::parse(separator).unwrap_err();
            assert!(error.starts_with(&format!("found {found} in the separator")), "{error}");
        }
        assert!(Separator::parse("").is_err());
    }
}
