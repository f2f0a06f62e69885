//! Builds sentences from words, for programs without a treebank file.
//!
//! A built sentence is written as text and read back. Only the reader interprets text, so built sentences are equal to
//! read ones, and values that would be read differently are rejected.

use std::fmt::Write;
use std::sync::Arc;

use super::{Line, Sentence};
use crate::blocks::MAX_BLOCK;
use crate::error::{Error, Level, Result};
use crate::layout::{Layout, Role};
use crate::tree::Node;

impl Sentence {
    /// Creates a sentence of these words; all other cells are `_`. To set other cells, use [`SentenceBuilder`].
    ///
    /// ```
    /// use std::sync::Arc;
    /// use quaich_treebank::{Sentence, formats::conllu};
    ///
    /// let layout = Arc::new(conllu::layout());
    /// let sentence = Sentence::from_words(&layout, ["Cats", "sleep", "."])?;
    /// assert_eq!(sentence.n_tokens(), 3);
    /// # Ok::<(), quaich_treebank::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unwritable`] for a word that the format cannot hold, such as the empty one.
    pub fn from_words(
        layout: &Arc<Layout>,
        words: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self> {
        let mut builder = SentenceBuilder::new(layout);
        for word in words {
            builder.token([(Role::Form, word)])?;
        }
        builder.finish()
    }
}

/// Builds a sentence token by token.
///
/// Cells that are not given are `_`, and tokens are numbered if the format has numbers. Heads and labels are optional.
///
/// ```
/// use std::sync::Arc;
/// use quaich_treebank::{Node, Role, SentenceBuilder, formats::conllu};
///
/// let tagged = [("Cats", "NOUN", "2", "nsubj"), ("sleep", "VERB", "0", "root")];
/// let mut builder = SentenceBuilder::new(&Arc::new(conllu::layout()));
/// for (form, tag, head, label) in tagged {
///     builder.token([
///         (Role::Form, form),
///         (Role::CoarseTag, tag),
///         (Role::Head, head),
///         (Role::Label, label),
///     ])?;
/// }
/// let sentence = builder.finish()?;
/// assert_eq!(sentence.heads()[1], Node(2));
/// assert_eq!(sentence.text().lines().next(), Some("1\tCats\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_"));
/// # Ok::<(), quaich_treebank::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SentenceBuilder {
    layout: Arc<Layout>,
    /// One line per token.
    text: String,
    n_tokens: usize,
}

impl SentenceBuilder {
    /// Creates a builder without tokens.
    pub fn new(layout: &Arc<Layout>) -> Self {
        Self { layout: Arc::clone(layout), text: String::new(), n_tokens: 0 }
    }

    /// Adds a token with these cells. [`Role::Other`] is the first column that has this role.
    ///
    /// # Errors
    /// [`Error::Unwritable`] if a cell is empty or contains a separator or a line end, if the format has no column for
    /// it, or if there are two for one column. The token is not added then.
    pub fn token<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = (Role, S)>) -> Result<&mut Self> {
        let mut row: Vec<Option<S>> = self.layout.columns().iter().map(|_| None).collect();
        for (role, cell) in cells {
            let Some(column) = self.layout.position(role) else {
                return Err(self.no_column(role));
            };
            self.check_cell(column, cell.as_ref())?;
            if row[column].replace(cell).is_some() {
                let name = &self.layout.columns()[column].name;
                return Err(self.refuse(format!("found two cells for column {name}, expected one")));
            }
        }
        if self.text.len() + row.iter().flatten().map(|cell| cell.as_ref().len()).sum::<usize>() > MAX_BLOCK {
            return Err(self.refuse(format!("the sentence is longer than {MAX_BLOCK} bytes")));
        }
        self.n_tokens += 1;
        for (i, (column, cell)) in self.layout.columns().iter().zip(row).enumerate() {
            if i > 0 {
                self.text.push(char::from(self.layout.separator));
            }
            match cell {
                Some(cell) => self.text.push_str(cell.as_ref()),
                None if column.role == Role::Id => {
                    write!(self.text, "{}", self.n_tokens).expect("writing to a string cannot fail");
                }
                None => self.text.push('_'),
            }
        }
        self.text.push('\n');
        Ok(self)
    }

    /// Returns the sentence.
    ///
    /// # Errors
    /// [`Error::Unwritable`] for a number that is not the token's, for a head that is not a node of the sentence, and
    /// for a row that would not be read as a token, such as a comment.
    pub fn finish(mut self) -> Result<Sentence> {
        if self.n_tokens > 0 {
            self.text.push('\n');
        }
        let mut sentence = Sentence::empty(Arc::clone(&self.layout));
        let mut problems = Vec::new();
        sentence.read_block(&self.layout, self.text.as_bytes(), 1, &mut problems);
        if let Some(token) = self.strayed(&sentence) {
            let row = self.text.lines().nth(token.index() - 1).unwrap_or_default();
            let name = self.layout.name();
            let row = row.escape_debug();
            let reason =
                format!("the row `{row}` would be read as something other than this token in {name}");
            return Err(Error::Unwritable { token, reason });
        }
        match problems.into_iter().find(|problem| problem.level == Level::Error) {
            None => Ok(sentence),
            Some(problem) => {
                // Every token has one line.
                let at = sentence.tokens().zip(1..).find(|&(_, line)| line == problem.line);
                let token = at.map_or(Node::NONE, |(token, _)| token);
                Err(Error::Unwritable { token, reason: problem.message })
            }
        }
    }

    /// Returns the first token that would be read differently.
    fn strayed(&self, sentence: &Sentence) -> Option<Node> {
        // A byte-order mark at the beginning of a text belongs to no cell.
        let marked = self.text.starts_with('\u{feff}').then_some(Node(1));
        let tokens = (1..=self.n_tokens).map(Node::from_index);
        marked.or_else(|| {
            tokens
                .zip(sentence.lines())
                .find(|&(token, line)| line != Line::Token(token))
                .map(|(token, _)| token)
        })
    }

    fn check_cell(&self, column: usize, cell: &str) -> Result<()> {
        let separator = char::from(self.layout.separator);
        let name = &self.layout.columns()[column].name;
        let found = match cell.chars().find(|&char| char == separator || matches!(char, '\n' | '\r')) {
            None if cell.is_empty() => {
                return Err(self.refuse(format!("the {name} cell is empty, expected a value or `_`")));
            }
            None => return Ok(()),
            Some('\t') => "a tab",
            Some(' ') => "a space",
            Some(_) => "a line end",
        };
        Err(self.refuse(format!("found {found} in the {name} cell `{}`, expected none", cell.escape_debug())))
    }

    fn no_column(&self, role: Role) -> Error {
        let names: Vec<&str> = self.layout.columns().iter().map(|column| &*column.name).collect();
        self.refuse(format!(
            "found a cell for {role:?}, which {} has no column for; its columns: {}",
            self.layout.name(),
            names.join(", ")
        ))
    }

    /// Returns the error for the token being added.
    fn refuse(&self, reason: String) -> Error {
        Error::Unwritable { token: Node::from_index(self.n_tokens + 1), reason }
    }
}
