//! Instances for the tests of this module, and the duality gap of hyperplanes.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::lanes::{Block, LANES, Lanes, Planes, lanes};
use super::problem::Problem;
use crate::instances::Instances;
use crate::positions::Positions;
use crate::targets::Right;

/// Rows of any length, including empty ones; random classes; weights of 1, 2, 3 or 0.
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

/// The first value determines the class; the others are noise.
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

/// The duality gap and the primal objective of each hyperplane. `parts` returns the contributions of an instance to the loss and to the
/// dual objective, from its cost, its variable and its margin.
/// gains of a plane, from its cost, its variable and its margin.
pub(super) fn gaps(
    problem: &Problem<'_>,
    block: &Block,
    planes: &Planes,
    alphas: impl Fn(u32) -> Lanes,
    parts: impl Fn(f64, f64, f64) -> (f64, f64),
) -> Vec<(f64, f64)> {
    let mut sums = Planes::new(problem);
    let (mut losses, mut gains) = ([0.0; LANES], [0.0; LANES]);
    for &instance in problem.movable() {
        let (row, cost) = (problem.row(instance), problem.cost(instance));
        let signs = block.signs(problem.rank(instance));
        let (products, alphas) = (planes.products(row), alphas(instance));
        sums.add(row, &lanes(|lane| signs[lane] * alphas[lane]));
        for lane in 0..LANES {
            let (loss, gain) = parts(cost, alphas[lane], signs[lane] * products[lane]);
            losses[lane] += loss;
            gains[lane] += gain;
        }
    }
    let squares = planes.squares();
    for (found, expected) in squares.iter().zip(sums.squares()) {
        assert!((found - expected).abs() < 1e-9, "the planes are what the variables say");
    }
    let gap = |lane: usize| (squares[lane] + losses[lane] - gains[lane], squares[lane] / 2.0 + losses[lane]);
    (0..block.ranks().len()).map(gap).collect()
}
