//! Conformance: in every format of the table, and in some custom ones, what is read is written byte for byte, including
//! unusual but valid content.

use std::io::{self, Cursor, Read};
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use quaich_treebank::convert::Converter;
use quaich_treebank::formats::{FORMATS, custom, recognise};
use quaich_treebank::{FormatChoice, Layout, Level, ReadOptions, Reader, Role, Source};

/// All formats of the table, and custom formats.
fn formats() -> Vec<FormatChoice> {
    let described = [
        "name = \"spaced\"\ncolumns = [\"form\", \"tag\", \"head\", \"label\"]\nseparator = \"space\"",
        "name = \"rich\"\ncolumns = [\"id\", \"form\", \"other:NER\", \"head\", \"label\", \"misc\"]\n\
         comments = true\nranges = true\nmin_columns = 2\nextra_columns = true",
        "name = \"words\"\ncolumns = [\"form\"]",
    ];
    let described = described.map(|text| FormatChoice::Custom(Arc::new(custom::parse(text, "f").unwrap())));
    FORMATS.iter().map(|format| FormatChoice::Known(*format)).chain(described).collect()
}

/// A stream that returns a few bytes per read.
struct Trickle(Cursor<Vec<u8>>, usize);

impl Read for Trickle {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = out.len().min(self.1);
        self.0.read(&mut out[..n])
    }
}

/// Reads a text in a format; returns the result of converting it to the same format, the errors, and the number of
/// tokens.
fn round_trip(text: &[u8], format: &FormatChoice, bytes_at_a_time: usize) -> (Vec<u8>, Vec<String>, usize) {
    let stream = Trickle(Cursor::new(text.to_vec()), bytes_at_a_time);
    let source = Source::from_stream(stream, "f".to_owned(), None).unwrap();
    let options = ReadOptions { format: Some(format.clone()), ..ReadOptions::default() };
    let mut reader = Reader::new(source, &options).unwrap();
    let mut converter = Converter::new((*format.layout()).clone());
    let (mut sentence, mut problems, mut written) = (reader.sentence(), Vec::new(), Vec::new());
    let mut n_tokens = 0;
    while reader.read_with_problems(&mut sentence, &mut problems).unwrap() {
        converter.write(&sentence, &mut written);
        n_tokens += sentence.n_tokens();
    }
    let errors = problems.iter().filter(|problem| problem.level == Level::Error).map(ToString::to_string);
    (written, errors.collect(), n_tokens)
}

fn check(text: &str, format: &FormatChoice, n_tokens: usize) {
    for bytes_at_a_time in [1, 7, usize::MAX] {
        let (written, errors, found) = round_trip(text.as_bytes(), format, bytes_at_a_time);
        assert_eq!(errors, [""; 0], "{format:?}: {text:?}");
        assert_eq!(String::from_utf8_lossy(&written), text, "{format:?}");
        assert_eq!(found, n_tokens, "{format:?}: {text:?}");
    }
}

/// Returns the row of a token with these values in a format.
fn row(layout: &Layout, id: usize, form: &str, head: &str, label: &str) -> String {
    let cell = |role: Role| match role {
        Role::Id => id.to_string(),
        Role::Form => form.to_owned(),
        Role::Head => head.to_owned(),
        Role::Label => label.to_owned(),
        _ => "_".to_owned(),
    };
    let cells: Vec<String> = layout.columns().iter().map(|column| cell(column.role)).collect();
    cells.join(separator(layout)) + "\n"
}

fn separator(layout: &Layout) -> &'static str {
    if layout.name() == "spaced" { " " } else { "\t" }
}

/// Two sentences, five tokens.
fn plain(layout: &Layout) -> (String, String) {
    let row = |id, form, head, label| row(layout, id, form, head, label);
    (
        row(1, "the", "2", "det") + &row(2, "cat", "3", "sbj") + &row(3, "sat", "0", "root"),
        row(1, "it", "2", "sbj") + &row(2, "slept", "0", "root"),
    )
}

