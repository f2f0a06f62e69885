//! Head pointers alone: an encoder that learns the known heads of sentences, whole trees or not.

use std::sync::Arc;

use quaich_learn::encoder::{
    Encoder, EncoderTrainer, Hyperparameters, ItemSource, Objective, Objectives, PointerTargets, Pointers,
    Projections, Sequences, Shape,
};
use quaich_treebank::{Node, Sentence};

use crate::encoder::{Inputs, Lexicon, SentenceEncoder};
use crate::error::Result;
use crate::observer::{Event, Observer};

/// The number of training words over all epochs, and the limits on epochs: half of those of a parser, since its trees are only completed.
const WORDS: usize = 3_500_000;
const MIN_EPOCHS: usize = 8;
const MAX_EPOCHS: usize = 60;
const LAYERS: usize = 2;
const UNITS: usize = 128;
const BATCH: usize = 500;
const DROPOUT: f32 = 0.33;
const ATTRIBUTE_DROPOUT: f32 = 0.2;
const WIDTH: usize = 64;

/// The only objective.
#[derive(Debug)]
struct Heads(Pointers);

impl Objectives for Heads {
    fn all(&self) -> Vec<&dyn Objective> {
        vec![&self.0]
    }

    fn all_mut(&mut self) -> Vec<&mut dyn Objective> {
        vec![&mut self.0]
    }
}

/// Trains an encoder on the known heads of sentences. Fails only if the observer stops it.
pub(crate) fn learn_heads(
    sentences: &[&Sentence],
    seed: u64,
    observer: &dyn Observer,
) -> Result<SentenceEncoder> {
    let lexicon = Lexicon::of(sentences, &Inputs::default(), &[], None);
    let mut sequences = Sequences::new(lexicon.attributes().len());
    let mut targets = PointerTargets::default();
    let mut values = Vec::new();
    for sentence in sentences {
        observer.check()?;
        let items = lexicon.items(sentence);
        for node in (0..=sentence.n_tokens()).map(Node::from_index) {
            items.values(node.index(), &mut values);
            sequences.push(values.iter().map(Vec::as_slice));
            let head = sentence.heads()[node.index()];
            targets.push(if node.is_root() { 0 } else { head.0 }, &[]);
        }
        sequences.end_sequence();
        targets.end_sequence();
    }
    let n_words: usize = sentences.iter().map(|sentence| sentence.n_tokens() + 1).sum();
    let epochs = (WORDS / n_words.max(1)).clamp(MIN_EPOCHS, MAX_EPOCHS);
    let shape = Shape { attributes: lexicon.attributes(), layers: LAYERS, units: UNITS };
    let hyperparameters = Hyperparameters {
        epochs,
        batch: BATCH,
        dropout: DROPOUT,
        attribute_dropout: ATTRIBUTE_DROPOUT,
        seed,
        ..Hyperparameters::default()
    };
    let heads = Heads(Pointers::new(WIDTH, Arc::new(targets)));
    let mut trainer = EncoderTrainer::new(shape, heads, n_words, hyperparameters);
    observer.event(&Event::Stage { name: "completing partial trees", steps: epochs });
    for _ in 0..epochs {
        trainer.epoch(&sequences, &|| !observer.stop());
        observer.check()?;
        observer.event(&Event::Step);
    }
    let encoder = Encoder::new(trainer.encoder(), &Projections::default());
    Ok(SentenceEncoder::new(lexicon, vec![encoder], vec![trainer.objectives.0.freeze()], None))
}
