//! Measures that need more than a token's head and label: undirected attachment, roots, whole subtrees, and means over sentences.

use quaich_treebank::shape::Shapes;
use quaich_treebank::{Node, Sentence};

use crate::analysis::Verdict;
use crate::attachment::Attachment;
use crate::describe::ratio;
use crate::evaluator::Judged;
use crate::percent::{Percent, Share};

/// What is right about the trees of sentences, counted.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct TreeScore {
    /// Scored tokens.
    pub tokens: u64,
    /// Those linked with the right token, or with the root, whichever of the two is the head.
    pub undirected: u64,
    /// Scored tokens that are roots in the gold standard.
    pub roots: u64,
    /// Those of them that are roots for the system.
    pub roots_found: u64,
    /// Scored tokens whose subtrees, below them, are the same with all labels.
    pub subtrees: u64,
    /// Sentences with scored tokens.
    pub sentences: u64,
    /// The sums of the labelled attachment scores, the unlabelled ones and the label accuracies of sentences, each from 0 to 1.
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
    /// Reads it off a score: in percent, and what it is a share of, where it is one.
    pub read: fn(&TreeScore) -> (Percent, Option<Share>),
}

/// Every measure of trees, in the order in which they are shown.
pub static TREE_MEASURES: &[TreeMeasure] = &[
    TreeMeasure {
        key: "undirected",
        name: "undirected",
        about: "undirected attachment: the token is linked with the right one, whichever is the head",
        read: |score| shared(Share::new(score.undirected, score.tokens)),
    },
    TreeMeasure {
        key: "roots",
        name: "roots",
        about: "root accuracy: roots of the gold standard that are roots",
        read: |score| shared(Share::new(score.roots_found, score.roots)),
    },
    TreeMeasure {
        key: "subtrees",
        name: "subtrees",
        about: "complete subtrees: all that is below the token is right, and nothing else is there",
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
    pub(crate) fn add(&mut self, judged: &Judged<'_>, shapes: &mut Shapes) {
        let (gold, system) = (judged.gold.heads(), judged.system.heads());
        let mut sentence = Attachment::default();
        for (token, verdict) in judged.scored() {
            sentence.add(verdict);
            let other = system[token.index()];
            let is_reversed = other.is_some() && !other.is_root() && gold[other.index()] == token;
            self.undirected += u64::from(verdict.head || is_reversed);
            let is_root = gold[token.index()].is_root();
            self.roots += u64::from(is_root);
            self.roots_found += u64::from(is_root && verdict.head);
        }
        self.tokens += sentence.tokens;
        if sentence.tokens > 0 {
            self.sentences += 1;
            let right = [sentence.both, sentence.heads, sentence.labels];
            for (sum, right) in self.sums.iter_mut().zip(right) {
                *sum += ratio(right, sentence.tokens);
            }
        }
        self.subtrees += complete_subtrees(judged, shapes);
    }

    fn mean(&self, sum: usize) -> (Percent, Option<Share>) {
        #[allow(clippy::cast_precision_loss, reason = "a number of sentences")]
        let mean = (self.sentences > 0).then(|| 100.0 * self.sums[sum] / self.sentences as f64);
        (Percent::of(mean), None)
    }
}

/// How many scored tokens have complete subtrees. Where the heads of the gold standard make no tree there are none.
fn complete_subtrees(judged: &Judged<'_>, shapes: &mut Shapes) -> u64 {
    if shapes.read_heads(judged.gold.heads()).is_err() {
        return 0;
    }
    let skeleton = shapes.skeleton();
    let n_dependents = n_scored_dependents(judged, judged.system);
    let mut is_complete = vec![false; judged.gold.n_tokens() + 1];
    let mut n = 0;
    // From the leaves up.
    for &token in skeleton.preorder().iter().rev().filter(|token| !token.is_root()) {
        let is_scored = |child: &&Node| judged.verdict(**child).is_some();
        let children = skeleton.children(token).iter().filter(is_scored);
        let is_right = |child: &Node| judged.verdict(*child).is_some_and(Verdict::both);
        let all_right = children.clone().all(|child| is_right(child) && is_complete[child.index()]);
        is_complete[token.index()] = all_right && children.count() == n_dependents[token.index()];
        n += u64::from(is_complete[token.index()] && judged.verdict(token).is_some());
    }
    n
}

/// How many scored dependents every token has.
fn n_scored_dependents(judged: &Judged<'_>, sentence: &Sentence) -> Vec<usize> {
    let mut n = vec![0; sentence.n_tokens() + 1];
    for (token, _) in judged.scored() {
        let head = sentence.heads()[token.index()];
        if head.is_some() {
            n[head.index()] += 1;
        }
    }
    n
}
