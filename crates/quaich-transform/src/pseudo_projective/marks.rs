//! How marked labels are spelt: `AuxP↑Sb` for an `AuxP` lifted from an `Sb`, `AuxP↑` where the head is not
//! named, `Sb↓` for an arc on the way to a syntactic head, `AuxP↑Sb↓` for both.
//!
//! In treebanks whose own labels have arrows or backslashes, these are written with a backslash before them, in
//! labels without marks too, so every label has exactly one reading. An absent label is written `_` beside a mark,
//! and a label that happens to be `_` is then written `\_`.

use std::borrow::Cow;

use quaich_treebank::symbols::{Label, Symbols};

/// The mark of a lifted arc.
pub const UP: char = '↑';
/// The mark of an arc on the way to a syntactic head.
pub const DOWN: char = '↓';
/// Comes before a character of a label that is not a mark.
pub const ESCAPE: char = '\\';
/// An absent label beside a mark.
pub const ABSENT: &str = "_";

/// What a label says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Marks {
    /// The label without marks.
    pub(crate) plain: Label,
    /// Whether the arc was lifted.
    pub(crate) lifted: bool,
    /// The label of the syntactic head, if the encoding names it.
    pub(crate) from: Option<Label>,
    /// Whether a syntactic head is at the lower end of the arc or below.
    pub(crate) on_path: bool,
}

impl Marks {
    /// The label with these marks, made if it is new; `text` is a buffer.
    pub(crate) fn intern(self, labels: &mut Symbols<Label>, text: &mut String) -> Label {
        let marked = self.lifted || self.on_path;
        if !marked && (self.plain.is_none() || !labels.text(self.plain).contains(is_special)) {
            return self.plain;
        }
        text.clear();
        push_part(text, labels, self.plain, marked);
        if self.lifted {
            text.push(UP);
            if let Some(from) = self.from {
                push_part(text, labels, from, marked);
            }
        }
        if self.on_path {
            text.push(DOWN);
        }
        labels.intern(text)
    }
}

/// The parts of a label's text. `None` as a part is an absent label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spelling<'a> {
    /// The label without marks.
    pub plain: Option<Cow<'a, str>>,
    /// The label after ↑ if there is a ↑; empty where the encoding does not name it.
    pub from: Option<Option<Cow<'a, str>>>,
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
        let marked = on_path || from.is_some();
        Self { plain: part(plain, marked), from: from.map(|from| part(from, marked)), on_path }
    }
}

const fn is_special(char: char) -> bool {
    matches!(char, UP | DOWN | ESCAPE)
}

fn push_part(text: &mut String, labels: &Symbols<Label>, label: Label, marked: bool) {
    if label.is_none() {
        text.push_str(ABSENT);
        return;
    }
    let part = labels.text(label);
    if marked && part == ABSENT {
        text.push(ESCAPE);
    }
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
fn part(text: &str, marked: bool) -> Option<Cow<'_, str>> {
    if marked && text == ABSENT {
        return None;
    }
    if !text.contains(ESCAPE) {
        return Some(Cow::Borrowed(text));
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        // A backslash at the end, which only other programs write, stands for itself.
        plain.push(if char == ESCAPE { chars.next().unwrap_or(ESCAPE) } else { char });
    }
    Some(Cow::Owned(plain))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str) {
        let Spelling { plain, from, on_path } = Spelling::read(text);
        let show = |part: Option<Cow<'_, str>>| part.map_or("absent".to_owned(), |part| format!("`{part}`"));
        let from = from.map_or(String::new(), |from| format!(" from {}", show(from)));
        assert_eq!(format!("{}{from}{}", show(plain), if on_path { " path" } else { "" }), expected);
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
        check("_↑_", "absent from absent");
        check("\\_↓", "`_` path");
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
            absent in any::<(bool, bool)>(),
            marks in any::<(bool, bool, bool)>(),
        ) {
            let mut labels = Symbols::<Label>::new();
            let plain_label = if absent.0 { Label::NONE } else { labels.intern(&plain) };
            let from_label = if absent.1 { Label::NONE } else { labels.intern(&from) };
            let (lifted, names_head, on_path) = marks;
            let from_label = (lifted && names_head).then_some(from_label);
            let made = Marks { plain: plain_label, lifted, from: from_label, on_path }
                .intern(&mut labels, &mut String::new());
            prop_assume!(!made.is_none());
            let read = Spelling::read(labels.text(made));
            prop_assert_eq!(read.plain.as_deref(), (!absent.0).then_some(&*plain));
            prop_assert_eq!(read.on_path, on_path);
            prop_assert_eq!(read.from.is_some(), lifted);
            if let Some(read) = read.from.filter(|_| names_head) {
                prop_assert_eq!(read.as_deref(), (!absent.1).then_some(&*from));
            }
        }
    }
}
