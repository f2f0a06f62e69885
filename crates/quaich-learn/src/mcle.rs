//! Maximum conditional likelihood estimation: the relative frequency of each class among the instances with the same values, with
//! back-off: if there are none, positions are dropped in a fixed order.
//!
//! Nivre, Hall and Nilsson (*Memory-based dependency parsing*, 2004, section 3.1) first drop TOP.LEFT and LOOK, then also TOP.RIGHT and
//! NEXT.LEFT. Here positions have numbers, so the order is a setting. Their last resort, to reduce if that is permissible and to shift
//! otherwise, is not available, because classes have numbers as well: if nothing is left, classes have their overall probability, and a
//! parser takes the most probable permissible one. Classes that did not occur with the values rank below those that did, in the order of
//! their probability with fewer values.

use std::sync::Arc;

use crate::arrays::{Arrays, LoadError};
use crate::fit::EpochTrainer;
use crate::instances::Instances;
use crate::learner::{Classifier, ClassifierTrainer, FeatureStyle, Learner, Trainable};
use crate::memory::backoff::{BackOff, Pruning};
use crate::memory::load_overall;
use crate::memory::symbols::Symbols;
use crate::scratch::Scratch;
use crate::setting::{Assignments, Setting, SettingError};

/// The learner `mcle`.
#[derive(Debug)]
pub struct Mcle;

static SETTINGS: &[Setting] = &[Setting::text(
    BACK_OFF,
    "",
    "positions numbered from 0, with commas within a back-off step and semicolons between steps: 2,5;3,4",
    "order in which positions are dropped for unseen combinations of values [default: from last to first]",
)];

const BACK_OFF: &str = "back-off";

impl Learner for Mcle {
    fn name(&self) -> &'static str {
        "mcle"
    }

    fn about(&self) -> &'static str {
        "maximum conditional likelihood: relative frequencies with back-off"
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn feature_style(&self) -> FeatureStyle {
        FeatureStyle::Few
    }

    fn check(&self, given: &Assignments) -> Result<Box<dyn Trainable>, SettingError> {
        let values = given.read(SETTINGS)?;
        let text = values.text(BACK_OFF);
        let steps = read_steps(text).ok_or_else(|| SETTINGS[0].invalid(text))?;
        Ok(Box::new(McleParameters { steps }))
    }

    fn load(&self, arrays: &Arrays) -> Result<Box<dyn Classifier>, LoadError> {
        Ok(Box::new(Frequencies { tree: Arc::new(BackOff::load(arrays, load_overall(arrays)?)?) }))
    }
}

/// Checked settings.
#[derive(Clone, Debug)]
struct McleParameters {
    /// The positions that are dropped at each step, each once; empty to drop them one by one.
    steps: Vec<Vec<usize>>,
}

impl McleParameters {
    /// Positions in the order of the tree's levels: first those that are never dropped, then those that are dropped last.
    fn groups(&self, n_positions: usize) -> Vec<Vec<usize>> {
        if self.steps.is_empty() {
            return (0..n_positions).map(|position| vec![position]).collect();
        }
        let is_left_out = |position: &usize| self.steps.iter().flatten().any(|other| other == position);
        let always = (0..n_positions).filter(|position| !is_left_out(position)).collect();
        // Positions that the instances do not have are ignored.
        let there =
            |step: &Vec<usize>| step.iter().copied().filter(|&position| position < n_positions).collect();
        let groups = std::iter::once(always).chain(self.steps.iter().rev().map(there));
        groups.filter(|group: &Vec<usize>| !group.is_empty()).collect()
    }
}

/// Parses steps such as `2,5;3,4`; `None` if they are invalid.
fn read_steps(text: &str) -> Option<Vec<Vec<usize>>> {
    if text.trim().is_empty() {
        return Some(Vec::new());
    }
    let step = |step: &str| step.split(',').map(|position| position.trim().parse().ok()).collect();
    let steps: Vec<Vec<usize>> = text.split(';').map(step).collect::<Option<_>>()?;
    let mut positions = steps.concat();
    positions.sort_unstable();
    positions.is_sorted_by(|a, b| a < b).then_some(steps)
}

impl Trainable for McleParameters {
    fn learner(&self) -> &'static dyn Learner {
        &Mcle
    }

    fn fits(&self, n_positions: usize) -> Result<(), SettingError> {
        match self.steps.iter().flatten().max() {
            Some(&highest) if highest >= n_positions => Err(SettingError::Invalid {
                name: BACK_OFF.to_owned(),
                found: highest.to_string(),
                expected: format!("a list of positions below {n_positions}"),
            }),
            _ => Ok(()),
        }
    }

    fn start<'a>(&self, instances: &'a Instances) -> Box<ClassifierTrainer<'a>> {
        Box::new(Counting { instances, settings: self.clone(), counted: None })
    }
}

