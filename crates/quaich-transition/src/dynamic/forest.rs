//! A graph in which every node has at most one pointer, and pointers are added and removed: connectivity and cycles.
//!
//! Trees are link-cut trees (Sleator and Tarjan 1985): each is split into paths, and each path is a splay tree ordered
//! by depth. If the top of a tree points into its own tree, that pointer closes a cycle and is stored separately. All
//! operations take amortised logarithmic time.

use quaich_treebank::tree::Node;

/// The graph. Nodes are numbered from 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Forest {
    places: Vec<Place>,
    /// For the top of a tree: the node of its own tree that it points to.
    closing: Vec<Node>,
    n_cycles: usize,
    marks: Vec<Node>,
}

/// A node's position in the splay tree of its path.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The parent in the splay tree; for the root, the node to which the top of the path points.
    above: Node,
    /// The subtree nearer to the top of the tree.
    left: Node,
    /// The subtree farther from it.
    right: Node,
}

impl Forest {
    /// Resets the graph to these pointers, `Node::NONE` for none. Linear.
    pub(super) fn plant(&mut self, pointers: impl Iterator<Item = Node>) {
        self.places.clear();
        self.places.extend(pointers.map(|above| Place { above, left: Node::NONE, right: Node::NONE }));
        self.n_cycles = 0;
        self.closing.clear();
        self.closing.resize(self.places.len(), Node::NONE);
        // Creates one path per node, unless a pointer closes a cycle: then the walk meets its own mark.
        self.marks.clear();
        self.marks.resize(self.places.len(), Node::NONE);
        for start in (0..self.places.len()).map(Node::from_index) {
            let mut node = start;
            while node.is_some() && self.marks[node.index()].is_none() {
                self.marks[node.index()] = start;
                node = self.places[node.index()].above;
            }
            if node.is_some() && self.marks[node.index()] == start {
                self.close(node, self.places[node.index()].above);
                self.places[node.index()].above = Node::NONE;
            }
        }
    }

    /// Sets the pointer of a node that has none.
    pub(super) fn point(&mut self, node: Node, to: Node) {
        if self.top(to) == node {
            self.close(node, to);
        } else {
            self.link(node, to);
        }
    }

    /// Removes the pointer of a node that has one.
    pub(super) fn cut(&mut self, node: Node) {
        if self.closing[node.index()].is_some() {
            self.open(node);
            return;
        }
        let broken = self.cycle_through(node);
        self.access(node);
        let upper = std::mem::replace(&mut self.place(node).left, Node::NONE);
        self.place(upper).above = Node::NONE;
        if let Some(top) = broken {
            let to = self.open(top);
            self.link(top, to);
        }
    }

    /// Whether two nodes are connected.
    pub(super) fn joins(&mut self, a: Node, b: Node) -> bool {
        self.top(a) == self.top(b)
    }

    /// Whether a node is on a cycle.
    pub(super) fn is_on_cycle(&mut self, node: Node) -> bool {
        self.cycle_through(node).is_some()
    }

    /// Returns the top of a node's tree if it closes a cycle through the node.
    fn cycle_through(&mut self, node: Node) -> Option<Node> {
        if self.n_cycles == 0 {
            return None;
        }
        let top = self.top(node);
        let to = self.closing[top.index()];
        if to.is_none() {
            return None;
        }
        // The node is on the path from there to the top if that is where their paths to the top meet.
        self.access(to);
        (self.access(node) == node).then_some(top)
    }

    fn close(&mut self, top: Node, to: Node) {
        self.closing[top.index()] = to;
        self.n_cycles += 1;
    }

    fn open(&mut self, top: Node) -> Node {
        self.n_cycles -= 1;
        std::mem::replace(&mut self.closing[top.index()], Node::NONE)
    }

    /// Links the top of a tree to a node of another tree.
    fn link(&mut self, top: Node, under: Node) {
        self.access(top);
        self.place(top).above = under;
    }

