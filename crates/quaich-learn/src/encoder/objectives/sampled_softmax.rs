//! Sampled softmax: with thousands of classes, a minibatch compares only a random sample and the classes that are correct in it.
//!
//! All instances share one sample. If classes are numbered by frequency, the most frequent ones can be compared in every minibatch, and
//! only the others are sampled: most of the probability is then summed exactly. Each sampled class also represents classes that were not sampled, so that the estimate of the sum over
//! all classes is unbiased (Jean et al. 2015). The cost of a step does not grow with the number of classes.

use rand::seq::SliceRandom;

use super::super::affine::Affine;
use crate::math::ln;
use crate::step_rng::StepRng;

/// The sample size. If there are no more classes than this, all of them are compared.
const SAMPLE_SIZE: usize = 1024;

/// The classes of a minibatch, if they are sampled.
#[derive(Debug)]
pub(super) struct SampledClasses {
    /// In increasing order.
    classes: Vec<u32>,
    /// One per class: added to its score. Classes outside the sample are compared only where they are correct.
    shifts: Vec<f32>,
}

impl SampledClasses {
    /// Samples classes for a minibatch with these correct ones; `None` if all classes are compared.
    pub(super) fn new(n_classes: usize, right: &[u32], rng: StepRng) -> Option<Self> {
        Self::with_frequent(n_classes, 0, right, rng)
    }

    /// The same, but the first `n_frequent` classes are always compared.
    pub(super) fn with_frequent(
        n_classes: usize,
        n_frequent: usize,
        right: &[u32],
        rng: StepRng,
    ) -> Option<Self> {
        if n_classes <= n_frequent + SAMPLE_SIZE {
            return None;
        }
        let mut rare: Vec<u32> = (0..).take(n_classes).skip(n_frequent).collect();
        let (sample, _) = rare.partial_shuffle(&mut rng.stream(0), SAMPLE_SIZE);
        sample.sort_unstable();
        let frequent: Vec<u32> = (0..).take(n_frequent).collect();
        let mut classes = [&frequent[..], sample, right].concat();
        classes.sort_unstable();
        classes.dedup();
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "some thousands")]
        let shift = ln((n_classes - n_frequent) as f64 / SAMPLE_SIZE as f64) as f32;
        let shift_of = |class: &u32| match sample.binary_search(class) {
            _ if (*class as usize) < n_frequent => 0.0,
            Ok(_) => shift,
            Err(_) => f32::NEG_INFINITY,
        };
        let shifts = classes.iter().map(shift_of).collect();
        Some(Self { classes, shifts })
    }

    /// The classes, in increasing order.
    pub(super) fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// Shifts the scores of an instance with this correct class; returns the position of the class in the sample.
    pub(super) fn shift(&self, scores: &mut [f32], right: u32) -> u32 {
        let number = self.classes.partition_point(|&other| other < right);
        let kept = scores[number];
        for (score, shift) in scores.iter_mut().zip(&self.shifts) {
            *score += shift;
        }
        scores[number] = kept;
        u32::try_from(number).expect("class numbers have 32 bits")
    }

    /// The weights of these classes.
    pub(super) fn of(&self, all: &Affine) -> Affine {
        let columns = || self.classes.iter().map(|&class| class as usize);
        let rows = all.matrix.chunks_exact(all.n_outputs());
        Affine {
            matrix: rows.flat_map(|row| columns().map(|column| row[column])).collect(),
            bias: columns().map(|column| all.bias[column]).collect(),
        }
    }

    /// Scatters the gradient of these classes' weights; that of all others is zero.
    pub(super) fn scatter(&self, gradient: &Affine, all: &mut Affine) {
        let (width, own_width) = (all.n_outputs(), gradient.n_outputs());
        all.matrix.fill(0.0);
        all.bias.fill(0.0);
        let own = gradient.matrix.chunks_exact(own_width).chain([&gradient.bias[..]]);
        let all = all.matrix.chunks_exact_mut(width).chain([&mut all.bias[..]]);
        for (all, own) in all.zip(own) {
            for (&class, cell) in self.classes.iter().zip(own) {
                all[class as usize] = *cell;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_pcg::Pcg64Mcg;

    use super::*;

    const N: usize = 3000;

    fn sampled(step: usize) -> SampledClasses {
        SampledClasses::new(N, &[7, 2999, 7, 0], StepRng::new(1, step)).unwrap()
    }

    #[test]
    fn few_classes_are_not_sampled() {
        assert!(SampledClasses::new(SAMPLE_SIZE, &[7], StepRng::new(1, 1)).is_none());
    }

    #[test]
    fn correct_classes_are_compared_for_their_instances() {
        for step in 0..20 {
            let sampled = sampled(step);
            assert!(sampled.classes.is_sorted() && sampled.classes.len() <= SAMPLE_SIZE + 3);
            for class in [7, 2999, 0] {
                let mut scores = vec![0.5; sampled.classes.len()];
                let right = sampled.shift(&mut scores, class) as usize;
                assert_eq!((sampled.classes[right], scores[right].to_bits()), (class, 0.5f32.to_bits()));
                let n_others = scores.iter().filter(|score| score.is_finite()).count();
                assert!(n_others == SAMPLE_SIZE || n_others == SAMPLE_SIZE + 1, "{n_others}");
            }
        }
    }

    /// The mean of the estimated sums of exponentials equals the sum over all classes.
    #[test]
    fn sums_over_all_classes_are_estimated_without_bias() {
        let score = |class: usize| f32::from(u8::try_from(class % 7).unwrap()) / 3.0;
        let all: f32 = (0..N).filter(|&class| class != 7).map(|class| score(class).exp()).sum();
        let mut mean = 0.0;
        for step in 0..50 {
            let sampled = sampled(step);
            let mut scores: Vec<f32> = sampled.classes.iter().map(|&class| score(class as usize)).collect();
            let right = sampled.shift(&mut scores, 7);
            scores.remove(right as usize);
            mean += scores.iter().map(|score| score.exp()).sum::<f32>() / 50.0;
        }
        assert!((mean / all - 1.0).abs() < 0.01, "{mean} {all}");
    }

    #[test]
    fn frequent_classes_are_always_compared() {
        for step in 0..20 {
            let sampled = SampledClasses::with_frequent(N, 100, &[7, 2999], StepRng::new(1, step)).unwrap();
            assert!((0..100).eq(sampled.classes[..100].iter().copied()));
            assert!(sampled.shifts[..100].iter().all(|shift| *shift == 0.0));
            let weight: f32 = sampled.shifts.iter().map(|shift| shift.exp()).sum();
            assert!((weight - 3000.0).abs() < 0.1, "{weight}");
        }
        assert!(SampledClasses::with_frequent(N, N - SAMPLE_SIZE, &[7], StepRng::new(1, 1)).is_none());
    }

    #[test]
    fn weights_are_gathered_and_scattered() {
        let all = Affine::random(3, N, &mut Pcg64Mcg::seed_from_u64(5));
        let sampled = sampled(1);
        let own = sampled.of(&all);
        assert_eq!((own.n_inputs(), own.n_outputs()), (3, sampled.classes.len()));
        let mut back = all.clone();
        sampled.scatter(&own, &mut back);
        for class in 0..N {
            let is_compared = sampled.classes.binary_search(&u32::try_from(class).unwrap()).is_ok();
            for (back, all) in
                [(&back.matrix[N + class], &all.matrix[N + class]), (&back.bias[class], &all.bias[class])]
            {
                assert_eq!(back.to_bits(), if is_compared { all.to_bits() } else { 0 });
            }
        }
    }
}
