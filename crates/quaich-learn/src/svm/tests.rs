//! Properties of the whole learner: optimality conditions of solutions, and equal results of faster algorithms.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

use super::coordinate_descent::{CoordinateDescent, Features};
use super::index::Index;
use super::machine::{self, Machine};
use super::problem::Problem;
use super::smo::{Smo, Solution, Space};
use super::*;
use crate::{Instances, Positions, Right, Scratch, learn};

/// Rows with one value per position, low values being frequent; the class depends on two of them and on chance.
fn random_instances(seed: u64, n: usize, n_classes: u32, n_positions: u32) -> Instances {
    const N_VALUES: u32 = 12;
    let mut random = Pcg32::seed_from_u64(seed);
    let offsets = (0..=n_positions).map(|position| position * N_VALUES).collect();
    let mut instances = Instances::new(Positions::new(offsets), n_classes as usize);
    for _ in 0..n {
        let values: Vec<u32> = (0..n_positions)
            .map(|_| random.random_range(0..N_VALUES).min(random.random_range(0..N_VALUES)))
            .collect();
        let noise = u32::from(random.random_range(0..8) == 0);
        let class = (values[0] * 3 + values[1] / 2 + noise) % n_classes;
        let row: Vec<u32> = (0..)
            .zip(&values)
            .filter(|&(_, &value)| value < N_VALUES - 1)
            .map(|(position, value)| position * N_VALUES + value)
            .collect();
        let weight = if random.random_range(0..5) == 0 { 2.5 } else { 1.0 };
        instances.push(&row, Right::Class(class), weight);
    }
    instances
}

fn kernels() -> [Kernel; 4] {
    let kernel = |form, degree, gamma, coef0| Kernel { form, degree, gamma, coef0 };
    [
        kernel(Form::Linear, 0, 1.0, 0.0),
        kernel(Form::Polynomial, 2, 0.2, 0.3),
        kernel(Form::Polynomial, 3, 0.5, 1.0),
        kernel(Form::Rbf, 0, 0.1, 0.0),
    ]
}

const MANNER: SolverParameters = SolverParameters { epsilon: 0.1, shrinking: true, cache_bytes: 1 << 20 };

fn settings_of(kernel: Kernel) -> Assignments {
    let name = FORMS.iter().find(|(_, form)| *form == kernel.form).unwrap().0;
    Assignments::default()
        .with("kernel", name)
        .with("degree", &kernel.degree.to_string())
        .with("gamma", &kernel.gamma.to_string())
        .with("coef0", &kernel.coef0.to_string())
}

fn machine(instances: &Instances, given: &Assignments) -> Machine {
    let found: Box<dyn std::any::Any> = learn(&*Svm.check(given).unwrap(), instances, &mut ()).unwrap();
    *found.downcast::<Machine>().expect("machines are trained")
}

/// The kernel of two instances, computed directly.
fn plain(problem: &Problem, kernel: Kernel, a: usize, b: usize) -> f64 {
    let (a, b) = (problem.rows.get(a), problem.rows.get(b));
    let n_shared = a.iter().filter(|value| b.contains(value)).count();
    kernel.value(kernel.code(n_shared, [a.len(), b.len()]))
}

/// Per instance of a pair: its sign, its alpha, its upper bound, and the sum of weighted kernels.
fn elements(
    problem: &Problem,
    kernel: Kernel,
    pair: (usize, usize),
    solution: &Solution,
) -> Vec<(f64, f64, f64, f64)> {
    let signed = |rank, sign| problem.range(rank).map(move |i| (i, sign));
    let element = |(i, sign): (usize, f64)| {
        let of = |coefficient: &&(u32, f64)| coefficient.0 as usize == i;
        let alpha = solution.coefficients.iter().find(of).map_or(0.0, |&(_, weight)| weight * sign);
        let products =
            solution.coefficients.iter().map(|&(j, weight)| weight * plain(problem, kernel, i, j as usize));
        (sign, alpha, problem.costs[i], products.sum())
    };
    signed(pair.0, 1.0).chain(signed(pair.1, -1.0)).map(element).collect()
}

