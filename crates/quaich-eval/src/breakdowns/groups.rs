//! Arcs in groups, which may differ between the two sides.

use quaich_treebank::Node;

use super::{Table, Tally};
use crate::agreement::Agreement;
use crate::analysis::TokenMatch;
use crate::evaluator::SentencePair;

/// The arcs of a group, with two definitions of correctness.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct ArcGroup {
    /// Head and label are correct.
    pub(super) both: Agreement,
    /// One of the two is correct: the label for groups by label, the head for others.
    pub(super) one: Agreement,
}

/// Arcs in a fixed number of groups determined by the two ends of an arc.
pub(super) struct ArcGroups<const N: usize> {
    names: [&'static str; N],
    group_of: fn(head: Node, dependent: Node) -> usize,
    groups: [ArcGroup; N],
}

impl<const N: usize> ArcGroups<N> {
    /// Creates groups with these names, and a function from arcs to group indices.
    pub(super) fn new(names: [&'static str; N], group_of: fn(Node, Node) -> usize) -> Self {
        Self { names, group_of, groups: [ArcGroup::default(); N] }
    }
}

impl<const N: usize> Tally for ArcGroups<N> {
    fn add(&mut self, pair: &SentencePair<'_>) {
        for (token, token_match) in pair.scored() {
            let (gold, system) = (pair.gold.heads()[token.index()], pair.system.heads()[token.index()]);
            // A token without a head has no arc.
            if gold.is_some() {
                self.groups[(self.group_of)(gold, token)].add_gold(token_match, token_match.head);
            }
            if system.is_some() {
                self.groups[(self.group_of)(system, token)].add_system(token_match, token_match.head);
            }
        }
    }

    fn table(&self) -> Table {
        let names = self.names.iter().map(|&name| name.to_owned());
        Table::of_arcs(&UNLABELLED, names.zip(self.groups))
    }
}

/// The columns of the second definition of correctness if it is about heads.
pub(super) const UNLABELLED: [(&str, &str); 3] =
    [("unlabelled_precision", "unlabelled P"), ("unlabelled_recall", "R"), ("unlabelled_f1", "F")];

/// The columns of the second definition of correctness if it is about labels.
pub(super) const LABEL_ONLY: [(&str, &str); 3] =
    [("label_precision", "label only P"), ("label_recall", "R"), ("label_f1", "F")];

impl ArcGroup {
    /// Counts an arc of the gold standard.
    pub(super) fn add_gold(&mut self, token_match: TokenMatch, one: bool) {
        self.both.add_gold(token_match.both());
        self.one.add_gold(one);
    }

    /// Counts an arc of the system.
    pub(super) fn add_system(&mut self, token_match: TokenMatch, one: bool) {
        self.both.add_system(token_match.both());
        self.one.add_system(one);
    }
}
