//! From edges to trees: against brute-force minimum branchings, and round trips of all small trees.

mod common;

use common::{POSITIONS, all_trees, n_roots, options};
use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_transition::gold::Gold;
use quaich_transition::oracle::derive;
use quaich_transition::systems::{Covington, Options, Reconstruction, System, Undirected, unmark};
use quaich_treebank::symbols::Label;
use quaich_treebank::tree::{Node, Tree};

const VARIANTS: [Reconstruction; 3] = [Reconstruction::Naive, Reconstruction::LabelA, Reconstruction::LabelB];

type Edges = Vec<(u32, u32, Label)>;

/// Returns the cost of a tree as a branching over the edges and the arcs from 0; `None` if it uses anything else.
fn cost(tree: &Tree, edges: &Edges, how: Reconstruction, root: RootPosition) -> Option<usize> {
    let mut total = 0;
    for token in tree.tokens() {
        let head = tree.head(token);
        let (low, high) = (head.0.min(token.0), head.0.max(token.0));
        let edge = edges.iter().find(|edge| (edge.0, edge.1) == (low, high)).map(|edge| edge.2);
        if edge.is_none() && !head.is_root() {
            return None;
        }
        total += how.cost(head, token, edge, tree.n_tokens(), root);
    }
    Some(total)
}

/// Returns all forests over nodes 0 to `n`: the edge sets that some tree contains.
fn forests(n: u32) -> Vec<Vec<(u32, u32)>> {
    let pairs: Vec<(u32, u32)> = (0..=n).flat_map(|a| (a + 1..=n).map(move |b| (a, b))).collect();
    let mut forests = Vec::new();
    'sets: for set in 0u32..1 << pairs.len() {
        let chosen: Vec<(u32, u32)> =
            pairs.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, p)| *p).collect();
        let mut group: Vec<u32> = (0..=n).collect();
        for &(a, b) in &chosen {
            let (a, b) = (group[a as usize], group[b as usize]);
            if a == b {
                continue 'sets;
            }
            group.iter_mut().filter(|g| **g == b).for_each(|g| *g = a);
        }
        forests.push(chosen);
    }
    forests
}

#[test]
fn reconstruction_is_a_minimum_branching() {
    let mut c = Configuration::new();
    for n in 1..=4 {
        let trees = all_trees(n as usize);
        for forest in forests(n) {
            for directions in 0u32..1 << forest.len() {
                let edges: Edges = forest
                    .iter()
                    .enumerate()
                    .map(|(i, &(a, b))| (a, b, Label(2 * u32::try_from(i).unwrap() + (directions >> i & 1))))
                    .collect();
                for how in VARIANTS {
                    for root in [RootPosition::Stack, RootPosition::End] {
                        let system = Undirected::new(Covington::new(Options {
                            reconstruction: how,
                            ..options(root, false)
                        }));
                        system.start(&mut c, n as usize);
                        for &(a, b, label) in &edges {
                            c.connect(Node(a), label, Node(b));
                        }
                        system.finish(&mut c);
                        let found = c.tree();
                        assert!(found.is_well_formed());
                        let best = trees.iter().filter_map(|tree| cost(tree, &edges, how, root)).min();
                        assert_eq!(
                            cost(&found, &edges, how, root),
                            best,
                            "{how:?} {edges:?} {:?}",
                            found.heads()
                        );
                        for token in found.tokens() {
                            let (a, b) = (found.head(token).0.min(token.0), found.head(token).0.max(token.0));
                            let edge = edges.iter().find(|edge| (edge.0, edge.1) == (a, b));
                            let plain = |l: Label| if how == Reconstruction::Naive { l } else { unmark(l).0 };
                            assert_eq!(found.label(token), edge.map_or(Label(0), |edge| plain(edge.2)));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn correct_edges_and_labels_give_the_correct_tree() {
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    for n in 0..=5 {
        for tree in all_trees(n) {
            for how in VARIANTS {
                for root in POSITIONS {
                    if how == Reconstruction::Naive && root == RootPosition::None {
                        continue; // nothing says which node is the root
                    }
                    let options = Options { reconstruction: how, ..options(root, false) };
                    let system = Undirected::new(Covington::new(options));
                    let derivation = derive(&system, &tree, &mut gold, &mut c);
                    assert!(derivation.exact, "{system:?} on {:?}", tree.heads());
                    if root != RootPosition::None {
                        assert_eq!(c.tree(), tree);
                    }
                    let single = Undirected::new(Covington::new(Options { single_root: true, ..options }));
                    assert!(n_roots(&tree) != 1 || derive(&single, &tree, &mut gold, &mut c).exact);
                }
            }
        }
    }
}