#[test]
fn solutions_satisfy_the_conditions_of_karush_kuhn_and_tucker() {
    for (kernel, seed) in kernels().into_iter().zip(1..) {
        for (n, epsilon, shrinking) in [(30, 1e-3, true), (300, 1e-3, true), (300, 0.5, false)] {
            let problem = Problem::new(&random_instances(seed, n, 3, 6), 0.7);
            let index = Index::new(&problem.rows, problem.n_features);
            // A small cache, so that rows are recomputed often.
            let smo = Smo::new(
                &problem,
                &index,
                kernel,
                SolverParameters { epsilon, shrinking, cache_bytes: 2000 },
            );
            let mut space = Space::<u8>::default();
            for pair in problem.pairs() {
                let solution = smo.solve(&mut space, pair);
                let elements = elements(&problem, kernel, pair, &solution);
                let balance: f64 = elements.iter().map(|(sign, alpha, ..)| sign * alpha).sum();
                assert!(balance.abs() < 1e-9, "{kernel:?}: {balance}");
                assert!(elements.iter().all(|&(_, alpha, cost, _)| (0.0..=cost).contains(&alpha)));
                let value = |&(sign, _, _, sum): &(f64, f64, f64, f64)| sign - sum;
                let can_go_up = |&&(sign, alpha, cost, _): &&(f64, f64, f64, f64)| {
                    if sign > 0.0 { alpha < cost } else { alpha > 0.0 }
                };
                let can_go_down = |&&(sign, alpha, cost, _): &&(f64, f64, f64, f64)| {
                    if sign > 0.0 { alpha > 0.0 } else { alpha < cost }
                };
                let highest = elements.iter().filter(can_go_up).map(value).fold(f64::NEG_INFINITY, f64::max);
                let lowest = elements.iter().filter(can_go_down).map(value).fold(f64::INFINITY, f64::min);
                // Kernels are rounded to single precision during the search.
                assert!(highest - lowest < epsilon + 1e-4, "{kernel:?}: {highest} and {lowest}");
                assert!((-highest..=-lowest).contains(&solution.rho) || highest > lowest);
            }
        }
    }
}

#[test]
fn byte_and_word_counters_give_the_same_result() {
    for kernel in kernels() {
        let problem = Problem::new(&random_instances(9, 200, 2, 6), 0.5);
        let index = Index::new(&problem.rows, problem.n_features);
        let smo = Smo::new(&problem, &index, kernel, MANNER);
        let bytes = smo.solve(&mut Space::<u8>::default(), (0, 1));
        assert_eq!(bytes, smo.solve(&mut Space::<u16>::default(), (0, 1)));
    }
}

#[test]
fn rows_may_be_longer_than_a_byte_counts() {
    let mut instances = Instances::new(Positions::one(1000), 2);
    for i in 0..40u32 {
        let row: Vec<u32> = (0..700).filter(|value| value % 40 != i).chain([900 + i % 2]).collect();
        instances.push(&row, Right::Class(i % 2), 1.0);
    }
    for kernel in kernels() {
        for expand in ["yes", "no"] {
            let given = settings_of(kernel).with("expand", expand).with("gamma", "0.01").with("c", "100");
            let machine = machine(&instances, &given.with("epsilon", "0.01"));
            let mut scores = [0.0; 2];
            for i in 0..40 {
                machine.scores(instances.row(i), &mut Scratch::default(), &mut scores);
                assert_eq!(scores[1] > scores[0], i % 2 == 1, "{kernel:?} {i}");
            }
        }
    }
}

#[test]
fn expanded_kernels_decide_as_kernels_do() {
    let (train, test) = (random_instances(3, 900, 6, 8), random_instances(4, 300, 6, 8));
    let mut expanded = vec![Kernel { form: Form::Polynomial, degree: 1, gamma: 0.3, coef0: -0.2 }];
    expanded.extend(&kernels()[..2]);
    expanded.push(Kernel { form: Form::Polynomial, degree: 2, gamma: 0.2, coef0: 0.0 });
    // With a negative constant the kernel is not positive semidefinite, but can still be expanded.
    expanded.push(Kernel { form: Form::Polynomial, degree: 2, gamma: 0.2, coef0: -0.6 });
    for kernel in expanded {
        let kernels = machine(&train, &settings_of(kernel).with("expand", "no").with("epsilon", "0.1"));
        let expanded = kernels.clone().with_expand(Expand::Yes);
        assert!(expanded.sizes().expanded_bytes.is_some() && kernels.sizes().expanded_bytes.is_none());
        let mut spaces = [machine::Space::default(), machine::Space::default()];
        for i in 0..test.len() {
            let [a, b] = &mut spaces;
            let (a, b) = (kernels.decide(test.row(i), a), expanded.decide(test.row(i), b));
            for (a, b) in a.iter().zip(b) {
                assert!((a - b).abs() < 1e-9, "{kernel:?}: {a} and {b}");
                assert_eq!(*a > 0.0, *b > 0.0, "{kernel:?}: {a} and {b}");
            }
        }
    }
    // These cannot be expanded.
    for kernel in &kernels()[2..] {
        let machine = machine(&train, &settings_of(*kernel).with("expand", "yes"));
        assert_eq!(machine.sizes().expanded_bytes, None);
    }
}

