//! Online learning with hashed features, without storing instances.
//!
//! Features that are updated get a row of weights in a table of fixed size: a hash selects a bucket of eight rows, and in a full bucket
//! the row with the smallest range of weights is replaced. So memory is bounded for any amount of data, and a table that is too small
//! drops the least important features.

use std::collections::TryReserveError;

use super::Update;
use super::averaged::Averaged;
use crate::weights::Weights;

/// Rows per bucket.
const LANES: usize = 8;

/// One cache line: the rows of a bucket.
#[derive(Clone, Copy, Default, Debug)]
#[repr(align(64))]
struct Bucket {
    /// The low halves of the hashes.
    tags: [u32; LANES],
    /// Row numbers starting at 1; 0 if there is no row.
    rows: [u32; LANES],
}

/// Weights in training.
#[derive(Clone, Debug)]
pub struct Perceptron {
    update: Update,
    buckets: Vec<Bucket>,
    /// One per row: its feature.
    hashes: Vec<u64>,
    weights: Averaged,
}

/// The score of every class, and buffers to compute it.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    rows: Vec<u32>,
    /// One per class.
    pub by_class: Vec<f32>,
}

impl Perceptron {
    /// An empty table that takes at most this many bytes, or one bucket. Memory is reserved at once, but operating systems only provide
    /// it as rows are added.
    pub fn new(n_classes: usize, update: Update, bytes: usize) -> Result<Self, TryReserveError> {
        let row = size_of::<u64>() + Averaged::bytes_per_row(n_classes);
        let most = u32::MAX as usize / LANES;
        let n_buckets = (bytes / (size_of::<Bucket>() + LANES * row)).clamp(1, most);
        let (mut buckets, mut hashes) = (Vec::new(), Vec::new());
        buckets.try_reserve_exact(n_buckets)?;
        buckets.resize(n_buckets, Bucket::default());
        hashes.try_reserve_exact(n_buckets * LANES)?;
        Ok(Self { update, buckets, hashes, weights: Averaged::bounded(n_buckets * LANES, n_classes)? })
    }

    /// The number of features that have weights.
    pub fn n_rows(&self) -> usize {
        self.hashes.len()
    }

    /// The maximum number of features with weights.
    pub fn max_rows(&self) -> usize {
        self.buckets.len() * LANES
    }

    /// The number of steps.
    pub fn n_steps(&self) -> usize {
        self.weights.n_steps()
    }

    /// Computes the score of every class with the current weights.
    pub fn score(&self, features: &[u64], sums: &mut Sums) {
        // All rows are looked up before the first is read, so that lookups overlap.
        sums.rows.clear();
        sums.rows.extend(features.iter().map(|&hash| self.find(hash)));
        sums.by_class.resize(self.weights.n_classes(), 0.0);
        let found = sums.rows.iter().filter(|&&row| row > 0).map(|&row| row as usize - 1);
        self.weights.score(found, &mut sums.by_class);
    }

    /// Makes one step: moves the weights of the features towards a correct class and away from a wrong one, unless the correct one leads
    /// by enough. Steps without a change count for the average, too.
    pub fn learn(&mut self, features: &[u64], right: usize, wrong: usize, lead: f32) {
        let step = self.update.step(lead, features.len());
        if step > 0.0 {
            for &hash in features {
                let row = self.find_or_make(hash);
                self.weights.shift(row, right, wrong, step);
            }
        }
        self.weights.count_step();
    }

    /// The features, and the mean of the weights after each step. A feature that was replaced and came back starts from zero.
    pub fn averaged(self) -> (Vec<u64>, Weights) {
        (self.hashes, self.weights.average())
    }

    #[allow(clippy::cast_possible_truncation, reason = "the product's upper half is below n_buckets")]
    fn bucket(&self, hash: u64) -> usize {
        (((hash >> 32) * self.buckets.len() as u64) >> 32) as usize
    }

    /// The row number of a feature, or 0.
    #[inline]
    fn find(&self, hash: u64) -> u32 {
        let bucket = &self.buckets[self.bucket(hash)];
        // At most one lane matches, so "or" selects it without a branch.
        let lanes = bucket.tags.iter().zip(bucket.rows);
        lanes.fold(0, |found, (&tag, row)| found | if tag == tag_of(hash) { row } else { 0 })
    }

    /// The row of a feature, which is added if necessary.
    fn find_or_make(&mut self, hash: u64) -> usize {
        let mut row = self.find(hash);
        if row == 0 {
            let at = self.bucket(hash);
            let lane = self.make_room(at);
            self.buckets[at].tags[lane] = tag_of(hash);
            row = self.buckets[at].rows[lane];
            self.hashes[row as usize - 1] = hash;
        }
        row as usize - 1
    }

