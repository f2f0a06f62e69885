//! A linear model as a part of a model file, and as what a training keeps.

use std::sync::Arc;

use quaich_features::{Template, TokenValues};
use quaich_learn::Arrays;
use serde::{Deserialize, Serialize};

use super::model::{Linear, Table};
use super::train::{LinearTraining, TrainedLinear};
use crate::calibration::{Evidence, Judged};
use crate::decider::{Decider, Keepable, ModelDecider};
use crate::decisions::{Question, Questions};
use crate::memory::Lines;
use crate::part::{PartError, PartReader, PartWriter};

/// The kind's name in model files.
pub(crate) const NAME: &str = "linear";

/// What a description says of a linear model, by question; the tables are arrays.
#[derive(Serialize, Deserialize)]
struct Description {
    templates: Vec<Vec<String>>,
    /// What a unit of a score is worth.
    scales: Vec<f32>,
}

impl Keepable for Linear {
    const KIND: &'static str = NAME;

    fn about(&self) -> Vec<(String, String)> {
        let counts: Vec<String> =
            self.answers.iter().map(|answer| answer.templates.len().to_string()).collect();
        vec![("linear".to_owned(), format!("{} templates", counts.join(" + ")))]
    }

    fn save(&self, part: &mut PartWriter<'_>) {
        let texts = |templates: &[Template]| templates.iter().map(ToString::to_string).collect();
        part.describe(&Description {
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

/// Puts a decider together.
pub(crate) fn load(part: PartReader<'_>, questions: &Questions) -> Result<Box<dyn Decider>, PartError> {
    let mut token_values = TokenValues::default();
    let model = read(part, questions, &mut token_values)?;
    Ok(ModelDecider::boxed(model, token_values))
}

/// Puts a model together.
pub(crate) fn read(
    part: PartReader<'_>,
    questions: &Questions,
    token_values: &mut TokenValues,
) -> Result<Linear, PartError> {
    let Description { templates, scales } = part.description()?;
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

/// What is kept of a training that may be taken up again.
pub(super) fn keep(trained: &TrainedLinear) -> Arrays {
    let mut arrays = Arrays::default();
    let judged = trained.judged.iter();
    let judged: Vec<f32> = judged
        .flat_map(|arc| arc.evidence.to_numbers().into_iter().chain([f32::from(u8::from(arc.right))]))
        .collect();
    arrays.set("judged", &judged);
    arrays.nest("model", tables(&trained.model));
    if let Some(rehearsal) = &trained.rehearsal {
        arrays.nest("rehearsal", tables(rehearsal));
    }
    arrays
}

/// What was kept of the same training.
pub(super) fn restore(training: &LinearTraining<'_>, kept: &Arrays) -> Option<TrainedLinear> {
    let judged: Vec<f32> = kept.get("judged").ok()?;
    let (judged, _) = judged.as_chunks();
    let judged = judged.iter().map(|&[kind, label, lowest, head_lowest, distance, right]| Judged {
        evidence: Evidence::from_numbers([kind, label, lowest, head_lowest, distance]),
        right: right > 0.0,
    });
    Some(TrainedLinear {
        model: from_tables(training, &kept.part("model"))?,
        judged: judged.collect(),
        rehearsal: from_tables(training, &kept.part("rehearsal")),
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

fn from_tables(training: &LinearTraining<'_>, kept: &Arrays) -> Option<Linear> {
    let table = |(at, question): (usize, &Question)| {
        let lines = |name: &str| Lines::copied(kept.bytes(&format!("{at}.{name}"))?);
        let scale = kept.one(&format!("{at}.scale")).ok()?;
        Table::from_lines(question, lines("buckets")?, lines("rows")?, scale).map(Arc::new)
    };
    let tables: Option<Vec<Arc<Table>>> = training.questions().iter().enumerate().map(table).collect();
    Some(training.model(tables?))
}
