//! Random numbers for parallel work.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// The random number generators of one step: a separate stream for each part of the work, so that results do not depend on the order of
/// threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepRng {
    seed: u64,
}

impl StepRng {
    /// The generators of the step with this number.
    pub(crate) fn new(seed: u64, step: usize) -> Self {
        let step = u32::try_from(step).unwrap_or(u32::MAX);
        Self { seed: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (u64::from(step) << 24) }
    }

    /// The generator of one part.
    pub(crate) fn stream(self, part: u64) -> Pcg64Mcg {
        Pcg64Mcg::seed_from_u64(self.seed ^ part)
    }

    /// The generators of a part that has streams of its own.
    pub(crate) fn part(self, part: u64) -> Self {
        Self {
            seed: (self.seed ^ part.wrapping_mul(0xd6e8_feb8_6659_fd93))
                .rotate_left(29)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15),
        }
    }
}
