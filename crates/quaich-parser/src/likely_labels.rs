//! Stands in for unknown labels while the oracle is followed, so that the features of a state look as they do in a parse. They are not
//! learned.

use std::collections::BTreeMap;

use quaich_treebank::{Label, Node, Sentence, Tree};

use crate::scheme::coarse_tag;

/// The most frequent labels by the tags of dependent and head and by direction, or by the dependent's tag alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct LikelyLabels<'s> {
    by_arc: BTreeMap<ArcKey<'s>, BTreeMap<Label, u32>>,
    by_tag: BTreeMap<&'s str, BTreeMap<Label, u32>>,
}

/// The tags of dependent and head, and whether the head is to the left.
type ArcKey<'s> = (&'s str, &'s str, bool);

fn key(sentence: &Sentence, token: Node, head: Node) -> ArcKey<'_> {
    let of_head = if head.is_root() { "" } else { coarse_tag(sentence, head) };
    (coarse_tag(sentence, token), of_head, head < token)
}

impl<'s> LikelyLabels<'s> {
    /// Counts the labels of a tree.
    pub(crate) fn add(&mut self, sentence: &'s Sentence, tree: &Tree) {
        for arc in tree.arcs().filter(|arc| !arc.label.is_none()) {
            let key = key(sentence, arc.dependent, arc.head);
            *self.by_arc.entry(key).or_default().entry(arc.label).or_default() += 1;
            *self.by_tag.entry(key.0).or_default().entry(arc.label).or_default() += 1;
        }
    }

    /// The labels of a tree, by node, with likely ones where there are none.
    pub(crate) fn of(&self, sentence: &'s Sentence, tree: &Tree) -> Vec<Label> {
        let commonest = |counts: &BTreeMap<Label, u32>| {
            // The first of equally frequent ones.
            counts.iter().rev().max_by_key(|(_, count)| **count).map(|(label, _)| *label)
        };
        let label = |token: Node| {
            let known = Some(tree.label(token)).filter(|label| !label.is_none());
            let key = key(sentence, token, tree.head(token));
            let by_arc = || self.by_arc.get(&key).and_then(commonest);
            let by_tag = || self.by_tag.get(key.0).and_then(commonest);
            known.or_else(by_arc).or_else(by_tag).unwrap_or(Label(0))
        };
        std::iter::once(Label::NONE).chain(tree.tokens().map(label)).collect()
    }
}

#[cfg(test)]
mod tests {
    use quaich_treebank::{Symbols, Treebank};

    use super::*;

    #[test]
    fn frequent_labels_of_similar_arcs_stand_in() {
        let text = "1\ta\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tb\t_\tNOUN\t_\t_\t0\troot\t_\t_\n3\tc\t_\tNOUN\t_\t_\t2\tnmod\t_\t_\n\n";
        let treebank = Treebank::from_text(&text.repeat(2)).unwrap();
        let mut labels = Symbols::new();
        let mut likely = LikelyLabels::default();
        likely.add(&treebank[0], &treebank[0].tree(&mut labels));
        let found = |heads: &[u32]| {
            let of = likely.of(&treebank[1], &Tree::from_heads(heads));
            of[1..].iter().map(|label| labels.text(*label).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(found(&[2, 0, 2]), ["det", "root", "nmod"]);
        // A noun under a determiner was not seen.
        assert_eq!(found(&[0, 1, 2]), ["det", "root", "nmod"]);
    }
}
