//! Classifiers as a part of a model file.

use std::collections::BTreeMap;
use std::sync::Arc;

use quaich_features::{AlphabetParts, FrozenAlphabet, SymbolicProgram, TokenValues};
use quaich_learn::Arrays;
use serde::{Deserialize, Serialize};

use super::model::{Classifiers, QuestionClassifiers, offsets};
use super::split::{Parts, Split};
use crate::decisions::Questions;
use crate::decoder::{Decoder, Persist, ScorerDecoder};
use crate::part::{PartError, PartReader, PartWriter};

/// The header; the rest is arrays.
#[derive(Serialize, Deserialize)]
struct ClassifiersHeader {
    learner: String,
    /// One per question.
    questions: Vec<QuestionDescription>,
}

#[derive(Serialize, Deserialize)]
struct QuestionDescription {
    /// The parts of the split data.
    split: Option<Parts>,
    n_classifiers: usize,
}

impl Persist for Classifiers {
    fn kind(&self) -> &'static str {
        self.learner.name()
    }

    fn about(&self) -> Vec<(String, String)> {
        let counts: Vec<String> =
            self.by_question.iter().map(|entry| entry.classifiers.len().to_string()).collect();
        let learner = self.learner.name();
        vec![(learner.to_owned(), format!("{} classifiers", counts.join(" + ")))]
    }

    fn save(&self, part: &mut PartWriter<'_>) {
        let describe = |entry: &QuestionClassifiers| QuestionDescription {
            split: entry.split.as_ref().map(|split| split.parts.clone()),
            n_classifiers: entry.classifiers.len(),
        };
        part.describe(&ClassifiersHeader {
            learner: self.learner.name().to_owned(),
            questions: self.by_question.iter().map(describe).collect(),
        });
        for (question, entry) in self.by_question.iter().enumerate() {
            part.plain(&format!("{question}.alphabet"), alphabet_bytes(&entry.alphabet));
            if let Some(split) = &entry.split {
                part.plain(&format!("{question}.split"), alphabet_bytes(&split.alphabet));
            }
            for (number, classifier) in entry.classifiers.iter().enumerate() {
                let mut arrays = Arrays::default();
                classifier.save(&mut arrays);
                for (name, bytes) in arrays.iter() {
                    part.plain(&format!("{question}.{number}/{name}"), bytes.to_vec());
                }
            }
        }
    }
}

fn alphabet_bytes(alphabet: &FrozenAlphabet) -> Vec<u8> {
    serde_json::to_vec(&alphabet.to_parts()).expect("an alphabet is plain data")
}

/// Reads a decoder.
pub(crate) fn load(part: PartReader<'_>, questions: &Questions) -> Result<Box<dyn Decoder>, PartError> {
    let ClassifiersHeader { learner, questions: descriptions } = part.description()?;
    let learner = quaich_learn::learner(&learner).ok_or_else(|| PartError::broken("learner"))?;
    if descriptions.len() != questions.list().len() {
        return Err(PartError::broken("list of questions"));
    }
    let alphabet = |name: String| -> Result<(SymbolicProgram, FrozenAlphabet), PartError> {
        let parts: AlphabetParts =
            serde_json::from_slice(part.bytes(&name)?).map_err(|_| PartError::broken("alphabet"))?;
        FrozenAlphabet::with_program(&parts).map_err(|error| PartError(error.to_string()))
    };
    let arrays = arrays_of_classifiers(part)?;
    let mut by_question = Vec::new();
    for ((at, description), question) in descriptions.iter().enumerate().zip(questions.list()) {
        let mut classifiers = Vec::new();
        for number in 0..description.n_classifiers {
            let broken = || PartError::broken("classifier");
            let arrays = arrays.get(&format!("{at}.{number}")).ok_or_else(broken)?;
            let classifier = learner.load(arrays).map_err(|_| broken())?;
            if classifier.n_classes() != question.n_classes {
                return Err(PartError::broken("classifier"));
            }
            classifiers.push(classifier);
        }
        let split = match &description.split {
            Some(parts) => {
                let (program, alphabet) = alphabet(format!("{at}.split"))?;
                Some(Split { alphabet, program, parts: parts.clone() })
            }
            None => None,
        };
        let n_parts = split.as_ref().map_or(1, |split| split.parts.len());
        if n_parts != classifiers.len() || split.as_ref().is_some_and(|split| !split.parts.is_sound()) {
            return Err(PartError::broken("list of classifiers"));
        }
        let (program, alphabet) = alphabet(format!("{at}.alphabet"))?;
        by_question.push(QuestionClassifiers {
            offsets: offsets(&program, &alphabet),
            program,
            alphabet,
            split,
            classifiers,
        });
    }
    Ok(ScorerDecoder::boxed(Arc::new(Classifiers { learner, by_question }), TokenValues::default()))
}

/// The arrays of each classifier, by name.
fn arrays_of_classifiers(part: PartReader<'_>) -> Result<BTreeMap<String, Arrays>, PartError> {
    let mut arrays = BTreeMap::<String, Arrays>::new();
    for name in part.names() {
        if let Some((classifier, own)) = name.split_once('/') {
            let bytes = part.bytes(name)?.to_vec();
            arrays.entry(classifier.to_owned()).or_default().set_bytes(own, bytes);
        }
    }
    Ok(arrays)
}
