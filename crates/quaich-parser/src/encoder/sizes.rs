//! How large networks are, where the treebank decides: as large as their training has time for.
//!
//! Wider networks are better on every treebank, and several that decide together better still, most of all on small
//! ones, which are gone through in no time. So a small treebank gets what a large one cannot afford. Mean LAS on held-out
//! fifths in a prototype, two to ten seeds each:
//!
//! ```text
//!   networks × units  1 × 128  1 × 192  1 × 256  2 × 128  2 × 256  4 × 256
//!   marathi-ufal         75.0     75.5     76.4     74.8     76.4     76.4
//!   galician-treegal     82.2     82.4     83.0     83.1     83.2     83.7
//!   sanskrit-vedic       75.6     76.2     76.2     76.6     77.4     77.4
//!   latin-perseus        72.2     72.5     72.4     72.8     73.1     74.2
//!   slovenian-sst        72.3     72.7     73.0     72.7     73.6     73.7
//!   hungarian-szeged     81.0     81.4     81.6     82.0     82.6     82.7
//!   maltese-mudt         82.2              83.2     82.5     83.9     83.9
//! ```

/// Multiplications of a weight with what a word has, all epochs together, that an effort of 1 allows for if they make a
/// second network possible, which takes less than five minutes of two cores,
const ENSEMBLE_BUDGET: f64 = 5.2e12;
/// and if they make networks wider, which is worth less: about three minutes.
const WIDTH_BUDGET: f64 = 3.45e12;
/// Units that a network can have.
const UNITS: [usize; 5] = [128, 160, 192, 224, 256];
/// More networks than this never decide together: a fifth brought 0.2 on latin-perseus.
const MAX_NETWORKS_BY_SIZE: usize = 4;

/// How large networks are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sizes {
    /// How many decide together.
    pub(crate) networks: usize,
    /// Units of a layer in each direction.
    pub(crate) units: usize,
}

/// A training whose networks can be large or small.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct SizeBudget {
    /// How many words are gone through, all epochs together.
    pub(crate) words: usize,
    /// How much work it may be.
    pub(crate) effort: f32,
    /// Hidden units that choose transitions.
    pub(crate) hidden: usize,
}

impl SizeBudget {
    /// The sizes that it has time for, but for what was given: first two networks, or more if the effort is great, then
    /// wider ones.
    pub(crate) fn sizes(&self, networks: Option<usize>, units: Option<usize>) -> Sizes {
        let effort = f64::from(self.effort);
        let together = || {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
            let (affordable, most) = (
                (effort * ENSEMBLE_BUDGET / self.work(units.unwrap_or(UNITS[0]))) as usize,
                self.effort as usize + 1,
            );
            affordable.clamp(1, most.min(MAX_NETWORKS_BY_SIZE))
        };
        let networks = networks.unwrap_or_else(together);
        #[allow(clippy::cast_precision_loss, reason = "a handful")]
        let is_affordable = |units: &&usize| networks as f64 * self.work(**units) <= effort * WIDTH_BUDGET;
        let widest = || UNITS.iter().rev().find(is_affordable).copied().unwrap_or(UNITS[0]);
        Sizes { networks, units: units.unwrap_or_else(widest) }
    }

    /// About how many multiplications of a weight it takes to train one network: two layers, over about 300 numbers a
    /// word, four words that are looked at to choose a transition, and what finds labels and heads.
    fn work(&self, units: usize) -> f64 {
        let weights = 300 * 6 * units + 2 * units * 6 * units + 2 * units * (4 * self.hidden + 384);
        #[allow(clippy::cast_precision_loss, reason = "a rough estimate")]
        let work = self.words.max(1) as f64 * weights as f64;
        work
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(effort: f32, hidden: usize, units: Option<usize>, expected: &[(usize, usize, usize)]) {
        for &(words, networks, units_of_each) in expected {
            let sizes = SizeBudget { words, effort, hidden }.sizes(None, units);
            assert_eq!((sizes.networks, sizes.units), (networks, units_of_each), "{words} words");
        }
    }

    #[test]
    fn small_treebanks_get_large_networks() {
        let by_size =
            [(0, 2, 256), (600_000, 2, 256), (2_300_000, 2, 128), (3_900_000, 2, 128), (4_000_000, 1, 128)];
        check(1.0, 128, None, &by_size);
        check(1.0, 128, None, &[(7_000_000, 1, 128), (usize::MAX, 1, 128)]);
        check(6.0, 256, Some(256), &[(600_000, 4, 256), (3_900_000, 4, 256), (7_000_000, 2, 256)]);
        check(6.0, 256, Some(256), &[(20_000_000, 1, 256)]);
        check(0.1, 128, None, &[(600_000, 1, 128)]);
    }

    #[test]
    fn what_is_given_stays() {
        let budget = SizeBudget { words: 3_900_000, effort: 1.0, hidden: 128 };
        assert_eq!(budget.sizes(Some(3), Some(32)), Sizes { networks: 3, units: 32 });
        assert_eq!(budget.sizes(Some(1), None), Sizes { networks: 1, units: 160 });
        assert_eq!(budget.sizes(None, Some(32)), Sizes { networks: 2, units: 32 });
    }
}
