//! Class distributions: of distinct instances, of symbols at a position, of nodes of trees.

use crate::arrays::{Arrays, LoadError};

/// Distributions: classes with their counts, for each of several items.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Distributions {
    /// One per item: the start of its classes; and their total number.
    starts: Vec<u32>,
    /// Ascending within an item.
    classes: Vec<u32>,
    /// Positive.
    counts: Vec<f64>,
}

impl Default for Distributions {
    fn default() -> Self {
        Self { starts: vec![0], classes: Vec::new(), counts: Vec::new() }
    }
}

impl Distributions {
    /// The number of items.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The distribution of an item.
    #[inline]
    pub(crate) fn get(&self, thing: usize) -> Distribution<'_> {
        let range = self.starts[thing] as usize..self.starts[thing + 1] as usize;
        Distribution { classes: &self.classes[range.clone()], counts: &self.counts[range] }
    }

    /// Adds the content of a counter as the next item, and empties the counter.
    pub(crate) fn push(&mut self, counter: &mut Counter) {
        counter.seen.sort_unstable();
        for class in counter.seen.drain(..) {
            self.classes.push(class);
            self.counts.push(std::mem::take(&mut counter.counts[class as usize]));
        }
        self.starts.push(len(&self.classes));
    }

    /// The distributions of some of the items.
    #[must_use]
    pub(crate) fn selected(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut selected = Self::default();
        for thing in (0..self.len()).filter(|&thing| keep(thing)) {
            let Distribution { classes, counts } = self.get(thing);
            selected.classes.extend_from_slice(classes);
            selected.counts.extend_from_slice(counts);
            selected.starts.push(len(&selected.classes));
        }
        selected
    }

    /// Probabilities instead of counts.
    #[must_use]
    pub(crate) fn normalised(&self) -> Self {
        let mut normalised = self.clone();
        for pair in self.starts.windows(2) {
            let counts = &mut normalised.counts[pair[0] as usize..pair[1] as usize];
            let total: f64 = counts.iter().sum();
            for count in counts {
                *count /= total;
            }
        }
        normalised
    }

    pub(crate) fn save(&self, arrays: &mut Arrays) {
        arrays.set("starts", &self.starts);
        arrays.set("classes", &self.classes);
        arrays.set("counts", &self.counts);
    }

    pub(crate) fn load(arrays: &Arrays, n_classes: usize) -> Result<Self, LoadError> {
        let starts: Vec<u32> = arrays.get("starts")?;
        let classes: Vec<u32> = arrays.get("classes")?;
        let counts: Vec<f64> = arrays.get_exactly("counts", classes.len())?;
        if starts.first() != Some(&0)
            || !starts.is_sorted()
            || starts.last().is_none_or(|&end| end as usize != classes.len())
        {
            return Err(LoadError::unfit("starts", "does not divide the classes"));
        }
        let within = |pair: &[u32]| &classes[pair[0] as usize..pair[1] as usize];
        let in_order = |classes: &[u32]| {
            classes.is_sorted_by(|a, b| a < b) && classes.last().is_none_or(|&c| (c as usize) < n_classes)
        };
        if !starts.windows(2).all(|pair| in_order(within(pair))) {
            return Err(LoadError::unfit("classes", "is not sorted"));
        }
        if !counts.iter().all(|&count| count > 0.0 && count.is_finite()) {
            return Err(LoadError::unfit("counts", "contains invalid counts"));
        }
        Ok(Self { starts, classes, counts })
    }
}

/// The distribution of one item.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Distribution<'a> {
    pub(crate) classes: &'a [u32],
    pub(crate) counts: &'a [f64],
}

impl<'a> Distribution<'a> {
    pub(crate) fn iter(self) -> impl Iterator<Item = (u32, f64)> + 'a {
        self.classes.iter().copied().zip(self.counts.iter().copied())
    }

    pub(crate) fn total(self) -> f64 {
        self.counts.iter().sum()
    }

    /// The class with the highest count; of several equal ones the one that is most frequent overall, then the first. This is TiMBL's
    /// rule. Also returns whether there was a tie.
    pub(crate) fn best(self, overall: &[f64]) -> Option<(u32, bool)> {
        best(self.iter(), overall)
    }
}

/// The class with the most votes, given classes in ascending order; see [`Distribution::best`]. Votes that differ by less than the
/// machine epsilon are equal, as in TiMBL.
pub(crate) fn best(votes: impl Iterator<Item = (u32, f64)>, overall: &[f64]) -> Option<(u32, bool)> {
    let mut best: Option<(u32, f64, bool)> = None;
    for (class, vote) in votes {
        best = match best {
            Some((leader, most, tied)) if vote <= most => {
                if (vote - most).abs() < f64::EPSILON {
                    let more_often = overall[class as usize] > overall[leader as usize];
                    Some((if more_often { class } else { leader }, most, true))
                } else {
                    Some((leader, most, tied))
                }
            }
            _ => Some((class, vote, false)),
        };
    }
    best.map(|(class, _, tied)| (class, tied))
}

