//! Input that is a treebank or, for a model with a tokenizer, plain text.

use std::path::Path;

use quaich::treebank::{Opened, ReadOptions, Reader, Sentence, TextSource};
use quaich::{Model, TextMode, TextSentences};

use crate::output;

/// The sentences of a file.
pub(crate) enum Sentences {
    /// Those of a treebank.
    Treebank(Box<Reader>),
    /// Those that the tokenizer of a model finds in text.
    Text(Box<TextSentences<TextSource>>),
}

impl Sentences {
    /// Opens a file, or standard input for `-`. With a model that reads raw text, the content decides what the file is.
    pub(crate) fn open(path: &Path, options: &ReadOptions, model: Option<&Model>) -> anyhow::Result<Self> {
        let Some(model) = model.filter(|model| model.reads_text()) else {
            return Ok(Self::Treebank(Box::new(noted(Reader::open(path, options)?))));
        };
        match Reader::open_any(path, options)? {
            Opened::Treebank(reader) => Ok(Self::Treebank(Box::new(noted(reader)))),
            Opened::Text(source) => {
                let name = source.name().to_owned();
                Ok(Self::Text(Box::new(model.text_sentences((source, &name), TextMode::Text)?)))
            }
        }
    }

    /// The name of the file, for messages.
    pub(crate) fn file(&self) -> &str {
        match self {
            Self::Treebank(reader) => reader.file(),
            Self::Text(text) => text.file(),
        }
    }

    /// An empty sentence for [`read`](Self::read).
    pub(crate) fn sentence(&self) -> Sentence {
        match self {
            Self::Treebank(reader) => reader.sentence(),
            Self::Text(text) => text.sentence(),
        }
    }

    /// Reads the next sentence. Returns whether there is one.
    pub(crate) fn read(&mut self, sentence: &mut Sentence) -> anyhow::Result<bool> {
        match self {
            Self::Treebank(reader) => Ok(reader.read(sentence)?),
            Self::Text(text) => Ok(text.read(sentence)?),
        }
    }
}

/// Prints the detected format or encoding if it is uncertain.
fn noted(reader: Reader) -> Reader {
    if let Some(doubt) = reader.doubt() {
        output::note(doubt);
    }
    reader
}
