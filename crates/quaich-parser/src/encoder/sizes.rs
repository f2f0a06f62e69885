//! The size of the networks if the treebank decides: as large as the training budget allows.
//!
//! Wider networks score higher on every treebank, and averaging several higher still, most of all on small treebanks, where an epoch is
//! short. So small treebanks get larger networks than large treebanks can afford. Mean LAS on held-out fifths in a prototype, two to ten
//! seeds each:
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

/// Multiply-adds per unit of effort, over all epochs, within which a second network is trained: less than five minutes on two cores.
const ENSEMBLE_BUDGET: f64 = 5.2e12;
/// The same for wider networks, which help less: about three minutes.
const WIDTH_BUDGET: f64 = 3.45e12;
/// The same for a single network that predicts tags, which learns from forms alone and needs more width: with 256 units instead of 128, a
/// prototype gains 1.7 points of LAS on english-ewt.
const WIDTH_BUDGET_WITH_TAGS: f64 = 8e12;
/// The possible numbers of units.
const UNITS: [usize; 5] = [128, 160, 192, 224, 256];
/// The maximum number of networks: a fifth one gained only 0.2 on latin-perseus.
const MAX_NETWORKS_BY_SIZE: usize = 4;

/// The size of the networks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sizes {
    /// The number of networks that are averaged.
    pub(crate) networks: usize,
    /// Units per layer and direction.
    pub(crate) units: usize,
}

/// The budget that decides the size of the networks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct SizeBudget {
    /// The number of words over all epochs.
    pub(crate) words: usize,
    /// The setting `encoder.effort`.
    pub(crate) effort: f32,
    /// Hidden units of the transition classifier.
    pub(crate) hidden: usize,
    /// Whether the encoder predicts tags.
    pub(crate) predicts_tags: bool,
}

impl SizeBudget {
    /// The largest sizes within the budget, except where they are given: first two networks, or more with a higher effort, then wider
    /// ones.
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
        let budget = if self.predicts_tags && networks == 1 { WIDTH_BUDGET_WITH_TAGS } else { WIDTH_BUDGET };
        #[allow(clippy::cast_precision_loss, reason = "a handful")]
        let is_affordable = |units: &&usize| networks as f64 * self.work(**units) <= effort * budget;
        let widest = || UNITS.iter().rev().find(is_affordable).copied().unwrap_or(UNITS[0]);
        Sizes { networks, units: units.unwrap_or_else(widest) }
    }

    /// The approximate number of multiply-adds to train one network: two layers, an input of about 300 numbers per word, four words per
    /// transition, and the classifiers of labels and heads.
    pub(crate) fn work(&self, units: usize) -> f64 {
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
            let sizes = SizeBudget { words, effort, hidden, predicts_tags: false }.sizes(None, units);
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
    fn a_single_network_with_tags_is_wider() {
        for (words, networks, units) in [(2_300_000, 2, 128), (4_000_000, 1, 256), (7_000_000, 1, 192)] {
            let budget = SizeBudget { words, effort: 1.0, hidden: 128, predicts_tags: true };
            assert_eq!(budget.sizes(None, None), Sizes { networks, units }, "{words} words");
        }
    }

    #[test]
    fn what_is_given_stays() {
        let budget = SizeBudget { words: 3_900_000, effort: 1.0, hidden: 128, predicts_tags: false };
        assert_eq!(budget.sizes(Some(3), Some(32)), Sizes { networks: 3, units: 32 });
        assert_eq!(budget.sizes(Some(1), None), Sizes { networks: 1, units: 160 });
        assert_eq!(budget.sizes(None, Some(32)), Sizes { networks: 2, units: 32 });
    }
}