/// Raises the score of the winner, if a tie or rounding hides it.
pub(crate) fn settle(scores: &mut [f32], winner: u32) {
    let others = scores.iter().enumerate().filter(|&(class, _)| class != winner as usize);
    let highest = others.map(|(_, &score)| score).fold(f32::NEG_INFINITY, f32::max);
    let score = &mut scores[winner as usize];
    if *score <= highest {
        *score = highest.next_up();
    }
}

/// Counts classes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counter {
    counts: Vec<f64>,
    /// The classes with a count, in the order of their first occurrence.
    seen: Vec<u32>,
}

impl Counter {
    pub(crate) fn new(n_classes: usize) -> Self {
        Self { counts: vec![0.0; n_classes], seen: Vec::new() }
    }

    /// Resets the counter for `n` classes.
    pub(crate) fn reset(&mut self, n_classes: usize) {
        self.counts.clear();
        self.counts.resize(n_classes, 0.0);
        self.seen.clear();
    }

    /// Adds to the count of a class; ignores zero.
    #[inline]
    pub(crate) fn add(&mut self, class: u32, count: f64) {
        if count > 0.0 {
            let sum = &mut self.counts[class as usize];
            if *sum == 0.0 {
                self.seen.push(class);
            }
            *sum += count;
        }
    }

    pub(crate) fn add_all(&mut self, distribution: Distribution<'_>) {
        distribution.iter().for_each(|(class, count)| self.add(class, count));
    }

    /// Classes with their counts, in the order of their first occurrence; empties the counter.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = (u32, f64)> + '_ {
        let counts = &mut self.counts;
        self.seen.drain(..).map(|class| (class, std::mem::take(&mut counts[class as usize])))
    }

    /// Classes with their counts, ascending.
    pub(crate) fn sorted(&mut self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.seen.sort_unstable();
        self.seen.iter().map(|&class| (class, self.counts[class as usize]))
    }
}

/// The number of items, which are fewer than 2³².
pub(crate) fn len<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).expect("fewer than 2³² items")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The winner of these votes, with a star for a tie.
    fn check(votes: &[(u32, f64)], expected: &str) {
        let found = best(votes.iter().copied(), &[5.0, 9.0, 9.0, 1.0]);
        let found = found.map(|(class, tied)| format!("{class}{}", if tied { "*" } else { "" }));
        assert_eq!(found.unwrap_or_default(), expected);
    }

    #[test]
    fn the_commoner_class_wins_a_tie_then_the_first() {
        check(&[], "");
        check(&[(0, 1.0), (3, 2.0)], "3");
        check(&[(0, 2.0), (1, 2.0), (3, 1.0)], "1*");
        check(&[(1, 2.0), (2, 2.0)], "1*");
        check(&[(0, 1.0), (1, 1.0), (3, 2.0)], "3");
        check(&[(0, 0.5), (1, 0.5 - 1e-16)], "1*");
    }

    #[test]
    fn the_winner_has_the_highest_score() {
        let mut scores = [0.5, 0.5, -1.0];
        settle(&mut scores, 1);
        assert!(scores[1] > scores[0]);
        let mut scores = [0.5f32, 0.75];
        settle(&mut scores, 1);
        assert_eq!(scores.map(f32::to_bits), [0.5f32, 0.75].map(f32::to_bits));
        settle(&mut scores[..1], 0);
    }

    #[test]
    fn counts_are_kept_by_class() {
        let mut counter = Counter::new(4);
        let mut distributions = Distributions::default();
        for (class, count) in [(2, 1.0), (0, 2.0), (2, 0.5), (1, 0.0)] {
            counter.add(class, count);
        }
        distributions.push(&mut counter);
        counter.add(3, 1.0);
        distributions.push(&mut counter);
        assert_eq!(distributions.get(0).iter().collect::<Vec<_>>(), [(0, 2.0), (2, 1.5)]);
        assert_eq!(distributions.selected(|thing| thing == 1).get(0).total().to_bits(), 1f64.to_bits());
        let mut arrays = Arrays::default();
        distributions.save(&mut arrays);
        assert_eq!(Distributions::load(&arrays, 4), Ok(distributions));
        assert!(Distributions::load(&arrays, 3).is_err());
    }
}
