//! The trained classifiers: instances with their nearest neighbours, and IGTree.

use std::sync::Arc;

use super::backoff::{BackOff, Pruning};
use super::distributions::{Counter, best, settle};
use super::index::{Index, Query};
use super::metric::Metric;
use super::nearest::{Nearest, Votes};
use super::rows::Rows;
use super::statistics::{Statistics, classes_by_symbol, descending};
use super::symbols::Symbols;
use super::{Algorithm, MemoryParameters, Weighting};
use crate::arrays::{Arrays, LoadError};
use crate::instances::Instances;
use crate::learner::Classifier;
use crate::scratch::Scratch;

/// All instances, and the number of nearest distances that vote. The score of a class is its share of the votes; scores of classes
/// without votes are negative, in the order of their frequency.
#[derive(Clone, Debug)]
pub(crate) struct NearestNeighbours {
    settings: MemoryParameters,
    index: Arc<Index>,
}

/// The buffers to find neighbours and count their votes.
#[derive(Debug, Default)]
struct Space {
    query: Query,
    nearest: Nearest,
    counter: Counter,
    votes: Counter,
    /// The votes of a tie.
    tied: Counter,
}

impl NearestNeighbours {
    pub(crate) fn of(instances: &Instances, settings: MemoryParameters) -> Self {
        Self { settings, index: Arc::new(Index::of(instances, &settings)) }
    }

    pub(crate) fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let settings = load_settings(arrays)?;
        let overall = load_overall(arrays)?;
        let symbols = Symbols::load(&arrays.part("symbols"))?;
        let rows = Rows::load(&arrays.part("rows"), &symbols, overall.len())?;
        Ok(Self { settings, index: Arc::new(Index::new(symbols, rows, overall, &settings)) })
    }

    /// Finds neighbours and counts their votes. Returns the winning class, if there are any instances, and leaves the votes in `space`.
    fn decide(&self, row: &[u32], space: &mut Space) -> Option<u32> {
        let (index, k) = (&*self.index, self.settings.k);
        index.read(row, &mut space.query);
        // With k = 1 and an equal instance, TiMBL ignores others at distance 0.
        let same = if k == 1 { index.same(&space.query) } else { None };
        let first = match same {
            Some(same) => {
                let classes = index.rows.distributions().get(same);
                space.votes.reset(index.overall().len());
                space.votes.add_all(classes);
                classes.best(index.overall())
            }
            None => self.poll(k, None, space),
        };
        let (winner, is_tied) = first?;
        if !is_tied {
            return Some(winner);
        }
        // One more distance may break the tie; if not, it is ignored.
        std::mem::swap(&mut space.votes, &mut space.tied);
        if let Some((winner, false)) = self.poll(k.saturating_add(1), same, space) {
            return Some(winner);
        }
        std::mem::swap(&mut space.votes, &mut space.tied);
        Some(winner)
    }

    /// Counts the votes of the neighbours at the `k` nearest distances; at distance 0 only of `same`, if given.
    fn poll(&self, k: usize, same: Option<usize>, space: &mut Space) -> Option<(u32, bool)> {
        let index = &*self.index;
        let Space { query, nearest, counter, votes, .. } = space;
        nearest.reset(k);
        index.search(query, nearest);
        if let Some(same) = same.and_then(|same| u32::try_from(same).ok()) {
            nearest.set_first(same);
        }
        counter.reset(index.overall().len());
        votes.reset(index.overall().len());
        nearest.vote(self.settings.votes, index.rows.distributions(), counter, votes);
        best(votes.sorted(), index.overall())
    }
}

impl Classifier for NearestNeighbours {
    fn n_classes(&self) -> usize {
        self.index.overall().len()
    }

    fn scores(&self, row: &[u32], scratch: &mut Scratch, scores: &mut [f32]) {
        assert_eq!(scores.len(), self.n_classes(), "one score per class");
        let space: &mut Space = scratch.of();
        let winner = self.decide(row, space);
        let overall = self.index.overall();
        let n: f64 = overall.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let n_votes: f64 = space.votes.sorted().map(|(_, vote)| vote).sum::<f64>().max(f64::MIN_POSITIVE);
        for (score, count) in scores.iter_mut().zip(overall) {
            *score = float(count / n - 1.0);
        }
        for (class, vote) in space.votes.sorted() {
            scores[class as usize] = float(vote / n_votes);
        }
        if let Some(winner) = winner {
            settle(scores, winner);
        }
    }

    fn save(&self, arrays: &mut Arrays) {
        arrays.set_one("algorithm", Algorithm::Ib1 as u8);
        save_settings(&self.settings, arrays);
        arrays.set("overall", self.index.overall());
        let (mut symbols, mut rows) = (Arrays::default(), Arrays::default());
        self.index.symbols.save(&mut symbols);
        self.index.rows.save(&mut rows);
        arrays.nest("symbols", symbols);
        arrays.nest("rows", rows);
    }
}

