//! The targets of instances and their weights.
//!
//! Nearly always a single class is correct and all weights are equal; then an instance takes four bytes. The top bits of a number
//! distinguish classes from sets and distributions, which are stored separately.

use crate::lists::Lists;

/// The target of an instance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Right<'a> {
    /// One class.
    Class(u32),
    /// Any of these classes; the learner chooses.
    AnyOf(&'a [u32]),
    /// Soft targets: classes with probabilities, as given by a teacher.
    Distribution(&'a [(u32, f32)]),
}

impl<'a> Right<'a> {
    /// Whether a class is correct, even with a small probability.
    pub fn contains(&self, class: u32) -> bool {
        match self {
            Self::Class(right) => class == *right,
            Self::AnyOf(classes) => classes.contains(&class),
            Self::Distribution(shares) => shares.iter().any(|&(right, share)| class == right && share > 0.0),
        }
    }

    /// Classes with probabilities; those of a set are equally probable.
    pub fn shares(self) -> impl Iterator<Item = (u32, f32)> + 'a {
        let (class, set, shares) = match self {
            Self::Class(class) => (Some(class), &[][..], &[][..]),
            Self::AnyOf(set) => (None, set, &[][..]),
            Self::Distribution(shares) => (None, &[][..], shares),
        };
        #[allow(clippy::cast_precision_loss, reason = "a float holds the numbers of classes exactly")]
        let share = 1.0 / set.len() as f32;
        let any_of = set.iter().map(move |&class| (class, share));
        class.map(|class| (class, 1.0)).into_iter().chain(any_of).chain(shares.iter().copied())
    }

    /// One class for learners that need a single one: of a set, the one with the highest score, because it is the easiest to learn; of a
    /// distribution, the most probable.
    pub fn best(&self, scores: &[f32]) -> u32 {
        match self {
            Self::AnyOf(classes) => {
                let score = |class: u32| scores[class as usize];
                let better = |best, &class| if score(class) > score(best) { class } else { best };
                classes.iter().fold(classes[0], better)
            }
            _ => self.likeliest(),
        }
    }

    /// One class independent of scores: the first of a set, the most probable of a distribution.
    pub fn likeliest(&self) -> u32 {
        match self {
            Self::Class(class) => *class,
            Self::AnyOf(classes) => classes[0],
            Self::Distribution(shares) => {
                let best =
                    |best: (u32, f32), &share: &(u32, f32)| if share.1 > best.1 { share } else { best };
                shares.iter().skip(1).fold(shares[0], best).0
            }
        }
    }
}

/// The targets and weights of instances.
#[derive(Clone, PartialEq, Debug)]
pub struct Targets {
    n_classes: usize,
    /// One per instance: a class, or a number marked with [`SET`] or [`DISTRIBUTION`].
    right: Vec<u32>,
    sets: Lists<u32>,
    distributions: Lists<(u32, f32)>,
    /// One per instance; empty while all weights are 1.
    weights: Vec<f32>,
}

/// Marks the number of a set.
const SET: u32 = 0x8000_0000;
/// Marks the number of a distribution.
const DISTRIBUTION: u32 = 0xc000_0000;
/// Masks the number.
const NUMBER: u32 = 0x3fff_ffff;

impl Targets {
    /// No targets yet.
    ///
    /// # Panics
    /// If there are 2³¹ classes or more.
    pub fn new(n_classes: usize) -> Self {
        Self::of_classes(n_classes, Vec::new())
    }

    /// One correct class per instance, all with weight 1.
    ///
    /// # Panics
    /// If a class is not below `n_classes`, or there are 2³¹ classes or more.
    pub fn of_classes(n_classes: usize, classes: Vec<u32>) -> Self {
        assert!(n_classes <= SET as usize, "fewer than 2³¹ classes");
        assert!(classes.iter().all(|&class| (class as usize) < n_classes), "classes are dense");
        Self {
            n_classes,
            right: classes,
            sets: Lists::default(),
            distributions: Lists::default(),
            weights: Vec::new(),
        }
    }

    /// Reserves memory for `n` more instances.
    pub fn reserve(&mut self, n: usize) {
        self.right.reserve(n);
    }

    /// Adds an instance. The default weight is 1.
    ///
    /// # Panics
    /// If the target is empty, a class is not below `n_classes`, or a weight or a probability is negative or NaN.
    pub fn push(&mut self, right: Right<'_>, weight: f32) {
        let dense = |class: u32| assert!((class as usize) < self.n_classes, "classes are dense");
        assert!(weight.is_finite() && weight >= 0.0, "weights are finite and not negative");
        let number =
            |n: usize| u32::try_from(n).ok().filter(|&n| n <= NUMBER).expect("fewer than 2³⁰ instances");
        let right = match right {
            Right::Class(class) | Right::AnyOf(&[class]) | Right::Distribution(&[(class, _)]) => {
                dense(class);
                class
            }
            Right::AnyOf(classes) => {
                assert!(!classes.is_empty(), "something is right");
                classes.iter().copied().for_each(dense);
                SET | number(self.sets.push(classes))
            }
            Right::Distribution(shares) => {
                assert!(!shares.is_empty(), "something is right");
                shares.iter().map(|&(class, _)| class).for_each(dense);
                assert!(shares.iter().all(|&(_, share)| share >= 0.0), "probabilities are not negative");
                DISTRIBUTION | number(self.distributions.push(shares))
            }
        };
        let is_usual = weight.to_bits() == 1.0f32.to_bits();
        if self.weights.is_empty() && !is_usual {
            self.weights.resize(self.right.len(), 1.0);
            self.weights.push(weight);
        } else if !self.weights.is_empty() {
            self.weights.push(weight);
        }
        self.right.push(right);
    }

