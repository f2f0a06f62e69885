//! Trees: heads and labels in two flat arrays, and a check of well-formedness.
//!
//! Node 0 is the artificial root; tokens are nodes 1 to n. A tree may be incomplete: a token without a head has
//! [`Node::NONE`] there. Properties such as projectivity are in [`shape`](crate::shape).

use std::fmt;

use crate::symbols::Label;

/// A node of a dependency tree: 0 is the artificial root, tokens count from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Node(pub u32);

impl Node {
    /// The artificial root.
    pub const ROOT: Self = Self(0);
    /// No node: the head of a token that has none, and the root's head. Larger than every node.
    pub const NONE: Self = Self(u32::MAX);

    /// Returns the node at an array index.
    ///
    /// # Panics
    /// If the index does not fit in 32 bits, which cannot happen in a sentence that was read.
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).expect("node indices fit in 32 bits"))
    }

    /// Returns the node as an array index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether this is [`Self::NONE`].
    pub const fn is_none(self) -> bool {
        self.0 == u32::MAX
    }

    /// Whether this is a node (root or token).
    pub const fn is_some(self) -> bool {
        self.0 != u32::MAX
    }

    /// Whether this is the artificial root.
    pub const fn is_root(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() { f.write_str("-") } else { write!(f, "{}", self.0) }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A labelled arc from `head` to `dependent`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Arc {
    /// The head.
    pub head: Node,
    /// The label.
    pub label: Label,
    /// The dependent.
    pub dependent: Node,
}

/// A dependency tree over n tokens, or a part of one: every token has at most one head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    /// Indexed by node; entry 0 is always `Node::NONE`.
    heads: Vec<Node>,
    /// Indexed by node; entry 0 is always `Label::NONE`.
    labels: Vec<Label>,
}

impl Default for Tree {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Tree {
    /// Creates a tree of `n_tokens` tokens without heads.
    pub fn new(n_tokens: usize) -> Self {
        Self { heads: vec![Node::NONE; n_tokens + 1], labels: vec![Label::NONE; n_tokens + 1] }
    }

    /// Creates an unlabelled tree from the heads of tokens 1, 2, …; for tests and examples.
    ///
    /// ```
    /// use quaich_treebank::tree::{Node, Tree};
    /// let tree = Tree::from_heads(&[2, 0, 2]);
    /// assert_eq!(tree.head(Node(3)), Node(2));
    /// ```
    pub fn from_heads(heads: &[u32]) -> Self {
        let mut tree = Self::new(heads.len());
        for (head, &given) in tree.heads[1..].iter_mut().zip(heads) {
            *head = Node(given);
        }
        tree
    }

    /// Removes all arcs and allocates space for `n_tokens` tokens, reusing memory.
    pub fn reset(&mut self, n_tokens: usize) {
        self.heads.clear();
        self.heads.resize(n_tokens + 1, Node::NONE);
        self.labels.clear();
        self.labels.resize(n_tokens + 1, Label::NONE);
    }

    /// Returns the number of tokens, without the root.
    pub fn n_tokens(&self) -> usize {
        self.heads.len() - 1
    }

    /// Iterates over the tokens 1 to n.
    pub fn tokens(&self) -> impl DoubleEndedIterator<Item = Node> + ExactSizeIterator + use<> {
        (1..self.heads.len()).map(Node::from_index)
    }

    /// Returns the head of a node; `Node::NONE` for the root and for a token without a head.
    pub fn head(&self, node: Node) -> Node {
        self.heads[node.index()]
    }

    /// Returns the label of the arc into a node; `Label::NONE` if there is none.
    pub fn label(&self, node: Node) -> Label {
        self.labels[node.index()]
    }

    /// Returns the heads by node; entry 0 is `Node::NONE`.
    pub fn heads(&self) -> &[Node] {
        &self.heads
    }

    /// Returns the labels by node; entry 0 is `Label::NONE`.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// Sets the head and label of a token, replacing the old ones.
    pub fn set(&mut self, dependent: Node, head: Node, label: Label) {
        debug_assert!(!dependent.is_root(), "the root has no head");
        self.heads[dependent.index()] = head;
        self.labels[dependent.index()] = label;
    }

    /// Iterates over the arcs in the order of their dependents; tokens without a head are skipped.
    pub fn arcs(&self) -> impl Iterator<Item = Arc> + '_ {
        self.tokens().filter(|&token| self.head(token).is_some()).map(|token| Arc {
            head: self.head(token),
            label: self.label(token),
            dependent: token,
        })
    }

