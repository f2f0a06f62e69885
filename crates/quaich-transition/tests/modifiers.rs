//! Modifiers on all systems that support them.

mod common;

use common::{POSITIONS, all_trees, is_projective, n_roots, options};
use quaich_transition::configuration::Configuration;
use quaich_transition::gold::Gold;
use quaich_transition::guide::{RandomGuide, run};
use quaich_transition::modifiers::{BufferArcs, LengthPolicy, SecondPass, mirror};
use quaich_transition::oracle::derive;
use quaich_transition::systems::{SYSTEMS, System};
use quaich_transition::transition::{Kind, KindSet};
use quaich_transition::watcher::Recorder;

const HOSTS: [&str; 10] = [
    "arc-eager",
    "arc-standard",
    "arc-hybrid",
    "arc-hybrid-swap",
    "stack-projective",
    "swap-eager",
    "swap-lazy",
    "planar",
    "two-planar",
    "attardi",
];
const BUFFER_ARCS: [Kind; 4] =
    [Kind::LeftBufferArc, Kind::RightBufferArc, Kind::LeftNonprojBufferArc, Kind::RightNonprojBufferArc];

fn each_with_buffer_arcs(mut check: impl FnMut(&str, KindSet, &dyn System)) {
    for entry in SYSTEMS.iter().filter(|entry| HOSTS.contains(&entry.name)) {
        for root in POSITIONS {
            for single_root in [false, true] {
                for subset in 1u32..16 {
                    let chosen = (0..4).filter(|i| subset >> i & 1 == 1).map(|i| BUFFER_ARCS[i]);
                    let added = chosen.fold(KindSet::EMPTY, KindSet::with);
                    for policy in [LengthPolicy::LengthOne, LengthPolicy::Any] {
                        let host = (entry.build)(options(root, single_root));
                        check(entry.name, added, &BufferArcs::new(host, added, policy));
                    }
                }
            }
        }
    }
}

#[test]
fn buffer_arcs_lose_no_tree() {
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    let mut used = KindSet::EMPTY;
    for n in 0..=4 {
        let trees = all_trees(n);
        each_with_buffer_arcs(|name, _, system| {
            for tree in &trees {
                let single_root = system.options().single_root;
                let derivation = derive(system, tree, &mut gold, &mut c);
                used = derivation.steps.iter().fold(used, |used, step| used.with(step.transition.kind));
                let all = ["arc-hybrid-swap", "swap-eager", "swap-lazy"].contains(&name);
                if (all || is_projective(tree)) && (!single_root || n_roots(tree) == 1) {
                    assert!(derivation.exact, "{system:?} on {:?}: {:?}", tree.heads(), derivation.steps);
                }
                assert!(!derivation.exact || c.tree().heads() == tree.heads());
            }
        });
    }
    assert!(BUFFER_ARCS.iter().all(|kind| used.contains(*kind)));
}

#[test]
fn any_guide_with_buffer_arcs_ends_in_a_tree_within_the_bound() {
    let mut c = Configuration::new();
    each_with_buffer_arcs(|name, added, system| {
        let (mut chance, mut recorder) = (RandomGuide::new(11, 3), Recorder::default());
        for n in (0..60).map(|round| round % 12) {
            run(system, &mut chance, &mut recorder, n, &mut c);
            let tree = c.tree();
            assert!(tree.is_well_formed(), "{name} with {added:?} made {:?}", tree.heads());
            assert!(recorder.steps.len() <= system.bound(n));
            if system.options().single_root && n > 0 {
                assert_eq!(n_roots(&tree), 1, "{system:?} made {:?}", tree.heads());
            }
        }
    });
}

#[test]
fn a_second_pass_ends_in_a_tree_and_loses_no_tree() {
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    for name in ["arc-eager", "arc-standard", "planar", "two-planar"] {
        for root in POSITIONS {
            let entry = SYSTEMS.iter().find(|entry| entry.name == name).unwrap();
            let system = SecondPass::new((entry.build)(options(root, false)));
            for tree in all_trees(4).iter().filter(|tree| is_projective(tree)) {
                assert!(derive(&system, tree, &mut gold, &mut c).exact, "{system:?} on {:?}", tree.heads());
            }
            let (mut chance, mut recorder) = (RandomGuide::new(13, 3), Recorder::default());
            for n in (0..300).map(|round| round % 15) {
                run(&system, &mut chance, &mut recorder, n, &mut c);
                assert!(c.tree().is_well_formed() && recorder.steps.len() <= system.bound(n));
            }
        }
    }
}

#[test]
fn right_to_left_derives_the_mirrored_class() {
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    for entry in SYSTEMS {
        let system = (entry.build)(options(POSITIONS[0], false));
        for tree in all_trees(4).iter().filter(|tree| is_projective(&mirror(tree))) {
            assert!(derive(&*system, &mirror(tree), &mut gold, &mut c).exact);
            assert_eq!(mirror(&c.tree()), *tree);
        }
    }
}
