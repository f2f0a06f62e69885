//! A reference implementation that compares all instances, position by position, and tests of the index against it.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::distributions::{Counter, Distributions, best};
use super::statistics::{Statistics, descending};
use super::{Memory, Weighting};
use crate::{Arrays, Assignments, Classifier, Instances, Learner, Positions, Right, Scratch, learn};

/// The options of a learner that matter here.
#[derive(Clone, Copy, Debug)]
struct Options {
    k: usize,
    is_mvdm: bool,
    threshold: f64,
    weighting: Weighting,
    /// TiMBL's name.
    votes: &'static str,
}

impl Options {
    fn classifier(self, instances: &Instances) -> Box<dyn Classifier> {
        let Self { k, is_mvdm, threshold, weighting, votes } = self;
        let metric = if is_mvdm { "M" } else { "O" };
        let options = format!("-k{k} -m{metric} -L{threshold} -w{} -d{votes}", weighting as u8);
        let given = Assignments::from_options(&options, Memory.settings()).unwrap();
        learn(&*Memory.check(&given).unwrap(), instances, &mut ()).unwrap()
    }
}

/// A symbol of a position.
struct Seen {
    set: Vec<u32>,
    /// One per class.
    counts: Vec<f64>,
}

impl Seen {
    fn frequency(&self) -> f64 {
        self.counts.iter().sum()
    }
}

/// Instances that are all compared.
struct Slow<'a> {
    options: Options,
    instances: &'a Instances,
    /// One list per position.
    seen: Vec<Vec<Seen>>,
    weights: Vec<f64>,
    /// Positions in the order of summation.
    order: Vec<usize>,
    overall: Vec<f64>,
}

impl<'a> Slow<'a> {
    fn new(instances: &'a Instances, options: Options) -> Self {
        let n_classes = instances.n_classes();
        let mut overall = vec![0.0; n_classes];
        let mut slow = Self {
            options,
            instances,
            seen: Vec::new(),
            weights: Vec::new(),
            order: Vec::new(),
            overall: Vec::new(),
        };
        for i in counting(instances) {
            for (class, share) in instances.right(i).shares() {
                overall[class as usize] += f64::from(share) * f64::from(instances.weight(i));
            }
        }
        let mut ranks = Vec::new();
        for position in 0..instances.positions().len() {
            let mut seen: Vec<Seen> = Vec::new();
            for i in counting(instances) {
                let mut set = instances.positions().at(instances.row(i), position).to_vec();
                set.sort_unstable();
                let at = seen.iter().position(|other| other.set == set).unwrap_or_else(|| {
                    seen.push(Seen { set, counts: vec![0.0; n_classes] });
                    seen.len() - 1
                });
                for (class, share) in instances.right(i).shares() {
                    seen[at].counts[class as usize] += f64::from(share) * f64::from(instances.weight(i));
                }
            }
            seen.sort_by(|a, b| b.frequency().total_cmp(&a.frequency()));
            let (mut counter, mut distributions) = (Counter::new(n_classes), Distributions::default());
            for seen in &seen {
                (0u32..).zip(&seen.counts).for_each(|(class, &count)| counter.add(class, count));
                distributions.push(&mut counter);
            }
            let statistics = Statistics::new(&distributions, &overall);
            slow.weights.push(options.weighting.of(&statistics));
            ranks.push(statistics.rank());
            slow.seen.push(seen);
        }
        (slow.order, slow.overall) = (descending(&ranks), overall);
        slow
    }

    /// The known values of a row at a position.
    fn set(&self, row: &[u32], position: usize) -> Vec<u32> {
        let range = self.instances.positions().range(position);
        let is_known = |value: &&u32| self.seen[position].iter().any(|seen| seen.set.contains(value));
        let mut set: Vec<u32> =
            row.iter().filter(|value| range.contains(value)).filter(is_known).copied().collect();
        set.sort_unstable();
        set
    }

