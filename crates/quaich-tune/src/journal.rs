//! The journal: a file with one line per finished trial, from which a search resumes.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::trial::Outcome;

/// A journal.
#[derive(Debug, Default)]
pub struct Journal {
    file: Option<(PathBuf, File)>,
    outcomes: BTreeMap<String, Outcome>,
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    /// The name of the search: options and treebank.
    search: String,
}

impl Journal {
    /// A journal in memory.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// A new journal in this file.
    pub(crate) fn create(path: &Path, search: &str) -> Result<Self> {
        let failed = |source| Error::Io { file: path.display().to_string(), source };
        let mut file = File::create(path).map_err(failed)?;
        let head = serde_json::to_string(&Head { search: search.to_owned() }).unwrap_or_default();
        writeln!(file, "{head}").map_err(failed)?;
        Ok(Self { file: Some((path.to_owned(), file)), outcomes: BTreeMap::new() })
    }

    /// Continues a journal, or starts a new one if there is no file. A last line that a killed run left incomplete is dropped.
    pub(crate) fn resume(path: &Path, search: &str) -> Result<Self> {
        let name = || path.display().to_string();
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Self::create(path, search),
            Err(source) => return Err(Error::Io { file: name(), source }),
        };
        let complete = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut lines = complete.lines();
        let Some(head) = lines.next() else { return Self::create(path, search) };
        let malformed = |reason: String| Error::Journal { file: name(), reason };
        let head: Head = serde_json::from_str(head)
            .map_err(|_| malformed("found no journal of `quaich tune`".to_owned()))?;
        if head.search != search {
            let reason = "the trials are of a search with another treebank or other options; leave --resume out to start again";
            return Err(malformed(reason.to_owned()));
        }
        let mut outcomes = BTreeMap::new();
        for (number, line) in (2..).zip(lines) {
            let outcome: Outcome =
                serde_json::from_str(line).map_err(|error| malformed(format!("line {number}: {error}")))?;
            outcomes.insert(outcome.key.clone(), outcome);
        }
        let failed = |source| Error::Io { file: name(), source };
        let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
        file.set_len(complete.len() as u64).map_err(failed)?;
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        Ok(Self { file: Some((path.to_owned(), file)), outcomes })
    }

    /// A journal in memory with outcomes of other machines.
    pub fn of(outcomes: impl IntoIterator<Item = Outcome>) -> Self {
        let outcomes = outcomes.into_iter().map(|outcome| (outcome.key.clone(), outcome)).collect();
        Self { file: None, outcomes }
    }

    /// The outcomes of earlier runs, by key.
    pub(crate) fn known(&self) -> BTreeMap<String, Outcome> {
        self.outcomes.clone()
    }

    /// Adds an outcome.
    pub(crate) fn append(&mut self, outcome: &Outcome) -> Result<()> {
        if let Some((path, file)) = &mut self.file {
            let failed = |source| Error::Io { file: path.display().to_string(), source };
            let line = serde_json::to_string(outcome).unwrap_or_default() + "\n";
            // One call, so that a line is complete or absent.
            file.write_all(line.as_bytes()).map_err(failed)?;
        }
        Ok(())
    }
}
