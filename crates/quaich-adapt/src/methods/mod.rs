//! The table of methods.

mod agreement;
mod co_training;
mod combined;
mod pretraining;
mod self_training;
mod similarity;

use quaich_parser::{Error, Result};
use quaich_treebank::UnknownName;

use crate::domain::Domain;
use crate::material::Material;

pub(crate) use similarity::Similarity;

/// A method of adaptation.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// The name.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// The default of the minimum confidence of target sentences; `None` if the method does not choose sentences by confidence.
    pub min_confidence: Option<f32>,
    /// Whether a second parser is trained.
    pub(crate) needs_second: bool,
    pub(crate) run: fn(&Domain<'_>, f32) -> Result<Material>,
}

/// All methods; the first is the default.
pub static METHODS: &[Method] = &[
    combined::METHOD,
    self_training::METHOD,
    co_training::METHOD,
    agreement::METHOD,
    similarity::METHOD,
    pretraining::METHOD,
];

impl Method {
    /// The method of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn by_name(name: &str) -> Result<&'static Self> {
        let found = METHODS.iter().find(|method| method.name == name);
        found.ok_or_else(|| {
            let names = METHODS.iter().map(|method| method.name);
            Error::UnknownName(UnknownName::new("method", name, names))
        })
    }
}
