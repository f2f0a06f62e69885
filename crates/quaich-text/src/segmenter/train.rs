//! Training a segmenter.

use std::ops::Range;
use std::sync::Arc;

use quaich_learn::encoder::{
    Attribute, Encoder, EncoderTrainer, Hyperparameters, Objective, Objectives, Projections, Sequences,
    Shape, SlotExamples, SlotShape, Slots,
};
use quaich_treebank::Sentence;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::characters::{Characters, Seen, UNKNOWN, White};
use super::lexicon::Lexicon;
use super::model::{Habits, Scorer, Segmenter};
use super::training_text::{Augmentation, Labelled, N_CLASSES, TrainingText};
use super::unbreakable::{self, Address};
use super::words::Words;
use crate::surface::Spacing;

/// How a segmenter is trained.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SegmenterOptions {
    /// Units of each layer over characters in each direction.
    pub units: usize,
    /// Layers over characters.
    pub layers: usize,
    /// Characters that the training goes through, as far as [`rounds`](Self::rounds) allows; by size if not given.
    pub characters: Option<usize>,
    /// Units of each layer over words in each direction; 0 for no second opinion on sentence ends.
    pub word_units: usize,
    /// Layers over words.
    pub word_layers: usize,
    /// Words that the training of the second opinion goes through; by size if not given.
    pub words: Option<usize>,
    /// The part of the training text that is sentences in random order.
    pub shuffled: f32,
    /// The part of the characters that is hidden, and of the words.
    pub hidden: (f32, f32),
    /// The part of all units that is dropped, over characters and over words.
    pub dropout: (f32, f32),
    /// The highest learning rates, over characters and over words.
    pub rates: (f32, f32),
    /// Characters, and words, between two changes of the weights; by size if not given.
    pub batches: Option<(usize, usize)>,
    /// How much the second opinion counts.
    pub weight_of_words: f32,
    /// What a sentence costs when sentences are chosen; by how many sentences end with punctuation if not given.
    pub price: Option<f32>,
    /// Small treebanks are gone through at most so often.
    pub rounds: usize,
    /// Fixes all that is random.
    pub seed: u64,
}

impl Default for SegmenterOptions {
    fn default() -> Self {
        Self {
            units: 64,
            layers: 2,
            characters: None,
            word_units: 64,
            word_layers: 2,
            words: None,
            shuffled: 0.5,
            hidden: (0.05, 0.25),
            dropout: (0.2, 0.4),
            rates: (3e-3, 3e-3),
            batches: None,
            weight_of_words: 0.4,
            price: None,
            rounds: 300,
            seed: 1,
        }
    }
}

/// Who watches a training.
pub trait TrainingProgress {
    /// So many epochs follow.
    fn begin(&mut self, _stage: &str, _epochs: usize) {}

    /// So many of them are done; the last had this mean loss.
    fn epoch(&mut self, _done: usize, _of: usize, _loss: f64) {}

    /// Whether the training is to end early. There is a segmenter in any case.
    fn stops(&self) -> bool {
        false
    }
}

/// Watches nothing.
impl TrainingProgress for () {}

/// Epochs over small treebanks are several rounds, so that there are not too many of them.
const MIN_EPOCH: usize = 200_000;
const MAX_EPOCHS: usize = 60;
/// Every treebank is gone through at least so often.
const MIN_ROUNDS: usize = 6;
/// Characters from which on a treebank is large.
const LARGE: usize = 400_000;
/// Hidden units that choose a class.
const HIDDEN: usize = 32;
/// The part of the stretches in which known words of scripts without spaces are hidden.
const HIDDEN_WORDS: f32 = 0.3;

impl Segmenter {
    /// Learns from the text of sentences. `None` if there is none.
    pub fn train(
        sentences: &[&Sentence],
        options: &SegmenterOptions,
        progress: &mut dyn TrainingProgress,
    ) -> Option<Self> {
        let text = TrainingText::of(sentences);
        if text.chars.is_empty() {
            return None;
        }
        let characters = Characters::of(text.chars.iter().map(|labelled| labelled.c));
        let tokens = tokens(&text.chars);
        let lexicon =
            text.is_without_spaces().then(|| Lexicon::of(tokens.iter().map(|token| token.form.as_str())));
        let scorer = train_characters(&text, &characters, lexicon.as_ref(), options, progress);
        let words = (options.word_units > 0).then(|| {
            let words = Words::of(tokens.iter().map(|token| token.form.as_str()));
            let scorer = train_words(&text, &words, options, progress);
            (words, scorer)
        });
        let whole = |address| is_whole(&text, address);
        let habits = Habits {
            has_inner_spaces: text.has_inner_spaces,
            has_whole_pages: whole(Address::Page),
            has_whole_mails: whole(Address::Mail),
            is_spacing_assumed: text.spacing == Spacing::Assumed,
            weight_of_words: options.weight_of_words,
            price: options.price.unwrap_or_else(|| price(&text)),
        };
        Some(Self { characters, lexicon, scorer, words, habits })
    }
}

