//! The model file: one file in the safetensors container, read whole, checked, and ready.
//!
//! Its single metadata entry `quaich` is a JSON [`Description`]; the tensors are the tables as they
//! lie in memory, and a checksum over everything. A file that is cut short, changed or of another
//! version is refused with a reason.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use quaich_features::{FeatureModel, Program, hash};
use quaich_treebank::symbols::FrozenSymbols;
use quaich_treebank::{Label, Sink, Symbols};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};

use crate::calibration::Calibration;
use crate::error::{Error, Result};
use crate::label_table::LabelTable;
use crate::linear::Linear;
use crate::parser::Parser;
use crate::plan::Plan;
use crate::settings::Settings;
use crate::transition_table::TransitionTable;

/// The version of the format; a model of another one is refused.
pub const FORMAT_VERSION: u32 = 1;
/// The metadata key. There is exactly one: several would be written in random order.
const KEY: &str = "quaich";

/// What a model file says about its parser.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Description {
    /// The version of the format.
    pub format_version: u32,
    /// The version of the program that trained it.
    pub trained_by: String,
    /// The settings, as given.
    pub settings: Settings,
    /// What the treebank decided.
    pub plan: Plan,
    /// Sentences learned from.
    pub sentences: usize,
    /// Tokens learned from.
    pub tokens: usize,
    /// A number that changes when the training text does, in hexadecimal.
    pub fingerprint: String,
    /// Scores on the development set.
    pub dev: Option<Scores>,
    /// Turns margins into probabilities.
    pub calibration: Calibration,
    /// Whatever the user wanted noted: date, licence and so on.
    pub notes: Vec<(String, String)>,
    /// The templates that choose transitions.
    pub transition_templates: Vec<String>,
    /// The templates that choose labels.
    pub label_templates: Vec<String>,
    /// The names of the kinds of transitions, by class.
    pub kinds: Vec<String>,
    /// The labels, by number.
    pub labels: Vec<String>,
    /// What a unit of a transition's score is worth.
    pub transition_scale: f32,
    /// What a unit of a label's score is worth.
    pub label_scale: f32,
    /// How many classes the table of labels has.
    pub label_classes: usize,
}

/// How well a parser does.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Scores {
    /// Labelled attachment score, in percent of all tokens.
    pub las: f64,
    /// Unlabelled attachment score, in percent of all tokens.
    pub uas: f64,
    /// The expected calibration error of the probabilities.
    pub calibration_error: f64,
}

impl Description {
    pub(crate) fn new(
        plan: &Plan,
        settings: &Settings,
        features: &FeatureModel,
        calibration: Calibration,
        notes: Vec<(String, String)>,
    ) -> Self {
        Self {
            format_version: FORMAT_VERSION,
            trained_by: format!("quaich {}", env!("CARGO_PKG_VERSION")),
            settings: settings.clone(),
            plan: plan.clone(),
            sentences: 0,
            tokens: 0,
            fingerprint: String::new(),
            dev: None,
            calibration,
            notes,
            transition_templates: features.transition.iter().map(ToString::to_string).collect(),
            label_templates: features.label.iter().map(ToString::to_string).collect(),
            kinds: Vec::new(),
            labels: Vec::new(),
            transition_scale: 1.0,
            label_scale: 1.0,
            label_classes: 0,
        }
    }

    pub(crate) fn with_data(mut self, sentences: usize, tokens: usize, fingerprint: u64) -> Self {
        self.sentences = sentences;
        self.tokens = tokens;
        self.fingerprint = format!("{fingerprint:016x}");
        self
    }
}

impl Parser {
    /// Writes the model file; it appears only when it is complete.
    pub fn save(&self, path: &Path) -> Result<()> {
        let file = path.display().to_string();
        let wrong = |reason: String| Error::ModelFile { file: file.clone(), reason };
        let model = &self.model;
        let description = Description {
            kinds: model.kinds().iter().map(|kind| kind.name().to_owned()).collect(),
            labels: self.labels.iter().map(|(_, text)| text.to_owned()).collect(),
            transition_scale: model.transitions().scale(),
            label_scale: model.labels().scale(),
            label_classes: model.labels().n_classes(),
            ..self.description.clone()
        };
        let json = serde_json::to_string(&description).map_err(|error| wrong(error.to_string()))?;
        let transitions: &[u8] = model.transitions().bytes();
        let (buckets, rows) = model.labels().bytes();
        let checksum = checksum(&[json.as_bytes(), transitions, buckets, rows]).to_le_bytes();
        let view = |bytes| {
            TensorView::new(Dtype::U8, vec![<[u8]>::len(bytes)], bytes)
                .map_err(|error| wrong(error.to_string()))
        };
        let tensors = [
            ("checksum", view(&checksum)?),
            ("label.buckets", view(buckets)?),
            ("label.rows", view(rows)?),
            ("transition", view(transitions)?),
        ];
        let metadata = HashMap::from([(KEY.to_owned(), json)]);
        let bytes =
            safetensors::serialize(tensors, Some(metadata)).map_err(|error| wrong(error.to_string()))?;
        let mut sink = Sink::create(Some(path))?;
        sink.write_all(&bytes).map_err(|source| Error::Io { file, source })?;
        sink.finish()?;
        Ok(())
    }

