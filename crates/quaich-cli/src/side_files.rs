//! Small text files other than treebanks: settings, feature models, ensembles.

use std::path::Path;

use quaich::describe;
use quaich::treebank::{Error, side_file};

/// Reads such a file; the error says so if it is a model.
pub(crate) fn read(path: &Path) -> anyhow::Result<String> {
    side_file::read(path).map_err(|error| match error {
        Error::NotText { .. } | Error::TooLarge { .. } if path.is_file() && describe(path).is_ok() => {
            let file = path.display();
            anyhow::anyhow!("{file}: found a model, expected a text file; `quaich info {file}` describes it")
        }
        error => error.into(),
    })
}
