//! Proposals from what was tried: a tree-structured Parzen estimator (Bergstra et al. 2011).
//!
//! The tried values are divided into good ones and others. Each setting has two densities: l of its good values, g of the others. A
//! proposal is drawn from l, the one with the largest l/g of several.
//!
//! Why this estimator, and no random forest or Gaussian process: a search under a budget has tens of observations, not thousands; most
//! settings are numbers on a known scale, which a kernel density describes; conditional settings and words need nothing special; and it
//! is a hundred lines without a dependency. Settings are independent in it, so it cannot learn their interactions: the phases, which
//! start from the best so far, make up for that.

use rand::{Rng, RngExt};

use crate::space::Dimension;

/// The share of observations that are good.
const GOOD: f64 = 0.25;
/// The number of draws of which the best is proposed.
const DRAWS: usize = 24;
/// The narrowest kernel.
const MIN_WIDTH: f64 = 0.05;
/// The fewest observations from which densities are estimated.
const MIN_OBSERVATIONS: usize = 4;

/// An observation: the places of all settings, between 0 and 1, and the score.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Observation {
    /// The place of each setting; none where the data decided.
    pub(crate) places: Vec<Option<f64>>,
    /// The score: higher is better.
    pub(crate) score: f64,
}

/// A place to try for a setting.
pub(crate) fn propose(
    dimension: &Dimension,
    index: usize,
    observations: &[Observation],
    random: &mut impl Rng,
) -> f64 {
    let mut known: Vec<(f64, f64)> = observations
        .iter()
        .filter_map(|observation| Some((observation.places[index]?, observation.score)))
        .collect();
    if known.len() < MIN_OBSERVATIONS {
        return random.random::<f64>();
    }
    known.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.total_cmp(&b.0)));
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a small number"
    )]
    let n_good = (GOOD * known.len() as f64).ceil() as usize;
    let places: Vec<f64> = known.iter().map(|(place, _)| *place).collect();
    let (good, others) = places.split_at(n_good);
    let density = |of: &[f64], place: f64| match dimension.n_words() {
        Some(n) => word_density(of, place, n),
        None => density(of, place),
    };
    let draws = (0..DRAWS).map(|_| {
        let place = draw(good, dimension.n_words(), random);
        (density(good, place) / density(others, place), place)
    });
    draws.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(0.5, |(_, place)| place)
}

/// The width of the kernels: narrower with more observations.
fn width(n: usize) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "a small number")]
    let n = n.max(1) as f64;
    (0.3 / n.sqrt()).max(MIN_WIDTH)
}

/// A mixture of kernels at the places and of the uniform density, which keeps all values possible.
fn density(places: &[f64], at: f64) -> f64 {
    let width = width(places.len());
    let kernel = |place: &f64| {
        let deviation = (at - place) / width;
        (-0.5 * deviation * deviation).exp() / (width * (2.0 * std::f64::consts::PI).sqrt())
    };
    #[allow(clippy::cast_precision_loss, reason = "a small number")]
    let n = places.len() as f64;
    (1.0 + places.iter().map(kernel).sum::<f64>()) / (n + 1.0)
}

/// The smoothed frequency of a word.
#[allow(clippy::cast_precision_loss, reason = "small numbers")]
fn word_density(places: &[f64], at: f64, n_words: usize) -> f64 {
    let word = |place: f64| (place * n_words as f64).floor();
    let n = places.iter().filter(|place| (word(**place) - word(at)).abs() < 0.5).count();
    (1.0 + n as f64) / (places.len() + n_words) as f64
}

fn draw(good: &[f64], n_words: Option<usize>, random: &mut impl Rng) -> f64 {
    let chosen = random.random_range(0..=good.len());
    let Some(&place) = good.get(chosen) else { return random.random() };
    if n_words.is_some() {
        return place;
    }
    // The sum of twelve uniform numbers is nearly normal, with variance 1.
    let normal = (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
    (place + width(good.len()) * normal).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::candidate::Candidate;
    use crate::space::dimensions;

    fn dimension(name: &str) -> Dimension {
        let start = Candidate::default().with("learner", "linear");
        let all = dimensions(&start, &start.config().unwrap().settings);
        all.into_iter().find(|dimension| dimension.name == name).unwrap()
    }

    #[test]
    fn proposals_gather_where_scores_are_high() {
        let dimension = dimension("linear.c");
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let mut observations = Vec::new();
        for _ in 0..40 {
            let place = propose(&dimension, 0, &observations, &mut random);
            let score = -(place - 0.7_f64).abs();
            observations.push(Observation { places: vec![Some(place)], score });
        }
        let near = |observations: &[Observation]| {
            observations.iter().filter(|observation| observation.score > -0.15).count()
        };
        assert!(near(&observations[30..]) >= 7, "{:?}", &observations[30..]);
        assert!(near(&observations[..10]) < 7);
    }

    #[test]
    fn good_words_are_preferred() {
        let dimension = dimension("decision");
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let observation = |place: f64, score: f64| Observation { places: vec![Some(place)], score };
        let observations: Vec<Observation> = (0..12)
            .map(|n| observation(f64::from(n % 3).mul_add(1.0 / 3.0, 1.0 / 6.0), f64::from(n % 3)))
            .collect();
        let n_best = (0..20)
            .filter(|_| {
                dimension.value(propose(&dimension, 0, &observations, &mut random)) == dimension.value(0.9)
            })
            .count();
        assert!(n_best >= 15, "{n_best}");
    }
}
