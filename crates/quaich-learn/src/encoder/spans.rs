//! The sequences of a minibatch, whose rows are stored consecutively.

use std::ops::Range;

/// The rows of each sequence.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans {
    ends: Vec<usize>,
}

impl Spans {
    /// Sequences of these lengths.
    pub(super) fn new(lengths: impl Iterator<Item = usize>) -> Self {
        let ends = lengths.scan(0, |end, length| {
            *end += length;
            Some(*end)
        });
        Self { ends: ends.collect() }
    }

    /// The total number of rows.
    pub(super) fn n_rows(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The rows of each sequence.
    pub(super) fn iter(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| start..end)
    }

    /// Splits a matrix into the rows of each sequence.
    pub(super) fn split<'a, T>(&self, mut rows: &'a mut [T], width: usize) -> Vec<&'a mut [T]> {
        let cut = self.iter().map(|span| {
            let (first, rest) = std::mem::take(&mut rows).split_at_mut(span.len() * width);
            rows = rest;
            first
        });
        cut.collect()
    }
}
