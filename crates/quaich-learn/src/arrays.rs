//! Named arrays of bytes, as which classifiers and checkpoints are saved. The caller stores them in a file.

use std::collections::BTreeMap;

use bytemuck::{AnyBitPattern, NoUninit};

/// Arrays by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Arrays {
    arrays: BTreeMap<String, Vec<u8>>,
}

/// The error of loading from arrays.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// An array is missing.
    #[error("the array `{name}` is missing")]
    Missing {
        /// Its name.
        name: String,
    },
    /// An array has unexpected content.
    #[error("the array `{name}` {reason}")]
    Unfit {
        /// Its name.
        name: String,
        /// The reason.
        reason: &'static str,
    },
}

impl LoadError {
    /// An array with unexpected content.
    pub fn unfit(name: &str, reason: &'static str) -> Self {
        Self::Unfit { name: name.to_owned(), reason }
    }
}

impl Arrays {
    /// Adds an array of numbers; replaces one with the same name.
    pub fn set<T: NoUninit>(&mut self, name: &str, numbers: &[T]) {
        self.set_bytes(name, bytemuck::cast_slice(numbers).to_vec());
    }

    /// Adds an array of a single number.
    pub fn set_one<T: NoUninit>(&mut self, name: &str, number: T) {
        self.set(name, &[number]);
    }

    /// Adds an array of bytes.
    pub fn set_bytes(&mut self, name: &str, bytes: Vec<u8>) {
        self.arrays.insert(name.to_owned(), bytes);
    }

    /// The numbers of an array.
    pub fn get<T: AnyBitPattern>(&self, name: &str) -> Result<Vec<T>, LoadError> {
        let bytes = self.bytes(name).ok_or_else(|| LoadError::Missing { name: name.to_owned() })?;
        let numbers = bytes.chunks_exact(size_of::<T>());
        if !numbers.remainder().is_empty() {
            return Err(LoadError::unfit(name, "is truncated"));
        }
        Ok(numbers.map(bytemuck::pod_read_unaligned).collect())
    }

    /// The numbers of an array that must have this length.
    pub fn get_exactly<T: AnyBitPattern>(&self, name: &str, n: usize) -> Result<Vec<T>, LoadError> {
        let numbers = self.get(name)?;
        if numbers.len() == n { Ok(numbers) } else { Err(LoadError::unfit(name, "has an unexpected length")) }
    }

    /// The number of an array of length one.
    pub fn one<T: AnyBitPattern>(&self, name: &str) -> Result<T, LoadError> {
        match self.get(name)?[..] {
            [number] => Ok(number),
            _ => Err(LoadError::unfit(name, "is not a single number")),
        }
    }

    /// The bytes of an array.
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.arrays.get(name).map(Vec::as_slice)
    }

    /// All arrays, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.arrays.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
    }

    /// Adds all arrays of `part` as `prefix/name`.
    pub fn nest(&mut self, prefix: &str, part: Self) {
        self.arrays.extend(part.arrays.into_iter().map(|(name, bytes)| (format!("{prefix}/{name}"), bytes)));
    }

    /// The arrays that were nested under a prefix.
    #[must_use]
    pub fn part(&self, prefix: &str) -> Self {
        let name_within = |name: &str| name.strip_prefix(prefix)?.strip_prefix('/').map(str::to_owned);
        let within = self.arrays.iter().filter_map(|(name, bytes)| Some((name_within(name)?, bytes.clone())));
        Self { arrays: within.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_can_be_got() {
        let mut arrays = Arrays::default();
        arrays.set("weights", &[1.5f32, -2.0]);
        arrays.set_one("n_classes", 3u64);
        assert_eq!(arrays.get::<f32>("weights"), Ok(vec![1.5, -2.0]));
        assert_eq!(arrays.one::<u64>("n_classes"), Ok(3));
        assert_eq!(arrays.one::<u64>("classes").unwrap_err().to_string(), "the array `classes` is missing");
        let error = arrays.one::<f32>("weights").unwrap_err();
        assert_eq!(error.to_string(), "the array `weights` is not a single number");
        arrays.set("weights", &[1u8, 2, 3]);
        assert!(arrays.get::<f32>("weights").is_err());
    }

    #[test]
    fn parts_are_what_was_nested() {
        let mut part = Arrays::default();
        part.set("a", &[1u32]);
        let mut whole = Arrays::default();
        whole.set("best", &[0u8]);
        whole.set("bestial/a", &[0u8]);
        whole.nest("best", part.clone());
        assert_eq!(whole.part("best"), part);
        let names: Vec<&str> = whole.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["best", "best/a", "bestial/a"]);
    }
}
