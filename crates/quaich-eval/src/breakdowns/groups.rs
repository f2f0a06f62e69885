//! Arcs in groups, which need not be the same on both sides.

use quaich_treebank::Node;

use super::{Table, Tally};
use crate::agreement::Agreement;
use crate::analysis::Verdict;
use crate::evaluator::Judged;

/// The arcs of a group, with two notions of being right.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct ArcGroup {
    /// Head and label are right.
    pub(super) both: Agreement,
    /// One of the two is right: the label for groups by label, the head for others.
    pub(super) one: Agreement,
}

/// Arcs in a fixed number of groups that the two ends of an arc tell apart.
pub(super) struct ArcGroups<const N: usize> {
    names: [&'static str; N],
    group_of: fn(head: Node, dependent: Node) -> usize,
    groups: [ArcGroup; N],
}

impl<const N: usize> ArcGroups<N> {
    /// Groups of these names, and the place of an arc among them.
    pub(super) fn new(names: [&'static str; N], group_of: fn(Node, Node) -> usize) -> Self {
        Self { names, group_of, groups: [ArcGroup::default(); N] }
    }
}

impl<const N: usize> Tally for ArcGroups<N> {
    fn add(&mut self, judged: &Judged<'_>) {
        for (token, verdict) in judged.scored() {
            let (gold, system) = (judged.gold.heads()[token.index()], judged.system.heads()[token.index()]);
            // A token without a head has no arc.
            if gold.is_some() {
                self.groups[(self.group_of)(gold, token)].add_gold(verdict, verdict.head);
            }
            if system.is_some() {
                self.groups[(self.group_of)(system, token)].add_system(verdict, verdict.head);
            }
        }
    }

    fn table(&self) -> Table {
        let names = self.names.iter().map(|&name| name.to_owned());
        Table::of_arcs(&UNLABELLED, names.zip(self.groups))
    }
}

/// The columns of the second notion of being right where it is about heads.
pub(super) const UNLABELLED: [(&str, &str); 3] =
    [("unlabelled_precision", "unlabelled P"), ("unlabelled_recall", "R"), ("unlabelled_f1", "F")];

/// The columns of the second notion of being right where it is about labels.
pub(super) const LABEL_ONLY: [(&str, &str); 3] =
    [("label_precision", "label only P"), ("label_recall", "R"), ("label_f1", "F")];

impl ArcGroup {
    /// Counts an arc of the gold standard.
    pub(super) fn add_gold(&mut self, verdict: Verdict, one: bool) {
        self.both.add_gold(verdict.both());
        self.one.add_gold(one);
    }

    /// Counts an arc of the system.
    pub(super) fn add_system(&mut self, verdict: Verdict, one: bool) {
        self.both.add_system(verdict.both());
        self.one.add_system(one);
    }
}
