//! The model file: one file in the safetensors container, read, checked, and ready.
//!
//! Its single metadata entry `quaich` is a JSON [`Description`]; the tensors are the tables as they
//! lie in memory, and a checksum over everything. A file that is cut short, changed or of another
//! version is refused with a reason.
//!
//! Tables are made of cache lines and used where they are in the file. The container puts tensors of
//! 64-bit numbers first, so that is what they are declared as; blanks after the description push
//! the first of them to the start of a line.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use quaich_features::hash;
use quaich_treebank::Sink;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::blend::{Blend, BlendDescription};
use crate::error::{Error, Result};
use crate::member::{Member, MemberDescription};
use crate::memory::{Content, Line};
use crate::parser::Parser;
use crate::part::{PartReader, PartWriter, Tensor};
use crate::settings::Settings;

/// The version of the format; a model of another one is refused.
pub const FORMAT_VERSION: u32 = 4;
/// The metadata key. There is exactly one: several would be written in random order.
const KEY: &str = "quaich";
/// Tables begin at multiples of this.
const LINE: usize = size_of::<Line>();
/// Containers have no longer headers than this, in bytes; what begins with a higher number is none.
const LONGEST_HEADER: u64 = 100_000_000;
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
    /// Sentences learned from.
    pub sentences: usize,
    /// Tokens learned from.
    pub tokens: usize,
    /// A number that changes when the training text does, in hexadecimal.
    pub fingerprint: String,
    /// Whether training was ended before it was done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// Scores on the development set.
    pub dev: Option<Scores>,
    /// Whatever the user wanted noted: date, licence and so on.
    pub notes: Vec<(String, String)>,
}

/// The description with that of every member: what a file's JSON is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FileDescription {
    /// What is true of all.
    #[serde(flatten)]
    pub model: Description,
    /// The members: one, or several that vote.
    pub members: Vec<MemberDescription>,
    /// How they vote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blend: Option<BlendDescription>,
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

impl std::fmt::Display for Scores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LAS {:.2}, UAS {:.2}", self.las, self.uas)
    }
}

impl Parser {
    /// Writes the model file; it appears only when it is complete.
    pub fn save(&self, path: &Path) -> Result<()> {
        let file = path.display().to_string();
        let bytes = self.content(&file)?;
        let mut sink = Sink::create(Some(path))?;
        sink.write_all(&bytes).map_err(Error::Output)?;
        sink.finish()?;
        Ok(())
    }

    /// The content of a model file, for [`from_bytes`](Self::from_bytes).
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.content("model")
    }

    fn content(&self, file: &str) -> Result<Vec<u8>> {
        let wrong = |reason: String| Error::ModelFile { file: file.to_owned(), reason };
        let mut tensors: Vec<Tensor> = Vec::new();
        let members = (0..).zip(self.members()).map(|(number, member)| {
            let mut content = Value::Null;
            let shares = |earlier: &Member| member.decider.shares_with(&*earlier.decider);
            let shared_with = self.members().take(number).position(shares);
            let mut part = PartWriter::new(prefix(number), &mut tensors, &mut content, shared_with);
            member.decider.save(&mut part);
            member.describe(content)
        });
        let description = FileDescription {
            members: members.collect(),
            model: self.description.clone(),
            blend: self.blend.as_ref().map(|blend| blend.description().clone()),
        };
        tensors.sort();
        let mut json = serde_json::to_string(&description).map_err(|error| wrong(error.to_string()))?;
        let mut bytes = contain(&json, &tensors).map_err(|error| wrong(error.to_string()))?;
        let off = first_byte(&bytes) % LINE;
        if off > 0 {
            json.push_str(&" ".repeat(LINE - off));
            bytes = contain(&json, &tensors).map_err(|error| wrong(error.to_string()))?;
        }
        Ok(bytes)
    }

    /// Reads a model file. Once it is read the file may be changed, cut short or removed: nothing looks at it again.
    pub fn load(path: &Path) -> Result<Self> {
        let (content, name) = read(path)?;
        Ok(Self::from_content(content.bytes(), &name, Some(&content))?.0)
    }

    /// Understands the content of a model file; `file` is its name for messages.
    pub fn from_bytes(bytes: &[u8], file: &str) -> Result<Self> {
        Ok(Self::from_content(bytes, file, None)?.0)
    }

    fn from_content(bytes: &[u8], file: &str, content: Option<&Content>) -> Result<(Self, FileDescription)> {
        let wrong = |reason: &str| Error::ModelFile { file: file.to_owned(), reason: reason.to_owned() };
        let (json, tensors) = open(bytes, file)?;
        let sum = tensors_checksum(&json, &tensors).to_le_bytes();
        if tensors.tensor(CHECKSUM).ok().map(|view| view.data()) != Some(&sum) {
            return Err(wrong("its content was changed after it was written: the checksum does not agree"));
        }
        let description: FileDescription = serde_json::from_str(&json)
            .map_err(|error| wrong(&format!("its description cannot be read: {error}")))?;
        let mut members: Vec<Member> = Vec::new();
        for (number, member) in description.members.iter().enumerate() {
            let prefix = prefix(number);
            let part = PartReader::new(&prefix, &tensors, &member.content, content, &members);
            let member = Member::load(member, part).map_err(|error| wrong(&error.to_string()))?;
            members.push(member);
        }
        let mut members = members.into_iter();
        let first = members.next().ok_or_else(|| wrong("it has no members"))?;
        let blend = match &description.blend {
            None if members.len() == 0 => None,
            None => return Err(wrong("it has several members and does not say how they vote")),
            Some(votes) => Some(
                Blend::new(votes.clone(), &first, members.collect())
                    .ok_or_else(|| wrong("how its members vote does not fit them"))?,
            ),
        };
        Ok((Self::new(description.model.clone(), first, blend), description))
    }
}

