//! The model file: one file in the safetensors container, read whole, checked, and ready.
//!
//! Its single metadata entry `quaich` is a JSON [`Description`]; the tensors are the tables as they
//! lie in memory, and a checksum over everything. A file that is cut short, changed or of another
//! version is refused with a reason.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use quaich_features::{FeatureModel, Template, hash};
use quaich_transition::transition::Kind;
use quaich_treebank::symbols::FrozenSymbols;
use quaich_treebank::{Label, Sink, Symbols};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};

use crate::calibration::Calibration;
use crate::engine::{Engine, Mixed};
use crate::error::{Error, Result};
use crate::label_table::LabelTable;
use crate::linear::Linear;
use crate::network_file::{self, NetworkDescription, Tensor};
use crate::parser::Parser;
use crate::plan::Plan;
use crate::settings::Settings;
use crate::transition_table::TransitionTable;

/// The version of the format; a model of another one is refused.
pub const FORMAT_VERSION: u32 = 1;
/// The metadata key. There is exactly one: several would be written in random order.
const KEY: &str = "quaich";
/// The tensor that holds the checksum.
const CHECKSUM: &str = "checksum";

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
    /// The names of the kinds of transitions, by class.
    pub kinds: Vec<String>,
    /// The labels, by number.
    pub labels: Vec<String>,
    /// How many of the labels are learned; the others only arise from undoing the transformation.
    pub label_classes: usize,
    /// The linear model, if there is one.
    pub linear: Option<LinearDescription>,
    /// The network, if there is one.
    pub network: Option<NetworkDescription>,
}

/// What a description says of a linear model; the tables are tensors of the file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LinearDescription {
    /// The templates that choose transitions.
    pub transition_templates: Vec<String>,
    /// The templates that choose labels.
    pub label_templates: Vec<String>,
    /// What a unit of a transition's score is worth.
    pub transition_scale: f32,
    /// What a unit of a label's score is worth.
    pub label_scale: f32,
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

