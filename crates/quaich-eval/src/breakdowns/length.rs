//! By arc length: the distance from one end to the other; arcs from the root are a separate group.

use quaich_treebank::Node;
use quaich_treebank::shape::arcs;

use super::groups::ArcGroups;
use super::{Breakdown, Context, Tally};

/// The breakdown.
pub(super) struct ByLength;

impl Breakdown for ByLength {
    fn name(&self) -> &'static str {
        "length"
    }

    fn about(&self) -> &'static str {
        "precision, recall and F of arcs from the root and of arcs of length 1, 2, 3–6 and 7 or more"
    }

    fn start(&self, _context: &Context) -> Box<dyn Tally> {
        Box::new(ArcGroups::new(["root", "1", "2", "3-6", "7+"], group))
    }
}

fn group(head: Node, dependent: Node) -> usize {
    match arcs::length(head, dependent) {
        _ if head.is_root() => 0,
        // A token that is its own head counts as the shortest arc.
        0 | 1 => 1,
        2 => 2,
        3..=6 => 3,
        _ => 4,
    }
}
