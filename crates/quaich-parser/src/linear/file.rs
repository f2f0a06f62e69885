//! A linear model as a part of a model file, and as what a training keeps.

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

/// What a description says of a linear model, by question; the tables are arrays.
#[derive(Serialize, Deserialize)]
struct LinearHeader {
    templates: Vec<Vec<String>>,
    /// What a unit of a score is worth.
    scales: Vec<f32>,
}

impl Persist for Linear {
    fn kind(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> Vec<(String, String)> {
        let counts: Vec<String> =
            self.answers.iter().map(|answer| answer.templates.len().to_string()).collect();
        vec![("linear".to_owned(), format!("{} templates", counts.join(" + ")))]
    }

    fn save(&self, part: &mut PartWriter<'_>) {
        let texts = |templates: &[Template]| templates.iter().map(ToString::to_string).collect();
        part.describe(&LinearHeader {
            templates: self.answers.iter().map(|answer| texts(&answer.templates)).collect(),
            scales: self.answers.iter().map(|answer| answer.table.scale()).collect(),
        });
        for (at, answer) in self.answers.iter().enumerate() {
            let (buckets, rows) = answer.table.bytes();
            part.lines(&format!("{at}.buckets"), buckets.to_vec());
            part.lines(&format!("{at}.rows"), rows.to_vec());
        }
    }
}

/// Puts a decoder together.
pub(crate) fn load(part: PartReader<'_>, questions: &Questions) -> Result<Box<dyn Decoder>, PartError> {
    let mut token_values = TokenValues::default();
    let model = read(part, questions, &mut token_values)?;
    Ok(ScorerDecoder::boxed(Arc::new(model), token_values))
}

/// Puts a model together.
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
    let mut answers: Vec<(Vec<Template>, Arc<Table>)> = Vec::new();
    for (at, question) in questions.iter().enumerate() {
        let parsed = templates[at].iter().map(|text| Template::parse(text)).collect::<Result<_, _>>();
        let lines = |name: &str| part.lines(&format!("{at}.{name}"));
        let table = Table::from_lines(question, lines("buckets")?, lines("rows")?, scales[at])
            .ok_or_else(|| PartError::broken("table of weights"))?;
        answers.push((parsed.map_err(|_| PartError::broken("list of templates"))?, Arc::new(table)));
    }
    quaich_features::limits::check(answers.iter().flat_map(|(templates, _)| templates))
        .map_err(|error| PartError(error.to_string()))?;
    Ok(Linear::new(
        answers.iter().map(|(templates, table)| (&templates[..], Arc::clone(table))),
        token_values,
    ))
}

/// What is stored of a training that may be resumed.
pub(super) fn stored(trained: &TrainedLinear) -> Arrays {
    let mut arrays = Arrays::default();
    let judged = trained.judged.iter();
    let judged: Vec<f32> = judged
        .flat_map(|(evidence, right)| evidence.to_numbers().into_iter().chain([f32::from(u8::from(*right))]))
        .collect();
    arrays.set("judged", &judged);
    arrays.nest("model", tables(&trained.model));
    if let Some(of_others) = &trained.of_others {
        arrays.nest("of-others", tables(of_others));
    }
    arrays
}

/// What was stored of the same training.
pub(super) fn restore(setup: &Setup<'_>, stored: &Arrays) -> Option<TrainedLinear> {
    let judged: Vec<f32> = stored.get("judged").ok()?;
    let (judged, _) = judged.as_chunks();
    let judged = judged.iter().map(|&[kind, label, lowest, head_lowest, distance, right]| {
        (Evidence::from_numbers([kind, label, lowest, head_lowest, distance]), right > 0.0)
    });
    Some(TrainedLinear {
        model: from_tables(setup, &stored.part("model"))?,
        judged: judged.collect(),
        of_others: from_tables(setup, &stored.part("of-others")),
    })
}

fn tables(model: &Linear) -> Arrays {
    let mut arrays = Arrays::default();
    for (at, answer) in model.answers.iter().enumerate() {
        let (buckets, rows) = answer.table.bytes();
        arrays.set_bytes(&format!("{at}.buckets"), buckets.to_vec());
        arrays.set_bytes(&format!("{at}.rows"), rows.to_vec());
        arrays.set_one(&format!("{at}.scale"), answer.table.scale());
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
