//! The scores of an analysis: attachment of tokens, exact match of sentences.

use quaich_treebank::Node;

use crate::analysis::{Analysis, TokenMatch};
use crate::attachment::Attachment;
use crate::percent::{Percent, Share};

/// Counts of what is correct in an analysis. [`MEASURES`](crate::measures::MEASURES) lists the scores computed from it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Score {
    /// Sentences.
    pub sentences: u64,
    /// Tokens, scored or not.
    pub tokens: u64,
    /// Scored tokens.
    pub scored: Attachment,
    /// Sentences with all scored heads and labels correct.
    pub labelled_exact: u64,
    /// Sentences with all scored heads correct.
    pub unlabelled_exact: u64,
}

impl Score {
    /// Counts a sentence, without the tokens that `skip` returns true for. A sentence without scored tokens is an exact
    /// match.
    ///
    /// A token without a head in the gold standard is never correct: skip it if trees may be incomplete.
    ///
    /// # Panics
    /// If the two have different numbers of tokens.
    pub fn add<A: Analysis + ?Sized>(&mut self, gold: &A, system: &A, skip: impl Fn(Node) -> bool) {
        assert_eq!(gold.n_tokens(), system.n_tokens(), "the same tokens on both sides");
        let tokens = (1..=gold.n_tokens()).map(Node::from_index);
        let scored = tokens.filter(|&token| !skip(token)).map(|token| TokenMatch::of(gold, system, token));
        self.add_matches(gold.n_tokens(), scored);
    }

    /// Counts a sentence of `n_tokens` tokens from the matches of those that are scored.
    pub fn add_matches(&mut self, n_tokens: usize, scored: impl IntoIterator<Item = TokenMatch>) {
        let mut attachment = Attachment::default();
        for token_match in scored {
            attachment.add(token_match);
        }
        self.sentences += 1;
        self.tokens += n_tokens as u64;
        self.labelled_exact += u64::from(attachment.both == attachment.tokens);
        self.unlabelled_exact += u64::from(attachment.heads == attachment.tokens);
        self.scored.absorb(&attachment);
    }

    /// Adds the counts of another score.
    pub fn absorb(&mut self, other: &Self) {
        self.sentences += other.sentences;
        self.tokens += other.tokens;
        self.scored.absorb(&other.scored);
        self.labelled_exact += other.labelled_exact;
        self.unlabelled_exact += other.unlabelled_exact;
    }

    /// Returns the labelled attachment score: head and label are correct.
    pub fn las(&self) -> Percent {
        self.scored.las()
    }

    /// Returns the unlabelled attachment score: the head is correct.
    pub fn uas(&self) -> Percent {
        self.scored.uas()
    }

    /// Returns the label accuracy: the label is correct, regardless of the head.
    pub fn la(&self) -> Percent {
        self.scored.la()
    }

    /// Returns labelled exact match: all heads and labels of the sentence are correct.
    pub fn labelled_exact_match(&self) -> Percent {
        Share::new(self.labelled_exact, self.sentences).percent()
    }

    /// Returns unlabelled exact match: all heads of the sentence are correct.
    pub fn unlabelled_exact_match(&self) -> Percent {
        Share::new(self.unlabelled_exact, self.sentences).percent()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Arcs;

    /// Parses heads and labels from `head label` pairs; `-` is no head.
    fn parse(text: &str) -> (Vec<Node>, Vec<&str>) {
        let root = (Node::NONE, "");
        let token = |pair: &'_ str| -> Node { pair.parse().map_or(Node::NONE, Node) };
        let tokens = text.split(", ").map(|pair| pair.split_once(' ').expect("a head and a label"));
        std::iter::once(root).chain(tokens.map(|(head, label)| (token(head), label))).unzip()
    }

    /// Checks the scores of sentences, gold against system; tokens labelled `skip` are not scored.
    fn check(sentences: &[(&str, &str)], expected: &str) {
        let mut score = Score::default();
        for (gold, system) in sentences {
            let (gold, system) = (parse(gold), parse(system));
            let arcs = |(heads, labels)| Arcs { heads, labels };
            let (gold, system) = (arcs((&gold.0, &gold.1)), arcs((&system.0, &system.1)));
            score.add(&gold, &system, |token| gold.labels[token.index()] == "skip");
        }
        let found = format!(
            "{} of {} tokens, {} sentences: LAS {} UAS {} LA {} LEM {} UEM {}",
            score.scored.tokens,
            score.tokens,
            score.sentences,
            score.las(),
            score.uas(),
            score.la(),
            score.labelled_exact_match(),
            score.unlabelled_exact_match()
        );
        assert_eq!(found, expected);
    }

    #[test]
    fn heads_labels_and_both() {
        check(
            &[("2 a, 0 b, 2 c, 3 d", "2 a, 0 x, 1 c, 2 y"), ("0 a, 1 b", "0 a, 1 x"), ("0 a", "0 a")],
            "7 of 7 tokens, 3 sentences: LAS 42.86 UAS 71.43 LA 57.14 LEM 33.33 UEM 66.67",
        );
    }

    #[test]
    fn what_is_skipped_costs_nothing() {
        check(
            &[("2 a, 0 b, 2 skip", "2 a, 0 b, 1 c"), ("0 skip", "0 x")],
            "2 of 4 tokens, 2 sentences: LAS 100.00 UAS 100.00 LA 100.00 LEM 100.00 UEM 100.00",
        );
    }

    #[test]
    fn a_missing_head_is_wrong_on_either_side() {
        check(
            &[("- a, 0 b", "- a, - b")],
            "2 of 2 tokens, 1 sentences: LAS 0.00 UAS 0.00 LA 100.00 LEM 0.00 UEM 0.00",
        );
    }

    #[test]
    fn nothing_has_no_score() {
        check(&[], "0 of 0 tokens, 0 sentences: LAS – UAS – LA – LEM – UEM –");
    }
}
