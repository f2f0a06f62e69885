//! The systems as `MaltParser` 1.9 has them: its options, its oracles, its forced transitions and its
//! way of training on trees outside a system's class, which is to lose arcs silently.
//!
//! For compatibility only; where it differs from the papers, the papers' systems are in
//! [`systems`](crate::systems). What differs is listed in `docs/reference/differences.md`.

mod covington;
mod nivre;
mod planar;
mod settings;
mod stack;

pub use covington::MaltCovington;
pub use nivre::{MaltArcEager, MaltArcStandard};
pub use planar::{MaltPlanar, MaltTwoPlanar};
pub use settings::{ALGORITHMS, Algorithm, Connectedness, Settings};
pub use stack::MaltStack;

use quaich_treebank::tree::Node;

use crate::configuration::Configuration;
use crate::gold::Gold;

/// Whether a node has its outermost gold dependent on the left, if it has any there.
fn is_left_complete(c: &Configuration, gold: &Gold, node: Node) -> bool {
    gold.leftmost(node).is_none_or(|child| child == c.left_child(node, 0))
}

/// Whether a node has its outermost gold dependent on the right, if it has any there.
fn is_right_complete(c: &Configuration, gold: &Gold, node: Node) -> bool {
    gold.rightmost(node).is_none_or(|child| child == c.right_child(node, 0))
}
