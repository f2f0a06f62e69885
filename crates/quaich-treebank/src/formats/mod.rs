//! The column formats: a trait, a table, and format detection from the content and the name of a file.
//!
//! To add a format, write `formats/NAME.rs` after `_template.rs`, and add its `mod` line and its entry in [`FORMATS`].
//! Names, help, errors and conformance tests follow from the entry.

#[cfg(test)]
#[allow(unreachable_pub, reason = "to be copied, and public then")]
mod _template;
pub mod conll09;
pub mod conllu;
pub mod conllup;
pub mod conllx;
pub mod custom;
pub mod malttab;

use std::path::Path;

use crate::compression::Compression;
use crate::counted;
use crate::encoding;
use crate::error::{Error, Problem, Result};
use crate::layout::Layout;
use crate::sentence::Sentence;

/// A treebank format.
pub trait Format: Sync {
    /// Returns the name used on the command line.
    fn name(&self) -> &'static str;
    /// One line of help.
    fn about(&self) -> &'static str;
    /// The columns.
    fn layout(&self) -> Layout;
    /// How well the beginning of a file fits: 0 if not at all, 1 if the file looks damaged. The highest value wins, the
    /// earlier entry of [`FORMATS`] in a tie; from 2 on, a format that is only 1 lower is a near miss.
    fn likelihood(&self, sample: &Sample<'_>) -> u32;
    /// Returns the columns of a file that begins with this line if files name their columns, otherwise those of the
    /// format. The error says what is wrong with them.
    fn layout_of(&self, _first_line: &str) -> Result<Layout, String> {
        Ok(self.layout())
    }
    /// Checks what a valid sentence of this format has apart from its columns; used by `validate`.
    fn review(&self, _sentence: &Sentence, _problems: &mut Vec<Problem>) {}
}

/// All formats, in the order of help.
pub static FORMATS: &[&dyn Format] =
    &[&conllu::ConllU, &conllx::ConllX, &conll09::Conll09, &malttab::MaltTab, &conllup::ConllUPlus];

/// Returns the format with this name.
pub fn by_name(name: &str) -> Result<&'static dyn Format> {
    FORMATS
        .iter()
        .find(|format| format.name() == name)
        .copied()
        .ok_or_else(|| Error::unknown_name("format", name, FORMATS.iter().map(|format| format.name())))
}

/// The number of bytes from which a format is detected.
pub const SAMPLE: usize = 1 << 16;

/// The result of format detection.
#[derive(Clone)]
pub struct Recognised {
    /// The format.
    pub format: &'static dyn Format,
    /// Evidence for another format, as a sentence for the user.
    pub doubt: Option<String>,
    /// Whether the file is empty, so that nothing can be detected.
    pub is_empty: bool,
    /// Whether the content is rather plain text: the file name tells nothing, and most lines do not have the columns of the format.
    pub is_rather_text: bool,
}

impl std::fmt::Debug for Recognised {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recognised").field("format", &self.format.name()).finish_non_exhaustive()
    }
}

