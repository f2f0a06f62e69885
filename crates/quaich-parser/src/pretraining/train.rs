//! Training an encoder on text: an epoch of the epoch loop is a chunk of the text, so that progress, checkpoints and interruptions do not
//! have to wait for all of it.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use quaich_learn::encoder::{
    EncoderTrainer, EncoderWeights, Hyperparameters, MaskedItems, Objective, Sequences, Shape,
};
use quaich_learn::{Arrays, Epoch, EpochTrainer, Next, Persist, Supervisor, fit};

use super::encoder::PretrainedEncoder;
use super::words::{UNKNOWN_FORM, WordText};
use crate::checkpoint::Checkpoint;
use crate::checksum::FORMAT_VERSION;
use crate::description::PretrainingDescription;
use crate::encoder::{Lexicon, LexiconLimits};
use crate::error::{Error, Result};
use crate::observer::{Event, Observer, Unobserved};
use crate::settings::Settings;

/// The number of layers.
const LAYERS: usize = 2;
/// Units per layer and direction.
const UNITS: usize = 256;
/// The number of training words per unit of effort, and the maximum number of times that each word of the text is seen then.
const WORDS: f64 = 20e6;
const MAX_EPOCHS: f64 = 20.0;
/// Words per chunk.
const CHUNK: usize = 200_000;
/// Words per minibatch; fewer if there would be less than `MIN_STEPS` minibatches. After 600,000 words of Latin (64 units), the loss is 7.31
/// with 600 words per minibatch, 7.31 with 1,000 and 7.44 with 4,000.
const BATCHES: (usize, usize) = (500, 1000);
const MIN_STEPS: usize = 1000;
/// The learning rate and the dropout rates.
const RATE: f32 = 2e-3;
const DROPOUT: f32 = 0.1;
const ATTRIBUTE_DROPOUT: f32 = 0.1;
/// The standard deviation of initial embeddings. With 1, as in training without text, embeddings of rare forms stay nearly random: no
/// update of a number is much larger than the learning rate. On a held-out fifth of latin-perseus (128 units, one seed), LAS of untagged
/// words is 47.6 after 3 million words with 1, and 50.7 after 2 million words with 0.1; that of gold tags 66.6 and 67.8 (69.5 without
/// text).
const EMBEDDING_SCALE: f32 = 0.1;
/// The number of frequent forms in the description.
const N_FREQUENT: usize = 12;
/// The name of the checkpoint.
const NAME: &str = "pretraining";

/// Pretrains encoders: settings and options of a run.
///
/// ```
/// use quaich_parser::Settings;
/// use quaich_parser::pretraining::{Pretraining, WordText};
///
/// let mut text = WordText::new(1_000_000);
/// for _ in 0..500 {
///     text.add("the cat sleeps and the dog sleeps".split(' '));
/// }
/// let settings = Settings::default().with("text.effort=0.001")?.with("encoder.units=16")?;
/// let encoder = Pretraining::new(&settings).run(&text)?;
/// assert_eq!((encoder.n_units(), encoder.description().words), (16, 3500));
/// # Ok::<(), quaich_parser::Error>(())
/// ```
#[derive(Clone)]
pub struct Pretraining<'p> {
    settings: Settings,
    before: Option<&'p PretrainedEncoder>,
    checkpoint: Checkpoint,
    observer: &'p dyn Observer,
}

