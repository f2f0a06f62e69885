//! What a training has done so far, kept in files beside the model, so that it can be taken up
//! again after an interruption and comes to the same end.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use quaich_features::hash;
use quaich_learn::Arrays;
use quaich_treebank::Sink;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::error::{Error, Result};

/// The metadata that says which training a file belongs to.
const KEY: &str = "quaich-checkpoint";

/// Where a training keeps its parts; the default is nowhere.
#[derive(Clone, Debug, Default)]
pub struct Checkpoint {
    model: Option<PathBuf>,
    /// Changes with everything that the result depends on.
    key: String,
}

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
    pub(crate) fn save(&self, part: &str, arrays: &Arrays) -> Result<()> {
        let Some(path) = self.file(part) else { return Ok(()) };
        let file = path.display().to_string();
        let wrong = |error: safetensors::SafeTensorError| Error::ModelFile {
            file: file.clone(),
            reason: error.to_string(),
        };
        let views = arrays
            .iter()
            .map(|(name, bytes)| Ok((name, TensorView::new(Dtype::U8, vec![bytes.len()], bytes)?)))
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
    pub(crate) fn load(&self, part: &str) -> Option<Arrays> {
        let bytes = std::fs::read(self.file(part)?).ok()?;
        let (_, metadata) = SafeTensors::read_metadata(&bytes).ok()?;
        let tensors = SafeTensors::deserialize(&bytes).ok()?;
        if metadata.metadata().as_ref()?.get(KEY) != Some(&self.key) {
            return None;
        }
        let mut arrays = Arrays::default();
        for (name, view) in tensors.tensors() {
            arrays.set_bytes(&name, view.data().to_vec());
        }
        Some(arrays)
    }

    /// Removes everything that was kept: the training is complete.
    pub fn remove(&self) {
        let Some((folder, name)) =
            self.model.as_ref().and_then(|model| Some((model.parent()?, model.file_name()?)))
        else {
            return;
        };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let (start, end) = (format!("{}.", name.to_string_lossy()), ".part");
        // What cannot be read or removed is only in the way, it does no harm.
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let file = entry.file_name();
            let file = file.to_string_lossy();
            if file.strip_prefix(&start).is_some_and(|rest| rest.ends_with(end)) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    fn file(&self, part: &str) -> Option<PathBuf> {
        let model = self.model.as_ref()?;
        let mut name = model.file_name()?.to_owned();
        name.push(format!(".{part}.part"));
        Some(model.with_file_name(name))
    }
}
