//! The formats of instances: for LIBSVM and LIBLINEAR, and for TiMBL.

use std::collections::HashMap;
use std::fmt::Write;
use std::hash::Hash;

use quaich_features::Alphabet;
use quaich_transition::systems::{Labelling, unmark};
use quaich_treebank::{Label, Symbols, UnknownName};

use crate::classifiers::Instance;
use crate::decisions::Questions;

/// A format of instances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// The class and the numbers of the active features.
    Libsvm,
    /// The same as LIBSVM's.
    Liblinear,
    /// One column per template and the class last, separated by tabs.
    Timbl,
}

impl Format {
    /// All formats, in the order that help shows them.
    pub const ALL: [Self; 3] = [Self::Libsvm, Self::Liblinear, Self::Timbl];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Libsvm => "libsvm",
            Self::Liblinear => "liblinear",
            Self::Timbl => "timbl",
        }
    }

    /// One line of help.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Libsvm => "class and numbers of the active features, for svm-train",
            Self::Liblinear => "the same, for LIBLINEAR's train",
            Self::Timbl => "one column per template with the names of values, class last",
        }
    }

    /// Looks up a format by name.
    pub fn by_name(name: &str) -> Result<Self, UnknownName> {
        let known = Self::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| UnknownName::new("format of instances", name, Self::ALL.map(Self::name)))
    }

    /// Whether values and classes have names instead of numbers.
    pub(crate) const fn has_names(self) -> bool {
        matches!(self, Self::Timbl)
    }
}

/// The names of questions, classes and labels.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) questions: &'a Questions,
    pub(crate) labels: &'a Symbols<Label>,
    /// The form of transition labels.
    pub(crate) labelling: Labelling,
}

impl Names<'_> {
    /// The text of a label; `_` for none. If labels are directed, the direction of the edge follows: `_l` or `_r`.
    pub(crate) fn label(&self, label: Label) -> String {
        let plain = self.labelling.plain(label);
        let text = if plain.index() < self.labels.len() { self.labels.text(plain) } else { "_" };
        match self.labelling {
            Labelling::Directed if !label.is_none() => {
                format!("{text}_{}", if unmark(label).1 { "r" } else { "l" })
            }
            _ => text.to_owned(),
        }
    }

    /// The name of a class of a question.
    pub(crate) fn class(&self, question: usize, class: u32) -> String {
        self.questions.class_name(question, class, &|label| self.label(label))
    }

    /// The name of a question's classifier, for a part of the data if they are split; empty if it is the only one.
    pub(crate) fn classifier(&self, question: usize, part: Option<&str>) -> String {
        let list = self.questions.list();
        let name = match list[question].name.as_str() {
            _ if list.len() == 1 => "",
            "transition" => "trans",
            label => label,
        };
        [name, part.unwrap_or_default()]
            .iter()
            .filter(|name| !name.is_empty())
            .copied()
            .collect::<Vec<_>>()
            .join(".")
    }
}

/// Assigns numbers, starting at 1, to classes and to values at their positions.
pub(crate) trait Numbering {
    fn class(&mut self, class: u32) -> u32;
    fn value(&mut self, position: u16, value: u32) -> u32;
}

/// The numbers of a training run: offsets of the positions.
impl Numbering for &[u32] {
    fn class(&mut self, class: u32) -> u32 {
        class + 1
    }

    fn value(&mut self, position: u16, value: u32) -> u32 {
        self[usize::from(position)] + value + 1
    }
}

/// Numbers in the order of first occurrence.
#[derive(Debug, Default)]
pub(crate) struct FirstSeen {
    classes: HashMap<u32, u32>,
    values: HashMap<(u16, u32), u32>,
}

impl Numbering for FirstSeen {
    fn class(&mut self, class: u32) -> u32 {
        number(&mut self.classes, class)
    }

    fn value(&mut self, position: u16, value: u32) -> u32 {
        number(&mut self.values, (position, value))
    }
}

