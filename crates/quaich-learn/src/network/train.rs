//! Training from the first pass to the last: what it can be told, and who judges.
//!
//! What a pass does is up to the [`Trainer`].

use super::instances::SlotInstances;
use super::trainer::Trainer;
use super::{Network, Shape};

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
    best.map_or_else(|| trainer.into_network(), |(_, network)| network)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{settings, shape, toy};
    use super::super::{Frozen, Vocabulary};
    use super::*;

    #[test]
    fn what_can_be_learned_is_learned() {
        let instances = toy(400);
        let network = train(Shape { hidden: 32, ..shape() }, &instances, &settings(), |_| Verdict::default());
        let mut scores = Vec::new();
        let right = (0..instances.len())
            .filter(|&i| {
                network.score(instances.values(i), &mut scores);
                let best = (0u32..3).max_by(|&a, &b| scores[a as usize].total_cmp(&scores[b as usize]));
                best == Some(instances.right(i).likeliest())
            })
            .count();
        assert_eq!(right, instances.len());
    }

    #[test]
    fn any_number_of_threads_gives_the_same_weights() {
        let instances = toy(300);
        let settings = Settings { passes: 3, batch: 150, dropout: 0.4, forgetting: 0.2, ..settings() };
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

    #[test]
    fn what_is_learned_of_parts_serves_unseen_values() {
        // Values 2 to 13 are pairs of parts; the class is the second part. Three pairs are never seen.
        let pairs: Vec<[u32; 2]> = (0..4).flat_map(|a| (0..3).map(move |b| [a, 4 + b])).collect();
        let lists = [&[][..], &[]].into_iter().chain(pairs.iter().map(<[u32; 2]>::as_slice));
        let mut vocabulary = Vocabulary::composed(lists, 7, 8, vec![0.5; 14]);
        let unseen: Vec<u32> = pairs[..3].iter().map(|pair| vocabulary.add_unseen(pair)).collect();
        let shape = Shape { vocabularies: vec![vocabulary], slots: vec![0], hidden: 32, classes: 3 };
        let mut instances = SlotInstances::new(1, 3);
        for i in 0..270 {
            instances.push(&[5 + i % 9], i % 3);
        }
        let network = train(shape, &instances, &settings(), |_| Verdict::default());
        let mut scores = Vec::new();
        for (class, &value) in (0u32..).zip(&unseen) {
            network.score(&[value], &mut scores);
            let best = (0u32..3).max_by(|&a, &b| scores[a as usize].total_cmp(&scores[b as usize]));
            assert_eq!(best, Some(class), "{scores:?}");
        }
    }

    #[test]
    fn thousands_of_classes_are_learned() {
        let (n_values, classes) = (20, 5000);
        let vocabularies = vec![Vocabulary::plain(n_values + 2, 16, Vec::new())];
        let mut instances = SlotInstances::new(1, classes);
        for value in 0..20 {
            instances.push(&[2 + value], value * 263);
        }
        let shape = Shape { vocabularies, slots: vec![0], hidden: 128, classes };
        let settings = Settings { passes: 30, batch: 20, rate: 0.05, ..settings() };
        let network = train(shape, &instances, &settings, |_| Verdict::default());
        let (frozen, rows) = Frozen::new(&network, 1.0);
        let (mut units, mut scores) = (Vec::new(), vec![0; classes]);
        for i in 0..instances.len() {
            let starts = [frozen.start(0, instances.values(i)[0])];
            frozen.score([(&rows, &starts), (&[], &[])], &mut units, &mut scores);
            let best = (0u32..).zip(&scores).max_by_key(|(_, score)| **score).map(|(class, _)| class);
            assert_eq!(best, Some(instances.right(i).likeliest()));
        }
    }
}
