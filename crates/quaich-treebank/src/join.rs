//! Concatenates files: sentences of different files stay separate, and all are written in one format.

use std::fmt::Debug;
use std::io::{self, Write};
use std::sync::Arc;

use crate::blocks::{Blocks, is_blank};
use crate::convert::{Converter, Lost};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::reader::Reader;
use crate::sentence::{Line, Sentence};

/// Writes the text of several files to one stream. Call [`Joined::start`] before the text of each.
///
/// A single file is written unchanged. Two files are separated by a blank line, whether or not the first one ends with
/// one.
#[derive(Debug)]
pub struct Joined<W> {
    out: W,
    /// The first file and its columns.
    first: Option<(String, Arc<Layout>)>,
    conversion: Option<Conversion>,
    /// The end of the text so far; `None` if there is no text.
    ending: Option<Ending>,
    /// The part of a file's first line that has been received, unless the file is the first or the line is complete.
    first_line: Option<Vec<u8>>,
}

/// Writes sentences in another form.
pub trait SentenceWriter: Debug + Send {
    /// Appends a sentence to `out`.
    fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>);

    /// What could not be written so far.
    fn lost(&self) -> Lost {
        Lost::default()
    }

    /// Whether a blank line separates the sentences of different files.
    fn separates_files(&self) -> bool {
        true
    }
}

impl SentenceWriter for Converter {
    fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>) {
        Converter::write(self, sentence, out);
    }

    fn lost(&self) -> Lost {
        Converter::lost(self)
    }
}

impl<W: Write> Joined<W> {
    /// Joins files of one format, or converts them all to `to`.
    pub fn new(out: W, to: Option<Layout>) -> Self {
        Self::converting(out, to.map(|layout| Box::new(Converter::new(layout)) as Box<dyn SentenceWriter>))
    }

    /// Joins files of one format, or writes all their sentences with `writer`.
    pub fn converting(out: W, writer: Option<Box<dyn SentenceWriter>>) -> Self {
        let conversion = writer.map(Conversion::new);
        Self { out, first: None, conversion, ending: None, first_line: None }
    }

    /// Starts the text of the next file. Without a conversion it must have the format of the files before; an empty
    /// file has any format.
    pub fn start(&mut self, reader: &Reader) -> Result<()> {
        self.start_text(reader.file(), reader.layout(), reader.is_empty())
    }

    /// Starts the text of the next file, which has this name and these columns.
    pub fn start_text(&mut self, file: &str, layout: &Arc<Layout>, is_empty: bool) -> Result<()> {
        self.end_file().map_err(|source| Error::io("output", source))?;
        if let Some(conversion) = &mut self.conversion {
            conversion.start(layout);
        } else if !is_empty {
            let (first_file, first) = self.first.get_or_insert_with(|| (file.to_owned(), Arc::clone(layout)));
            if *first != *layout {
                return Err(Error::DifferentFormats {
                    file: file.to_owned(),
                    format: layout.name().to_owned(),
                    first_file: first_file.clone(),
                    first: first.name().to_owned(),
                });
            }
        }
        self.first_line = self.ending.is_some().then(Vec::new);
        Ok(())
    }

    /// Returns what the conversion has lost so far.
    pub fn lost(&self) -> Lost {
        self.conversion.as_ref().map(|conversion| conversion.writer.lost()).unwrap_or_default()
    }

    /// Writes what remains, and returns the stream and what the conversion lost.
    pub fn finish(mut self) -> io::Result<(W, Lost)> {
        self.end_file()?;
        let lost = self.lost();
        Ok((self.out, lost))
    }

    fn end_file(&mut self) -> io::Result<()> {
        if let Some(conversion) = &mut self.conversion {
            let converted = conversion.convert(&[], true)?;
            self.emit(&converted)?;
        }
        match self.first_line.take() {
            Some(line) if !line.is_empty() => self.begin_file(&line),
            _ => Ok(()),
        }
    }

