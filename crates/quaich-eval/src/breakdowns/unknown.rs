//! By whether a word occurs in the training data: forms as spelled.

use std::sync::Arc;

use super::{Breakdown, Context, KnownWords, Need, Table, Tally};
use crate::attachment::Attachment;
use crate::evaluator::SentencePair;
use crate::score::Score;

/// The breakdown.
pub(super) struct ByKnownWord;

impl Breakdown for ByKnownWord {
    fn name(&self) -> &'static str {
        "unknown"
    }

    fn about(&self) -> &'static str {
        "attachment of words that occur in the training data, and of all others (--train)"
    }

    fn need(&self) -> Need {
        Need::KnownWords
    }

    fn start(&self, context: &Context) -> Box<dyn Tally> {
        Box::new(Words { known: Arc::clone(&context.known_words), groups: Default::default() })
    }
}

struct Words {
    known: Arc<KnownWords>,
    groups: [Attachment; 2],
}

impl Tally for Words {
    fn add(&mut self, pair: &SentencePair<'_>) {
        for (token, token_match) in pair.scored() {
            let is_known = self.known.contains(pair.gold.form(token));
            self.groups[usize::from(!is_known)].add(token_match);
        }
    }

    fn table(&self) -> Table {
        let names = ["known", "unknown"].map(str::to_owned);
        Table::of_tokens(
            names.into_iter().zip(self.groups.map(|scored| Score { scored, ..Score::default() })),
        )
    }
}
