//! The way back of transformations that change nothing but labels: each label becomes another, whatever else the tree has.

use std::fmt;

use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Sentence, Tree};

use crate::scratch::Scratch;
use crate::transform::Inverse;

/// What every label of a table becomes.
pub(crate) struct LabelMap<F> {
    /// What the text of a label becomes, if it becomes another.
    back: F,
    /// By label.
    labels: Vec<Label>,
}

impl<F: Fn(&str) -> Option<String>> LabelMap<F> {
    /// The map of the labels of a table, which gets those that they become.
    pub(crate) fn new(labels: &mut Symbols<Label>, back: F) -> Self {
        let mut map = Self { back, labels: Vec::new() };
        map.fill(labels);
        map
    }

    fn of(&self, label: Label) -> Label {
        self.labels.get(label.index()).copied().unwrap_or(label)
    }

    /// What is interned on the way are labels as they come back, which need not be taken further; they are looked up all the same,
    /// since trees may have them too.
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
        // A label of the treebank may look like one of the transformation, so nothing is ever left out.
        label
    }

    fn keeps(&self, label: Label) -> bool {
        self.of(label) == label
    }

    fn extend(&mut self, labels: &mut Symbols<Label>) {
        self.fill(labels);
    }
}