/// What a sentence should cost. To make the F score as high as can be expected it is half of that score, which is the higher the more
/// sentences end with a punctuation mark.
fn price(text: &TrainingText) -> f32 {
    let is_marked = |sentence: &&Range<usize>| !text.chars[sentence.end - 1].c.is_alphanumeric();
    let n_marked = text.sentences.iter().filter(is_marked).count();
    #[allow(clippy::cast_precision_loss, reason = "a share")]
    let share = n_marked as f32 / text.sentences.len().max(1) as f32;
    0.1 + 0.35 * share
}

/// A token of the training text.
struct TrainingToken {
    form: String,
    after: White,
    ends_sentence: bool,
}

/// The tokens of a stretch of text. What it begins or ends within counts as a token.
fn tokens(chars: &[Labelled]) -> Vec<TrainingToken> {
    let mut tokens = Vec::new();
    let mut form = String::new();
    for (i, labelled) in chars.iter().enumerate() {
        form.push(labelled.c);
        if labelled.ends_token() || i + 1 == chars.len() {
            let form = std::mem::take(&mut form);
            tokens.push(TrainingToken {
                form,
                after: labelled.after,
                ends_sentence: labelled.ends_sentence(),
            });
        } else if labelled.after != White::None {
            form.push(' ');
        }
    }
    tokens
}

/// Whether addresses of a kind are mostly not split.
fn is_whole(text: &TrainingText, kind: Address) -> bool {
    let (mut line, mut found) = (String::new(), Vec::new());
    let (mut whole, mut all) = (0, 0);
    for paragraph in &text.sentences {
        line.clear();
        let mut ends = Vec::new();
        for labelled in &text.chars[paragraph.clone()] {
            line.push(labelled.c);
            if labelled.ends_token() {
                ends.push(line.len());
            }
            if labelled.after != White::None {
                line.push(' ');
            }
        }
        unbreakable::find(&line, &mut found);
        for (range, _) in found.iter().filter(|(_, found)| *found == kind) {
            all += 1;
            whole += usize::from(!ends.iter().any(|end| range.start < *end && *end < range.end));
        }
    }
    // Without any evidence they are whole, as the guidelines of UD have it.
    whole * 2 >= all
}

fn train_characters(
    text: &TrainingText,
    characters: &Characters,
    lexicon: Option<&Lexicon>,
    options: &SegmenterOptions,
    progress: &mut dyn TrainingProgress,
) -> Scorer {
    let augmentation = Augmentation { shuffled: options.shuffled, ..Augmentation::default() };
    let is_large = text.chars.len() >= LARGE;
    let characters_of_run = options.characters.unwrap_or(if is_large { 8_000_000 } else { 5_000_000 });
    let run = Run::new(text.chars.len(), MIN_EPOCH, characters_of_run, options.rounds);
    let (mut chars, mut seen) = (Vec::new(), Vec::new());
    let attributes = characters.attributes(lexicon.is_some());
    let training = Training {
        attributes,
        units: options.units,
        layers: options.layers,
        classes: N_CLASSES,
        n_items: text.chars.len() * run.times,
        hyperparameters: Hyperparameters {
            epochs: run.epochs,
            batch: options.batches.map_or(if is_large { 3000 } else { 1500 }, |batches| batches.0),
            rate: options.rates.0,
            dropout: options.dropout.0,
            attribute_dropout: 0.0,
            seed: options.seed,
        },
    };
    progress.begin("training the tokeniser", run.epochs);
    train(training, progress, |data, generator| {
        text.stretches(
            &augmentation,
            run.times,
            &mut Pcg64Mcg::seed_from_u64(generator.random()),
            |stretch, before| {
                seen.clear();
                let mut before = before;
                for labelled in stretch {
                    seen.push(Seen { before, after: labelled.after, ..characters.see(labelled.c) });
                    before = labelled.after;
                }
                if let Some(lexicon) = lexicon.filter(|_| generator.random::<f32>() >= HIDDEN_WORDS) {
                    chars.clear();
                    chars.extend(stretch.iter().map(|labelled| labelled.c));
                    lexicon.mark(&chars, &mut seen);
                }
                for (seen, labelled) in seen.iter_mut().zip(stretch) {
                    if generator.random::<f32>() < options.hidden.0 {
                        seen.id = UNKNOWN;
                    }
                    data.push(seen.values(lexicon.is_some()), u32::from(labelled.class));
                }
                data.end_sequence();
            },
        );
    })
}

