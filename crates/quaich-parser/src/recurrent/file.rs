//! The recurrent learner's classifiers as a part of a model file; their encoder is a part of its own.

use std::sync::Arc;

use quaich_features::{RoleSet, TokenValues};
use quaich_learn::encoder::{MAX_MARKS, MAX_SLOTS, SlotHead};
use serde::{Deserialize, Serialize};

use super::model::{QuestionHeads, RecurrentModel};
use super::roles::SlotExtractor;
use crate::decoder::{Decoder, Persist, ScorerDecoder};
use crate::learner::Loading;
use crate::part::{PartError, PartReader, PartWriter};

/// The learner's name.
pub(crate) const NAME: &str = "recurrent";

/// The header; the rest is arrays.
#[derive(Serialize, Deserialize)]
struct RecurrentHeader {
    /// One list per question: words and marks.
    seen: Vec<Vec<String>>,
}

impl Persist for RecurrentModel {
    fn kind(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> Vec<(String, String)> {
        let seen: Vec<String> =
            self.questions.iter().map(|question| question.extractor.seen().written().join(" ")).collect();
        vec![("sees".to_owned(), seen.join("; "))]
    }

    fn save(&self, part: &mut PartWriter<'_>) {
        let seen = self.questions.iter().map(|question| question.extractor.seen().written());
        part.describe(&RecurrentHeader { seen: seen.collect() });
        for (at, question) in self.questions.iter().enumerate() {
            for (number, head) in question.heads.iter().enumerate() {
                part.arrays(&format!("{at}.{number}"), |arrays| head.save(arrays));
            }
        }
    }
}

/// Reads a decoder.
pub(crate) fn load(part: PartReader<'_>, of: Loading<'_>) -> Result<Box<dyn Decoder>, PartError> {
    Ok(ScorerDecoder::boxed(Arc::new(read(part, of)?), TokenValues::default()))
}

/// Reads a model.
pub(crate) fn read(
    part: PartReader<'_>,
    Loading { questions, encoder }: Loading<'_>,
) -> Result<RecurrentModel, PartError> {
    let RecurrentHeader { seen } = part.description()?;
    let encoder = encoder.ok_or_else(|| PartError::broken("encoder"))?;
    if seen.len() != questions.list().len() {
        return Err(PartError::broken("list of questions"));
    }
    let mut read = Vec::new();
    for ((at, list), question) in seen.iter().enumerate().zip(questions.list()) {
        let extractor = (list.len() <= MAX_SLOTS + MAX_MARKS)
            .then(|| SlotExtractor::compile(&RoleSet::parse(list).ok()?, questions.n_labels()))
            .flatten()
            .ok_or_else(|| PartError::broken("list of features"))?;
        let mut heads = Vec::new();
        for (number, network) in encoder.networks().iter().enumerate() {
            let arrays = part.arrays(&format!("{at}.{number}"))?;
            let head =
                SlotHead::load(&arrays).map_err(|error| PartError(format!("in its classifiers, {error}")))?;
            let shape = head.shape();
            let sizes = (shape.slots, shape.marks, shape.classes);
            if !head.fits(network) || sizes != (extractor.n_roles(), extractor.n_values(), question.n_classes)
            {
                return Err(PartError::broken("list of classifiers"));
            }
            heads.push(head);
        }
        read.push(QuestionHeads { extractor, heads });
    }
    Ok(RecurrentModel { questions: read })
}