impl Parser {
    /// Writes the model file; it appears only when it is complete.
    pub fn save(&self, path: &Path) -> Result<()> {
        let file = path.display().to_string();
        let wrong = |reason: String| Error::ModelFile { file: file.clone(), reason };
        let mut tensors: Vec<Tensor> = Vec::new();
        let mut description = self.description.clone();
        if let Some(linear) = self.engine.linear() {
            let texts = |templates: &[Template]| templates.iter().map(ToString::to_string).collect();
            let (buckets, rows) = linear.labels().bytes();
            tensors.push(("linear.transition".to_owned(), linear.transitions().bytes().to_vec()));
            tensors.push(("linear.label.buckets".to_owned(), buckets.to_vec()));
            tensors.push(("linear.label.rows".to_owned(), rows.to_vec()));
            description.linear = Some(LinearDescription {
                transition_templates: texts(&linear.features().transition),
                label_templates: texts(&linear.features().label),
                transition_scale: linear.transitions().scale(),
                label_scale: linear.labels().scale(),
            });
        }
        if let Some(network) = self.engine.network() {
            let weight = if let Engine::Mixed(mixed) = &self.engine { mixed.weight } else { 1.0 };
            description.network = Some(network_file::write(network, weight, &mut tensors));
        }
        tensors.sort();
        let json = serde_json::to_string(&description).map_err(|error| wrong(error.to_string()))?;
        let sum = checksum(&json, tensors.iter().map(|(_, bytes)| bytes.as_slice())).to_le_bytes();
        tensors.push((CHECKSUM.to_owned(), sum.to_vec()));
        let views: Vec<(&str, TensorView<'_>)> = tensors
            .iter()
            .map(|(name, bytes)| Ok((name.as_str(), TensorView::new(Dtype::U8, vec![bytes.len()], bytes)?)))
            .collect::<std::result::Result<_, safetensors::SafeTensorError>>()
            .map_err(|error| wrong(error.to_string()))?;
        let metadata = HashMap::from([(KEY.to_owned(), json)]);
        let bytes =
            safetensors::serialize(views, Some(metadata)).map_err(|error| wrong(error.to_string()))?;
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
        let get = |name: &str| tensors.tensor(name).ok().map(|view| view.data());
        let mut names: Vec<&str> = tensors.names().into_iter().filter(|name| *name != CHECKSUM).collect();
        names.sort_unstable();
        let sum = checksum(&json, names.into_iter().filter_map(get)).to_le_bytes();
        if get(CHECKSUM) != Some(&sum) {
            return Err(wrong("its content was changed after it was written: the checksum does not agree"));
        }
        let description: Description = serde_json::from_str(&json)
            .map_err(|error| wrong(&format!("its description cannot be read: {error}")))?;
        let broken = |what: &str| wrong(&format!("its {what} cannot be used"));

        let mut labels = Symbols::<Label>::new();
        for label in &description.labels {
            labels.intern(label);
        }
        if labels.len() != description.labels.len() || description.label_classes > labels.len() {
            return Err(broken("list of labels"));
        }
        let labels: FrozenSymbols<Label> = labels.freeze();
        let system = description.plan.system(labels.get(&description.plan.root_label))?;
        let kinds: Vec<Kind> = system.kinds().iter().collect();
        if !kinds.iter().map(|kind| kind.name()).eq(description.kinds.iter()) {
            return Err(broken("list of transitions"));
        }
        let linear = match &description.linear {
            Some(linear) => Some(read_linear(linear, &kinds, description.label_classes, get, &broken)?),
            None => None,
        };
        let network = match &description.network {
            Some(network) => Some((
                network_file::read(network, kinds, get).map_err(|reason| wrong(&reason))?,
                network.weight,
            )),
            None => None,
        };
        if network
            .as_ref()
            .is_some_and(|(network, _)| network.labels.frozen.classes > description.label_classes.max(2))
        {
            return Err(broken("list of labels"));
        }
        let engine = match (linear, network) {
            (Some(linear), Some((network, weight))) => Engine::Mixed(Mixed { linear, network, weight }),
            (Some(linear), None) => Engine::Linear(linear),
            (None, Some((network, _))) => Engine::Network(network),
            (None, None) => return Err(broken("model")),
        };
        let inverse = match description.plan.transform()? {
            Some(transform) => Some(quaich_transform::frozen_inverse(&*transform, &labels)?),
            None => None,
        };
        Ok(Self { description, system, engine, labels, inverse })
    }
}

fn read_linear<'a>(
    description: &LinearDescription,
    kinds: &[Kind],
    label_classes: usize,
    get: impl Fn(&str) -> Option<&'a [u8]>,
    broken: &impl Fn(&str) -> Error,
) -> Result<Linear> {
    let features = FeatureModel::from_lists(&description.transition_templates, &description.label_templates)?;
    let transitions = get("linear.transition")
        .and_then(|bytes| {
            TransitionTable::from_bytes(bytes, kinds.len().max(2), description.transition_scale)
        })
        .ok_or_else(|| broken("table of transitions"))?;
    let labels = get("linear.label.buckets")
        .zip(get("linear.label.rows"))
        .and_then(|(buckets, rows)| {
            let n_templates = features.label.len();
            LabelTable::from_bytes(buckets, rows, label_classes.max(2), n_templates, description.label_scale)
        })
        .ok_or_else(|| broken("table of labels"))?;
    Ok(Linear::new(features, kinds.to_vec(), Arc::new(transitions), Arc::new(labels)))
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
fn checksum<'a>(json: &'a str, tensors: impl Iterator<Item = &'a [u8]>) -> u64 {
    std::iter::once(json.as_bytes()).chain(tensors).fold(0x5155_4149_4348_0001, |state, part| {
        let (words, rest) = part.as_chunks::<8>();
        let (groups, tail) = words.as_chunks::<4>();
        let mut lanes = [state ^ part.len() as u64, 1, 2, 3];
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
