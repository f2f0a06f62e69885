//! The combination: sentences on which two parsers agree, and an encoder pretrained on the target where models start from one.

use quaich_parser::Result;

use super::co_training::{agreements, curve};
use super::{Method, pretraining};
use crate::domain::{Domain, Part};
use crate::material::Material;

pub(super) const METHOD: Method = Method {
    name: "combined",
    help: "co-training, and pretraining where parsers start from a pretrained encoder; the default",
    min_confidence: Some(1.0),
    needs_second: true,
    run,
};

fn run(domain: &Domain<'_>, min: f32) -> Result<Material> {
    let parsed = domain.first(Part::Target)?;
    let chosen = domain.choose(&agreements(domain, Part::Target)?, min);
    Ok(Material {
        added: chosen.into_iter().map(|number| parsed[number].sentence.clone()).collect(),
        curve: Some(curve(domain)?),
        encoder: pretraining::encoder(domain)?.clone().ok(),
        ..Material::default()
    })
}