/// What the names of a member's arrays begin with.
fn prefix(member: usize) -> String {
    format!("{member}/")
}

/// What a model file says about its parser. The parser is put together to see that it is true.
pub fn describe(path: &Path) -> Result<FileDescription> {
    let (content, name) = read(path)?;
    Ok(Parser::from_content(content.bytes(), &name, Some(&content))?.1)
}

/// The model file with its checksum put right, where it is one: for tests that change models on purpose.
#[doc(hidden)]
pub fn with_checksum_repaired(bytes: &[u8]) -> Option<Vec<u8>> {
    let (json, tensors) = open(bytes, "").ok()?;
    let sum = tensors_checksum(&json, &tensors).to_le_bytes();
    let held = tensors.tensor(CHECKSUM).ok()?.data();
    let start = held.as_ptr().addr() - bytes.as_ptr().addr();
    let mut repaired = bytes.to_vec();
    repaired.get_mut(start..start + held.len())?.get_mut(..sum.len())?.copy_from_slice(&sum);
    Some(repaired)
}

/// Reads a file that may be a model; its content and its name.
fn read(path: &Path) -> Result<(Content, String)> {
    let name = path.display().to_string();
    let content = Content::read(path, |length| (1..=LONGEST_HEADER).contains(&length))
        .map_err(|source| Error::Io { file: name.clone(), source })?;
    Ok((content, name))
}

/// Puts a model in its container.
fn contain(json: &str, tensors: &[Tensor]) -> std::result::Result<Vec<u8>, safetensors::SafeTensorError> {
    let sum = checksum(json, tensors.iter().map(|tensor| tensor.bytes.as_slice())).to_le_bytes();
    let mut views = vec![(CHECKSUM, TensorView::new(Dtype::U8, vec![sum.len()], &sum)?)];
    for Tensor { name, bytes, of_lines } in tensors {
        let (dtype, width) = if *of_lines { (Dtype::U64, size_of::<u64>()) } else { (Dtype::U8, 1) };
        views.push((name, TensorView::new(dtype, vec![bytes.len() / width], bytes)?));
    }
    safetensors::serialize(views, Some(HashMap::from([(KEY.to_owned(), json.to_owned())])))
}

/// Where the tensors begin in a container: after the length of the header, and the header.
fn first_byte(bytes: &[u8]) -> usize {
    let length = bytes.first_chunk().map_or(0, |length| u64::from_le_bytes(*length));
    size_of::<u64>() + usize::try_from(length).unwrap_or(0)
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

/// The checksum of a container, whatever it says it is.
fn tensors_checksum(json: &str, tensors: &SafeTensors<'_>) -> u64 {
    let mut names: Vec<&str> = tensors.names().into_iter().filter(|name| *name != CHECKSUM).collect();
    names.sort_unstable();
    checksum(json, names.into_iter().filter_map(|name| Some(tensors.tensor(name).ok()?.data())))
}

/// A number that changes when any byte does.
pub(crate) fn checksum<'a>(json: &'a str, tensors: impl Iterator<Item = &'a [u8]>) -> u64 {
    std::iter::once(json.as_bytes()).chain(tensors).fold(0x5155_4149_4348_0001, |state, part| {
        let (words, rest) = part.as_chunks::<8>();
        // As many lanes as a processor multiplies at a time while none waits for the one before.
        let (groups, tail) = words.as_chunks::<8>();
        let mut lanes = [state ^ part.len() as u64, 1, 2, 3, 4, 5, 6, 7];
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
