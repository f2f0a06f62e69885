//! Self-training: the model learns from its own parses of the target (`McClosky` et al. 2006).

use quaich_parser::Result;

use super::Method;
use crate::domain::{Domain, Part};
use crate::material::Material;

pub(super) const METHOD: Method = Method {
    name: "self-training",
    help: "adds the target sentences that the source model parses with the highest confidence",
    min_confidence: Some(0.9),
    needs_second: false,
    run,
};

fn run(domain: &Domain<'_>, min: f32) -> Result<Material> {
    let confidence = |part: Part| {
        let taught = domain.first(part)?.iter();
        Ok(taught.map(|taught| taught.confidence).collect::<Vec<f32>>())
    };
    let parsed = domain.first(Part::Target)?;
    let mut material =
        Material { curve: Some(domain.curve("mean probability", confidence)?), ..Material::default() };
    for number in domain.choose(&confidence(Part::Target)?, min) {
        material.added.push(parsed[number].sentence.clone());
        material.head_distributions.extend(parsed[number].head_distribution.clone());
    }
    Ok(material)
}
