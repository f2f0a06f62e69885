//! Dynamic oracles: the transitions that, in *any* configuration, lose no gold head that can still be reached (Goldberg
//! and Nivre 2012, 2013).
//!
//! All of them accept gold trees with unknown heads and count heads, not labels. Their properties are tested by brute
//! force on all configurations of short sentences:
//!
//! | system | property |
//! |---|---|
//! | arc-eager, arc-hybrid | exact for projective gold trees, for every root position, single root or not |
//! | covington | exact for all gold trees |
//! | planar | exact for planar gold trees, a lower bound of the loss for others |
//! | arc-hybrid-swap | a lower bound of the loss; from any configuration on a gold path, exactly the gold paths |
//!
//! In arc-eager and arc-hybrid, a token that the final step would attach to 0 has 0 as its reachable head; but if node
//! 0 is on the stack and the arc from it can be built now, only building it is optimal, since the final step does not
//! know the label. Covington and planar count arcs from 0 only if they are built, unless node 0 is nowhere.
//!
//! Amortised time: constant, or a binary search of the stack, for arc-eager, arc-hybrid and arc-hybrid-swap. The
//! oracles of Covington and planar take constant time as long as nothing is lost, apart from the systems' own
//! union-find. After that they check whether an arc closes or breaks a cycle of built arcs and arcs still wanted, which
//! takes logarithmic time. No method is faster for graphs whose arcs are added and removed in any order (Pătraşcu and
//! Demaine 2006); whether the order in these two systems allows a faster one is open. The oracles keep their state from
//! one configuration to the next, so this holds if they are queried in every configuration of a run that has a choice;
//! otherwise they start again, in linear time.

pub(crate) mod arc_eager;
pub(crate) mod arc_hybrid;
pub(crate) mod arc_hybrid_swap;
pub(crate) mod covington;
mod forest;
pub(crate) mod planar;
mod targets;

pub(crate) use targets::Targets;
