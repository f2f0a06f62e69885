//! The averaged perceptron (Freund and Schapire 1999, Collins 2002) and its passive-aggressive
//! variant (Crammer et al. 2006, PA-I): one instance at a time, none of them kept.
//!
//! Features are hashes. Those that an update touches get a row of weights, one a class, in a table
//! whose size is fixed: a hash picks a bucket of eight rows, and where all eight are taken the row
//! whose weights differ least gives way. So memory is bounded whatever is learned from, and a table
//! that is too small forgets what mattered least.

use std::collections::TryReserveError;

use crate::weights::Weights;

/// How far weights move when they are wrong.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Update {
    /// By the same step whenever a wrong class is not behind.
    #[default]
    Perceptron,
    /// As far as it takes for the right class to lead by 1, but by no more than `c` a weight.
    PassiveAggressive {
        /// The longest step.
        c: f32,
    },
}

impl Update {
    /// By how much the weights of `n_features` features move if the right class leads by `lead`.
    fn step(self, lead: f32, n_features: usize) -> f32 {
        // Features are binary, so this much a weight changes the lead by 1.
        #[allow(clippy::cast_precision_loss, reason = "instances have some hundred features")]
        let unit = 0.5 / n_features.max(1) as f32;
        match self {
            // Any step gives the same decisions; this one keeps leads comparable between learners.
            Self::Perceptron => {
                if lead > 0.0 {
                    0.0
                } else {
                    unit
                }
            }
            Self::PassiveAggressive { c } => ((1.0 - lead).max(0.0) * unit).min(c),
        }
    }
}

/// Rows a bucket.
const LANES: usize = 8;

/// One cache line: which rows there are for hashes that share a bucket.
#[derive(Clone, Copy, Default, Debug)]
#[repr(align(64))]
struct Bucket {
    /// The low halves of the hashes.
    tags: [u32; LANES],
    /// The numbers of the rows, from 1; 0 where there is none.
    rows: [u32; LANES],
}

/// Weights that are being learned.
#[derive(Clone, Debug, Default)]
pub struct Perceptron {
    n_classes: usize,
    update: Update,
    buckets: Vec<Bucket>,
    /// By row: the feature.
    hashes: Vec<u64>,
    /// By row, then by class.
    weights: Vec<f32>,
    /// Every change of a weight, times the number of steps that had been made without it: what the
    /// sum of all intermediate weights lacks, so that a weight that does not change costs nothing.
    missed: Vec<f32>,
    n_steps: usize,
}

/// The sum of weights of every class, and space for finding it.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    rows: Vec<u32>,
    /// One a class.
    pub by_class: Vec<f32>,
}

impl Perceptron {
    /// No weights yet, and never more than fit into so many bytes, or one bucket. The memory is set
    /// aside at once, but systems give it only as rows are made.
    pub fn new(n_classes: usize, update: Update, bytes: usize) -> Result<Self, TryReserveError> {
        let row = size_of::<u64>() + 2 * n_classes * size_of::<f32>();
        let most = u32::MAX as usize / LANES;
        let n_buckets = (bytes / (size_of::<Bucket>() + LANES * row)).clamp(1, most);
        let mut new = Self { n_classes, update, ..Self::default() };
        new.buckets.try_reserve_exact(n_buckets)?;
        new.buckets.resize(n_buckets, Bucket::default());
        new.hashes.try_reserve_exact(n_buckets * LANES)?;
        new.weights.try_reserve_exact(n_buckets * LANES * n_classes)?;
        new.missed.try_reserve_exact(n_buckets * LANES * n_classes)?;
        Ok(new)
    }

    /// The number of features that have weights.
    pub fn n_rows(&self) -> usize {
        self.hashes.len()
    }

    /// The most features that can have weights.
    pub fn max_rows(&self) -> usize {
        self.buckets.len() * LANES
    }

    /// The number of steps made.
    pub fn n_steps(&self) -> usize {
        self.n_steps
    }

    /// The score of every class by the weights of the moment.
    pub fn score(&self, features: &[u64], sums: &mut Sums) {
        // All rows are found before the first is read, so that no look-up waits for another.
        sums.rows.clear();
        sums.rows.extend(features.iter().map(|&hash| self.find(hash)));
        sums.by_class.clear();
        sums.by_class.resize(self.n_classes, 0.0);
        for &row in sums.rows.iter().filter(|&&row| row > 0) {
            let start = (row as usize - 1) * self.n_classes;
            for (sum, weight) in sums.by_class.iter_mut().zip(&self.weights[start..start + self.n_classes]) {
                *sum += weight;
            }
        }
    }

