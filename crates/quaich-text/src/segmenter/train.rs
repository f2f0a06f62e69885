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

use super::addresses::{self, Address};
use super::characters::{CharacterFeatures, CharacterVocabulary, UNKNOWN, Whitespace};
use super::lexicon::Lexicon;
use super::model::{Conventions, Scorer, Segmenter};
use super::training_text::{Augmentation, Labelled, N_CLASSES, TrainingText};
use super::words::WordVocabulary;
use crate::surface::Spacing;

/// The hyperparameters of a segmenter. Pairs are for the character encoder and for the word encoder.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SegmenterOptions {
    /// Units per layer and direction of the character encoder.
    pub units: usize,
    /// The number of layers of the character encoder.
    pub layers: usize,
    /// The number of training characters, over all epochs, limited by [`max_repeats`](Self::max_repeats). `None`: by treebank size.
    pub n_characters: Option<usize>,
    /// Units per layer and direction of the word encoder; 0 for none.
    pub word_units: usize,
    /// The number of layers of the word encoder.
    pub word_layers: usize,
    /// The number of training words, over all epochs, limited in the same way. `None`: by treebank size.
    pub n_words: Option<usize>,
    /// The share of training text with sentences in random order.
    pub shuffle_rate: f32,
    /// Character dropout and word dropout: the share of characters and of words that are replaced by the unknown one.
    pub input_dropout: (f32, f32),
    /// The dropout rate of units.
    pub dropout: (f32, f32),
    /// The maximum learning rate.
    pub learning_rates: (f32, f32),
    /// Characters and words per minibatch. `None`: by treebank size.
    pub batch_sizes: Option<(usize, usize)>,
    /// The weight of the word encoder in the log-odds of sentence ends, from 0 to 1.
    pub word_weight: f32,
    /// The cost per sentence in decoding. `None`: by the share of sentences that end with punctuation.
    pub sentence_cost: Option<f32>,
    /// The maximum number of times that a small treebank is repeated during training.
    pub max_repeats: usize,
    /// The random seed.
    pub seed: u64,
}

impl Default for SegmenterOptions {
    fn default() -> Self {
        Self {
            units: 64,
            layers: 2,
            n_characters: None,
            word_units: 64,
            word_layers: 2,
            n_words: None,
            shuffle_rate: 0.5,
            input_dropout: (0.05, 0.25),
            dropout: (0.2, 0.4),
            learning_rates: (3e-3, 3e-3),
            batch_sizes: None,
            word_weight: 0.4,
            sentence_cost: None,
            max_repeats: 300,
            seed: 1,
        }
    }
}

/// Observes training and may end it early.
pub trait TrainingProgress {
    /// Called at the beginning of a training stage.
    fn begin(&mut self, _stage: &str, _epochs: usize) {}

    /// Called after every epoch, with its mean loss.
    fn epoch(&mut self, _done: usize, _of: usize, _loss: f64) {}

    /// Whether to end training early. What the finished epochs have learned is kept; less than an epoch is no segmenter.
    fn stops(&self) -> bool {
        false
    }
}

/// No observer.
impl TrainingProgress for () {}

/// The minimum number of characters per epoch: an epoch over a small treebank repeats it several times.
const MIN_EPOCH_CHARACTERS: usize = 200_000;
/// The maximum number of epochs.
const MAX_EPOCHS: usize = 60;
/// The minimum number of times that a treebank is repeated.
const MIN_REPEATS: usize = 6;
/// The number of characters from which a treebank counts as large.
const LARGE_TREEBANK: usize = 400_000;
/// Hidden units of the classifiers.
const HIDDEN_UNITS: usize = 32;
/// The share of training samples without lexicon features.
const LEXICON_DROPOUT: f32 = 0.3;

impl Segmenter {
    /// Trains on the text of some sentences. `None` if they have no text, or if the observer ends training in the first
    /// epoch.
    pub fn train(
        sentences: &[&Sentence],
        options: &SegmenterOptions,
        progress: &mut dyn TrainingProgress,
    ) -> Option<Self> {
        let text = TrainingText::of(sentences);
        if text.chars.is_empty() {
            return None;
        }
        let characters = CharacterVocabulary::of(text.chars.iter().map(|labelled| labelled.c));
        let tokens = tokens(&text.chars);
        let lexicon =
            text.is_without_spaces().then(|| Lexicon::of(tokens.iter().map(|token| token.form.as_str())));
        let scorer = train_characters(&text, &characters, lexicon.as_ref(), options, progress)?;
        let mut trained_words = None;
        // If training is ended early, the characters decide alone.
        if options.word_units > 0 && !progress.stops() {
            let words = WordVocabulary::of(tokens.iter().map(|token| token.form.as_str()));
            trained_words = train_words(&text, &words, options, progress).map(|scorer| (words, scorer));
        }
        let conventions = Conventions {
            has_spaces_in_tokens: text.has_spaces_in_tokens,
            keeps_urls_whole: keeps_whole(&text, Address::Url),
            keeps_emails_whole: keeps_whole(&text, Address::Email),
            is_spacing_assumed: text.spacing == Spacing::Assumed,
            word_weight: options.word_weight,
            sentence_cost: options.sentence_cost.unwrap_or_else(|| sentence_cost(&text)),
        };
        Some(Self { characters, lexicon, scorer, words: trained_words, conventions })
    }
}

