//! Parts of a model file: what a decoder puts there and finds again, by name. A part can have parts of
//! its own, so that a decoder made of several is saved as they are.

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
    /// Whether it is made of whole cache lines, which are to be used where they lie in the file.
    pub(crate) of_lines: bool,
}

/// A part that is being written.
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

    /// Says what cannot be said in arrays; once a part, before its parts are written.
    ///
    /// # Panics
    /// When the description cannot be JSON: descriptions are plain structs.
    pub(crate) fn describe(&mut self, description: &impl Serialize) {
        *self.description = serde_json::to_value(description).expect("plain structs can be JSON");
    }

    /// An array that is read and copied.
    pub(crate) fn plain(&mut self, name: &str, bytes: Vec<u8>) {
        self.tensors.push(Tensor { name: self.name(name), bytes, of_lines: false });
    }

    /// A table that is used where it lies.
    pub(crate) fn lines(&mut self, name: &str, bytes: Vec<u8>) {
        self.tensors.push(Tensor { name: self.name(name), bytes, of_lines: true });
    }

    /// Arrays under a name of their own.
    pub(crate) fn arrays(&mut self, name: &str, save: impl FnOnce(&mut Arrays)) {
        let mut arrays = Arrays::default();
        save(&mut arrays);
        for (own, bytes) in arrays.iter() {
            self.plain(&format!("{name}/{own}"), bytes.to_vec());
        }
    }

    /// A part of this part.
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

/// Why a part cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct PartError(pub(crate) String);

impl PartError {
    /// Something in the part that cannot be used.
    pub(crate) fn broken(what: &str) -> Self {
        Self(format!("its {what} cannot be used"))
    }
}

/// A part that is being read.
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

    /// What was said of the part.
    pub(crate) fn description<T: DeserializeOwned>(&self) -> Result<T, PartError> {
        serde_json::from_value(self.description.clone())
            .map_err(|error| PartError(format!("its description cannot be read: {error}")))
    }

    /// The bytes of an array.
    pub(crate) fn bytes(&self, name: &str) -> Result<&'f [u8], PartError> {
        let name = format!("{}{name}", self.prefix);
        let found = self.tensors.tensor(&name).map(|view| view.data());
        found.map_err(|_| PartError(format!("there is no part `{name}` in it")))
    }

    /// The arrays that were written under a name of their own.
    pub(crate) fn arrays(&self, name: &str) -> Result<Arrays, PartError> {
        let mut arrays = Arrays::default();
        for full in self.names() {
            if let Some(own) = full.strip_prefix(name).and_then(|rest| rest.strip_prefix('/')) {
                arrays.set_bytes(own, self.bytes(full)?.to_vec());
            }
        }
        Ok(arrays)
    }

    /// The names of the arrays of this part and its parts, in order.
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
            Err(PartError(format!("`{}{name}` has no whole number of cells", self.prefix)))
        }
    }

    /// A table, used where it lies.
    pub(crate) fn lines(&self, name: &str) -> Result<Lines, PartError> {
        Lines::at(self.bytes(name)?, self.file)
            .ok_or_else(|| PartError(format!("`{}{name}` has no whole number of rows", self.prefix)))
    }

    /// Reads a part of this part.
    pub(crate) fn part<T>(
        &self,
        name: &str,
        read: impl FnOnce(PartReader<'_>) -> Result<T, PartError>,
    ) -> Result<T, PartError> {
        let prefix = format!("{}{name}/", self.prefix);
        read(PartReader { prefix: &prefix, description: &self.description[name], ..*self })
    }
}
