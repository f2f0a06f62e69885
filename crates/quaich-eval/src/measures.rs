//! The measures of a score, in display order. To add one, add its entry: tables, JSON and breakdowns follow.

use crate::percent::Share;
use crate::score::Score;

/// One measure of a score.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// The key in JSON.
    pub key: &'static str,
    /// The name in tables.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// The unit that it is a share of.
    pub unit: Unit,
    /// Computes it from a score.
    pub share: fn(&Score) -> Share,
}

/// The unit of a measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Scored tokens.
    Tokens,
    /// Sentences.
    Sentences,
}

/// All measures.
pub static MEASURES: &[Measure] = &[
    Measure {
        key: "las",
        name: "LAS",
        about: "labelled attachment: head and label are correct",
        unit: Unit::Tokens,
        share: |score| Share::new(score.scored.both, score.scored.tokens),
    },
    Measure {
        key: "uas",
        name: "UAS",
        about: "unlabelled attachment: the head is correct",
        unit: Unit::Tokens,
        share: |score| Share::new(score.scored.heads, score.scored.tokens),
    },
    Measure {
        key: "la",
        name: "LA",
        about: "label accuracy: the label is correct, regardless of the head",
        unit: Unit::Tokens,
        share: |score| Share::new(score.scored.labels, score.scored.tokens),
    },
    Measure {
        key: "lem",
        name: "LEM",
        about: "labelled exact match: all heads and labels of a sentence are correct",
        unit: Unit::Sentences,
        share: |score| Share::new(score.labelled_exact, score.sentences),
    },
    Measure {
        key: "uem",
        name: "UEM",
        about: "unlabelled exact match: all heads of a sentence are correct",
        unit: Unit::Sentences,
        share: |score| Share::new(score.unlabelled_exact, score.sentences),
    },
];