    fn emit(&mut self, text: &[u8]) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let Some(mut beginning) = self.first_line.take() else { return self.put(text) };
        beginning.extend_from_slice(text);
        if beginning.contains(&b'\n') {
            return self.begin_file(&beginning);
        }
        self.first_line = Some(beginning);
        Ok(())
    }

    /// Writes the beginning of a file that follows another.
    fn begin_file(&mut self, text: &[u8]) -> io::Result<()> {
        let separates = self.conversion.as_ref().is_none_or(|conversion| conversion.writer.separates_files());
        if let Some(ending) = self.ending.as_mut().filter(|_| separates) {
            self.out.write_all(std::mem::take(ending).missing())?;
        }
        self.put(without_head(text))
    }

    fn put(&mut self, text: &[u8]) -> io::Result<()> {
        self.out.write_all(text)?;
        self.ending.get_or_insert_default().add(text);
        Ok(())
    }
}

impl<W: Write> Write for Joined<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.conversion {
            Some(conversion) => {
                let converted = conversion.convert(bytes, false)?;
                self.emit(&converted)?;
            }
            None => self.emit(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns the beginning of a file without what only its first line can have: a byte-order mark and the names of the
/// columns.
fn without_head(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let line = memchr::memchr(b'\n', bytes).map_or(bytes, |newline| &bytes[..=newline]);
    let declares = std::str::from_utf8(line).is_ok_and(|line| Layout::declared_columns(line).is_some());
    if declares { &bytes[line.len()..] } else { bytes }
}

/// The end of the text so far.
#[derive(Debug, Default)]
struct Ending {
    /// The last, incomplete line.
    line: Vec<u8>,
    /// Whether the previous line has content; and whether lines end in `\r\n`.
    after_row: bool,
    returns: bool,
}

impl Ending {
    fn add(&mut self, text: &[u8]) {
        let Some(end) = memchr::memrchr(b'\n', text) else {
            self.line.extend_from_slice(text);
            return;
        };
        let line = if let Some(newline) = memchr::memrchr(b'\n', &text[..end]) {
            &text[newline + 1..end]
        } else {
            self.line.extend_from_slice(&text[..end]);
            &self.line
        };
        self.after_row = !is_blank(line);
        self.returns = line.ends_with(b"\r");
        self.line.clear();
        self.line.extend_from_slice(&text[end + 1..]);
    }

    /// Returns the text that ends the sentence.
    fn missing(&self) -> &'static [u8] {
        let unfinished = !self.line.is_empty();
        match (unfinished && !is_blank(&self.line), self.after_row, self.returns) {
            (true, _, false) => b"\n\n",
            (true, _, true) => b"\r\n\r\n",
            (false, true, false) => b"\n",
            (false, true, true) => b"\r\n",
            (false, false, _) if unfinished => b"\n",
            (false, false, _) => b"",
        }
    }
}

/// Text during its conversion to another format.
#[derive(Debug)]
struct Conversion {
    writer: Box<dyn SentenceWriter>,
    /// The columns of the current file.
    layout: Option<Arc<Layout>>,
    /// Text that may be the beginning of a sentence.
    text: Vec<u8>,
    /// Whether that is the beginning of its file.
    at_start: bool,
}

impl Conversion {
    fn new(writer: Box<dyn SentenceWriter>) -> Self {
        Self { writer, layout: None, text: Vec::new(), at_start: true }
    }

    fn start(&mut self, layout: &Arc<Layout>) {
        self.layout = Some(Arc::clone(layout));
        self.at_start = true;
    }

