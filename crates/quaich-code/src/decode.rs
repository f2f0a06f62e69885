//! Dependencies → phrase structure: the inverse of [`encode`](crate::encode), and a tree for any other dependencies.
//!
//! Encoded trees come back exactly. A predicted tree may be one that encoding cannot produce, so:
//!
//! 1. An attachment above the head's spine is its top.
//! 2. The dependents of a head without a spine are attached where the head is.
//! 3. From a head outward, on each side, attachments may not fall: each is at least the one before, because nonterminals
//!    would have gaps otherwise.
//! 4. A root without a spine gets the kind of roots.
//! 5. Further roots are attached to the top of the first one's spine.
//! 6. Tokens without a head, or whose heads form a cycle, are roots, and non-projective arcs are lifted.

use quaich_treebank::shape::Shapes;
use quaich_treebank::{Label, Node, Tree};

use crate::labels::ParsedLabel;
use crate::tree::{Kind, Kinds, NONE, PhraseTree, TreeBuilder};

/// The most nonterminals per token, beyond a number for small trees; spines are cut where there are more. No tree of a
/// treebank has as many, but a file of labels such as `X*1000000` would.
const MOST_PER_TOKEN: usize = 64;
const MOST_OF_SMALL: usize = 1 << 20;

/// Decodes trees.
#[derive(Debug)]
pub struct Decoder {
    root_kind: Kind,
    /// By label, as far as read.
    labels: Vec<Option<ParsedLabel>>,
    shapes: Shapes,
}

impl Decoder {
    /// Creates a decoder; `root_kind` is the kind of a root that has none.
    pub fn new(root_kind: Kind) -> Self {
        Self { root_kind, labels: Vec::new(), shapes: Shapes::default() }
    }

    /// Changes the kind of a root that has none.
    pub fn set_root_kind(&mut self, root_kind: Kind) {
        self.root_kind = root_kind;
    }

    /// Returns the tree of dependencies with convertible labels, whose texts must be the same in all calls.
    pub fn decode<'l>(
        &mut self,
        tree: &Tree,
        text_of: impl Fn(Label) -> &'l str,
        kinds: &mut Kinds,
    ) -> PhraseTree {
        if tree.n_tokens() == 0 {
            return PhraseTree::default();
        }
        for &label in tree.labels().iter().filter(|label| !label.is_none()) {
            if self.labels.len() <= label.index() {
                self.labels.resize(label.index() + 1, None);
            }
            self.labels[label.index()].get_or_insert_with(|| ParsedLabel::read(text_of(label), kinds));
        }
        self.read_heads(tree);
        let mut spines = Spines::new(tree, &self.labels);
        let roots = self.shapes.skeleton().children(Node::ROOT);
        let is_root_kind = |&&root: &&Node| spines.highest(root) == self.root_kind;
        let has_spine = |&&root: &&Node| spines.highest(root).is_some();
        let root = roots.iter().find(is_root_kind).or_else(|| roots.iter().find(has_spine));
        let root = *root.unwrap_or(&roots[0]);
        if spines.highest(root).is_none() {
            spines.give_root_kind(root, self.root_kind);
        }
        spines.attach(&self.shapes, root);
        spines.builder.finish()
    }

    /// Reads the heads of a tree, changed so that they form a projective one.
    fn read_heads(&mut self, tree: &Tree) {
        if self.shapes.read(tree).is_err() {
            let heads = without_cycles(tree.heads());
            self.shapes.read_heads(&heads).expect("every token reaches the root");
        }
        if !self.shapes.is_projective() {
            let heads = self.shapes.projectivize().heads().to_vec();
            self.shapes.read_heads(&heads).expect("lifted tokens reach the root");
        }
    }
}

