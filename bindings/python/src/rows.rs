//! Words and their columns → a sentence, for values that come from Python objects or Arrow arrays.
//!
//! The rows of CoNLL-U are written without intermediate values; only the library's reader interprets them.

use std::fmt::Write;
use std::sync::{Arc, LazyLock};

use quaich::Sentence;
use quaich::treebank::{Layout, Level, formats::conllu};

/// The cells of a word that can be given: FORM, LEMMA, UPOS, XPOS, FEATS.
pub(crate) const COLUMNS: [&str; 5] = ["form", "lemma", "upos", "xpos", "feats"];

/// Builds sentences; the memory is reused.
pub(crate) struct Rows {
    layout: Arc<Layout>,
    text: String,
    n_words: usize,
}

impl Rows {
    pub(crate) fn new() -> Self {
        Self { layout: Arc::clone(&LAYOUT), text: String::new(), n_words: 0 }
    }

    /// A sentence without words, to be filled.
    pub(crate) fn sentence(&self) -> Sentence {
        Sentence::empty(Arc::clone(&self.layout))
    }

    /// Adds a word; absent cells are `_`. Returns what is wrong with it.
    pub(crate) fn push(&mut self, cells: [Option<&str>; 5]) -> Result<(), String> {
        self.n_words += 1;
        let number = self.n_words;
        write!(self.text, "{number}").expect("writing to a string cannot fail");
        for (name, cell) in COLUMNS.into_iter().zip(cells) {
            let cell = match cell {
                None if name == "form" => return Err(format!("word {number} has no form")),
                None => "_",
                Some("") => {
                    return Err(format!("word {number} has an empty {name}, expected text or nothing"));
                }
                Some(cell) => cell,
            };
            if let Some(byte) = cell.bytes().find(|byte| matches!(byte, b'\t' | b'\n' | b'\r')) {
                let found = if byte == b'\t' { "a tab" } else { "a line end" };
                return Err(format!("word {number} has {found} in its {name} {cell:?}, expected none"));
            }
            self.text.push('\t');
            self.text.push_str(cell);
        }
        self.text.push_str("\t_\t_\t_\t_\n");
        Ok(())
    }

    /// Reads the words into a sentence and starts the next one.
    pub(crate) fn finish(&mut self, sentence: &mut Sentence) -> Result<(), String> {
        if self.n_words > 0 {
            self.text.push('\n');
        }
        let mut problems = Vec::new();
        sentence.read_block(&self.layout, self.text.as_bytes(), 1, &mut problems);
        self.clear();
        match problems.into_iter().find(|problem| problem.level == Level::Error) {
            // Every word has one line.
            Some(problem) => Err(format!("word {}: {}", problem.line, problem.message)),
            None => Ok(()),
        }
    }

    /// Starts the next sentence.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.n_words = 0;
    }
}

/// The columns of CoNLL-U, shared by all sentences that are built here.
static LAYOUT: LazyLock<Arc<Layout>> = LazyLock::new(|| Arc::new(conllu::layout()));
