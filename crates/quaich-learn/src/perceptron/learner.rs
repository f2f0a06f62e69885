//! The learner `perceptron`.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use super::Update;
use super::averaged::Averaged;
use crate::arrays::{Arrays, LoadError};
use crate::instances::Instances;
use crate::learner::{Classifier, Course, Learner, Trainable};
use crate::linear::LinearClassifier;
use crate::parameters::{Parameter, ParameterError, Parameters};
use crate::targets::Right;
use crate::weights::Weights;

/// The learner.
#[derive(Debug)]
pub struct AveragedPerceptron;

/// What it can be told.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// How often the instances are gone through.
    pub passes: usize,
    /// How far weights move.
    pub update: Update,
    /// Fixes the order of the instances.
    pub seed: u64,
}

static PARAMETERS: &[Parameter] = &[
    Parameter::count("passes", 10, (1, 100_000), "how often the instances are gone through"),
    Parameter::choice(
        "update",
        &["perceptron", PASSIVE_AGGRESSIVE],
        "how far weights move when they are wrong",
    ),
    Parameter::number("c", 0.1, (1e-9, 1e9), "the longest step of passive-aggressive updates"),
    Parameter::count("seed", 1, (0, u64::MAX), "fixes the order of the instances"),
];

const PASSIVE_AGGRESSIVE: &str = "passive-aggressive";

impl Learner for AveragedPerceptron {
    fn name(&self) -> &'static str {
        "perceptron"
    }

    fn about(&self) -> &'static str {
        "an averaged perceptron: as quick as it gets"
    }

    fn parameters(&self) -> &'static [Parameter] {
        PARAMETERS
    }

    fn check(&self, given: &Parameters) -> Result<Box<dyn Trainable>, ParameterError> {
        let values = given.checked(PARAMETERS)?;
        let update = match values.choice("update") {
            PASSIVE_AGGRESSIVE => Update::PassiveAggressive { c: values.float("c") },
            _ => Update::Perceptron,
        };
        Ok(Box::new(Settings { passes: values.size("passes"), update, seed: values.count("seed") }))
    }

    fn load(&self, arrays: &Arrays) -> Result<Box<dyn Classifier>, LoadError> {
        Ok(Box::new(LinearClassifier::new(Weights::load(arrays)?)))
    }
}

impl Trainable for Settings {
    fn learner(&self) -> &'static dyn Learner {
        &AveragedPerceptron
    }

    fn start<'a>(&self, instances: &'a Instances) -> Box<dyn Course + 'a> {
        Box::new(Training {
            instances,
            settings: *self,
            weights: Averaged::new(instances.n_features(), instances.n_classes()),
            order: (0u32..).take(instances.len()).collect(),
            generator: Pcg64Mcg::seed_from_u64(self.seed),
            n_passes: 0,
            scores: vec![0.0; instances.n_classes()],
        })
    }
}

/// Learning under way. Values are the rows of the weights.
struct Training<'a> {
    instances: &'a Instances,
    settings: Settings,
    weights: Averaged,
    order: Vec<u32>,
    generator: Pcg64Mcg,
    n_passes: usize,
    scores: Vec<f32>,
}

impl Course for Training<'_> {
    fn n_passes(&self) -> usize {
        self.settings.passes
    }

    /// The loss is the part of the instances that a wrong class won.
    fn pass(&mut self) -> f64 {
        self.order.shuffle(&mut self.generator);
        self.n_passes += 1;
        let order = std::mem::take(&mut self.order);
        let (mut lost, mut total) = (0.0, 0.0);
        for &instance in &order {
            let weight = self.instances.weight(instance as usize);
            total += f64::from(weight);
            if !self.visit(instance as usize, weight) {
                lost += f64::from(weight);
            }
        }
        self.order = order;
        lost / total.max(1.0)
    }

    fn classifier(&self) -> Box<dyn Classifier> {
        Box::new(LinearClassifier::new(self.weights.clone().average()))
    }

    fn finish(self: Box<Self>) -> Box<dyn Classifier> {
        Box::new(LinearClassifier::new(self.weights.average()))
    }

    fn save(&self, arrays: &mut Arrays) {
        self.weights.save(arrays);
        arrays.set_one("n_passes", self.n_passes as u64);
    }

    fn restore(&mut self, arrays: &Arrays) -> bool {
        let Ok(n_passes) = arrays.one::<u64>("n_passes") else { return false };
        // The order of the next pass depends on all before.
        for _ in 0..n_passes {
            self.order.shuffle(&mut self.generator);
            self.n_passes += 1;
        }
        self.weights.restore(arrays).is_ok()
    }
}

impl Training<'_> {
    /// Learns from an instance; says whether a right class was ahead.
    fn visit(&mut self, instance: usize, weight: f32) -> bool {
        let row = self.instances.row(instance);
        self.weights.score(row.iter().map(|&value| value as usize), &mut self.scores);
        let target = self.instances.right(instance);
        let right = target.best(&self.scores);
        // Where any of several is right, the others are not wrong.
        let is_right = |class| class == right || matches!(target, Right::AnyOf(set) if set.contains(&class));
        let Some(wrong) = self.best(|class| !is_right(class)) else { return true };
        let lead = self.scores[right as usize] - self.scores[wrong as usize];
        let step = self.settings.update.step(lead, row.len()) * weight;
        if step > 0.0 {
            for &value in row {
                self.weights.shift(value as usize, right as usize, wrong as usize, step);
            }
        }
        self.weights.count_step();
        lead > 0.0
    }

    /// The allowed class with the highest score, the first of several.
    fn best(&self, allowed: impl Fn(u32) -> bool) -> Option<u32> {
        let mut best: Option<(u32, f32)> = None;
        for (class, &score) in (0u32..).zip(&self.scores) {
            if best.is_none_or(|(_, highest)| score > highest) && allowed(class) {
                best = Some((class, score));
            }
        }
        best.map(|(class, _)| class)
    }
}
