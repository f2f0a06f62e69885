//! The spelling of marked labels.
//!
//! ```text
//!                                        arrows       bars, as in MaltParser
//! lifted, and the head's label is Sb     AuxP↑Sb      AuxP|Sb
//! lifted, and the head is not named      AuxP↑        AuxP|
//! on the path to a syntactic head        Sb↓          Sb%
//! both                                   AuxP↑Sb↓     AuxP|Sb%
//! a covered root that was reattached     Pred⇑        Pred|null
//! ```
//!
//! If a treebank's own labels contain these characters or backslashes, they are escaped with a backslash, in labels
//! without marks too, so every label is unambiguous. MaltParser has no escapes and damages these labels;
//! [`Notation::Malt`] does the same. A mark is a part of a label: an absent label has none, and a label `_` is marked
//! like any other.

use std::borrow::Cow;

use quaich_treebank::symbols::{Label, Symbols};

/// The arrow of a lifted arc.
pub const UP: char = '↑';
/// The arrow of an arc on the way to a syntactic head.
pub const DOWN: char = '↓';
/// The arrow of a covered root.
pub const COVERED: char = '⇑';
/// Escapes a character of a label that is not a mark.
pub const ESCAPE: char = '\\';
/// MaltParser's label for the head of a covered root.
const NULL: &str = "null";

/// The characters used as marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Notation {
    /// Arrows, as in the papers.
    #[default]
    Arrows,
    /// MaltParser's `|` and `%`.
    Bars,
    /// MaltParser's `|` and `%`, not escaped in labels of the treebank.
    Malt,
}

/// The parts of a label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Marks {
    /// The label without marks; may be absent.
    pub(crate) plain: Label,
    /// Whether the arc was lifted.
    pub(crate) lifted: bool,
    /// The label of the syntactic head, if the encoding names it; not an absent one.
    pub(crate) from: Option<Label>,
    /// Whether a syntactic head is at the lower end of the arc or below.
    pub(crate) on_path: bool,
    /// Whether this is a covered root that was reattached.
    pub(crate) covered: bool,
}

impl Marks {
    /// Returns the label with these marks, interning it if it is new; an absent label stays absent. `text` is a buffer.
    pub(crate) fn intern(self, notation: Notation, labels: &mut Symbols<Label>, text: &mut String) -> Label {
        let marked = self.lifted || self.on_path || self.covered;
        if self.plain.is_none()
            || (!marked && !labels.text(self.plain).contains(|char| notation.is_special(char)))
        {
            return self.plain;
        }
        text.clear();
        notation.push_part(text, labels.text(self.plain));
        if self.covered {
            match notation {
                Notation::Arrows => text.push(COVERED),
                Notation::Bars | Notation::Malt => {
                    text.push(notation.up());
                    text.push_str(NULL);
                }
            }
            return labels.intern(text);
        }
        if self.lifted {
            text.push(notation.up());
            if let Some(from) = self.from {
                let from = labels.text(from);
                if notation == Notation::Bars && from == NULL {
                    text.push(ESCAPE);
                }
                notation.push_part(text, from);
            }
        }
        if self.on_path {
            text.push(notation.down());
        }
        labels.intern(text)
    }
}

/// The parts of a label's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spelling<'a> {
    /// The label without marks.
    pub plain: Cow<'a, str>,
    /// The label after the mark of lifted arcs, if there is such a mark; empty if the encoding does not name it.
    pub from: Option<Cow<'a, str>>,
    /// Whether the label ends in the mark of paths.
    pub on_path: bool,
    /// Whether this is a covered root.
    pub covered: bool,
}

impl Notation {
    /// Parses a label. Every text is valid: a second mark of lifted arcs, or a mark of paths that is not at the end,
    /// belongs to the part it is in. MaltParser splits at the first of each.
    pub fn read(self, text: &str) -> Spelling<'_> {
        if self == Self::Malt {
            let (rest, on_path) =
                text.split_once(self.down()).map_or((text, false), |(rest, _)| (rest, true));
            let (plain, from) =
                rest.split_once(self.up()).map_or((rest, None), |(plain, from)| (plain, Some(from)));
            let covered = from == Some(NULL);
            let from = from.filter(|_| !covered).map(Cow::Borrowed);
            return Spelling { plain: Cow::Borrowed(plain), from, on_path, covered };
        }
        if self == Self::Arrows
            && let Some(rest) = text.strip_suffix(COVERED)
            && !ends_in_escape(rest)
        {
            return Spelling { plain: part(rest), from: None, on_path: false, covered: true };
        }
        let (rest, on_path) = match text.strip_suffix(self.down()) {
            Some(rest) if !ends_in_escape(rest) => (rest, true),
            _ => (text, false),
        };
        let (plain, from) = match self.find_up(rest) {
            Some(at) => (&rest[..at], Some(&rest[at + self.up().len_utf8()..])),
            None => (rest, None),
        };
        let covered = self == Self::Bars && from == Some(NULL) && !on_path;
        let from = from.filter(|_| !covered).map(part);
        Spelling { plain: part(plain), from, on_path, covered }
    }

    /// Returns a label without marks in its escaped spelling.
    pub fn spell(self, plain: &str) -> String {
        let mut text = String::with_capacity(plain.len());
        self.push_part(&mut text, plain);
        text
    }

    const fn up(self) -> char {
        match self {
            Self::Arrows => UP,
            Self::Bars | Self::Malt => '|',
        }
    }

    const fn down(self) -> char {
        match self {
            Self::Arrows => DOWN,
            Self::Bars | Self::Malt => '%',
        }
    }

    const fn is_special(self, char: char) -> bool {
        match self {
            Self::Arrows => matches!(char, UP | DOWN | COVERED | ESCAPE),
            Self::Bars => matches!(char, '|' | '%' | ESCAPE),
            Self::Malt => false,
        }
    }

    /// Appends a part with its escapes.
    fn push_part(self, text: &mut String, part: &str) {
        for char in part.chars() {
            if self.is_special(char) {
                text.push(ESCAPE);
            }
            text.push(char);
        }
    }

    /// Returns the position of the first unescaped mark of lifted arcs.
    fn find_up(self, text: &str) -> Option<usize> {
        text.match_indices(self.up()).map(|(at, _)| at).find(|&at| !ends_in_escape(&text[..at]))
    }
}

