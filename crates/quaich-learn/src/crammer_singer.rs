//! A linear classifier by Crammer and Singer's multi-class support vector machine, trained in the
//! dual, one instance at a time (Keerthi et al. 2008; LIBLINEAR's `-s 4`).
//!
//! The features are binary, so x·x is their number, and the weights of one feature for all classes
//! lie side by side: one sweep over an instance's features serves every class.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use crate::instances::Instances;
use crate::weights::Weights;

/// What the learner can be told.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// The cost of a violated margin.
    pub c: f32,
    /// How often the instances are gone through.
    pub passes: usize,
    /// Fixes the order of the instances.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { c: 0.01, passes: 8, seed: 1 }
    }
}

/// Trains on `instances`; `progress` is told the number of finished passes and may say no to more.
pub fn train(instances: &Instances, settings: &Settings, mut progress: impl FnMut(usize) -> bool) -> Weights {
    let n_classes = instances.n_classes();
    let mut solver = Solver {
        instances,
        c: settings.c,
        weights: Weights { n_classes, values: vec![0.0; n_classes * instances.n_features()] },
        alphas: vec![0.0; n_classes * instances.len()],
        gradient: vec![0.0; n_classes],
        changed: Vec::with_capacity(n_classes),
        sorted: Vec::with_capacity(n_classes),
    };
    let mut generator = Pcg64Mcg::seed_from_u64(settings.seed);
    let mut order: Vec<u32> = (0u32..).take(instances.len()).collect();
    // How many passes an instance may be left out of, and how many it has left to be left out.
    let mut patience = vec![(0u8, 0u8); instances.len()];
    for pass in 0..settings.passes {
        order.shuffle(&mut generator);
        for &instance in &order {
            let (calm, pause) = &mut patience[instance as usize];
            if *pause > 0 {
                *pause -= 1;
                continue;
            }
            if solver.visit(instance as usize) {
                *calm = 0;
            } else {
                // Without a violation now, there will hardly be one in the next pass.
                *calm = (*calm + 1).min(3);
                *pause = *calm - 1;
            }
        }
        if !progress(pass + 1) {
            break;
        }
    }
    solver.weights
}

struct Solver<'a> {
    instances: &'a Instances,
    c: f32,
    weights: Weights,
    /// By instance, then by class.
    alphas: Vec<f32>,
    gradient: Vec<f32>,
    changed: Vec<(usize, f32)>,
    sorted: Vec<f32>,
}

impl Solver<'_> {
    /// Solves the problem of one instance, the others held fixed; false if it was solved already.
    fn visit(&mut self, instance: usize) -> bool {
        let features = self.instances.row(instance);
        if features.is_empty() {
            return false;
        }
        let n_classes = self.weights.n_classes;
        match n_classes {
            2 => self.gradient_of::<2>(features),
            3 => self.gradient_of::<3>(features),
            4 => self.gradient_of::<4>(features),
            5 => self.gradient_of::<5>(features),
            6 => self.gradient_of::<6>(features),
            _ => self.gradient_of_any(features),
        }
        let right = self.instances.right(instance).likeliest() as usize;
        for (class, gradient) in self.gradient.iter_mut().enumerate() {
            *gradient += if class == right { 0.0 } else { 1.0 };
        }
        let alphas = &mut self.alphas[instance * n_classes..][..n_classes];
        let mut lowest = f32::INFINITY;
        let mut highest = f32::NEG_INFINITY;
        for (class, (&gradient, &alpha)) in self.gradient.iter().zip(&*alphas).enumerate() {
            let limit = if class == right { self.c } else { 0.0 };
            if alpha < limit && gradient < lowest {
                lowest = gradient;
            }
            highest = highest.max(gradient);
        }
        if highest - lowest <= 1e-3 {
            return false;
        }
        // Minimise over the dual variables of this instance: they sum to 0, none exceeds its limit.
        #[allow(clippy::cast_precision_loss, reason = "instances have some hundred features")]
        let square = features.len() as f32;
        for (gradient, alpha) in self.gradient.iter_mut().zip(&*alphas) {
            *gradient -= square * alpha;
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(&self.gradient);
        self.sorted[right] += square * self.c;
        self.sorted.sort_unstable_by(|a, b| b.total_cmp(a));
        let mut beta = self.sorted[0] - square * self.c;
        let mut count = 1;
        let mut counted = 1.0;
        while count < n_classes && beta < counted * self.sorted[count] {
            beta += self.sorted[count];
            count += 1;
            counted += 1.0;
        }
        beta /= counted;
        self.changed.clear();
        for (class, (alpha, gradient)) in alphas.iter_mut().zip(&self.gradient).enumerate() {
            let limit = if class == right { self.c } else { 0.0 };
            let new = ((beta - gradient) / square).min(limit);
            let step = new - *alpha;
            if step.abs() > 1e-9 {
                self.changed.push((class, step));
                *alpha = new;
            }
        }
        for &feature in features {
            let row = &mut self.weights.values[feature as usize * n_classes..][..n_classes];
            for &(class, step) in &self.changed {
                row[class] += step;
            }
        }
        !self.changed.is_empty()
    }

    /// The scores of all classes, the number of classes known to the compiler.
    fn gradient_of<const N: usize>(&mut self, features: &[u32]) {
        let mut sum = [0.0f32; N];
        let (rows, _) = self.weights.values.as_chunks::<N>();
        for &feature in features {
            let row = &rows[feature as usize];
            for (sum, weight) in sum.iter_mut().zip(row) {
                *sum += weight;
            }
        }
        self.gradient.copy_from_slice(&sum);
    }

    fn gradient_of_any(&mut self, features: &[u32]) {
        self.gradient.fill(0.0);
        for &feature in features {
            for (sum, weight) in self.gradient.iter_mut().zip(self.weights.row(feature)) {
                *sum += weight;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Class = which of the first three features is on; the others are noise.
    fn toy() -> Instances {
        let mut instances = Instances::new(crate::Positions::one(20), 3);
        let mut state = 7u32;
        for _ in 0..300 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let class = (state >> 16) % 3;
            let noise = 3 + (state >> 20) % 17;
            instances.push(&[class, noise], crate::Right::Class(class), 1.0);
        }
        instances
    }

    #[test]
    fn what_can_be_separated_is_separated() {
        let instances = toy();
        let weights = train(&instances, &Settings { c: 1.0, ..Settings::default() }, |_| true);
        let mut scores = Vec::new();
        for i in 0..instances.len() {
            weights.score(instances.row(i), &mut scores);
            let best = (0u32..3).max_by(|&a, &b| scores[a as usize].total_cmp(&scores[b as usize])).unwrap();
            assert_eq!(best, instances.right(i).likeliest());
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_weights() {
        let settings = Settings::default();
        assert_eq!(train(&toy(), &settings, |_| true), train(&toy(), &settings, |_| true));
    }
}
