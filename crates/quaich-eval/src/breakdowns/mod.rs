//! Breakdowns: scores of groups of tokens or arcs.
//!
//! To add a breakdown, write `breakdowns/NAME.rs` after `_template.rs`, and add its `mod` line and its entry in
//! [`BREAKDOWNS`] here. Names, help, tables, JSON and conformance tests follow from the entry.

#[cfg(test)]
mod _template;
mod confusions;
mod construction;
mod context;
mod direction;
mod frames;
mod groups;
mod label;
mod length;
mod named;
mod projectivity;
mod root_distance;
mod running_time;
mod sentence_length;
mod sided;
mod table;
mod tag;
mod transitions;
mod unknown;

pub use context::{Context, KnownWords, Need};
pub use table::{Column, Row, Table, Value};

use quaich_treebank::Error;

use crate::evaluator::SentencePair;

/// A grouping of scored tokens or arcs.
pub trait Breakdown: Sync {
    /// Returns the name on the command line and in JSON.
    fn name(&self) -> &'static str;
    /// Returns one line of help.
    fn about(&self) -> &'static str;
    /// Returns the additional input that it needs.
    fn need(&self) -> Need {
        Need::Nothing
    }
    /// Whether every scored token is in exactly one group.
    fn is_partition(&self) -> bool {
        true
    }
    /// Returns the number of rows shown to people; JSON has all.
    fn shown_rows(&self) -> usize {
        usize::MAX
    }
    /// Creates an empty tally.
    fn start(&self, context: &Context) -> Box<dyn Tally>;
}

/// The counts of a breakdown.
pub trait Tally: Send {
    /// Counts a sentence. Only tokens with a match are counted.
    fn add(&mut self, pair: &SentencePair<'_>);
    /// Returns the counts so far, one row per group.
    fn table(&self) -> Table;
}

/// All breakdowns, in the order of help.
pub static BREAKDOWNS: &[&dyn Breakdown] = &[
    &label::ByLabel,
    &length::ByLength,
    &sentence_length::BySentenceLength,
    &tag::ByTag,
    &direction::ByDirection,
    &root_distance::ByRootDistance,
    &projectivity::ByProjectivity,
    &construction::ByConstruction,
    &unknown::ByKnownWord,
    &confusions::Confusions,
    &frames::FrameConfusions,
    &transitions::ByTransition,
    &running_time::RunningTime,
];

/// Returns the breakdown with this name.
pub fn by_name(name: &str) -> Result<&'static dyn Breakdown, Error> {
    BREAKDOWNS
        .iter()
        .find(|breakdown| breakdown.name() == name)
        .copied()
        .ok_or_else(|| Error::unknown_name("breakdown", name, BREAKDOWNS.iter().map(|b| b.name())))
}