/// Whether this text would escape the character after it.
fn ends_in_escape(text: &str) -> bool {
    text.chars().rev().take_while(|&char| char == ESCAPE).count() % 2 == 1
}

/// Returns a part without its escapes.
fn part(text: &str) -> Cow<'_, str> {
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        // A backslash at the end, which only other programs write, is itself.
        plain.push(if char == ESCAPE { chars.next().unwrap_or(ESCAPE) } else { char });
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str) {
        check_in(Notation::Arrows, text, expected);
    }

    fn check_in(notation: Notation, text: &str, expected: &str) {
        let Spelling { plain, from, on_path, covered } = notation.read(text);
        let from = from.map_or(String::new(), |from| format!(" from `{from}`"));
        let (path, covered) = (if on_path { " path" } else { "" }, if covered { " covered" } else { "" });
        assert_eq!(format!("`{plain}`{from}{path}{covered}"), expected);
    }

    #[test]
    fn labels_are_taken_apart() {
        check("Sb", "`Sb`");
        check("", "``");
        check("_", "`_`");
        check("AuxP↑Sb", "`AuxP` from `Sb`");
        check("AuxP↑", "`AuxP` from ``");
        check("Sb↓", "`Sb` path");
        check("AuxP↑Sb↓", "`AuxP` from `Sb` path");
        check("AuxP↑↓", "`AuxP` from `` path");
        check("_↑_", "`_` from `_`");
        check("_↓", "`_` path");
        check("a\\↑b\\\\↑c\\↓", "`a↑b\\` from `c↓`");
        check("a↑b↑c", "`a` from `b↑c`");
        check("a↓b", "`a↓b`");
        check("a\\", "`a\\`");
        check("Pred⇑", "`Pred` covered");
        check("Pred\\⇑", "`Pred⇑`");
    }

    #[test]
    fn bars_are_read_as_arrows_are() {
        for notation in [Notation::Bars, Notation::Malt] {
            check_in(notation, "AuxP|Sb%", "`AuxP` from `Sb` path");
            check_in(notation, "AuxP|", "`AuxP` from ``");
            check_in(notation, "AuxP|%", "`AuxP` from `` path");
            check_in(notation, "Sb%", "`Sb` path");
            check_in(notation, "Sb|null", "`Sb` covered");
        }
        check_in(Notation::Bars, "a\\|b|\\null", "`a|b` from `null`");
        check_in(Notation::Bars, "a%b", "`a%b`");
        check_in(Notation::Malt, "a%b|c", "`a` path");
        check_in(Notation::Malt, "a|b|c", "`a` from `b|c`");
    }

    proptest! {
        /// Whatever characters the labels contain, reading inverts writing.
        #[test]
        fn reading_undoes_writing(
            plain in "[a_↑↓⇑|%\\\\]{0,4}|null",
            from in "[a_↑↓⇑|%\\\\]{0,4}|null",
            marks in any::<(bool, bool, bool, bool)>(),
            notation in prop_oneof![Just(Notation::Arrows), Just(Notation::Bars)],
        ) {
            let mut labels = Symbols::<Label>::new();
            let (plain_label, from_label) = (labels.intern(&plain), labels.intern(&from));
            let (lifted, names_head, on_path, covered) = marks;
            let (lifted, on_path) = (lifted && !covered, on_path && !covered);
            let from_label = (lifted && names_head).then_some(from_label);
            let made = Marks { plain: plain_label, lifted, from: from_label, on_path, covered }
                .intern(notation, &mut labels, &mut String::new());
            let read = notation.read(labels.text(made));
            prop_assert_eq!(read.covered, covered);
            prop_assert_eq!(&*read.plain, &*plain);
            prop_assert_eq!(read.on_path, on_path);
            prop_assert_eq!(read.from.as_deref(), lifted.then_some(if names_head { &*from } else { "" }));
        }
    }
}
