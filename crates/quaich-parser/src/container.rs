//! The container of model files and encoder files: safetensors with one JSON text as metadata, and a checksum over everything.

use std::collections::HashMap;
use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::Deserialize;

use crate::checksum::{FORMAT_VERSION, checksum};
use crate::error::{Error, Result};
use crate::huge_pages::Content;
use crate::part::Tensor;

/// A kind of file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FileKind {
    /// The metadata key. There must be only one: several would be written in random order.
    key: &'static str,
    /// What it is.
    pub(crate) name: &'static str,
    /// What to do with a file of this kind where another is expected.
    help: &'static str,
}

/// A trained model.
pub(crate) const MODEL: FileKind =
    FileKind { key: "quaich", name: "model", help: "it is a model; `quaich pretrain` makes encoders" };
/// An encoder that was pretrained on text.
pub(crate) const ENCODER: FileKind = FileKind {
    key: "quaich-encoder",
    name: "pretrained encoder",
    help: "it is a pretrained encoder; train a model from it with `quaich train TREEBANK --encoder FILE`",
};

/// The container's limit for headers, in bytes. A file that starts with a higher number is not a container.
const LONGEST_HEADER: u64 = 100_000_000;
/// The tensor that holds the checksum.
pub(crate) const CHECKSUM: &str = "checksum";

/// Reads a file that may be a container; returns its content and its name.
pub(crate) fn read(path: &Path) -> Result<(Content, String)> {
    let name = path.display().to_string();
    let content = Content::read(path, |length| (1..=LONGEST_HEADER).contains(&length))
        .map_err(|source| Error::Io { file: name.clone(), source })?;
    Ok((content, name))
}

/// Writes a container.
pub(crate) fn contain(
    kind: FileKind,
    json: &str,
    tensors: &[Tensor],
) -> std::result::Result<Vec<u8>, safetensors::SafeTensorError> {
    let sum = checksum(json, tensors.iter().map(|tensor| tensor.bytes.as_slice())).to_le_bytes();
    let mut views = vec![(CHECKSUM, TensorView::new(Dtype::U8, vec![sum.len()], &sum)?)];
    for Tensor { name, bytes, of_lines } in tensors {
        let (dtype, width) = if *of_lines { (Dtype::U64, size_of::<u64>()) } else { (Dtype::U8, 1) };
        views.push((name, TensorView::new(dtype, vec![bytes.len() / width], bytes)?));
    }
    safetensors::serialize(views, Some(HashMap::from([(kind.key.to_owned(), json.to_owned())])))
}

/// The offset of the tensors in a container: after the header and its length.
pub(crate) fn first_byte(bytes: &[u8]) -> usize {
    let length = bytes.first_chunk().map_or(0, |length| u64::from_le_bytes(*length));
    size_of::<u64>() + usize::try_from(length).unwrap_or(0)
}

/// Whether a file is of this kind, as far as its first bytes tell.
pub(crate) fn is_of_kind(kind: FileKind, bytes: &[u8]) -> bool {
    let header = SafeTensors::read_metadata(bytes).ok();
    header.is_some_and(|(_, header)| {
        header.metadata().as_ref().is_some_and(|metadata| metadata.contains_key(kind.key))
    })
}

/// Opens a container; returns the JSON and the tensors.
pub(crate) fn open<'a>(kind: FileKind, bytes: &'a [u8], file: &str) -> Result<(String, SafeTensors<'a>)> {
    #[derive(Deserialize)]
    struct Version {
        format_version: u32,
    }
    let FileKind { key, name, .. } = kind;
    let wrong = |reason: String| Error::ModelFile { file: file.to_owned(), reason };
    let foreign = || wrong(format!("not a quaich {name}"));
    let (_, metadata) = match SafeTensors::read_metadata(bytes) {
        Ok(header) => header,
        Err(safetensors::SafeTensorError::MetadataIncompleteBuffer) => {
            return Err(wrong("the file is truncated".to_owned()));
        }
        Err(_) => return Err(foreign()),
    };
    let metadata = metadata.metadata().as_ref().ok_or_else(foreign)?;
    if let Some(other) =
        [MODEL, ENCODER].iter().find(|other| metadata.contains_key(other.key) && **other != kind)
    {
        return Err(wrong(format!("not a quaich {name}: {}", other.help)));
    }
    let json = metadata.get(key).ok_or_else(foreign)?.clone();
    let version: Version = serde_json::from_str(&json).map_err(|_| foreign())?;
    if version.format_version != FORMAT_VERSION {
        return Err(wrong(format!(
            "the {name} has format {}, but this version of quaich reads format {FORMAT_VERSION}: retrain the {name} or use another version",
            version.format_version
        )));
    }
    let tensors =
        SafeTensors::deserialize(bytes).map_err(|error| wrong(format!("the file is damaged: {error}")))?;
    Ok((json, tensors))
}

/// Checks that the content is what was written.
pub(crate) fn verify(json: &str, tensors: &SafeTensors<'_>, file: &str) -> Result<()> {
    let sum = tensors_checksum(json, tensors).to_le_bytes();
    if tensors.tensor(CHECKSUM).ok().map(|view| view.data()) == Some(&sum) {
        return Ok(());
    }
    let reason = "the checksum does not match: the file was changed after it was written".to_owned();
    Err(Error::ModelFile { file: file.to_owned(), reason })
}

/// The checksum of a container's content.
pub(crate) fn tensors_checksum(json: &str, tensors: &SafeTensors<'_>) -> u64 {
    let mut names: Vec<&str> = tensors.names().into_iter().filter(|name| *name != CHECKSUM).collect();
    names.sort_unstable();
    checksum(json, names.into_iter().filter_map(|name| Some(tensors.tensor(name).ok()?.data())))
}