impl std::fmt::Debug for Pretraining<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pretraining").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl<'p> Pretraining<'p> {
    /// Pretraining with these settings.
    pub fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            before: None,
            checkpoint: Checkpoint::default(),
            observer: &Unobserved,
        }
    }

    /// Trains this encoder further, for example on the text of another domain. Words that it does not know are added.
    #[must_use]
    pub fn continuing(self, before: &'p PretrainedEncoder) -> Self {
        Self { before: Some(before), ..self }
    }

    /// Sets where training stores checkpoints, from which an interrupted run resumes.
    #[must_use]
    pub fn checkpoint(self, checkpoint: Checkpoint) -> Self {
        Self { checkpoint, ..self }
    }

    /// Sets the observer, which receives progress events and can stop training early.
    #[must_use]
    pub fn observer(self, observer: &'p dyn Observer) -> Self {
        Self { observer, ..self }
    }

    /// Pretrains an encoder on a text.
    ///
    /// # Errors
    /// If the text is too short to learn from, settings do not fit, or the observer stops it before anything is learned.
    pub fn run(&self, text: &WordText) -> Result<PretrainedEncoder> {
        text.check_length()?;
        let run = Run::new(self, text)?;
        self.observer.event(&Event::Work { steps: run.n_chunks });
        self.observer.event(&Event::Stage { name: "pretraining on text", steps: run.n_chunks });
        let key = format!("{:016x} {:?} {}", text.fingerprint(), run.before(), self.settings.to_toml());
        let mut supervisor =
            RunSupervisor { observer: self.observer, checkpoint: self.checkpoint.of(&key), n_reported: 0 };
        let trained = fit(|| Some(Box::new(ChunkTrainer::new(&run))), &mut supervisor);
        let Trained { weights, loss } = trained.ok_or(Error::Stopped)?;
        let n_done = supervisor.n_reported;
        let interrupted = self.observer.stop();
        if !interrupted {
            // All chunks came from a checkpoint.
            (n_done..run.n_chunks).for_each(|_| self.observer.event(&Event::Step));
        }
        let n_chunks = if interrupted { n_done } else { run.n_chunks };
        let description = run.describe(n_chunks, loss, interrupted);
        Ok(PretrainedEncoder { lexicon: run.lexicon, weights, description })
    }
}

/// What does not change during training.
struct Run<'r> {
    options: &'r Pretraining<'r>,
    text: &'r WordText,
    lexicon: Lexicon,
    shape: Shape,
    items: FormItems,
    /// Chunks per epoch over the text, and in all.
    chunks_per_epoch: usize,
    n_chunks: usize,
}

/// The values of the forms of a text.
struct FormItems {
    /// One per form.
    values: Vec<u32>,
    /// The n-grams of all forms, and where those of each form end.
    strings: Vec<u32>,
    ends: Vec<usize>,
}

impl FormItems {
    fn new(lexicon: &Lexicon, forms: &[(&str, u32)]) -> Self {
        let mut items = Self { values: Vec::new(), strings: Vec::new(), ends: Vec::new() };
        let mut found = Vec::new();
        for (form, _) in forms {
            items.values.push(lexicon.values_of_form(form, &mut found, &mut items.strings));
            items.ends.push(items.strings.len());
        }
        items
    }

    /// How often each known value of a form occurs.
    fn counts(&self, forms: &[(&str, u32)], n_values: usize) -> Vec<u64> {
        let mut counts = vec![0; n_values];
        for (&value, (_, count)) in self.values.iter().zip(forms) {
            counts[value as usize] += u64::from(*count);
        }
        counts.split_off(Lexicon::FIRST as usize)
    }

    /// The number of a form, and its n-grams.
    fn of(&self, form: u32) -> (u32, &[u32]) {
        if form == UNKNOWN_FORM {
            return (Lexicon::UNKNOWN, &[]);
        }
        let form = form as usize;
        let start = form.checked_sub(1).map_or(0, |before| self.ends[before]);
        (self.values[form], &self.strings[start..self.ends[form]])
    }
}

