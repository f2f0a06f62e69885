//! Training an encoder, minibatch by minibatch.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use super::embedding::InputDropout;
use super::minibatch::{Dropout, Minibatch};
use super::objectives::Objectives;
use super::optimiser::{Optimiser, step_at};
use super::sequences::Sequences;
use super::weights::EncoderWeights;
use super::{Affine, Shape};
use crate::arrays::{Arrays, LoadError};
use crate::step_rng::StepRng;

/// The hyperparameters of training.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hyperparameters {
    /// The number of epochs.
    pub epochs: usize,
    /// Items per minibatch.
    pub batch: usize,
    /// The maximum learning rate.
    pub rate: f32,
    /// The dropout rate of units.
    pub dropout: f32,
    /// The dropout rate of attributes.
    pub attribute_dropout: f32,
    /// The rate of items that are hidden from the encoder, for objectives that predict them.
    pub masking: f32,
    /// The random seed.
    pub seed: u64,
}

impl Default for Hyperparameters {
    fn default() -> Self {
        Self {
            epochs: 20,
            batch: 1000,
            rate: 2e-3,
            dropout: 0.33,
            attribute_dropout: 0.2,
            masking: 0.0,
            seed: 1,
        }
    }
}

/// Trains an encoder and its objectives.
#[derive(Debug)]
pub struct EncoderTrainer<O> {
    encoder: EncoderWeights,
    /// The objectives.
    pub objectives: O,
    optimiser: Optimiser,
    hyperparameters: Hyperparameters,
    /// The number of training items, on which the learning rate schedule depends.
    n_items: usize,
    epochs: usize,
    step: usize,
    minibatch: Minibatch,
}

impl<O: Objectives> EncoderTrainer<O> {
    /// Initialises random weights, to be trained on `n_items` items.
    pub fn new(shape: Shape, mut objectives: O, n_items: usize, hyperparameters: Hyperparameters) -> Self {
        let mut generator = Pcg64Mcg::seed_from_u64(hyperparameters.seed);
        let encoder = EncoderWeights::random(shape, &mut generator);
        for objective in objectives.all_mut() {
            objective.start(objective.reads().width(&encoder.shape), &mut generator);
        }
        let of_layers = encoder.layer_arrays().map(Vec::len);
        let of_objectives = objectives
            .all()
            .into_iter()
            .flat_map(|objective| objective.weights().into_iter().map(Vec::len).collect::<Vec<_>>());
        Self {
            optimiser: Optimiser::new(&encoder, of_layers.chain(of_objectives)),
            minibatch: Minibatch::new(&encoder),
            encoder,
            objectives,
            hyperparameters,
            n_items,
            epochs: 0,
            step: 0,
        }
    }

    /// The current weights of the encoder.
    pub fn encoder(&self) -> &EncoderWeights {
        &self.encoder
    }

    /// Multiplies the initial embeddings. Small ones are soon outweighed by what is learned, where most values are rare and their vectors
    /// count in the output as well.
    pub fn scale_embeddings(&mut self, factor: f32) {
        self.encoder.embeddings.iter_mut().flatten().for_each(|number| *number *= factor);
    }

    /// Takes over the weights of a pretrained encoder; see [`EncoderWeights::adopt`].
    pub fn adopt(&mut self, pretrained: &EncoderWeights, attributes: &[usize]) {
        self.encoder.adopt(pretrained, attributes);
    }

    /// The number of finished epochs.
    pub fn epochs(&self) -> usize {
        self.epochs
    }