/// Returns heads in which every token reaches the root: what has no head, and the first token found in each cycle, is
/// attached to it.
fn without_cycles(heads: &[Node]) -> Vec<Node> {
    let mut heads: Vec<Node> =
        heads.iter().map(|&head| if head.index() < heads.len() { head } else { Node::ROOT }).collect();
    let mut visited_from = vec![0; heads.len()];
    for start in 1..heads.len() {
        let mut node = start;
        while node != 0 && visited_from[node] == 0 {
            visited_from[node] = start;
            node = heads[node].index();
        }
        if node != 0 && visited_from[node] == start {
            heads[node] = Node::ROOT;
        }
    }
    heads
}

/// The spines of tokens as nonterminals, and what they are attached to.
struct Spines {
    builder: TreeBuilder,
    /// The lowest nonterminal of each token, and the one after its highest, by node.
    ranges: Vec<(u32, u32)>,
    /// The attachments of the labels, by node.
    attachments: Vec<u32>,
}

impl Spines {
    /// Makes the nonterminals of all spines, each the child of the next one.
    fn new(tree: &Tree, labels: &[Option<ParsedLabel>]) -> Self {
        let mut spines = Self { builder: TreeBuilder::default(), ranges: vec![(0, 0)], attachments: vec![0] };
        let unlabelled = ParsedLabel::EMPTY;
        let mut left = tree.n_tokens().saturating_mul(MOST_PER_TOKEN).saturating_add(MOST_OF_SMALL);
        for node in tree.tokens() {
            let label = tree.label(node);
            let label = if label.is_none() { None } else { labels[label.index()].as_ref() };
            let label = label.unwrap_or(&unlabelled);
            let start = spines.next();
            for &(kind, run) in &label.runs {
                let run = run.min(left);
                left -= run;
                for _ in 0..run {
                    let number = spines.builder.nonterminal(kind, NONE);
                    spines.builder.parents[number as usize] = number + 1;
                }
            }
            spines.builder.token(NONE, label.leaf);
            spines.ranges.push((start, spines.next()));
            spines.attachments.push(label.attachment);
        }
        spines
    }

    /// Returns the number of the next nonterminal.
    fn next(&self) -> u32 {
        u32::try_from(self.builder.kinds.len()).expect("fewer than 2³² nonterminals")
    }

    /// Returns the kind of the highest nonterminal of a token; none if its spine is empty.
    fn highest(&self, node: Node) -> Kind {
        let (start, end) = self.ranges[node.index()];
        if start == end { Kind::NONE } else { self.builder.kinds[end as usize - 1] }
    }

    fn give_root_kind(&mut self, root: Node, kind: Kind) {
        let number = self.builder.nonterminal(kind, NONE);
        self.ranges[root.index()] = (number, number + 1);
    }

    /// Attaches all spines.
    fn attach(&mut self, shapes: &Shapes, root: Node) {
        let skeleton = shapes.skeleton();
        self.attach_one(root, NONE);
        let top = self.ranges[root.index()].1 - 1;
        for &other in skeleton.children(Node::ROOT).iter().filter(|&&other| other != root) {
            self.attach_one(other, top);
        }
        for &head in &skeleton.preorder()[1..] {
            let children = skeleton.children(head);
            let n_left = children.partition_point(|&child| child < head);
            self.attach_side(head, children[..n_left].iter().rev());
            self.attach_side(head, children[n_left..].iter());
        }
    }

    /// Attaches the dependents on one side of a head, the nearest first.
    fn attach_side<'a>(&mut self, head: Node, dependents: impl Iterator<Item = &'a Node>) {
        let (start, end) = self.ranges[head.index()];
        let mut lowest = 0;
        for &dependent in dependents {
            if start == end {
                // The head was attached before its dependents are.
                self.attach_one(dependent, self.builder.token_parents[head.index() - 1]);
            } else {
                lowest = self.attachments[dependent.index()].min(end - start - 1).max(lowest);
                self.attach_one(dependent, start + lowest);
            }
        }
    }

    fn attach_one(&mut self, node: Node, nonterminal: u32) {
        let (start, end) = self.ranges[node.index()];
        if start == end {
            self.builder.token_parents[node.index() - 1] = nonterminal;
        } else {
            self.builder.token_parents[node.index() - 1] = start;
            self.builder.parents[end as usize - 1] = nonterminal;
        }
    }
}