impl<'r> Run<'r> {
    fn new(options: &'r Pretraining<'r>, text: &'r WordText) -> Result<Self> {
        let (settings, encoder) = (options.settings.group("text"), options.settings.group("encoder"));
        let forms = text.forms();
        let limits = LexiconLimits { forms: settings.size("forms"), strings: settings.size("ngrams") };
        let lexicon = Lexicon::of_text(&forms, options.before.map(PretrainedEncoder::lexicon), limits);
        let given = encoder.given_size("units");
        let units = match (options.before, given) {
            (Some(before), Some(given)) if before.n_units() != given => {
                return Err(Error::Setting(format!(
                    "found encoder.units = {given}, expected {}, as in the encoder that is trained further",
                    before.n_units()
                )));
            }
            (Some(before), _) => before.n_units(),
            (None, given) => given.unwrap_or(UNITS),
        };
        let layers = options.before.map_or(LAYERS, PretrainedEncoder::n_layers);
        let shape = Shape { attributes: lexicon.attributes(), layers, units };
        let chunks_per_epoch = text.n_words().div_ceil(CHUNK).min(text.n_sentences()).max(1);
        let n_chunks = n_chunks(text.n_words(), chunks_per_epoch, f64::from(settings.float("effort")));
        let items = FormItems::new(&lexicon, &forms);
        Ok(Self { options, text, lexicon, shape, items, chunks_per_epoch, n_chunks })
    }

    /// The fingerprint of the encoder that is trained further.
    fn before(&self) -> Option<&str> {
        self.options.before.map(|before| before.description.fingerprint.as_str())
    }

    /// The number of words in so many chunks.
    fn seen_words(&self, n_chunks: usize) -> usize {
        n_chunks * self.text.n_words() / self.chunks_per_epoch
    }

    fn hyperparameters(&self) -> Hyperparameters {
        let batch = (self.seen_words(self.n_chunks) / MIN_STEPS).clamp(BATCHES.0, BATCHES.1);
        Hyperparameters {
            epochs: self.n_chunks,
            batch,
            rate: RATE,
            dropout: DROPOUT,
            attribute_dropout: ATTRIBUTE_DROPOUT,
            masking: self.options.settings.group("text").float("masking"),
            seed: self.options.settings.seed(),
        }
    }

    /// The sentences of a chunk, as items. Each epoch has another order of the sentences.
    fn chunk(&self, number: usize) -> Sequences {
        let (epoch, part) = (number / self.chunks_per_epoch, number % self.chunks_per_epoch);
        let n = self.text.n_sentences();
        let mut order: Vec<u32> = (0..).take(n).collect();
        let seed = self.options.settings.seed() ^ (epoch as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        order.shuffle(&mut Pcg64Mcg::seed_from_u64(seed));
        let bounds = |part: usize| part * n / self.chunks_per_epoch;
        let mut sequences = Sequences::new(self.shape.attributes.len());
        let root = &[Lexicon::ROOT][..];
        for &sentence in &order[bounds(part)..bounds(part + 1)] {
            sequences.push([root, root].into_iter());
            for &form in self.text.sentence(sentence as usize) {
                let (value, strings) = self.items.of(form);
                sequences.push([&[value][..], strings].into_iter());
            }
            sequences.end_sequence();
        }
        sequences
    }

    fn describe(&self, n_chunks: usize, loss: f64, interrupted: bool) -> PretrainingDescription {
        let (known_forms, known_ngrams) = self.lexicon.sizes();
        let mut forms: Vec<(&str, u32)> = self.text.forms();
        forms.retain(|(form, _)| form.chars().all(char::is_alphabetic));
        forms.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        PretrainingDescription {
            format_version: FORMAT_VERSION,
            trained_by: format!("quaich {}", env!("CARGO_PKG_VERSION")),
            settings: self.options.settings.clone(),
            words: self.text.n_read_words(),
            kept_words: self.text.n_words(),
            sentences: self.text.n_sentences(),
            seen_words: self.seen_words(n_chunks),
            known_forms,
            known_ngrams,
            frequent: forms.iter().take(N_FREQUENT).map(|(form, _)| (*form).to_owned()).collect(),
            // Few digits, which a JSON text keeps exactly.
            loss: (loss * 1000.0).round() / 1000.0,
            fingerprint: format!("{:016x}", self.text.fingerprint()),
            continued: self.before().map(str::to_owned),
            interrupted,
            notes: Vec::new(),
        }
    }
}

/// The number of chunks of all epochs: as many words as the effort allows, but all of the text at least once.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn n_chunks(n_words: usize, chunks_per_epoch: usize, effort: f64) -> usize {
    let epochs = (effort * WORDS / n_words as f64).min(effort * MAX_EPOCHS);
    let all = if effort >= 1.0 { epochs.max(1.0) } else { epochs };
    ((all * chunks_per_epoch as f64).round() as usize).max(1)
}