#[test]
fn odd_but_legal_lines_survive_in_every_format() {
    for format in formats() {
        let layout = format.layout();
        let (first, second) = plain(&layout);
        let usual = format!("{first}\n{second}\n");
        for text in [
            usual.clone(),
            usual.replace('\n', "\r\n"),
            // The first line ends in CRLF, the others do not.
            usual.replacen('\n', "\r\n", 1),
            format!("\u{feff}{usual}"),
            format!("\u{feff}{usual}").replace('\n', "\r\n"),
            format!("{first}\n{second}"),
            format!("{first}\n{second}").trim_end().to_owned(),
            format!("{first}\n\n\n\n{second}\n\n\n"),
            format!("\n\n{first}\n{second}\n"),
            format!("{first} \t \n{second}\t\n"),
            format!("{first}\r\n{second}\r\n\r\n"),
        ] {
            check(&text, &format, 5);
        }
        for text in ["", "\n", "\r\n\r\n", "\u{feff}", "\u{feff}\n"] {
            check(text, &format, 0);
        }
    }
}

#[test]
fn odd_but_legal_cells_survive_in_every_format() {
    for format in formats() {
        let layout = format.layout();
        let check_form = |form: &str| check(&(row(&layout, 1, form, "0", "root") + "\n"), &format, 1);
        for form in
            ["_", "__", "a_b", "1", "0", "1-2", "-", "\"", "naïve", "睡觉", "e\u{301}", "\u{a0}", "x=y|z"]
        {
            check_form(form);
        }
        check(&(row(&layout, 1, "a", "_", "_") + "\n"), &format, 1);
        check(&(row(&layout, 1, "a", "0", "r") + &row(&layout, 2, "b", "0", "r") + "\n"), &format, 2);
        if separator(&layout) == "\t" {
            check_form("New York");
        }
        // A form cannot begin with # only if there are comments and rows begin with the form.
        if !layout.has_comments() || layout.position(Role::Form) != Some(0) {
            check_form("#");
            check_form("#hashtag");
        }
    }
}

#[test]
fn comments_are_kept_wherever_they_are() {
    for format in formats().iter().filter(|format| format.layout().has_comments()) {
        let (first, second) = plain(&format.layout());
        let (one, rest) = first.split_once('\n').unwrap();
        for text in [
            format!("# a\n#\n#b\n{first}\n# c\n{second}\n"),
            format!("# a\n\n# b\n{first}\n\n# c\n\n{second}\n# d\n\n"),
            format!("{one}\n# inside\n{rest}\n{second}\n# at the end"),
            format!("{first}# last\n\n{second}\n"),
            format!("\u{feff}# after the mark\n{first}\n{second}\n"),
            format!("\u{feff}# after the mark\n\n{first}\n{second}\n"),
            format!("# with\ttab\n{first}\n{second}\n"),
        ] {
            check(&text, format, 5);
        }
    }
}

#[test]
fn only_the_beginning_of_a_file_can_hide_a_word_behind_a_byte_order_mark() {
    for format in formats() {
        let layout = format.layout();
        let (first, _) = plain(&layout);
        for form in ["\u{feff}", "\u{feff}a"] {
            check(&format!("{first}\n{}\n", row(&layout, 1, form, "0", "root")), &format, 4);
        }
        // If rows start with a number, concatenated files are read as one.
        if layout.position(Role::Id) == Some(0) {
            check(&format!("\u{feff}{first}\n\u{feff}{first}\n"), &format, 6);
        }
    }
}

#[test]
fn ranges_and_empty_nodes_are_kept() {
    for format in formats().iter().filter(|format| format.layout().has_ranges()) {
        let layout = format.layout();
        let extra = |id: &str| row(&layout, 1, "x", "_", "_").replacen('1', id, 1);
        let (first, second) = plain(&layout);
        let (one, rest) = first.split_once('\n').unwrap();
        for text in [
            format!("{}{first}\n{second}\n", extra("1-2")),
            format!("{}{}{first}\n{second}\n", extra("0.1"), extra("0.2")),
            format!("{one}\n{}{}{rest}{}\n{second}\n", extra("1.1"), extra("2-3"), extra("3.1")),
            format!("{}{first}\n{second}\n", extra("1-3")),
        ] {
            check(&text, format, 5);
        }
    }
}

