//! Feature models by name or by file: any name that is not built in is a file name.

use std::path::Path;

use quaich::features::model::ModelError;
use quaich::features::{FEATURE_MODELS, FeatureModel, MaltOptions, NamedModel, Notation};
use quaich::treebank::UnknownName;

use crate::side_files;

/// The built-in feature model of this name, or the one in the file of this name.
pub(crate) fn by_name_or_file(name: &str) -> anyhow::Result<FeatureModel> {
    by_name_or_file_with(name, MaltOptions::default())
}

/// Like [`by_name_or_file`], with options for `MaltParser`'s notations.
pub(crate) fn by_name_or_file_with(name: &str, options: MaltOptions) -> anyhow::Result<FeatureModel> {
    if let Ok(named) = NamedModel::by_name(name) {
        return Ok(named.model());
    }
    let path = Path::new(name);
    // A name that does not look like a file name is a misspelt built-in name.
    if !name.contains(['.', '/', '\\']) && matches!(path.try_exists(), Ok(false)) {
        let known = FEATURE_MODELS.iter().map(|named| named.name);
        return Err(UnknownName::new("feature model or file", name, known).into());
    }
    let text = side_files::read(path)?;
    Notation::of(path, &text).parse(&text, options).map_err(|error| in_file(name, error))
}

/// The file to read a feature model from; none for built-in names.
pub(crate) fn file(name: &str) -> Option<&Path> {
    NamedModel::by_name(name).is_err().then(|| Path::new(name))
}

/// The error with its file, and with the position where it is known.
pub(crate) fn in_file(file: &str, error: ModelError) -> anyhow::Error {
    match error {
        ModelError::At { .. } => anyhow::anyhow!("{file}:{error}"),
        error => anyhow::Error::new(error).context(file.to_owned()),
    }
}
