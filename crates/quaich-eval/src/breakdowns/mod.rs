//! Break-downs: the scores of groups of tokens or arcs.
//!
//! To add one: write `breakdowns/NAME.rs` after `_template.rs`, and add its `mod` line and its entry in
//! [`BREAKDOWNS`] here. Names, help, tables, JSON and conformance tests follow from the entry.

mod direction;
mod groups;
mod label;
mod length;
mod named;
mod sentence_length;
mod table;
mod tag;

pub use table::{Column, Row, Table, Value};

use quaich_treebank::Error;

use crate::evaluator::Judged;

/// A way of grouping what is scored.
pub trait Breakdown: Sync {
    /// The name on the command line and in JSON.
    fn name(&self) -> &'static str;
    /// One line of help.
    fn about(&self) -> &'static str;
    /// A tally of nothing yet.
    fn start(&self) -> Box<dyn Tally>;
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
];

/// The break-down with this name.
pub fn by_name(name: &str) -> Result<&'static dyn Breakdown, Error> {
    BREAKDOWNS
        .iter()
        .find(|breakdown| breakdown.name() == name)
        .copied()
        .ok_or_else(|| Error::unknown_name("break-down", name, BREAKDOWNS.iter().map(|b| b.name())))
}