    fn distance(&self, a: &[u32], b: &[u32]) -> f64 {
        let at = |position: usize| {
            let (a, b) = (self.set(a, position), self.set(b, position));
            if a == b {
                return 0.0;
            }
            let find = |set: &[u32]| self.seen[position].iter().find(|seen| seen.set == set);
            if let (true, Some(a), Some(b)) = (self.options.is_mvdm, find(&a), find(&b))
                && a.frequency().min(b.frequency()) >= self.options.threshold
            {
                let difference = |(p, q): (&f64, &f64)| (p / a.frequency() - q / b.frequency()).abs();
                return a.counts.iter().zip(&b.counts).map(difference).sum::<f64>() / 2.0;
            }
            let shared = a.iter().filter(|value| b.contains(value)).count();
            #[allow(clippy::cast_precision_loss)]
            let part = shared as f64 / (a.len() + b.len() - shared) as f64;
            1.0 - part
        };
        self.order.iter().fold(0.0, |sum, &position| sum + self.weights[position] * at(position))
    }

    /// The votes of all classes, and the winning class.
    fn decide(&self, row: &[u32]) -> (Vec<f64>, u32) {
        let mut neighbours: Vec<(f64, usize)> =
            counting(self.instances).map(|i| (self.distance(row, self.instances.row(i)), i)).collect();
        neighbours.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut groups: Vec<(f64, Vec<usize>)> = Vec::new();
        for (distance, i) in neighbours {
            match groups.last_mut() {
                Some((other, group)) if (distance - *other).abs() < f64::EPSILON => group.push(i),
                _ => groups.push((distance, vec![i])),
            }
        }
        let k = self.options.k;
        let n_positions = self.instances.positions().len();
        let is_same = |&i: &usize| {
            (0..n_positions).all(|at| self.set(row, at) == self.set(self.instances.row(i), at))
                && (0..n_positions).all(|at| self.seen[at].iter().any(|seen| seen.set == self.set(row, at)))
        };
        let same: Vec<usize> = counting(self.instances).filter(is_same).collect();
        if k == 1 && !same.is_empty() {
            groups[0].1 = same;
        }
        let (votes, first) = self.vote(&groups, k);
        let (winner, is_tied) = first.unwrap();
        if is_tied && let (votes, Some((winner, false))) = self.vote(&groups, k + 1) {
            return (votes, winner);
        }
        (votes, winner)
    }

    fn vote(&self, groups: &[(f64, Vec<usize>)], k: usize) -> (Vec<f64>, Option<(u32, bool)>) {
        let mut votes = vec![0.0; self.instances.n_classes()];
        let is_complete = groups.len() >= k;
        let groups = &groups[..k.min(groups.len())];
        for (i, (distance, group)) in groups.iter().enumerate() {
            let (nearest, farthest) = (groups[0].0, groups[groups.len() - 1].0);
            let weight = match self.options.votes {
                "ID" => 1.0 / (distance + f64::EPSILON),
                "IL" if i > 0 && is_complete => (farthest - distance) / (farthest - nearest),
                "ED:0.5:2" => match crate::math::exp(-0.5 * distance * distance) {
                    0.0 => f64::EPSILON,
                    weight => weight,
                },
                _ => 1.0,
            };
            let mut counts = vec![0.0; votes.len()];
            for &i in group {
                for (class, share) in self.instances.right(i).shares() {
                    counts[class as usize] += f64::from(share) * f64::from(self.instances.weight(i));
                }
            }
            votes.iter_mut().zip(&counts).for_each(|(vote, count)| *vote += count * weight);
        }
        let winner = best((0u32..).zip(votes.iter().copied()).filter(|&(_, vote)| vote > 0.0), &self.overall);
        (votes, winner)
    }
}

/// The instances with nonzero weight.
fn counting(instances: &Instances) -> impl Iterator<Item = usize> + '_ {
    (0..instances.len()).filter(|&i| instances.weight(i) > 0.0)
}

