//! Lengths and directions of arcs.

use crate::tree::Node;

/// The direction of an arc, from head to dependent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// The dependent is to the left of its head.
    Left,
    /// The dependent is to the right of its head, as for all dependents of node 0.
    Right,
}

/// Returns the direction of an arc.
pub fn direction(head: Node, dependent: Node) -> Direction {
    if head < dependent { Direction::Right } else { Direction::Left }
}

/// Returns the length of an arc, |h − d|. Node 0 is directly before the first token.
pub fn length(head: Node, dependent: Node) -> u32 {
    head.0.abs_diff(dependent.0)
}
