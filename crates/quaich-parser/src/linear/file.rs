//! A linear model as a part of a model file, and as a checkpoint.

use std::sync::Arc;

use quaich_features::{Template, TokenValues};
use quaich_learn::Arrays;
use serde::{Deserialize, Serialize};

use super::model::{Linear, Table};
use super::train::{Setup, TrainedLinear};
use crate::calibration::Evidence;
use crate::decisions::{Question, Questions};
use crate::decoder::{Decoder, Persist, ScorerDecoder};
use crate::huge_pages::Lines;
use crate::part::{PartError, PartReader, PartWriter};

/// The kind's name in model files.
pub(crate) const NAME: &str = "linear";

/// The header, with one entry per question; the tables are arrays.
#[derive(Serialize, Deserialize)]
struct LinearHeader {
    templates: Vec<Vec<String>>,
    /// The scale of scores.
    scales: Vec<f32>,
}

impl Persist for Linear {
    fn kind(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> Vec<(String, String)> {
        let counts: Vec<String> =
            self.by_question.iter().map(|entry| entry.templates.len().to_string()).collect();
        vec![("linear".to_owned(), format!("{} templates", counts.join(" + ")))]
    }

    fn save(&self, part: &mut PartWriter<'_>) {
        let texts = |templates: &[Template]| templates.iter().map(ToString::to_string).collect();
        part.describe(&LinearHeader {
            templates: self.by_question.iter().map(|entry| texts(&entry.templates)).collect(),
            scales: self.by_question.iter().map(|entry| entry.table.scale()).collect(),
        });
        for (at, entry) in self.by_question.iter().enumerate() {
            let (buckets, rows) = entry.table.bytes();
            part.lines(&format!("{at}.buckets"), buckets.to_vec());
            part.lines(&format!("{at}.rows"), rows.to_vec());
        }
    }
}

/// Reads a decoder.
pub(crate) fn load(part: PartReader<'_>, questions: &Questions) -> Result<Box<dyn Decoder>, PartError> {
    let mut token_values = TokenValues::default();
    let model = read(part, questions, &mut token_values)?;
    Ok(ScorerDecoder::boxed(Arc::new(model), token_values))
}

/// Reads a model.
pub(crate) fn read(
    part: PartReader<'_>,
    questions: &Questions,
    token_values: &mut TokenValues,
) -> Result<Linear, PartError> {
    let LinearHeader { templates, scales } = part.description()?;
    let questions = questions.list();
    if templates.len() != questions.len() || scales.len() != questions.len() {
        return Err(PartError::broken("list of questions"));
    }
    let mut by_question: Vec<(Vec<Template>, Arc<Table>)> = Vec::new();
    for (at, question) in questions.iter().enumerate() {
        let parsed = templates[at].iter().map(|text| Template::parse(text)).collect::<Result<_, _>>();
        let lines = |name: &str| part.lines(&format!("{at}.{name}"));
        let table = Table::from_lines(question, lines("buckets")?, lines("rows")?, scales[at])
            .ok_or_else(|| PartError::broken("table of weights"))?;
        by_question.push((parsed.map_err(|_| PartError::broken("list of templates"))?, Arc::new(table)));
    }
    quaich_features::limits::check(by_question.iter().flat_map(|(templates, _)| templates))
        .map_err(|error| PartError(error.to_string()))?;
    Ok(Linear::new(
        by_question.iter().map(|(templates, table)| (&templates[..], Arc::clone(table))),
        token_values,
    ))
}

/// A checkpoint of a training run.
pub(super) fn stored(trained: &TrainedLinear) -> Arrays {
    let mut arrays = Arrays::default();
    let held_out_arcs = trained.held_out_arcs.iter();
    let held_out_arcs: Vec<f32> = held_out_arcs
        .flat_map(|(evidence, right)| evidence.to_numbers().into_iter().chain([f32::from(u8::from(*right))]))
        .collect();
    arrays.set("judged", &held_out_arcs);
    arrays.nest("model", tables(&trained.model));
    if let Some(without_first_fold) = &trained.without_first_fold {
        arrays.nest("of-others", tables(without_first_fold));
    }
    arrays
}

/// Restores a checkpoint of the same run.
pub(super) fn restore(setup: &Setup<'_>, stored: &Arrays) -> Option<TrainedLinear> {
    let held_out_arcs: Vec<f32> = stored.get("judged").ok()?;
    let (held_out_arcs, _) = held_out_arcs.as_chunks();
    let held_out_arcs = held_out_arcs.iter().map(|&[kind, label, lowest, head_lowest, distance, right]| {
        (Evidence::from_numbers([kind, label, lowest, head_lowest, distance]), right > 0.0)
    });
    Some(TrainedLinear {
        model: from_tables(setup, &stored.part("model"))?,
        held_out_arcs: held_out_arcs.collect(),
        without_first_fold: from_tables(setup, &stored.part("of-others")),
    })
}

fn tables(model: &Linear) -> Arrays {
    let mut arrays = Arrays::default();
    for (at, entry) in model.by_question.iter().enumerate() {
        let (buckets, rows) = entry.table.bytes();
        arrays.set_bytes(&format!("{at}.buckets"), buckets.to_vec());
        arrays.set_bytes(&format!("{at}.rows"), rows.to_vec());
        arrays.set_one(&format!("{at}.scale"), entry.table.scale());
    }
    arrays
}

fn from_tables(setup: &Setup<'_>, stored: &Arrays) -> Option<Arc<Linear>> {
    let table = |(at, question): (usize, &Question)| {
        let lines = |name: &str| Lines::copied(stored.bytes(&format!("{at}.{name}"))?);
        let scale = stored.one(&format!("{at}.scale")).ok()?;
        Table::from_lines(question, lines("buckets")?, lines("rows")?, scale).map(Arc::new)
    };
    let tables: Option<Vec<Arc<Table>>> = setup.questions().iter().enumerate().map(table).collect();
    Some(setup.model(tables?))
}
