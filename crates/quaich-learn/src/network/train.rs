//! Training: minibatches, Adam with a rate that falls to zero, dropout.
//!
//! Within a minibatch each distinct (slot, value) pair is multiplied once and its row then added
//! wherever the pair occurs; gradients are gathered per pair the same way before they are multiplied
//! back. Slots are independent of each other, and so are groups of instances; every sum is made in
//! one fixed order, so the weights are the same for any number of threads.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use super::instances::SlotInstances;
use super::kernels::{self, FIRST, SECOND, Step, Turn, multiply};
use super::{Network, Shape, UNKNOWN};
use crate::math::exp_f32;

/// What the learner can be told.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// How often the instances are gone through.
    pub passes: usize,
    /// How many instances there are between two changes of the weights; 0 leaves it to their number.
    pub batch: usize,
    /// The highest learning rate; it falls to zero over the passes.
    pub rate: f32,
    /// The part of the hidden units that is left out at random.
    pub dropout: f32,
    /// The part of the values that is taken for unknown at random, whatever the value.
    pub forgetting: f32,
    /// How much of each weight is forgotten: times the rate, at every change.
    pub decay: f32,
    /// Part of the target that is spread over all classes.
    pub smoothing: f32,
    /// Fixes the first weights, the order of the instances and what is left out.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            passes: 8,
            batch: 0,
            rate: 0.002,
            dropout: 0.3,
            forgetting: 0.1,
            decay: 0.0,
            smoothing: 0.0,
            seed: 1,
        }
    }
}

/// What is known after a pass.
#[derive(Debug)]
pub struct Pass<'a> {
    /// How many passes are done.
    pub done: usize,
    /// How many passes there will be.
    pub of: usize,
    /// The mean loss of the pass, in nats.
    pub loss: f64,
    /// The network as it is.
    pub network: &'a Network,
}

/// What is to happen after a pass.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Verdict {
    /// How good the network is; the best is kept, the later of two equals. Without a score, or with
    /// none above earlier ones, the last.
    pub score: Option<f64>,
    /// Whether this was the last pass.
    pub stop: bool,
}

/// Trains a network; `judge` is asked after every pass.
pub fn train(
    shape: Shape,
    instances: &SlotInstances,
    settings: &Settings,
    mut judge: impl FnMut(&Pass<'_>) -> Verdict,
) -> Network {
    let mut trainer = Trainer::new(shape, *settings);
    let mut best: Option<(f64, Network)> = None;
    for pass in 0..settings.passes {
        let loss = trainer.pass(instances);
        let network = trainer.network();
        let verdict = judge(&Pass { done: pass + 1, of: settings.passes, loss, network });
        if let Some(score) = verdict.score
            && best.as_ref().is_none_or(|(highest, _)| score >= *highest)
        {
            best = Some((score, network.clone()));
        }
        if verdict.stop {
            break;
        }
    }
    best.map_or(trainer.network, |(_, network)| network)
}

/// Instances worked on by one thread at a time; part of what fixes the order of sums.
const GROUP: usize = 64;

/// A training under way, for those who change the instances from pass to pass; [`train()`] is for
/// all others.
pub struct Trainer {
    network: Network,
    settings: Settings,
    passes: usize,
    step: usize,
    slots: Vec<SlotWork>,
    vocabularies: Vec<VocabularyWork>,
    bias: Moments,
    output: Moments,
    output_bias: Moments,
    /// By instance of the batch: the hidden layer, and then its gradient.
    hidden: Vec<f32>,
    gradient: Vec<f32>,
    /// By instance of the batch, then by class: scores, then their gradients.
    scores: Vec<f32>,
    output_gradient: Vec<f32>,
}

/// A training between two passes.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainerState {
    /// How many passes are done.
    pub passes: usize,
    /// How many steps are done.
    pub step: usize,
    /// All weights and running means.
    pub numbers: Vec<f32>,
}

/// What one slot needs of its own.
struct SlotWork {
    /// By value: where it is among the distinct values, and in which step it was put there.
    places: Vec<(u32, u32)>,
    distinct: Vec<u32>,
    /// By instance: which of the distinct values it has.
    local: Vec<u32>,
    vectors: Vec<f32>,
    rows: Vec<f32>,
    row_gradient: Vec<f32>,
    vector_gradient: Vec<f32>,
    weight_gradient: Vec<f32>,
    moments: Moments,
}

