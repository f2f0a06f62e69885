//! By sentence length: sentences of 1 to 10 tokens, 11 to 20, and so on. The length includes tokens that are not
//! scored.

use super::{Breakdown, Context, Table, Tally};
use crate::evaluator::SentencePair;
use crate::score::Score;

/// The breakdown.
pub(super) struct BySentenceLength;

impl Breakdown for BySentenceLength {
    fn name(&self) -> &'static str {
        "sentence-length"
    }

    fn about(&self) -> &'static str {
        "all scores of sentences of 1–10 tokens, 11–20, … and more than 50"
    }

    fn start(&self, _context: &Context) -> Box<dyn Tally> {
        Box::new(Lengths::default())
    }
}

/// The groups: their names and their longest sentences.
pub(super) const GROUPS: [(&str, usize); 6] =
    [("1-10", 10), ("11-20", 20), ("21-30", 30), ("31-40", 40), ("41-50", 50), ("51+", usize::MAX)];

/// Returns the group of sentences of this length, as an index into [`GROUPS`].
pub(super) fn group(n_tokens: usize) -> usize {
    GROUPS.partition_point(|&(_, longest)| longest < n_tokens)
}

#[derive(Default)]
struct Lengths([Score; GROUPS.len()]);

impl Tally for Lengths {
    fn add(&mut self, pair: &SentencePair<'_>) {
        pair.add_to(&mut self.0[group(pair.gold.n_tokens())]);
    }

    fn table(&self) -> Table {
        Table::of_sentences(GROUPS.map(|(name, _)| name.to_owned()).into_iter().zip(self.0))
    }
}
