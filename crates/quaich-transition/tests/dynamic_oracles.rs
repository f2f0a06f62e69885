//! Dynamic oracles against brute force: every configuration of every small sentence, every gold tree.

mod common;

use common::{POSITIONS, Space, all_trees, gold_for, is_planar, is_projective, labelled, n_roots, options};
use quaich_transition::configuration::RootPosition;
use quaich_transition::systems::{ArcEager, ArcHybrid, Covington, Options, Planar, System};
use quaich_transition::transition::Kind;
use quaich_treebank::tree::{Node, Tree};

/// Compares optimal sets in every configuration; returns how many were compared.
fn check_exact(system: &dyn System, n_tokens: usize, trees: &[Tree]) -> usize {
    let space = Space::new(system, n_tokens);
    for tree in trees {
        let best = space.best(system, tree);
        let mut gold = gold_for(system, tree);
        for (id, c) in space.configurations.iter().enumerate() {
            if space.next[id].is_empty() {
                continue;
            }
            gold.rewind();
            let found = system.optimal(c, &mut gold);
            let mut expected = space.optimal(id, &best);
            if system.options().root == RootPosition::Stack
                && c.stack(0).is_root()
                && expected.contains(Kind::RightArc)
                && c.buffer(0).is_some()
                && tree.head(c.buffer(0)) == Node::ROOT
            {
                expected = expected.without(Kind::Shift); // the finish would not know the label
            }
            assert_eq!(
                found,
                expected,
                "{system:?}\ngold {:?}\nstack {:?} buffer {:?} heads {:?}",
                tree.heads(),
                c.stack_nodes(),
                c.buffer_nodes(),
                c.tree().heads()
            );
        }
    }
    space.configurations.len() * trees.len()
}

fn check_projective(build: fn(Options) -> Box<dyn System>, largest: usize) {
    for root in POSITIONS {
        for single_root in [false, true] {
            let system = build(options(root, single_root));
            for n in 1..=largest {
                let trees: Vec<Tree> = all_trees(n)
                    .into_iter()
                    .filter(|tree| is_projective(tree) && (!single_root || n_roots(tree) == 1))
                    .collect();
                assert!(check_exact(&*system, n, &trees) > 0);
            }
        }
    }
}

#[test]
fn arc_eager_is_exact() {
    check_projective(|options| Box::new(ArcEager::new(options)), 5);
}

#[test]
fn arc_hybrid_is_exact() {
    check_projective(|options| Box::new(ArcHybrid::new(options)), 5);
}

/// Compares optimal sets in every configuration, counting arcs that are built.
fn check_built(system: &dyn System, n_tokens: usize, trees: &[Tree]) {
    let space = Space::new(system, n_tokens);
    for tree in trees {
        let best = space.best_built(tree);
        let mut gold = gold_for(system, tree);
        for (id, c) in space.configurations.iter().enumerate() {
            if space.next[id].is_empty() {
                continue;
            }
            gold.rewind();
            let (found, expected) = (system.optimal(c, &mut gold), space.optimal(id, &best));
            assert_eq!(
                found,
                expected,
                "{system:?}\ngold {:?}\nstack {:?} second {:?} buffer {:?} heads {:?}",
                tree.heads(),
                c.stack_nodes(),
                c.second_nodes(),
                c.buffer_nodes(),
                c.tree().heads()
            );
        }
    }
}

fn check_all_built(
    build: fn(Options) -> Box<dyn System>,
    largest: usize,
    class: fn(&Tree, RootPosition) -> bool,
) {
    for root in POSITIONS {
        for single_root in [false, true] {
            let system = build(options(root, single_root));
            for n in 1..=largest {
                let mut trees = all_trees(n);
                trees.retain(|tree| class(tree, root) && (!single_root || n_roots(tree) == 1));
                check_built(&*system, n, &trees);
            }
        }
    }
}

#[test]
fn covington_is_exact() {
    check_all_built(|options| Box::new(Covington::new(options)), 4, |_, _| true);
}

#[test]
fn planar_is_exact() {
    check_all_built(|options| Box::new(Planar::new(options)), 4, is_planar);
}

/// Unknown heads cost nothing: every way of hiding heads of every projective tree of four tokens.
#[test]
fn unknown_heads_cost_nothing() {
    let n = 4;
    let mut trees = Vec::new();
    for tree in all_trees(n).iter().filter(|tree| is_projective(tree)) {
        for hidden in 1u32..1 << n {
            let heads: Vec<u32> = tree
                .tokens()
                .map(|t| if hidden >> (t.0 - 1) & 1 == 1 { u32::MAX } else { tree.head(t).0 })
                .collect();
            trees.push(labelled(&heads));
        }
    }
    trees.sort_by(|a, b| a.heads().cmp(b.heads()));
    trees.dedup();
    for root in POSITIONS {
        check_exact(&ArcEager::new(options(root, false)), n, &trees);
        check_exact(&ArcHybrid::new(options(root, false)), n, &trees);
    }
}