    /// Makes one step: moves the weights of the features towards a right class and away from a wrong
    /// one, if that does not lead by enough. Steps without a change count for the average too.
    pub fn learn(&mut self, features: &[u64], right: usize, wrong: usize, lead: f32) {
        let step = self.update.step(lead, features.len());
        if step > 0.0 {
            #[allow(clippy::cast_precision_loss, reason = "an average needs no more than a float has")]
            let missed = self.n_steps as f32 * step;
            for &hash in features {
                let row = self.find_or_make(hash);
                self.weights[row + right] += step;
                self.weights[row + wrong] -= step;
                self.missed[row + right] += missed;
                self.missed[row + wrong] -= missed;
            }
        }
        self.n_steps += 1;
    }

    /// The features and the average of the weights after each step. Weights that had to give way
    /// count as if their feature had never been seen before it came back.
    pub fn averaged(mut self) -> (Vec<u64>, Weights) {
        #[allow(clippy::cast_precision_loss, reason = "an average needs no more than a float has")]
        let n_steps = self.n_steps.max(1) as f32;
        for (weight, missed) in self.weights.iter_mut().zip(&self.missed) {
            *weight -= missed / n_steps;
        }
        (self.hashes, Weights::from_values(self.n_classes, self.weights))
    }

    #[allow(clippy::cast_possible_truncation, reason = "the product's upper half is below n_buckets")]
    fn bucket(&self, hash: u64) -> usize {
        (((hash >> 32) * self.buckets.len() as u64) >> 32) as usize
    }

    /// The number of a feature's row, or 0.
    #[inline]
    fn find(&self, hash: u64) -> u32 {
        let bucket = &self.buckets[self.bucket(hash)];
        // At most one lane matches, so "or" picks it out without a branch.
        let lanes = bucket.tags.iter().zip(bucket.rows);
        lanes.fold(0, |found, (&tag, row)| found | if tag == tag_of(hash) { row } else { 0 })
    }

    /// Where the weights of a feature begin.
    fn find_or_make(&mut self, hash: u64) -> usize {
        let mut row = self.find(hash) as usize;
        if row == 0 {
            let at = self.bucket(hash);
            let (lane, number) = self.make_room(at);
            self.buckets[at].tags[lane] = tag_of(hash);
            self.buckets[at].rows[lane] = number;
            row = number as usize;
            self.hashes[row - 1] = hash;
        }
        (row - 1) * self.n_classes
    }

    /// A lane of a bucket and a row of zeros for it: new while there is a free lane, else that whose
    /// weights differ least.
    fn make_room(&mut self, bucket: usize) -> (usize, u32) {
        let rows = self.buckets[bucket].rows;
        if let Some(lane) = rows.iter().position(|&row| row == 0) {
            self.hashes.push(0);
            self.weights.resize(self.hashes.len() * self.n_classes, 0.0);
            self.missed.resize(self.hashes.len() * self.n_classes, 0.0);
            return (lane, u32::try_from(self.hashes.len()).expect("bounded when the table was made"));
        }
        let n_classes = self.n_classes;
        let weights_of = |row: u32| (row as usize - 1) * n_classes..row as usize * n_classes;
        let range_of = |row: u32| {
            let weights = self.weights[weights_of(row)].iter();
            let (low, high) = weights.fold((0.0f32, 0.0f32), |(low, high), &w| (low.min(w), high.max(w)));
            high - low
        };
        let ranges = rows.map(range_of);
        let lane = (0..LANES).min_by(|&a, &b| ranges[a].total_cmp(&ranges[b])).unwrap_or(0);
        let row = rows[lane];
        self.weights[weights_of(row)].fill(0.0);
        self.missed[weights_of(row)].fill(0.0);
        (lane, row)
    }
}