fn train_words(
    text: &TrainingText,
    words: &Words,
    options: &SegmenterOptions,
    progress: &mut dyn TrainingProgress,
) -> Scorer {
    let n_tokens = text.chars.iter().filter(|labelled| labelled.ends_token()).count();
    let is_large = text.chars.len() >= LARGE;
    let words_of_run = options.words.unwrap_or(if is_large { 1_500_000 } else { 1_000_000 });
    let run = Run::new(n_tokens, MIN_EPOCH / 5, words_of_run, options.rounds);
    let augmentation =
        Augmentation { shuffled: options.shuffled.max(0.5), lengths: (100, 700), ..Augmentation::default() };
    let training = Training {
        attributes: words.attributes(),
        units: options.word_units,
        layers: options.word_layers,
        classes: 2,
        n_items: n_tokens * run.times,
        hyperparameters: Hyperparameters {
            epochs: run.epochs,
            batch: options.batches.map_or(if is_large { 1000 } else { 500 }, |batches| batches.1),
            rate: options.rates.1,
            dropout: options.dropout.1,
            attribute_dropout: 0.0,
            seed: options.seed + 1,
        },
    };
    progress.begin("training the sentence splitter", run.epochs);
    train(training, progress, |data, generator| {
        text.stretches(
            &augmentation,
            run.times,
            &mut Pcg64Mcg::seed_from_u64(generator.random()),
            |stretch, _| {
                for token in tokens(stretch) {
                    let mut values = words.values(&token.form, token.after);
                    if generator.random::<f32>() < options.hidden.1 {
                        Words::hide(&mut values);
                    }
                    data.push(values.into_iter(), u32::from(token.ends_sentence));
                }
                data.end_sequence();
            },
        );
    })
}

/// How often a treebank is gone through.
struct Run {
    epochs: usize,
    /// Rounds of an epoch.
    times: usize,
}

impl Run {
    fn new(n_items: usize, least: usize, all: usize, most: usize) -> Self {
        let n_items = n_items.max(1);
        let rounds = (all / n_items).clamp(MIN_ROUNDS, most.max(MIN_ROUNDS));
        let times = least.div_ceil(n_items).max(rounds.div_ceil(MAX_EPOCHS)).min(rounds);
        Self { epochs: rounds.div_ceil(times), times }
    }
}

/// A classifier of items in training.
struct Training {
    attributes: Vec<Attribute>,
    units: usize,
    layers: usize,
    classes: usize,
    n_items: usize,
    hyperparameters: Hyperparameters,
}

/// What is learned from in an epoch.
struct EpochData {
    sequences: Sequences,
    examples: SlotExamples,
    values: Vec<u32>,
    place: u32,
}

impl EpochData {
    fn push(&mut self, values: impl Iterator<Item = u32>, class: u32) {
        self.values.clear();
        self.values.extend(values);
        self.sequences.push(self.values.chunks_exact(1));
        self.examples.push(&[self.place], &[], class);
        self.place += 1;
    }

    fn end_sequence(&mut self) {
        self.sequences.end_sequence();
        self.examples.end_sequence();
        self.place = 0;
    }
}

struct Single(Slots);

impl Objectives for Single {
    fn all(&self) -> Vec<&dyn Objective> {
        vec![&self.0]
    }

    fn all_mut(&mut self) -> Vec<&mut dyn Objective> {
        vec![&mut self.0]
    }
}

/// Trains a classifier on data that is made anew for every epoch.
fn train(
    training: Training,
    progress: &mut dyn TrainingProgress,
    mut make: impl FnMut(&mut EpochData, &mut Pcg64Mcg),
) -> Scorer {
    let Training { attributes, units, layers, classes, n_items, hyperparameters } = training;
    let n_attributes = attributes.len();
    let slots = SlotShape { slots: 1, marks: 0, width: HIDDEN, classes };
    let objective = Single(Slots::new(slots, Arc::new(SlotExamples::new(1, 0))));
    let shape = Shape { attributes, layers, units };
    let mut trainer = EncoderTrainer::new(shape, objective, n_items, hyperparameters);
    for epoch in 0..hyperparameters.epochs {
        let seed = hyperparameters.seed ^ (epoch as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut data = EpochData {
            sequences: Sequences::new(n_attributes),
            examples: SlotExamples::new(1, 0),
            values: Vec::new(),
            place: 0,
        };
        make(&mut data, &mut Pcg64Mcg::seed_from_u64(seed));
        trainer.objectives.0.set_examples(Arc::new(data.examples));
        // There has to be a model: the first epoch is finished in any case.
        let watcher = &*progress;
        let loss = trainer.epoch(&data.sequences, &|| epoch == 0 || !watcher.stops());
        progress.epoch(epoch + 1, hyperparameters.epochs, loss);
        if progress.stops() {
            break;
        }
    }
    let mut projections = Projections::default();
    let head = trainer.objectives.0.freeze(&mut projections);
    Scorer { encoder: [Encoder::new(trainer.encoder(), &projections)], head }
}
