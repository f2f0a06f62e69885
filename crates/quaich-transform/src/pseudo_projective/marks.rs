//! How marked labels are spelt: `AuxP↑Sb` for an `AuxP` lifted from an `Sb`, `AuxP↑` where the head is not
//! named, `Sb↓` for an arc on the way to a syntactic head, `AuxP↑Sb↓` for both.
//!
//! In treebanks whose own labels have arrows or backslashes, these are written with a backslash before them, in
//! labels without marks too, so every label has exactly one reading. A mark is a part of a label: an absent label has
//! none, and a label that happens to be `_` is marked as any other.

use std::borrow::Cow;

use quaich_treebank::symbols::{Label, Symbols};

/// The mark of a lifted arc.
pub const UP: char = '↑';
/// The mark of an arc on the way to a syntactic head.
pub const DOWN: char = '↓';
/// Comes before a character of a label that is not a mark.
pub const ESCAPE: char = '\\';

/// What a label says.
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
}

impl Marks {
    /// The label with these marks, made if it is new; an absent label stays absent. `text` is a buffer.
    pub(crate) fn intern(self, labels: &mut Symbols<Label>, text: &mut String) -> Label {
        let marked = self.lifted || self.on_path;
        if self.plain.is_none() || (!marked && !labels.text(self.plain).contains(is_special)) {
            return self.plain;
        }
        text.clear();
        push_part(text, labels.text(self.plain));
        if self.lifted {
            text.push(UP);
            if let Some(from) = self.from {
                push_part(text, labels.text(from));
            }
        }
        if self.on_path {
            text.push(DOWN);
        }
        labels.intern(text)
    }
}

/// The parts of a label's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spelling<'a> {
    /// The label without marks.
    pub plain: Cow<'a, str>,
    /// The label after ↑ if there is a ↑; empty where the encoding does not name it.
    pub from: Option<Cow<'a, str>>,
    /// Whether the label ends in ↓.
    pub on_path: bool,
}

impl<'a> Spelling<'a> {
    /// Takes a label apart. Every text has a reading: a second ↑, or a ↓ that is not at the end, belongs to the part it
    /// stands in.
    pub fn read(text: &'a str) -> Self {
        let (rest, on_path) = match text.strip_suffix(DOWN) {
            Some(rest) if !ends_in_escape(rest) => (rest, true),
            _ => (text, false),
        };
        let (plain, from) = match find_mark(rest) {
            Some(at) => (&rest[..at], Some(&rest[at + UP.len_utf8()..])),
            None => (rest, None),
        };
        Self { plain: part(plain), from: from.map(part), on_path }
    }
}

const fn is_special(char: char) -> bool {
    matches!(char, UP | DOWN | ESCAPE)
}

/// Appends a part with its escapes.
fn push_part(text: &mut String, part: &str) {
    for char in part.chars() {
        if is_special(char) {
            text.push(ESCAPE);
        }
        text.push(char);
    }
}

/// Whether the character after this text would be escaped by it.
fn ends_in_escape(text: &str) -> bool {
    text.chars().rev().take_while(|&char| char == ESCAPE).count() % 2 == 1
}

/// The place of the first ↑ that is not escaped.
fn find_mark(text: &str) -> Option<usize> {
    text.match_indices(UP).map(|(at, _)| at).find(|&at| !ends_in_escape(&text[..at]))
}

/// A part without its escapes.
fn part(text: &str) -> Cow<'_, str> {
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        // A backslash at the end, which only other programs write, stands for itself.
        plain.push(if char == ESCAPE { chars.next().unwrap_or(ESCAPE) } else { char });
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str) {
        let Spelling { plain, from, on_path } = Spelling::read(text);
        let from = from.map_or(String::new(), |from| format!(" from `{from}`"));
        assert_eq!(format!("`{plain}`{from}{}", if on_path { " path" } else { "" }), expected);
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
    }

    proptest! {
        /// Whatever characters the labels have, what is written is what is read.
        #[test]
        fn reading_undoes_writing(
            plain in "[a_↑↓\\\\]{0,4}",
            from in "[a_↑↓\\\\]{0,4}",
            marks in any::<(bool, bool, bool)>(),
        ) {
            let mut labels = Symbols::<Label>::new();
            let (plain_label, from_label) = (labels.intern(&plain), labels.intern(&from));
            let (lifted, names_head, on_path) = marks;
            let from_label = (lifted && names_head).then_some(from_label);
            let made = Marks { plain: plain_label, lifted, from: from_label, on_path }
                .intern(&mut labels, &mut String::new());
            let read = Spelling::read(labels.text(made));
            prop_assert_eq!(&*read.plain, &*plain);
            prop_assert_eq!(read.on_path, on_path);
            prop_assert_eq!(read.from.as_deref(), lifted.then_some(if names_head { &*from } else { "" }));
        }
    }
}