    /// Returns the top of a node's tree.
    fn top(&mut self, node: Node) -> Node {
        self.access(node);
        let mut top = node;
        while self.place(top).left.is_some() {
            top = self.place(top).left;
        }
        self.splay(top); // pays for the walk
        top
    }

    /// Makes the path from a node to the top of its tree one splay tree with the node as root. Returns the node where
    /// that path met the one accessed before.
    fn access(&mut self, node: Node) -> Node {
        self.splay(node);
        self.place(node).right = Node::NONE;
        let mut met = node;
        while self.place(node).above.is_some() {
            met = self.place(node).above;
            self.splay(met);
            self.place(met).right = node;
            self.splay(node);
        }
        met
    }

    fn splay(&mut self, node: Node) {
        while let Some(parent) = self.parent(node) {
            if let Some(grandparent) = self.parent(parent) {
                let straight = (self.place(grandparent).left == parent) == (self.place(parent).left == node);
                self.rotate(if straight { parent } else { node });
            }
            self.rotate(node);
        }
    }

    /// Rotates a node above its parent in their splay tree.
    fn rotate(&mut self, node: Node) {
        let parent = self.place(node).above;
        let above = self.place(parent).above;
        if self.parent(parent).is_some() {
            let grandparent = self.place(above);
            if grandparent.left == parent {
                grandparent.left = node;
            } else {
                grandparent.right = node;
            }
        }
        let between;
        if self.place(parent).left == node {
            between = std::mem::replace(&mut self.place(node).right, parent);
            self.place(parent).left = between;
        } else {
            between = std::mem::replace(&mut self.place(node).left, parent);
            self.place(parent).right = between;
        }
        if between.is_some() {
            self.place(between).above = parent;
        }
        self.place(parent).above = node;
        self.place(node).above = above;
    }

    /// Returns the parent in the splay tree.
    fn parent(&self, node: Node) -> Option<Node> {
        let above = self.places[node.index()].above;
        let place = self.places.get(above.index())?;
        (place.left == node || place.right == node).then_some(above)
    }

    fn place(&mut self, node: Node) -> &mut Place {
        &mut self.places[node.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guide::RandomGuide;

    /// Follows pointers one by one.
    fn way(pointers: &[Node], node: Node) -> Vec<Node> {
        let mut way = vec![node];
        while let Some(&last) = way.last()
            && way.len() <= pointers.len()
            && pointers[last.index()].is_some()
        {
            way.push(pointers[last.index()]);
        }
        way
    }

    fn check(forest: &mut Forest, pointers: &[Node]) {
        let nodes = || (0..pointers.len()).map(Node::from_index);
        for a in nodes() {
            let way_of_a = way(pointers, a);
            assert_eq!(forest.is_on_cycle(a), way_of_a[1..].contains(&a), "{a} in {pointers:?}");
            for b in nodes() {
                let meet = way(pointers, b).iter().any(|node| way_of_a.contains(node));
                assert_eq!(forest.joins(a, b), meet, "{a} and {b} in {pointers:?}");
            }
        }
    }

    #[test]
    fn pointers_come_and_go() {
        let mut chance = RandomGuide::new(7, 0);
        let mut forest = Forest::default();
        for n_nodes in 1..=9 {
            let any = |chance: &mut RandomGuide| Node(chance.below(n_nodes));
            let mut pointers: Vec<Node> = (0..n_nodes).map(|_| any(&mut chance)).collect();
            forest.plant(pointers.iter().copied());
            check(&mut forest, &pointers);
            for _ in 0..200 {
                let node = any(&mut chance);
                if pointers[node.index()].is_some() {
                    forest.cut(node);
                    pointers[node.index()] = Node::NONE;
                } else {
                    pointers[node.index()] = any(&mut chance);
                    forest.point(node, pointers[node.index()]);
                }
                check(&mut forest, &pointers);
            }
        }
    }
}
