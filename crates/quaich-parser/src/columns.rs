//! Tracks which columns that a parser was trained on are empty in a text.

use std::sync::atomic::{AtomicBool, Ordering};

use quaich_features::ColumnName;
use quaich_treebank::formats::conllu;
use quaich_treebank::{Layout, Sentence};

/// The columns of a text, updated by several threads during parsing.
#[derive(Debug)]
pub(crate) struct Columns {
    columns: Vec<Column>,
    /// Whether there was any token.
    any_tokens: AtomicBool,
}

#[derive(Debug)]
struct Column {
    name: String,
    /// Its position, if the format has the column.
    position: Option<usize>,
    /// Whether a token had a value.
    seen: AtomicBool,
}

impl Columns {
    /// Tracks these columns of a format.
    pub(crate) fn new(columns: &[&ColumnName], layout: &Layout) -> Self {
        let columns = columns.iter().map(|&column| {
            let position = column.position(layout);
            Column { name: name(column, position, layout), position, seen: AtomicBool::new(false) }
        });
        Self { columns: columns.collect(), any_tokens: AtomicBool::new(false) }
    }

    /// Updates the columns with a sentence.
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

    /// The names of the columns that were always empty.
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

/// The name of a column in the format, or else in CoNLL-U.
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
