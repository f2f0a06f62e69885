//! A seeded generator with a fixed stream. Sampling is implemented here, so the same seed gives the same bytes whatever
//! changes in other crates.

use rand::Rng as _;
use rand_pcg::Pcg32;

/// A seeded source of random choices.
#[derive(Clone, Debug)]
pub struct Random(Pcg32);

impl Random {
    /// Creates the generator for a seed.
    pub fn new(seed: u64) -> Self {
        const STREAM: u64 = 0x7175_6169_6368;
        Self(Pcg32::new(seed, STREAM))
    }

    /// Returns a number below `end`.
    ///
    /// # Panics
    /// If `end` is 0, in debug builds.
    pub fn below(&mut self, end: u32) -> u32 {
        debug_assert!(end > 0, "there is no number below 0");
        let scaled = u64::from(self.0.next_u32()) * u64::from(end);
        u32::try_from(scaled >> 32).expect("below `end`")
    }

    /// Returns an index below `end`, which must be neither 0 nor above 2³².
    pub fn index(&mut self, end: usize) -> usize {
        self.below(u32::try_from(end).unwrap_or(u32::MAX)) as usize
    }

    /// Returns a number from 0 up to but not including 1.
    pub fn unit(&mut self) -> f64 {
        f64::from(self.0.next_u32()) / 4_294_967_296.0
    }

    /// Returns `true` with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns one of several things.
    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.index(things.len())]
    }

    /// Returns one of several things, in proportion to their weights.
    pub fn weighted<'a, T>(&mut self, things: &'a [(u32, T)]) -> &'a T {
        let total = things.iter().map(|(weight, _)| weight).sum();
        let mut left = self.below(total);
        for (weight, thing) in things {
            if left < *weight {
                return thing;
            }
            left -= weight;
        }
        unreachable!("what was drawn is below the sum of the weights")
    }

    /// Returns a rank from 0 to `end` − 1, rank r with a probability of about 1 / (r + 1): Zipf's law.
    pub fn zipf(&mut self, end: u32) -> u32 {
        let rank = (f64::from(end + 1).ln() * self.unit()).exp() - 1.0;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to `end`")]
        let rank = rank as u32;
        rank.min(end - 1)
    }
}