/// What one vocabulary needs of its own.
struct VocabularyWork {
    places: Vec<(u32, u32)>,
    touched: Vec<u32>,
    gradient: Vec<f32>,
    moments: Moments,
}

impl std::fmt::Debug for Trainer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trainer")
            .field("settings", &self.settings)
            .field("step", &self.step)
            .finish_non_exhaustive()
    }
}

impl Trainer {
    /// A network with random weights.
    pub fn new(shape: Shape, settings: Settings) -> Self {
        Self::with(Network::random(shape, settings.seed), settings)
    }

    /// The network as it is.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// How many passes are done.
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// Goes through the instances once, in random order; returns the mean loss.
    ///
    /// # Panics
    /// When the instances do not have the network's slots and classes.
    pub fn pass(&mut self, instances: &SlotInstances) -> f64 {
        let shape = &self.network.shape;
        assert_eq!(shape.slots.len(), instances.n_slots(), "the instances have the network's slots");
        assert_eq!(shape.classes, instances.n_classes(), "the instances have the network's classes");
        let mut order: Vec<u32> = (0u32..).take(instances.len()).collect();
        // Of its own for every pass, so that a training can be taken up between two.
        let pass = (self.passes as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        order.shuffle(&mut Pcg64Mcg::seed_from_u64(self.settings.seed ^ 0x5eed ^ pass));
        let batch = match self.settings.batch {
            0 => (instances.len() / 256).clamp(128, 512),
            batch => batch,
        };
        let mut loss = 0.0;
        #[allow(clippy::cast_precision_loss, reason = "only rates and means are made of it")]
        let n_batches = instances.len().div_ceil(batch).max(1) as f32;
        #[allow(clippy::cast_precision_loss, reason = "only rates and means are made of it")]
        for (i, chosen) in order.chunks(batch).enumerate() {
            let done = (self.passes as f32 + i as f32 / n_batches) / self.settings.passes.max(1) as f32;
            loss += self.step(instances, chosen, done);
        }
        self.passes += 1;
        #[allow(clippy::cast_precision_loss, reason = "only shown")]
        let n = instances.len().max(1) as f64;
        loss / n
    }

    /// Everything that a training needs to go on from here.
    pub fn state(&mut self) -> TrainerState {
        let numbers = self.numbers().into_iter().flat_map(|numbers| numbers.iter().copied()).collect();
        TrainerState { passes: self.passes, step: self.step, numbers }
    }

    /// Goes on from a state of the same training; says whether it can be one.
    pub fn restore(&mut self, state: &TrainerState) -> bool {
        let mut rest = &state.numbers[..];
        let length: usize = self.numbers().iter().map(|numbers| numbers.len()).sum();
        if length != rest.len() {
            return false;
        }
        for numbers in self.numbers() {
            let (own, others) = rest.split_at(numbers.len());
            numbers.copy_from_slice(own);
            rest = others;
        }
        (self.passes, self.step) = (state.passes, state.step);
        true
    }

    /// All numbers that change from step to step.
    fn numbers(&mut self) -> Vec<&mut Vec<f32>> {
        let moments = self.slots.iter_mut().map(|slot| &mut slot.moments);
        let moments = moments.chain(self.vocabularies.iter_mut().map(|vocabulary| &mut vocabulary.moments));
        let moments = moments.chain([&mut self.bias, &mut self.output, &mut self.output_bias]);
        let moments = moments.flat_map(|moments| [&mut moments.first, &mut moments.second]);
        self.network.numbers().into_iter().chain(moments).collect()
    }

    /// Goes on with a network.
    pub fn with(network: Network, settings: Settings) -> Self {
        let shape = &network.shape;
        let slots = shape
            .slots
            .iter()
            .zip(&network.input)
            .map(|(&v, input)| SlotWork {
                places: vec![(0, 0); shape.vocabularies[v].size],
                distinct: Vec::new(),
                local: Vec::new(),
                vectors: Vec::new(),
                rows: Vec::new(),
                row_gradient: Vec::new(),
                vector_gradient: Vec::new(),
                weight_gradient: vec![0.0; input.len()],
                moments: Moments::new(input.len()),
            })
            .collect();
        let vocabularies = network
            .embeddings
            .iter()
            .zip(&shape.vocabularies)
            .map(|(table, vocabulary)| VocabularyWork {
                places: vec![(0, 0); vocabulary.size],
                touched: Vec::new(),
                gradient: Vec::new(),
                moments: Moments::new(table.len()),
            })
            .collect();
        Self {
            settings,
            passes: 0,
            step: 0,
            slots,
            vocabularies,
            bias: Moments::new(network.bias.len()),
            output: Moments::new(network.output.len()),
            output_bias: Moments::new(network.output_bias.len()),
            hidden: Vec::new(),
            gradient: Vec::new(),
            scores: Vec::new(),
            output_gradient: vec![0.0; network.output.len()],
            network,
        }
    }

    /// Changes the weights for one minibatch; returns the sum of the losses.
    fn step(&mut self, instances: &SlotInstances, chosen: &[u32], done: f32) -> f64 {
        self.step += 1;
        let loss = self.differentiate(instances, chosen, true);
        let change = Step::at(&self.settings, self.step, done);
        let network = &mut self.network;
        self.slots.par_iter_mut().zip(&mut network.input).for_each(|(work, input)| {
            work.moments.change(input, &work.weight_gradient, change);
        });
        self.vocabularies
            .par_iter_mut()
            .zip(&mut network.embeddings)
            .zip(&network.shape.vocabularies)
            .for_each(|((work, table), vocabulary)| {
                let width = vocabulary.width;
                for (&value, gradient) in work.touched.iter().zip(work.gradient.chunks(width)) {
                    work.moments.change_part(table, value as usize * width, gradient, change);
                }
            });
        let bias_gradient = column_sums(&self.gradient, network.shape.hidden);
        self.bias.change(&mut network.bias, &bias_gradient, change.without_decay());
        self.output.change(&mut network.output, &self.output_gradient, change);
        let gradient = column_sums(&self.scores, network.shape.classes);
        self.output_bias.change(&mut network.output_bias, &gradient, change.without_decay());
        loss
    }

    /// Works out the gradient of the mean loss of a minibatch; returns the sum of the losses.
    fn differentiate(&mut self, instances: &SlotInstances, chosen: &[u32], random: bool) -> f64 {
        let network = &self.network;
        let shape = &network.shape;
        let (n_hidden, n_classes) = (shape.hidden, shape.classes);
        let settings = &self.settings;
        let step = u32::try_from(self.step).unwrap_or(u32::MAX);
        let stream = |part: u64| {
            Pcg64Mcg::seed_from_u64(
                settings.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (u64::from(step) << 24) ^ part,
            )
        };

        // Rows of the distinct pairs.
        #[allow(clippy::cast_possible_truncation, reason = "random bits")]
        self.slots.par_iter_mut().enumerate().for_each(|(slot, work)| {
            let vocabulary = &shape.vocabularies[shape.slots[slot]];
            let table = &network.embeddings[shape.slots[slot]];
            let mut generator = stream(0x80_0000 + slot as u64);
            work.distinct.clear();
            work.local.clear();
            work.vectors.clear();
            let mut bits = 0;
            for (i, &instance) in chosen.iter().enumerate() {
                let mut value = instances.values(instance as usize)[slot];
                if random {
                    let rare = vocabulary.forgetting.get(value as usize).copied().unwrap_or(0.0);
                    // Sixteen bits are enough for a decision, so a number serves for four.
                    bits = if i % 4 == 0 { generator.next_u64() } else { bits >> 16 };
                    if f32::from(bits as u16) < (settings.forgetting + rare) * 65_536.0 {
                        value = UNKNOWN;
                    }
                }
                let (place, seen) = &mut work.places[value as usize];
                if *seen != step || work.distinct.get(*place as usize) != Some(&value) {
                    *seen = step;
                    *place = u32::try_from(work.distinct.len()).expect("no more than a batch");
                    work.distinct.push(value);
                    let start = value as usize * vocabulary.width;
                    work.vectors.extend_from_slice(&table[start..start + vocabulary.width]);
                }
                work.local.push(*place);
            }
            let n = work.distinct.len();
            work.rows.resize(n * n_hidden, 0.0);
            multiply(
                (n, vocabulary.width, n_hidden),
                (&work.vectors, Turn::Plain),
                (&network.input[slot], Turn::Plain),
                &mut work.rows,
            );
        });

        // Sums, scores, and back to the gradients of the sums.
        self.hidden.resize(chosen.len() * n_hidden, 0.0);
        self.gradient.resize(chosen.len() * n_hidden, 0.0);
        self.scores.resize(chosen.len() * n_classes, 0.0);
        let slots = &self.slots;
        #[allow(clippy::cast_precision_loss, reason = "the size of a batch")]
        let share = 1.0 / chosen.len() as f32;
        let dropout = if random { settings.dropout } else { 0.0 };
        let losses: Vec<f64> = self
            .hidden
            .par_chunks_mut(GROUP * n_hidden)
            .zip(self.gradient.par_chunks_mut(GROUP * n_hidden))
            .zip(self.scores.par_chunks_mut(GROUP * n_classes))
            .zip(chosen.par_chunks(GROUP))
            .enumerate()
            .map(|(group, (((hidden, gradient), scores), chosen))| {
                let mut generator = stream(group as u64);
                let mut rows: Vec<&[f32]> = Vec::with_capacity(slots.len());
                for (i, hidden) in hidden.chunks_mut(n_hidden).enumerate() {
                    hidden.copy_from_slice(&network.bias);
                    rows.clear();
                    rows.extend(slots.iter().map(|work| {
                        let start = work.local[group * GROUP + i] as usize * n_hidden;
                        &work.rows[start..start + n_hidden]
                    }));
                    kernels::accumulate(hidden, &rows);
                    rectify(hidden, dropout, &mut generator);
                }
                multiply(
                    (chosen.len(), n_hidden, n_classes),
                    (hidden, Turn::Plain),
                    (&network.output, Turn::Plain),
                    scores,
                );
                let mut loss = 0.0;
                for (scores, &instance) in scores.chunks_mut(n_classes).zip(chosen) {
                    for (score, bias) in scores.iter_mut().zip(&network.output_bias) {
                        *score += bias;
                    }
                    let instance = instance as usize;
                    let weight = instances.weight(instance);
                    loss += f64::from(weight)
                        * f64::from(softmax(scores, instances, instance, settings.smoothing));
                    for score in scores {
                        *score *= weight * share;
                    }
                }
                multiply(
                    (chosen.len(), n_classes, n_hidden),
                    (scores, Turn::Plain),
                    (&network.output, Turn::Transposed),
                    gradient,
                );
                let scale = 1.0 / (1.0 - dropout);
                for (gradient, &unit) in gradient.iter_mut().zip(hidden.iter()) {
                    *gradient = if unit > 0.0 { *gradient * scale } else { 0.0 };
                }
                loss
            })
            .collect();
        multiply(
            (n_hidden, chosen.len(), n_classes),
            (&self.hidden, Turn::Transposed),
            (&self.scores, Turn::Plain),
            &mut self.output_gradient,
        );

        // Back to weights and vectors.
        let gradient = &self.gradient;
        self.slots.par_iter_mut().enumerate().for_each(|(slot, work)| {
            let width = shape.vocabularies[shape.slots[slot]].width;
            let n = work.distinct.len();
            work.row_gradient.clear();
            work.row_gradient.resize(n * n_hidden, 0.0);
            kernels::scatter(&mut work.row_gradient, &work.local, gradient, n_hidden);
            multiply(
                (width, n, n_hidden),
                (&work.vectors, Turn::Transposed),
                (&work.row_gradient, Turn::Plain),
                &mut work.weight_gradient,
            );
            work.vector_gradient.resize(n * width, 0.0);
            multiply(
                (n, n_hidden, width),
                (&work.row_gradient, Turn::Plain),
                (&network.input[slot], Turn::Transposed),
                &mut work.vector_gradient,
            );
        });
        let slots = &self.slots;
        self.vocabularies.par_iter_mut().enumerate().for_each(|(vocabulary, work)| {
            let width = shape.vocabularies[vocabulary].width;
            work.touched.clear();
            work.gradient.clear();
            for (slot, _) in slots.iter().zip(&shape.slots).filter(|(_, v)| **v == vocabulary) {
                for (&value, gradient) in slot.distinct.iter().zip(slot.vector_gradient.chunks(width)) {
                    let (place, seen) = &mut work.places[value as usize];
                    if *seen != step || work.touched.get(*place as usize) != Some(&value) {
                        *seen = step;
                        *place = u32::try_from(work.touched.len()).expect("fewer than 2³² values");
                        work.touched.push(value);
                        work.gradient.extend_from_slice(gradient);
                    } else {
                        let sum = &mut work.gradient[*place as usize * width..][..width];
                        for (sum, cell) in sum.iter_mut().zip(gradient) {
                            *sum += cell;
                        }
                    }
                }
            }
        });
        losses.iter().sum()
    }
}

/// Sums → hidden units: negative ones become zero, and so does a random part of the others.
fn rectify(hidden: &mut [f32], dropout: f32, generator: &mut Pcg64Mcg) {
    if dropout <= 0.0 {
        for unit in hidden {
            *unit = unit.max(0.0);
        }
        return;
    }
    let scale = 1.0 / (1.0 - dropout);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "dropout is below 1")]
    let limit = (dropout * 65_536.0) as u16;
    for units in hidden.chunks_mut(4) {
        let bits = generator.next_u64();
        for (unit, bits) in units.iter_mut().zip(bits.to_le_bytes().as_chunks::<2>().0) {
            let kept = u16::from_le_bytes(*bits) >= limit;
            *unit = if kept { unit.max(0.0) * scale } else { 0.0 };
        }
    }
}

