//! From an undirected graph to a tree (Gómez-Rodríguez and Fernández-González 2012): the minimum branching from 0 over
//! both orientations of the edges and an arc from 0 to every token.
//!
//! The edges form a forest, and arcs from 0 cost more than reversing edges can save, so the minimum branching has one
//! root per component and directs its edges away from it. It remains to choose the root whose component then has the
//! fewest edges against their annotation, in linear time.

use quaich_treebank::symbols::Label;
use quaich_treebank::tree::Node;

use super::{Labelling, Options, unmark};
use crate::configuration::{Configuration, RootPosition};

/// The costs of arcs of the branching.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reconstruction {
    /// 1 for either orientation of an edge, 2 for other arcs from 0. Labels have no direction.
    Naive,
    /// 1 for an orientation that agrees with the label's direction, 2 for one that does not, 2n for
    /// arcs from 0 that are not edges.
    LabelA,
    /// Like A, but 2n for every arc from 0. Better according to the paper.
    #[default]
    LabelB,
}

impl Reconstruction {
    /// Returns the labelling of edges that this needs.
    pub fn labelling(self) -> Labelling {
        match self {
            Self::Naive => Labelling::Plain,
            Self::LabelA | Self::LabelB => Labelling::Directed,
        }
    }

    /// Returns the cost of an arc of the branching: `edge` is the label of its edge, if any.
    pub fn cost(
        self,
        head: Node,
        dependent: Node,
        edge: Option<Label>,
        n_tokens: usize,
        root: RootPosition,
    ) -> usize {
        let from_root = 2 * n_tokens;
        match (self, edge) {
            (Self::Naive, Some(_)) => 1,
            (Self::Naive, None) => 2,
            (Self::LabelA | Self::LabelB, None) => from_root,
            (Self::LabelB, Some(_)) if head.is_root() => from_root,
            (Self::LabelA | Self::LabelB, Some(label)) => {
                let rightwards = if head.is_root() { root != RootPosition::End } else { head < dependent };
                1 + usize::from(unmark(label).1 != rightwards)
            }
        }
    }
}

/// An edge seen from one of its ends.
#[derive(Clone, Copy)]
struct Link {
    other: Node,
    label: Label,
}

/// Turns the edges of a terminal configuration into arcs and attaches a root of every component to 0.
pub(super) fn reconstruct(c: &mut Configuration, options: Options) {
    let how = options.reconstruction;
    let n_tokens = c.n_tokens();
    // Links of node x: links[starts[x]..starts[x + 1]].
    let mut starts = vec![0u32; n_tokens + 3];
    for edge in c.edges() {
        starts[edge.left.index() + 2] += 1;
        starts[edge.right.index() + 2] += 1;
    }
    for index in 2..starts.len() {
        starts[index] += starts[index - 1];
    }
    let mut links = vec![Link { other: Node::NONE, label: Label::NONE }; 2 * c.edges().len()];
    for edge in c.edges() {
        for (end, other) in [(edge.left, edge.right), (edge.right, edge.left)] {
            let slot = &mut starts[end.index() + 1];
            links[*slot as usize] = Link { other, label: edge.label };
            *slot += 1;
        }
    }
    let links_of = |node: Node| &links[starts[node.index()] as usize..starts[node.index() + 1] as usize];

    let mut edge_to_root = vec![None; n_tokens + 1];
    for link in links_of(Node::ROOT) {
        edge_to_root[link.other.index()] = Some(link.label);
    }
    let cost = |head: Node, dependent: Node, label: Label| {
        i64::try_from(how.cost(head, dependent, Some(label), n_tokens, c.root())).unwrap_or(i64::MAX)
    };
    // The parts that only node 0 connects, each traversed from its first token: `walk` lists heads before dependents,
    // `against` is the additional cost of a part, compared with its first token as root, if another token is.
    let mut parent = vec![Link { other: Node::NONE, label: Label::NONE }; n_tokens + 1];
    let mut against = vec![0i64; n_tokens + 1];
    let mut seen = vec![false; n_tokens + 1];
    let mut walk: Vec<Node> = Vec::with_capacity(n_tokens);
    let mut roots: Vec<(Node, Option<Label>)> = Vec::new();
    for first in (1..=n_tokens).map(Node::from_index) {
        if seen[first.index()] {
            continue;
        }
        let start = walk.len();
        seen[first.index()] = true;
        walk.push(first);
        let mut at = start;
        while at < walk.len() {
            let node = walk[at];
            at += 1;
            for link in links_of(node) {
                if link.other.is_root() || seen[link.other.index()] {
                    continue;
                }
                seen[link.other.index()] = true;
                parent[link.other.index()] = Link { other: node, label: link.label };
                against[link.other.index()] = against[node.index()] + cost(link.other, node, link.label)
                    - cost(node, link.other, link.label);
                walk.push(link.other);
            }
        }
        // The cheapest root; in a tie one that the parser linked with 0, then the first.
        let root = walk[start..].iter().copied().min_by_key(|node| {
            let edge = edge_to_root[node.index()];
            let arc = how.cost(Node::ROOT, *node, edge, n_tokens, c.root());
            (
                i64::try_from(arc).unwrap_or(i64::MAX).saturating_add(against[node.index()]),
                edge.is_none(),
                *node,
            )
        });
        if let Some(root) = root {
            roots.push((root, edge_to_root[root.index()]));
        }
    }
    let plain = |label: Label| how.labelling().plain(label);
    let mut heads = vec![Link { other: Node::NONE, label: Label::NONE }; n_tokens + 1];
    for &node in &walk {
        let Link { other, label } = parent[node.index()];
        heads[node.index()] = Link { other, label: plain(label) };
    }
    for (place, &(root, edge)) in roots.iter().enumerate() {
        // Reverse the path from the first token of the part down to its root.
        let (mut node, mut link) = (root, parent[root.index()]);
        while link.other.is_some() {
            let next = parent[link.other.index()];
            heads[link.other.index()] = Link { other: node, label: plain(link.label) };
            (node, link) = (link.other, next);
        }
        // For a single root, the first part's root becomes the head of the others.
        let head = if options.single_root && place > 0 { roots[0].0 } else { Node::ROOT };
        let label = edge.map_or(options.root_label, plain);
        heads[root.index()] = Link { other: head, label };
    }
    c.forget_edges();
    for node in (1..=n_tokens).map(Node::from_index) {
        let link = heads[node.index()];
        c.attach(link.other, link.label, node);
    }
}
