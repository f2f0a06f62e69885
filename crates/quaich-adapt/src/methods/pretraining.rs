//! Pretraining: the encoder learns from the words of target and source before it learns from trees.

use std::sync::Arc;

use quaich_parser::Result;
use quaich_parser::pretraining::WordText;

use super::Method;
use crate::domain::{Domain, Pretrained};
use crate::material::Material;

pub(super) const METHOD: Method = Method {
    name: "pretraining",
    help: "pretrains the encoder on the words of the target; one that is given is trained further",
    min_confidence: None,
    needs_second: false,
    run,
};

fn run(domain: &Domain<'_>, _min: f32) -> Result<Material> {
    Ok(match encoder(domain)? {
        Ok(encoder) => Material { encoder: Some(Arc::clone(encoder)), ..Material::default() },
        Err(reason) => Material::impossible(*reason),
    })
}

/// The encoder, or the reason why there is none.
pub(super) fn encoder<'d>(domain: &'d Domain<'_>) -> Result<&'d Pretrained> {
    domain.encoder(|| pretrain(domain))
}

fn pretrain(domain: &Domain<'_>) -> Result<Pretrained> {
    let trainer = domain.trainer.clone().run_name("encoder").observer(domain.observer);
    if !trainer.can_start_pretrained(domain.has_tags) {
        return Ok(Err(if domain.has_tags {
            "parsers for tagged words start from a pretrained encoder only with encoder.pretrained = all"
        } else {
            "the parser has no encoder that could be pretrained"
        }));
    }
    let mut words = WordText::new(trainer.settings().max_text_words());
    for sentence in domain.target.iter().chain(domain.source) {
        words.add(sentence.tokens().map(|token| sentence.form(token)));
    }
    if words.check_length().is_err() {
        return Ok(Err("source and target have too few words"));
    }
    Ok(Ok(Arc::new(trainer.pretrain(&words)?)))
}
