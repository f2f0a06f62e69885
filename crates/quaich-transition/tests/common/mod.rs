//! All small trees, slow definitions of their classes, and the configuration space of a system.
#![allow(dead_code, reason = "each test program uses a part")]

use std::collections::HashMap;
use std::path::PathBuf;

use quaich_testkit::trees::for_each_tree;
use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_transition::gold::Gold;
use quaich_transition::systems::{Options, System};
use quaich_transition::transition::{Kind, KindSet, Transition};
use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::tree::{Node, Tree};

pub(crate) const POSITIONS: [RootPosition; 3] = RootPosition::ALL;

/// Returns all trees of `n` tokens; token x has label x.
pub(crate) fn all_trees(n: usize) -> Vec<Tree> {
    let mut trees = Vec::new();
    for_each_tree(u32::try_from(n).unwrap(), |tree| {
        trees.push(labelled(&tree.heads()[1..].iter().map(|head| head.0).collect::<Vec<_>>()));
    });
    trees
}

/// Returns a tree from heads; token x has label x; heads of `u32::MAX` are unknown.
pub(crate) fn labelled(heads: &[u32]) -> Tree {
    let mut tree = Tree::new(heads.len());
    for (token, &head) in (1u32..).zip(heads) {
        tree.set(Node(token), Node(head), Label(token));
    }
    tree
}

/// Returns the folder with the output of `MaltParser` 1.9.2.
pub(crate) fn malt_vectors() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/malt-vectors")
}

/// Returns the 400 random trees that `MaltParser` was given.
pub(crate) fn malt_trees(labels: &mut Symbols<Label>) -> Vec<Tree> {
    let text = std::fs::read_to_string(malt_vectors().join("trees.conll")).unwrap();
    text.split("\n\n")
        .filter(|block| !block.trim().is_empty())
        .map(|block| {
            let rows: Vec<Vec<&str>> = block.lines().map(|line| line.split('\t').collect()).collect();
            let mut tree = Tree::new(rows.len());
            for (token, row) in (1u32..).zip(&rows) {
                tree.set(Node(token), Node(row[6].parse().unwrap()), labels.intern(row[7]));
            }
            tree
        })
        .collect()
}

pub(crate) fn n_roots(tree: &Tree) -> usize {
    tree.tokens().filter(|&token| tree.head(token).is_root()).count()
}

/// Returns arcs as (smaller, larger) positions; node 0 where `root` puts it, without its arcs for `None`.
pub(crate) fn spans(tree: &Tree, root: RootPosition) -> Vec<(u32, u32)> {
    let end = u32::try_from(tree.n_tokens() + 1).unwrap();
    let place = |node: Node| if node.is_root() && root == RootPosition::End { end } else { node.0 };
    tree.arcs()
        .filter(|arc| root != RootPosition::None || !arc.head.is_root())
        .map(|arc| (place(arc.head).min(place(arc.dependent)), place(arc.head).max(place(arc.dependent))))
        .collect()
}

pub(crate) fn cross(a: (u32, u32), b: (u32, u32)) -> bool {
    (a.0 < b.0 && b.0 < a.1 && a.1 < b.1) || (b.0 < a.0 && a.0 < b.1 && b.1 < a.1)
}

/// No two arcs cross.
pub(crate) fn is_planar(tree: &Tree, root: RootPosition) -> bool {
    let spans = spans(tree, root);
    spans.iter().all(|&a| spans.iter().all(|&b| !cross(a, b)))
}

/// No two arcs cross and no root is covered: the same for node 0 at either end and nowhere.
pub(crate) fn is_projective(tree: &Tree) -> bool {
    is_planar(tree, RootPosition::Stack)
}

/// The arcs fit into two planes: brute force over all distributions.
pub(crate) fn is_two_planar(tree: &Tree, root: RootPosition) -> bool {
    let spans = spans(tree, root);
    (0u32..1 << spans.len()).any(|share| {
        (0..spans.len())
            .all(|a| (0..a).all(|b| share >> a & 1 != share >> b & 1 || !cross(spans[a], spans[b])))
    })
}

/// All configurations that a system can reach on sentences of one length, with their successors.
pub(crate) struct Space {
    pub(crate) configurations: Vec<Configuration>,
    pub(crate) next: Vec<Vec<(Kind, usize)>>,
}