fn number<K: Eq + Hash>(numbers: &mut HashMap<K, u32>, key: K) -> u32 {
    let next = u32::try_from(numbers.len() + 1).unwrap_or(u32::MAX);
    *numbers.entry(key).or_insert(next)
}

/// Formats lines in a reused buffer.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    line: String,
    numbers: Vec<u32>,
}

/// Stands for the label `_` until it is escaped. It is a noncharacter, so no label contains it.
const UNDERSCORE: char = '\u{FFFF}';

/// The text of a column without a value. No value has the same text, because bars are escaped.
const NO_VALUE: &str = "|";

impl Lines {
    /// Formats an instance of a question.
    pub(crate) fn instance(
        &mut self,
        (format, names, question): (Format, Names<'_>, usize),
        Instance { class, values, .. }: Instance<'_>,
        alphabet: &Alphabet,
        numbering: &mut impl Numbering,
    ) -> &str {
        if format.has_names() {
            // `_` is the name for no label.
            let label = |label: Label| match names.label(label) {
                name if name == "_" && !label.is_none() => UNDERSCORE.to_string(),
                name => name,
            };
            let name = |position: usize, value: u32| alphabet.texts(position, value, &label);
            return self.named(alphabet.n_positions(), values, name, &names.class(question, class));
        }
        let class = numbering.class(class);
        self.numbered(class, values.iter().map(|&(position, value)| numbering.value(position, value)))
    }

    /// Formats a line of numbers: the class, and each distinct feature with the value 1, in ascending order. Both are numbered from 1.
    pub(crate) fn numbered(&mut self, class: u32, features: impl Iterator<Item = u32>) -> &str {
        self.numbers.clear();
        self.numbers.extend(features);
        self.numbers.sort_unstable();
        self.numbers.dedup();
        self.line.clear();
        // Writing to a string does not fail.
        let _ = write!(self.line, "{class}");
        for number in &self.numbers {
            let _ = write!(self.line, " {number}:1");
        }
        &self.line
    }

    /// Formats a line of names: the values of every position, and the class.
    pub(crate) fn named(
        &mut self,
        n_positions: usize,
        values: &[(u16, u32)],
        mut name: impl FnMut(usize, u32) -> Vec<String>,
        class: &str,
    ) -> &str {
        self.line.clear();
        let mut rest = values.iter().peekable();
        for position in 0..n_positions {
            let start = self.line.len();
            while let Some((_, value)) = rest.next_if(|(own, _)| usize::from(*own) == position) {
                if self.line.len() > start {
                    self.line.push('|');
                }
                let texts: Vec<String> = name(position, *value).iter().map(|text| escaped(text)).collect();
                self.line.push_str(&texts.join("&"));
            }
            if self.line.len() == start {
                self.line.push_str(NO_VALUE);
            }
            self.line.push('\t');
        }
        self.line.push_str(&escaped(class));
        &self.line
    }
}

/// Escapes white space, separators of values, and percent signs.
pub(crate) fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for character in text.chars() {
        if character == UNDERSCORE {
            written.push_str("%5F");
        } else if character.is_whitespace() || character.is_control() || matches!(character, '|' | '&' | '%')
        {
            for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(written, "%{byte:02X}");
            }
        } else {
            written.push(character);
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_in_order_and_once() {
        assert_eq!(Lines::default().numbered(3, [7, 1, 7].into_iter()), "3 1:1 7:1");
        assert_eq!(Lines::default().numbered(1, std::iter::empty()), "1");
    }

    #[test]
    fn every_position_has_a_column() {
        let name = |position: usize, value: u32| vec![format!("{position} {value}"), "a|b".to_owned()];
        let mut lines = Lines::default();
        let line = lines.named(4, &[(0, 1), (2, 3), (2, 4)], name, "LA:x y");
        assert_eq!(line, "0%201&a%7Cb\t|\t2%203&a%7Cb|2%204&a%7Cb\t|\tLA:x%20y");
    }

    #[test]
    fn formats_have_names() {
        for format in Format::ALL {
            assert_eq!(Format::by_name(format.name()), Ok(format));
        }
        assert!(Format::by_name("svm").is_err());
    }
}
