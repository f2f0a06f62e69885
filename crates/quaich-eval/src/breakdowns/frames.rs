//! Frame confusions: tokens whose dependents are not those of the gold standard, by labels.

use super::{Breakdown, Column, Context, Row, Table, Tally, Value};
use crate::evaluator::Judged;
use crate::frames::Frames;

/// The break-down.
pub(super) struct FrameConfusions;

impl Breakdown for FrameConfusions {
    fn name(&self) -> &'static str {
        "frames"
    }

    fn about(&self) -> &'static str {
        "which frames, the labels of a token (in stars) and its dependents, the system has instead of which"
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
    fn add(&mut self, judged: &Judged<'_>) {
        if judged.scored().any(|(_, verdict)| !verdict.both()) {
            let scored: Vec<_> = judged.scored().map(|(token, _)| token).collect();
            self.0.add(judged.gold, judged.system, &scored);
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
