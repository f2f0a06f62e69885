//! Instances for the tests of this module.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::instances::Instances;
use crate::positions::Positions;
use crate::targets::Right;

/// Rows of any length, also none; classes that follow from nothing; weights of 1, 2, 3 or 0.
pub(super) fn random(seed: u64, n: usize, n_classes: u32) -> Instances {
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    let mut instances = Instances::new(Positions::one(25), n_classes as usize);
    for _ in 0..n {
        let share = generator.random_range(0.0..0.4);
        let row: Vec<u32> = (0..25).filter(|_| generator.random_bool(share)).collect();
        let class = generator.random_range(0..n_classes);
        let weight = f32::from([1u8, 1, 1, 1, 2, 3, 0][generator.random_range(0..7)]);
        instances.push(&row, Right::Class(class), weight);
    }
    instances
}

/// The class follows from the first value; the others are noise.
pub(super) fn separable(n: usize, n_classes: u32) -> Instances {
    let mut generator = Pcg64Mcg::seed_from_u64(1);
    let mut instances = Instances::new(Positions::one(n_classes + 20), n_classes as usize);
    for _ in 0..n {
        let class = generator.random_range(0..n_classes);
        let noise = [generator.random_range(0..10), generator.random_range(10..20)];
        let row = [n_classes - 1 - class, n_classes + noise[0], n_classes + noise[1]];
        instances.push(&row, Right::Class(class), 1.0);
    }
    instances
}
