//! How the distributions of labels and sentence lengths differ between two sets of sentences.

use std::collections::BTreeMap;

use quaich_treebank::Sentence;
use serde::Serialize;

/// How what was added differs from the source.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Shift {
    /// The mean number of words of sentences: source, target, added.
    pub mean_length: [f64; 3],
    /// The total variation distance between the labels of source and added arcs, in percent: 0 if they are distributed alike.
    pub labels_moved: f64,
    /// The labels whose shares differ most, the largest difference first.
    pub labels: Vec<LabelShare>,
}

/// The share of a label among arcs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LabelShare {
    /// The label.
    pub label: String,
    /// Its share in the source, in percent.
    pub source: f64,
    /// Its share among added arcs, in percent.
    pub added: f64,
}

/// The number of labels in reports.
const SHOWN: usize = 3;

impl Shift {
    pub(crate) fn of(source: &[Sentence], target: &[Sentence], added: &[Sentence]) -> Self {
        let (of_source, of_added) = (shares(source), shares(added));
        let share = |shares: &BTreeMap<&str, f64>, label: &str| shares.get(label).copied().unwrap_or(0.0);
        let mut labels: Vec<LabelShare> = of_source
            .keys()
            .chain(of_added.keys().filter(|label| !of_source.contains_key(*label)))
            .map(|&label| LabelShare {
                label: label.to_owned(),
                source: share(&of_source, label),
                added: share(&of_added, label),
            })
            .collect();
        let moved = |label: &LabelShare| (label.added - label.source).abs();
        let labels_moved = labels.iter().map(moved).sum::<f64>() / 2.0;
        labels.sort_by(|one, other| moved(other).total_cmp(&moved(one)));
        labels.truncate(SHOWN);
        Self { mean_length: [source, target, added].map(mean_length), labels_moved, labels }
    }
}

/// The shares of labels among arcs, in percent.
#[allow(clippy::cast_precision_loss, reason = "numbers of arcs")]
fn shares(sentences: &[Sentence]) -> BTreeMap<&str, f64> {
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    for sentence in sentences {
        for token in sentence.tokens().filter(|token| sentence.heads()[token.index()].is_some()) {
            *counts.entry(sentence.label(token)).or_default() += 1.0;
        }
    }
    let n: f64 = counts.values().sum();
    for count in counts.values_mut() {
        *count *= 100.0 / n;
    }
    counts
}

#[allow(clippy::cast_precision_loss, reason = "numbers of words")]
fn mean_length(sentences: &[Sentence]) -> f64 {
    let n: usize = sentences.iter().map(Sentence::n_tokens).sum();
    n as f64 / sentences.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use quaich_treebank::Treebank;

    use super::*;

    #[test]
    fn distributions_are_compared() {
        let read = |labels: &[&str]| {
            let row = |(number, label): (usize, &&str)| {
                format!("{}\tw\t_\tX\t_\t_\t{number}\t{label}\t_\t_\n", number + 1)
            };
            let text: String = labels.iter().enumerate().map(row).collect();
            Treebank::from_text(&(text + "\n")).unwrap()
        };
        let (source, added) = (read(&["root", "obj"]), read(&["root", "det", "det", "det"]));
        let shift = Shift::of(&source, &source, &added);
        assert!((shift.labels_moved - 75.0).abs() < 1e-9, "{shift:?}");
        assert_eq!(shift.labels[0].label, "det");
        assert!(shift.mean_length.iter().zip([2.0, 2.0, 4.0]).all(|(mean, n)| (mean - n).abs() < 1e-9));
    }
}