/// Scores → the gradient of the loss in them; returns the loss.
fn softmax(scores: &mut [f32], instances: &SlotInstances, instance: usize, smoothing: f32) -> f32 {
    let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = exp_f32(*score - highest);
        sum += *score;
    }
    for score in scores.iter_mut() {
        *score /= sum;
    }
    #[allow(clippy::cast_precision_loss, reason = "some thousands at most")]
    let floor = smoothing / scores.len() as f32;
    let right = instances.class(instance) as usize;
    let mut loss = 0.0;
    if let Some(target) = instances.target(instance) {
        for (score, &target) in scores.iter_mut().zip(target) {
            let target = target * (1.0 - smoothing) + floor;
            loss -= target * score.max(1e-12).ln();
            *score -= target;
        }
    } else {
        loss -= scores[right].max(1e-12).ln();
        if smoothing > 0.0 {
            for score in scores.iter_mut() {
                *score -= floor;
            }
        }
        scores[right] -= 1.0 - smoothing;
    }
    loss
}

fn column_sums(rows: &[f32], width: usize) -> Vec<f32> {
    let mut sums = vec![0.0; width];
    for row in rows.chunks(width) {
        for (sum, cell) in sums.iter_mut().zip(row) {
            *sum += cell;
        }
    }
    sums
}