    /// Returns all reasons why this is not a tree over all its tokens, in the order of the tokens: missing heads, heads
    /// that are not nodes, and cycles (each reported once, at its first token).
    pub fn problems(&self) -> Vec<TreeProblem> {
        let n = self.n_tokens();
        let mut problems = Vec::new();
        for token in self.tokens() {
            let head = self.head(token);
            if head.is_none() {
                problems.push(TreeProblem::NoHead { token });
            } else if head.index() > n {
                problems.push(TreeProblem::HeadOutOfRange { token, head });
            }
        }
        // Climb from every token; `mark` holds the token whose climb first visited a node.
        let mut mark = vec![Node::NONE; n + 1];
        for start in self.tokens() {
            let mut node = start;
            while !node.is_root() && node.is_some() && node.index() <= n && mark[node.index()].is_none() {
                mark[node.index()] = start;
                node = self.head(node);
            }
            if node.is_some() && !node.is_root() && node.index() <= n && mark[node.index()] == start {
                let mut cycle = vec![node];
                let mut next = self.head(node);
                while next != node {
                    cycle.push(next);
                    next = self.head(next);
                }
                let first = cycle.iter().enumerate().min_by_key(|&(_, &n)| n).map_or(0, |(i, _)| i);
                cycle.rotate_left(first);
                problems.push(TreeProblem::Cycle { tokens: cycle });
            }
        }
        problems.sort_by_key(TreeProblem::token);
        problems
    }

    /// Whether every token has a head and reaches the root. Linear, and without the descriptions of
    /// [`problems`](Self::problems).
    pub fn is_well_formed(&self) -> bool {
        let n = self.n_tokens();
        let mut seen_by = vec![0u32; n + 1];
        self.tokens().all(|start| {
            let mut node = start;
            while !node.is_root() {
                if node.is_none() || node.index() > n {
                    return false;
                }
                match seen_by[node.index()] {
                    0 => seen_by[node.index()] = start.0,
                    by => return by != start.0,
                }
                node = self.head(node);
            }
            true
        })
    }
}

/// A reason why heads do not form a tree.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreeProblem {
    /// A token without a head.
    #[error("token {token} has no head")]
    NoHead {
        /// The token.
        token: Node,
    },
    /// A head that is not a node of the sentence.
    #[error("token {token} has head {head}, which is not in the sentence")]
    HeadOutOfRange {
        /// The token.
        token: Node,
        /// Its head.
        head: Node,
    },
    /// Tokens whose heads form a cycle.
    #[error("tokens {} form a cycle", join(tokens))]
    Cycle {
        /// The tokens of the cycle, the smallest first, each followed by its head.
        tokens: Vec<Node>,
    },
}

impl TreeProblem {
    /// Returns the token at which the problem is reported.
    pub fn token(&self) -> Node {
        match self {
            Self::NoHead { token } | Self::HeadOutOfRange { token, .. } => *token,
            Self::Cycle { tokens } => tokens[0],
        }
    }
}

fn join(nodes: &[Node]) -> String {
    let nodes: Vec<String> = nodes.iter().chain(nodes.first()).map(ToString::to_string).collect();
    nodes.join(" → ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the problems of a tree, one per line; `-1` is a missing head.
    fn check(heads: &[i64], expected: &[&str]) {
        let heads: Vec<u32> = heads.iter().map(|&h| u32::try_from(h).unwrap_or(u32::MAX)).collect();
        let tree = Tree::from_heads(&heads);
        let found: Vec<String> = tree.problems().iter().map(ToString::to_string).collect();
        assert_eq!(found, expected);
        assert_eq!(tree.is_well_formed(), expected.is_empty());
    }

    #[test]
    fn trees_are_well_formed() {
        check(&[], &[]);
        check(&[0], &[]);
        check(&[2, 0, 2], &[]);
        check(&[0, 0, 0], &[]);
        check(&[3, 1, 4, 0], &[]);
    }

    #[test]
    fn every_problem_is_found_once() {
        check(&[1], &["tokens 1 → 1 form a cycle"]);
        check(&[-1, 0], &["token 1 has no head"]);
        check(&[0, 7], &["token 2 has head 7, which is not in the sentence"]);
        check(&[0, 3, 4, 2, 2], &["tokens 2 → 3 → 4 → 2 form a cycle"]);
        check(
            &[2, 1, 4, 3, -1],
            &["tokens 1 → 2 → 1 form a cycle", "tokens 3 → 4 → 3 form a cycle", "token 5 has no head"],
        );
    }
}
