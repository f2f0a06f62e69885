//! What a vote counts: how often its parser is right about words of a kind, found on text that it has not learned from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A vote of a parser that is always right; all votes are so many where they are equal.
pub const FULL_VOTE: u32 = 1_000_000;

/// What a parser's votes count.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Weights {
    /// On words of any kind that is not listed.
    pub all: u32,
    /// By the coarse tag of the dependent.
    pub by_tag: BTreeMap<String, u32>,
}

impl Weights {
    /// Those of a parser whose votes all count the same.
    pub fn equal() -> Self {
        Self { all: FULL_VOTE, by_tag: BTreeMap::new() }
    }

    /// What a vote on a word with this tag counts.
    pub fn of(&self, tag: &str) -> u32 {
        self.by_tag.get(tag).copied().unwrap_or(self.all)
    }
}

/// How often a parser is right, by the coarse tag of the dependent.
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

    /// The labelled attachment score, as a part of a full vote.
    fn weight(self) -> u32 {
        let weight = (self.right * u64::from(FULL_VOTE) + self.of / 2) / self.of.max(1);
        u32::try_from(weight).unwrap_or(FULL_VOTE)
    }
}

impl TagScores {
    /// One more word: its tag, and whether head and label were right.
    pub fn add(&mut self, tag: &str, right: bool) {
        self.all.add(right);
        match self.by_tag.get_mut(tag) {
            Some(counts) => counts.add(right),
            None => self.by_tag.entry(tag.to_owned()).or_default().add(right),
        }
    }

    /// The labelled attachment score of all words, in percent; none if there are none.
    pub fn las(&self) -> Option<f64> {
        #[allow(clippy::cast_precision_loss, reason = "counts of words")]
        let las = || 100.0 * self.all.right as f64 / self.all.of as f64;
        (self.all.of > 0).then(las)
    }

    /// What votes count by it: the labelled attachment score for the tag, or that of all words for tags that were not
    /// seen; a full vote if nothing was.
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
