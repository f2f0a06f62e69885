//! The steps of a parser that led to an analysis, filled in by callers that have a parser.

use quaich_treebank::Node;

use crate::analysis::TokenMatch;

/// The derivation of a sentence.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Derivation {
    /// The number of transitions.
    pub n_transitions: usize,
    /// The tokens that were attached.
    pub attached: Vec<Attached>,
}

/// A token that was attached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attached {
    /// The token.
    pub token: Node,
    /// The name of the transition that built its arc, or of the step that did so instead.
    pub transition: &'static str,
    /// Whether its final head and label are correct.
    pub token_match: TokenMatch,
}