/// Rows of five positions, one of them with sets; optionally with unknown values, and without some.
fn random_row(generator: &mut Pcg64Mcg, is_plain: bool) -> Vec<u32> {
    let mut zipf = |n: u32| (f64::from(n + 1).powf(generator.random::<f64>()) - 1.0).floor();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let mut row: Vec<u32> =
        [(0, 4), (4, 6), (10, 12), (22, 30)].map(|(from, n)| from + zipf(n) as u32).to_vec();
    if !is_plain {
        row.retain(|_| generator.random_range(0..10) > 0);
    }
    let sets: &[&[u32]] = if is_plain {
        &[&[52], &[53], &[54]]
    } else {
        &[&[], &[52], &[53, 52], &[54, 55], &[52, 53, 54], &[56, 57], &[57], &[55, 52]]
    };
    row.extend_from_slice(sets[generator.random_range(0..sets.len())]);
    row
}

fn random_instances(n: usize, seed: u64, is_plain: bool) -> (Instances, Vec<Vec<u32>>) {
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    let mut instances = Instances::new(Positions::new(vec![0, 4, 10, 22, 52, 58]), 5);
    for _ in 0..n {
        let row = random_row(&mut generator, is_plain);
        let class = if generator.random_range(0..4) == 0 {
            generator.random_range(0..5)
        } else {
            (row.first().copied().unwrap_or(0) + row.last().copied().unwrap_or(0)) % 5
        };
        match generator.random_range(0..20) {
            0 if !is_plain => instances.push(&row, Right::AnyOf(&[class, (class + 1) % 5]), 1.0),
            1 if !is_plain => instances.push(&row, Right::Class(class), 2.0),
            2 if !is_plain => instances.push(&row, Right::Class(class), 0.0),
            _ => instances.push(&row, Right::Class(class), 1.0),
        }
    }
    let rows = (0..25).map(|_| random_row(&mut generator, is_plain)).collect();
    (instances, rows)
}

fn options() -> impl Iterator<Item = Options> {
    let metrics = [(false, 1.0), (true, 1.0), (true, 3.0)];
    let of = move |(i, weighting): (usize, Weighting)| {
        let metric = metrics.into_iter();
        metric.flat_map(move |(is_mvdm, threshold)| {
            let votes = ["Z", "ID", "IL", "ED:0.5:2"].into_iter().enumerate();
            // Every combination with some number of neighbours, and over all combinations each value with every number.
            votes.map(move |(j, votes)| Options {
                k: [1, 2, 3, 5, 9][(i + j) % 5],
                is_mvdm,
                threshold,
                weighting,
                votes,
            })
        })
    };
    Weighting::ALL.into_iter().enumerate().flat_map(of)
}

fn scores(classifier: &dyn Classifier, row: &[u32]) -> Vec<f32> {
    let mut scores = vec![f32::NAN; classifier.n_classes()];
    classifier.scores(row, &mut Scratch::default(), &mut scores);
    scores
}

fn saved(classifier: &dyn Classifier) -> Arrays {
    let mut arrays = Arrays::default();
    classifier.save(&mut arrays);
    arrays
}

#[test]
fn the_index_finds_what_looking_at_everything_finds() {
    for (seed, options) in (0u64..).zip(options()) {
        let (instances, rows) = random_instances(150, seed, seed % 2 == 0);
        let classifier = options.classifier(&instances);
        let slow = Slow::new(&instances, options);
        let loaded = Memory.load(&saved(&*classifier)).unwrap();
        let known = (0..10).map(|i| instances.row(i).to_vec());
        for row in rows.into_iter().chain(known) {
            let found = scores(&*classifier, &row);
            let (votes, winner) = slow.decide(&row);
            let highest = (0u32..5).max_by(|&a, &b| found[a as usize].total_cmp(&found[b as usize]));
            assert_eq!(highest, Some(winner), "{options:?} {row:?}: {found:?} {votes:?}");
            let total: f64 = votes.iter().sum();
            for (class, &vote) in votes.iter().enumerate().filter(|&(_, &vote)| vote > 0.0) {
                // The winner of a tie is above the others, independent of its votes.
                let is_raised = class == winner as usize && votes.iter().any(|&other| other > vote);
                let is_right = (f64::from(found[class]) - vote / total).abs() < 1e-5;
                assert!(is_raised || is_right, "{options:?} {row:?}: {found:?} {votes:?}");
            }
            assert_eq!(found, scores(&*loaded, &row));
        }
    }
}