    /// Adds text and returns the complete sentences, converted; at the end of a file, all.
    fn convert(&mut self, text: &[u8], at_end: bool) -> io::Result<Vec<u8>> {
        let mut converted = Vec::new();
        let Some(layout) = &self.layout else { return Ok(converted) };
        self.text.extend_from_slice(text);
        let mut blocks = Blocks::new(io::empty(), std::mem::take(&mut self.text), layout.has_comments());
        let mut sentence = Sentence::empty(Arc::clone(layout));
        let (mut block, mut problems) = (Vec::new(), Vec::new());
        while blocks.next_into(&mut block)?.is_some() {
            // Only the first line of a file can have a byte-order mark.
            let first_line = if self.at_start { 1 } else { 2 };
            sentence.read_block(layout, &block, first_line, &mut problems);
            problems.clear();
            if at_end || (sentence.n_tokens() > 0 && sentence.lines().last() == Some(Line::Blank)) {
                self.writer.write(&sentence, &mut converted);
                self.at_start = false;
            } else {
                self.text.extend_from_slice(&block);
            }
            block.clear();
        }
        Ok(converted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::by_name;
    use crate::reader::ReadOptions;
    use crate::source::Source;

    /// Joins texts, passed in parts of `part` bytes.
    fn join(texts: &[&str], to: Option<&str>, part: usize) -> Result<String> {
        let to = to.map(|name| by_name(name).unwrap().layout());
        let mut joined = Joined::new(Vec::new(), to);
        for (number, text) in texts.iter().enumerate() {
            let stream = io::Cursor::new(text.as_bytes().to_vec());
            let source = Source::from_stream(stream, format!("file {number}"), None).unwrap();
            joined.start(&Reader::new(source, &ReadOptions::default()).unwrap())?;
            for bytes in text.as_bytes().chunks(part) {
                joined.write_all(bytes).unwrap();
            }
        }
        Ok(String::from_utf8(joined.finish().unwrap().0).unwrap())
    }

    fn check(texts: &[&str], to: Option<&str>, expected: &str) {
        assert_eq!(join(texts, to, 1 << 20).unwrap(), expected);
        assert_eq!(join(texts, to, 3).unwrap(), expected);
    }

    #[test]
    fn sentences_of_different_files_stay_apart() {
        for end in ["", "\n", "\n\n", "\n \n"] {
            let ended = if end == "\n \n" { end } else { "\n\n" };
            let (first, second) = ("a\tX\t0\troot", "\u{feff}b\tX\t0\troot");
            let expected = format!("{first}{ended}{}{end}", &second[3..]);
            check(&[&format!("{first}{end}"), &format!("{second}{end}")], None, &expected);
        }
        check(&["a\tX\r\nb\tX\r\n", "c\tX\r\n"], None, "a\tX\r\nb\tX\r\n\r\nc\tX\r\n");
        // A single file is unchanged, and empty files add nothing.
        check(&["a\tX"], None, "a\tX");
        check(&["", "a\tX", "", "b\tX", ""], None, "a\tX\n\nb\tX");
    }

    #[test]
    fn files_of_different_formats_are_refused_or_converted() {
        let texts = ["# c\n1\ta\t_\tX\tX\t_\t0\troot\t_\t_", "b\tX\t0\troot"];
        let error = join(&texts, None, 1 << 20).unwrap_err().to_string();
        assert_eq!(
            error,
            "file 1: found the format malttab, expected conllu as in file 0; `--to` converts all to one"
        );
        check(&texts, Some("malttab"), "a\tX\t0\troot\n\nb\tX\t0\troot");
        let expected = format!("{}\n\n1\tb\t_\tX\tX\t_\t0\troot\t_\t_\n\n", texts[0]);
        check(&texts, Some("conllu"), &expected);
    }

    #[test]
    fn the_names_of_the_columns_stand_once_at_the_start() {
        let header = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC\n";
        let row = "1\ta\t_\tX\tX\t_\t0\troot\t_\tA=b\n\n";
        let named = format!("{header}{row}");
        for to in [None, Some("conllu"), Some("conllup")] {
            check(&[&named, &named], to, &format!("{named}{row}"));
            check(&["", &named, row], to, &format!("{named}{row}"));
        }
        // Files that do not name their columns have those of CoNLL-U.
        check(&[row, &named], None, &format!("{row}{row}"));
        check(&[row, &named], Some("conllu"), &format!("{row}{row}"));
    }
}
