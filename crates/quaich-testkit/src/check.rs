//! Comparisons of fast code with slow definitions.

use std::ops::ControlFlow;

use quaich_treebank::shape::{PlaneCount, RootArcs, Shapes, nodes_in_order};
use quaich_treebank::tree::Tree;

use crate::slow;

/// Compares all measures of a well-formed tree's shape with their definitions.
///
/// # Panics
/// If one differs.
pub fn shapes_agree(shapes: &mut Shapes, tree: &Tree) {
    shapes.read(tree).expect("the tree is well-formed");
    let heads = tree.heads();

    let nonprojective = slow::nonprojective_arcs(tree);
    assert_eq!(shapes.nonprojective_arcs(), nonprojective, "non-projective arcs of {heads:?}");
    assert_eq!(shapes.is_projective(), nonprojective.is_empty(), "projectivity of {heads:?}");

    for root_arcs in [RootArcs::Ignored, RootArcs::Counted] {
        let with_root_arcs = root_arcs == RootArcs::Counted;
        let expected = slow::crossings(tree, with_root_arcs);
        let mut found = Vec::new();
        let whole = shapes.crossings(root_arcs, |arc, other| {
            found.push((arc, other));
            ControlFlow::Continue(())
        });
        assert!(whole.is_continue());
        found.sort_unstable();
        assert_eq!(found, expected, "crossings of {heads:?}, {root_arcs:?}");
        assert_eq!(shapes.is_planar(root_arcs), expected.is_empty(), "planarity of {heads:?}, {root_arcs:?}");
        two_planes_agree(shapes, tree, root_arcs, &expected);
        let planes =
            PlaneCount::Exactly(u32::try_from(slow::plane_count(tree, with_root_arcs)).expect("few planes"));
        assert_eq!(shapes.plane_count(root_arcs), planes, "planes of {heads:?}, {root_arcs:?}");
    }

    let degrees: Vec<u32> = tree.tokens().map(|node| slow::gap_degree(tree, node)).collect();
    assert_eq!(shapes.gap_degrees()[1..], degrees, "gap degrees of {heads:?}");
    assert_eq!(shapes.gap_degree(), degrees.iter().copied().max().unwrap_or(0), "gap degree of {heads:?}");
    assert_eq!(shapes.is_well_nested(), slow::is_well_nested(tree), "nestedness of {heads:?}");

    let order = nodes_in_order(shapes.projective_order());
    assert_eq!(order, slow::projective_order(tree), "projective order of {heads:?}");

    let (lifted, lifts) = slow::projectivize(tree);
    let projectivized = shapes.projectivize();
    assert_eq!(projectivized.heads(), lifted.heads(), "projectivised {heads:?}");
    assert_eq!(projectivized.lifts(), lifts, "lifts of {heads:?}");
}

/// Checks that two planes exist iff the definition finds them; then crossing arcs are in one component and in different
/// planes, and components are no larger than crossings make them.
fn two_planes_agree(
    shapes: &mut Shapes,
    tree: &Tree,
    root_arcs: RootArcs,
    crossings: &[(quaich_treebank::tree::Node, quaich_treebank::tree::Node)],
) {
    let expected = slow::is_m_planar(tree, 2, root_arcs == RootArcs::Counted);
    let found = shapes.two_planes(root_arcs);
    assert_eq!(found.is_some(), expected, "2-planarity of {:?}, {root_arcs:?}", tree.heads());
    let Some(planes) = found else { return };
    let mut component: Vec<usize> = (0..=tree.n_tokens()).collect();
    for (arc, other) in crossings {
        let ((one, plane), (two, other_plane)) = (planes.plane(*arc), planes.plane(*other));
        assert!(one == two && plane != other_plane, "planes of {:?}, {root_arcs:?}", tree.heads());
        let (old, new) = (component[arc.index()], component[other.index()]);
        component.iter_mut().filter(|c| **c == old).for_each(|c| *c = new);
    }
    for arc in tree.tokens() {
        for other in tree.tokens() {
            let same = component[arc.index()] == component[other.index()];
            assert_eq!(
                planes.plane(arc).0 == planes.plane(other).0,
                same,
                "components of {:?}",
                tree.heads()
            );
        }
    }
}
