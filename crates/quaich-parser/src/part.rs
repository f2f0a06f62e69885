//! Parts of a model file: decoders write and read arrays by name. Parts can be nested, for decoders that are made of others.

use quaich_learn::Arrays;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::huge_pages::{Content, Lines};

/// A named array of a model file.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Tensor {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// Whether it consists of whole cache lines, used in place.
    pub(crate) of_lines: bool,
}

/// Writes a part.
#[derive(Debug)]
pub(crate) struct PartWriter<'f> {
    prefix: String,
    tensors: &'f mut Vec<Tensor>,
    description: &'f mut Value,
}

impl<'f> PartWriter<'f> {
    pub(crate) fn new(prefix: String, tensors: &'f mut Vec<Tensor>, description: &'f mut Value) -> Self {
        Self { prefix, tensors, description }
    }

    /// Writes the part's JSON header; at most once per part, before its nested parts.
    ///
    /// # Panics
    /// If the header cannot be represented as JSON; headers are plain structs.
    pub(crate) fn describe(&mut self, description: &impl Serialize) {
        *self.description = serde_json::to_value(description).expect("plain structs are valid JSON");
    }

    /// Writes an array that is copied when it is read.
    pub(crate) fn plain(&mut self, name: &str, bytes: Vec<u8>) {
        self.tensors.push(Tensor { name: self.name(name), bytes, of_lines: false });
    }

    /// Writes a table that is used in place.
    pub(crate) fn lines(&mut self, name: &str, bytes: Vec<u8>) {
        self.tensors.push(Tensor { name: self.name(name), bytes, of_lines: true });
    }

    /// Writes several arrays under a common name.
    pub(crate) fn arrays(&mut self, name: &str, save: impl FnOnce(&mut Arrays)) {
        let mut arrays = Arrays::default();
        save(&mut arrays);
        for (own, bytes) in arrays.iter() {
            self.plain(&format!("{name}/{own}"), bytes.to_vec());
        }
    }

    /// Starts a nested part.
    pub(crate) fn part(&mut self, name: &str) -> PartWriter<'_> {
        if !self.description.is_object() {
            *self.description = Value::Object(serde_json::Map::new());
        }
        let prefix = format!("{}/", self.name(name));
        let description = &mut self.description[name];
        PartWriter { prefix, tensors: self.tensors, description }
    }

    fn name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }
}

/// The reason why a part cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct PartError(pub(crate) String);

impl PartError {
    /// An invalid element of the part.
    pub(crate) fn broken(what: &str) -> Self {
        Self(format!("its {what} is invalid"))
    }
}

/// Reads a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartReader<'f> {
    prefix: &'f str,
    tensors: &'f safetensors::SafeTensors<'f>,
    description: &'f Value,
    file: Option<&'f Content>,
}

impl<'f> PartReader<'f> {
    pub(crate) fn new(
        prefix: &'f str,
        tensors: &'f safetensors::SafeTensors<'f>,
        description: &'f Value,
        file: Option<&'f Content>,
    ) -> Self {
        Self { prefix, tensors, description, file }
    }

    /// The part's JSON header.
    pub(crate) fn description<T: DeserializeOwned>(&self) -> Result<T, PartError> {
        serde_json::from_value(self.description.clone())
            .map_err(|error| PartError(format!("its description is invalid: {error}")))
    }

    /// The bytes of an array.
    pub(crate) fn bytes(&self, name: &str) -> Result<&'f [u8], PartError> {
        let name = format!("{}{name}", self.prefix);
        let found = self.tensors.tensor(&name).map(|view| view.data());
        found.map_err(|_| PartError(format!("it has no part `{name}`")))
    }

    /// The arrays that were written under a common name.
    pub(crate) fn arrays(&self, name: &str) -> Result<Arrays, PartError> {
        let mut arrays = Arrays::default();
        for full in self.names() {
            if let Some(own) = full.strip_prefix(name).and_then(|rest| rest.strip_prefix('/')) {
                arrays.set_bytes(own, self.bytes(full)?.to_vec());
            }
        }
        Ok(arrays)
    }

    /// The names of the arrays of this part and its nested parts, sorted.
    pub(crate) fn names(&self) -> Vec<&'f str> {
        let mut names: Vec<&str> =
            self.tensors.names().into_iter().filter_map(|name| name.strip_prefix(self.prefix)).collect();
        names.sort_unstable();
        names
    }

    /// An array of numbers.
    pub(crate) fn numbers<T, const N: usize>(
        &self,
        name: &str,
        from: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, PartError> {
        let (numbers, rest) = self.bytes(name)?.as_chunks::<N>();
        if rest.is_empty() {
            Ok(numbers.iter().map(|&bytes| from(bytes)).collect())
        } else {
            Err(PartError(format!("the size of `{}{name}` is not a multiple of the cell size", self.prefix)))
        }
    }

    /// A table, used in place.
    pub(crate) fn lines(&self, name: &str) -> Result<Lines, PartError> {
        Lines::at(self.bytes(name)?, self.file).ok_or_else(|| {
            PartError(format!("the size of `{}{name}` is not a multiple of the row size", self.prefix))
        })
    }

    /// Reads a nested part.
    pub(crate) fn part<T>(
        &self,
        name: &str,
        read: impl FnOnce(PartReader<'_>) -> Result<T, PartError>,
    ) -> Result<T, PartError> {
        let prefix = format!("{}{name}/", self.prefix);
        read(PartReader { prefix: &prefix, description: &self.description[name], ..*self })
    }
}