    /// Adds the targets of another collection with the same classes.
    ///
    /// # Panics
    /// If the numbers of classes differ.
    pub fn append(&mut self, other: &Self) {
        assert_eq!(self.n_classes, other.n_classes, "the same classes");
        self.reserve(other.len());
        for instance in 0..other.len() {
            self.push(other.right(instance), other.weight(instance));
        }
    }

    /// Removes all instances from number `len`.
    pub fn truncate(&mut self, len: usize) {
        let forgotten = self.right.get(len..).unwrap_or_default();
        let n_of = |mark: u32| forgotten.iter().filter(|&&right| right & !NUMBER == mark).count();
        let (n_sets, n_distributions) = (n_of(SET), n_of(DISTRIBUTION));
        self.sets.truncate(self.sets.len() - n_sets);
        self.distributions.truncate(self.distributions.len() - n_distributions);
        self.right.truncate(len);
        self.weights.truncate(len);
    }

    /// The number of instances.
    pub fn len(&self) -> usize {
        self.right.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.right.is_empty()
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// The target of an instance.
    #[inline]
    pub fn right(&self, instance: usize) -> Right<'_> {
        let right = self.right[instance];
        let number = (right & NUMBER) as usize;
        match right & !NUMBER {
            SET => Right::AnyOf(self.sets.get(number)),
            DISTRIBUTION => Right::Distribution(self.distributions.get(number)),
            _ => Right::Class(right),
        }
    }

    /// The weight of an instance.
    #[inline]
    pub fn weight(&self, instance: usize) -> f32 {
        self.weights.get(instance).copied().unwrap_or(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixed() -> Targets {
        let mut targets = Targets::new(4);
        targets.push(Right::Class(2), 1.0);
        targets.push(Right::AnyOf(&[3, 1]), 1.0);
        targets.push(Right::Distribution(&[(0, 0.25), (2, 0.75)]), 0.5);
        targets.push(Right::AnyOf(&[1]), 2.0);
        targets.push(Right::Distribution(&[(1, 0.5), (3, 0.5)]), 1.0);
        targets
    }

    #[test]
    fn classes_sets_and_distributions_live_together() {
        let targets = mixed();
        let expected = [
            (Right::Class(2), 1.0, 2),
            (Right::AnyOf(&[3, 1]), 1.0, 3),
            (Right::Distribution(&[(0, 0.25), (2, 0.75)]), 0.5, 2),
            (Right::Class(1), 2.0, 1),
            (Right::Distribution(&[(1, 0.5), (3, 0.5)]), 1.0, 1),
        ];
        for (i, (right, weight, likeliest)) in expected.into_iter().enumerate() {
            assert_eq!((targets.right(i), targets.weight(i)), (right, weight));
            assert_eq!(targets.right(i).likeliest(), likeliest);
        }
        assert!(targets.right(1).contains(1) && !targets.right(1).contains(0));
        let shares = [0, 1, 2].map(|i| targets.right(i).shares().collect::<Vec<_>>());
        assert_eq!(shares, [vec![(2, 1.0)], vec![(3, 0.5), (1, 0.5)], vec![(0, 0.25), (2, 0.75)]]);
        let scores = [0.0, 0.5, 1.0, 0.5];
        assert_eq!([0, 1, 2].map(|i| targets.right(i).best(&scores)), [2, 3, 2]);
        assert_eq!(targets.right(1).best(&[0.0, 0.6, 1.0, 0.5]), 1);
    }

    #[test]
    fn what_is_appended_and_cut_off_is_what_was_there() {
        let mut twice = mixed();
        twice.append(&mixed());
        assert_eq!(twice.len(), 10);
        assert_eq!(twice.right(7), mixed().right(2));
        twice.truncate(5);
        assert_eq!(twice, mixed());
        twice.truncate(2);
        twice.push(Right::Distribution(&[(0, 0.5), (1, 0.5)]), 1.0);
        assert_eq!(twice.right(2), Right::Distribution(&[(0, 0.5), (1, 0.5)]));
    }

    #[test]
    fn plain_classes_cost_four_bytes() {
        let targets = Targets::of_classes(3, vec![0, 1, 2]);
        assert!(targets.weights.is_empty());
        assert_eq!((targets.sets.len(), targets.distributions.len()), (0, 0));
    }
}
