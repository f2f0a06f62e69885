//! The systems of `MaltParser` 1.9: its options, oracles and forced transitions, and its training on trees outside a
//! system's class, which loses arcs silently.
//!
//! For compatibility only; if they differ from the papers, the papers' systems are in [`systems`](crate::systems). The
//! differences are listed in `docs/reference/differences.md`.

mod covington;
mod nivre;
mod options;
mod planar;
mod stack;

pub use covington::MaltCovington;
pub use nivre::{MaltArcEager, MaltArcStandard};
pub use options::{ALGORITHMS, Algorithm, Connectedness, MaltSystemOptions};
pub use planar::{MaltPlanar, MaltTwoPlanar};
pub use stack::MaltStack;

use quaich_treebank::tree::Node;

use crate::configuration::Configuration;
use crate::gold::Gold;

/// Whether a node has its outermost gold dependent on the left, if there is any.
fn is_left_complete(c: &Configuration, gold: &Gold, node: Node) -> bool {
    gold.leftmost(node).is_none_or(|child| child == c.left_child(node, 0))
}

/// Whether a node has its outermost gold dependent on the right, if there is any.
fn is_right_complete(c: &Configuration, gold: &Gold, node: Node) -> bool {
    gold.rightmost(node).is_none_or(|child| child == c.right_child(node, 0))
}