/// IGTree: a decision tree that tests positions by decreasing weight; at the deepest matching node, the most frequent class wins. Nodes
/// that would not change the result are pruned.
#[derive(Clone, Debug)]
pub(crate) struct IgTree {
    tree: Arc<BackOff>,
}

impl IgTree {
    /// Positions are ordered by weight, or unchanged without weighting.
    pub(crate) fn of(instances: &Instances, weighting: Weighting) -> Self {
        let (symbols, columns) = Symbols::of(instances);
        let any: Vec<usize> = (0..symbols.n_positions()).collect();
        let rows = Rows::of(instances, &columns, &any);
        let overall = rows.overall(instances.n_classes());
        let weight = |position: usize| {
            let n_symbols = symbols.n_symbols(position);
            weighting.of(&Statistics::new(&classes_by_symbol(&rows, position, n_symbols, &overall), &overall))
        };
        let weights: Vec<f64> = any.iter().map(|&position| weight(position)).collect();
        let groups: Vec<Vec<usize>> =
            descending(&weights).into_iter().map(|position| vec![position]).collect();
        Self { tree: Arc::new(BackOff::of(instances, symbols, &columns, &groups, Pruning::SameClass)) }
    }

    pub(crate) fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        Ok(Self { tree: Arc::new(BackOff::load(arrays, load_overall(arrays)?)?) })
    }
}

impl Classifier for IgTree {
    fn n_classes(&self) -> usize {
        self.tree.overall().len()
    }

    fn scores(&self, row: &[u32], scratch: &mut Scratch, scores: &mut [f32]) {
        self.tree.scores(row, scratch.of(), scores);
    }

    fn save(&self, arrays: &mut Arrays) {
        arrays.set_one("algorithm", Algorithm::IgTree as u8);
        arrays.set("overall", self.tree.overall());
        self.tree.save(arrays);
    }
}

/// The total weight of each class. The number of classes is the length of the array, so no file can claim more than it has.
pub(crate) fn load_overall(arrays: &Arrays) -> Result<Vec<f64>, LoadError> {
    let overall: Vec<f64> = arrays.get("overall")?;
    if overall.iter().all(|&count| count >= 0.0 && count.is_finite()) {
        Ok(overall)
    } else {
        Err(LoadError::unfit("overall", "contains invalid counts"))
    }
}

/// Rounds to the precision of scores.
#[allow(clippy::cast_possible_truncation, reason = "scores are floats")]
pub(crate) fn float(number: f64) -> f32 {
    number as f32
}

fn save_settings(settings: &MemoryParameters, arrays: &mut Arrays) {
    let (metric, threshold) = match settings.metric {
        Metric::Overlap => (0u8, 1.0),
        Metric::ValueDifference { threshold } => (1, threshold),
    };
    let (votes, alpha, beta) = match settings.votes {
        Votes::Equal => (0u8, 1.0, 1.0),
        Votes::InverseDistance => (1, 1.0, 1.0),
        Votes::InverseLinear => (2, 1.0, 1.0),
        Votes::ExponentialDecay { alpha, beta } => (3, alpha, beta),
    };
    arrays.set_one("k", settings.k as u64);
    arrays.set("choices", &[metric, settings.weighting as u8, votes]);
    arrays.set("numbers", &[threshold, alpha, beta]);
}

fn load_settings(arrays: &Arrays) -> Result<MemoryParameters, LoadError> {
    let k = arrays.one::<u64>("k")?;
    let (Ok(k), true) = (usize::try_from(k), k > 0) else {
        return Err(LoadError::unfit("k", "is not a valid number of neighbours"));
    };
    let choices: Vec<u8> = arrays.get_exactly("choices", 3)?;
    let numbers: Vec<f64> = arrays.get_exactly("numbers", 3)?;
    if !numbers.iter().all(|&number| number >= 0.0 && number.is_finite()) {
        return Err(LoadError::unfit("numbers", "contains invalid settings"));
    }
    let metric = match choices[0] {
        0 => Some(Metric::Overlap),
        1 => Some(Metric::ValueDifference { threshold: numbers[0] }),
        _ => None,
    };
    let weighting = Weighting::ALL.get(usize::from(choices[1])).copied();
    let votes = match choices[2] {
        0 => Some(Votes::Equal),
        1 => Some(Votes::InverseDistance),
        2 => Some(Votes::InverseLinear),
        3 => Some(Votes::ExponentialDecay { alpha: numbers[1], beta: numbers[2] }),
        _ => None,
    };
    match (metric, weighting, votes) {
        (Some(metric), Some(weighting), Some(votes)) => {
            Ok(MemoryParameters { algorithm: Algorithm::Ib1, k, metric, weighting, votes })
        }
        _ => Err(LoadError::unfit("choices", "contains unknown choices")),
    }
}