/// The cost per sentence that maximises the expected F-score: half of that score, which is estimated from the share of sentences that end
/// with a punctuation mark.
fn sentence_cost(text: &TrainingText) -> f32 {
    let is_punctuated = |sentence: &&Range<usize>| !text.chars[sentence.end - 1].c.is_alphanumeric();
    let n_punctuated = text.sentences.iter().filter(is_punctuated).count();
    #[allow(clippy::cast_precision_loss, reason = "approximate")]
    let share = n_punctuated as f32 / text.sentences.len().max(1) as f32;
    0.1 + 0.35 * share
}

/// A token of the training text.
struct TrainingToken {
    form: String,
    after: Whitespace,
    ends_sentence: bool,
}

/// The tokens of a sample, including incomplete tokens at its ends.
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
        } else if labelled.after != Whitespace::None {
            form.push(' ');
        }
    }
    tokens
}

/// Whether the treebank keeps at least half of the addresses of a kind as one token.
fn keeps_whole(text: &TrainingText, kind: Address) -> bool {
    let (mut line, mut found) = (String::new(), Vec::new());
    let (mut whole, mut all) = (0, 0);
    for sentence in &text.sentences {
        line.clear();
        let mut ends = Vec::new();
        for labelled in &text.chars[sentence.clone()] {
            line.push(labelled.c);
            if labelled.ends_token() {
                ends.push(line.len());
            }
            if labelled.after != Whitespace::None {
                line.push(' ');
            }
        }
        addresses::find(&line, &mut found);
        for (range, _) in found.iter().filter(|(_, found)| *found == kind) {
            all += 1;
            whole += usize::from(!ends.iter().any(|end| range.start < *end && *end < range.end));
        }
    }
    // Also true without any addresses: the UD guidelines keep them whole.
    whole * 2 >= all
}

fn train_characters(
    text: &TrainingText,
    characters: &CharacterVocabulary,
    lexicon: Option<&Lexicon>,
    options: &SegmenterOptions,
    progress: &mut dyn TrainingProgress,
) -> Option<Scorer> {
    let augmentation = Augmentation { shuffle_rate: options.shuffle_rate, ..Augmentation::default() };
    let is_large = text.chars.len() >= LARGE_TREEBANK;
    let n_characters = options.n_characters.unwrap_or(if is_large { 8_000_000 } else { 5_000_000 });
    let schedule = Schedule::new(text.chars.len(), MIN_EPOCH_CHARACTERS, n_characters, options.max_repeats);
    let (mut chars, mut features) = (Vec::new(), Vec::new());
    let attributes = characters.attributes(lexicon.is_some());
    let training = Training {
        attributes,
        units: options.units,
        layers: options.layers,
        classes: N_CLASSES,
        n_items: text.chars.len() * schedule.repeats,
        hyperparameters: Hyperparameters {
            epochs: schedule.epochs,
            batch: options.batch_sizes.map_or(if is_large { 3000 } else { 1500 }, |sizes| sizes.0),
            rate: options.learning_rates.0,
            dropout: options.dropout.0,
            attribute_dropout: 0.0,
            masking: 0.0,
            seed: options.seed,
        },
    };
    progress.begin("training the tokenizer", schedule.epochs);
    train(training, progress, |data, generator| {
        text.samples(
            &augmentation,
            schedule.repeats,
            &mut Pcg64Mcg::seed_from_u64(generator.random()),
            |sample, before| {
                features.clear();
                let mut before = before;
                for labelled in sample {
                    features.push(CharacterFeatures {
                        before,
                        after: labelled.after,
                        ..characters.features(labelled.c)
                    });
                    before = labelled.after;
                }
                if let Some(lexicon) = lexicon.filter(|_| generator.random::<f32>() >= LEXICON_DROPOUT) {
                    chars.clear();
                    chars.extend(sample.iter().map(|labelled| labelled.c));
                    lexicon.mark(&chars, &mut features);
                }
                for (features, labelled) in features.iter_mut().zip(sample) {
                    if generator.random::<f32>() < options.input_dropout.0 {
                        features.id = UNKNOWN;
                    }
                    data.push(features.values(lexicon.is_some()), u32::from(labelled.class));
                }
                data.end_sequence();
            },
        );
    })
}

