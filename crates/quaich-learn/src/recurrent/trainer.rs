//! A training under way: passes over the sentences, minibatch by minibatch.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use super::minibatch::{Lessons, Minibatch};
use super::optimiser::{Optimiser, step_at};
use super::weights::Network;
use super::words::{Asked, Words};
use super::{Settings, Shape};
use crate::arrays::{Arrays, LoadError};
use crate::chance::Chance;

/// A training under way.
#[derive(Debug)]
pub struct Trainer {
    network: Network,
    optimiser: Optimiser,
    settings: Settings,
    /// The number of words to learn from: what the rate depends on.
    n_words: usize,
    passes: usize,
    step: usize,
    minibatch: Minibatch,
}

impl Trainer {
    /// A network with random weights, to be trained on so many words.
    pub fn new(shape: Shape, n_words: usize, settings: Settings) -> Self {
        let network = Network::random(shape, settings.seed);
        Self {
            optimiser: Optimiser::new(&network),
            minibatch: Minibatch::new(&network),
            network,
            settings,
            n_words,
            passes: 0,
            step: 0,
        }
    }

    /// The network as it is.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// How many passes are done.
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// Goes through the sentences once, in random order; returns the mean loss. `go_on` is asked before every step.
    ///
    /// # Panics
    /// When words have values that the network does not have.
    pub fn pass(&mut self, words: &Words, asked: &[Asked], go_on: &dyn Fn() -> bool) -> f64 {
        assert!(words.fit(&self.network.shape), "words have values of the network");
        assert!(
            asked.iter().all(|asked| asked.n_sentences() == words.n_sentences()),
            "all sentences are there"
        );
        let mut order: Vec<usize> = (0..words.n_sentences()).collect();
        // Of its own for every pass, so that a training can be taken up between two.
        let pass = (self.passes as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        order.shuffle(&mut Pcg64Mcg::seed_from_u64(self.settings.seed ^ 0x5eed ^ pass));
        let n_steps = self.settings.passes * self.n_words.div_ceil(self.settings.batch.max(1));
        let (mut loss, mut n_batches) = (0.0, 0.0);
        for sentences in batches(words, &order, self.settings.batch) {
            if !go_on() {
                break;
            }
            self.step += 1;
            let chance = Chance::new(self.settings.seed, self.step);
            let lessons = Lessons { words, asked, sentences };
            let left_out = (self.settings.dropout, self.settings.forgotten);
            loss += self.minibatch.differentiate(&self.network, lessons, left_out, chance);
            n_batches += 1.0;
            let step = step_at(self.step, n_steps, self.settings.rate);
            self.optimiser.change(&mut self.network, &mut self.minibatch, step);
        }
        self.passes += 1;
        loss / f64::max(n_batches, 1.0)
    }

    /// Everything that is needed to go on another day.
    pub fn save(&self, arrays: &mut Arrays) {
        for (number, array) in self.numbers().into_iter().enumerate() {
            arrays.set(&format!("numbers.{number}"), array);
        }
        arrays.set("done", &[self.passes as u64, self.step as u64]);
    }

    /// Goes on with what was saved; `Err` if it belongs to another training.
    pub fn restore(&mut self, arrays: &Arrays) -> Result<(), LoadError> {
        let [passes, step] = arrays.get::<u64>("done")?[..] else {
            return Err(LoadError::unfit("done", "is not two numbers"));
        };
        let lengths: Vec<usize> = self.numbers().iter().map(|array| array.len()).collect();
        let mut kept: Vec<Vec<f32>> = Vec::new();
        for (number, length) in lengths.into_iter().enumerate() {
            let name = format!("numbers.{number}");
            let array: Vec<f32> = arrays.get(&name)?;
            if array.len() != length {
                return Err(LoadError::unfit(&name, "belongs to another network"));
            }
            kept.push(array);
        }
        let Self { network, optimiser, .. } = self;
        let weights = network.weights.arrays_mut().into_iter().map(Vec::as_mut_slice);
        let own = network.embeddings.iter_mut().map(Vec::as_mut_slice).chain(weights);
        for (own, kept) in own.chain(optimiser.numbers_mut()).zip(kept) {
            own.copy_from_slice(&kept);
        }
        self.passes = usize::try_from(passes).unwrap_or(0);
        self.step = usize::try_from(step).unwrap_or(0);
        Ok(())
    }

    fn numbers(&self) -> Vec<&[f32]> {
        let Self { network, optimiser, .. } = self;
        let weights = network.weights.arrays().into_iter().map(Vec::as_slice);
        network.embeddings.iter().map(Vec::as_slice).chain(weights).chain(optimiser.numbers()).collect()
    }
}

/// Sentences of about so many words together, in their order.
fn batches<'o>(words: &Words, order: &'o [usize], size: usize) -> Vec<&'o [usize]> {
    let (mut batches, mut start, mut n) = (Vec::new(), 0, 0);
    for (i, &sentence) in order.iter().enumerate() {
        n += words.sentence(sentence).len();
        if n >= size || i + 1 == order.len() {
            batches.push(&order[start..=i]);
            (start, n) = (i + 1, 0);
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::super::{Attribute, Encoder, EncoderScratch, QuestionShape};
    use super::*;

    const SHAPE: fn() -> Shape = || Shape {
        attributes: vec![Attribute { values: 6, width: 8, is_bag: false }],
        layers: 2,
        units: 12,
        questions: vec![QuestionShape { roles: 1, marks: 0, width: 16, classes: 4 }],
        arcs: 8,
    };

    /// Sentences of words 2 to 5; asked about a word, the answer is what the word before it is.
    fn toy() -> (Words, Vec<Asked>, Vec<Vec<u32>>) {
        let (mut words, mut asked, mut sentences) = (Words::new(1), vec![Asked::new(1, 0)], Vec::new());
        let mut state = 7u32;
        for _ in 0..60 {
            let mut sentence = vec![1];
            for _ in 0..6 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                sentence.push(2 + (state >> 16) % 4);
            }
            for (place, word) in (0u32..).zip(&sentence) {
                words.push([&[*word][..]].into_iter(), place.saturating_sub(1), &[]);
            }
            words.end_sentence();
            for (place, before) in (2..).zip(&sentence[1..6]) {
                asked[0].push(&[place], &[], before - 2);
            }
            asked[0].end_sentence();
            sentences.push(sentence);
        }
        (words, asked, sentences)
    }

    fn trained(passes: usize) -> Trainer {
        let (words, asked, _) = toy();
        let settings = Settings { passes, batch: 60, rate: 0.01, dropout: 0.1, forgotten: 0.1, seed: 3 };
        let mut trainer = Trainer::new(SHAPE(), 420, settings);
        for _ in 0..passes {
            trainer.pass(&words, &asked, &|| true);
        }
        trainer
    }

    #[test]
    fn what_stands_before_a_word_is_learned() {
        let encoder = Encoder::new(trained(120).network());
        let mut arrays = Arrays::default();
        encoder.save(&mut arrays);
        let encoder = {
            let again = Encoder::load(&arrays).unwrap();
            assert_eq!(again, encoder);
            again
        };
        let (mut scratch, mut right, mut all) = (EncoderScratch::default(), 0, 0);
        assert_eq!(encoder.heads(7, &mut scratch), None, "nobody wanted to hear of heads");
        scratch.hear_heads();
        let mut found = 0;
        let width = encoder.word_width();
        for sentence in toy().2 {
            let mut rows = vec![0.0; sentence.len() * width];
            for word in &sentence {
                encoder.add_word([&[*word][..]].into_iter(), &mut scratch);
            }
            encoder.words(&mut rows, &mut scratch);
            encoder.read(&rows, &[0, 1, 2, 3, 4, 5, 6], (0, 0..7), &mut scratch);
            for (place, before) in (2u32..).zip(&sentence[1..6]) {
                let scores = encoder.scores(0, &[place], &[], &mut scratch);
                let best = (0u32..4).max_by(|&a, &b| scores[a as usize].total_cmp(&scores[b as usize]));
                right += usize::from(best == Some(before - 2));
                all += 1;
            }
            let heads = encoder.heads(7, &mut scratch).unwrap();
            for (place, heads) in heads.chunks_exact(7).enumerate().skip(1) {
                assert!((heads.iter().sum::<f32>() - 1.0).abs() < 1e-3);
                found += usize::from(heads.iter().all(|&other| other <= heads[place - 1]));
            }
        }
        assert!(right * 100 >= all * 95, "{right} of {all}");
        assert!(found >= all, "{found} heads");
    }

    #[test]
    fn an_encoder_with_sizes_that_do_not_fit_is_refused() {
        let mut arrays = Arrays::default();
        Encoder::new(trained(0).network()).save(&mut arrays);
        for sizes in [[2, 13, 8], [0, 12, 8], [1 << 40, 12, 8], [2, 12, 9]] {
            let mut changed = arrays.clone();
            changed.set::<u64>("sizes", &sizes);
            assert!(Encoder::load(&changed).is_err());
        }
        let mut changed = arrays.clone();
        changed.set::<u64>("questions", &[1, 0, 16, 5]);
        assert!(Encoder::load(&changed).is_err());
    }

    #[test]
    fn any_number_of_threads_gives_the_same_weights() {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| trained(2).network().clone())
        };
        assert_eq!(with(1), with(3));
    }

    #[test]
    fn a_training_goes_on_from_what_was_kept() {
        let (words, asked, _) = toy();
        let mut kept = Arrays::default();
        let settings = Settings { passes: 4, batch: 60, rate: 0.01, dropout: 0.1, forgotten: 0.1, seed: 3 };
        let mut first = Trainer::new(SHAPE(), 420, settings);
        first.pass(&words, &asked, &|| true);
        first.pass(&words, &asked, &|| true);
        first.save(&mut kept);
        let mut second = Trainer::new(SHAPE(), 420, settings);
        second.restore(&kept).unwrap();
        assert_eq!(second.passes(), 2);
        for trainer in [&mut first, &mut second] {
            trainer.pass(&words, &asked, &|| true);
        }
        assert_eq!(first.network(), second.network());
        let other = Shape { units: 8, ..SHAPE() };
        assert!(Trainer::new(other, 420, settings).restore(&kept).is_err());
    }
}
