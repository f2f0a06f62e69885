//! Covered roots: tokens under 0 below an arc between two others, which makes that arc non-projective. MaltParser can hang them on an end of
//! that arc before it lifts anything, so that they are no reason to lift it.

use quaich_treebank::Node;
use quaich_treebank::shape::Skeleton;

/// What is done about covered roots.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CoveredRoots {
    /// Nothing: arcs over them are lifted.
    #[default]
    None,
    /// Arcs over them are not lifted for them.
    Ignore,
    /// They are hung on the left end of an arc over them.
    Left,
    /// They are hung on the right end of an arc over them.
    Right,
    /// They are hung on the head of an arc over them.
    Head,
}

impl CoveredRoots {
    /// Whether they are hung elsewhere and marked.
    pub const fn are_moved(self) -> bool {
        matches!(self, Self::Left | Self::Right | Self::Head)
    }
}

/// A root with the first and the last token of its subtree.
#[derive(Clone, Copy, Debug)]
struct Root {
    node: Node,
    first: Node,
    last: Node,
}

/// The buffers, and what was found.
#[derive(Clone, Default, Debug)]
pub(crate) struct Covering {
    roots: Vec<Root>,
    /// By root, one from which on the next is found that hangs on no token yet; itself if it does not.
    next: Vec<usize>,
    /// The heads by node, covered roots hung on tokens.
    pub(super) heads: Vec<Node>,
    /// The roots that were hung on tokens, by node.
    pub(super) covered: Vec<bool>,
}

impl Covering {
    /// Hangs every root with its whole subtree below an arc on an end of the first such arc, in the order of dependents. MaltParser's
    /// guide promises the shortest such arc; the program takes the first.
    pub(super) fn fill(&mut self, skeleton: &Skeleton, choice: CoveredRoots) {
        self.heads.clear();
        self.heads.extend_from_slice(skeleton.heads());
        self.covered.clear();
        self.covered.resize(self.heads.len(), false);
        self.roots.clear();
        if !choice.are_moved() {
            return;
        }
        // What is hung on a token lies within the stretch of its root already, so these never change.
        self.roots.extend(skeleton.children(Node::ROOT).iter().map(|&node| {
            let subtree = skeleton.subtree(node).iter().copied();
            let (first, last) = (subtree.clone().min(), subtree.max());
            Root { node, first: first.unwrap_or(node), last: last.unwrap_or(node) }
        }));
        if self.roots.len() < 2 {
            return;
        }
        self.next.clear();
        self.next.extend(0..=self.roots.len());
        for token in skeleton.tokens() {
            let head = self.heads[token.index()];
            if head.is_root() {
                continue;
            }
            let (left, right) = (head.min(token), head.max(token));
            let mut place = self.uncovered(self.roots.partition_point(|root| root.node <= left));
            while let Some(&root) = self.roots.get(place).filter(|root| root.node < right) {
                if root.first > left && root.last < right {
                    self.next[place] = place + 1;
                    self.covered[root.node.index()] = true;
                    self.heads[root.node.index()] = match choice {
                        CoveredRoots::Left => left,
                        CoveredRoots::Right => right,
                        CoveredRoots::Head | CoveredRoots::None | CoveredRoots::Ignore => head,
                    };
                }
                place = self.uncovered(place + 1);
            }
        }
    }

    /// The first root from this one on that hangs on no token yet; past the last if there is none.
    fn uncovered(&mut self, from: usize) -> usize {
        let mut place = from;
        while self.next[place] != place {
            place = self.next[place];
        }
        let mut before = from;
        while before != place {
            before = std::mem::replace(&mut self.next[before], place);
        }
        place
    }
}
