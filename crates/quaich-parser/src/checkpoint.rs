//! Checkpoints of a training run, in files next to the model, from which an interrupted run resumes with the same result. Damaged files
//! are ignored.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quaich_features::hash;
use quaich_learn::Arrays;
use quaich_treebank::Sink;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::checksum::{FORMAT_VERSION, checksum};
use crate::error::{Error, Result};
use crate::observer::{Event, Observer};

/// The metadata key that identifies the training run.
const KEY: &str = "quaich-checkpoint";
/// The extension of checkpoint files and unfinished files.
const END: &str = ".part";

/// Where a training run stores its checkpoints; nowhere by default.
///
/// ```no_run
/// # use quaich_parser::{Checkpoint, Trainer};
/// # let treebank = quaich_treebank::Treebank::default();
/// let checkpoint = Checkpoint::beside("en.quaich".as_ref());
/// // Resumes an interrupted run with the same settings and treebank.
/// let model = Trainer::default().checkpoint(checkpoint.clone()).train(&treebank)?;
/// model.save("en.quaich")?;
/// checkpoint.remove();
/// # Ok::<(), quaich_parser::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Checkpoint {
    model: Option<PathBuf>,
    /// A hash of everything that affects the result.
    key: String,
    /// The prefix of the names of parts.
    prefix: String,
    /// Whether anything could not be stored.
    has_failed: Arc<AtomicBool>,
}

impl Checkpoint {
    /// Files next to a model that does not exist yet.
    pub fn beside(model: &Path) -> Self {
        Self { model: Some(model.to_owned()), ..Self::default() }
    }

    /// The checkpoint of one of several parsers of a model, by its number.
    pub(crate) fn of_parser(&self, number: usize) -> Self {
        Self { prefix: format!("{}{number}-", self.prefix), ..self.clone() }
    }

    /// The checkpoint of one of several runs towards the same model.
    pub(crate) fn of_run(&self, name: &str) -> Self {
        Self { prefix: format!("{name}-{}", self.prefix), ..self.clone() }
    }

    /// Whether anything is stored.
    pub(crate) fn is_used(&self) -> bool {
        self.model.is_some()
    }

    /// The checkpoint of a run that this text identifies.
    pub(crate) fn of(&self, training: &str) -> Self {
        let key = format!("{:016x}", hash::bytes(u64::from(FORMAT_VERSION), training.as_bytes()));
        Self { key, ..self.clone() }
    }

    /// Stores a part, replacing the previous version. If that fails, training continues, and the observer gets one message.
    pub(crate) fn save(&self, part: &str, arrays: &Arrays, observer: &dyn Observer) {
        if let Err(error) = self.write(part, arrays)
            && !self.has_failed.swap(true, Ordering::Relaxed)
        {
            observer.event(&Event::NotStored { reason: error.to_string() });
        }
    }

    fn write(&self, part: &str, arrays: &Arrays) -> Result<()> {
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
        let metadata = HashMap::from([(KEY.to_owned(), self.seal(arrays))]);
        let bytes = safetensors::serialize(views, Some(metadata)).map_err(wrong)?;
        let mut sink = Sink::create(Some(&path))?;
        sink.write_all(&bytes).map_err(Error::Output)?;
        sink.finish()?;
        Ok(())
    }

    /// Loads a part, if the same run stored it.
    pub(crate) fn load(&self, part: &str) -> Option<Arrays> {
        let bytes = std::fs::read(self.file(part)?).ok()?;
        let (_, metadata) = SafeTensors::read_metadata(&bytes).ok()?;
        let tensors = SafeTensors::deserialize(&bytes).ok()?;
        let mut arrays = Arrays::default();
        for (name, view) in tensors.tensors() {
            arrays.set_bytes(&name, view.data().to_vec());
        }
        (metadata.metadata().as_ref()?.get(KEY)? == &self.seal(&arrays)).then_some(arrays)
    }

    /// Removes all checkpoint files, when training is complete.
    pub fn remove(&self) {
        self.remove_files(|_| true);
    }