/// Returns the format of a file: the one in its name (`x.conllu`, `x.conllu.gz`), or else the one that fits its
/// beginning best.
pub fn recognise(beginning: &[u8], file: &str) -> Result<Recognised> {
    if let Some((what, help)) = encoding::oddity(beginning, true) {
        return Err(unrecognised(file, format!("{what}; {help}")));
    }
    let text = String::from_utf8_lossy(beginning);
    let sample = Sample::new(&text, beginning.len() >= SAMPLE);
    let mut by_fit: Vec<(u32, &'static dyn Format)> =
        FORMATS.iter().map(|format| (format.likelihood(&sample), *format)).collect();
    // The sort is stable: in a tie the earlier entry comes first.
    by_fit.sort_by_key(|(likelihood, _)| std::cmp::Reverse(*likelihood));
    let (best, named) = (by_fit[0], named_after(file));
    let is_rather_text = named.is_none() && is_rather_text(beginning, &sample, best.1);
    let known = |(format, doubt)| {
        let is_rather_text = is_rather_text && Layout::declared_columns(sample.first_line).is_none();
        Ok(Recognised { format, doubt, is_empty: sample.rows.is_empty(), is_rather_text })
    };
    let name_of = |format: &dyn Format| format.name();
    if let Some(names) = Layout::declared_columns(sample.first_line) {
        // CoNLL-U may name its columns too; other named columns are CoNLL-U Plus, whatever the file name.
        let plus = named.is_some_and(|format| format.name() == best.1.name());
        let format = if conllu::layout().has_columns(names) && !plus { &conllu::ConllU } else { best.1 };
        return known((format, None));
    }
    match named {
        // An empty file is an empty treebank of the first format.
        None if sample.rows.is_empty() => known((FORMATS[0], None)),
        Some(format) => {
            // If the named format fits at all, it is used; `validate` reports what is unusual.
            let fits = format.likelihood(&sample) > 0;
            let other = (best.0 > 1 && !fits).then_some(best.1);
            let doubt = other.map(|other| {
                let (name, other) = (name_of(format), name_of(other));
                format!("{file}: read as {name}, as its name says, though the content is more like {other}; `--format` decides")
            });
            known((format, doubt))
        }
        None if best.0 > 0 => {
            let near = by_fit.get(1).filter(|(fit, _)| *fit >= 2 && fit + 1 >= best.0);
            let doubt = near.map(|(_, other)| {
                let (name, other) = (name_of(best.1), name_of(*other));
                format!("{file}: read as {name}; it could also be {other}, and `--format` decides")
            });
            known((best.1, doubt))
        }
        None => {
            if beginning.contains(&0) {
                return Err(unrecognised(file, "it is a binary file, not text".to_owned()));
            }
            let row = sample.rows[0].join("⇥");
            let row: String = row.chars().take(60).collect();
            let columns = counted(sample.rows[0].len(), "column");
            Err(unrecognised(file, format!("the first row has {columns}: `{row}`")))
        }
    }
}

/// Whether most lines do not have the columns of a format.
fn is_rather_text(beginning: &[u8], sample: &Sample<'_>, format: &dyn Format) -> bool {
    if sample.rows.is_empty() {
        return sample.comments > 0 || beginning.len() >= SAMPLE || !beginning.trim_ascii().is_empty();
    }
    let least = format.layout().min_columns;
    let n_wide = sample.rows.iter().filter(|row| row.len() >= least).count();
    2 * n_wide <= sample.rows.len()
}

fn unrecognised(file: &str, reason: String) -> Error {
    let known = FORMATS.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ");
    Error::UnrecognisedFormat { file: file.to_owned(), reason, known }
}

/// Returns the format that a file name ends in, ignoring the ending of compression.
fn named_after(file: &str) -> Option<&'static dyn Format> {
    let name = Path::new(file);
    let plain =
        if Compression::for_writing(name) == Compression::None { name } else { Path::new(name.file_stem()?) };
    let extension = plain.extension()?.to_str()?;
    FORMATS.iter().find(|format| extension.eq_ignore_ascii_case(format.name())).copied()
}

/// The beginning of a file, split into rows, for [`Format::likelihood`].
#[derive(Debug)]
pub struct Sample<'a> {
    /// The first line, with its byte-order mark if it has one.
    pub first_line: &'a str,
    /// Lines that start with `#` and have no tab.
    pub comments: usize,
    /// All other lines that are not blank, split at tabs; a last line that may be truncated is ignored.
    pub rows: Vec<Vec<&'a str>>,
}

