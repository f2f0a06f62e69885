//! Covered roots: tokens under 0 below an arc between two others, which makes that arc non-projective. MaltParser can
//! attach them to an end of that arc before lifting, so that they do not cause a lift.

use quaich_treebank::Node;
use quaich_treebank::shape::Skeleton;

/// The handling of covered roots.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CoveredRoots {
    /// Not handled: arcs over them are lifted.
    #[default]
    None,
    /// Arcs over them are not lifted because of them.
    Ignore,
    /// Attached to the left end of an arc over them.
    Left,
    /// Attached to the right end of an arc over them.
    Right,
    /// Attached to the head of an arc over them.
    Head,
}

impl CoveredRoots {
    /// Whether they are reattached and marked.
    pub const fn are_moved(self) -> bool {
        matches!(self, Self::Left | Self::Right | Self::Head)
    }
}

/// A root with the first and last token of its subtree.
#[derive(Clone, Copy, Debug)]
struct Root {
    node: Node,
    first: Node,
    last: Node,
}

/// The buffers and results.
#[derive(Clone, Default, Debug)]
pub(crate) struct Covering {
    roots: Vec<Root>,
    /// For each root, a root from which the search for the next unattached one starts; itself if unattached.
    next: Vec<usize>,
    /// The heads by node, with covered roots attached to tokens.
    pub(super) heads: Vec<Node>,
    /// Whether each node is a root that was attached to a token.
    pub(super) covered: Vec<bool>,
}

impl Covering {
    /// Attaches every root whose whole subtree lies below an arc to an end of the first such arc, in the order of
    /// dependents. MaltParser's guide promises the shortest such arc; the program takes the first.
    pub(super) fn fill(&mut self, skeleton: &Skeleton, choice: CoveredRoots) {
        self.heads.clear();
        self.heads.extend_from_slice(skeleton.heads());
        self.covered.clear();
        self.covered.resize(self.heads.len(), false);
        self.roots.clear();
        if !choice.are_moved() {
            return;
        }
        // An attached root's subtree lies within the span of the new root, so spans never change.
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

    /// Returns the first unattached root from this one on; past the last if there is none.
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