    /// A lane of a bucket with a row of zeros: a new row if a lane is free, otherwise that with the smallest range of weights.
    fn make_room(&mut self, bucket: usize) -> usize {
        let rows = self.buckets[bucket].rows;
        if let Some(lane) = rows.iter().position(|&row| row == 0) {
            self.hashes.push(0);
            self.weights.push();
            let number = u32::try_from(self.hashes.len()).expect("bounded when the table was made");
            self.buckets[bucket].rows[lane] = number;
            return lane;
        }
        let ranges = rows.map(|row| self.weights.range(row as usize - 1));
        let lane = (0..LANES).min_by(|&a, &b| ranges[a].total_cmp(&ranges[b])).unwrap_or(0);
        self.weights.clear(rows[lane] as usize - 1);
        lane
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

    const ENOUGH: usize = 1 << 22;
    /// Rows are dense with few classes and sparse with many.
    const FEW_AND_MANY: [usize; 2] = [3, 300];

    /// A feature's hash.
    fn hash(feature: u64) -> u64 {
        (feature + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Class = the first feature; the others are noise.
    fn toy(n: usize, n_classes: usize) -> Vec<([u64; 2], usize)> {
        let mut state = 7u32;
        let mut instance = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let class = (state >> 16) as usize % n_classes;
            let noise = n_classes as u64 + u64::from((state >> 20) % 17);
            ([hash(class as u64), hash(noise)], class)
        };
        (0..n).map(|_| instance()).collect()
    }

    /// The best wrong class, and the lead of the correct one.
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
        for n_classes in FEW_AND_MANY {
            for update in [Update::Perceptron, Update::PassiveAggressive { c: 1.0 }] {
                let instances = toy(300, n_classes);
                let mut perceptron = Perceptron::new(n_classes, update, ENOUGH).unwrap();
                for _ in 0..20 {
                    learn(&mut perceptron, &instances);
                }
                let (hashes, weights) = perceptron.averaged();
                let mut sums = vec![0.0; n_classes];
                for (features, right) in instances {
                    let rows = (0u32..).zip(&hashes).filter(|(_, hash)| features.contains(hash));
                    weights.score(&rows.map(|(row, _)| row).collect::<Vec<_>>(), &mut sums);
                    assert!(rivals(&sums, right).1 > 0.0, "{n_classes} {update:?}");
                }
            }
        }
    }

    #[test]
    fn the_average_is_that_of_all_intermediate_weights() {
        // A power of two, and two features per instance: no rounding.
        const STEPS: usize = 256;
        for n_classes in FEW_AND_MANY {
            let instances = toy(STEPS, n_classes);
            let mut perceptron = Perceptron::new(n_classes, Update::Perceptron, ENOUGH).unwrap();
            let mut slow = std::collections::BTreeMap::<(u64, usize), f32>::new();
            let mut all = Vec::new();
            for (features, right) in &instances {
                let score = |class| features.iter().filter_map(|&f| slow.get(&(f, class))).sum();
                let scores: Vec<f32> = (0..n_classes).map(score).collect();
                let (wrong, lead) = rivals(&scores, *right);
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
                for class in 0..n_classes {
                    let sum: f32 = all.iter().filter_map(|slow| slow.get(&(hash, class))).sum();
                    #[allow(clippy::cast_precision_loss)]
                    let average = sum / STEPS as f32;
                    let weight = weights.row(row).get(u32::try_from(class).unwrap());
                    assert_eq!(weight.to_bits(), (average + 0.0).to_bits());
                    n_changed += usize::from(average != 0.0);
                }
            }
            assert!(n_changed > 10);
        }
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
        // The maximum step is shorter.
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
        // Every feature has only one row.
        let (mut hashes, _) = perceptron.averaged();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), max_rows);
    }

    #[test]
    fn a_full_table_for_many_classes_keeps_what_matters_too() {
        let mut perceptron = Perceptron::new(1000, Update::Perceptron, 20_000).unwrap();
        let max_rows = perceptron.max_rows();
        assert!((64..300).contains(&max_rows));
        let strong = [hash(0)];
        for _ in 0..5 {
            perceptron.learn(&strong, 999, 0, 0.0);
        }
        // As many classes as one row can have, and many more rows than fit.
        for class in 1..999 {
            perceptron.learn(&[hash(1)], class, class - 1, 0.0);
        }
        for feature in 2..5000 {
            let class = usize::try_from(feature % 900).unwrap();
            perceptron.learn(&[hash(feature)], class, class + 1, 0.0);
            assert!(perceptron.n_rows() <= max_rows);
        }
        let mut sums = Sums::default();
        perceptron.score(&strong, &mut sums);
        assert_eq!((sums.by_class[0], sums.by_class[999]), (-2.5, 2.5));
    }
}
