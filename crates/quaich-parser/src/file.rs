//! The model file: a safetensors container.
//!
//! Its only metadata entry, `quaich`, is a [`FileDescription`] in JSON. The tensors are the tables in their memory layout, and a checksum
//! over everything. Files that are truncated, changed or of another format version are rejected with a reason.
//!
//! Tables consist of cache lines and are used in place. The container puts tensors of 64-bit numbers first, so tables are declared as
//! such; spaces after the JSON align the first of them to a cache line.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use quaich_treebank::Sink;
use safetensors::tensor::SafeTensors;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::calibration::Calibration;
use crate::container::{self, CHECKSUM, MODEL, contain, first_byte, open, read, tensors_checksum};
use crate::description::Description;
use crate::encoder::SentenceEncoder;
use crate::ensemble::EnsembleDescription;
use crate::ensemble::voting::{Ensemble, Voter};
use crate::error::{Error, Result};
use crate::huge_pages::{Content, Line};
use crate::learner::Loading;
use crate::learners;
use crate::model::{Member, Model, Parts};
use crate::part::{PartError, PartReader, PartWriter, Tensor};
use crate::scheme::{Scheme, SchemeDescription};
use crate::tokenizer::{self, Tokenizer};

/// Tables are aligned to this many bytes.
const LINE: usize = size_of::<Line>();

/// The JSON of a model file: the model's metadata and a description of each part.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FileDescription {
    /// The model's metadata.
    #[serde(flatten)]
    pub model: Description,
    /// The encoders.
    pub encoders: Vec<EncoderDescription>,
    /// The parsers: one, or several that vote.
    pub members: Vec<MemberDescription>,
    /// The vote, if there are several parsers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ensemble: Option<EnsembleDescription>,
    /// The model for untagged words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untagged: Option<Box<FileDescription>>,
    /// The tokenizer.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub tokenizer: Value,
}

/// The description of an encoder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EncoderDescription {
    /// Human-readable properties: names and values.
    pub about: Vec<(String, String)>,
    /// The encoder's own header.
    pub content: Value,
}

/// The description of a parser, stored next to its arrays.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MemberDescription {
    /// The scheme, which was fixed before training.
    #[serde(flatten)]
    pub scheme: SchemeDescription,
    /// Converts margins to probabilities.
    pub calibration: Calibration,
    /// The number of the encoder that it uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder: Option<usize>,
    /// The learner that loads the decoder.
    pub learner: String,
    /// Human-readable properties of the decoder: names and values.
    pub about: Vec<(String, String)>,
    /// The decoder's own header.
    pub content: Value,
}

impl Model {
    /// Writes the model file atomically: it appears only when it is complete.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let bytes = self.content(&file)?;
        let mut sink = Sink::create(Some(path))?;
        sink.write_all(&bytes).map_err(Error::Output)?;
        sink.finish()?;
        Ok(())
    }

    /// Serialises the model, for [`from_bytes`](Self::from_bytes).
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.content("model")
    }

    fn content(&self, file: &str) -> Result<Vec<u8>> {
        let wrong = |reason: String| Error::ModelFile { file: file.to_owned(), reason };
        let mut tensors: Vec<Tensor> = Vec::new();
        let description = self.describe_into("", &mut tensors);
        tensors.sort();
        let mut json = serde_json::to_string(&description).map_err(|error| wrong(error.to_string()))?;
        let mut bytes = contain(MODEL, &json, &tensors).map_err(|error| wrong(error.to_string()))?;
        let off = first_byte(&bytes) % LINE;
        if off > 0 {
            json.push_str(&" ".repeat(LINE - off));
            bytes = contain(MODEL, &json, &tensors).map_err(|error| wrong(error.to_string()))?;
        }
        Ok(bytes)
    }

    /// Writes all arrays, their names after a prefix, and describes the model.
    fn describe_into(&self, prefix: &str, tensors: &mut Vec<Tensor>) -> FileDescription {
        let Parts { description, encoders, members, ensemble, untagged, tokenizer } = self.parts();
        let mut described = Value::Null;
        if let Some(tokenizer) = tokenizer {
            tokenizer.save(&mut PartWriter::new(
                format!("{prefix}{}", tokenizer::PREFIX),
                tensors,
                &mut described,
            ));
        }
        let mut encoder_descriptions = Vec::new();
        for (number, encoder) in encoders.iter().enumerate() {
            let mut content = Value::Null;
            encoder.save(&mut PartWriter::new(encoder_prefix(prefix, number), tensors, &mut content));
            encoder_descriptions.push(EncoderDescription { about: encoder.about(), content });
        }
        let mut member_descriptions = Vec::new();
        for (number, Member { scheme, decoder, encoder, calibration }) in members.iter().enumerate() {
            let mut content = Value::Null;
            decoder.save(&mut PartWriter::new(member_prefix(prefix, number), tensors, &mut content));
            member_descriptions.push(MemberDescription {
                scheme: scheme.describe(),
                calibration: *calibration,
                encoder: *encoder,
                learner: decoder.kind().to_owned(),
                about: decoder.about(),
                content,
            });
        }
        let untagged = untagged.as_ref().map(|untagged| {
            Box::new(untagged.model().describe_into(&format!("{prefix}{UNTAGGED}"), tensors))
        });
        FileDescription {
            model: description.clone(),
            encoders: encoder_descriptions,
            members: member_descriptions,
            ensemble: ensemble.as_ref().map(|ensemble| ensemble.description().clone()),
            untagged,
            tokenizer: described,
        }
    }

    /// Loads a model file. Afterwards the file can be changed or deleted: it is not read again.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let (content, name) = read(path.as_ref())?;
        Ok(Self::from_content(content.bytes(), &name, Some(&content))?.0)
    }

    /// Deserialises a model; `file` is its name in error messages.
    pub fn from_bytes(bytes: &[u8], file: &str) -> Result<Self> {
        Ok(Self::from_content(bytes, file, None)?.0)
    }

    fn from_content(bytes: &[u8], file: &str, content: Option<&Content>) -> Result<(Self, FileDescription)> {
        let wrong = |reason: &str| Error::ModelFile { file: file.to_owned(), reason: reason.to_owned() };
        let (json, tensors) = open(MODEL, bytes, file)?;
        container::verify(&json, &tensors, file)?;
        let description: FileDescription = serde_json::from_str(&json)
            .map_err(|error| wrong(&format!("its description is invalid: {error}")))?;
        let model =
            Self::put_together(&description, "", &tensors, content).map_err(|reason| wrong(&reason))?;
        Ok((model, description))
    }

    /// Loads the arrays of a described model, their names after a prefix; the reason if they do not fit.
    fn put_together(
        description: &FileDescription,
        prefix: &str,
        tensors: &SafeTensors<'_>,
        content: Option<&Content>,
    ) -> std::result::Result<Self, String> {
        let broken = |error: PartError| error.to_string();
        let mut encoders = Vec::new();
        for (number, encoder) in description.encoders.iter().enumerate() {
            let prefix = encoder_prefix(prefix, number);
            let part = PartReader::new(&prefix, tensors, &encoder.content, content);
            encoders.push(Arc::new(SentenceEncoder::load(part).map_err(broken)?));
        }
        let mut members: Vec<Member> = Vec::new();
        for (number, member) in description.members.iter().enumerate() {
            let prefix = member_prefix(prefix, number);
            let part = PartReader::new(&prefix, tensors, &member.content, content);
            members.push(load_member(member, part, &encoders).map_err(broken)?);
        }
        let voters: Vec<Voter<'_>> = members.iter().map(Member::voter).collect();
        let ensemble = match &description.ensemble {
            _ if members.is_empty() => return Err("it has no parsers".to_owned()),
            None if members.len() == 1 => None,
            None => return Err("it has several parsers but no description of the vote".to_owned()),
            Some(votes) => Some(
                Ensemble::new(votes.clone(), &voters)
                    .ok_or_else(|| "the description of the vote does not fit its parsers".to_owned())?,
            ),
        };
        let untagged = match &description.untagged {
            Some(_) if !prefix.is_empty() => {
                return Err("it has models for untagged words within each other".to_owned());
            }
            Some(untagged) => Some(Self::put_together(untagged, UNTAGGED, tensors, content)?),
            None => None,
        };
        let tokenizer = tokenizer::is_there(&description.tokenizer).then(|| {
            let prefix = format!("{prefix}{}", tokenizer::PREFIX);
            let part = PartReader::new(&prefix, tensors, &description.tokenizer, content);
            Tokenizer::load(&part).map(Arc::new).map_err(broken)
        });
        let tokenizer = tokenizer.transpose()?;
        let description = description.model.clone();
        let parts = Parts { description, encoders, members, ensemble, untagged: None, tokenizer };
        Ok(Self::new(parts).with_untagged(untagged))
    }
}