#[test]
fn decisions_are_sums_over_support_vectors() {
    let instances = random_instances(6, 200, 2, 6);
    for kernel in kernels() {
        let problem = Problem::new(&instances, 0.5);
        let index = Index::new(&problem.rows, problem.n_features);
        let smo = Smo::new(&problem, &index, kernel, MANNER);
        let solution = smo.solve(&mut Space::<u8>::default(), (0, 1));
        let machine = Machine::new(&problem, kernel, std::slice::from_ref(&solution), Expand::Auto);
        let elements = elements(&problem, kernel, (0, 1), &solution);
        let mut space = machine::Space::default();
        for (i, (.., sum)) in elements.into_iter().enumerate() {
            let found = machine.decide(problem.rows.get(i), &mut space)[0];
            assert!((found - (sum - solution.rho)).abs() < 1e-9, "{kernel:?}");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let instances = random_instances(7, 400, 5, 7);
    let with = |threads: usize, given: &Assignments| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut arrays = Arrays::default();
        pool.install(|| machine(&instances, given)).save(&mut arrays);
        arrays
    };
    let descent = settings_of(kernels()[1]).with("trainer", "coordinate-descent");
    for given in kernels().map(settings_of).into_iter().chain([descent]) {
        assert_eq!(with(1, &given), with(4, &given), "{given:?}");
    }
}

#[test]
fn most_votes_win_and_among_equals_what_appeared_first() {
    // Three classes that beat each other in a cycle, and a class without instances.
    let mut instances = Instances::new(Positions::one(3), 4);
    for class in [2, 0, 3] {
        instances.push(&[0], Right::Class(class), 1.0);
    }
    let given = Assignments::default();
    let machine = machine(&instances, &given);
    let mut scores = [0.0; 4];
    machine.scores(&[0], &mut Scratch::default(), &mut scores);
    // All rows are the same, so every decision value is 0 and the second class of each pair wins.
    assert_eq!(scores.map(|score| (score * 4.0).to_string()), ["6", "-4", "3", "9"]);
}

#[test]
fn the_leaders_are_those_of_all_duels() {
    let mut random = Pcg32::seed_from_u64(8);
    for (seed, kernel) in (0..).zip(kernels()) {
        // Class 0 has no instances.
        let instances = {
            let some = random_instances(seed, 300, 9, 5);
            let mut instances = Instances::new(Positions::one(60), 10);
            for i in 0..some.len() {
                instances.push(some.row(i), Right::Class(1 + some.right(i).likeliest()), 1.0);
            }
            instances
        };
        let machine = machine(&instances, &settings_of(kernel));
        let mut scratch = Scratch::default();
        let (mut all, mut leading) = ([0.0; 10], [0.0; 10]);
        for i in 0..instances.len() {
            let wanted: Vec<u32> = (0..10).filter(|_| random.random_range(0..3) > 0).collect();
            machine.scores(instances.row(i), &mut scratch, &mut all);
            machine.leading_scores(instances.row(i), &wanted, &mut scratch, &mut leading);
            let two_best = |scores: &[f32]| {
                let mut wanted = wanted.clone();
                wanted.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]));
                wanted.truncate(2);
                wanted.into_iter().map(|class| (class, scores[class as usize])).collect::<Vec<_>>()
            };
            assert_eq!(two_best(&leading), two_best(&all), "{kernel:?}");
        }
    }
}

