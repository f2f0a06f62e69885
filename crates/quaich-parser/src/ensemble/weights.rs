//! The weights of votes: a parser's accuracy per coarse tag, on text that it has not learned from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The weight of a parser that is always correct, and of all votes if they have equal weights.
pub const FULL_VOTE: u32 = 1_000_000;

/// The weights of a parser's votes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Weights {
    /// For tags that are not listed.
    pub all: u32,
    /// By the coarse tag of the dependent.
    pub by_tag: BTreeMap<String, u32>,
}

impl Weights {
    /// Equal weights.
    pub fn equal() -> Self {
        Self { all: FULL_VOTE, by_tag: BTreeMap::new() }
    }

    /// The weight of a vote on a word with this tag.
    pub fn of(&self, tag: &str) -> u32 {
        self.by_tag.get(tag).copied().unwrap_or(self.all)
    }
}

/// A parser's accuracy by the coarse tag of the dependent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TagScores {
    all: Counts,
    by_tag: BTreeMap<String, Counts>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    right: u64,
    of: u64,
}

impl Counts {
    fn add(&mut self, right: bool) {
        self.right += u64::from(right);
        self.of += 1;
    }

    /// The labelled attachment score, scaled to a full vote.
    fn weight(self) -> u32 {
        let weight = (self.right * u64::from(FULL_VOTE) + self.of / 2) / self.of.max(1);
        u32::try_from(weight).unwrap_or(FULL_VOTE)
    }
}

impl TagScores {
    /// Adds a word: its tag, and whether head and label are correct.
    pub fn add(&mut self, tag: &str, right: bool) {
        self.all.add(right);
        match self.by_tag.get_mut(tag) {
            Some(counts) => counts.add(right),
            None => self.by_tag.entry(tag.to_owned()).or_default().add(right),
        }
    }

    /// The labelled attachment score over all words, in percent; `None` without words.
    pub fn las(&self) -> Option<f64> {
        #[allow(clippy::cast_precision_loss, reason = "counts of words")]
        let las = || 100.0 * self.all.right as f64 / self.all.of as f64;
        (self.all.of > 0).then(las)
    }

    /// The weights: the labelled attachment score per tag, or over all words for unknown tags; full votes without any words.
    pub fn weights(&self) -> Weights {
        if self.all.of == 0 {
            return Weights::equal();
        }
        let by_tag = self.by_tag.iter().map(|(tag, counts)| (tag.clone(), counts.weight())).collect();
        Weights { all: self.all.weight(), by_tag }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_count_what_was_right() {
        let mut scores = TagScores::default();
        assert_eq!(scores.weights(), Weights::equal());
        for (tag, right) in [("N", true), ("N", true), ("N", false), ("V", false)] {
            scores.add(tag, right);
        }
        let weights = scores.weights();
        assert_eq!((weights.of("N"), weights.of("V"), weights.of("X")), (666_667, 0, 500_000));
        assert_eq!(scores.las(), Some(50.0));
    }
}
