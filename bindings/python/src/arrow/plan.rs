//! Which column of a batch is what, and which columns the result has.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Schema};
use pyo3::prelude::*;

use super::input::{Lists, Strings};
use crate::errors::{bad_data, setting};
use crate::rows;

/// What callers of `parse_batch` can choose.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    /// The names of columns that are not called as expected.
    columns: BTreeMap<String, String>,
    keep: Option<Vec<String>>,
    pub(super) scores: bool,
    labels: String,
    errors: String,
    pub(super) jobs: isize,
}

/// How the rows of a batch are parsed.
pub(super) struct Plan {
    pub(super) options: Options,
    pub(super) rows: RowKind,
    /// The numbers of the columns that are passed along.
    pub(super) kept: Vec<usize>,
    kept_fields: Vec<FieldRef>,
    new_fields: Vec<FieldRef>,
    /// Whether labels are numbers of a dictionary.
    pub(super) has_dictionary: bool,
    /// Whether a bad row gets nulls and a message.
    pub(super) nulls_for_errors: bool,
}

/// What a row is.
pub(super) enum RowKind {
    /// A sentence of words: the numbers of the columns of `rows::COLUMNS`, which the batch may lack.
    Words([Option<usize>; 5]),
    /// A text: the number of its column. The result has a row per sentence.
    Text(usize),
}

impl Plan {
    pub(super) fn new(model: &quaich::Model, schema: &Schema, options: Options) -> PyResult<Self> {
        let has_dictionary = one_of("labels", &options.labels, ["string", "dictionary"])?;
        let nulls_for_errors = one_of("errors", &options.errors, ["raise", "null"])?;
        let known = rows::COLUMNS.into_iter().chain(["text"]);
        if let Some(unknown) = options.columns.keys().find(|key| !known.clone().any(|known| known == **key)) {
            let known = known.collect::<Vec<_>>().join(", ");
            return Err(setting(&format!("unknown column `{unknown}`; known: {known}")));
        }
        let position = |name: &str| match options.columns.get(name) {
            None => Ok(schema.index_of(name).ok()),
            Some(given) => match schema.index_of(given) {
                Ok(position) => Ok(Some(position)),
                Err(_) => Err(no_column(schema, given)),
            },
        };
        let kind = match (position("form")?, position("text")?) {
            (Some(_), _) => {
                let mut columns = [None; 5];
                for (column, name) in columns.iter_mut().zip(rows::COLUMNS) {
                    *column = position(name)?;
                    if let Some(field) = column.map(|number| schema.field(number))
                        && !Lists::has_type(field.data_type())
                    {
                        return Err(wrong_type(field, "lists of strings"));
                    }
                }
                RowKind::Words(columns)
            }
            (None, Some(text)) => {
                let field = schema.field(text);
                if !Strings::has_type(field.data_type()) {
                    return Err(wrong_type(field, "strings"));
                }
                if !model.reads_text() {
                    let message = "the model has no tokenizer, expected a column `form` with lists of words";
                    return Err(bad_data("columns", message));
                }
                if has_dictionary {
                    return Err(setting(
                        "labels=\"dictionary\" is for rows of words, but the rows are texts",
                    ));
                }
                RowKind::Text(text)
            }
            (None, None) => return Err(no_column(schema, "form` or `text")),
        };
        let label = if has_dictionary { dictionary_type(model) } else { DataType::Utf8 };
        let new_fields = new_fields(&kind, &options, label, nulls_for_errors);
        let is_new = |field: &Field| new_fields.iter().any(|new| new.name() == field.name());
        let mut kept = Vec::new();
        match &options.keep {
            Some(names) => {
                for name in names {
                    let number = schema.index_of(name).map_err(|_| no_column(schema, name))?;
                    if is_new(schema.field(number)) {
                        let message =
                            format!("column `{name}` cannot be kept: the result has a column of this name");
                        return Err(setting(&message));
                    }
                    kept.push(number);
                }
            }
            None => {
                let text = if let RowKind::Text(text) = kind { Some(text) } else { None };
                let all = schema.fields().iter().enumerate();
                kept.extend(
                    all.filter(|&(number, field)| Some(number) != text && !is_new(field))
                        .map(|(number, _)| number),
                );
            }
        }
        let kept_fields = kept.iter().map(|&number| Arc::clone(&schema.fields()[number])).collect();
        Ok(Self { options, rows: kind, kept, kept_fields, new_fields, has_dictionary, nulls_for_errors })
    }

    /// The columns of the result: those that are kept, then the new ones.
    pub(super) fn schema(&self) -> Arc<Schema> {
        Arc::new(Schema::new(self.kept_fields.iter().chain(&self.new_fields).cloned().collect::<Vec<_>>()))
    }
}

/// The type of labels as numbers: Spark and others cannot read them in lists, so they are an option.
fn dictionary_type(model: &quaich::Model) -> DataType {
    const MOST_IN_16_BITS: usize = i16::MAX as usize;
    let small = model.labels().iter().count() <= MOST_IN_16_BITS;
    DataType::Dictionary(
        Box::new(if small { DataType::Int16 } else { DataType::Int32 }),
        Box::new(DataType::Utf8),
    )
}

fn new_fields(kind: &RowKind, options: &Options, label: DataType, nulls_for_errors: bool) -> Vec<FieldRef> {
    let field = |name: &str, data_type: DataType| Arc::new(Field::new(name, data_type, true));
    let list = |name: &str, item: DataType| field(name, DataType::List(field("item", item)));
    let mut fields = Vec::new();
    if let RowKind::Text(_) = kind {
        fields.extend(["sentence", "start", "end"].map(|name| field(name, DataType::Int32)));
        fields.extend(rows::COLUMNS.map(|name| list(name, DataType::Utf8)));
    }
    fields.extend([list("head", DataType::Int32), list("deprel", label)]);
    if let RowKind::Text(_) = kind {
        fields.push(list("misc", DataType::Utf8));
    }
    if options.scores {
        fields.push(list("score", DataType::Float32));
    }
    if nulls_for_errors {
        fields.push(field("error", DataType::Utf8));
    }
    fields
}

/// Whether an option has the second of two values.
fn one_of(name: &str, given: &str, [first, second]: [&str; 2]) -> PyResult<bool> {
    match given {
        given if given == first => Ok(false),
        given if given == second => Ok(true),
        given => Err(setting(&format!("{name} is {given:?}, expected {first:?} or {second:?}"))),
    }
}

fn no_column(schema: &Schema, name: &str) -> PyErr {
    let found: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    bad_data("columns", &format!("found no column `{name}`; the columns are: {}", found.join(", ")))
}

fn wrong_type(field: &Field, expected: &str) -> PyErr {
    let (name, found) = (field.name(), field.data_type());
    bad_data("columns", &format!("column `{name}` has the type {found}, expected {expected}"))
}
