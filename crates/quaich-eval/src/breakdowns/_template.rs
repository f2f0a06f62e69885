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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use quaich_treebank::{Role, Sentence, SentenceBuilder, formats::FORMATS};

    use super::*;
    use crate::{Evaluator, PunctuationRule};

    // A worked example; `tests/eval.rs` has what holds for every break-down of the table.
    #[test]
    fn tokens_are_counted() {
        let sentence = |heads: [&str; 2]| -> Sentence {
            let mut builder = SentenceBuilder::new(&Arc::new(FORMATS[0].layout()));
            for head in heads {
                builder.token([(Role::Form, "a"), (Role::Head, head), (Role::Label, "x")]).unwrap();
            }
            builder.finish().unwrap()
        };
        let mut evaluator = Evaluator::new(PunctuationRule::Keep, &[&ByName]);
        evaluator.add(&sentence(["2", "0"]), &sentence(["0", "1"]));
        evaluator.add(&sentence(["2", "0"]), &sentence(["2", "0"]));
        let evaluation = evaluator.evaluation();
        let (breakdown, table) = &evaluation.breakdowns[0];
        assert_eq!((breakdown.name(), table.rows.len()), (ByName.name(), 1));
    }
}
