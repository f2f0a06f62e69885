//! What the fuzz targets run, and what the tests run on the targets' corpus: any bytes through
//! everything that reads, and whatever comes of them through everything that shows.

use std::io::Cursor;

use quaich::draw::{Picture, svg, terminal, tree_view};
use quaich::treebank::convert::Converter;
use quaich::treebank::formats::{FORMATS, custom};
use quaich::treebank::{Error, FormatChoice, Level, ReadOptions, Reader, Result, Source, Validator};

/// A treebank of any bytes, in the format it seems to have and in every other.
pub(crate) fn read(bytes: &[u8]) {
    let _ = read_as(bytes, None);
    for format in FORMATS {
        let result = read_as(bytes, Some(FormatChoice::Known(*format)));
        // A given format is not recognised, so only the stream can fail.
        assert!(matches!(result, Ok(()) | Err(Error::Io { .. })), "{result:?}");
    }
}

/// A format file of any text.
pub(crate) fn format_file(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(layout) = custom::parse(text, "fuzz") else { return };
    let treebank = b"1\ta\t_\tN\tN\t_\t0\tROOT\t_\t_\n\n# c\na b c d\n1-2 x\n\n";
    let _ = read_as(treebank, Some(FormatChoice::Custom(layout.into())));
}

fn read_as(bytes: &[u8], format: Option<FormatChoice>) -> Result<()> {
    let options = ReadOptions { format, ..ReadOptions::default() };
    let source = Source::from_stream(Cursor::new(bytes.to_vec()), "fuzz".to_owned(), None)?;
    let mut reader = Reader::new(source, &options)?;
    let mut validator = Validator::new(reader.format().known());
    let (mut sentence, mut problems) = (reader.sentence(), Vec::new());
    let mut written = Vec::new();
    let mut same = Converter::new((**reader.layout()).clone());
    let mut others: Vec<Converter> = FORMATS.iter().map(|format| Converter::new(format.layout())).collect();
    let mut is_utf8 = true;
    while reader.read_with_problems(&mut sentence, &mut problems)? {
        validator.check(&sentence, &mut problems);
        for problem in problems.drain(..) {
            is_utf8 &= problem.code != "invalid-utf8";
            assert!(problem.line >= sentence.first_line() && problem.column >= 1, "{problem:?}");
            assert!(!problem.message.is_empty() && !problem.mend.is_empty(), "{problem:?}");
            if problem.level == Level::Error {
                let _ = reader.malformed(&sentence, problem).to_string();
            }
        }
        same.write(&sentence, &mut written);
        for other in &mut others {
            other.write(&sentence, &mut Vec::new());
        }
        // Drawing takes the square of the length in memory; the fuzzer need not.
        if sentence.n_tokens() < 200 {
            show(&Picture::of(&sentence));
        }
        let mut replaced = Vec::new();
        sentence.write_replacing(&mut replaced, &[0], |token, column, out| {
            out.extend_from_slice(sentence.cell(token, column).as_bytes());
        });
        assert_eq!(replaced, sentence.text().as_bytes(), "replacing cells by themselves changes nothing");
    }
    validator.finish(&mut problems);
    // Even a broken treebank comes out as it went in, as long as it is text.
    if is_utf8 && !is_compressed(bytes) {
        assert_eq!(written, bytes, "what is read is written");
    }
    Ok(())
}

fn show(picture: &Picture) {
    for (ascii, colour) in [(false, true), (true, false)] {
        let options = terminal::Options { ascii, colour };
        let _ = tree_view::draw(picture, options);
        let _ = terminal::draw(picture, options);
    }
    let _ = svg::page(&[("title".to_owned(), picture.clone())]);
}

fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
}