#[test]
fn rows_may_be_short_or_long_where_the_format_says_so() {
    let known = |name: &str| FormatChoice::parse(name).unwrap();
    for columns in 6..=10 {
        let cells = ["1", "a", "_", "N", "N", "_", "0", "ROOT", "_", "_"];
        check(&(cells[..columns].join("\t") + "\n\n"), &known("conllx"), 1);
    }
    check("a\tN\n\nb\tN\t0\n", &known("malttab"), 2);
    for arguments in 0..5 {
        let row = "1\ta\ta\ta\tN\tN\t_\t_\t0\t0\tROOT\tROOT\tY\ta.01".to_owned() + &"\tA0".repeat(arguments);
        check(&(row + "\n\n"), &known("conll09"), 1);
    }
}

#[test]
fn every_format_of_the_table_is_recognised_in_its_own_files() {
    for format in FORMATS {
        let layout = format.layout();
        let (first, second) = plain(&layout);
        // A comment distinguishes CoNLL-U from CoNLL-X.
        let comment = match format.name() {
            // With the ten columns of CoNLL-U a file is CoNLL-U.
            "conllup" => "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS NOTE\n",
            _ if layout.has_comments() => "# sent_id = 1\n",
            _ => "",
        };
        let text = format!("{comment}{first}\n{second}\n");
        for text in [text.clone(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
            assert_eq!(recognise(text.as_bytes(), "f").unwrap().format.name(), format.name(), "{text}");
        }
    }
}

/// Text without white space and `#`.
fn cell() -> impl Strategy<Value = String> {
    "[^\t\r\n# ]{1,6}"
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sentences_in_any_format_survive(
        which in 0..8usize,
        sentences in vec((vec((cell(), 0..9usize, cell()), 1..6), 0..4usize, 1..4usize), 1..5),
        carriage_returns in any::<bool>(),
        at_a_time in 1..50usize,
    ) {
        let format = &formats()[which];
        let layout = format.layout();
        let (mut text, mut n_tokens) = (String::new(), 0);
        for (tokens, n_comments, n_blanks) in &sentences {
            if layout.has_comments() {
                text += &"# comment\n".repeat(*n_comments);
            }
            for (i, (form, head, label)) in tokens.iter().enumerate() {
                text += &row(&layout, i + 1, form, &(head % (tokens.len() + 1)).to_string(), label);
                n_tokens += 1;
            }
            text += &"\n".repeat(*n_blanks);
        }
        // It would be a byte-order mark there.
        prop_assume!(!text.starts_with('\u{feff}'));
        if carriage_returns {
            text = text.replace('\n', "\r\n");
        }
        let (written, errors, found) = round_trip(text.as_bytes(), format, at_a_time);
        prop_assert_eq!(errors, Vec::<String>::new());
        prop_assert_eq!(String::from_utf8_lossy(&written), text);
        prop_assert_eq!(found, n_tokens);
    }
}

#[test]
fn treebanks_are_written_as_they_were_read() {
    let Some(folder) = quaich_testkit::treebanks() else { return };
    let mut n_files = 0;
    for treebank in std::fs::read_dir(folder).unwrap() {
        let Ok(files) = std::fs::read_dir(treebank.unwrap().path()) else { continue };
        for file in files {
            let file = file.unwrap().path();
            if !file.extension().is_some_and(|extension| extension == "conllu" || extension == "conll") {
                continue;
            }
            let text = std::fs::read(&file).unwrap();
            let format =
                FormatChoice::Known(recognise(&text[..text.len().min(1 << 16)], "f").unwrap().format);
            let (written, errors, _) = round_trip(&text, &format, usize::MAX);
            assert_eq!(errors, [""; 0], "{}", file.display());
            assert!(written == text, "{} is not written as it was read", file.display());
            n_files += 1;
        }
    }
    assert!(n_files > 0, "QUAICH_TREEBANKS has no treebanks");
}
