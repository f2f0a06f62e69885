//! Lengths and directions of arcs.

use crate::tree::Node;

/// Which way an arc points, from head to dependent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// The dependent is on the left of its head.
    Left,
    /// The dependent is on the right of its head, as all dependents of node 0 are.
    Right,
}

/// The direction of an arc.
pub fn direction(head: Node, dependent: Node) -> Direction {
    if head < dependent { Direction::Right } else { Direction::Left }
}

/// The length of an arc, |h − d|. Node 0 stands immediately before the first token.
pub fn length(head: Node, dependent: Node) -> u32 {
    head.0.abs_diff(dependent.0)
}
