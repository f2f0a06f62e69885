//! All systems with all combinations of modifiers, and in `MaltParser`'s version: what a trainer needs of each.

mod common;

use std::sync::LazyLock;

use common::{POSITIONS, n_roots, options};
use proptest::prelude::*;
use quaich_testkit::strategies::mixed_tree;
use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_transition::gold::Gold;
use quaich_transition::guide::{RandomGuide, run};
use quaich_transition::malt::ALGORITHMS;
use quaich_transition::oracle::derive;
use quaich_transition::spec::SystemSpec;
use quaich_transition::systems::{Entry, Options, SYSTEMS, System};
use quaich_transition::transition::Classes;
use quaich_transition::watcher::Recorder;
use quaich_treebank::symbols::Label;
use quaich_treebank::tree::{Node, Tree};

/// Returns the names of a system with all combinations of its modifiers.
fn names(entry: &Entry) -> Vec<String> {
    let mut names = vec![entry.name.to_owned()];
    let mut may_add = |modifiers: &[&str]| {
        let with =
            |name: &String| modifiers.iter().map(|modifier| format!("{name}{modifier}")).collect::<Vec<_>>();
        names.extend(names.iter().flat_map(with).collect::<Vec<_>>());
    };
    if entry.takes_buffer_arcs {
        for modifier in ["+lba", "+rba", "+lnba", "+rnba", "+any-length"] {
            may_add(&[modifier]);
        }
    }
    if entry.takes_second_pass {
        may_add(&["+second-pass"]);
    }
    if entry.is_undirected {
        may_add(&["+naive", "+label-a"]);
    }
    if ALGORITHMS.iter().any(|algorithm| algorithm.system == entry.name) {
        may_add(&[":malt"]);
    }
    names
}

/// All of them, at all positions of node 0.
static ALL: LazyLock<Vec<(SystemSpec, Box<dyn System>)>> = LazyLock::new(|| {
    let specs = SYSTEMS.iter().flat_map(names).map(|name| name.parse::<SystemSpec>().unwrap());
    let at_positions = |spec: SystemSpec| {
        let choices = POSITIONS.into_iter().flat_map(|root| [(root, false), (root, true)]);
        choices.map(move |(root, single_root)| (spec, spec.build(options(root, single_root))))
    };
    specs.flat_map(at_positions).collect()
});

/// A tree with labels below `n_labels`.
fn labelled_tree() -> impl Strategy<Value = (Tree, u32)> {
    (mixed_tree(1..=9), 1..=3u32, any::<u64>()).prop_map(|(mut tree, n_labels, seed)| {
        let mut chance = RandomGuide::new(seed, n_labels);
        for token in tree.tokens() {
            tree.set(token, tree.head(token), Label(chance.below(n_labels)));
        }
        (tree, n_labels)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever an oracle does with a tree, even if it loses arcs, can be learned: it has a class.
    #[test]
    fn every_transition_has_a_class((tree, n_labels) in labelled_tree()) {
        let (mut gold, mut c) = (Gold::new(), Configuration::new());
        for (spec, system) in ALL.iter() {
            let classes = Classes::of(&**system, n_labels);
            let derivation = derive(&**system, &tree, &mut gold, &mut c);
            for step in &derivation.steps {
                let class = classes.id(step.transition);
                prop_assert!(class.is_some(), "{}: {:?} among {:?}", spec, step.transition, classes);
                prop_assert_eq!(class.and_then(|class| classes.transition(class)), Some(step.transition));
            }
            prop_assert!(c.tree().is_well_formed(), "{} made {:?}", spec, c.tree().heads());
        }
    }

    /// Whatever a model chooses, the result is a tree, within the bound and with labels of trees.
    #[test]
    fn every_choice_ends_in_a_tree(n_tokens in 0..=9usize, n_labels in 1..=3u32, seed: u64) {
        let (mut c, mut recorder) = (Configuration::new(), Recorder::default());
        for (spec, system) in ALL.iter() {
            let mut chance = RandomGuide::new(seed, system.labelling().n_labels(n_labels));
            run(&**system, &mut chance, &mut recorder, n_tokens, &mut c);
            let tree = c.tree();
            prop_assert!(tree.is_well_formed(), "{} made {:?}", spec, tree.heads());
            prop_assert!(recorder.steps.len() <= system.bound(n_tokens), "{}", spec);
            prop_assert!(tree.tokens().all(|token| tree.label(token).0 < n_labels), "{}", spec);
            if system.options().single_root && n_tokens > 0 {
                prop_assert_eq!(n_roots(&tree), 1, "{} made {:?}", spec, tree.heads());
            }
        }
    }
}

/// Options tell the position of node 0 and its number of children, even if a system has its own.
#[test]
fn options_tell_the_truth() {
    let mut c = Configuration::new();
    for (spec, system) in ALL.iter() {
        system.start(&mut c, 5);
        let found = if c.stack_nodes().first() == Some(&Node::ROOT) {
            RootPosition::Stack
        } else if c.buffer_nodes().last() == Some(&Node::ROOT) {
            RootPosition::End
        } else {
            RootPosition::None
        };
        assert_eq!(system.options().root, found, "{spec}");
    }
    for spec in SYSTEMS.iter().flat_map(names).map(|name| name.parse::<SystemSpec>().unwrap()) {
        let own = *spec.build(options(RootPosition::Stack, false)).options();
        for root in POSITIONS {
            for single_root in [false, true] {
                let taken = *spec.build(options(root, single_root)).options();
                let expected = if spec.fixes_root() { own } else { Options { root, single_root, ..own } };
                assert_eq!(taken, expected, "{spec}");
            }
        }
    }
}
