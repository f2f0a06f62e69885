//! Dynamic oracles: which transitions, in *any* configuration, lose no gold head that can still be
//! reached (Goldberg and Nivre 2012, 2013).
//!
//! All of them accept gold trees with unknown heads and count heads, not labels. What they promise is
//! tested by brute force over every configuration of short sentences:
//!
//! | system | promise |
//! |---|---|
//! | arc-eager, arc-hybrid | exact for projective gold trees, whatever the root position, single root or not |
//! | covington | exact for all gold trees |
//! | planar | exact for planar gold trees, a lower bound of the loss for others |
//! | arc-hybrid-swap | a lower bound of the loss; from any configuration on a right path, exactly the right paths |
//!
//! A token that the finish would attach to 0 has 0 as its reachable head in arc-eager and arc-hybrid; but
//! where node 0 is on the stack and the arc from it can be built at once, only building it counts as
//! optimal, since the finish cannot know the label. Covington and planar count arcs from 0 only where they
//! are built, unless node 0 is nowhere.
//!
//! Time, averaged over a run: constant, or a binary search of the stack, for arc-eager, arc-hybrid and arc-hybrid-swap.
//! Those of Covington and planar take constant time as long as nothing is lost, the systems' own union-find apart. After
//! that they ask whether an arc closes or breaks a cycle of arcs that are built and arcs that are still wanted, and that
//! takes logarithmic time. No method does better for graphs whose arcs come and go in any order (Pătraşcu and Demaine
//! 2006); whether the order in which these two systems make and lose arcs allows for less is open. They keep what they
//! know from one configuration to the next, so that this holds if they are asked in every configuration of a run in which
//! there is a choice; asked elsewhere, they start over, in linear time.

pub(crate) mod arc_eager;
pub(crate) mod arc_hybrid;
pub(crate) mod arc_hybrid_swap;
pub(crate) mod covington;
mod forest;
pub(crate) mod planar;
mod targets;

pub(crate) use targets::Targets;
