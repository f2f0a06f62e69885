//! The results of the scorers, as data.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::Conll;
use super::bins::{DIRECTIONS, DISTANCES};
use super::counts::{Bin, Counts, LabelCounts, TagCounts};
use super::errors::ErrorReport;
use super::semantics::{Dependencies, Semantics};
use crate::attachment::Attachment;
use crate::describe::ratio;

/// The least count of frame confusions that are shown.
const FRAMES_FROM: u64 = 5;

/// The results of the scorers of CoNLL-X, 2007 and 2009. Displayed as the output of the scorers.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    pub(super) scorer: &'static str,
    /// The name of part-of-speech tags.
    pub(super) tags_title: &'static str,
    /// The system's file and the gold standard's.
    pub(super) files: (String, String),
    /// Sentences.
    pub sentences: u64,
    /// Sentences with all scored heads and labels correct.
    pub exact_sentences: u64,
    /// Tokens that are not scored.
    pub non_scoring: u64,
    /// Scored tokens.
    pub scored: Attachment,
    /// The same for every part-of-speech tag, the most frequent first.
    pub tags: Vec<(String, TagCounts)>,
    /// All labels, by name.
    pub labels: Vec<(String, LabelCounts)>,
    /// The directions of heads.
    pub directions: Vec<(&'static str, Agreed)>,
    /// The distances of heads.
    pub distances: Vec<(&'static str, Agreed)>,
    /// Frequent frame confusions: the gold standard's and the system's.
    pub frames: Vec<(String, u64)>,
    /// Predicates and their arguments.
    pub semantics: Option<Semantics>,
    /// The error analysis; the scorer of 2009 has none.
    pub errors: Option<ErrorReport>,
}

/// Counts in the gold standard, in the system's analysis, and in both at the same position.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Agreed {
    /// In the gold standard.
    pub gold: u64,
    /// In both.
    pub correct: u64,
    /// In the system's analysis.
    pub system: u64,
}

impl Agreed {
    /// Returns recall in percent, if defined.
    pub fn recall(self) -> Option<f64> {
        (self.gold > 0).then(|| ratio(self.correct, self.gold) * 100.0)
    }

    /// Returns precision in percent, if defined.
    pub fn precision(self) -> Option<f64> {
        (self.system > 0).then(|| ratio(self.correct, self.system) * 100.0)
    }
}

impl LabelCounts {
    /// Returns the counts regardless of heads.
    pub fn label_only(self) -> Agreed {
        Agreed { gold: self.gold, correct: self.label, system: self.system }
    }

    /// Returns the counts with the correct head.
    pub fn with_head(self) -> Agreed {
        Agreed { gold: self.gold, correct: self.both, system: self.system }
    }
}

impl Dependencies {
    /// Returns the counts at the correct position.
    pub fn unlabelled(self) -> Agreed {
        Agreed { gold: self.gold, correct: self.unlabelled, system: self.system }
    }

    /// Returns the counts at the correct position, with the correct sense or label.
    pub fn labelled(self) -> Agreed {
        Agreed { gold: self.gold, correct: self.labelled, system: self.system }
    }
}

/// Returns 100 minus the percentage of wrong ones: computed as in the scorers, since it affects the last digit.
pub(super) fn right(part: u64, whole: u64) -> f64 {
    100.0 - wrong(whole - part, whole)
}

/// Returns the wrong ones in percent.
pub(super) fn wrong(part: u64, whole: u64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    let percent = part as f64 * 100.0 / whole as f64;
    if whole == 0 { 0.0 } else { percent }
}