impl Space {
    pub(crate) fn new(system: &dyn System, n_tokens: usize) -> Self {
        let mut start = Configuration::new();
        system.start(&mut start, n_tokens);
        let mut space = Self { configurations: Vec::new(), next: Vec::new() };
        let mut seen = HashMap::new();
        space.visit(system, &start, &mut seen);
        space
    }

    /// Depth first, so that successors have lower numbers.
    fn visit(
        &mut self,
        system: &dyn System,
        c: &Configuration,
        seen: &mut HashMap<Vec<u32>, usize>,
    ) -> usize {
        let key = key(c);
        if let Some(&id) = seen.get(&key) {
            return id;
        }
        let mut next = Vec::new();
        if !system.is_terminal(c) {
            let permissible = system.permissible(c);
            assert!(!permissible.is_empty(), "{system:?} is stuck at {c:?}");
            for kind in permissible.iter() {
                let mut after = c.clone();
                let label = if kind.adds_arc() { Label(0) } else { Label::NONE };
                system.apply(&mut after, Transition { kind, label });
                next.push((kind, self.visit(system, &after, seen)));
            }
        }
        let id = self.configurations.len();
        self.configurations.push(c.clone());
        self.next.push(next);
        seen.insert(key, id);
        id
    }

    /// Returns, for each configuration, the most gold arcs that can still be built; if node 0 is nowhere, a root
    /// without a head counts as built.
    pub(crate) fn best_built(&self, gold: &Tree) -> Vec<usize> {
        let mut best = Vec::with_capacity(self.configurations.len());
        for (c, next) in self.configurations.iter().zip(&self.next) {
            let is_right = |t: &Node| {
                let implicit = c.root() == RootPosition::None && gold.head(*t).is_root() && !c.has_head(*t);
                c.head(*t) == gold.head(*t) || gold.head(*t).is_none() || implicit
            };
            best.push(match next.iter().map(|&(_, id)| best[id]).max() {
                Some(best) => best,
                None => gold.tokens().filter(is_right).count(),
            });
        }
        best
    }

    /// Returns, for each configuration, the most gold heads reachable from it.
    pub(crate) fn best(&self, system: &dyn System, gold: &Tree) -> Vec<usize> {
        let mut best = Vec::with_capacity(self.configurations.len());
        for (c, next) in self.configurations.iter().zip(&self.next) {
            best.push(if next.is_empty() {
                let mut c = c.clone();
                system.finish(&mut c);
                gold.tokens().filter(|&t| c.head(t) == gold.head(t) || gold.head(t).is_none()).count()
            } else {
                next.iter().map(|&(_, id)| best[id]).max().unwrap()
            });
        }
        best
    }

    /// Returns the kinds from a configuration that keep the best result reachable.
    pub(crate) fn optimal(&self, id: usize, best: &[usize]) -> KindSet {
        self.next[id]
            .iter()
            .fold(KindSet::EMPTY, |set, &(kind, next)| set.with_if(kind, best[next] == best[id]))
    }
}

fn key(c: &Configuration) -> Vec<u32> {
    let nodes = |nodes: &[Node]| nodes.iter().map(|n| n.0).chain([u32::MAX - 1]).collect::<Vec<_>>();
    let mut key = nodes(c.stack_nodes());
    key.extend(nodes(c.second_nodes()));
    key.extend(nodes(c.buffer_nodes()));
    key.extend((1..=c.n_tokens()).map(|i| c.head(Node::from_index(i)).0));
    key.extend(c.edges().iter().flat_map(|edge| [edge.left.0, edge.right.0]));
    key.push(u32::from(c.pass()));
    key.push(u32::from(c.active_plane()));
    key.push(u32::from(c.history(0) == Some(Kind::Switch)));
    key
}

pub(crate) fn options(root: RootPosition, single_root: bool) -> Options {
    Options { root, single_root, root_label: Label(0), ..Options::default() }
}

/// Prepares a gold tree for a system.
pub(crate) fn gold_for(system: &dyn System, tree: &Tree) -> Gold {
    let mut gold = Gold::new();
    gold.read(tree, system.options().root);
    system.prepare(&mut gold);
    gold
}
