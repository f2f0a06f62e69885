//! A treebank in memory, for uses that need all sentences at once. To process a file sentence by sentence, use a
//! [`Reader`].

use std::ops::Deref;
use std::path::Path;

use crate::error::Result;
use crate::reader::{ReadOptions, Reader};
use crate::sentence::Sentence;
use crate::source::Source;

/// Sentences, in order.
///
/// ```
/// use quaich_treebank::Treebank;
///
/// let treebank = Treebank::from_text("1\tHello\thello\tINTJ\tUH\t_\t0\troot\t_\t_\n\n")?;
/// assert_eq!(treebank.len(), 1);
/// assert_eq!(treebank.n_tokens(), 1);
/// # Ok::<(), quaich_treebank::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Treebank {
    sentences: Vec<Sentence>,
}

impl Treebank {
    /// Reads a file in any known format, compressed or not.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_reader(Reader::open(path.as_ref(), &ReadOptions::default())?)
    }

    /// Reads a text in any known format.
    pub fn from_text(text: &str) -> Result<Self> {
        let text = std::io::Cursor::new(text.to_owned());
        let source = Source::from_stream(text, "<text>".to_owned(), None)?;
        Self::from_reader(Reader::new(source, &ReadOptions::default())?)
    }

    /// Reads all sentences of a reader.
    pub fn from_reader(reader: Reader) -> Result<Self> {
        Ok(Self { sentences: reader.sentences().collect::<Result<_>>()? })
    }

    /// Returns the number of tokens of all sentences.
    pub fn n_tokens(&self) -> usize {
        self.sentences.iter().map(Sentence::n_tokens).sum()
    }
}

impl From<Vec<Sentence>> for Treebank {
    fn from(sentences: Vec<Sentence>) -> Self {
        Self { sentences }
    }
}

impl Deref for Treebank {
    type Target = [Sentence];

    fn deref(&self) -> &[Sentence] {
        &self.sentences
    }
}