#[inline]
#[allow(clippy::cast_possible_truncation, reason = "the low half is the tag")]
fn tag_of(hash: u64) -> u32 {
    hash as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENOUGH: usize = 1 << 20;

    /// A feature's hash.
    fn hash(feature: u64) -> u64 {
        (feature + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Class = which of the first three features is on; the others are noise.
    fn toy(n: usize) -> Vec<([u64; 2], usize)> {
        let mut state = 7u32;
        let mut instance = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let class = (state >> 16) % 3;
            let noise = 3 + (state >> 20) % 17;
            ([hash(class.into()), hash(noise.into())], class as usize)
        };
        (0..n).map(|_| instance()).collect()
    }

    /// The right class, the best of the others and how far it is behind.
    fn rivals(sums: &[f32], right: usize) -> (usize, f32) {
        let others = (0..sums.len()).filter(|&class| class != right);
        let wrong = others.max_by(|&a, &b| sums[a].total_cmp(&sums[b])).unwrap();
        (wrong, sums[right] - sums[wrong])
    }

    fn learn(perceptron: &mut Perceptron, instances: &[([u64; 2], usize)]) {
        let mut sums = Sums::default();
        for (features, right) in instances {
            perceptron.score(features, &mut sums);
            let (wrong, lead) = rivals(&sums.by_class, *right);
            perceptron.learn(features, *right, wrong, lead);
        }
    }

    #[test]
    fn what_can_be_separated_is_separated() {
        for update in [Update::Perceptron, Update::PassiveAggressive { c: 1.0 }] {
            let mut perceptron = Perceptron::new(3, update, ENOUGH).unwrap();
            for _ in 0..20 {
                learn(&mut perceptron, &toy(300));
            }
            let (hashes, weights) = perceptron.averaged();
            let mut sums = Vec::new();
            for (features, right) in toy(300) {
                let rows = (0u32..).zip(&hashes).filter(|(_, hash)| features.contains(hash));
                weights.score(&rows.map(|(row, _)| row).collect::<Vec<_>>(), &mut sums);
                assert!(rivals(&sums, right).1 > 0.0, "{update:?}");
            }
        }
    }

    #[test]
    fn the_average_is_that_of_all_intermediate_weights() {
        // A power of two, and two features an instance: nothing is rounded.
        const STEPS: usize = 256;
        let instances = toy(STEPS);
        let mut perceptron = Perceptron::new(3, Update::Perceptron, ENOUGH).unwrap();
        let mut slow = std::collections::BTreeMap::<(u64, usize), f32>::new();
        let mut all = Vec::new();
        for (features, right) in &instances {
            let score = |class| features.iter().filter_map(|&f| slow.get(&(f, class))).sum();
            let (wrong, lead) = rivals(&[score(0), score(1), score(2)], *right);
            if lead <= 0.0 {
                for &feature in features {
                    *slow.entry((feature, *right)).or_default() += 0.25;
                    *slow.entry((feature, wrong)).or_default() -= 0.25;
                }
            }
            all.push(slow.clone());
        }
        learn(&mut perceptron, &instances);
        let (hashes, weights) = perceptron.averaged();
        let mut n_changed = 0;
        for (row, &hash) in (0u32..).zip(&hashes) {
            for class in 0..3 {
                let sum: f32 = all.iter().filter_map(|slow| slow.get(&(hash, class))).sum();
                #[allow(clippy::cast_precision_loss)]
                let average = sum / STEPS as f32;
                assert_eq!(weights.row(row)[class].to_bits(), (average + 0.0).to_bits());
                n_changed += usize::from(average != 0.0);
            }
        }
        assert!(n_changed > 10);
    }

    #[test]
    fn passive_aggressive_steps_reach_the_margin_and_no_further() {
        let mut perceptron = Perceptron::new(2, Update::PassiveAggressive { c: 1.0 }, ENOUGH).unwrap();
        let mut sums = Sums::default();
        let features: Vec<u64> = (0..10).map(hash).collect();
        perceptron.learn(&features, 1, 0, 0.0);
        perceptron.score(&features, &mut sums);
        assert!((sums.by_class[1] - sums.by_class[0] - 1.0).abs() < 1e-6);
        perceptron.learn(&features, 1, 0, 1.0);
        let before = sums.by_class.clone();
        perceptron.score(&features, &mut sums);
        assert_eq!(sums.by_class, before);
        // The longest step allowed is shorter than that.
        let mut careful = Perceptron::new(2, Update::PassiveAggressive { c: 0.01 }, ENOUGH).unwrap();
        careful.learn(&features, 1, 0, 0.0);
        careful.score(&features, &mut sums);
        assert!((sums.by_class[1] - 0.1).abs() < 1e-6);
    }

    #[test]
    fn a_full_table_stays_full_and_keeps_what_matters() {
        let mut perceptron = Perceptron::new(2, Update::Perceptron, 4000).unwrap();
        let max_rows = perceptron.max_rows();
        assert!((64..200).contains(&max_rows));
        let strong = [hash(0)];
        for _ in 0..5 {
            perceptron.learn(&strong, 1, 0, 0.0);
        }
        for feature in 1..5000 {
            perceptron.learn(&[hash(feature)], 0, 1, 0.0);
            assert!(perceptron.n_rows() <= max_rows);
        }
        assert_eq!(perceptron.n_rows(), max_rows);
        let mut sums = Sums::default();
        perceptron.score(&strong, &mut sums);
        assert_eq!(sums.by_class, [-2.5, 2.5]);
        // Every feature is in one row only.
        let (mut hashes, _) = perceptron.averaged();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), max_rows);
    }
}
