//! Instances in LIBSVM's order: grouped by class, with classes in the order of their first occurrence.

use std::ops::Range;

use crate::instances::Instances;
use crate::lists::Lists;

/// Instances grouped by class. A class is known by its *rank*, the order of its first occurrence; classes without instances have none.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    /// One per rank: its class.
    pub(super) classes: Vec<u32>,
    /// One per rank: its first instance; and the number of instances.
    starts: Vec<usize>,
    /// One row per instance: its values, ascending.
    pub(super) rows: Lists<u32>,
    /// One per instance: the maximum of its dual variable.
    pub(super) costs: Vec<f64>,
    pub(super) n_features: usize,
    pub(super) n_classes: usize,
    /// The length of the longest row.
    pub(super) max_length: usize,
}

impl Problem {
    /// Skips instances with zero weight.
    pub(super) fn new(instances: &Instances, c: f64) -> Self {
        const UNSEEN: usize = usize::MAX;
        let counts = |&i: &usize| instances.weight(i) > 0.0;
        let class = |i: usize| instances.right(i).likeliest();
        let mut rank_of = vec![UNSEEN; instances.n_classes()];
        let mut classes = Vec::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        for i in (0..instances.len()).filter(counts) {
            let rank = &mut rank_of[class(i) as usize];
            if *rank == UNSEEN {
                *rank = classes.len();
                classes.push(class(i));
                members.push(Vec::new());
            }
            members[*rank].push(i);
        }
        let (mut rows, mut costs, mut starts) = (Lists::default(), Vec::new(), vec![0]);
        let mut row = Vec::new();
        for i in members.iter().flatten().copied() {
            row.clear();
            row.extend_from_slice(instances.row(i));
            row.sort_unstable();
            row.dedup();
            rows.push(&row);
            costs.push(c * f64::from(instances.weight(i)));
        }
        for members in &members {
            starts.push(starts[starts.len() - 1] + members.len());
        }
        let max_length = (0..rows.len()).map(|i| rows.get(i).len()).max().unwrap_or(0);
        let (n_features, n_classes) = (instances.n_features(), instances.n_classes());
        Self { classes, starts, rows, costs, n_features, n_classes, max_length }
    }

    /// The number of ranks.
    pub(super) fn n_ranks(&self) -> usize {
        self.classes.len()
    }

    /// The instances of a rank.
    pub(super) fn range(&self, rank: usize) -> Range<usize> {
        self.starts[rank]..self.starts[rank + 1]
    }

    /// All pairs of ranks in order, the first below the second.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let n = self.n_ranks();
        (0..n).flat_map(move |a| (a + 1..n).map(move |b| (a, b)))
    }
}
