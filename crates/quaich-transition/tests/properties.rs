//! Random trees that are too large to enumerate.

mod common;

use common::{POSITIONS, n_roots, options};
use proptest::prelude::*;
use quaich_testkit::strategies::{mixed_tree, projective_tree};
use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_transition::gold::Gold;
use quaich_transition::guide::run;
use quaich_transition::oracle::{DynamicOracle, derive};
use quaich_transition::systems::SYSTEMS;
use quaich_treebank::shape::{RootArcs, Shapes};

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// A system derives a tree exactly if the tree has the shape of its class.
    #[test]
    fn classes_agree_with_shapes(tree in mixed_tree(1..=30)) {
        let (mut gold, mut c, mut shapes) = (Gold::new(), Configuration::new(), Shapes::default());
        shapes.read(&tree).unwrap();
        for (root, root_arcs) in [(RootPosition::Stack, RootArcs::Counted), (RootPosition::None, RootArcs::Ignored)] {
            let (projective, planar) = (shapes.is_projective(), shapes.is_planar(root_arcs));
            let two_planar = shapes.two_planes(root_arcs).is_some();
            for entry in SYSTEMS.iter().filter(|entry| entry.name != "attardi") {
                let expected = match entry.class {
                    "projective trees" => projective,
                    "planar trees" => planar,
                    "2-planar trees" => two_planar,
                    _ => true,
                };
                let derivation = derive(&*(entry.build)(options(root, false)), &tree, &mut gold, &mut c);
                prop_assert_eq!(derivation.exact, expected, "{} {:?}", entry.name, root);
                prop_assert!(c.tree().is_well_formed());
            }
        }
    }

    /// The projective order is that of the shapes.
    #[test]
    fn projective_orders_agree(tree in mixed_tree(1..=30)) {
        let (mut gold, mut shapes) = (Gold::new(), Shapes::default());
        shapes.read(&tree).unwrap();
        gold.read(&tree, RootPosition::Stack);
        gold.compute_order();
        let order = shapes.projective_order();
        prop_assert!(tree.tokens().all(|token| gold.order(token) == order[token.index()]));
    }

    /// Dynamic oracles, followed from the start, derive every projective tree.
    #[test]
    fn dynamic_oracles_lead_home(tree in projective_tree(1..=40)) {
        let (mut gold, mut c) = (Gold::new(), Configuration::new());
        for entry in SYSTEMS {
            for root in POSITIONS {
                for single_root in [false, true] {
                    let system = (entry.build)(options(root, single_root));
                    if !system.has_dynamic_oracle() || (single_root && n_roots(&tree) != 1) {
                        continue;
                    }
                    let mut oracle = DynamicOracle::new(&*system, &tree, &mut gold);
                    run(&*system, &mut oracle, &mut (), tree.n_tokens(), &mut c);
                    let found = c.tree();
                    prop_assert_eq!(found.heads(), tree.heads(), "{:?}", system);
                }
            }
        }
    }
}
