//! Learning a network from instances with positions.

use std::collections::HashMap;

use super::classifier::NetworkClassifier;
use super::learner::Design;
use super::{ABSENT, Shape, SlotInstances, Trainer, TrainerState, UNKNOWN, Vocabulary};
use crate::arrays::{Arrays, LoadError};
use crate::instances::Instances;
use crate::learner::{Classifier, Course};
use crate::positions::Positions;

/// A network in training.
#[derive(Debug)]
pub(super) struct NetworkCourse {
    positions: Positions,
    /// By value: its number in the vocabulary of its position; [`UNKNOWN`] where it does not occur.
    numbers: Vec<u32>,
    instances: SlotInstances,
    trainer: Trainer,
}

impl NetworkCourse {
    /// Nothing learned yet.
    pub(super) fn new(design: &Design, instances: &Instances) -> Self {
        let positions = instances.positions().clone();
        let mut counts = vec![0u32; instances.n_features()];
        for i in 0..instances.len() {
            for &value in instances.row(i) {
                counts[value as usize] += 1;
            }
        }
        let mut numbers = vec![UNKNOWN; counts.len()];
        let mut vocabularies: Vec<Vocabulary> = (0..positions.len())
            .map(|position| {
                let mut forgetting = vec![0.0; ABSENT as usize + 1];
                for value in positions.range(position).filter(|&value| counts[value as usize] > 0) {
                    numbers[value as usize] = u32::try_from(forgetting.len()).expect("fewer than values");
                    #[allow(clippy::cast_precision_loss, reason = "counts of values")]
                    forgetting.push(design.rare / (design.rare + counts[value as usize] as f32));
                }
                let width = design.width.min(forgetting.len());
                Vocabulary::plain(forgetting.len(), width, forgetting)
            })
            .collect();
        let instances = slot_values(instances, &numbers, &mut vocabularies);
        let shape = Shape {
            slots: (0..vocabularies.len()).collect(),
            vocabularies,
            hidden: design.hidden,
            classes: instances.n_classes(),
        };
        let trainer = Trainer::new(shape, design.settings_for(instances.len()));
        Self { positions, numbers, instances, trainer }
    }
}

/// Instances with one value a slot: several at a position become one, which is their sum.
fn slot_values(instances: &Instances, numbers: &[u32], vocabularies: &mut [Vocabulary]) -> SlotInstances {
    let positions = instances.positions();
    let mut slots = SlotInstances::new(positions.len(), instances.n_classes());
    let mut sums: Vec<HashMap<&[u32], u32>> = vec![HashMap::new(); positions.len()];
    let (mut values, mut several) = (Vec::with_capacity(positions.len()), Vec::new());
    for i in 0..instances.len() {
        values.clear();
        let tables = vocabularies.iter_mut().zip(&mut sums).enumerate();
        values.extend(tables.map(|(position, (vocabulary, sums))| {
            match positions.at(instances.row(i), position) {
                [] => UNKNOWN,
                [value] => numbers[*value as usize],
                row => *sums.entry(row).or_insert_with(|| {
                    several.clear();
                    several.extend(row.iter().map(|&value| numbers[value as usize]));
                    vocabulary.add_sum(&several)
                }),
            }
        }));
        slots.push_right(&values, instances.right(i), instances.weight(i));
    }
    slots
}

impl Course for NetworkCourse {
    fn n_passes(&self) -> usize {
        self.trainer.settings.passes
    }

    fn pass(&mut self) -> f64 {
        self.trainer.pass(&self.instances)
    }

    fn classifier(&self) -> Box<dyn Classifier> {
        let network = self.trainer.network().clone();
        Box::new(NetworkClassifier::new(self.positions.clone(), self.numbers.clone(), network))
    }

    fn finish(self: Box<Self>) -> Box<dyn Classifier> {
        let Self { positions, numbers, trainer, .. } = *self;
        Box::new(NetworkClassifier::new(positions, numbers, trainer.into_network()))
    }

    fn save(&self, arrays: &mut Arrays) {
        let TrainerState { passes, step, numbers } = self.trainer.state();
        arrays.set("counts", &[passes as u64, step as u64]);
        arrays.set("numbers", &numbers);
    }

    fn restore(&mut self, arrays: &Arrays) -> bool {
        state(arrays).is_ok_and(|state| self.trainer.restore(&state))
    }
}

fn state(arrays: &Arrays) -> Result<TrainerState, LoadError> {
    let counts = arrays.get::<u64>("counts")?;
    let count = |i: usize| {
        let count = counts.get(i).and_then(|&count| usize::try_from(count).ok());
        count.ok_or_else(|| LoadError::unfit("counts", "is not two small numbers"))
    };
    Ok(TrainerState { passes: count(0)?, step: count(1)?, numbers: arrays.get("numbers")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Settings;
    use crate::scratch::Scratch;
    use crate::targets::Right;

    /// The class is 1 where the last position has the value 6, whatever is beside it.
    fn toy() -> Instances {
        let mut instances = Instances::new(Positions::new(vec![0, 3, 3, 8]), 2);
        let rows: [&[u32]; 6] = [&[0, 6], &[1, 3], &[6, 4], &[0, 4, 3], &[2], &[1, 5, 6]];
        for row in rows.iter().cycle().take(120) {
            instances.push(row, Right::Class(u32::from(row.contains(&6))), 1.0);
        }
        instances
    }

    fn design(passes: usize) -> Design {
        let settings = Settings { passes, batch: 10, rate: 0.02, ..Settings::default() };
        Design { hidden: 16, width: 4, rare: 0.5, settings }
    }

    fn saved(course: &NetworkCourse) -> Arrays {
        let mut arrays = Arrays::default();
        course.classifier().save(&mut arrays);
        arrays
    }

    #[test]
    fn several_values_at_a_position_are_their_sum() {
        let instances = toy();
        let mut course = NetworkCourse::new(&design(30), &instances);
        assert_eq!(course.instances.values(0), [2, UNKNOWN, 5]);
        assert_eq!(course.instances.values(2), [UNKNOWN, UNKNOWN, 6]);
        while course.trainer.passes() < course.n_passes() {
            course.pass();
        }
        let (classifier, mut scratch, mut scores) = (course.classifier(), Scratch::default(), [0.0; 2]);
        let mut check = |row: &[u32], class: usize| {
            classifier.scores(row, &mut scratch, &mut scores);
            assert!(scores[class] > scores[1 - class], "{row:?}: {scores:?}");
        };
        for i in 0..instances.len() {
            check(instances.row(i), instances.right(i).likeliest() as usize);
        }
        // Values that training did not know are as if they were not there.
        check(&[0, 7, 6, 99], 1);
        check(&[2, 7], 0);
    }

    #[test]
    fn a_course_taken_up_ends_where_it_would_have() {
        let instances = toy();
        let mut whole = NetworkCourse::new(&design(3), &instances);
        whole.pass();
        let mut kept = Arrays::default();
        whole.save(&mut kept);
        let mut again = NetworkCourse::new(&design(3), &instances);
        assert!(again.restore(&kept));
        for course in [&mut whole, &mut again] {
            course.pass();
        }
        assert_eq!(saved(&whole), saved(&again));
        kept.set("counts", &[u64::MAX; 2]);
        assert!(!again.restore(&kept));
        assert!(!again.restore(&Arrays::default()));
    }
}
