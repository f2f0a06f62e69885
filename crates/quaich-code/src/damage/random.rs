//! Random choices by a seed. Sampling is implemented here, so that a seed gives the same copies whatever changes elsewhere.

use rand::Rng as _;
use rand_pcg::Pcg32;

/// A seeded source of random choices.
#[derive(Clone, Debug)]
pub struct Random(Pcg32);

impl Random {
    /// Creates the source for a seed and a number of a file, each with choices of its own.
    pub fn new(seed: u64, file: u64) -> Self {
        Self(Pcg32::new(seed, file))
    }

    /// Returns a number below `end`, which is neither 0 nor above 2³².
    pub fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).clamp(1, 1 << 32);
        usize::try_from((u64::from(self.0.next_u32()) * end) >> 32).unwrap_or(0)
    }

    /// Returns one of several things.
    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> Option<&'a T> {
        if things.is_empty() { None } else { things.get(self.below(things.len())) }
    }
}
