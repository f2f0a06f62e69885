//! Dynamic oracles: which transitions, in *any* configuration, lose no gold head that can still be
//! reached (Goldberg and Nivre 2012, 2013).
//!
//! All of them accept gold trees with unknown heads and count heads, not labels. A token that the
//! finish would attach to 0 has 0 as its reachable head; but where node 0 is on the stack and the
//! arc from it can be built at once, only building it counts as optimal, since the finish cannot
//! know the label.
//!
//! | system | promise |
//! |---|---|
//! | arc-eager, arc-hybrid | exact for projective gold trees, whatever the root position, single root or not |

pub(crate) mod arc_eager;
pub(crate) mod arc_hybrid;
