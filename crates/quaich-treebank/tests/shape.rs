//! Every measure of shape against its definition, on all small trees and on random larger ones.

use proptest::prelude::*;
use quaich_testkit::check::shapes_agree;
use quaich_testkit::random::Random;
use quaich_testkit::strategies::mixed_tree;
use quaich_testkit::trees::for_each_tree;
use quaich_treebank::shape::{PlaneCount, RootArcs, Shapes};
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

    #[test]
    fn no_heads_are_too_broken_to_read(heads in prop::collection::vec(prop_oneof![0..12u32, Just(u32::MAX)], 0..12)) {
        let tree = Tree::from_heads(&heads);
        let mut shapes = Shapes::default();
        prop_assert_eq!(shapes.read(&tree).is_ok(), tree.is_well_formed());
    }
}

/// A tree of 100,000 tokens is measured in every way, whatever its form: this test would not end in
/// reasonable time, or would overflow the stack, if anything were quadratic or recursive.
#[test]
fn very_long_sentences() {
    const N: u32 = 100_000;
    let mut random = Random::new(7);
    let mut shuffled: Vec<u32> = (1..=N).collect();
    for i in (1..N).rev() {
        shuffled.swap(i as usize, random.below(i + 1) as usize);
    }
    let mut shuffled_chain = vec![0; N as usize];
    for pair in shuffled.windows(2) {
        shuffled_chain[pair[1] as usize - 1] = pair[0];
    }
    let mut random_attachment = vec![0; N as usize];
    for (place, &token) in shuffled.iter().enumerate().skip(1) {
        random_attachment[token as usize - 1] = shuffled[random.index(place)];
    }
    // Every second token forms one chain, the others another: two subtrees that interleave all along.
    let zipped: Vec<u32> = (1..=N).map(|token| token.saturating_sub(2)).collect();
    // All arcs from the first half to the second cross each other.
    let all_crossing: Vec<u32> = (1..=N).map(|token| token.saturating_sub(N / 2)).collect();
    let chain: Vec<u32> = (0..N).collect();
    let star = [vec![0], vec![1; N as usize - 1]].concat();
    let mut shapes = Shapes::default();
    for heads in [shuffled_chain, random_attachment, zipped, all_crossing, chain, star] {
        shapes.read(&Tree::from_heads(&heads)).unwrap();
        let projective = shapes.is_projective();
        assert_eq!(projective, shapes.nonprojective_arcs().is_empty());
        assert_eq!(projective, shapes.gap_degree() == 0);
        assert_eq!(
            shapes.two_planes(RootArcs::Ignored).is_some(),
            match shapes.plane_count(RootArcs::Ignored) {
                PlaneCount::Exactly(count) => count <= 2,
                PlaneCount::Undecided { .. } => false,
            }
        );
        shapes.is_well_nested();
        shapes.projective_order();
        let heads: Vec<u32> = shapes.projectivize().heads()[1..].iter().map(|head| head.0).collect();
        shapes.read(&Tree::from_heads(&heads)).unwrap();
        assert!(shapes.is_projective());
    }
}
