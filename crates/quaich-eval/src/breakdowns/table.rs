//! The result of a breakdown: rows of counts and percentages in named columns.

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::groups::ArcGroup;
use crate::measures::{MEASURES, Unit};
use crate::percent::Percent;
use crate::score::Score;

/// A table. As JSON, an object from the names of rows to objects from the keys of columns to values.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// The values of every row.
    pub columns: Vec<Column>,
    /// The groups.
    pub rows: Vec<Row>,
}

/// A column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// The key in JSON.
    pub key: &'static str,
    /// The heading.
    pub name: &'static str,
}

/// A group.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// One value per column.
    pub values: Vec<Value>,
}

/// A value of a table.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A count.
    Count(u64),
    /// A percentage that is 100 if everything is correct.
    Percent(Percent),
    /// A percentage of something else.
    Part(Percent),
    /// A number, if defined.
    Number(Option<f64>),
}

/// The key and name of the harmonic mean of precision and recall.
const F1: (&str, &str) = ("f1", "F");

impl Table {
    /// Returns the column for comparing systems: F, which combines precision and recall, or the first.
    pub fn main_column(&self) -> usize {
        self.columns.iter().position(|column| column.key == F1.0).unwrap_or(0)
    }

    /// Creates a table of groups of arcs, which may differ between the sides: precision, recall and F, first with head
    /// and label correct, then with one of the two, as `one` says.
    pub(super) fn of_arcs(
        one: &[(&'static str, &'static str); 3],
        rows: impl IntoIterator<Item = (String, ArcGroup)>,
    ) -> Self {
        let both = [("precision", "P"), ("recall", "R"), F1];
        let counts = [("gold", "gold"), ("system", "system"), ("correct", "correct")];
        let columns =
            both.iter().chain(one).chain(&counts).map(|&(key, name)| Column { key, name }).collect();
        let row = |(name, ArcGroup { both, one }): (String, ArcGroup)| {
            let percentages =
                [both, one].into_iter().flat_map(|group| [group.precision(), group.recall(), group.f1()]);
            // A correct arc is in the same group on both sides, so either side can be counted.
            let counts = [both.gold, both.system, both.gold_found];
            let values = percentages.map(Value::Percent).chain(counts.map(Value::Count)).collect();
            Row { name, values }
        };
        Self { columns, rows: rows.into_iter().map(row).collect() }
    }

    /// Creates a table of groups of tokens, which are the same on both sides: attachment.
    pub(super) fn of_tokens(rows: impl IntoIterator<Item = (String, Score)>) -> Self {
        Self::of_scores(rows, &[Unit::Tokens])
    }

    /// Creates a table of groups of sentences: attachment and exact match.
    pub(super) fn of_sentences(rows: impl IntoIterator<Item = (String, Score)>) -> Self {
        Self::of_scores(rows, &[Unit::Tokens, Unit::Sentences])
    }

    fn of_scores(rows: impl IntoIterator<Item = (String, Score)>, units: &[Unit]) -> Self {
        let measures = || MEASURES.iter().filter(|measure| units.contains(&measure.unit));
        let with_sentences = units.contains(&Unit::Sentences);
        let mut columns: Vec<Column> =
            measures().map(|measure| Column { key: measure.key, name: measure.name }).collect();
        if with_sentences {
            columns.push(Column { key: "sentences", name: "sentences" });
        }
        columns.push(Column { key: "scored_tokens", name: "tokens" });
        let row = |(name, score): (String, Score)| {
            let percentages = measures().map(|measure| Value::Percent((measure.share)(&score).percent()));
            let sentences = with_sentences.then_some(Value::Count(score.sentences));
            let tokens = Value::Count(score.scored.tokens);
            Row { name, values: percentages.chain(sentences).chain([tokens]).collect() }
        };
        Self { columns, rows: rows.into_iter().map(row).collect() }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => count.fmt(f),
            Self::Percent(percent) | Self::Part(percent) => percent.fmt(f),
            Self::Number(Some(number)) => f.pad(&format!("{number:.3}")),
            Self::Number(None) => f.pad("–"),
        }
    }
}

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.rows.len()))?;
        for Row { name, values } in &self.rows {
            map.serialize_entry(name, &Cells { columns: &self.columns, values })?;
        }
        map.end()
    }
}

/// A row with its columns.
struct Cells<'a> {
    columns: &'a [Column],
    values: &'a [Value],
}

impl Serialize for Cells<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.columns.iter().map(|column| column.key).zip(self.values))
    }
}
