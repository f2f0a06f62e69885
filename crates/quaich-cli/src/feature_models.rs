//! Feature models by name: those that come with the program. Any other name is that of a file.

use std::io::ErrorKind;

use anyhow::Context;
use quaich_features::FeatureModel;
use quaich_treebank::UnknownName;

/// A feature model that comes with the program.
pub(crate) struct NamedModel {
    pub(crate) name: &'static str,
    /// One line of help.
    pub(crate) about: &'static str,
    pub(crate) model: fn() -> FeatureModel,
}

/// Every feature model, in the order help shows them.
pub(crate) static FEATURE_MODELS: &[NamedModel] = &[
    NamedModel {
        name: "default",
        about: "conjunctions of up to four values, for models that make none themselves",
        model: FeatureModel::default_model,
    },
    NamedModel {
        name: "network",
        about: "single values: what the network sees",
        model: FeatureModel::network_slots,
    },
];

/// The feature model of that name, or in the file of that name.
pub(crate) fn by_name_or_file(name: &str) -> anyhow::Result<FeatureModel> {
    if let Some(named) = FEATURE_MODELS.iter().find(|named| named.name == name) {
        return Ok((named.model)());
    }
    let text = match std::fs::read_to_string(name) {
        Ok(text) => text,
        // What looks like no file is a name.
        Err(error) if error.kind() == ErrorKind::NotFound && !name.contains(['.', '/', '\\']) => {
            let known = FEATURE_MODELS.iter().map(|named| named.name);
            return Err(UnknownName::new("feature model or file", name, known).into());
        }
        Err(error) => return Err(error).with_context(|| name.to_owned()),
    };
    FeatureModel::parse(&text).with_context(|| name.to_owned())
}