impl Report {
    pub(super) fn new(scorer: &Conll, files: (String, String), counts: Counts) -> Self {
        let agreed = |[gold, system, correct]: Bin| Agreed { gold, correct, system };
        let mut tags: Vec<_> = counts.tags.into_iter().collect();
        // Ties stay in the order of names.
        tags.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.tokens));
        let errors = counts.errors.map(|errors| errors.report(tags.iter().map(|(tag, _)| tag.as_str())));
        Self {
            scorer: scorer.name,
            tags_title: scorer.tags,
            files,
            sentences: counts.sentences,
            exact_sentences: counts.exact_sentences,
            non_scoring: counts.non_scoring,
            scored: counts.all,
            tags,
            labels: counts.labels.into_iter().collect(),
            directions: DIRECTIONS.into_iter().zip(counts.directions.map(agreed)).collect(),
            distances: DISTANCES.into_iter().zip(counts.distances.map(agreed)).collect(),
            frames: counts.frames.seen(FRAMES_FROM),
            semantics: counts.semantics,
            errors,
        }
    }

    /// Returns the labelled attachment score in percent.
    pub fn las(&self) -> f64 {
        right(self.scored.both, self.scored.tokens)
    }

    /// Returns the unlabelled attachment score in percent.
    pub fn uas(&self) -> f64 {
        right(self.scored.heads, self.scored.tokens)
    }

    /// Returns the label accuracy in percent.
    pub fn la(&self) -> f64 {
        right(self.scored.labels, self.scored.tokens)
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("scorer", self.scorer)?;
        map.serialize_entry("sentences", &self.sentences)?;
        map.serialize_entry("tokens", &(self.scored.tokens + self.non_scoring))?;
        map.serialize_entry("scored_tokens", &self.scored.tokens)?;
        map.serialize_entry("non_scoring_tokens", &self.non_scoring)?;
        map.serialize_entry("las", &self.las())?;
        map.serialize_entry("uas", &self.uas())?;
        map.serialize_entry("la", &self.la())?;
        map.serialize_entry("tag", &Named(&self.tags, tag_row))?;
        map.serialize_entry("label", &Named(&self.labels, |counts| Row::from(counts.label_only())))?;
        map.serialize_entry(
            "label_and_attachment",
            &Named(&self.labels, |counts| Row::from(counts.with_head())),
        )?;
        map.serialize_entry("direction", &Named(&self.directions, Row::from))?;
        map.serialize_entry("distance", &Named(&self.distances, Row::from))?;
        map.serialize_entry("frame_confusions", &Named(&self.frames, |count| count))?;
        if let Some(errors) = &self.errors {
            map.serialize_entry("errors", errors)?;
        }
        if let Some(semantics) = &self.semantics {
            map.serialize_entry("exact_match", &(100.0 * ratio(self.exact_sentences, self.sentences)))?;
            let dependencies = [("predicates", semantics.predicates), ("arguments", semantics.arguments)];
            for (name, dependencies) in dependencies {
                map.serialize_entry(name, &Row::from(dependencies.labelled()))?;
                map.serialize_entry(&format!("unlabelled_{name}"), &Row::from(dependencies.unlabelled()))?;
            }
        }
        map.end()
    }
}

/// Rows by name, each created by the function.
pub(super) struct Named<'a, N, T, R>(pub(super) &'a [(N, T)], pub(super) fn(T) -> R);

impl<N: AsRef<str>, T: Copy, R: Serialize> Serialize for Named<'_, N, T, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, row)| (name.as_ref(), (self.1)(*row))))
    }
}

/// A row of precision and recall.
#[derive(Serialize)]
struct Row {
    gold: u64,
    correct: u64,
    system: u64,
    recall: Option<f64>,
    precision: Option<f64>,
}

impl From<Agreed> for Row {
    fn from(agreed: Agreed) -> Self {
        let Agreed { gold, correct, system } = agreed;
        Self { gold, correct, system, recall: agreed.recall(), precision: agreed.precision() }
    }
}

/// A row of a part-of-speech tag.
#[derive(Serialize)]
struct TagRow {
    words: u64,
    right_head: u64,
    right_label: u64,
    both_right: u64,
    head_errors: u64,
    label_errors: u64,
    both_wrong: u64,
}

fn tag_row(counts: TagCounts) -> TagRow {
    TagRow {
        words: counts.tokens,
        right_head: counts.heads,
        right_label: counts.labels,
        both_right: counts.both,
        head_errors: counts.tokens - counts.heads,
        label_errors: counts.tokens - counts.labels,
        both_wrong: both_wrong(counts),
    }
}

/// Returns the number of tokens with neither the correct head nor the correct label.
pub(super) fn both_wrong(counts: Attachment) -> u64 {
    counts.tokens + counts.both - counts.heads - counts.labels
}
