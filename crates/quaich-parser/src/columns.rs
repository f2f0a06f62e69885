//! The columns that a parser learned from: which of them a text to be parsed has no values in.

use std::sync::atomic::{AtomicBool, Ordering};

use quaich_features::ColumnName;
use quaich_treebank::formats::conllu;
use quaich_treebank::{Layout, Sentence};

/// The columns of one text, watched by several threads while it is parsed.
#[derive(Debug)]
pub(crate) struct Columns {
    columns: Vec<Column>,
    /// Whether there was any token at all.
    any_tokens: AtomicBool,
}

#[derive(Debug)]
struct Column {
    name: String,
    /// Where it is, if the format has it.
    position: Option<usize>,
    /// Whether a token had a value there.
    seen: AtomicBool,
}

impl Columns {
    /// These columns, in a format.
    pub(crate) fn new(columns: &[&ColumnName], layout: &Layout) -> Self {
        let columns = columns.iter().map(|&column| {
            let position = column.position(layout);
            Column { name: name(column, position, layout), position, seen: AtomicBool::new(false) }
        });
        Self { columns: columns.collect(), any_tokens: AtomicBool::new(false) }
    }

    /// Looks at a sentence; only at what has not been seen yet.
    pub(crate) fn look(&self, sentence: &Sentence) {
        if sentence.n_tokens() > 0 && !self.any_tokens.load(Ordering::Relaxed) {
            self.any_tokens.store(true, Ordering::Relaxed);
        }
        for Column { position, seen, .. } in &self.columns {
            let Some(position) = *position else { continue };
            if !seen.load(Ordering::Relaxed)
                && sentence.tokens().any(|token| sentence.cell(token, position) != "_")
            {
                seen.store(true, Ordering::Relaxed);
            }
        }
    }

    /// The names of those in which there was nothing.
    pub(crate) fn missing(self) -> Vec<String> {
        if !self.any_tokens.into_inner() {
            return Vec::new();
        }
        self.columns
            .into_iter()
            .filter_map(|column| (!column.seen.into_inner()).then_some(column.name))
            .collect()
    }
}

/// A column as the format calls it, or else as CoNLL-U does.
fn name(column: &ColumnName, position: Option<usize>, layout: &Layout) -> String {
    let named = |layout: &Layout, position: usize| layout.columns()[position].name.to_string();
    match (column, position) {
        (_, Some(position)) => named(layout, position),
        (ColumnName::Named(name), None) => name.clone(),
        (ColumnName::Role(_) | ColumnName::MainTag, None) => {
            let conllu = conllu::layout();
            column.position(&conllu).map_or_else(String::new, |position| named(&conllu, position))
        }
    }
}