    /// Trains for one epoch over the sequences, in random order; returns the mean loss. `go_on` is called before every step, and ends the
    /// epoch early by returning false.
    ///
    /// # Panics
    /// If items have values that the encoder does not have, or the objectives belong to other sequences.
    pub fn epoch(&mut self, sequences: &Sequences, go_on: &dyn Fn() -> bool) -> f64 {
        assert!(sequences.fit(&self.encoder.shape), "all values are within the encoder's range");
        let is_whole = |n: usize| n == sequences.len();
        assert!(
            self.objectives.all().iter().all(|o| o.n_sequences().is_none_or(is_whole)),
            "the objectives have all sequences"
        );
        let Hyperparameters { epochs, batch, rate, dropout, attribute_dropout, masking, seed } =
            self.hyperparameters;
        let mut order: Vec<usize> = (0..sequences.len()).collect();
        // A new generator per epoch, so that training can be resumed between epochs.
        let epoch = (self.epochs as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        order.shuffle(&mut Pcg64Mcg::seed_from_u64(seed ^ 0x5eed ^ epoch));
        let n_steps = epochs * self.n_items.div_ceil(batch.max(1));
        let (mut loss, mut n_batches) = (0.0, 0.0);
        for numbers in batches(sequences, &order, batch) {
            if !go_on() {
                break;
            }
            self.step += 1;
            let mut objectives = self.objectives.all_mut();
            let input = InputDropout { attributes: attribute_dropout, masking };
            let dropout = Dropout { units: dropout, input };
            let rng = StepRng::new(seed, self.step);
            let batch = (sequences, numbers);
            loss += self.minibatch.differentiate(&self.encoder, &mut objectives, batch, dropout, rng);
            n_batches += 1.0;
            let EncoderWeights { embeddings, layers, .. } = &mut self.encoder;
            let Minibatch { layer_gradients, embedding_gradients, .. } = &mut self.minibatch;
            let arrays = |layers| <[Affine]>::iter_mut(layers).flat_map(Affine::arrays_mut);
            let of_layers = arrays(layers).zip(arrays(layer_gradients));
            let of_objectives = objectives.into_iter().flat_map(|objective| objective.parameters());
            let parameters = of_layers.chain(of_objectives).collect();
            let step = step_at(self.step, n_steps, rate);
            self.optimiser.change(embeddings, embedding_gradients, parameters, step);
        }
        self.epochs += 1;
        loss / f64::max(n_batches, 1.0)
    }

    /// Saves the state from which training can be resumed.
    pub fn save(&self, arrays: &mut Arrays) {
        let objectives = self.objectives.all();
        let of_objectives = objectives.iter().flat_map(|objective| objective.weights());
        let weights = self.encoder.embeddings.iter().chain(self.encoder.layer_arrays()).chain(of_objectives);
        let numbers = weights.map(Vec::as_slice).chain(self.optimiser.numbers());
        for (number, array) in numbers.enumerate() {
            arrays.set(&format!("numbers.{number}"), array);
        }
        arrays.set("done", &[self.epochs as u64, self.step as u64]);
    }

    /// Restores a saved state.
    ///
    /// # Errors
    /// If it was saved with other sizes.
    pub fn restore(&mut self, arrays: &Arrays) -> Result<(), LoadError> {
        let [epochs, step] = arrays.get::<u64>("done")?[..] else {
            return Err(LoadError::unfit("done", "does not have two numbers"));
        };
        let EncoderWeights { embeddings, layers, .. } = &mut self.encoder;
        let of_layers = layers.iter_mut().flat_map(Affine::arrays_mut);
        let objectives = self.objectives.all_mut().into_iter();
        let of_objectives = objectives.flat_map(|objective| objective.parameters());
        let weights = embeddings.iter_mut().chain(of_layers).chain(of_objectives.map(|(weights, _)| weights));
        let own: Vec<&mut [f32]> =
            weights.map(Vec::as_mut_slice).chain(self.optimiser.numbers_mut()).collect();
        let names = (0..own.len()).map(|number| format!("numbers.{number}"));
        let kept = names.zip(&own).map(|(name, own)| arrays.get_exactly::<f32>(&name, own.len()));
        let kept: Vec<Vec<f32>> = kept.collect::<Result<_, _>>()?;
        for (own, kept) in own.into_iter().zip(kept) {
            own.copy_from_slice(&kept);
        }
        self.epochs = usize::try_from(epochs).unwrap_or(0);
        self.step = usize::try_from(step).unwrap_or(0);
        Ok(())
    }
}

/// Splits sequences into minibatches of about `size` items, in order.
fn batches<'o>(sequences: &Sequences, order: &'o [usize], size: usize) -> Vec<&'o [usize]> {
    let (mut batches, mut start, mut n) = (Vec::new(), 0, 0);
    for (i, &sequence) in order.iter().enumerate() {
        n += sequences.items(sequence).len();
        if n >= size || i + 1 == order.len() {
            batches.push(&order[start..=i]);
            (start, n) = (i + 1, 0);
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{
        ABSENT, Attribute, ClassExamples, ClassHead, ClassScores, ClassShape, Classes, Encoder, ItemSource,
        MaskedItems, Objective, PointerHead, PointerScratch, PointerTargets, Pointers, Projections, Reader,
        SlotExamples, SlotHead, SlotScratch, SlotShape, Slots,
    };
    use super::*;

    const SHAPE: fn() -> Shape =
        || Shape { attributes: vec![Attribute { values: 6, width: 8, is_bag: false }], layers: 2, units: 12 };

    struct Toy {
        slots: Slots,
        pointers: Pointers,
    }

    impl Objectives for Toy {
        fn all(&self) -> Vec<&dyn Objective> {
            vec![&self.slots, &self.pointers]
        }

        fn all_mut(&mut self) -> Vec<&mut dyn Objective> {
            vec![&mut self.slots, &mut self.pointers]
        }
    }

    struct Items<'a>(&'a [u32]);

    impl ItemSource for Items<'_> {
        fn n_items(&self) -> usize {
            self.0.len()
        }

        fn key(&self, item: usize) -> u64 {
            u64::from(self.0[item])
        }

        fn values(&self, item: usize, values: &mut Vec<Vec<u32>>) {
            *values = vec![vec![self.0[item]]];
        }
    }

    /// Sequences of items 2 to 5: the class of an item is the item before it, and so is its pointer.
    fn toy() -> (Sequences, Toy, Vec<Vec<u32>>) {
        let (mut items, mut sequences) = (Sequences::new(1), Vec::new());
        let (mut examples, mut targets) = (SlotExamples::new(1, 0), PointerTargets::default());
        let mut state = 7u32;
        for _ in 0..60 {
            let mut sequence = vec![1];
            for _ in 0..6 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                sequence.push(2 + (state >> 16) % 4);
            }
            for (place, item) in (0u32..).zip(&sequence) {
                items.push([&[*item][..]].into_iter());
                targets.push(place.saturating_sub(1), &[]);
            }
            items.end_sequence();
            targets.end_sequence();
            for (place, before) in (2..).zip(&sequence[1..6]) {
                examples.push(&[place], &[], before - 2);
            }
            examples.end_sequence();
            sequences.push(sequence);
        }
        let shape = SlotShape { slots: 1, marks: 0, width: 16, classes: 4 };
        let slots = Slots::new(shape, Arc::new(examples));
        (items, Toy { slots, pointers: Pointers::new(8, Arc::new(targets)) }, sequences)
    }

    fn trainer(shape: Shape, epochs: usize) -> (Sequences, EncoderTrainer<Toy>) {
        let (sequences, objectives, _) = toy();
        let hyperparameters = Hyperparameters {
            epochs,
            batch: 60,
            rate: 0.01,
            dropout: 0.1,
            attribute_dropout: 0.1,
            seed: 3,
            ..Hyperparameters::default()
        };
        (sequences, EncoderTrainer::new(shape, objectives, 420, hyperparameters))
    }

    fn trained(epochs: usize) -> EncoderTrainer<Toy> {
        let (sequences, mut trainer) = trainer(SHAPE(), epochs);
        for _ in 0..epochs {
            trainer.epoch(&sequences, &|| true);
        }
        trainer
    }

    fn frozen(trainer: &EncoderTrainer<Toy>) -> (Encoder, SlotHead, PointerHead) {
        let mut projections = Projections::default();
        let slots = trainer.objectives.slots.freeze(&mut projections);
        (Encoder::new(trainer.encoder(), &projections), slots, trainer.objectives.pointers.freeze())
    }

    fn saved(save: impl FnOnce(&mut Arrays)) -> Arrays {
        let mut arrays = Arrays::default();
        save(&mut arrays);
        arrays
    }

    #[test]
    fn toy_sequences_are_learned() {
        let (encoder, slots, pointers) = frozen(&trained(120));
        let again = Encoder::load(&saved(|arrays| encoder.save(arrays))).unwrap();
        assert_eq!(again, encoder);
        assert_eq!(SlotHead::load(&saved(|arrays| slots.save(arrays))).unwrap(), slots);
        let width = encoder.shape().output_width();
        assert_eq!(PointerHead::load(width, &saved(|arrays| pointers.save(arrays))).unwrap(), pointers);
        assert!(slots.fits(&encoder));
        let (mut reader, mut encodings, encoders) = (Reader::default(), Vec::new(), [encoder]);
        let (mut slot_scratch, mut pointer_scratch) = (SlotScratch::default(), PointerScratch::default());
        let (mut right, mut all, mut found) = (0, 0, 0);
        for sequence in toy().2 {
            reader.read(&encoders, &Items(&sequence), &mut encodings);
            for (place, before) in (2u32..).zip(&sequence[1..6]) {
                let scores = slots.scores(&encodings[0], &[place], &[], &mut slot_scratch);
                let best = (0u32..4).max_by(|&a, &b| scores[a as usize].total_cmp(&scores[b as usize]));
                right += usize::from(best == Some(before - 2));
                all += 1;
            }
            let heads = pointers.probabilities(&encodings[0], &mut pointer_scratch).unwrap();
            for (place, heads) in heads.chunks_exact(7).enumerate().skip(1) {
                assert!((heads.iter().sum::<f32>() - 1.0).abs() < 1e-3);
                found += usize::from(heads.iter().all(|&other| other <= heads[place - 1]));
            }
        }
        assert!(right * 100 >= all * 95, "{right} of {all}");
        assert!(found >= all, "{found} pointers");
    }

    /// Long sequences are encoded in windows, without changing predictions.
    #[test]
    fn windows_do_not_change_predictions() {
        let (encoder, slots, _) = frozen(&trained(120));
        let items: Vec<u32> = (0..3000u32).map(|i| 2 + (i * i / 7) % 4).collect();
        let (mut reader, mut encodings, mut scratch) =
            (Reader::default(), Vec::new(), SlotScratch::default());
        reader.read(std::slice::from_ref(&encoder), &Items(&items), &mut encodings);
        assert_eq!(encodings[0].n_items(), items.len());
        assert_eq!(encodings[0].vectors().len(), items.len() * encoder.shape().output_width());
        let best = |encoding: &super::super::Encoding, place: usize, scratch: &mut SlotScratch| {
            let scores = slots.scores(encoding, &[u32::try_from(place).unwrap()], &[], scratch);
            (0..4).max_by(|&a, &b| scores[a].total_cmp(&scores[b]))
        };
        let mut part = Vec::new();
        for place in [10usize, 1000, 1023, 1024, 1025, 2047, 2048, 2990] {
            let start = place.saturating_sub(100);
            let around = &items[start..(place + 100).min(items.len())];
            reader.read(std::slice::from_ref(&encoder), &Items(around), &mut part);
            assert_eq!(
                best(&encodings[0], place, &mut scratch),
                best(&part[0], place - start, &mut scratch),
                "at {place}"
            );
        }
    }

    #[test]
    fn inconsistent_sizes_are_rejected() {
        let (encoder, slots, _) = frozen(&trained(0));
        let arrays = saved(|arrays| encoder.save(arrays));
        for sizes in [[2, 13, 16], [0, 12, 16], [1 << 40, 12, 16], [2, 12, 9]] {
            let mut changed = arrays.clone();
            changed.set::<u64>("sizes", &sizes);
            assert!(Encoder::load(&changed).is_err(), "{sizes:?}");
        }
        let mut changed = saved(|arrays| slots.save(arrays));
        changed.set::<u64>("sizes", &[1, 0, 16, 5, 0]);
        assert!(SlotHead::load(&changed).is_err());
        changed = saved(|arrays| slots.save(arrays));
        changed.set::<u64>("sizes", &[1, 0, 16, 4, 1]);
        assert!(!SlotHead::load(&changed).unwrap().fits(&encoder));
    }

    /// The class of an item is its value in one group, and the previous value in the other.
    #[test]
    fn classes_of_items_are_learned_and_quantised() {
        let mut examples = ClassExamples::new(2);
        for sequence in toy().2 {
            for (place, &item) in sequence.iter().enumerate() {
                let before = place.checked_sub(1).map_or(ABSENT, |before| sequence[before] - 1);
                examples.push(&[item - 1, before]);
            }
            examples.end_sequence();
        }
        let shape = ClassShape { layers: 1, width: 16, groups: vec![5, 5] };
        let classes = Classes::new(shape, vec![1.0, 1.0], Arc::new(examples));
        let (sequences, ..) = toy();
        let hyperparameters = Hyperparameters {
            epochs: 80,
            batch: 60,
            rate: 0.01,
            dropout: 0.1,
            attribute_dropout: 0.1,
            masking: 0.0,
            seed: 3,
        };
        let mut trainer = EncoderTrainer::new(SHAPE(), SingleObjective(classes), 420, hyperparameters);
        for _ in 0..80 {
            trainer.epoch(&sequences, &|| true);
        }
        let (layer, head) = trainer.objectives.0.freeze(trainer.encoder());
        let encoder = Encoder::new(trainer.encoder(), &Projections::default()).with_classes(Some(layer));
        let again = Encoder::load(&saved(|arrays| encoder.save(arrays))).unwrap();
        assert_eq!(again, encoder);
        assert_eq!(ClassHead::load(&saved(|arrays| head.save(arrays))).unwrap(), head);
        assert!(head.fits(&encoder));
        let (mut reader, mut encodings, encoders) = (Reader::default(), Vec::new(), [encoder]);
        let (mut scratch, mut right, mut all) = (ClassScores::default(), 0, 0);
        for sequence in toy().2 {
            reader.read(&encoders, &Items(&sequence), &mut encodings);
            for (place, pair) in (1u32..).zip(sequence.windows(2)) {
                let heads = std::slice::from_ref(&head);
                scratch.start(heads, &encodings, place);
                scratch.need(heads, 0..head.groups().iter().sum());
                let scores = scratch.scores();
                let best = |scores: &[f32]| (0..5).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
                right += usize::from(best(&scores[..5]) == Some(pair[1] as usize - 1));
                right += usize::from(best(&scores[5..]) == Some(pair[0] as usize - 1));
                all += 2;
            }
        }
        assert!(right * 100 >= all * 97, "{right} of {all}");
    }

    /// Sequences that count in a circle: a hidden item follows from its neighbours.
    #[test]
    fn masked_items_are_predicted_from_their_context() {
        let mut sequences = Sequences::new(1);
        for start in 0..80 {
            sequences.push([&[1][..]].into_iter());
            for place in 0..10 {
                sequences.push([&[2 + (start + place) % 4][..]].into_iter());
            }
            sequences.end_sequence();
        }
        let hyperparameters = Hyperparameters {
            epochs: 60,
            batch: 100,
            rate: 0.01,
            dropout: 0.0,
            attribute_dropout: 0.0,
            masking: 0.2,
            seed: 3,
        };
        let masked: Box<dyn Objective> = Box::new(MaskedItems::new(&SHAPE(), 0, 2, &[200; 4]));
        let mut trainer = EncoderTrainer::new(SHAPE(), vec![masked], 880, hyperparameters);
        let losses: Vec<f64> = (0..60).map(|_| trainer.epoch(&sequences, &|| true)).collect();
        assert!(losses[0] > 1.0 && losses[59] < 0.1, "{losses:?}");
    }

    /// Items 2 and 3 are followed by 4, items 5 and 6 by 7.
    #[test]
    fn items_in_the_same_contexts_get_similar_embeddings() {
        let mut sequences = Sequences::new(1);
        for number in 0..200u32 {
            let (item, next) = [(2, 4), (3, 4), (5, 7), (6, 7)][number as usize % 4];
            for value in [1, item, next] {
                sequences.push([&[value][..]].into_iter());
            }
            sequences.end_sequence();
        }
        let shape = Shape {
            attributes: vec![Attribute { values: 8, width: 16, is_bag: false }],
            layers: 1,
            units: 12,
        };
        let hyperparameters = Hyperparameters {
            epochs: 30,
            batch: 100,
            rate: 0.01,
            dropout: 0.0,
            attribute_dropout: 0.0,
            masking: 0.3,
            seed: 3,
        };
        let masked: Box<dyn Objective> = Box::new(MaskedItems::new(&shape, 0, 2, &[100; 6]));
        let mut trainer = EncoderTrainer::new(shape, vec![masked], 600, hyperparameters);
        trainer.scale_embeddings(0.1);
        for _ in 0..30 {
            trainer.epoch(&sequences, &|| true);
        }
        let vectors: Vec<&[f32]> = trainer.encoder().embeddings[0].chunks_exact(16).collect();
        let dot = |one: usize, other: usize| -> f32 {
            vectors[one].iter().zip(vectors[other]).map(|(one, other)| one * other).sum()
        };
        let cosine = |one, other| dot(one, other) / (dot(one, one) * dot(other, other)).sqrt();
        assert!(cosine(2, 3) > 0.7 && cosine(5, 6) > 0.7, "{} {}", cosine(2, 3), cosine(5, 6));
        assert!(cosine(2, 5) < 0.5 && cosine(3, 6) < 0.5, "{} {}", cosine(2, 5), cosine(3, 6));
    }

    struct SingleObjective(Classes);

    impl Objectives for SingleObjective {
        fn all(&self) -> Vec<&dyn Objective> {
            vec![&self.0]
        }

        fn all_mut(&mut self) -> Vec<&mut dyn Objective> {
            vec![&mut self.0]
        }
    }

    #[test]
    fn weights_do_not_depend_on_the_number_of_threads() {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| saved(|arrays| trained(2).save(arrays)))
        };
        assert_eq!(with(1), with(3));
    }

    #[test]
    fn training_is_resumed_from_a_saved_state() {
        let (sequences, mut first) = trainer(SHAPE(), 4);
        first.epoch(&sequences, &|| true);
        first.epoch(&sequences, &|| true);
        let kept = saved(|arrays| first.save(arrays));
        let (_, mut second) = trainer(SHAPE(), 4);
        second.restore(&kept).unwrap();
        assert_eq!(second.epochs(), 2);
        for trainer in [&mut first, &mut second] {
            trainer.epoch(&sequences, &|| true);
        }
        assert_eq!(saved(|arrays| first.save(arrays)), saved(|arrays| second.save(arrays)));
        assert!(trainer(Shape { units: 8, ..SHAPE() }, 4).1.restore(&kept).is_err());
    }
}
