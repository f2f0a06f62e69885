//! Agreement arc by arc: of every target sentence that two parsers parse nearly alike, the arcs that both have are added. The other heads
//! are unknown.

use quaich_parser::Result;
use quaich_treebank::Sentence;

use super::Method;
use super::co_training::{agreements, curve};
use crate::domain::{Domain, Part, partial_tree};
use crate::material::Material;

pub(super) const METHOD: Method = Method {
    name: "agreement",
    help: "adds the arcs of target sentences that a second parser has, too, as partial trees",
    min_confidence: Some(0.7),
    needs_second: true,
    run,
};

/// The partial trees of target sentences on which both parsers agree at least so far.
pub(super) fn partial_trees(domain: &Domain<'_>, min: f32) -> Result<Vec<Sentence>> {
    let (first, second) = (domain.first(Part::Target)?, domain.second(Part::Target)?);
    let chosen = domain.choose(&agreements(domain, Part::Target)?, min);
    let partial = |number: usize| partial_tree(&first[number].sentence, &second[number].sentence);
    // A sentence without any arc teaches nothing.
    let has_arcs = |sentence: &Sentence| sentence.heads()[1..].iter().any(|head| head.is_some());
    Ok(chosen.into_iter().map(partial).filter(has_arcs).collect())
}

fn run(domain: &Domain<'_>, min: f32) -> Result<Material> {
    Ok(Material { added: partial_trees(domain, min)?, curve: Some(curve(domain)?), ..Material::default() })
}

#[cfg(test)]
mod tests {
    use quaich_parser::{Settings, Trainer, Unobserved};
    use quaich_treebank::Treebank;

    use super::*;

    #[allow(clippy::cast_precision_loss, reason = "some hundred words")]
    #[test]
    fn what_is_added_is_what_both_parsers_have() {
        let read = |text: &str| Treebank::from_text(text).unwrap();
        let train = read(include_str!("../../../../data/sample/train.conllu"));
        let target = read(include_str!("../../../../data/sample/dev.conllu"));
        let settings = Settings::default().with("learner=network").unwrap().with("network.epochs=1").unwrap();
        let trainer = Trainer::new(&settings);
        let model = trainer.train(&train).unwrap();
        let sentences = [&train[..], &target, &[], &[]];
        let domain = Domain::new((trainer, &Unobserved), &model, sentences, (true, usize::MAX));
        let material = (METHOD.run)(&domain, 0.2).unwrap();
        let shares = agreements(&domain, Part::Target).unwrap();
        let chosen = shares.iter().zip(&target[..]).filter(|(share, _)| **share >= 0.2);
        let expected: f32 = chosen.clone().map(|(share, sentence)| share * sentence.n_tokens() as f32).sum();
        assert_eq!(material.added.len(), chosen.count());
        let n_arcs = |sentence: &Sentence| sentence.heads()[1..].iter().filter(|head| head.is_some()).count();
        let found: usize = material.added.iter().map(n_arcs).sum();
        assert!((found as f32 - expected).abs() < 0.1, "{found} and {expected}");
        assert!(material.added.iter().any(|sentence| n_arcs(sentence) < sentence.n_tokens()));
    }
}
