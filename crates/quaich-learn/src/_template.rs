//! NAME: what it learns, and its paper. Copy this file to `NAME.rs`, and add its `mod` line and its entry in `LEARNERS`, in `lib.rs`.
//! Help, settings, model files and the conformance tests then include it.
//!
//! This one counts classes: the most frequent class among the instances with the same value at one position, such as a tag, wins.

use crate::arrays::{Arrays, LoadError};
use crate::fit::EpochTrainer;
use crate::instances::Instances;
use crate::learner::{Classifier, ClassifierTrainer, Learner, Trainable};
use crate::scratch::Scratch;
use crate::setting::{Assignments, Setting, SettingError};

/// The learner: its name, help and settings.
#[derive(Debug)]
pub(crate) struct Name;

static SETTINGS: &[Setting] =
    &[Setting::count("position", 0, (0, 65_535), "position whose values are counted")];

impl Learner for Name {
    fn name(&self) -> &'static str {
        // As on the command line and in model files.
        "name"
    }

    fn about(&self) -> &'static str {
        "one line of help"
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn check(&self, given: &Assignments) -> Result<Box<dyn Trainable>, SettingError> {
        // Names and ranges are checked here; the learner only checks how settings fit together.
        let values = given.read(SETTINGS)?;
        Ok(Box::new(NameParameters { position: values.size("position") }))
    }

    fn load(&self, arrays: &Arrays) -> Result<Box<dyn Classifier>, LoadError> {
        let counts = Counts {
            first: arrays.one("first")?,
            prior: arrays.get("prior")?,
            by_value: arrays.get("by_value")?,
        };
        // Files can be malicious: check what `scores` relies on.
        if !counts.by_value.len().is_multiple_of(counts.prior.len().max(1)) {
            return Err(LoadError::unfit("by_value", "does not have one number per class"));
        }
        Ok(Box::new(counts))
    }
}

/// Checked settings.
#[derive(Debug)]
struct NameParameters {
    position: usize,
}

impl Trainable for NameParameters {
    fn learner(&self) -> &'static dyn Learner {
        &Name
    }

    fn start<'a>(&self, instances: &'a Instances) -> Box<ClassifierTrainer<'a>> {
        let values = instances.positions().range(self.position);
        let n_classes = instances.n_classes();
        let by_value = vec![0.0; values.len() * n_classes];
        let counts = Counts { first: values.start, prior: vec![0.0; n_classes], by_value };
        Box::new(Counting { instances, counts })
    }
}

/// A training run of one epoch. Learners with several return their number in `n_epochs`, and `save` and `restore` what the next epoch
/// needs.
#[derive(Debug)]
struct Counting<'a> {
    instances: &'a Instances,
    counts: Counts,
}

impl EpochTrainer for Counting<'_> {
    type Model = Box<dyn Classifier>;

    fn n_epochs(&self) -> usize {
        1
    }

    fn epoch(&mut self, _stop: &dyn Fn() -> bool) -> f64 {
        for instance in 0..self.instances.len() {
            let (row, weight) = (self.instances.row(instance), self.instances.weight(instance));
            // If any of several classes is correct, each counts the same.
            for (class, share) in self.instances.right(instance).shares() {
                self.counts.add(row, class, weight * share);
            }
        }
        // Counting has no loss.
        0.0
    }

    fn model(&self) -> Box<dyn Classifier> {
        Box::new(self.counts.clone())
    }

    fn load_model(&self, from: &Arrays) -> Option<Box<dyn Classifier>> {
        Name.load(from).ok()
    }
}

/// The model: how often each class was correct.
#[derive(Clone, Debug)]
struct Counts {
    /// The first value of the position.
    first: u32,
    /// One per class, for all values.
    prior: Vec<f32>,
    /// Indexed by value of the position, then by class.
    by_value: Vec<f32>,
}

impl Counts {
    /// The start of a value's counts; `None` if the value is unknown or belongs to another position.
    fn start(&self, value: u32) -> Option<usize> {
        let start = value.checked_sub(self.first)? as usize * self.prior.len();
        (start < self.by_value.len()).then_some(start)
    }

    fn add(&mut self, row: &[u32], class: u32, weight: f32) {
        self.prior[class as usize] += weight;
        for &value in row {
            if let Some(start) = self.start(value) {
                self.by_value[start + class as usize] += weight;
            }
        }
    }
}

impl Classifier for Counts {
    fn n_classes(&self) -> usize {
        self.prior.len()
    }

    fn scores(&self, row: &[u32], _scratch: &mut Scratch, scores: &mut [f32]) {
        // The counts over all values decide only if nothing else does.
        let total: f32 = self.prior.iter().sum::<f32>() + 1.0;
        for (score, prior) in scores.iter_mut().zip(&self.prior) {
            *score = prior / total;
        }
        for start in row.iter().filter_map(|&value| self.start(value)) {
            for (score, count) in scores.iter_mut().zip(&self.by_value[start..]) {
                *score += count;
            }
        }
    }

    fn save(&self, arrays: &mut Arrays) {
        arrays.set_one("first", self.first);
        arrays.set("prior", &self.prior);
        arrays.set("by_value", &self.by_value);
    }
}
