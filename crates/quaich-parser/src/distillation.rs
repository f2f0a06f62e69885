//! Distillation: a student learns from what a better, slower teacher makes of text that has no trees (Hinton et al. 2015, Kuncoro et al.
//! 2016).
//!
//! ```text
//!   text ─▶ teacher ─▶ Taught: sentences with trees, of which it is sure enough ─┐
//!                        └─ HeadShares: how votes fall on heads      ├─▶ Trainer ─▶ student
//!                                        gold sentences, counted several times ──┘
//! ```

use std::sync::Arc;

use quaich_features::Order;
use quaich_treebank::{Node, Sentence};
use rayon::prelude::*;

use crate::blend::Vote;
use crate::columns::Columns;
use crate::parser::{Parser, Worker};

/// What a teacher thinks of the heads of a sentence's tokens: heads with their parts of the votes.
#[derive(Clone, PartialEq, Debug)]
pub struct HeadShares {
    shares: Vec<(Node, f32)>,
    /// By token: where its shares end.
    ends: Vec<usize>,
}

impl HeadShares {
    /// How a vote on so many tokens fell.
    pub(crate) fn of(vote: &Vote, n_tokens: usize) -> Self {
        let mut opinion = Self { shares: Vec::new(), ends: Vec::new() };
        for token in (1..=n_tokens).map(Node::from_index) {
            opinion.shares.extend(vote.heads(token));
            opinion.ends.push(opinion.shares.len());
        }
        opinion
    }

    /// How many tokens the sentence has.
    pub(crate) fn n_tokens(&self) -> usize {
        self.ends.len()
    }

    /// Appends the places of a node's heads with their shares, both in this order of reading; nothing for the root.
    pub(crate) fn shares(&self, node: Node, order: Order, into: &mut Vec<(u32, f32)>) {
        let turned = |node: Node| match order {
            Order::RightToLeft if !node.is_root() => self.n_tokens() - node.index() + 1,
            _ => node.index(),
        };
        let Some(token) = turned(node).checked_sub(1) else { return };
        let start = token.checked_sub(1).map_or(0, |before| self.ends[before]);
        let shares = &self.shares[start..self.ends[token]];
        into.extend(shares.iter().map(|&(head, share)| (Node::from_index(turned(head)).0, share)));
    }
}

/// A sentence that a teacher has parsed.
#[derive(Clone, Debug)]
pub struct Taught {
    /// With the teacher's heads and labels.
    pub sentence: Sentence,
    /// How votes fell, where the teacher is a blend.
    pub opinion: Option<HeadShares>,
    /// The mean probability of its arcs.
    pub sure: f32,
}

impl Parser {
    /// What this parser makes of sentences, for a student to learn from; heads that they have count for nothing.
    pub fn teach(&self, sentences: &[Sentence]) -> Vec<Taught> {
        let start = || Hands { worker: self.worker(), probabilities: Vec::new(), text: Vec::new() };
        sentences.par_iter().map_init(start, |hands, sentence| hands.teach(self, sentence)).collect()
    }

    /// The columns that the parser learned from and in which these sentences have no values, by name.
    pub fn missing_columns(&self, sentences: &[Sentence]) -> Vec<String> {
        let Some(first) = sentences.first() else { return Vec::new() };
        let columns = Columns::new(&self.columns(), first.layout());
        for sentence in sentences {
            columns.look(sentence);
        }
        columns.missing()
    }
}

/// What a thread needs to teach.
struct Hands<'p> {
    worker: Worker<'p>,
    probabilities: Vec<f32>,
    text: Vec<u8>,
}

impl Hands<'_> {
    fn teach(&mut self, parser: &Parser, sentence: &Sentence) -> Taught {
        let Self { worker, probabilities, text } = self;
        let tree = worker.parse_with_scores(sentence, probabilities);
        text.clear();
        sentence.write_tree(tree, |label| parser.labels().text(label), text);
        let layout = sentence.layout();
        let mut parsed = Sentence::empty(Arc::clone(layout));
        // What could be read before can be read again.
        parsed.read_block(layout, text, sentence.first_line(), &mut Vec::new());
        #[allow(clippy::cast_precision_loss, reason = "the length of a sentence")]
        let sure = probabilities[1..].iter().sum::<f32>() / sentence.n_tokens().max(1) as f32;
        Taught { opinion: worker.opinion(sentence.n_tokens()), sentence: parsed, sure }
    }
}

#[cfg(test)]
mod tests {
    use quaich_treebank::Tree;

    use super::*;
    use crate::blend::Rules;

    /// Two of three votes for one head, one for another.
    #[test]
    fn votes_become_shares_in_the_order_of_reading() {
        let trees = [[2, 0, 2], [2, 0, 2], [3, 0, 2]].map(|heads| Tree::from_heads(&heads));
        let mut vote = Vote::default();
        vote.hold(Rules::default(), &trees, |_, _| 1, &mut Tree::default());
        let opinion = HeadShares::of(&vote, 3);
        let shares = |node: u32, order: Order| {
            let mut shares = Vec::new();
            opinion.shares(Node(node), order, &mut shares);
            shares
                .into_iter()
                .map(|(head, share)| format!("{head} {share:.2}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let order = Order::LeftToRight;
        assert_eq!([0, 1, 2, 3].map(|node| shares(node, order)), ["", "2 0.67, 3 0.33", "0 1.00", "2 1.00"]);
        let order = Order::RightToLeft;
        assert_eq!([0, 1, 2, 3].map(|node| shares(node, order)), ["", "2 1.00", "0 1.00", "2 0.67, 1 0.33"]);
    }
}