    /// Removes the unfinished files of a run that was killed.
    pub fn remove_unfinished(&self) {
        self.remove_files(|rest| {
            let writer = rest.rsplit('.').next().filter(|writer| is_number(writer));
            // Without /proc, every process counts as gone.
            writer.is_some_and(|writer| !Path::new("/proc").join(writer).exists())
        });
    }

    /// The files next to the model that the run replaces and removes.
    pub fn files(&self) -> Vec<PathBuf> {
        self.files_where(|_| true)
    }

    fn remove_files(&self, which: impl Fn(&str) -> bool) {
        for file in self.files_where(which) {
            // A file that cannot be removed does no harm.
            let _ = std::fs::remove_file(file);
        }
    }

    /// The files next to the model with names of checkpoints for which `which` holds, given the part of the name between the model's name
    /// and the extension: `linear`, `linear.part.4711`, `4711`.
    fn files_where(&self, which: impl Fn(&str) -> bool) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let Some((folder, name)) =
            self.model.as_ref().and_then(|model| Some((model.parent()?, model.file_name()?)))
        else {
            return files;
        };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let start = format!("{}.", name.to_string_lossy());
        // A directory that cannot be read has no checkpoints.
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let file = entry.file_name();
            let file = file.to_string_lossy();
            let rest = file.strip_prefix(&start).and_then(|rest| rest.strip_suffix(END));
            if rest.is_some_and(|rest| is_ours(rest) && which(rest)) {
                files.push(entry.path());
            }
        }
        files
    }

    fn file(&self, part: &str) -> Option<PathBuf> {
        let model = self.model.as_ref()?;
        let mut name = model.file_name()?.to_owned();
        name.push(format!(".{}{part}{END}", self.prefix));
        Some(model.with_file_name(name))
    }

    /// Identifies the run and verifies the content: the key and a checksum.
    fn seal(&self, arrays: &Arrays) -> String {
        let names = arrays.iter().fold(self.key.clone(), |names, (name, _)| format!("{names}\n{name}"));
        let sum = checksum(&names, arrays.iter().map(|(_, bytes)| bytes));
        format!("{} {sum:016x}", self.key)
    }
}

/// Whether a file is a checkpoint or unfinished: other models may have names with the same prefix.
fn is_ours(rest: &str) -> bool {
    match rest.split_once(&format!("{END}.")) {
        Some((part, writer)) => !part.contains('.') && is_number(writer),
        None => !rest.contains('.'),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_damaged_part_counts_for_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let checkpoint = Checkpoint::beside(&folder.path().join("m.quaich")).of("this");
        let mut arrays = Arrays::default();
        arrays.set("numbers", &[1.0f32, 2.0, 3.0]);
        arrays.set_one("done", 7u64);
        checkpoint.save("linear", &arrays, &crate::observer::Unobserved);
        assert_eq!(checkpoint.load("linear").as_ref(), Some(&arrays));
        assert!(checkpoint.of("another").load("linear").is_none());
        let file = folder.path().join("m.quaich.linear.part");
        let whole = fs::read(&file).unwrap();
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&file, damaged).unwrap();
            if let Some(found) = checkpoint.load("linear") {
                // Bytes outside the content, such as spaces, may change.
                assert_eq!(found, arrays, "bit {bit}");
            }
        }
    }

    #[test]
    fn only_files_of_this_training_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        // No process has this ID.
        let dead = u32::MAX;
        let others = ["m", "m.quaich", "m.x.linear.part", format!("m.x.{dead}.part").as_str(), "mm.1.part"]
            .map(str::to_owned);
        let ours =
            ["m.linear.part".to_owned(), format!("m.linear.part.{dead}.part"), format!("m.{dead}.part")];
        for name in others.iter().chain(&ours) {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let checkpoint = Checkpoint::beside(&folder.path().join("m"));
        let mut left: Vec<String> = others.into_iter().collect();
        left.push("m.linear.part".to_owned());
        left.sort();
        checkpoint.remove_unfinished();
        assert_eq!(names(folder.path()), left);
        left.retain(|name| name != "m.linear.part");
        checkpoint.remove();
        assert_eq!(names(folder.path()), left);
    }
}