impl<'a> Sample<'a> {
    /// Splits the beginning of a file into rows; `goes_on` means that it may end in the middle of a line.
    pub fn new(text: &'a str, goes_on: bool) -> Self {
        let first_line = text.lines().next().unwrap_or_default();
        let text = text.trim_start_matches('\u{feff}');
        let whole = match text.rsplit_once('\n') {
            Some((lines, _)) if goes_on => lines,
            _ => text,
        };
        let mut sample = Self { first_line, comments: 0, rows: Vec::new() };
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

    /// Checks which format a text is detected as, and whether there is evidence for another one.
    fn check_named(file: &str, text: &str, expected: &str, doubt: bool) {
        match recognise(text.as_bytes(), file) {
            Ok(found) => {
                assert_eq!(found.format.name(), expected, "{text}");
                assert_eq!(found.doubt.is_some(), doubt, "{text}: {:?}", found.doubt);
            }
            Err(error) => assert!(error.to_string().contains(expected), "{error}"),
        }
    }

    fn check(text: &str, expected: &str) {
        check_named("f.txt", text, expected, false);
    }

    #[test]
    fn formats_are_recognised_from_their_content() {
        check("", "conllu");
        check("# sent_id = 1\n1\ta\ta\tNOUN\tNN\t_\t0\troot\t_\t_\n\n", "conllu");
        check("1\ta\ta\tNOUN\tNN\t_\t0\troot\t0:root\tSpaceAfter=No\n", "conllu");
        check("1\ta\ta\tNOUN\tNN\t_\t0\troot\t_\tSpaceAfter=No\n", "conllu");
        check("1-2\tim\t_\t_\t_\t_\t_\t_\t_\t_\n1\tin\t_\tADP\t_\t_\t0\troot\t_\t_\n", "conllu");
        check("1\ta\t_\tN\tNC\tgender=c\t0\tROOT\t_\t_\n", "conllx");
        check("1\ta\t_\tN\tNC\tgender=c\n", "conllx");
        check("1\t#\t_\tX\tX\t_\t0\tROOT\t0\tROOT\n", "conllx");
        check("1\ta\ta\ta\tN\tN\t_\t_\t0\t0\tROOT\tROOT\t_\t_\n", "conll09");
        check("1\ta\ta\ta\tN\tN\t_\t_\t0\t0\tROOT\tROOT\tY\ta.01\tA0\tA1\n", "conll09");
        check("the\tDT\t2\tdet\n.\t.\t0\troot\n", "malttab");
        check("# \t#\t2\tdet\nwell-known\tJJ\t0\troot\n", "malttab");
        check("# global.columns = ID FORM HEAD DEPREL\n1\ta\t0\troot\n", "conllup");
        check("hello world\n", "the format is not recognised: the first row has 1 column: `hello world`");
        check("\u{7f}ELF\0\n", "the format is not recognised: it is a binary file, not text");
    }

    #[test]
    fn other_encodings_and_line_ends_are_named() {
        let text = "1\ta\ta\tNOUN\tNN\t_\t0\troot\t_\t_\n\n";
        let message = |bytes: &[u8]| recognise(bytes, "f.conllu").err().map(|error| error.to_string());
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert!(message(&little).unwrap().contains("name the encoding: `--encoding utf-16le`"));
        assert!(message(&big).unwrap().contains("name the encoding: `--encoding utf-16be`"));
        assert!(message(text.replace('\n', "\r").as_bytes()).unwrap().contains("lines end in CR alone"));
        assert_eq!(message(text.replace('\n', "\r\n").as_bytes()), None);
        assert_eq!(message(text.replacen('a', "a\0b", 1).as_bytes()), None);
    }

    #[test]
    fn universal_tags_alone_do_not_make_conllu() {
        // Only CoNLL-X: other features, other root labels, filled PHEAD and PDEPREL.
        check("1\ta\t_\tNOUN\tNOUN\tsg|acc\t0\troot\t_\t_\n", "conllx");
        check("1\ta\t_\tNOUN\tNOUN\t_\t0\tROOT\t_\t_\n", "conllx");
        check("1\ta\t_\tNOUN\tNOUN\t_\t0\troot\t0\troot\n", "conllx");
        check("1\ta\t_\tNOUN\tNOUN\t_\t0\troot\t0\tx=y\n", "conllx");
        // Valid in both CoNLL-X and CoNLL-U.
        for row in ["1\t和\t_\tCONJ\tCC\t_\t0\troot\t_\t_\n", "1\ta\ta\tNOUN\t_\tCase=Nom\t0\troot\t_\t_\n"]
        {
            check_named("<stdin>", row, "conllx", true);
            check_named("f.conll", row, "conllx", true);
            check_named("f.conllx", row, "conllx", false);
            check_named("f.conllu", row, "conllu", false);
        }
    }

    #[test]
    fn the_name_of_a_file_counts() {
        let malttab = "the\tDT\t2\tdet\n.\t.\t0\troot\n";
        for name in ["f.conllu", "f.CONLLU", "f.conllu.gz", "folder.conllx/f.conllu.xz"] {
            check_named(name, malttab, "conllu", true);
            check_named(name, "# sent_id = 1\n1\ta\ta\tNOUN\tNN\t_\t0\troot\t_\t_\n\n", "conllu", false);
            check_named(name, "", "conllu", false);
            check_named(name, "hello world\n", "conllu", false);
        }
        for name in ["f.conll", "f", "conllu", ".conllu", "f.conllu/x"] {
            check_named(name, malttab, "malttab", false);
        }
        check_named("f.conllu", "# global.columns = FORM HEAD DEPREL\na\t0\troot\n", "conllup", false);
    }

    #[test]
    fn a_file_that_names_the_columns_of_conllu_is_conllu() {
        let header = "\u{feff}# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC\r\n";
        let text = format!("{header}1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n");
        for name in ["f.conllu", "f.conllu.gz", "f.conll", "<stdin>"] {
            check_named(name, &text, "conllu", false);
        }
        check_named("f.conllup", &text, "conllup", false);
        check_named("f.conllu", &text.replace("MISC", "MISC NE"), "conllup", false);
    }
}
