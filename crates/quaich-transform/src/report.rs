//! The effect of a transformation on a treebank, and the losses of its inverse.

use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Sentence, Tree, Underscore};

use crate::rewriter::Operation;
use crate::scratch::Scratch;
use crate::transform::{Inverse, Transform};

/// The name of arcs that belong to no construction.
const OTHER: &str = "other arcs";

/// Counts of arcs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// All arcs.
    pub arcs: u64,
    /// Arcs with a new head.
    pub moved: u64,
    /// Arcs with a new label.
    pub relabelled: u64,
    /// Arcs with a new head or a new label.
    pub touched: u64,
    /// Arcs whose head the inverse did not restore.
    pub lost_heads: u64,
    /// Arcs whose label the inverse did not restore.
    pub lost_labels: u64,
}

impl Counts {
    fn add(&mut self, other: Self) {
        let Self { arcs, moved, relabelled, touched, lost_heads, lost_labels } = other;
        self.arcs += arcs;
        self.moved += moved;
        self.relabelled += relabelled;
        self.touched += touched;
        self.lost_heads += lost_heads;
        self.lost_labels += lost_labels;
    }
}

/// The results for a treebank.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The number of sentences with a tree.
    pub sentences: u64,
    /// The number of other sentences, which are not changed.
    pub not_trees: u64,
    /// The number of trees that were changed.
    pub touched_sentences: u64,
    /// The number of trees whose heads or labels were not all restored.
    pub lost_sentences: u64,
    /// The number of labels before.
    pub labels_before: usize,
    /// The number of labels after.
    pub labels_after: usize,
    /// The number of labels that only occur after.
    pub labels_added: usize,
    /// All arcs.
    pub total: Counts,
    /// Arcs by construction, in the order of first occurrence; all others last.
    pub constructions: Vec<(&'static str, Counts)>,
}

/// Computes a report on a treebank.
#[derive(Debug)]
pub struct Reporter<'t> {
    transform: &'t dyn Transform,
    inverse: Box<dyn Inverse>,
    operation: Operation,
    labels: Symbols<Label>,
    scratch: Scratch,
    /// For each label, whether it occurs in trees before and after.
    seen: Vec<(bool, bool)>,
    kinds: Vec<Option<&'static str>>,
    report: Report,
    other: Counts,
}

impl<'t> Reporter<'t> {
    /// Creates a report on this transformation, with this operation first and its inverse second.
    pub fn new(transform: &'t dyn Transform, operation: Operation) -> Self {
        let mut labels = Symbols::new();
        let inverse = transform.inverse(&mut labels);
        Self {
            transform,
            inverse,
            operation,
            labels,
            scratch: Scratch::default(),
            seen: Vec::new(),
            kinds: Vec::new(),
            report: Report::default(),
            other: Counts::default(),
        }
    }

    /// Transforms the tree of a sentence and back, and counts.
    pub fn add(&mut self, sentence: &Sentence) {
        let n_known = self.labels.len();
        let before = sentence.tree_with(&mut self.labels, Underscore::Label);
        let mut after = before.clone();
        let Self { transform, inverse, labels, scratch, .. } = self;
        let refused = match self.operation {
            Operation::Apply => transform.apply(sentence, &mut after, labels, scratch).is_err(),
            Operation::Invert => !before.is_well_formed(),
        };
        if refused {
            self.report.not_trees += 1;
            return;
        }
        if labels.len() > n_known {
            inverse.extend(labels);
        }
        if self.operation == Operation::Invert {
            inverse.invert(sentence, &mut after, scratch);
        }
        let mut back = after.clone();
        match self.operation {
            Operation::Apply => inverse.invert(sentence, &mut back, scratch),
            // The inverse returns trees for trees, so this one is accepted.
            Operation::Invert => transform.apply(sentence, &mut back, labels, scratch).unwrap_or_default(),
        }
        let original = if self.operation == Operation::Apply { &before } else { &after };
        self.kinds.clear();
        self.kinds.resize(before.n_tokens() + 1, None);
        transform.constructions(sentence, original, labels, scratch, &mut self.kinds);
        self.count(&before, &after, &back);
    }

    /// Returns the report on all sentences added.
    pub fn finish(self) -> Report {
        let Self { seen, mut report, other, .. } = self;
        report.labels_before = seen.iter().filter(|(before, _)| *before).count();
        report.labels_after = seen.iter().filter(|(_, after)| *after).count();
        report.labels_added = seen.iter().filter(|&&(before, after)| after && !before).count();
        if !report.constructions.is_empty() {
            report.constructions.push((OTHER, other));
        }
        report
    }

    fn count(&mut self, before: &Tree, after: &Tree, back: &Tree) {
        self.seen.resize(self.labels.len(), (false, false));
        let report = &mut self.report;
        report.sentences += 1;
        report.touched_sentences += u64::from(before != after);
        report.lost_sentences += u64::from(before != back);
        for token in before.tokens() {
            if let Some(seen) = self.seen.get_mut(before.label(token).index()) {
                seen.0 = true;
            }
            if let Some(seen) = self.seen.get_mut(after.label(token).index()) {
                seen.1 = true;
            }
            let (moved, relabelled) =
                (before.head(token) != after.head(token), before.label(token) != after.label(token));
            let counts = Counts {
                arcs: 1,
                moved: moved.into(),
                relabelled: relabelled.into(),
                touched: (moved || relabelled).into(),
                lost_heads: (before.head(token) != back.head(token)).into(),
                lost_labels: (before.label(token) != back.label(token)).into(),
            };
            report.total.add(counts);
            match self.kinds[token.index()] {
                None => self.other.add(counts),
                Some(kind) => match report.constructions.iter_mut().find(|(name, _)| *name == kind) {
                    Some((_, all)) => all.add(counts),
                    None => report.constructions.push((kind, counts)),
                },
            }
        }
    }
}
