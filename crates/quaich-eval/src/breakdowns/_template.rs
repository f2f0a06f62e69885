//! By NAME: what is grouped and how. To add a breakdown, copy this file to `NAME.rs` and add its `mod` line and its
//! entry in `BREAKDOWNS` in `mod.rs`.

use super::{Breakdown, Context, Table, Tally};
use crate::evaluator::SentencePair;
use crate::score::Score;

/// The breakdown.
pub(super) struct ByName;

impl Breakdown for ByName {
    fn name(&self) -> &'static str {
        // The value of `--by` on the command line, and the key in JSON.
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
    fn add(&mut self, pair: &SentencePair<'_>) {
        // `pair.scored()` returns the scored tokens with their matches; `groups::ArcGroups` is for groups of arcs
        // defined by their two ends, `named::Named` for groups named by the data.
        pair.add_to(&mut self.all);
    }

    fn table(&self) -> Table {
        // See also `Table::of_tokens` and `Table::of_arcs`. If groups overlap, `is_partition` must return false;
        // requirements are declared by `need`.
        Table::of_sentences([("all".to_owned(), self.all)])
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use quaich_treebank::{Role, Sentence, SentenceBuilder, formats::FORMATS};

    use super::*;
    use crate::{Evaluator, PunctuationRule};

    // A worked example; `tests/eval.rs` checks what holds for all breakdowns of the table.
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
