//! Checks every measure of shape against its definition, on all small trees and on random larger ones.

use std::iter;

use proptest::prelude::*;
use quaich_testkit::check::shapes_agree;
use quaich_testkit::random::Random;
use quaich_testkit::slow;
use quaich_testkit::strategies::mixed_tree;
use quaich_testkit::trees::for_each_tree;
use quaich_treebank::shape::{Lifting, LiftingOrder, RootArcs, Shapes};
use quaich_treebank::tree::Tree;

#[test]
fn all_trees_up_to_six_tokens() {
    let mut shapes = Shapes::default();
    for n_tokens in 0..=6 {
        for_each_tree(n_tokens, |tree| shapes_agree(&mut shapes, tree));
    }
}

#[test]
fn all_trees_of_seven_tokens() {
    let mut shapes = Shapes::default();
    for_each_tree(7, |tree| shapes_agree(&mut shapes, tree));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn random_trees(trees in prop::collection::vec(mixed_tree(0..=14), 1..4)) {
        let mut shapes = Shapes::default();
        for tree in &trees {
            shapes_agree(&mut shapes, tree);
        }
    }

    /// Other orders, lengths in other trees, and ignored covered roots.
    #[test]
    fn lifted_in_every_manner(tree in mixed_tree(0..=14), other in mixed_tree(14..=14)) {
        let mut shapes = Shapes::default();
        let orders = [LiftingOrder::Shortest, LiftingOrder::ShortestIn(other.heads()), LiftingOrder::Deepest];
        for order in orders {
            for ignore_covered_roots in [false, true] {
                let lifting = Lifting { order, ignore_covered_roots };
                shapes.read(&tree).unwrap();
                let (lifted, lifts) = slow::projectivize_by(&tree, lifting);
                let projectivized = shapes.projectivize_by(lifting);
                prop_assert_eq!(projectivized.heads(), lifted.heads());
                prop_assert_eq!(projectivized.lifts(), lifts);
            }
        }
    }

    #[test]
    fn no_heads_are_too_broken_to_read(heads in prop::collection::vec(prop_oneof![0..12u32, Just(u32::MAX)], 0..12)) {
        let tree = Tree::from_heads(&heads);
        let mut shapes = Shapes::default();
        prop_assert_eq!(shapes.read(&tree).is_ok(), tree.is_well_formed());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Large enough for what happens only in large subtrees. Colouring would take too long here.
    #[test]
    fn random_long_trees(tree in mixed_tree(80..=130)) {
        let mut shapes = Shapes::default();
        shapes.read(&tree).unwrap();
        prop_assert_eq!(shapes.nonprojective_arcs(), slow::nonprojective_arcs(&tree));
        let degrees: Vec<u32> = tree.tokens().map(|node| slow::gap_degree(&tree, node)).collect();
        prop_assert_eq!(&shapes.gap_degrees()[1..], degrees);
        let (lifted, lifts) = slow::projectivize(&tree);
        let projectivized = shapes.projectivize();
        prop_assert_eq!(projectivized.heads(), lifted.heads());
        prop_assert_eq!(projectivized.lifts(), lifts);
        for order in [LiftingOrder::Shortest, LiftingOrder::Deepest] {
            let lifting = Lifting { order, ignore_covered_roots: true };
            let (lifted, lifts) = slow::projectivize_by(&tree, lifting);
            let projectivized = shapes.projectivize_by(lifting);
            prop_assert_eq!(projectivized.heads(), lifted.heads());
            prop_assert_eq!(projectivized.lifts(), lifts);
        }
    }
}

/// Measures long trees of every kind: this would take minutes, or overflow the stack, if anything were quadratic or
/// recursive.
#[test]
fn very_long_sentences() {
    let mut shapes = Shapes::default();
    for n_tokens in [10, 100_000] {
        // The odd tokens form one chain, the even tokens another: two subtrees that interleave throughout.
        check_long(
            &(1..=n_tokens).map(|token: u32| token.saturating_sub(2)).collect::<Vec<_>>(),
            &mut shapes,
        );
        // All arcs from the first half to the second cross each other.
        check_long(
            &(1..=n_tokens).map(|token| token.saturating_sub(n_tokens / 2)).collect::<Vec<_>>(),
            &mut shapes,
        );
        check_long(&(0..n_tokens).collect::<Vec<_>>(), &mut shapes);
        check_long(
            &iter::once(0).chain(iter::repeat_n(1, n_tokens as usize - 1)).collect::<Vec<_>>(),
            &mut shapes,
        );
        check_long(&shuffled(n_tokens, Random::index), &mut shapes);
    }
    // A chain whose tokens are in random order takes hundreds of lifts per token.
    check_long(&shuffled(10_000, |_, place| place - 1), &mut shapes);
}

/// Tens of thousands of covered roots, each below an arc of its own or all below one: visiting the whole sentence for
/// each would take minutes.
#[test]
fn very_many_covered_roots() {
    let mut shapes = Shapes::default();
    let n_tokens = 99_999;
    let each_its_own = |token: u32| if token % 3 == 1 { token + 2 } else { 0 };
    let all_below_one = |token: u32| if token == 1 { n_tokens } else { 0 };
    let trees = [
        (1..=n_tokens).map(each_its_own).collect::<Vec<_>>(),
        (1..=n_tokens).map(all_below_one).collect::<Vec<_>>(),
    ];
    for tree in trees.map(|heads| Tree::from_heads(&heads)) {
        for order in [LiftingOrder::Shortest, LiftingOrder::ShortestIn(tree.heads()), LiftingOrder::Deepest] {
            shapes.read(&tree).unwrap();
            let ignoring = shapes.projectivize_by(Lifting { order, ignore_covered_roots: true });
            assert_eq!(ignoring.heads(), tree.heads());
            let n_ignored = ignoring.is_ignored().iter().filter(|&&is_ignored| is_ignored).count();
            assert!(n_ignored >= n_tokens as usize / 3, "{n_ignored}");
            let lifting = shapes.projectivize_by(Lifting { order, ignore_covered_roots: false });
            assert_ne!(lifting.heads(), tree.heads());
        }
    }
}

/// Returns heads of tokens in random order, each attached to an earlier token picked by `choose`.
fn shuffled(n_tokens: u32, choose: impl Fn(&mut Random, usize) -> usize) -> Vec<u32> {
    let mut random = Random::new(7);
    let mut order: Vec<u32> = (1..=n_tokens).collect();
    for place in (1..order.len()).rev() {
        order.swap(place, random.index(place + 1));
    }
    let mut heads = vec![0; order.len()];
    for place in 1..order.len() {
        heads[order[place] as usize - 1] = order[choose(&mut random, place)];
    }
    heads
}

fn check_long(heads: &[u32], shapes: &mut Shapes) {
    shapes.read(&Tree::from_heads(heads)).unwrap();
    let projective = shapes.is_projective();
    assert_eq!(projective, shapes.nonprojective_arcs().is_empty());
    assert_eq!(projective, shapes.gap_degree() == 0);
    let two_planar = shapes.two_planes(RootArcs::Ignored).is_some();
    assert_eq!(shapes.plane_count(RootArcs::Ignored).is_m_planar(2), Some(two_planar));
    shapes.is_well_nested();
    shapes.projective_order();
    let heads: Vec<u32> = shapes.projectivize().heads()[1..].iter().map(|head| head.0).collect();
    shapes.read(&Tree::from_heads(&heads)).unwrap();
    assert!(shapes.is_projective());
}
