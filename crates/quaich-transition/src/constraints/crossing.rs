//! Given arcs that cross, in systems that cannot build them together: the longer one is not required.

use quaich_treebank::tree::{Node, Tree};

use crate::configuration::RootPosition;
use crate::systems::System;
use crate::transition::Kind;

/// Whether a system can build arcs that cross.
pub(super) fn can_cross<S: System + ?Sized>(system: &S) -> bool {
    let kinds = system.kinds();
    let crossing =
        [Kind::Swap, Kind::Switch, Kind::LeftArc2, Kind::LeftNonprojBufferArc, Kind::RightNonprojBufferArc];
    // Covington's systems do not say whether they are projective; they skip given arcs that they cannot build.
    crossing.into_iter().chain([Kind::NoArc]).any(|kind| kinds.contains(kind))
}

/// Returns the arcs of a partial tree without those that cross a shorter one; `None` if none cross. Quadratic, if some do.
pub(super) fn uncrossed(tree: &Tree, root: RootPosition) -> Option<Tree> {
    let last = Node::from_index(tree.n_tokens() + 1);
    let place = |node: Node| if node.is_root() && root == RootPosition::End { last.0 } else { node.0 };
    let span = |dependent: Node| {
        let (head, dependent) = (place(tree.head(dependent)), dependent.0);
        (head.min(dependent), head.max(dependent))
    };
    // Where node 0 is nowhere, planar systems can cover roots.
    let is_built = |head: Node| !head.is_root() || root != RootPosition::None;
    let mut arcs: Vec<Node> = tree.arcs().filter(|arc| is_built(arc.head)).map(|arc| arc.dependent).collect();
    arcs.sort_by_key(|dependent| (span(*dependent).0, std::cmp::Reverse(span(*dependent).1)));
    let mut open: Vec<u32> = Vec::new();
    let cross = arcs.iter().any(|dependent| {
        let (first, last) = span(*dependent);
        while open.pop_if(|end| *end <= first).is_some() {}
        let crosses = open.last().is_some_and(|end| *end < last);
        open.push(last);
        crosses
    });
    if !cross {
        return None;
    }
    arcs.sort_by_key(|dependent| (span(*dependent).1 - span(*dependent).0, dependent.0));
    let mut kept = Tree::new(tree.n_tokens());
    for arc in tree.arcs().filter(|arc| !is_built(arc.head)) {
        kept.set(arc.dependent, arc.head, arc.label);
    }
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for dependent in arcs {
        let (first, last) = span(dependent);
        let crosses = |&(a, b): &(u32, u32)| {
            (a < first && first < b && b < last) || (first < a && a < last && last < b)
        };
        if !spans.iter().any(crosses) {
            spans.push((first, last));
            kept.set(dependent, tree.head(dependent), tree.label(dependent));
        }
    }
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(heads: &str, root: RootPosition, expected: Option<&str>) {
        let tree = |heads: &str| {
            let heads: Vec<u32> = heads.split(' ').map(|head| head.parse().unwrap_or(u32::MAX)).collect();
            Tree::from_heads(&heads)
        };
        assert_eq!(uncrossed(&tree(heads), root), expected.map(tree));
    }

    #[test]
    fn the_longer_of_two_crossing_arcs_is_left_out() {
        check("2 0 2", RootPosition::End, None);
        check("4 - - - 2", RootPosition::End, Some("4 - - - -"));
        check("- - 1 2", RootPosition::Stack, Some("- - 1 -"));
        // The arc from 0 to 2 crosses that from 3 to 1.
        check("3 0 -", RootPosition::End, Some("3 - -"));
        check("3 0 -", RootPosition::Stack, Some("3 - -"));
    }
}
