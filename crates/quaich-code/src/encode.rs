//! Phrase structure → dependencies (Hall and Nivre, 2008; Nilsson et al., 2009, section 3.3).
//!
//! The head token of a nonterminal is that of its head child. The *spine* of a token is the chain of nonterminals whose
//! head token it is. The head of a token is the head token of the nonterminal above its spine, and the label tells the spine
//! and the place of that nonterminal in the head's spine, so that [`decode`](crate::decode) can restore the tree.

use quaich_treebank::symbols::Symbols;
use quaich_treebank::{Label, Node, Tree};

use crate::head_rules::HeadRule;
use crate::labels::{LabelTable, NO_ATTACHMENT, Spine};
use crate::tree::{Child, Kind, Kinds, NONE, PhraseTree};

/// What labels say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Labels {
    /// The spine and its attachment, so that the tree can be restored.
    #[default]
    Convertible,
    /// Only the highest nonterminal of the spine.
    NonConvertible,
}

/// Encodes trees. Labels are numbered in the order in which they first occur.
#[derive(Clone, Debug)]
pub struct Encoder {
    rule: HeadRule,
    labels: Labels,
    table: LabelTable,
}

impl Encoder {
    /// Creates an encoder.
    pub fn new(rule: HeadRule, labels: Labels) -> Self {
        Self { rule, labels, table: LabelTable::default() }
    }

    /// Returns the labels of all trees so far.
    pub fn label_symbols(&self) -> &Symbols<Label> {
        self.table.symbols()
    }

    /// Returns the number of nonterminals of the longest spine so far.
    pub fn longest_spine(&self) -> usize {
        self.table.longest_spine()
    }

    /// Returns the dependency tree. `names` are the names of the tokens' tags, for the head rules that read them.
    pub fn encode(&mut self, tree: &PhraseTree, names: &[Kind], kinds: &Kinds) -> Tree {
        let heads = self.rule.head_children(tree, names, kinds);
        let spines = Spines::new(tree, &heads, &mut self.table);
        let mut encoded = Tree::new(tree.n_tokens());
        for token in 0..tree.n_tokens() {
            let top = spines.tops[token];
            let (above, spine, highest) = match top {
                NONE => (tree.token_parents()[token], self.table.leaf(tree.leaf_kinds()[token]), Kind::NONE),
                top => {
                    let top = top as usize;
                    (tree.parents()[top], spines.beginnings[top], tree.kinds()[top])
                }
            };
            let (head, attachment) = match above {
                NONE => (Node::ROOT, NO_ATTACHMENT),
                above => {
                    let above = above as usize;
                    (node(spines.head_tokens[above]), spines.places[above])
                }
            };
            let label = match self.labels {
                Labels::Convertible => self.table.convertible(spine, attachment, kinds),
                Labels::NonConvertible => self.table.highest(highest, kinds),
            };
            encoded.set(Node::from_index(token + 1), head, label);
        }
        encoded
    }
}

/// Returns the node of a token counted from 0.
fn node(token: u32) -> Node {
    Node(token + 1)
}

/// The spines of the tokens of a tree.
struct Spines {
    /// The head token of each nonterminal.
    head_tokens: Vec<u32>,
    /// The number of nonterminals below each nonterminal in its spine.
    places: Vec<u32>,
    /// The spine up to each nonterminal.
    beginnings: Vec<Spine>,
    /// The highest nonterminal of each token's spine, or `NONE`.
    tops: Vec<u32>,
}

impl Spines {
    fn new(tree: &PhraseTree, heads: &[Child], table: &mut LabelTable) -> Self {
        let n = tree.n_nonterminals();
        let mut found = Self {
            head_tokens: vec![0; n],
            places: vec![0; n],
            beginnings: vec![Spine::EMPTY; n],
            tops: vec![NONE; tree.n_tokens()],
        };
        // In preorder from the end, children come before their parents, and the top of a spine comes last.
        for (at, &head) in heads.iter().enumerate().rev() {
            let below = match head {
                Child::Token(token) => {
                    found.head_tokens[at] = token;
                    table.leaf(tree.leaf_kinds()[token as usize])
                }
                Child::Nonterminal(child) => {
                    let child = child as usize;
                    found.head_tokens[at] = found.head_tokens[child];
                    found.places[at] = found.places[child] + 1;
                    found.beginnings[child]
                }
            };
            found.beginnings[at] = table.extend(below, tree.kinds()[at]);
            found.tops[found.head_tokens[at] as usize] = u32::try_from(at).expect("numbers fit");
        }
        found
    }
}
