//! By NAME: what is grouped by what. Copy this file to `NAME.rs`; then its `mod` line and its entry in `BREAKDOWNS`,
//! in `mod.rs`, are all it takes.

use super::{Breakdown, Context, Table, Tally};
use crate::evaluator::Judged;
use crate::score::Score;

/// The break-down.
pub(super) struct ByName;

impl Breakdown for ByName {
    fn name(&self) -> &'static str {
        // On the command line (`--by NAME`) and as the key in JSON.
        "name"
    }

    fn about(&self) -> &'static str {
        "one line of help"
    }

    fn start(&self, _context: &Context) -> Box<dyn Tally> {
        Box::new(Names::default())
    }
}

/// Counts only: memory must not grow with the number of sentences.
#[derive(Default)]
struct Names {
    all: Score,
}

impl Tally for Names {
    fn add(&mut self, judged: &Judged<'_>) {
        // `judged.scored()` gives the tokens that count, with the verdicts on them; `groups::ArcGroups` does
        // groups of arcs that their two ends tell apart, `named::Named` groups whose names the data give.
        judged.add_to(&mut self.all);
    }

    fn table(&self) -> Table {
        // Also `Table::of_tokens` and `Table::of_arcs`. Where groups overlap, `is_partition` has to say so; what else is
        // needed, `need`.
        Table::of_sentences([("all".to_owned(), self.all)])
    }
}
