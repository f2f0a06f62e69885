//! Directions and distances of heads, in the scorers' classes.

use quaich_treebank::Node;

/// The names of directions, by the position of the *head*: an arc elsewhere called rightward has its head on the left.
pub(super) const DIRECTIONS: [&str; 4] = ["to_root", "left", "right", "self"];

/// The names of distances.
pub(super) const DISTANCES: [&str; 5] = ["to_root", "1", "2", "3-6", "7-..."];

/// Returns the direction of a head, as an index into [`DIRECTIONS`].
pub(super) fn direction(head: Node, token: Node) -> usize {
    match head {
        Node(0) => 0,
        _ if head < token => 1,
        _ if head > token => 2,
        _ => 3,
    }
}

/// Returns the distance of a head, as an index into [`DISTANCES`].
pub(super) fn distance(head: Node, token: Node) -> usize {
    match head.0.abs_diff(token.0) {
        _ if head == Node(0) => 0,
        // A token that is its own head counts with the nearest.
        0 | 1 => 1,
        2 => 2,
        3..=6 => 3,
        _ => 4,
    }
}
