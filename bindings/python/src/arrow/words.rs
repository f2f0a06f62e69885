//! Rows of words → columns of heads, labels, scores.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::builder::{Float32Builder, Int16Builder, Int32Builder, ListBuilder, StringBuilder};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int16Array, Int32Array, ListArray, RecordBatch, StringArray,
};
use arrow_schema::Field;
use quaich::{Sentence, Worker};

use super::input::Lists;
use crate::errors::panic_message;
use crate::rows::{self, Rows};

/// The columns of a batch, by their place in `rows::COLUMNS`.
pub(super) type Columns<'a> = [Option<Lists<'a>>; 5];

/// The columns of a batch that a plan names.
pub(super) fn columns<'a>(batch: &'a RecordBatch, numbers: &[Option<usize>; 5]) -> Columns<'a> {
    numbers.map(|number| number.and_then(|number| Lists::new(batch.column(number))))
}

/// Reads a row into a sentence; `Ok(false)` if it is null.
pub(super) fn read(
    columns: &Columns<'_>,
    row: usize,
    rows: &mut Rows,
    sentence: &mut Sentence,
) -> Result<bool, String> {
    rows.clear();
    let Some(forms) = columns[0].as_ref().and_then(|forms| forms.row(row)) else { return Ok(false) };
    let mut starts = [None; 5];
    for ((start, column), name) in starts.iter_mut().zip(columns).zip(rows::COLUMNS) {
        // A null list is a column of `_`.
        let Some(own) = column.as_ref().and_then(|column| column.row(row)) else { continue };
        if own.len() != forms.len() {
            return Err(format!("found {} values of {name} for {} words", own.len(), forms.len()));
        }
        *start = Some(own.start);
    }
    for word in 0..forms.len() {
        let mut cells = [None; 5];
        for ((cell, column), start) in cells.iter_mut().zip(columns).zip(starts) {
            *cell = column.as_ref().zip(start).and_then(|(column, start)| column.get(start + word));
        }
        rows.push(cells)?;
    }
    rows.finish(sentence)?;
    Ok(true)
}

/// The results of some rows.
pub(super) struct Part {
    heads: ListBuilder<Int32Builder>,
    /// The numbers of labels.
    labels: Vec<Option<u32>>,
    scores: Option<ListBuilder<Float32Builder>>,
    errors: Option<StringBuilder>,
    probabilities: Vec<f32>,
}

impl Part {
    pub(super) fn new(has_scores: bool, has_errors: bool) -> Self {
        Self {
            heads: ListBuilder::new(Int32Builder::new()),
            labels: Vec::new(),
            scores: has_scores.then(|| ListBuilder::new(Float32Builder::new())),
            errors: has_errors.then(StringBuilder::new),
            probabilities: Vec::new(),
        }
    }

    /// Parses rows until `stops` returns true. Without a column of errors, ends at the first bad row and returns what is wrong.
    pub(super) fn parse(
        &mut self,
        columns: &Columns<'_>,
        range: Range<usize>,
        (model, worker): (&quaich::Model, &mut Worker),
        stops: &dyn Fn() -> bool,
    ) -> Result<(), String> {
        let mut rows = Rows::new();
        let mut sentence = rows.sentence();
        for row in range.take_while(|_| !stops()) {
            match read(columns, row, &mut rows, &mut sentence) {
                Ok(true) if self.errors.is_none() => self.push(&sentence, worker),
                // A defect of the parser costs one row; its worker may be in a state that it never has.
                Ok(true) => {
                    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.push(&sentence, worker))) {
                        *worker = model.worker();
                        self.push_null(Some(&panic_message(&*panic)));
                    }
                }
                Ok(false) => self.push_null(None),
                Err(message) if self.errors.is_some() => self.push_null(Some(&message)),
                Err(message) => return Err(format!("row {row}: {message}")),
            }
        }
        Ok(())
    }

    fn push(&mut self, sentence: &Sentence, worker: &mut Worker) {
        // What can panic comes before anything is added.
        let tree = match &mut self.scores {
            None => worker.parse(sentence),
            Some(scores) => {
                let tree = worker.parse_with_scores(sentence, &mut self.probabilities);
                scores.values().append_slice(&self.probabilities[1..=sentence.n_tokens()]);
                scores.append(true);
                tree
            }
        };
        for token in sentence.tokens() {
            self.heads.values().append_value(tree.head(token).0.cast_signed());
            let label = tree.label(token);
            self.labels.push((!label.is_none()).then_some(label.0));
        }
        self.heads.append(true);
        if let Some(errors) = &mut self.errors {
            errors.append_null();
        }
    }

    fn push_null(&mut self, error: Option<&str>) {
        self.heads.append(false);
        if let Some(scores) = &mut self.scores {
            scores.append(false);
        }
        if let Some(errors) = &mut self.errors {
            errors.append_option(error);
        }
    }

    /// The columns, in the order of the plan.
    pub(super) fn finish(
        mut self,
        model: &quaich::Model,
        has_dictionary: bool,
    ) -> Result<Vec<ArrayRef>, String> {
        let heads = self.heads.finish();
        let labels = label_lists(model, &self.labels, &heads, has_dictionary)?;
        let mut columns: Vec<ArrayRef> = vec![Arc::new(heads), Arc::new(labels)];
        if let Some(mut scores) = self.scores {
            columns.push(Arc::new(scores.finish()));
        }
        if let Some(mut errors) = self.errors {
            columns.push(Arc::new(errors.finish()));
        }
        Ok(columns)
    }
}

/// Labels in lists like those of the heads.
fn label_lists(
    model: &quaich::Model,
    numbers: &[Option<u32>],
    heads: &ListArray,
    has_dictionary: bool,
) -> Result<ListArray, String> {
    let texts: Vec<&str> = model.labels().iter().map(|(_, text)| text).collect();
    let values = labels(&texts, numbers, has_dictionary)?;
    let item = Arc::new(Field::new("item", values.data_type().clone(), true));
    Ok(ListArray::new(item, heads.offsets().clone(), values, heads.nulls().cloned()))
}

fn labels(texts: &[&str], numbers: &[Option<u32>], has_dictionary: bool) -> Result<ArrayRef, String> {
    if !has_dictionary {
        let text = |number: &Option<u32>| number.map(|number| texts[number as usize]);
        let n_bytes: usize = numbers.iter().filter_map(text).map(str::len).sum();
        if i32::try_from(n_bytes).is_err() {
            return Err("found more than 2 GiB of labels in a batch; split it".to_owned());
        }
        let mut builder = StringBuilder::with_capacity(numbers.len(), n_bytes);
        numbers.iter().for_each(|number| builder.append_option(text(number)));
        return Ok(Arc::new(builder.finish()));
    }
    let values: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
    Ok(if i16::try_from(texts.len()).is_ok() {
        let mut keys = Int16Builder::with_capacity(numbers.len());
        // The number of a label is below their count.
        numbers
            .iter()
            .for_each(|number| keys.append_option(number.and_then(|number| i16::try_from(number).ok())));
        let keys: Int16Array = keys.finish();
        Arc::new(DictionaryArray::new(keys, values))
    } else {
        let keys: Int32Array = numbers.iter().map(|number| number.map(u32::cast_signed)).collect();
        Arc::new(DictionaryArray::new(keys, values))
    })
}