/// The weights and the loss of the last chunk.
struct Trained {
    weights: EncoderWeights,
    loss: f64,
}

impl Persist for Trained {
    fn save(&self, into: &mut Arrays) {
        self.weights.save(into);
        into.set_one(LOSS, self.loss);
    }
}

/// The name of the loss in checkpoints.
const LOSS: &str = "loss";

/// An encoder in training.
struct ChunkTrainer<'r> {
    run: &'r Run<'r>,
    loss: f64,
    trainer: EncoderTrainer<Vec<Box<dyn Objective>>>,
}

impl<'r> ChunkTrainer<'r> {
    fn new(run: &'r Run<'r>) -> Self {
        let counts = run.items.counts(&run.text.forms(), run.shape.attributes[0].values);
        let masked: Box<dyn Objective> = Box::new(MaskedItems::new(&run.shape, 0, Lexicon::FIRST, &counts));
        let n_items = (run.text.n_words() + run.text.n_sentences()) / run.chunks_per_epoch;
        let mut trainer =
            EncoderTrainer::new(run.shape.clone(), vec![masked], n_items, run.hyperparameters());
        trainer.scale_embeddings(EMBEDDING_SCALE);
        if let Some(before) = run.options.before {
            trainer.adopt(&before.weights, &[0, 1]);
        }
        Self { run, loss: 0.0, trainer }
    }
}

impl EpochTrainer for ChunkTrainer<'_> {
    type Model = Trained;

    fn n_epochs(&self) -> usize {
        self.run.n_chunks
    }

    fn epoch(&mut self, stop: &dyn Fn() -> bool) -> f64 {
        let chunk = self.run.chunk(self.trainer.epochs());
        self.loss = self.trainer.epoch(&chunk, &|| !stop());
        self.loss
    }

    fn model(&self) -> Trained {
        Trained { weights: self.trainer.encoder().clone(), loss: self.loss }
    }

    /// A checkpoint is several times as large as the encoder.
    fn is_time_to_save(&self, done: usize) -> bool {
        done.is_multiple_of(self.run.n_chunks.div_ceil(20)) || done == self.run.n_chunks
    }

    fn save(&self, into: &mut Arrays) {
        self.trainer.save(into);
        into.set_one(LOSS, self.loss);
    }

    fn restore(&mut self, from: &Arrays) -> bool {
        let loss = from.one(LOSS).map(|loss| self.loss = loss);
        loss.is_ok() && self.trainer.restore(from).is_ok()
    }

    fn load_model(&self, from: &Arrays) -> Option<Trained> {
        let weights = EncoderWeights::load(self.run.shape.clone(), from).ok()?;
        Some(Trained { weights, loss: from.one(LOSS).ok()? })
    }
}

/// Reports and stores chunks.
struct RunSupervisor<'s> {
    observer: &'s dyn Observer,
    checkpoint: Checkpoint,
    n_reported: usize,
}

impl<M: Persist> Supervisor<M> for RunSupervisor<'_> {
    fn epoch(&mut self, epoch: &Epoch<'_, M>) -> Next {
        for _ in std::mem::replace(&mut self.n_reported, epoch.done)..epoch.done {
            self.observer.event(&Event::Step);
        }
        Next { score: None, stop: self.observer.stop() }
    }

    fn stops(&self) -> bool {
        self.observer.stop()
    }

    fn stored(&self) -> Option<Arrays> {
        self.checkpoint.load(NAME)
    }

    fn stores(&self) -> bool {
        self.checkpoint.is_used()
    }

    fn store(&mut self, state: &Arrays) {
        self.checkpoint.save(NAME, state, self.observer);
    }
}
