//! Break-downs: the scores of groups of tokens or arcs.
//!
//! To add one: write `breakdowns/NAME.rs` after `_template.rs`, and add its `mod` line and its entry in
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

use crate::evaluator::Judged;

/// A way of grouping what is scored.
pub trait Breakdown: Sync {
    /// The name on the command line and in JSON.
    fn name(&self) -> &'static str;
    /// One line of help.
    fn about(&self) -> &'static str;
    /// What it needs besides the two analyses.
    fn need(&self) -> Need {
        Need::Nothing
    }
    /// Whether every scored token is in one of its groups and in no other.
    fn is_partition(&self) -> bool {
        true
    }
    /// How many of its rows people want to see; programs get all.
    fn shown_rows(&self) -> usize {
        usize::MAX
    }
    /// A tally of nothing yet.
    fn start(&self, context: &Context) -> Box<dyn Tally>;
}

/// The counts of a break-down.
pub trait Tally: Send {
    /// Counts a sentence. Tokens without a verdict are not to be counted.
    fn add(&mut self, judged: &Judged<'_>);
    /// What was counted so far, a row a group.
    fn table(&self) -> Table;
}

/// Every break-down, in the order help shows them.
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

/// The break-down with this name.
pub fn by_name(name: &str) -> Result<&'static dyn Breakdown, Error> {
    BREAKDOWNS
        .iter()
        .find(|breakdown| breakdown.name() == name)
        .copied()
        .ok_or_else(|| Error::unknown_name("break-down", name, BREAKDOWNS.iter().map(|b| b.name())))
}
