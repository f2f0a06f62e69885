//! Parts of a model file: what a decider puts there and finds again, by name. A part can have parts of
//! its own, so that a decider made of several is saved as they are.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::member::Member;
use crate::memory::{Content, Lines};

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
pub struct PartWriter<'f> {
    prefix: String,
    tensors: &'f mut Vec<Tensor>,
    description: &'f mut Value,
    shared_with: Option<usize>,
}

impl<'f> PartWriter<'f> {
    /// For a decider that shares with an earlier member, the number of that.
    pub(crate) fn new(
        prefix: String,
        tensors: &'f mut Vec<Tensor>,
        description: &'f mut Value,
        shared_with: Option<usize>,
    ) -> Self {
        Self { prefix, tensors, description, shared_with }
    }

    /// The member that has what this decider shares, if that is an earlier one.
    pub fn shared_with(&self) -> Option<usize> {
        self.shared_with
    }

    /// Says what cannot be said in arrays; once a part, before its parts are written.
    ///
    /// # Panics
    /// When the description cannot be JSON: descriptions are plain structs.
    pub fn describe(&mut self, description: &impl Serialize) {
        *self.description = serde_json::to_value(description).expect("plain structs can be JSON");
    }

    /// An array that is read and copied.
    pub fn plain(&mut self, name: &str, bytes: Vec<u8>) {
        self.tensors.push(Tensor { name: self.name(name), bytes, of_lines: false });
    }

    /// A table that is used where it lies.
    pub fn lines(&mut self, name: &str, bytes: Vec<u8>) {
        self.tensors.push(Tensor { name: self.name(name), bytes, of_lines: true });
    }

    /// A part of this part.
    pub fn part(&mut self, name: &str) -> PartWriter<'_> {
        if !self.description.is_object() {
            *self.description = Value::Object(serde_json::Map::new());
        }
        let prefix = format!("{}/", self.name(name));
        let description = &mut self.description[name];
        PartWriter { prefix, tensors: self.tensors, description, shared_with: None }
    }

    fn name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }
}

/// Why a part cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct PartError(pub(crate) String);

impl PartError {
    /// Something in the part that cannot be used.
    pub fn broken(what: &str) -> Self {
        Self(format!("its {what} cannot be used"))
    }
}

/// A part that is being read.
#[derive(Clone, Copy, Debug)]
pub struct PartReader<'f> {
    prefix: &'f str,
    tensors: &'f safetensors::SafeTensors<'f>,
    description: &'f Value,
    file: Option<&'f Content>,
    earlier: &'f [Member],
}

impl<'f> PartReader<'f> {
    pub(crate) fn new(
        prefix: &'f str,
        tensors: &'f safetensors::SafeTensors<'f>,
        description: &'f Value,
        file: Option<&'f Content>,
        earlier: &'f [Member],
    ) -> Self {
        Self { prefix, tensors, description, file, earlier }
    }

    /// The model of an earlier member, if it is of this type.
    pub fn earlier<M: 'static>(&self, member: usize) -> Option<&'f M> {
        self.earlier.get(member)?.decider.model().downcast_ref()
    }

    /// What was said of the part.
    pub fn description<T: DeserializeOwned>(&self) -> Result<T, PartError> {
        serde_json::from_value(self.description.clone())
            .map_err(|error| PartError(format!("its description cannot be read: {error}")))
    }

    /// The bytes of an array.
    pub fn bytes(&self, name: &str) -> Result<&'f [u8], PartError> {
        let name = format!("{}{name}", self.prefix);
        let found = self.tensors.tensor(&name).map(|view| view.data());
        found.map_err(|_| PartError(format!("there is no part `{name}` in it")))
    }

    /// The names of the arrays of this part and its parts, in order.
    pub fn names(&self) -> Vec<&'f str> {
        let mut names: Vec<&str> =
            self.tensors.names().into_iter().filter_map(|name| name.strip_prefix(self.prefix)).collect();
        names.sort_unstable();
        names
    }

    /// An array of numbers.
    pub fn numbers<T, const N: usize>(
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
    pub fn part<T>(
        &self,
        name: &str,
        read: impl FnOnce(PartReader<'_>) -> Result<T, PartError>,
    ) -> Result<T, PartError> {
        let prefix = format!("{}{name}/", self.prefix);
        read(PartReader { prefix: &prefix, description: &self.description[name], ..*self })
    }
}
