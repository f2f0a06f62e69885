//! The input of a solver: instances with their costs, and the classes.

use crate::instances::Instances;
use crate::targets::Right;

/// Marks instances with zero weight, and classes without other instances.
const NO_RANK: u32 = u32::MAX;

/// The instances as a solver sees them.
#[derive(Debug)]
pub(super) struct Problem<'a> {
    instances: &'a Instances,
    /// One per rank: its class. Ranks are in the order of first occurrence.
    classes: Vec<u32>,
    /// One per instance: the rank of its class.
    ranks: Vec<u32>,
    /// The instances that can change a weight.
    movable: Vec<u32>,
    c: f64,
    bias: f64,
}

impl<'a> Problem<'a> {
    /// A problem with the cost `c`, and a constant feature with the value `bias`; none if that is 0.
    pub(super) fn new(instances: &'a Instances, c: f64, bias: f64) -> Self {
        let mut rank_of = vec![NO_RANK; instances.n_classes()];
        let shares = shares(instances);
        let (mut classes, mut ranks, mut movable) = (Vec::new(), Vec::new(), Vec::new());
        for (number, instance) in (0u32..).zip(0..instances.len()) {
            // Instances with zero weight are ignored, and so are classes without others.
            if instances.weight(instance) <= 0.0 {
                ranks.push(NO_RANK);
                continue;
            }
            let class = one_class(instances.right(instance), &shares);
            let rank = &mut rank_of[class as usize];
            if *rank == NO_RANK {
                *rank = u32::try_from(classes.len()).expect("there are fewer than 2³¹ classes");
                classes.push(class);
            }
            ranks.push(*rank);
            if bias > 0.0 || !instances.row(instance).is_empty() {
                movable.push(number);
            }
        }
        Self { instances, classes, ranks, movable, c, bias }
    }

    pub(super) fn instances(&self) -> &'a Instances {
        self.instances
    }

    /// One per rank: its class.
    pub(super) fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// The instances that can change a weight: they have a nonzero weight and a feature.
    pub(super) fn movable(&self) -> &[u32] {
        &self.movable
    }

    /// The instances with nonzero weight, including those without features.
    pub(super) fn counted(&self) -> Vec<u32> {
        (0u32..)
            .zip(&self.ranks)
            .filter(|(_, rank)| **rank != NO_RANK)
            .map(|(instance, _)| instance)
            .collect()
    }

    /// The value of the constant feature; 0 if there is none.
    pub(super) fn bias(&self) -> f64 {
        self.bias
    }

    #[inline]
    pub(super) fn row(&self, instance: u32) -> &'a [u32] {
        self.instances.row(instance as usize)
    }

    /// The rank of the class of an instance with nonzero weight.
    #[inline]
    pub(super) fn rank(&self, instance: u32) -> u32 {
        self.ranks[instance as usize]
    }

    /// The cost of an error on an instance.
    #[inline]
    pub(super) fn cost(&self, instance: u32) -> f64 {
        self.c * f64::from(self.instances.weight(instance as usize))
    }

    /// The squared norm of an instance.
    #[inline]
    pub(super) fn square(&self, row: &[u32]) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "instances have some hundred features")]
        let n = row.len() as f64;
        n + self.bias * self.bias
    }

    /// One per rank: the number of instances of the class.
    pub(super) fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes.len()];
        for &instance in &self.movable {
            counts[self.rank(instance) as usize] += 1;
        }
        counts
    }
}

/// One per class: its total weight over all instances.
fn shares(instances: &Instances) -> Vec<f64> {
    let mut shares = vec![0.0; instances.n_classes()];
    for instance in 0..instances.len() {
        for (class, share) in instances.right(instance).shares() {
            shares[class as usize] += f64::from(share * instances.weight(instance));
        }
    }
    shares
}

/// The class to learn for an instance. Of several correct classes it is the one that is most frequent overall: the choice has to be the
/// same in all iterations, or there would be no optimum, and instances that allow the same class should agree on it.
fn one_class(right: Right<'_>, shares: &[f64]) -> u32 {
    let more =
        |best: u32, class: u32| if shares[class as usize] > shares[best as usize] { class } else { best };
    match right {
        Right::AnyOf(classes) => classes.iter().copied().fold(classes[0], more),
        right => right.likeliest(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::Positions;

    #[test]
    fn ranks_are_in_the_order_in_which_classes_appear() {
        let mut instances = Instances::new(Positions::one(3), 5);
        instances.push(&[0], Right::Class(4), 0.0);
        instances.push(&[0, 1], Right::AnyOf(&[1, 2]), 1.0);
        instances.push(&[], Right::Distribution(&[(0, 0.4), (3, 0.6)]), 0.5);
        instances.push(&[2], Right::Class(2), 2.0);
        let problem = Problem::new(&instances, 0.1, 0.0);
        assert_eq!(problem.classes(), [2, 3]);
        assert_eq!([1, 2, 3].map(|instance| problem.rank(instance)), [0, 1, 0]);
        assert_eq!(problem.movable(), [1, 3]);
        assert_eq!(problem.counts(), [2, 0]);
        assert!((problem.cost(3) - 0.2).abs() < 1e-12);
        assert!((problem.square(problem.row(1)) - 2.0).abs() < 1e-12);
        let problem = Problem::new(&instances, 0.1, 3.0);
        assert_eq!(problem.movable(), [1, 2, 3]);
        assert!((problem.square(problem.row(1)) - 11.0).abs() < 1e-12);
    }
}
