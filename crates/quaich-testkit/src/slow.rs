//! Reference implementations of the measures of shape, directly from their definitions and slow. Arcs are identified by
//! their dependents. Trees must be well-formed.

use quaich_treebank::shape::{Lifting, LiftingOrder};
use quaich_treebank::symbols::Label;
use quaich_treebank::tree::{Node, Tree};

/// Whether `above` →* `below`.
pub fn dominates(tree: &Tree, above: Node, below: Node) -> bool {
    let mut node = below;
    while node != above {
        if node.is_root() {
            return false;
        }
        node = tree.head(node);
    }
    true
}

/// Returns the projection of a node: the tokens it dominates, in order.
pub fn projection(tree: &Tree, node: Node) -> Vec<Node> {
    tree.tokens().filter(|&token| dominates(tree, node, token)).collect()
}

/// Whether h →* k for every k strictly between h and d.
pub fn is_projective_arc(tree: &Tree, arc: Node) -> bool {
    let (low, high) = ends(tree, arc);
    (low.0 + 1..high.0).map(Node).all(|between| dominates(tree, tree.head(arc), between))
}

/// Returns the arcs that are not projective.
pub fn nonprojective_arcs(tree: &Tree) -> Vec<Node> {
    tree.tokens().filter(|&arc| !is_projective_arc(tree, arc)).collect()
}

/// Whether two arcs cross.
pub fn cross(tree: &Tree, arc: Node, other: Node) -> bool {
    let ((low1, high1), (low2, high2)) = (ends(tree, arc), ends(tree, other));
    (low1 < low2 && low2 < high1 && high1 < high2) || (low2 < low1 && low1 < high2 && high2 < high1)
}

/// Returns all pairs of crossing arcs, the one with the smaller left end first.
pub fn crossings(tree: &Tree, with_root_arcs: bool) -> Vec<(Node, Node)> {
    let arcs = counted_arcs(tree, with_root_arcs);
    let mut found = Vec::new();
    for &arc in &arcs {
        for &other in &arcs {
            if cross(tree, arc, other) && ends(tree, arc).0 < ends(tree, other).0 {
                found.push((arc, other));
            }
        }
    }
    found
}

/// Whether the arcs can be coloured with m colours such that no two arcs of a colour cross: tries all colourings.
pub fn is_m_planar(tree: &Tree, m: usize, with_root_arcs: bool) -> bool {
    fn colour(tree: &Tree, m: usize, arcs: &[Node], colours: &mut Vec<usize>) -> bool {
        let Some(&arc) = arcs.get(colours.len()) else { return true };
        for chosen in 0..m {
            let clash = arcs.iter().zip(&*colours).any(|(&other, &c)| c == chosen && cross(tree, arc, other));
            if !clash {
                colours.push(chosen);
                if colour(tree, m, arcs, colours) {
                    return true;
                }
                colours.pop();
            }
        }
        false
    }
    let mut arcs = counted_arcs(tree, with_root_arcs);
    // Arcs without crossings can have any colour.
    let all = arcs.clone();
    arcs.retain(|&arc| all.iter().any(|&other| cross(tree, arc, other)));
    colour(tree, m, &arcs, &mut Vec::new())
}

/// Returns the smallest m, from 1, for which the tree is m-planar.
pub fn plane_count(tree: &Tree, with_root_arcs: bool) -> usize {
    // One plane per arc is always enough.
    (1..=tree.n_tokens()).find(|&m| is_m_planar(tree, m, with_root_arcs)).unwrap_or(1)
}

/// Returns the number of gaps in a node's projection.
pub fn gap_degree(tree: &Tree, node: Node) -> u32 {
    let projection = projection(tree, node);
    let gaps = projection.windows(2).filter(|pair| pair[1].0 > pair[0].0 + 1).count();
    Node::from_index(gaps).0
}

/// Whether no two disjoint subtrees interleave.
pub fn is_well_nested(tree: &Tree) -> bool {
    !tree.tokens().any(|one| {
        tree.tokens().any(|other| {
            let disjoint = !dominates(tree, one, other) && !dominates(tree, other, one);
            disjoint && interleave(&projection(tree, one), &projection(tree, other))
        })
    })
}

/// Returns the nodes in projective order, by recursion.
pub fn projective_order(tree: &Tree) -> Vec<Node> {
    fn visit(tree: &Tree, node: Node, order: &mut Vec<Node>) {
        for child in tree.tokens().filter(|&child| tree.head(child) == node && child < node) {
            visit(tree, child, order);
        }
        order.push(node);
        for child in tree.tokens().filter(|&child| tree.head(child) == node && child > node) {
            visit(tree, child, order);
        }
    }
    let mut order = Vec::new();
    visit(tree, Node::ROOT, &mut order);
    order
}

/// Returns the projectivised tree and the number of lifts of each token's arc, indexed by node.
pub fn projectivize(tree: &Tree) -> (Tree, Vec<u32>) {
    projectivize_by(tree, Lifting::default())
}

/// Like [`projectivize`], with other options.
pub fn projectivize_by(tree: &Tree, lifting: Lifting<'_>) -> (Tree, Vec<u32>) {
    let mut tree = tree.clone();
    let mut lifts = vec![0; tree.n_tokens() + 1];
    let mut ignored = Vec::new();
    loop {
        let key = |arc: Node| match lifting.order {
            LiftingOrder::Shortest => u64::from(tree.head(arc).0.abs_diff(arc.0)),
            LiftingOrder::ShortestIn(heads) => u64::from(heads[arc.index()].0.abs_diff(arc.0)),
            LiftingOrder::Deepest => {
                u64::MAX - tree.tokens().filter(|&above| dominates(&tree, above, arc)).count() as u64
            }
        };
        // The first minimum.
        let arcs = nonprojective_arcs(&tree);
        let Some(&arc) = arcs.iter().min_by_key(|&&arc| key(arc)) else { break };
        if lifting.ignore_covered_roots {
            let (first, last) = ends(&tree, arc);
            let inside = |root: Node| {
                tree.tokens()
                    .filter(|&token| dominates(&tree, root, token))
                    .all(|token| first < token && token < last)
            };
            let is_root = |root: &Node| tree.head(*root).is_root() && lifts[root.index()] == 0;
            let roots: Vec<Node> = tree.tokens().filter(is_root).filter(|&root| inside(root)).collect();
            for root in roots {
                tree.set(root, tree.head(arc), Label::NONE);
                ignored.push(root);
            }
            if !nonprojective_arcs(&tree).contains(&arc) {
                continue;
            }
        }
        tree.set(arc, tree.head(tree.head(arc)), Label::NONE);
        lifts[arc.index()] += 1;
    }
    for root in ignored {
        tree.set(root, Node::ROOT, Label::NONE);
    }
    (tree, lifts)
}

fn ends(tree: &Tree, arc: Node) -> (Node, Node) {
    let head = tree.head(arc);
    (head.min(arc), head.max(arc))
}

fn counted_arcs(tree: &Tree, with_root_arcs: bool) -> Vec<Node> {
    tree.tokens().filter(|&arc| with_root_arcs || !tree.head(arc).is_root()).collect()
}

/// Whether i₁ < j₁ < i₂ < j₂ for some i's of one list and some j's of the other.
fn interleave(is: &[Node], js: &[Node]) -> bool {
    is.iter().any(|i1| {
        js.iter()
            .filter(|&j1| i1 < j1)
            .any(|j1| is.iter().filter(|&i2| j1 < i2).any(|i2| js.iter().any(|j2| i2 < j2)))
    })
}