/// Loads a parser. Decoders check their parts against the questions.
fn load_member(
    description: &MemberDescription,
    part: PartReader<'_>,
    encoders: &[Arc<SentenceEncoder>],
) -> std::result::Result<Member, PartError> {
    let scheme = Scheme::load(&description.scheme)?;
    if !description.calibration.is_sound() {
        return Err(PartError::broken("calibration"));
    }
    let encoder = match description.encoder {
        Some(number) => Some(&**encoders.get(number).ok_or_else(|| PartError::broken("encoder"))?),
        None => None,
    };
    let learner = learners::by_name(&description.learner).map_err(|_| PartError::broken("learner"))?;
    let decoder = learner.load(part, Loading { questions: &scheme.questions, encoder })?;
    let MemberDescription { encoder, calibration, .. } = description;
    Ok(Member {
        scheme: Arc::new(scheme),
        decoder: decoder.into(),
        encoder: *encoder,
        calibration: *calibration,
    })
}

/// The prefix of the names of all arrays of the model for untagged words.
const UNTAGGED: &str = "untagged/";

/// The prefix of the names of an encoder's arrays.
fn encoder_prefix(prefix: &str, encoder: usize) -> String {
    format!("{prefix}encoder.{encoder}/")
}

/// The prefix of the names of a parser's arrays.
fn member_prefix(prefix: &str, member: usize) -> String {
    format!("{prefix}parser.{member}/")
}

/// Reads the description of a model file. Loads the whole model to verify it.
pub fn describe(path: impl AsRef<Path>) -> Result<FileDescription> {
    let (content, name) = read(path.as_ref())?;
    Ok(Model::from_content(content.bytes(), &name, Some(&content))?.1)
}

/// Whether a file is a model, as far as its header tells.
pub fn is_model(path: impl AsRef<Path>) -> bool {
    read(path.as_ref()).is_ok_and(|(content, _)| container::is_of_kind(MODEL, content.bytes()))
}

/// Returns the model file with a correct checksum, or `None` if it is not a model file: for tests that modify models on purpose.
#[doc(hidden)]
pub fn with_checksum_repaired(bytes: &[u8]) -> Option<Vec<u8>> {
    let (json, tensors) = open(MODEL, bytes, "").ok()?;
    let sum = tensors_checksum(&json, &tensors).to_le_bytes();
    let held = tensors.tensor(CHECKSUM).ok()?.data();
    let start = held.as_ptr().addr() - bytes.as_ptr().addr();
    let mut repaired = bytes.to_vec();
    repaired.get_mut(start..start + held.len())?.get_mut(..sum.len())?.copy_from_slice(&sum);
    Some(repaired)
}
