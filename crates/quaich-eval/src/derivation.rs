//! What a parser did to come to an analysis, as far as it is judged: whoever has a parser fills it in.

use quaich_treebank::Node;

use crate::analysis::Verdict;

/// How a parser came to the tree of a sentence.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Derivation {
    /// How many transitions it made.
    pub n_transitions: usize,
    /// The tokens that it attached.
    pub attached: Vec<Attached>,
}

/// A token that was attached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attached {
    /// The token.
    pub token: Node,
    /// The name of the transition that built its arc, or of what did instead.
    pub transition: &'static str,
    /// Whether its head and label, as the parser gives them in the end, are right.
    pub verdict: Verdict,
}