fn train_words(
    text: &TrainingText,
    words: &WordVocabulary,
    options: &SegmenterOptions,
    progress: &mut dyn TrainingProgress,
) -> Option<Scorer> {
    let n_tokens = text.chars.iter().filter(|labelled| labelled.ends_token()).count();
    let is_large = text.chars.len() >= LARGE_TREEBANK;
    let n_words = options.n_words.unwrap_or(if is_large { 1_500_000 } else { 1_000_000 });
    let schedule = Schedule::new(n_tokens, MIN_EPOCH_CHARACTERS / 5, n_words, options.max_repeats);
    let augmentation = Augmentation {
        shuffle_rate: options.shuffle_rate.max(0.5),
        lengths: (100, 700),
        ..Augmentation::default()
    };
    let training = Training {
        attributes: words.attributes(),
        units: options.word_units,
        layers: options.word_layers,
        classes: 2,
        n_items: n_tokens * schedule.repeats,
        hyperparameters: Hyperparameters {
            epochs: schedule.epochs,
            batch: options.batch_sizes.map_or(if is_large { 1000 } else { 500 }, |sizes| sizes.1),
            rate: options.learning_rates.1,
            dropout: options.dropout.1,
            attribute_dropout: 0.0,
            masking: 0.0,
            seed: options.seed + 1,
        },
    };
    progress.begin("training the sentence splitter", schedule.epochs);
    train(training, progress, |data, generator| {
        text.samples(
            &augmentation,
            schedule.repeats,
            &mut Pcg64Mcg::seed_from_u64(generator.random()),
            |sample, _| {
                for token in tokens(sample) {
                    let mut values = words.values(&token.form, token.after);
                    if generator.random::<f32>() < options.input_dropout.1 {
                        WordVocabulary::mask_form(&mut values);
                    }
                    data.push(values.into_iter(), u32::from(token.ends_sentence));
                }
                data.end_sequence();
            },
        );
    })
}

/// The number and the length of epochs.
struct Schedule {
    epochs: usize,
    /// The number of times that an epoch repeats the treebank.
    repeats: usize,
}

impl Schedule {
    /// A schedule for `total_items` training items, with at least `min_epoch_items` per epoch.
    fn new(n_items: usize, min_epoch_items: usize, total_items: usize, max_repeats: usize) -> Self {
        let n_items = n_items.max(1);
        let all = (total_items / n_items).clamp(MIN_REPEATS, max_repeats.max(MIN_REPEATS));
        let repeats = min_epoch_items.div_ceil(n_items).max(all.div_ceil(MAX_EPOCHS)).min(all);
        Self { epochs: all.div_ceil(repeats), repeats }
    }
}

/// The task of training one classifier.
struct Training {
    attributes: Vec<Attribute>,
    units: usize,
    layers: usize,
    classes: usize,
    n_items: usize,
    hyperparameters: Hyperparameters,
}

/// The training data of an epoch.
struct EpochData {
    sequences: Sequences,
    examples: SlotExamples,
    values: Vec<u32>,
    position: u32,
}

impl EpochData {
    fn push(&mut self, values: impl Iterator<Item = u32>, class: u32) {
        self.values.clear();
        self.values.extend(values);
        self.sequences.push(self.values.chunks_exact(1));
        self.examples.push(&[self.position], &[], class);
        self.position += 1;
    }

    fn end_sequence(&mut self) {
        self.sequences.end_sequence();
        self.examples.end_sequence();
        self.position = 0;
    }
}

/// The only objective of an encoder.
struct Single(Slots);

impl Objectives for Single {
    fn all(&self) -> Vec<&dyn Objective> {
        vec![&self.0]
    }

    fn all_mut(&mut self) -> Vec<&mut dyn Objective> {
        vec![&mut self.0]
    }
}

/// Trains a classifier; `None` if the observer ends it in the first epoch. `make` generates the data of each epoch.
fn train(
    training: Training,
    progress: &mut dyn TrainingProgress,
    mut make: impl FnMut(&mut EpochData, &mut Pcg64Mcg),
) -> Option<Scorer> {
    let Training { attributes, units, layers, classes, n_items, hyperparameters } = training;
    let n_attributes = attributes.len();
    let slots = SlotShape { slots: 1, marks: 0, width: HIDDEN_UNITS, classes };
    let objective = Single(Slots::new(slots, Arc::new(SlotExamples::new(1, 0))));
    let shape = Shape { attributes, layers, units };
    let mut trainer = EncoderTrainer::new(shape, objective, n_items, hyperparameters);
    for epoch in 0..hyperparameters.epochs {
        let seed = hyperparameters.seed ^ (epoch as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut data = EpochData {
            sequences: Sequences::new(n_attributes),
            examples: SlotExamples::new(1, 0),
            values: Vec::new(),
            position: 0,
        };
        make(&mut data, &mut Pcg64Mcg::seed_from_u64(seed));
        trainer.objectives.0.set_examples(Arc::new(data.examples));
        let observer = &*progress;
        let loss = trainer.epoch(&data.sequences, &|| !observer.stops());
        if epoch == 0 && progress.stops() {
            return None;
        }
        progress.epoch(epoch + 1, hyperparameters.epochs, loss);
        if progress.stops() {
            break;
        }
    }
    let mut projections = Projections::default();
    let head = trainer.objectives.0.freeze(&mut projections);
    Some(Scorer { encoder: [Encoder::new(trainer.encoder(), &projections)], head })
}
