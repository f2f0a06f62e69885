//! What a transformation does to a treebank, and what is lost on the way there and back.

use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Sentence, Tree, Underscore};

use crate::rewriter::Way;
use crate::scratch::Scratch;
use crate::transform::{Inverse, Transform};

/// What all arcs that belong to no construction are reported as.
const OTHER: &str = "other arcs";

/// Counts of arcs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// All of them.
    pub arcs: u64,
    /// Those that got another head.
    pub moved: u64,
    /// Those that got another label.
    pub relabelled: u64,
    /// Those that got another head or another label.
    pub touched: u64,
    /// Those whose head the way back did not bring back.
    pub lost_heads: u64,
    /// Those whose label the way back did not bring back.
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

/// What was found in a treebank so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// How many sentences have a tree.
    pub sentences: u64,
    /// How many others there are: they stay as they are.
    pub not_trees: u64,
    /// How many trees were changed.
    pub touched_sentences: u64,
    /// How many trees came back with some other head or label.
    pub lost_sentences: u64,
    /// How many labels the trees have before.
    pub labels_before: usize,
    /// How many labels they have after.
    pub labels_after: usize,
    /// How many of those they did not have before.
    pub labels_added: usize,
    /// All arcs.
    pub total: Counts,
    /// Arcs by the construction that they belong to, in the order in which these were first met; the others last.
    pub constructions: Vec<(&'static str, Counts)>,
}

/// Goes through a treebank and reports.
#[derive(Debug)]
pub struct Reporter<'t> {
    transform: &'t dyn Transform,
    inverse: Box<dyn Inverse>,
    way: Way,
    labels: Symbols<Label>,
    scratch: Scratch,
    /// By label: whether trees have it before, and after.
    seen: Vec<(bool, bool)>,
    kinds: Vec<Option<&'static str>>,
    report: Report,
    other: Counts,
}

impl<'t> Reporter<'t> {
    /// Reports on this transformation, taken this way first and the other way back.
    pub fn new(transform: &'t dyn Transform, way: Way) -> Self {
        let mut labels = Symbols::new();
        let inverse = transform.inverse(&mut labels);
        Self {
            transform,
            inverse,
            way,
            labels,
            scratch: Scratch::default(),
            seen: Vec::new(),
            kinds: Vec::new(),
            report: Report::default(),
            other: Counts::default(),
        }
    }

    /// Transforms the tree of a sentence there and back, and counts.
    pub fn add(&mut self, sentence: &Sentence) {
        let n_known = self.labels.len();
        let before = sentence.tree_with(&mut self.labels, Underscore::Label);
        let mut after = before.clone();
        let Self { transform, inverse, labels, scratch, .. } = self;
        let refused = match self.way {
            Way::Apply => transform.apply(sentence, &mut after, labels, scratch).is_err(),
            Way::Invert => !before.is_well_formed(),
        };
        if refused {
            self.report.not_trees += 1;
            return;
        }
        if labels.len() > n_known {
            inverse.extend(labels);
        }
        if self.way == Way::Invert {
            inverse.invert(sentence, &mut after, scratch);
        }
        let mut back = after.clone();
        match self.way {
            Way::Apply => inverse.invert(sentence, &mut back, scratch),
            // The way back makes trees of trees, so this one is not refused.
            Way::Invert => transform.apply(sentence, &mut back, labels, scratch).unwrap_or_default(),
        }
        let original = if self.way == Way::Apply { &before } else { &after };
        self.kinds.clear();
        self.kinds.resize(before.n_tokens() + 1, None);
        transform.constructions(sentence, original, labels, scratch, &mut self.kinds);
        self.count(&before, &after, &back);
    }

    /// The report on all that was added.
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
