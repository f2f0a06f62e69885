//! Tracks which columns that a parser was trained on are empty in a text.

use std::sync::atomic::{AtomicBool, Ordering};

use quaich_features::ColumnName;
use quaich_treebank::formats::conllu;
use quaich_treebank::{Layout, Sentence};

use crate::model::Model;
use crate::worker::Worker;

impl Model {
    /// The names of the columns that the model was trained on and that are empty in all of these sentences, which lowers accuracy.
    /// Sentences that the model tags itself do not count.
    ///
    /// ```
    /// # use quaich_parser::{Settings, Trainer};
    /// # use quaich_treebank::{Sentence, Treebank, formats::conllu};
    /// # let text = "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n";
    /// # let treebank = Treebank::from_text(&text.repeat(10))?;
    /// # let model = Trainer::new(&Settings::default().with("learner=linear")?).train(&treebank)?;
    /// let words = Sentence::from_words(&std::sync::Arc::new(conllu::layout()), ["Cats", "sleep"])?;
    /// assert!(model.missing_columns([&words]).contains(&"UPOS".to_owned()));
    /// assert!(!model.missing_columns(&treebank[..]).contains(&"UPOS".to_owned()));
    /// # Ok::<(), quaich_parser::Error>(())
    /// ```
    pub fn missing_columns<'s>(&self, sentences: impl IntoIterator<Item = &'s Sentence>) -> Vec<String> {
        let (worker, mut columns): (Worker, Option<Columns>) = (self.worker(), None);
        for sentence in sentences.into_iter().filter(|sentence| !worker.is_untagged(sentence)) {
            columns.get_or_insert_with(|| Columns::new(&self.columns(), sentence.layout())).look(sentence);
        }
        columns.map_or_else(Vec::new, Columns::missing)
    }
}

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
