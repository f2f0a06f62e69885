//! Directions and distances of heads, in the scorers' classes.

use quaich_treebank::Node;

/// The names of directions. Where the *head* is, that is: an arc that elsewhere is said to go to the right has its head
/// on the left.
pub(super) const DIRECTIONS: [&str; 4] = ["to_root", "left", "right", "self"];

/// The names of distances.
pub(super) const DISTANCES: [&str; 5] = ["to_root", "1", "2", "3-6", "7-..."];

/// The direction of a head, as a place in [`DIRECTIONS`].
pub(super) fn direction(head: Node, token: Node) -> usize {
    match head {
        Node(0) => 0,
        _ if head < token => 1,
        _ if head > token => 2,
        _ => 3,
    }
}

/// The distance of a head, as a place in [`DISTANCES`].
pub(super) fn distance(head: Node, token: Node) -> usize {
    match head.0.abs_diff(token.0) {
        _ if head == Node(0) => 0,
        // A token that is its own head is counted with the nearest.
        0 | 1 => 1,
        2 => 2,
        3..=6 => 3,
        _ => 4,
    }
}
