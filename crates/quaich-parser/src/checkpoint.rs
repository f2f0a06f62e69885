//! What a training has done so far, kept in files beside the model, so that it can be taken up
//! again after an interruption and comes to the same end.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use quaich_features::hash;
use quaich_treebank::Sink;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::error::{Error, Result};

/// The metadata that says which training a file belongs to.
const KEY: &str = "quaich-checkpoint";

/// The parts of a training that are kept, by the ending of their files.
const PARTS: [&str; 3] = ["linear", "network", "rehearsal"];

/// Where a training keeps its parts; the default is nowhere.
#[derive(Clone, Debug, Default)]
pub struct Checkpoint {
    model: Option<PathBuf>,
    /// Changes with everything that the result depends on.
    key: String,
}

/// A part of a training that was kept.
pub(crate) struct Kept(HashMap<String, Vec<u8>>);

impl Checkpoint {
    /// Files beside a model that is still to be written.
    pub fn beside(model: &Path) -> Self {
        Self { model: Some(model.to_owned()), key: String::new() }
    }

    /// Whether anything is kept.
    pub(crate) fn is_used(&self) -> bool {
        self.model.is_some()
    }

    /// For a training that is told from others by this text.
    pub(crate) fn of(&self, training: &str) -> Self {
        let key = format!(
            "{:016x}",
            hash::bytes(u64::from(crate::model_file::FORMAT_VERSION), training.as_bytes())
        );
        Self { model: self.model.clone(), key }
    }

    /// Keeps a part, in place of what was kept of it before.
    pub(crate) fn save(&self, part: &str, arrays: &[(&str, &[u8])]) -> Result<()> {
        let Some(path) = self.file(part) else { return Ok(()) };
        let file = path.display().to_string();
        let wrong = |error: safetensors::SafeTensorError| Error::ModelFile {
            file: file.clone(),
            reason: error.to_string(),
        };
        let views = arrays
            .iter()
            .map(|&(name, bytes)| Ok((name, TensorView::new(Dtype::U8, vec![bytes.len()], bytes)?)))
            .collect::<std::result::Result<Vec<_>, _>>()
            .map_err(wrong)?;
        let metadata = HashMap::from([(KEY.to_owned(), self.key.clone())]);
        let bytes = safetensors::serialize(views, Some(metadata)).map_err(wrong)?;
        let mut sink = Sink::create(Some(&path))?;
        sink.write_all(&bytes).map_err(|source| Error::Io { file: file.clone(), source })?;
        sink.finish()?;
        Ok(())
    }

    /// What was kept of a part of this very training.
    pub(crate) fn load(&self, part: &str) -> Option<Kept> {
        let bytes = std::fs::read(self.file(part)?).ok()?;
        let (_, metadata) = SafeTensors::read_metadata(&bytes).ok()?;
        let tensors = SafeTensors::deserialize(&bytes).ok()?;
        (metadata.metadata().as_ref()?.get(KEY) == Some(&self.key)).then(|| {
            Kept(tensors.tensors().into_iter().map(|(name, view)| (name, view.data().to_vec())).collect())
        })
    }

    /// Removes the files, once the model is written.
    pub fn remove(&self) {
        for path in PARTS.iter().filter_map(|part| self.file(part)) {
            // What is not there need not be removed.
            let _ = std::fs::remove_file(path);
        }
    }

    fn file(&self, part: &str) -> Option<PathBuf> {
        let model = self.model.as_ref()?;
        let mut name = model.file_name()?.to_owned();
        name.push(format!(".{part}.part"));
        Some(model.with_file_name(name))
    }
}

impl Kept {
    /// The bytes of an array.
    pub(crate) fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name).map(Vec::as_slice)
    }

    /// An array of numbers.
    pub(crate) fn numbers<T: bytemuck::AnyBitPattern>(&self, name: &str) -> Option<Vec<T>> {
        let numbers = self.bytes(name)?.chunks_exact(size_of::<T>());
        numbers.remainder().is_empty().then(|| numbers.map(bytemuck::pod_read_unaligned).collect())
    }

    /// A single number.
    pub(crate) fn number<T: bytemuck::AnyBitPattern>(&self, name: &str) -> Option<T> {
        bytemuck::try_pod_read_unaligned(self.bytes(name)?).ok()
    }
}
