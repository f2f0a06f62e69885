//! By direction: whether the dependent precedes or follows its head; arcs from the root are a separate group.

use quaich_treebank::Node;
use quaich_treebank::shape::arcs::{self, Direction};

use super::groups::ArcGroups;
use super::{Breakdown, Context, Tally};

/// The breakdown.
pub(super) struct ByDirection;

impl Breakdown for ByDirection {
    fn name(&self) -> &'static str {
        "direction"
    }

    fn about(&self) -> &'static str {
        "precision, recall and F of arcs from the root, to the left and to the right"
    }

    fn start(&self, _context: &Context) -> Box<dyn Tally> {
        Box::new(ArcGroups::new(["root", "left", "right"], group))
    }
}

fn group(head: Node, dependent: Node) -> usize {
    match arcs::direction(head, dependent) {
        _ if head.is_root() => 0,
        Direction::Left => 1,
        Direction::Right => 2,
    }
}
