//! Columns that are predicted from the encoder besides heads and labels: tags, features, lemmas.
//!
//! The encoder does not see what it predicts. A new consumer is a file here and its entry in [`CONSUMERS`].
//!
//! ```text
//!   training sentences ─▶ Tagging: classes of every word ─▶ objective `Classes` ─▶ Tagger ─▶ cells
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
    /// The name, in settings and model files.
    fn name(&self) -> &'static str;

    /// One line of help.
    fn help(&self) -> &'static str;

    /// The column.
    fn role(&self) -> Role;

    /// How classes stand for cells.
    fn kind(&self) -> Kind {
        Kind::Tag
    }

    /// Whether some sentences have a value in the column.
    fn is_in(&self, sentences: &[Sentence]) -> bool {
        sentences.iter().any(|sentence| {
            let column = sentence.layout().position(self.role());
            column.is_some_and(|column| sentence.tokens().any(|token| sentence.cell(token, column) != "_"))
        })
    }

    /// The class of a word in training; none if nothing is to be learned from it.
    fn class<'s>(&self, sentence: &'s Sentence, token: Node) -> Option<Cow<'s, str>> {
        let column = sentence.layout().position(self.role())?;
        Some(Cow::Borrowed(sentence.cell(token, column)))
    }
}

/// How classes stand for cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A class is the cell, and agrees with the other tags of the word.
    Tag,
    /// Like a tag, and a set of features, so that combinations that were never seen can be predicted.
    Features,
    /// A class is a rule that makes the cell from the form.
    EditRule,
}

/// The consumers, in the order that help shows them.
pub(crate) static CONSUMERS: &[&dyn Consumer] =
    &[&tags::CoarseTags, &tags::FineTags, &features::Features, &lemmas::Lemmas];

/// The setting that asks for no consumer.
const NONE: &str = "none";
/// The setting that asks for all consumers.
pub(crate) const ALL: &str = "all";

/// Consumers by name: `none`, `all`, or names separated by commas.
pub(crate) fn by_names(names: &str) -> Result<Vec<&'static dyn Consumer>> {
    match names {
        NONE => Ok(Vec::new()),
        ALL => Ok(CONSUMERS.to_vec()),
        names => names.split(',').map(|name| by_name(name.trim())).collect(),
    }
}

/// A consumer by name.
fn by_name(name: &str) -> Result<&'static dyn Consumer> {
    let found = CONSUMERS.iter().copied().find(|consumer| consumer.name() == name);
    found.ok_or_else(|| {
        unknown_name("predicted column", name, CONSUMERS.iter().map(|consumer| consumer.name()))
    })
}
