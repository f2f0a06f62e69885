//! Labels of transitions that carry more than labels of trees: in undirected systems, the direction of the arc.

use quaich_treebank::symbols::Label;

/// The relation between labels of transitions and labels of trees.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Labelling {
    /// They are the same.
    #[default]
    Plain,
    /// Every label occurs twice, for arcs to the left and for arcs to the right: see [`mark`].
    Directed,
}

impl Labelling {
    /// Returns the label of a transition that builds an arc with this label and direction.
    #[inline]
    pub fn of_arc(self, label: Label, rightwards: bool) -> Label {
        match self {
            Self::Plain => label,
            Self::Directed => mark(label, rightwards),
        }
    }

    /// Returns the label of a transition in the tree.
    #[inline]
    pub fn plain(self, label: Label) -> Label {
        match self {
            Self::Plain => label,
            Self::Directed => unmark(label).0,
        }
    }

    /// Returns the number of labels of transitions if trees have `n_labels`.
    pub fn n_labels(self, n_labels: u32) -> u32 {
        match self {
            Self::Plain => n_labels,
            Self::Directed => 2 * n_labels,
        }
    }
}

/// Returns the label of an edge whose arc has `label` and goes to the right (`X_r`) or to the left (`X_l`).
pub fn mark(label: Label, rightwards: bool) -> Label {
    if label.is_none() {
        UNLABELLED[usize::from(rightwards)]
    } else {
        Label(label.0 << 1 | u32::from(rightwards))
    }
}

/// Returns a marked label without its mark, and whether the mark is rightwards.
pub fn unmark(label: Label) -> (Label, bool) {
    if label.is_none() || UNLABELLED.contains(&label) {
        (Label::NONE, label != UNLABELLED[0])
    } else {
        (Label(label.0 >> 1), label.0 & 1 == 1)
    }
}

/// The marks of arcs without a label, leftwards and rightwards; they collide with no other label.
const UNLABELLED: [Label; 2] = [Label(u32::MAX - 2), Label(u32::MAX - 1)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_both_ways() {
        for label in [Label(0), Label(1), Label(5000), Label::NONE] {
            for rightwards in [false, true] {
                assert_eq!(unmark(mark(label, rightwards)), (label, rightwards));
                for labelling in [Labelling::Plain, Labelling::Directed] {
                    assert_eq!(labelling.plain(labelling.of_arc(label, rightwards)), label);
                }
            }
        }
    }

    /// A treebank with a single label has two: one per direction.
    #[test]
    fn marked_labels_are_dense() {
        for n_labels in [1, 2, 7] {
            let labels = (0..n_labels).map(Label);
            let marked =
                labels.flat_map(|label| [false, true].map(|way| Labelling::Directed.of_arc(label, way)));
            let all = (0..Labelling::Directed.n_labels(n_labels)).map(Label);
            assert!(marked.eq(all));
        }
    }
}
