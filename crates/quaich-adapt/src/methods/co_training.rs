//! Co-training: two parsers that differ in learner and direction parse the target, and sentences on which they agree are added (Sagae and
//! Tsujii 2007, the best system of the track).

use quaich_parser::Result;

use super::Method;
use crate::curve::Curve;
use crate::domain::{Domain, Part, agreement};
use crate::material::Material;

pub(super) const METHOD: Method = Method {
    name: "co-training",
    help: "adds the target sentences that a second parser, of another learner and direction, parses alike",
    min_confidence: Some(1.0),
    needs_second: true,
    run,
};

/// The shares of arcs that both parsers agree on, by sentence.
pub(super) fn agreements(domain: &Domain<'_>, part: Part) -> Result<Vec<f32>> {
    let pairs = domain.first(part)?.iter().zip(domain.second(part)?);
    Ok(pairs.map(|(first, second)| agreement(&first.sentence, &second.sentence)).collect())
}

/// The agreement curve.
pub(super) fn curve(domain: &Domain<'_>) -> Result<Curve> {
    domain.curve("agreement", |part| agreements(domain, part))
}

fn run(domain: &Domain<'_>, min: f32) -> Result<Material> {
    let parsed = domain.first(Part::Target)?;
    let chosen = domain.choose(&agreements(domain, Part::Target)?, min);
    Ok(Material {
        added: chosen.into_iter().map(|number| parsed[number].sentence.clone()).collect(),
        curve: Some(curve(domain)?),
        ..Material::default()
    })
}