/// A training run of one epoch without a loss.
#[derive(Debug)]
struct Counting<'a> {
    instances: &'a Instances,
    settings: McleParameters,
    counted: Option<Frequencies>,
}

impl Counting<'_> {
    fn count(&self) -> Frequencies {
        let (symbols, columns) = Symbols::of(self.instances);
        let groups = self.settings.groups(symbols.n_positions());
        let tree = BackOff::of(self.instances, symbols, &columns, &groups, Pruning::SameProbabilities);
        Frequencies { tree: Arc::new(tree) }
    }
}

impl EpochTrainer for Counting<'_> {
    type Model = Box<dyn Classifier>;

    fn n_epochs(&self) -> usize {
        1
    }

    fn epoch(&mut self, _stop: &dyn Fn() -> bool) -> f64 {
        self.counted = Some(self.count());
        0.0
    }

    fn model(&self) -> Box<dyn Classifier> {
        // Shared, not copied.
        Box::new(self.counted.clone().unwrap_or_else(|| self.count()))
    }

    fn load_model(&self, from: &Arrays) -> Option<Box<dyn Classifier>> {
        Mcle.load(from).ok()
    }
}

/// The trained model. Scores are probabilities; see [`BackOff::scores`].
#[derive(Clone, Debug)]
struct Frequencies {
    tree: Arc<BackOff>,
}

impl Classifier for Frequencies {
    fn n_classes(&self) -> usize {
        self.tree.overall().len()
    }

    fn scores(&self, row: &[u32], scratch: &mut Scratch, scores: &mut [f32]) {
        self.tree.scores(row, scratch.of(), scores);
    }

    fn save(&self, arrays: &mut Arrays) {
        arrays.set("overall", self.tree.overall());
        self.tree.save(arrays);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Positions, Right, learn};

    #[test]
    fn steps_are_groups_of_positions() {
        let groups = |text: &str| read_steps(text).map(|steps| McleParameters { steps }.groups(6));
        assert_eq!(groups(""), Some(vec![vec![0], vec![1], vec![2], vec![3], vec![4], vec![5]]));
        assert_eq!(groups("2,5;3,4"), Some(vec![vec![0, 1], vec![3, 4], vec![2, 5]]));
        assert_eq!(groups("5; 9, 4"), Some(vec![vec![0, 1, 2, 3], vec![4], vec![5]]));
        assert_eq!(groups("0,1,2;3,4,5"), Some(vec![vec![3, 4, 5], vec![0, 1, 2]]));
        for broken in ["a", "1,,2", "1;", "1,2;2", "-1", ","] {
            assert_eq!(groups(broken), None, "{broken}");
        }
        let error = Mcle.check(&Assignments::default().with(BACK_OFF, "1;1")).unwrap_err().to_string();
        assert!(error.starts_with("the setting `back-off` must be positions"), "{error}");
        assert!(error.ends_with("found `1;1`"), "{error}");
    }

    #[test]
    fn probabilities_are_relative_frequencies() {
        let mut instances = Instances::new(Positions::new(vec![0, 2, 4, 6]), 3);
        for (row, class) in [([0, 2, 4], 0), ([0, 2, 4], 1), ([0, 2, 4], 1), ([0, 3, 5], 2), ([1, 2, 5], 0)] {
            instances.push(&row, Right::Class(class), 1.0);
        }
        let check = |back_off: &str, row: &[u32], expected: [f32; 3]| {
            let trainable = Mcle.check(&Assignments::default().with(BACK_OFF, back_off)).unwrap();
            let mut scores = [0.0; 3];
            learn(&*trainable, &instances, &mut ()).unwrap().scores(
                row,
                &mut Scratch::default(),
                &mut scores,
            );
            let is_near = |(found, expected): (&f32, f32)| (found - expected).abs() < 1e-6;
            assert!(scores.iter().zip(expected).all(is_near), "{back_off} {row:?}: {scores:?}");
        };
        // Position 2 adds no information.
        check("", &[0, 2, 4], [1.0 / 3.0, 2.0 / 3.0, 0.25 - 1.0]);
        // Values 1 and 3 did not occur together: position 1 is dropped, or position 0.
        check("1", &[1, 3, 5], [1.0, 0.4 - 1.0, 0.2 - 1.0]);
        check("0", &[1, 3, 5], [0.4 - 1.0, 0.4 - 1.0, 1.0]);
        // Neither occurred with 4: only the last position is left.
        check("0,1", &[1, 3, 4], [1.0 / 3.0, 2.0 / 3.0, 0.2 - 1.0]);
        // All positions are dropped.
        check("0,1,2", &[1, 3, 4], [0.4, 0.4, 0.2]);
    }
}
