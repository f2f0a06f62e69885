//! Frame confusions: tokens whose dependents differ from the gold standard, by labels.

use super::{Breakdown, Column, Context, Row, Table, Tally, Value};
use crate::evaluator::SentencePair;
use crate::frames::Frames;

/// The breakdown.
pub(super) struct FrameConfusions;

impl Breakdown for FrameConfusions {
    fn name(&self) -> &'static str {
        "frames"
    }

    fn about(&self) -> &'static str {
        "confused frames (gold / system): the labels of a token (in stars) and of its dependents"
    }

    fn shown_rows(&self) -> usize {
        25
    }

    fn start(&self, _context: &Context) -> Box<dyn Tally> {
        Box::new(Confused::default())
    }
}

#[derive(Default)]
struct Confused(Frames);

impl Tally for Confused {
    fn add(&mut self, pair: &SentencePair<'_>) {
        if pair.scored().any(|(_, token_match)| !token_match.both()) {
            let scored: Vec<_> = pair.scored().map(|(token, _)| token).collect();
            self.0.add(pair.gold, pair.system, &scored);
        }
    }

    fn table(&self) -> Table {
        let row = |(frame, count): (String, u64)| Row {
            name: frame.trim_end().to_owned(),
            values: vec![Value::Count(count)],
        };
        let rows = self.0.seen(1).into_iter().map(row).collect();
        Table { columns: vec![Column { key: "count", name: "count" }], rows }
    }
}
