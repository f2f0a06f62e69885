//! How many of some tokens have the right head, the right label, and both.

use crate::analysis::Verdict;
use crate::percent::{Percent, Share};

/// Tokens counted by what is right about them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Attachment {
    /// All tokens.
    pub tokens: u64,
    /// Those with the right head.
    pub heads: u64,
    /// Those with the right label.
    pub labels: u64,
    /// Those with both.
    pub both: u64,
}

impl Attachment {
    /// Counts a token.
    pub fn add(&mut self, verdict: Verdict) {
        self.tokens += 1;
        self.heads += u64::from(verdict.head);
        self.labels += u64::from(verdict.label);
        self.both += u64::from(verdict.both());
    }

    /// Counts all that another has counted.
    pub fn absorb(&mut self, other: &Self) {
        self.tokens += other.tokens;
        self.heads += other.heads;
        self.labels += other.labels;
        self.both += other.both;
    }

    /// The labelled attachment score: head and label are right.
    pub fn las(&self) -> Percent {
        Share::new(self.both, self.tokens).percent()
    }

    /// The unlabelled attachment score: the head is right.
    pub fn uas(&self) -> Percent {
        Share::new(self.heads, self.tokens).percent()
    }

    /// The label accuracy: the label is right, whatever the head.
    pub fn la(&self) -> Percent {
        Share::new(self.labels, self.tokens).percent()
    }
}