#[test]
fn coordinate_descent_solves_its_problem() {
    for kernel in [kernels()[0], kernels()[1]] {
        let problem = Problem::new(&random_instances(8, 300, 3, 6), 0.5);
        let features = Features::new(&problem, kernel);
        let descent = CoordinateDescent::new(&problem, &features, 1e-3);
        let mut space = Vec::new();
        for pair in problem.pairs() {
            let solution = descent.solve(&mut space, pair);
            assert!(space.iter().all(|&weight| weight == 0.0), "nothing is left for the next pair");
            for (sign, alpha, cost, sum) in elements(&problem, kernel, pair, &solution) {
                assert!((0.0..=cost).contains(&alpha));
                let gradient = sign * (sum - solution.rho) - 1.0;
                assert!(alpha >= cost || gradient > -2e-3, "{kernel:?}: {gradient} at {alpha} of {cost}");
                assert!(alpha <= 0.0 || gradient < 2e-3, "{kernel:?}: {gradient} at {alpha} of {cost}");
            }
        }
    }
}

#[test]
fn algorithms_hardly_differ_in_their_answers() {
    let (train, test) = (random_instances(10, 1500, 5, 8), random_instances(11, 400, 5, 8));
    let given = settings_of(kernels()[1]).with("epsilon", "0.01");
    let machines =
        ["smo", "coordinate-descent"].map(|trainer| machine(&train, &given.clone().with("trainer", trainer)));
    let best = |machine: &Machine, i: usize| {
        let mut scores = [0.0; 5];
        machine.scores(test.row(i), &mut Scratch::default(), &mut scores);
        (0..5).max_by(|&a, &b| scores[a].total_cmp(&scores[b]))
    };
    let n_same = (0..test.len()).filter(|&i| best(&machines[0], i) == best(&machines[1], i)).count();
    assert!(n_same > 380, "{n_same} of 400");
}

#[test]
fn training_on_identical_rows_ends() {
    let mut same = Instances::new(Positions::one(4), 3);
    for i in 0..60u32 {
        same.push(if i % 4 == 0 { &[] } else { &[1, 2] }, Right::Class(i % 3), 1.0);
    }
    let mut empty = Instances::new(Positions::one(0), 3);
    (0..9).for_each(|i| empty.push(&[], Right::Class(i % 3), 1.0));
    for instances in [same, empty] {
        for kernel in kernels() {
            // A polynomial of degree 20 with a large factor overflows.
            let extreme = settings_of(kernel).with("gamma", "1000000").with("coef0", "1000000");
            let given = [settings_of(kernel).with("epsilon", "1e-9"), extreme.with("degree", "20")];
            for given in given {
                let machine = machine(&instances, &given);
                let mut scores = [f32::NAN; 3];
                machine.scores(&[1, 2], &mut Scratch::default(), &mut scores);
                assert!(scores.iter().all(|score| score.is_finite()));
            }
        }
    }
}

#[test]
fn options_of_libsvm_are_read() {
    let options = "-t 1 -d 2 -g 0.25 -r 0 -c 0.5 -e 1.0 -m 200 -h 0";
    let given = Assignments::from_options(options, Svm.settings()).unwrap();
    let found = settings(&given.read(SETTINGS).unwrap()).unwrap();
    assert_eq!(found.kernel, Kernel { form: Form::Polynomial, degree: 2, gamma: 0.25, coef0: 0.0 });
    assert_eq!(
        (found.c.to_string(), found.parameters.epsilon.to_string()),
        ("0.5".to_owned(), "1".to_owned())
    );
    assert_eq!((found.parameters.cache_bytes, found.parameters.shrinking), (200 << 20, false));
    for (code, form) in [("0", Form::Linear), ("2", Form::Rbf)] {
        let given = Assignments::from_options(&format!("-t {code}"), Svm.settings()).unwrap();
        assert_eq!(settings(&given.read(SETTINGS).unwrap()).unwrap().kernel.form, form);
    }
    let given = Assignments::default().with("trainer", "coordinate-descent").with("kernel", "rbf");
    assert!(Svm.check(&given).is_err());
}

#[test]
fn a_factor_of_nought_is_one_over_the_number_of_values() {
    // With 64 values, because parameters are rounded to single precision.
    let mut instances = Instances::new(Positions::one(64), 2);
    let some = random_instances(12, 60, 2, 5);
    (0..some.len()).for_each(|i| instances.push(some.row(i), some.right(i), 1.0));
    let kernel = Kernel { form: Form::Rbf, degree: 0, gamma: 0.0, coef0: 0.0 };
    let saved = |gamma: f64| {
        let mut arrays = Arrays::default();
        machine(&instances, &settings_of(Kernel { gamma, ..kernel })).save(&mut arrays);
        arrays
    };
    assert_eq!(saved(0.0), saved(1.0 / 64.0));
}
