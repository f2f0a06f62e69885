//! How an instance is written: as LIBSVM and LIBLINEAR read it, or as TiMBL does.

use std::fmt::Write;

use quaich_treebank::UnknownName;

/// A format of instances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// A class and the numbers of the features that are on.
    Libsvm,
    /// The same.
    Liblinear,
    /// A column a template and the class last, separated by tabs.
    Timbl,
}

impl Format {
    /// All of them, in the order help shows them.
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
            Self::Libsvm => "a class and the numbers of the features that are on, for svm-train",
            Self::Liblinear => "the same, for LIBLINEAR's train",
            Self::Timbl => "values by name in columns, the class last",
        }
    }

    /// The format of this name.
    pub fn by_name(name: &str) -> Result<Self, UnknownName> {
        let known = Self::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| UnknownName::new("format of instances", name, Self::ALL.map(Self::name)))
    }

    /// Whether values and classes have names, not numbers.
    pub(crate) const fn has_names(self) -> bool {
        matches!(self, Self::Timbl)
    }
}

/// Puts lines together, in memory that is used again.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    line: String,
    numbers: Vec<u32>,
}

/// What a column has that has no value. No text of a value is the same, since there bars are written out.
const NO_VALUE: &str = "|";

impl Lines {
    /// A line of numbers: the class, and every feature once with the value 1, in ascending order. Both count from 1.
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

    /// A line of names: for every position its values, and the class.
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

/// A text as it stands in a column: white space, what separates several values, and percent signs are written out.
pub(crate) fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_whitespace() || character.is_control() || matches!(character, '|' | '&' | '%') {
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
