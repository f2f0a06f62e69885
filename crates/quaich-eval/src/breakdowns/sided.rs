//! Arcs in groups determined by the whole tree, on each side by its own tree.

use quaich_treebank::Node;

use super::groups::{ArcGroup, UNLABELLED};
use super::{Table, Tally};
use crate::evaluator::SentencePair;

/// A function from arcs to one of N groups that uses the whole tree.
pub(super) trait Sided<const N: usize>: Send {
    /// Returns the names of the groups.
    fn names(&self) -> [&'static str; N];
    /// Reads a tree: heads by node, which may not form a tree.
    fn read(&mut self, heads: &[Node]);
    /// Returns the group of a token's arc in the tree read last.
    fn group(&self, token: Node) -> usize;
}

/// Counts arcs of the gold standard grouped by its tree, and those of the system by the system's tree.
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
    fn add(&mut self, pair: &SentencePair<'_>) {
        self.grouping.read(pair.gold.heads());
        for (token, token_match) in pair.scored() {
            self.groups[self.grouping.group(token)].add_gold(token_match, token_match.head);
        }
        self.grouping.read(pair.system.heads());
        for (token, token_match) in pair.scored() {
            self.groups[self.grouping.group(token)].add_system(token_match, token_match.head);
        }
    }

    fn table(&self) -> Table {
        Table::of_arcs(&UNLABELLED, self.grouping.names().map(str::to_owned).into_iter().zip(self.groups))
    }
}
