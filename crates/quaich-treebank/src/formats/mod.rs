//! The column formats: a trait, a table, and recognising a format from the content.
//!
//! To add one: write `formats/NAME.rs` after `_template.rs`, and add its `mod` line and its entry
//! in [`FORMATS`] here. Names, help, errors and conformance tests follow from the entry.

pub mod conll09;
pub mod conllu;
pub mod conllx;
pub mod custom;
pub mod malttab;

use crate::error::{Error, Problem, Result};
use crate::layout::Layout;
use crate::sentence::Sentence;

/// A treebank format.
pub trait Format: Sync {
    /// The name on the command line.
    fn name(&self) -> &'static str;
    /// One line of help.
    fn about(&self) -> &'static str;
    /// The columns.
    fn layout(&self) -> Layout;
    /// How well the beginning of a file fits: 0 is not at all. The best wins, the earlier entry
    /// of [`FORMATS`] where two are equal.
    fn likelihood(&self, sample: &Sample<'_>) -> u32;
    /// What a sound sentence of this format has beyond its columns; `validate` asks.
    fn review(&self, _sentence: &Sentence, _problems: &mut Vec<Problem>) {}
}

/// Every format, in the order help shows them.
pub static FORMATS: &[&dyn Format] =
    &[&conllu::ConllU, &conllx::ConllX, &conll09::Conll09, &malttab::MaltTab];

/// The format with this name.
pub fn by_name(name: &str) -> Result<&'static dyn Format> {
    FORMATS
        .iter()
        .find(|format| format.name() == name)
        .copied()
        .ok_or_else(|| Error::unknown_name("format", name, FORMATS.iter().map(|format| format.name())))
}

/// The format that fits the beginning of a file best.
pub fn recognise(beginning: &[u8], file: &str) -> Result<&'static dyn Format> {
    let text = String::from_utf8_lossy(beginning);
    let sample = Sample::new(&text);
    let best = FORMATS.iter().rev().max_by_key(|format| format.likelihood(&sample));
    match best {
        // An empty file is an empty treebank of the first format.
        _ if sample.rows.is_empty() => Ok(FORMATS[0]),
        Some(format) if format.likelihood(&sample) > 0 => Ok(*format),
        _ => {
            let row = sample.rows[0].join("⇥");
            let row: String = row.chars().take(60).collect();
            Err(Error::UnrecognisedFormat {
                file: file.to_owned(),
                reason: format!("the first row has {} column(s): `{row}`", sample.rows[0].len()),
                known: FORMATS.iter().map(|format| format.name()).collect::<Vec<_>>().join(", "),
            })
        }
    }
}

/// The beginning of a file, cut into rows, for [`Format::likelihood`].
#[derive(Debug)]
pub struct Sample<'a> {
    /// Lines that start with `#` and have no tab.
    pub comments: usize,
    /// All other lines that are not blank, cut at tabs; a last line that may be cut short is left out.
    pub rows: Vec<Vec<&'a str>>,
}

impl<'a> Sample<'a> {
    /// Cuts the beginning of a file into rows.
    pub fn new(text: &'a str) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        let whole =
            if text.ends_with('\n') { text } else { text.rsplit_once('\n').map_or(text, |(lines, _)| lines) };
        let mut sample = Self { comments: 0, rows: Vec::new() };
        for line in whole.lines() {
            if line.starts_with('#') && !line.contains('\t') {
                sample.comments += 1;
            } else if !line.trim().is_empty() {
                sample.rows.push(line.split('\t').collect());
            }
        }
        sample
    }

    /// Whether every row has a number of columns in this range.
    pub fn columns_within(&self, range: std::ops::RangeInclusive<usize>) -> bool {
        self.rows.iter().all(|row| range.contains(&row.len()))
    }

    /// Whether a cell of every row that has it is a number or `_`.
    pub fn is_numeric(&self, column: usize) -> bool {
        self.rows
            .iter()
            .filter_map(|row| row.get(column))
            .all(|cell| *cell == "_" || (!cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        match recognise(text.as_bytes(), "f") {
            Ok(format) => assert_eq!(format.name(), expected, "{text}"),
            Err(error) => assert!(error.to_string().contains(expected), "{error}"),
        }
    }

    #[test]
    fn formats_are_recognised_from_their_content() {
        check("", "conllu");
        check("# sent_id = 1\n1\ta\ta\tNOUN\tNN\t_\t0\troot\t_\t_\n\n", "conllu");
        check("1\ta\ta\tNOUN\tNN\t_\t0\troot\t0:root\tSpaceAfter=No\n", "conllu");
        check("1-2\tim\t_\t_\t_\t_\t_\t_\t_\t_\n1\tin\t_\tADP\t_\t_\t0\troot\t_\t_\n", "conllu");
        check("1\t和\t_\tCONJ\tCC\t_\t0\troot\t_\t_\n", "conllu");
        check("1\ta\t_\tN\tNC\tgender=c\t0\tROOT\t_\t_\n", "conllx");
        check("1\ta\t_\tN\tNC\tgender=c\n", "conllx");
        check("1\t#\t_\tX\tX\t_\t0\tROOT\t0\tROOT\n", "conllx");
        check("1\ta\ta\ta\tN\tN\t_\t_\t0\t0\tROOT\tROOT\t_\t_\n", "conll09");
        check("1\ta\ta\ta\tN\tN\t_\t_\t0\t0\tROOT\tROOT\tY\ta.01\tA0\tA1\n", "conll09");
        check("the\tDT\t2\tdet\n.\t.\t0\troot\n", "malttab");
        check("# \t#\t2\tdet\nwell-known\tJJ\t0\troot\n", "malttab");
        check("hello world\n", "the format is not recognised: the first row has 1 column(s): `hello world`");
    }
}