#[test]
fn any_number_of_threads_remembers_the_same() {
    let (instances, _) = random_instances(6000, 1, false);
    for options in ["-k3 -mO -wgr", "-k5 -mM -L2 -w0", "-a1 -wig"] {
        let given = Assignments::from_options(options, Memory.settings()).unwrap();
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| saved(&*learn(&*Memory.check(&given).unwrap(), &instances, &mut ()).unwrap()))
        };
        assert_eq!(with(1), with(4), "{options}");
    }
}

/// The winning class for a row.
fn winner(options: &str, instances: &Instances, row: &[u32]) -> usize {
    let given = Assignments::from_options(options, Memory.settings()).unwrap();
    let scores = scores(&*learn(&*Memory.check(&given).unwrap(), instances, &mut ()).unwrap(), row);
    (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap()
}

#[test]
fn more_neighbours_outvote_the_nearest() {
    // One instance differs from [0, 3, 6] at one position, two at two positions, three everywhere.
    let mut instances = Instances::new(Positions::new(vec![0, 3, 6, 9]), 3);
    let rows =
        [([0, 3, 7], 0), ([0, 4, 7], 1), ([1, 3, 7], 1), ([1, 4, 7], 2), ([2, 5, 8], 2), ([1, 5, 8], 2)];
    for (row, class) in rows {
        instances.push(&row, Right::Class(class), 1.0);
    }
    let winners =
        |votes: &str| [1, 2, 3].map(|k| winner(&format!("-mO -w0 -k{k} -d{votes}"), &instances, &[0, 3, 6]));
    assert_eq!(winners("Z"), [0, 1, 2]);
    // 1 against 2 · 1/2 is a tie, which three thirds do not break; class 1 has more instances than class 0.
    assert_eq!(winners("ID"), [0, 1, 2]);
    assert_eq!(winners("ED:2"), [0, 0, 0]);
    // 1 against 2 · 1/2 again. There is no fourth distance, so the farthest counts as infinite and all have the same weight.
    assert_eq!(winners("IL"), [0, 0, 2]);
}

#[test]
fn rare_values_are_alike_only_if_the_threshold_is_low() {
    // At position 0, values 0 and 1 both have class 0, value 2 has class 1; 1 and 2 occur twice. The query has value 1; position 1 is as
    // with value 2.
    let mut instances = Instances::new(Positions::new(vec![0, 3, 6]), 2);
    for (row, class, times) in [([0, 3], 0, 4), ([1, 4], 0, 2), ([2, 5], 1, 2)] {
        (0..times).for_each(|_| instances.push(&row, Right::Class(class), 1.0));
    }
    // With L = 2, value 1 has distance 0 from 0, and 5 has the maximum distance 1 from 3. Value 2 is at distance 1 as well, with fewer
    // instances.
    assert_eq!(winner("-mM -w0 -k1 -dZ -L2", &instances, &[1, 5]), 0);
    // With L = 3 the rare values differ from all others, so all instances are at distance 2 or 1; those at 1 have value 1 or 5, and the
    // more frequent class wins.
    assert_eq!(winner("-mM -w0 -k1 -dZ -L3", &instances, &[1, 5]), 0);
    assert_eq!(winner("-mM -w0 -k1 -dZ -L3", &instances, &[5]), 1);
}
