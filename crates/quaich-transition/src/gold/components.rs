//! Maximal projective components (Nivre, Kuhlmann and Hall 2009): the parts of a tree that the stack-projective oracle
//! builds without swapping. The lazy swap oracle delays SWAP until the current component is complete.

use quaich_treebank::tree::Node;

use super::Gold;
use crate::configuration::RootPosition;

impl Gold {
    /// Computes the maximal projective components; a component is identified by its topmost node.
    pub fn compute_components(&mut self) {
        let n_nodes = self.heads.len();
        let mut missing: Vec<u32> =
            (0..n_nodes).map(|index| self.n_children(Node::from_index(index))).collect();
        let mut attached = vec![false; n_nodes];
        let mut stack: Vec<Node> = Vec::with_capacity(n_nodes);
        let root_first = (self.root == RootPosition::Stack).then_some(Node::ROOT);
        let root_last = (self.root == RootPosition::End).then_some(Node::ROOT);
        stack.extend(root_first);
        for next in (1..n_nodes).map(Node::from_index).chain(root_last) {
            stack.push(next);
            while let [.., under, top] = stack[..] {
                let dependent = if self.has_arc(top, under) && missing[under.index()] == 0 {
                    stack.pop();
                    stack.pop();
                    stack.push(top);
                    under
                } else if self.has_arc(under, top) && missing[top.index()] == 0 {
                    stack.pop();
                    top
                } else {
                    break;
                };
                attached[dependent.index()] = true;
                missing[self.head(dependent).index()] -= 1;
            }
        }
        // Component ids are passed from heads to dependents: climb to a node with an id or without a head, then come
        // back.
        self.component.clear();
        self.component.resize(n_nodes, Node::NONE);
        let mut path = stack;
        for index in 0..n_nodes {
            path.clear();
            let mut node = Node::from_index(index);
            while self.component[node.index()].is_none() && attached[node.index()] {
                path.push(node);
                node = self.head(node);
            }
            if self.component[node.index()].is_none() {
                self.component[node.index()] = node;
            }
            let name = self.component[node.index()];
            for node in &path {
                self.component[node.index()] = name;
            }
        }
    }

    /// Returns the topmost node of a node's maximal projective component.
    #[inline]
    pub fn component(&self, node: Node) -> Node {
        self.component[node.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quaich_treebank::tree::Tree;

    fn components(heads: &[u32]) -> Vec<u32> {
        let mut gold = Gold::new();
        gold.read(&Tree::from_heads(heads), RootPosition::Stack);
        gold.compute_components();
        (0..=heads.len()).map(|index| gold.component(Node::from_index(index)).0).collect()
    }

    #[test]
    fn components_of_the_worked_example() {
        // A hearing | is | scheduled | on the issue | today | .
        assert_eq!(components(&[2, 3, 0, 3, 2, 7, 5, 4, 3]), [0, 2, 2, 3, 4, 5, 5, 5, 8, 9]);
    }

    #[test]
    fn a_projective_tree_is_one_component() {
        assert_eq!(components(&[2, 0, 2]), [0, 0, 0, 0]);
    }
}
