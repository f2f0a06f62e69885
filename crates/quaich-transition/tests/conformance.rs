//! Every system of the table × every property: oracle then tree, soundness, bounds.

mod common;

use common::{POSITIONS, all_trees, is_planar, is_projective, is_two_planar, n_roots, options};
use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_transition::gold::Gold;
use quaich_transition::guide::{Chance, Recorder, derive, run};
use quaich_transition::systems::{SYSTEMS, System};
use quaich_treebank::tree::{Node, Tree};

/// Whether a tree is in the class of a system, by slow definitions.
fn in_class(name: &str, root: RootPosition, tree: &Tree) -> Option<bool> {
    Some(match name {
        "arc-eager" | "arc-standard" | "arc-hybrid" | "stack-projective" | "covington-projective" => {
            is_projective(tree)
        }
        "arc-hybrid-swap" | "swap-eager" | "swap-lazy" | "covington" => true,
        "planar" => is_planar(tree, root),
        "two-planar" => is_two_planar(tree, root),
        // Directions are known for these only where the tree is found again from edges and labels.
        "undirected-planar" => is_planar(tree, root),
        "undirected-two-planar" => is_two_planar(tree, root),
        "undirected-covington" => true,
        "attardi" if is_projective(tree) => true,
        "attardi" => return None,
        other => panic!("say which trees {other} derives"),
    })
}

fn each_system(mut check: impl FnMut(&str, &dyn System)) {
    for entry in SYSTEMS {
        for root in POSITIONS {
            for single_root in [false, true] {
                check(entry.name, &*(entry.build)(options(root, single_root)));
            }
        }
    }
}

#[test]
fn oracles_rebuild_the_trees_of_the_class_and_report_the_others() {
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    for n in 0..=6 {
        let trees = all_trees(n);
        each_system(|name, system| {
            for tree in &trees {
                let several = system.options().single_root && n_roots(tree) > 1;
                let derivation = derive(system, tree, &mut gold, &mut c);
                assert!(c.tree().is_well_formed());
                if derivation.exact {
                    let implicit =
                        |t: Node| tree.head(t).is_root() && system.options().root == RootPosition::None;
                    assert!(tree.tokens().all(|t| c.label(t) == tree.label(t) || implicit(t)));
                }
                if let Some(expected) = in_class(name, system.options().root, tree) {
                    let expected = expected && !several;
                    assert_eq!(derivation.exact, expected, "{system:?} on {:?}", tree.heads());
                }
            }
        });
    }
}

#[test]
fn any_guide_ends_in_a_tree_within_the_bound() {
    let mut c = Configuration::new();
    each_system(|name, system| {
        let mut chance = Recorder::new(Chance::new(7, 3));
        for round in 0..300 {
            let n = if round < 290 { round % 15 } else { 60 };
            run(system, &mut chance, n, &mut c);
            let tree = c.tree();
            assert!(tree.is_well_formed(), "{name} made {:?}", tree.heads());
            assert!(chance.steps.len() <= system.bound(n), "{name} took {} for {n}", chance.steps.len());
            if system.options().single_root && n > 0 {
                assert_eq!(n_roots(&tree), 1, "{system:?} made {:?}", tree.heads());
            }
        }
    });
}
