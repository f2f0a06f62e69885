//! Connected components by union-find, for systems that must not build cycles.

use quaich_treebank::tree::Node;

use super::Configuration;

/// The nodes joined by undirected paths. Empty unless a system needs it.
#[derive(Clone, Debug, Default)]
pub(super) struct Components {
    parents: Vec<u32>,
    sizes: Vec<u32>,
}

impl Components {
    /// Starts with every node in its own component.
    fn start(&mut self, n_nodes: usize) {
        self.clear();
        self.parents.extend((0u32..).take(n_nodes));
        self.sizes.resize(n_nodes, 1);
    }

    pub(super) fn clear(&mut self) {
        self.parents.clear();
        self.sizes.clear();
    }

    /// Joins the components of two nodes, if components are tracked.
    #[inline]
    pub(super) fn join(&mut self, a: Node, b: Node) {
        if self.parents.is_empty() {
            return;
        }
        let (a, b) = (self.representative(a.0), self.representative(b.0));
        if a == b {
            return;
        }
        let (small, large) = if self.sizes[a as usize] < self.sizes[b as usize] { (a, b) } else { (b, a) };
        self.parents[small as usize] = large;
        self.sizes[large as usize] += self.sizes[small as usize];
    }

    /// Union by size keeps this path logarithmic, in practice two or three steps long.
    #[inline]
    fn representative(&self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            node = self.parents[node as usize];
        }
        node
    }
}

impl Configuration {
    /// Starts tracking connected components; called before the first arc.
    pub fn track_components(&mut self) {
        self.components.start(self.n_tokens + 1);
    }

    /// Whether components are tracked, as [`connected`](Self::connected) requires.
    #[inline]
    pub fn tracks_components(&self) -> bool {
        !self.components.parents.is_empty()
    }

    /// Whether an undirected path joins two nodes. Requires [`track_components`](Self::track_components).
    #[inline]
    pub fn connected(&self, a: Node, b: Node) -> bool {
        self.components.representative(a.0) == self.components.representative(b.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_is_transitive() {
        let mut components = Components::default();
        components.join(Node(0), Node(1)); // nothing is kept yet
        components.start(5);
        for (a, b) in [(0, 1), (2, 3), (3, 1), (0, 2)] {
            components.join(Node(a), Node(b));
        }
        let names: Vec<u32> = (0..5).map(|node| components.representative(node)).collect();
        assert!(names[..4].iter().all(|name| *name == names[0]) && names[4] == 4);
    }
}
