//! Attachment counts: tokens with the correct head, the correct label, and both.

use crate::analysis::TokenMatch;
use crate::percent::{Percent, Share};

/// Tokens by correctness.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Attachment {
    /// All tokens.
    pub tokens: u64,
    /// Those with the correct head.
    pub heads: u64,
    /// Those with the correct label.
    pub labels: u64,
    /// Those with both.
    pub both: u64,
}

impl Attachment {
    /// Counts a token.
    pub fn add(&mut self, token_match: TokenMatch) {
        self.tokens += 1;
        self.heads += u64::from(token_match.head);
        self.labels += u64::from(token_match.label);
        self.both += u64::from(token_match.both());
    }

    /// Adds the counts of another value.
    pub fn absorb(&mut self, other: &Self) {
        self.tokens += other.tokens;
        self.heads += other.heads;
        self.labels += other.labels;
        self.both += other.both;
    }

    /// Returns the labelled attachment score: head and label are correct.
    pub fn las(&self) -> Percent {
        Share::new(self.both, self.tokens).percent()
    }

    /// Returns the unlabelled attachment score: the head is correct.
    pub fn uas(&self) -> Percent {
        Share::new(self.heads, self.tokens).percent()
    }

    /// Returns the label accuracy: the label is correct, regardless of the head.
    pub fn la(&self) -> Percent {
        Share::new(self.labels, self.tokens).percent()
    }
}