/// Steps until the rate is at its highest.
const WARM_UP: f32 = 50.0;

impl Step {
    /// The step with this number, this part of the training done.
    fn at(settings: &Settings, number: usize, done: f32) -> Self {
        #[allow(clippy::cast_precision_loss, reason = "no precision is needed")]
        let warm = (number as f32 / WARM_UP).min(1.0);
        let rate = settings.rate * warm * (1.0 - done).max(0.0);
        let power = i32::try_from(number).unwrap_or(i32::MAX);
        Self {
            rate,
            decay: settings.decay * rate,
            short_first: 1.0 / (1.0 - FIRST.powi(power)),
            short_second: 1.0 / (1.0 - SECOND.powi(power)),
        }
    }

    fn without_decay(self) -> Self {
        Self { decay: 0.0, ..self }
    }
}

/// The running means of a gradient and of its square.
struct Moments {
    first: Vec<f32>,
    second: Vec<f32>,
}

impl Moments {
    fn new(n: usize) -> Self {
        Self { first: vec![0.0; n], second: vec![0.0; n] }
    }

    fn change(&mut self, weights: &mut [f32], gradient: &[f32], change: Step) {
        self.change_part(weights, 0, gradient, change);
    }

    /// Changes the weights that start at `start`; the others stay, and so do their means.
    fn change_part(&mut self, weights: &mut [f32], start: usize, gradient: &[f32], change: Step) {
        let n = gradient.len();
        let weights = &mut weights[start..start + n];
        let first = &mut self.first[start..start + n];
        let second = &mut self.second[start..start + n];
        kernels::adam(weights, first, second, gradient, change);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Vocabulary;
    use super::*;

    fn shape() -> Shape {
        let vocabulary = |size, width| Vocabulary { size, width, forgetting: Vec::new() };
        Shape {
            vocabularies: vec![vocabulary(7, 3), vocabulary(5, 2)],
            slots: vec![0, 1, 0],
            hidden: 8,
            classes: 3,
        }
    }

    /// The class is the first value plus the last, modulo three.
    fn toy(n: u32) -> SlotInstances {
        let mut instances = SlotInstances::new(3, 3);
        let mut state = 3u32;
        for _ in 0..n {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let values = [(state >> 16) % 7, (state >> 20) % 5, (state >> 24) % 7];
            instances.push(&values, (values[0] + values[2]) % 3);
        }
        instances
    }

    fn settings() -> Settings {
        Settings { passes: 60, batch: 32, rate: 0.02, dropout: 0.0, forgetting: 0.0, ..Settings::default() }
    }

    type Part = fn(&mut Network) -> &mut Vec<f32>;

    #[test]
    fn gradients_equal_finite_differences() {
        let mut instances = toy(20);
        instances.push_soft(&[1, 1, 1], &[0.5, 0.2, 0.3], 2.0);
        let chosen: Vec<u32> = (0..21).collect();
        let mut trainer = Trainer::with(Network::random(shape(), 5), settings());
        for bias in &mut trainer.network.bias {
            *bias = 0.05;
        }
        trainer.step = 1;
        trainer.differentiate(&instances, &chosen, false);
        let loss = |network: &Network| -> f64 {
            let mut scores = Vec::new();
            (0..instances.len())
                .map(|i| {
                    network.score(instances.values(i), &mut scores);
                    let weight = f64::from(instances.weight(i));
                    weight * f64::from(softmax(&mut scores, &instances, i, 0.0))
                })
                .sum::<f64>()
                / 21.0
        };
        let network = trainer.network.clone();
        let check = |part: Part, at: usize, gradient: f32| {
            let at_distance = |distance: f32| {
                let mut moved = network.clone();
                part(&mut moved)[at] += distance;
                loss(&moved)
            };
            let numeric = (at_distance(0.002) - at_distance(-0.002)) / 0.004;
            assert!((numeric - f64::from(gradient)).abs() < 2e-3, "{numeric} {gradient}");
        };
        for (at, &gradient) in trainer.output_gradient.iter().enumerate() {
            check(|n| &mut n.output, at, gradient);
        }
        for (at, &gradient) in column_sums(&trainer.gradient, 8).iter().enumerate() {
            check(|n| &mut n.bias, at, gradient);
        }
        for (at, &gradient) in column_sums(&trainer.scores, 3).iter().enumerate() {
            check(|n| &mut n.output_bias, at, gradient);
        }
        let inputs: [Part; 3] = [|n| &mut n.input[0], |n| &mut n.input[1], |n| &mut n.input[2]];
        for (work, part) in trainer.slots.iter().zip(inputs) {
            for (at, &gradient) in work.weight_gradient.iter().enumerate() {
                check(part, at, gradient);
            }
        }
        let tables: [Part; 2] = [|n| &mut n.embeddings[0], |n| &mut n.embeddings[1]];
        for ((work, part), vocabulary) in trainer.vocabularies.iter().zip(tables).zip(shape().vocabularies) {
            for (&value, gradients) in work.touched.iter().zip(work.gradient.chunks(vocabulary.width)) {
                for (i, &gradient) in gradients.iter().enumerate() {
                    check(part, value as usize * vocabulary.width + i, gradient);
                }
            }
        }
    }

    #[test]
    fn what_can_be_learned_is_learned() {
        let instances = toy(400);
        let network = train(shape_with(32), &instances, &settings(), |_| Verdict::default());
        let mut scores = Vec::new();
        let right = (0..instances.len())
            .filter(|&i| {
                network.score(instances.values(i), &mut scores);
                let best = (0u32..3).max_by(|&a, &b| scores[a as usize].total_cmp(&scores[b as usize]));
                best == Some(instances.class(i))
            })
            .count();
        assert_eq!(right, instances.len());
    }

    fn shape_with(hidden: usize) -> Shape {
        Shape { hidden, ..shape() }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_weights() {
        let instances = toy(300);
        let settings = Settings { passes: 3, batch: 150, dropout: 0.4, ..settings() };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| train(shape(), &instances, &settings, |_| Verdict::default()))
        };
        assert_eq!(with(1), with(4));
    }

    #[test]
    fn the_judge_keeps_the_best_and_stops() {
        let instances = toy(100);
        let mut seen = Vec::new();
        let network = train(shape(), &instances, &settings(), |pass| {
            seen.push(pass.network.clone());
            let score = if pass.done == 2 { 1.0 } else { 0.0 };
            Verdict { score: Some(score), stop: pass.done == 4 }
        });
        assert_eq!(seen.len(), 4);
        assert_eq!(network, seen[1]);
    }
}