    /// Reads a model file.
    pub fn load(path: &Path) -> Result<Self> {
        let file = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|source| Error::Io { file: file.clone(), source })?;
        Self::from_bytes(&bytes, &file)
    }

    /// Understands the content of a model file; `file` is its name for messages.
    pub fn from_bytes(bytes: &[u8], file: &str) -> Result<Self> {
        let wrong = |reason: &str| Error::ModelFile { file: file.to_owned(), reason: reason.to_owned() };
        let (json, tensors) = open(bytes, file)?;
        let tensor = |name: &str| {
            tensors
                .tensor(name)
                .map(|view| view.data())
                .map_err(|_| wrong(&format!("there is no part `{name}` in it")))
        };
        let (transitions, buckets, rows) =
            (tensor("transition")?, tensor("label.buckets")?, tensor("label.rows")?);
        let expected = checksum(&[json.as_bytes(), transitions, buckets, rows]).to_le_bytes();
        if tensor("checksum")? != expected {
            return Err(wrong("its content was changed after it was written: the checksum does not agree"));
        }
        let description: Description = serde_json::from_str(&json)
            .map_err(|error| wrong(&format!("its description cannot be read: {error}")))?;
        let broken = |what: &str| wrong(&format!("its {what} cannot be used"));

        let mut labels = Symbols::<Label>::new();
        for label in &description.labels {
            labels.intern(label);
        }
        if labels.len() != description.labels.len() || description.label_classes > labels.len().max(2) {
            return Err(broken("list of labels"));
        }
        let labels: FrozenSymbols<Label> = labels.freeze();
        let features =
            FeatureModel::from_lists(&description.transition_templates, &description.label_templates)?;
        let system = description.plan.system()?;
        let kinds: Vec<_> = system.kinds().iter().collect();
        let names: Vec<String> = kinds.iter().map(|kind| kind.name().to_owned()).collect();
        if names != description.kinds {
            return Err(broken("list of transitions"));
        }
        let n_templates = Program::compile(&features.label).n_templates();
        let transitions =
            TransitionTable::from_bytes(transitions, kinds.len().max(2), description.transition_scale)
                .ok_or_else(|| broken("table of transitions"))?;
        let label_table = LabelTable::from_bytes(
            buckets,
            rows,
            description.label_classes,
            n_templates,
            description.label_scale,
        )
        .ok_or_else(|| broken("table of labels"))?;
        let inverse = match description.plan.transform()? {
            Some(transform) => Some(quaich_transform::frozen_inverse(&*transform, &labels)?),
            None => None,
        };
        let model = Linear::new(features, kinds, Arc::new(transitions), Arc::new(label_table));
        Ok(Self { description, system, model, labels, inverse })
    }
}

/// What a model file says about its parser, without loading the tables.
pub fn describe(path: &Path) -> Result<Description> {
    let file = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| Error::Io { file: file.clone(), source })?;
    let (json, _) = open(&bytes, &file)?;
    serde_json::from_str(&json).map_err(|error| Error::ModelFile {
        file,
        reason: format!("its description cannot be read: {error}"),
    })
}

/// Takes the container apart as far as the description.
fn open<'a>(bytes: &'a [u8], file: &str) -> Result<(String, SafeTensors<'a>)> {
    #[derive(Deserialize)]
    struct Version {
        format_version: u32,
    }
    let wrong = |reason: String| Error::ModelFile { file: file.to_owned(), reason };
    let foreign = || wrong("this is not a quaich model".to_owned());
    let (_, metadata) = match SafeTensors::read_metadata(bytes) {
        Ok(header) => header,
        Err(safetensors::SafeTensorError::MetadataIncompleteBuffer) => {
            return Err(wrong("the file is cut short".to_owned()));
        }
        Err(_) => return Err(foreign()),
    };
    let json =
        metadata.metadata().as_ref().and_then(|metadata| metadata.get(KEY)).ok_or_else(foreign)?.clone();
    let version: Version = serde_json::from_str(&json).map_err(|_| foreign())?;
    if version.format_version != FORMAT_VERSION {
        return Err(wrong(format!(
            "the model has format {}, this program reads format {FORMAT_VERSION}: train it anew or use another version",
            version.format_version
        )));
    }
    let tensors =
        SafeTensors::deserialize(bytes).map_err(|error| wrong(format!("the file is damaged: {error}")))?;
    Ok((json, tensors))
}

/// A number that changes when any byte does.
fn checksum(parts: &[&[u8]]) -> u64 {
    parts.iter().fold(0x5155_4149_4348_0001, |state, part| {
        let (words, rest) = part.as_chunks::<8>();
        let mut lanes = [state ^ part.len() as u64, 1, 2, 3];
        let (groups, tail) = words.as_chunks::<4>();
        for group in groups {
            for (lane, word) in lanes.iter_mut().zip(group) {
                *lane =
                    (*lane ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
            }
        }
        let tail = tail.iter().flatten().chain(rest);
        let end = tail.fold(0, |sum: u64, &byte| sum.wrapping_mul(257).wrapping_add(u64::from(byte) + 1));
        lanes.iter().fold(hash::mix(end), |sum, &lane| hash::mix(sum ^ lane))
    })
}
