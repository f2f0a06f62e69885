//! Feature models by name: those that come with the program. Any other name is that of a file.

use std::path::Path;

use quaich::features::model::ModelError;
use quaich::features::{FEATURE_MODELS, FeatureModel, MaltOptions, NamedModel, Notation};
use quaich::treebank::UnknownName;

use crate::side_files;

/// The feature model of that name, or in the file of that name.
pub(crate) fn by_name_or_file(name: &str) -> anyhow::Result<FeatureModel> {
    by_name_or_file_with(name, MaltOptions::default())
}

/// The same, with options for `MaltParser`'s notations.
pub(crate) fn by_name_or_file_with(name: &str, options: MaltOptions) -> anyhow::Result<FeatureModel> {
    if let Ok(named) = NamedModel::by_name(name) {
        return Ok(named.model());
    }
    let path = Path::new(name);
    // What looks like no file is a name.
    if !name.contains(['.', '/', '\\']) && matches!(path.try_exists(), Ok(false)) {
        let known = FEATURE_MODELS.iter().map(|named| named.name);
        return Err(UnknownName::new("feature model or file", name, known).into());
    }
    let text = side_files::read(path)?;
    Notation::of(path, &text).parse(&text, options).map_err(|error| in_file(name, error))
}

/// The file that a feature model is read from, if the name is not that of one that comes with the program.
pub(crate) fn file(name: &str) -> Option<&Path> {
    NamedModel::by_name(name).is_err().then(|| Path::new(name))
}

/// What is wrong in a file, where in it that is known.
pub(crate) fn in_file(file: &str, error: ModelError) -> anyhow::Error {
    match error {
        ModelError::At { .. } => anyhow::anyhow!("{file}:{error}"),
        error => anyhow::Error::new(error).context(file.to_owned()),
    }
}
