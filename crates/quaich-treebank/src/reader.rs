//! Reads a treebank file sentence by sentence, in constant memory.

use std::io::{self, Chain, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use encoding_rs::Encoding;

use crate::blocks::Blocks;
use crate::encoding::{self, Undecodable, encoding_by_name};
use crate::error::{Error, Level, Problem, Result};
use crate::formats::{self, Format, Recognised, SAMPLE, custom};
use crate::layout::Layout;
use crate::sentence::Sentence;
use crate::source::{Meter, Source};

/// Options for reading a file.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format, instead of detecting it.
    pub format: Option<FormatChoice>,
    /// The encoding, if it is not UTF-8.
    pub encoding: Option<&'static Encoding>,
    /// How to handle bytes that are invalid in the encoding.
    pub undecodable: Undecodable,
    /// Counts what is read.
    pub meter: Meter,
}

/// A format chosen by the user.
#[derive(Clone)]
pub enum FormatChoice {
    /// An entry of the table.
    Known(&'static dyn Format),
    /// A format described in a file.
    Custom(Arc<Layout>),
}

impl std::fmt::Debug for FormatChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Known(format) => f.write_str(format.name()),
            Self::Custom(layout) => f.write_str(layout.name()),
        }
    }
}

impl FormatChoice {
    /// Returns a format by its name, or by the path of a format file (ending in `.toml`).
    pub fn parse(name: &str) -> Result<Self> {
        match Self::file(name) {
            Some(file) => Ok(Self::Custom(Arc::new(custom::load(file)?))),
            None => formats::by_name(name).map(Self::Known),
        }
    }

    /// Returns the format file that [`parse`](Self::parse) reads for this name, if any.
    pub fn file(name: &str) -> Option<&Path> {
        Some(Path::new(name)).filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
    }

    /// Returns the columns.
    pub fn layout(&self) -> Arc<Layout> {
        match self {
            Self::Known(format) => Arc::new(format.layout()),
            Self::Custom(layout) => Arc::clone(layout),
        }
    }

    /// Returns the columns of a file that begins with these bytes.
    fn layout_of(&self, beginning: &[u8]) -> Result<Arc<Layout>, String> {
        match self {
            Self::Known(format) => {
                let text = String::from_utf8_lossy(beginning);
                format.layout_of(text.lines().next().unwrap_or_default()).map(Arc::new)
            }
            Self::Custom(layout) => Ok(Arc::clone(layout)),
        }
    }

    /// Returns the entry of the table, if the format has one.
    pub fn known(&self) -> Option<&'static dyn Format> {
        match self {
            Self::Known(format) => Some(*format),
            Self::Custom(_) => None,
        }
    }
}

impl ReadOptions {
    /// Creates options from names given by the user.
    pub fn parse(format: Option<&str>, encoding: Option<&str>) -> Result<Self> {
        Ok(Self {
            format: format.map(FormatChoice::parse).transpose()?,
            encoding: encoding.map(encoding_by_name).transpose()?,
            undecodable: Undecodable::default(),
            meter: Meter::default(),
        })
    }
}

/// A file whose content was detected: a treebank, or raw text.
#[derive(Debug)]
pub enum Opened {
    /// Sentences in a known format.
    Treebank(Reader),
    /// Text, as bytes that are expected to be UTF-8.
    Text(TextSource),
}

/// Raw text.
#[derive(Debug)]
pub struct TextSource {
    stream: Chain<Cursor<Vec<u8>>, Source>,
}

impl TextSource {
    /// Opens a file, or standard input for `-`, as text.
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Self> {
        let ReadOptions { encoding, undecodable, meter, .. } = options;
        let source = Source::open(path.as_ref(), *encoding, *undecodable, meter.clone())?;
        Ok(Self { stream: Cursor::new(Vec::new()).chain(source) })
    }

    /// The file name for messages.
    pub fn name(&self) -> &str {
        self.stream.get_ref().1.name()
    }
}

impl Read for TextSource {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.stream.read(out)
    }
}

/// Whether content that has no known format is text: its lines are not cut into columns, and it has no oddities that suggest another
/// encoding.
fn is_text(head: &[u8]) -> bool {
    let lines = || head.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let has_columns = |line: &&[u8]| memchr::memchr_iter(b'\t', line).count() >= 3;
    encoding::oddity(head, true).is_none() && 2 * lines().filter(has_columns).count() <= lines().count()
}

/// Reads sentences from a file.
#[derive(Debug)]
pub struct Reader {
    blocks: Blocks<Source>,
    format: FormatChoice,
    doubt: Option<String>,
    is_empty: bool,
    layout: Arc<Layout>,
    file: String,
    block: Vec<u8>,
    problems: Vec<Problem>,
}

impl Reader {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Self> {
        let ReadOptions { encoding, undecodable, meter, .. } = options;
        Self::new(Source::open(path.as_ref(), *encoding, *undecodable, meter.clone())?, options)
    }

