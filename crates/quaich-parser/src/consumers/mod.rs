//! Columns that are predicted by heads on the encoder, in addition to the tree: tags, features, lemmas.
//!
//! The predicted columns are not inputs of the encoder. To add a column, add a file here and its entry in [`CONSUMERS`].
//!
//! ```text
//!   training sentences ─▶ Tagging: the classes of every word ─▶ objective `Classes` ─▶ Tagger ─▶ cells
//! ```

mod features;
mod lemmas;
mod tagger;
mod tagging;
mod tags;

use std::borrow::Cow;
use std::fmt::Debug;

use quaich_treebank::{Node, Role, Sentence};

use crate::error::{Result, unknown_name};

pub(crate) use tagger::{TagScratch, Tagger};
pub(crate) use tagging::Tagging;

/// A column that can be predicted word by word.
pub(crate) trait Consumer: Debug + Sync {
    /// The name in settings and model files.
    fn name(&self) -> &'static str;

    /// One line of help.
    fn help(&self) -> &'static str;

    /// The column.
    fn role(&self) -> Role;

    /// The relation between classes and cells.
    fn kind(&self) -> Kind {
        Kind::Tag
    }

    /// Whether any of the sentences has a value in the column.
    fn is_in(&self, sentences: &[Sentence]) -> bool {
        has_values(sentences, self.role())
    }

    /// The class of a training word; `None` if the word is not used for training.
    fn class<'s>(&self, sentence: &'s Sentence, token: Node) -> Option<Cow<'s, str>> {
        let column = sentence.layout().position(self.role())?;
        Some(Cow::Borrowed(sentence.cell(token, column)))
    }
}

/// Whether any of the sentences has a value in the column of this role.
pub(crate) fn has_values(sentences: &[Sentence], role: Role) -> bool {
    sentences.iter().any(|sentence| {
        let column = sentence.layout().position(role);
        column.is_some_and(|column| sentence.tokens().any(|token| sentence.cell(token, column) != "_"))
    })
}

/// The relation between classes and cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The class is the cell. All tags of a word are predicted jointly.
    Tag,
    /// Like a tag, but the cell is a set of features, so that unseen combinations of features can be predicted.
    Features,
    /// The class is a rule that transforms the form to the cell.
    EditRule,
}

/// The consumers, in the order of the help text.
pub(crate) static CONSUMERS: &[&dyn Consumer] =
    &[&tags::CoarseTags, &tags::FineTags, &features::Features, &lemmas::Lemmas];

/// The setting for no consumers.
const NONE: &str = "none";
/// The setting for all consumers.
pub(crate) const ALL: &str = "all";

/// Parses a list of consumers: `none`, `all`, or names separated by commas.
pub(crate) fn by_names(names: &str) -> Result<Vec<&'static dyn Consumer>> {
    match names {
        NONE => Ok(Vec::new()),
        ALL => Ok(CONSUMERS.to_vec()),
        names => names.split(',').map(|name| by_name(name.trim())).collect(),
    }
}

/// Finds a consumer by name.
fn by_name(name: &str) -> Result<&'static dyn Consumer> {
    let found = CONSUMERS.iter().copied().find(|consumer| consumer.name() == name);
    found.ok_or_else(|| {
        unknown_name("predicted column", name, CONSUMERS.iter().map(|consumer| consumer.name()))
    })
}
