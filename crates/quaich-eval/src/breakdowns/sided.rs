//! Arcs in groups that the whole tree tells apart, on each side by its own tree.

use quaich_treebank::Node;

use super::groups::{ArcGroup, UNLABELLED};
use super::{Table, Tally};
use crate::evaluator::Judged;

/// A way of putting arcs into one of N groups that looks at the whole tree.
pub(super) trait Sided<const N: usize>: Send {
    /// What the groups are called.
    fn names(&self) -> [&'static str; N];
    /// Looks at a tree: heads by node, which need not make one.
    fn read(&mut self, heads: &[Node]);
    /// The group of a token's arc in the tree read last.
    fn group(&self, token: Node) -> usize;
}

/// Counts arcs of the gold standard in groups by its tree, and those of the system by the system's.
pub(super) struct SidedTally<G, const N: usize> {
    grouping: G,
    groups: [ArcGroup; N],
}

impl<G: Sided<N>, const N: usize> SidedTally<G, N> {
    pub(super) fn new(grouping: G) -> Self {
        Self { grouping, groups: [ArcGroup::default(); N] }
    }
}

impl<G: Sided<N>, const N: usize> Tally for SidedTally<G, N> {
    fn add(&mut self, judged: &Judged<'_>) {
        self.grouping.read(judged.gold.heads());
        for (token, verdict) in judged.scored() {
            self.groups[self.grouping.group(token)].add_gold(verdict, verdict.head);
        }
        self.grouping.read(judged.system.heads());
        for (token, verdict) in judged.scored() {
            self.groups[self.grouping.group(token)].add_system(verdict, verdict.head);
        }
    }

    fn table(&self) -> Table {
        Table::of_arcs(&UNLABELLED, self.grouping.names().map(str::to_owned).into_iter().zip(self.groups))
    }
}
