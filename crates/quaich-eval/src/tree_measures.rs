//! Measures that need more than a token's head and label: undirected attachment, roots, whole subtrees, and means over
//! sentences.

use quaich_treebank::shape::Shapes;
use quaich_treebank::{Node, Sentence};

use crate::analysis::TokenMatch;
use crate::attachment::Attachment;
use crate::describe::ratio;
use crate::evaluator::SentencePair;
use crate::percent::{Percent, Share};

/// Counts of what is correct in the trees of sentences.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct TreeScore {
    /// Scored tokens.
    pub tokens: u64,
    /// Those linked with the correct token or with the root, regardless of direction.
    pub undirected: u64,
    /// Scored tokens that are roots in the gold standard.
    pub roots: u64,
    /// Those of them that are roots in the system's analysis.
    pub roots_found: u64,
    /// Scored tokens whose subtrees are identical, with all labels.
    pub subtrees: u64,
    /// Sentences with scored tokens.
    pub sentences: u64,
    /// The sums of the sentences' labelled attachment scores, unlabelled ones and label accuracies, each from 0 to 1.
    pub sums: [f64; 3],
}

/// A measure of a tree score.
#[derive(Clone, Copy, Debug)]
pub struct TreeMeasure {
    /// The key in JSON.
    pub key: &'static str,
    /// The name in tables.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// Computes it from a score: in percent, and as a share if it is one.
    pub read: fn(&TreeScore) -> (Percent, Option<Share>),
}

/// All measures of trees, in display order.
pub static TREE_MEASURES: &[TreeMeasure] = &[
    TreeMeasure {
        key: "undirected",
        name: "undirected",
        about: "undirected attachment: the token is linked with the correct one, in either direction",
        read: |score| shared(Share::new(score.undirected, score.tokens)),
    },
    TreeMeasure {
        key: "roots",
        name: "roots",
        about: "root accuracy: the share of gold roots that are roots in the system's analysis",
        read: |score| shared(Share::new(score.roots_found, score.roots)),
    },
    TreeMeasure {
        key: "subtrees",
        name: "subtrees",
        about: "complete subtrees: the subtree below the token is identical",
        read: |score| shared(Share::new(score.subtrees, score.tokens)),
    },
    TreeMeasure {
        key: "sentence_las",
        name: "LAS/sentence",
        about: "mean labelled attachment score of sentences (Nivre et al. 2004)",
        read: |score| score.mean(0),
    },
    TreeMeasure {
        key: "sentence_uas",
        name: "UAS/sentence",
        about: "mean unlabelled attachment score of sentences (Nivre et al. 2004)",
        read: |score| score.mean(1),
    },
    TreeMeasure {
        key: "sentence_la",
        name: "LA/sentence",
        about: "mean label accuracy of sentences",
        read: |score| score.mean(2),
    },
];

fn shared(share: Share) -> (Percent, Option<Share>) {
    (share.percent(), Some(share))
}

impl TreeScore {
    /// Counts a sentence.
    pub(crate) fn add(&mut self, pair: &SentencePair<'_>, shapes: &mut Shapes) {
        let (gold, system) = (pair.gold.heads(), pair.system.heads());
        let mut sentence = Attachment::default();
        for (token, token_match) in pair.scored() {
            sentence.add(token_match);
            let other = system[token.index()];
            let is_reversed = other.is_some() && !other.is_root() && gold[other.index()] == token;
            self.undirected += u64::from(token_match.head || is_reversed);
            let is_root = gold[token.index()].is_root();
            self.roots += u64::from(is_root);
            self.roots_found += u64::from(is_root && token_match.head);
        }
        self.tokens += sentence.tokens;
        if sentence.tokens > 0 {
            self.sentences += 1;
            let right = [sentence.both, sentence.heads, sentence.labels];
            for (sum, right) in self.sums.iter_mut().zip(right) {
                *sum += ratio(right, sentence.tokens);
            }
        }
        self.subtrees += complete_subtrees(pair, shapes);
    }

    fn mean(&self, sum: usize) -> (Percent, Option<Share>) {
        #[allow(clippy::cast_precision_loss, reason = "a number of sentences")]
        let mean = (self.sentences > 0).then(|| 100.0 * self.sums[sum] / self.sentences as f64);
        (Percent::of(mean), None)
    }
}

/// Returns the number of scored tokens with complete subtrees; 0 if the heads of the gold standard do not form a tree.
fn complete_subtrees(pair: &SentencePair<'_>, shapes: &mut Shapes) -> u64 {
    if shapes.read_heads(pair.gold.heads()).is_err() {
        return 0;
    }
    let skeleton = shapes.skeleton();
    let n_dependents = n_scored_dependents(pair, pair.system);
    let mut is_complete = vec![false; pair.gold.n_tokens() + 1];
    let mut n = 0;
    // Bottom-up.
    for &token in skeleton.preorder().iter().rev().filter(|token| !token.is_root()) {
        let is_scored = |child: &&Node| pair.token_match(**child).is_some();
        let children = skeleton.children(token).iter().filter(is_scored);
        let is_right = |child: &Node| pair.token_match(*child).is_some_and(TokenMatch::both);
        let all_right = children.clone().all(|child| is_right(child) && is_complete[child.index()]);
        is_complete[token.index()] = all_right && children.count() == n_dependents[token.index()];
        n += u64::from(is_complete[token.index()] && pair.token_match(token).is_some());
    }
    n
}

/// Returns the number of scored dependents of every token.
fn n_scored_dependents(pair: &SentencePair<'_>, sentence: &Sentence) -> Vec<usize> {
    let mut n = vec![0; sentence.n_tokens() + 1];
    for (token, _) in pair.scored() {
        let head = sentence.heads()[token.index()];
        if head.is_some() {
            n[head.index()] += 1;
        }
    }
    n
}
