//! The inverse of transformations that change only labels: it maps each label to another, independently of the tree.

use std::fmt;

use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Sentence, Tree};

use crate::scratch::Scratch;
use crate::transform::Inverse;

/// A map of the labels of a table.
pub(crate) struct LabelMap<F> {
    /// Returns the original text of a label if it differs.
    back: F,
    /// By label.
    labels: Vec<Label>,
}

impl<F: Fn(&str) -> Option<String>> LabelMap<F> {
    /// Creates the map of the labels of a table, and interns the labels that it returns.
    pub(crate) fn new(labels: &mut Symbols<Label>, back: F) -> Self {
        let mut map = Self { back, labels: Vec::new() };
        map.fill(labels);
        map
    }

    fn of(&self, label: Label) -> Label {
        self.labels.get(label.index()).copied().unwrap_or(label)
    }

    /// Labels interned here are original ones, which are not mapped further. They are looked up all the same, since
    /// trees may have them too.
    fn fill(&mut self, labels: &mut Symbols<Label>) {
        while let Some(label) =
            u32::try_from(self.labels.len()).ok().filter(|&at| (at as usize) < labels.len())
        {
            let back = (self.back)(labels.text(Label(label)));
            self.labels.push(back.map_or(Label(label), |back| labels.intern(&back)));
        }
    }
}

impl<F> fmt::Debug for LabelMap<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LabelMap").field("labels", &self.labels).finish_non_exhaustive()
    }
}

impl<F: Fn(&str) -> Option<String> + Send + Sync> Inverse for LabelMap<F> {
    fn invert(&self, _sentence: &Sentence, tree: &mut Tree, _scratch: &mut Scratch) {
        for token in tree.tokens() {
            tree.set(token, tree.head(token), self.of(tree.label(token)));
        }
    }

    fn unmarked(&self, label: Label) -> Label {
        // A label of the treebank may look like one of the transformation, so no label is simplified.
        label
    }

    fn keeps(&self, label: Label) -> bool {
        self.of(label) == label
    }

    fn extend(&mut self, labels: &mut Symbols<Label>) {
        self.fill(labels);
    }
}