    /// Opens a file, or standard input for `-`, that is a treebank or raw text.
    pub fn open_any(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Opened> {
        let ReadOptions { encoding, undecodable, meter, .. } = options;
        let mut source = Source::open(path.as_ref(), *encoding, *undecodable, meter.clone())?;
        if options.format.is_some() {
            return Self::new(source, options).map(Opened::Treebank);
        }
        let head = source.peek(SAMPLE)?;
        let recognised = formats::recognise(&head, source.name());
        let is_text = match &recognised {
            Ok(recognised) => recognised.is_rather_text,
            Err(Error::UnrecognisedFormat { .. }) => is_text(&head),
            Err(_) => false,
        };
        if is_text {
            return Ok(Opened::Text(TextSource { stream: Cursor::new(head).chain(source) }));
        }
        Self::recognised(source, head, recognised?).map(Opened::Treebank)
    }

    /// Reads from a source that was opened with `options.encoding`.
    pub fn new(mut source: Source, options: &ReadOptions) -> Result<Self> {
        let Some(format) = &options.format else {
            let head = source.peek(SAMPLE)?;
            let recognised = formats::recognise(&head, source.name())?;
            return Self::recognised(source, head, recognised);
        };
        // Reading ahead would delay interactive input and slow pipes.
        let head = if format.layout().declared { source.peek(SAMPLE)? } else { Vec::new() };
        Self::with_format(source, head, format.clone())
    }

    fn recognised(source: Source, head: Vec<u8>, recognised: Recognised) -> Result<Self> {
        let Recognised { format, doubt, is_empty, .. } = recognised;
        let reader = Self::with_format(source, head, FormatChoice::Known(format))?;
        Ok(Self { doubt, is_empty, ..reader })
    }

    fn with_format(source: Source, head: Vec<u8>, format: FormatChoice) -> Result<Self> {
        let file = source.name().to_owned();
        let layout =
            format.layout_of(&head).map_err(|reason| Error::FormatFile { file: file.clone(), reason })?;
        let blocks = Blocks::new(source, head, layout.comments);
        let (block, problems) = (Vec::new(), Vec::new());
        Ok(Self { blocks, format, doubt: None, is_empty: false, layout, file, block, problems })
    }

    /// Returns the format, detected or given.
    pub fn format(&self) -> &FormatChoice {
        &self.format
    }

    /// Returns the evidence for a format other than the detected one, as a sentence for the user.
    pub fn doubt(&self) -> Option<&str> {
        self.doubt.as_deref()
    }

    /// Whether the file is empty, so that no format could be detected.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Returns the columns.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Returns the file name for messages.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns an empty sentence to read into.
    pub fn sentence(&self) -> Sentence {
        Sentence::empty(Arc::clone(&self.layout))
    }

    /// Reads the next sentence into `sentence`; returns false at the end of the file. Returns the first error in a
    /// sentence; reading can continue after it.
    pub fn read(&mut self, sentence: &mut Sentence) -> Result<bool> {
        let mut problems = std::mem::take(&mut self.problems);
        problems.clear();
        let more = self.read_with_problems(sentence, &mut problems)?;
        let first = problems.iter().position(|problem| problem.level == Level::Error);
        let result = match first {
            None => Ok(more),
            Some(first) => Err(self.malformed(sentence, problems.swap_remove(first))),
        };
        self.problems = problems;
        result
    }

    /// Reads the next sentence and reports all its problems.
    pub fn read_with_problems(
        &mut self,
        sentence: &mut Sentence,
        problems: &mut Vec<Problem>,
    ) -> Result<bool> {
        self.block.clear();
        let next = self.blocks.next_into(&mut self.block).map_err(|source| Error::io(&self.file, source))?;
        let Some(first_line) = next else { return Ok(false) };
        sentence.read_block(&self.layout, &self.block, first_line, problems);
        Ok(true)
    }

    /// Appends the raw text of the next sentence to `text` and returns the number of its first line: for workers that
    /// call [`Sentence::read_block`] themselves.
    pub fn read_block(&mut self, text: &mut Vec<u8>) -> Result<Option<u64>> {
        self.blocks.next_into(text).map_err(|source| Error::io(&self.file, source))
    }

    /// Iterates over all sentences that have tokens.
    pub fn sentences(mut self) -> impl Iterator<Item = Result<Sentence>> {
        std::iter::from_fn(move || {
            loop {
                let mut sentence = self.sentence();
                match self.read(&mut sentence) {
                    Ok(false) => return None,
                    Ok(true) if sentence.n_tokens() == 0 => {}
                    Ok(true) => return Some(Ok(sentence)),
                    Err(error) => return Some(Err(error)),
                }
            }
        })
    }

    /// Returns the error for a problem in a sentence of this file.
    pub fn malformed(&self, sentence: &Sentence, problem: Problem) -> Error {
        malformed(&self.file, sentence, problem)
    }
}

/// Returns the error for a problem in a sentence, with the token in brackets.
pub fn malformed(file: &str, sentence: &Sentence, problem: Problem) -> Error {
    let context = sentence.context_of(problem.line);
    Error::Malformed { file: file.to_owned(), problem: Box::new(problem), context }
}
