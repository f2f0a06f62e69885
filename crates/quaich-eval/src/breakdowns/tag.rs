//! By tag: the dependents' coarse part-of-speech tags (UPOS, CPOSTAG) in the gold standard.

use quaich_treebank::Role;
use quaich_treebank::symbols::Tag;

use super::named::Named;
use super::{Breakdown, Context, Table, Tally};
use crate::attachment::Attachment;
use crate::evaluator::SentencePair;
use crate::score::Score;

/// The breakdown.
pub(super) struct ByTag;

impl Breakdown for ByTag {
    fn name(&self) -> &'static str {
        "tag"
    }

    fn about(&self) -> &'static str {
        "attachment of tokens by coarse part-of-speech tag"
    }

    fn start(&self, _context: &Context) -> Box<dyn Tally> {
        Box::new(Tags::default())
    }
}

#[derive(Default)]
struct Tags(Named<Tag, Attachment>);

impl Tally for Tags {
    fn add(&mut self, pair: &SentencePair<'_>) {
        for (token, token_match) in pair.scored() {
            self.0.group(pair.gold.value(token, Role::CoarseTag)).add(token_match);
        }
    }

    fn table(&self) -> Table {
        let rows = self.0.by_size(|attachment| attachment.tokens);
        Table::of_tokens(rows.into_iter().map(|(tag, scored)| (tag, Score { scored, ..Score::default() })))
    }
}
