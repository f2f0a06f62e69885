//! Training over an encoder: first on the static oracle's transitions, then also on the dynamic oracle's corrections where the model
//! explores. Head pointers are a second objective for every word.

use std::sync::Arc;

use quaich_features::{RoleSet, Roles, TokenValues};
use quaich_learn::encoder::{
    self, Attribute, ClassHead, Classes, Encoder, Hyperparameters, Objective, Objectives, PointerHead,
    PointerTargets, Pointers, Projections, Sequences, Shape, SlotExamples, SlotHead, SlotShape, Slots,
};
use quaich_learn::{Arrays, EpochTrainer, Persist, fit};
use quaich_treebank::{Node, Role, Sentence};

use super::file::NAME;
use super::model::{QuestionHeads, RecurrentModel, mirror};
use super::roles::{SlotExtractor, SlotValues, leads_to_buffer};
use crate::calibration::Calibration;
use crate::collect::{Recorder, explore, follow};
use crate::consumers::{self, Tagging};
use crate::decisions::{self, Subject};
use crate::decoder::ScorerDecoder;
use crate::encoder::{Lexicon, SentenceEncoder, SizeBudget, Sizes};
use crate::error::{Error, Result};
use crate::learner::{HeldOut, HeldOutSize, Learned, Run, RunSupervisor, TrainingInput, train_networks};
use crate::model::Model;
use crate::observer::Observer;
use crate::pretraining::PretrainedEncoder;
use crate::scorer::{Input, State};
use crate::settings::Settings;
use crate::task::{Example, Task};

/// The number of training words over all epochs, within the limits on epochs. In a prototype, half as many cost 0.4 points of LAS on a
/// held-out fifth of danish-ddt; twice as many gained 0.1 on one of english-ewt.
const WORDS: usize = 7_000_000;
const MIN_EPOCHS: usize = 16;
const MAX_EPOCHS: usize = 120;
/// Words per minibatch; fewer on small treebanks: there, 200 epochs with minibatches of 1,000 words score no higher than 130 epochs with
/// minibatches half as large (on fifths of seven treebanks, in a prototype).
const BATCH: usize = 1000;
const BATCH_OF_SMALL: usize = 500;
/// The dropout of hidden units; higher on small treebanks. Chosen on held-out fifths of six treebanks.
const DROPOUT: f32 = 0.2;
const DROPOUT_OF_SMALL: f32 = 0.33;
/// A treebank with this many words is large.
const LARGE: usize = 60_000;
/// The dropout of attributes as a fraction of the dropout of units: of 0.3, 0.6 and 1 the best on held-out fifths of latin-perseus and
/// basque-3lb in a prototype.
const ATTRIBUTE_DROPOUT: f32 = 0.6;
/// The fraction of the epochs before exploration starts, and how often the explored states are renewed.
const EXPLORE_AFTER: f64 = 0.4;
const EXPLORATIONS: usize = 12;
/// Hidden units of the label classifier, and the number for each of several parsers that share an encoder on a small treebank, where they
/// would take most of the time. Fifths in a prototype with 128 and 64 units: hungarian-szeged 79.8 and 80.5, latin-perseus 71.0 and 70.5,
/// basque-3lb 80.1 and 80.4; but danish-ddt 85.0 and 84.7, english-ewt 87.4 and 87.1.
const LABEL_HIDDEN: usize = 128;
const LABEL_HIDDEN_OF_MANY: usize = 64;
/// The width of the head pointers: 200, 100 and 64 score the same on held-out fifths of six treebanks in a prototype, 32 scores lower.
const ARCS: usize = 64;
/// Layers of the encoder, and those of one that predicts tags as well: with tags below the top layer, a third layer is worth one point
/// of LAS on dev sets in a prototype (english-ewt 84.0 and 84.7, hungarian-szeged 73.6 and 74.2).
const LAYERS: usize = 2;
const LAYERS_WITH_TAGS: usize = 3;
/// A held-out run, which is only needed for calibration, has the epochs of a main run divided by this.
pub(crate) const HELD_OUT_RUN_PART: usize = 4;
/// One fold of this many is held out.
const FOLDS: usize = 4;

/// The compiled inputs of the questions of all tasks.
pub(crate) struct Setup {
    /// Indexed by task and question.
    extractors: Vec<Vec<SlotExtractor>>,
}

/// The result of training: an encoder and one model per task.
#[derive(Clone, Debug)]
pub(crate) struct Trained {
    pub(crate) encoder: Arc<SentenceEncoder>,
    pub(crate) models: Vec<Arc<RecurrentModel>>,
}

/// The number of epochs for a treebank of this size.
pub(crate) fn n_epochs(settings: &Settings, n_tokens: usize) -> usize {
    let by_size = || (WORDS / n_tokens.max(1)).clamp(MIN_EPOCHS, MAX_EPOCHS);
    settings.group("encoder").given_size("epochs").unwrap_or_else(by_size)
}

impl Settings {
    /// These settings, with the numbers that the treebank decides for a recurrent encoder: sizes, epochs and dropout on a treebank of
    /// this size, without pretraining.
    pub fn with_encoder_for(&self, n_tokens: usize) -> Result<Self> {
        let encoder = self.group("encoder");
        let epochs = n_epochs(self, n_tokens);
        let Sizes { networks, units } = size_budget(self, epochs * n_tokens)
            .sizes(encoder.given_size("networks"), encoder.given_size("units"));
        let layers = encoder.given_size("layers").unwrap_or_else(|| layers_by_use(self.predicts()));
        let dropout = encoder.given_float("dropout").unwrap_or_else(|| dropout_by_size(n_tokens < LARGE));
        let numbers = [("networks", networks), ("units", units), ("layers", layers), ("epochs", epochs)];
        let mut settings = self.clone();
        for (name, number) in numbers {
            settings.set(&format!("encoder.{name}"), &number.to_string())?;
        }
        settings.set("encoder.dropout", &dropout.to_string())?;
        Ok(settings)
    }

    /// The approximate work of training a recurrent encoder on a treebank of this size, in multiply-adds.
    pub fn encoder_work(&self, n_tokens: usize) -> Result<f64> {
        let known = self.with_encoder_for(n_tokens)?;
        let encoder = known.group("encoder");
        let one = size_budget(&known, encoder.size("epochs") * n_tokens).work(encoder.size("units"));
        #[allow(clippy::cast_precision_loss, reason = "a handful")]
        let networks = encoder.size("networks") as f64;
        Ok(networks * one)
    }
}

/// The budget that decides the size of the networks, for this number of words over all epochs.
fn size_budget(settings: &Settings, words: usize) -> SizeBudget {
    let encoder = settings.group("encoder");
    SizeBudget {
        words,
        effort: encoder.float("effort"),
        hidden: encoder.size("hidden"),
        predicts_tags: settings.predicts(),
    }
}

fn layers_by_use(predicts: bool) -> usize {
    if predicts { LAYERS_WITH_TAGS } else { LAYERS }
}

fn dropout_by_size(is_small: bool) -> f32 {
    if is_small { DROPOUT_OF_SMALL } else { DROPOUT }
}

/// The number of epochs of a run.
fn epochs(input: &TrainingInput<'_>) -> usize {
    let all = n_epochs(input.settings, input.task().n_tokens());
    if input.is_held_out_run { all.div_ceil(HELD_OUT_RUN_PART) } else { all }
}

/// The number of epochs of all networks, including those of the held-out run.
pub(crate) fn steps(input: &TrainingInput<'_>) -> usize {
    steps_with(input, input.holds_out() && input.task().n_tokens() < held_out_from(input))
}

/// The number of epochs of all networks, including those of the held-out run if there is one.
pub(crate) fn steps_with(input: &TrainingInput<'_>, is_second: bool) -> usize {
    let epochs = epochs(input);
    let second = if is_second { epochs.div_ceil(HELD_OUT_RUN_PART) } else { 0 };
    (epochs + second) * sizes(input).networks
}

fn held_out_from(input: &TrainingInput<'_>) -> usize {
    input.settings.group("encoder").size("held-out-from")
}

/// The size of the networks.
fn sizes(input: &TrainingInput<'_>) -> Sizes {
    let settings = input.settings.group("encoder");
    let mut budget = size_budget(input.settings, epochs(input) * input.task().n_tokens());
    budget.effort /= if input.is_held_out_run { held_out_run_part_as_float() } else { 1.0 };
    let pretrained = input.pretrained.map(PretrainedEncoder::n_units);
    budget.sizes(settings.given_size("networks"), pretrained.or(settings.given_size("units")))
}

#[allow(clippy::cast_precision_loss, reason = "a small number")]
const fn held_out_run_part_as_float() -> f32 {
    HELD_OUT_RUN_PART as f32
}

/// Trains one parser, or several that share the encoder.
pub(crate) fn learn(input: &TrainingInput<'_>) -> Result<Learned> {
    let setup = Setup::new(input)?;
    let train = |examples: &[&Example<'_>], is_second: bool| setup.train(input, examples, is_second);
    let held_out = HeldOut::choose(input, Some(held_out_from(input)), FOLDS);
    let (trained, held_out, size): (Trained, _, HeldOutSize) = held_out.train(input, train)?;
    let calibration = held_out.map_or_else(
        || Calibration::fit(&[]),
        |(trained, held_out)| input.calibrate(&trained.parser(input), &held_out),
    );
    let decoder = |model| (ScorerDecoder::boxed(model, TokenValues::default()), calibration);
    let decoders = trained.models.into_iter().map(decoder).collect();
    Ok(Learned { encoder: Some(trained.encoder), decoders, held_out: size })
}

impl Trained {
    /// The first task's parser.
    pub(crate) fn parser(&self, input: &TrainingInput<'_>) -> Model {
        let decoder = ScorerDecoder::boxed(Arc::clone(&self.models[0]), TokenValues::default());
        input.model(Some(Arc::clone(&self.encoder)), decoder, Calibration::default())
    }
}

impl Setup {
    /// Compiles all possible inputs.
    pub(crate) fn new(input: &TrainingInput<'_>) -> Result<Self> {
        let extractors = |task: &Task<'_>| {
            let Roles { mut transition, lookahead, label } = Roles::recurrent();
            if leads_to_buffer(&*task.scheme.system) {
                transition = transition.and(lookahead);
            }
            let questions = &task.scheme.questions;
            let compile = |question: &decisions::Question| {
                let seen = if question.subject == Subject::Label { &label } else { &transition };
                let extractor = SlotExtractor::compile(seen, questions.n_labels());
                extractor
                    .ok_or_else(|| Error::Setting("the questions read too many words or marks".to_owned()))
            };
            questions.list().iter().map(compile).collect()
        };
        Ok(Self { extractors: input.tasks.iter().map(extractors).collect::<Result<_>>()? })
    }

    /// Trains all networks on some examples of the first task and all examples of the others. The second run leaves out the held-out
    /// examples. With a dev set, returns the best epoch.
    pub(crate) fn train(
        &self,
        input: &TrainingInput<'_>,
        examples: &[&Example<'_>],
        is_second: bool,
    ) -> Result<Trained> {
        let whole = epochs(input);
        let epochs = if is_second { whole.div_ceil(HELD_OUT_RUN_PART) } else { whole };
        let n_networks = sizes(input).networks;
        if !is_second {
            input.stage("training the recurrent network", epochs * n_networks);
        }
        let data = Data::new(self, input, examples)?;
        let name = if is_second { "held-out" } else { NAME };
        // Early epochs improve quickly, so scoring them is not worth the time.
        let scored = (!is_second).then_some((epochs.div_ceil(20), epochs / 2));
        let networks = train_networks(input, name, n_networks, |name, seed| {
            let run = Run { name, epochs, seed, scored, input };
            let parser = |network: &Network| data.trained(vec![network.clone()]).parser(input);
            let mut supervisor = RunSupervisor::new(&run, &parser);
            let network = fit(|| Some(Box::new(RecurrentTrainer::new(&data, &run))), &mut supervisor);
            supervisor.end();
            network.ok_or(Error::Stopped)
        })?;
        Ok(data.trained(networks))
    }
}

/// The training data, the same for all seeds.
struct Data<'a> {
    input: &'a TrainingInput<'a>,
    lexicon: Lexicon,
    sequences: Sequences,
    targets: Arc<PointerTargets>,
    tasks: Vec<TaskData<'a>>,
    /// The columns to predict.
    tagging: Option<Tagging>,
}

/// The training data of one parser.
struct TaskData<'a> {
    task: &'a Task<'a>,
    examples: Vec<&'a Example<'a>>,
    /// One per question: extracts its input.
    extractors: Vec<SlotExtractor>,
    /// One per question: the examples of the static oracle.
    followed: Vec<Arc<SlotExamples>>,
}

impl<'a> Data<'a> {
    fn new(setup: &Setup, input: &'a TrainingInput<'a>, examples: &[&'a Example<'a>]) -> Result<Self> {
        let sentences: Vec<&Sentence> = examples.iter().map(|example| example.sentence).collect();
        let consumers = consumers::by_names(input.settings.group("encoder").text("predict"))?;
        let hidden: Vec<Role> = consumers.iter().map(|consumer| consumer.role()).collect();
        let inputs = input.settings.encoder_inputs();
        inputs.check(sentences.first().map_or(&[], |sentence| sentence.layout().columns()))?;
        if input.pretrained.is_some() && !inputs.reads_characters() {
            let message =
                "the pretrained encoder reads characters: expected them among the columns of encoder.inputs";
            return Err(Error::Setting(message.to_owned()));
        }
        let pretrained = input.pretrained.map(PretrainedEncoder::lexicon);
        let lexicon = Lexicon::of(&sentences, &inputs, &hidden, pretrained);
        let tagging = Tagging::of(&consumers, &sentences);
        let (sequences, targets) = read_words(&lexicon, examples, input)?;
        let tasks =
            input.tasks.iter().zip(&setup.extractors).enumerate().map(|(number, (task, extractors))| {
                let examples = if number == 0 { examples.to_vec() } else { task.examples.iter().collect() };
                TaskData::new(task, examples, extractors, input.observer)
            });
        let (tasks, targets) = (tasks.collect::<Result<_>>()?, Arc::new(targets));
        Ok(Self { input, lexicon, sequences, targets, tasks, tagging })
    }

    fn is_small(&self) -> bool {
        self.input.task().n_tokens() < LARGE
    }

    /// The objectives of a network: all questions of all tasks, and heads.
    fn objectives(&self) -> ParserObjectives {
        let settings = self.input.settings.group("encoder");
        let is_tight = self.is_small() && self.tasks.len() > 1;
        let label_hidden = if is_tight { LABEL_HIDDEN_OF_MANY } else { LABEL_HIDDEN };
        let slots = |data: &TaskData<'_>| {
            let questions =
                data.task.scheme.questions.list().iter().zip(&data.extractors).zip(&data.followed);
            let slots = questions.map(|((question, extractor), followed)| {
                let is_label = question.subject == Subject::Label;
                let shape = SlotShape {
                    slots: extractor.n_roles(),
                    marks: extractor.n_values(),
                    width: if is_label { label_hidden } else { settings.size("hidden") },
                    classes: question.n_classes,
                };
                Slots::new(shape, Arc::clone(followed))
            });
            slots.collect()
        };
        ParserObjectives {
            slots: self.tasks.iter().map(slots).collect(),
            classes: self.tagging.as_ref().map(|tagging| tagging.objective(self.n_layers().max(2) - 1)),
            pointers: Pointers::new(ARCS, Arc::clone(&self.targets)),
        }
    }

    fn shape(&self) -> Shape {
        let attributes: Vec<Attribute> = self.lexicon.attributes();
        Shape { attributes, layers: self.n_layers(), units: sizes(self.input).units }
    }

    /// The number of layers: tags are predicted below the top one.
    fn n_layers(&self) -> usize {
        let by_use = || layers_by_use(self.tagging.is_some());
        self.input.settings.group("encoder").given_size("layers").unwrap_or_else(by_use)
    }

    fn hyperparameters(&self, run: &Run<'_>) -> Hyperparameters {
        let by_size = || dropout_by_size(self.is_small());
        let settings = self.input.settings.group("encoder");
        let dropout = settings.given_float("dropout").unwrap_or_else(by_size);
        Hyperparameters {
            epochs: run.epochs,
            batch: if self.is_small() { BATCH_OF_SMALL } else { BATCH },
            rate: settings.float("learning-rate"),
            dropout,
            attribute_dropout: ATTRIBUTE_DROPOUT * dropout,
            seed: run.seed,
            ..Hyperparameters::default()
        }
    }

    /// The result of training: an encoder of all networks, and one model per task.
    fn trained(&self, networks: Vec<Network>) -> Trained {
        let models = self.tasks.iter().enumerate().map(|(number, data)| {
            let question = |(at, extractor): (usize, &SlotExtractor)| QuestionHeads {
                extractor: extractor.clone(),
                heads: networks.iter().map(|network| network.slots[number][at].clone()).collect(),
            };
            let questions = data.extractors.iter().enumerate().map(question).collect();
            Arc::new(RecurrentModel { questions })
        });
        let models = models.collect();
        let heads = || networks.iter().filter_map(|network| network.classes.clone()).collect();
        let tagger = self.tagging.as_ref().map(|tagging| tagging.trained(heads()));
        let (encoders, pointers) =
            networks.into_iter().map(|network| (network.encoder, network.pointers)).unzip();
        let encoder = SentenceEncoder::new(self.lexicon.clone(), encoders, pointers, tagger);
        Trained { encoder: Arc::new(encoder), models }
    }
}

impl<'a> TaskData<'a> {
    fn new(
        task: &'a Task<'a>,
        examples: Vec<&'a Example<'a>>,
        extractors: &[SlotExtractor],
        observer: &dyn Observer,
    ) -> Result<Self> {
        let recorder = || SlotRecorder::new(extractors, task.scheme.plan.is_right_to_left());
        let values = TokenValues::default();
        let followed = follow(task.scheme.context(), &values, &examples, observer, recorder)?;
        let everything = gather(extractors, followed);
        let in_use: Vec<Vec<bool>> = everything.iter().map(in_use).collect();
        let n_labels = task.scheme.questions.n_labels();
        let extractors = extractors
            .iter()
            .zip(&in_use)
            .filter_map(|(extractor, in_use)| narrowed(extractor, in_use, n_labels));
        let followed = everything.iter().zip(&in_use).map(|(all, in_use)| Arc::new(all.with_slots(in_use)));
        Ok(Self { task, extractors: extractors.collect(), followed: followed.collect(), examples })
    }

    /// One per question: the static oracle's examples, and the dynamic oracle's corrections where this parser explored; `None` if the
    /// system has no dynamic oracle, or if the observer stops it.
    fn explore(
        &self,
        trained: &Trained,
        number: usize,
        observer: &dyn Observer,
    ) -> Option<Vec<SlotExamples>> {
        let scheme = &self.task.scheme;
        if !scheme.system.has_dynamic_oracle() {
            return None;
        }
        let recorder = || SlotRecorder::new(&self.extractors, scheme.plan.is_right_to_left());
        let model = (&*trained.models[number], Some(&*trained.encoder));
        let (context, values) = (scheme.context(), TokenValues::default());
        let explored = explore(context, &values, model, &self.examples, observer, recorder).ok()?;
        let explored = gather(&self.extractors, explored);
        Some(
            self.followed.iter().zip(&explored).map(|(followed, explored)| followed.with(explored)).collect(),
        )
    }
}

/// The objectives of a network.
#[derive(Debug)]
struct ParserObjectives {
    /// Indexed by task and question.
    slots: Vec<Vec<Slots>>,
    /// One per consumer.
    classes: Option<Classes>,
    pointers: Pointers,
}

impl Objectives for ParserObjectives {
    fn all(&self) -> Vec<&dyn Objective> {
        let slots = self.slots.iter().flatten().map(|slots| slots as &dyn Objective);
        let classes = self.classes.iter().map(|classes| classes as &dyn Objective);
        slots.chain(classes).chain([&self.pointers as &dyn Objective]).collect()
    }

    fn all_mut(&mut self) -> Vec<&mut dyn Objective> {
        let slots = self.slots.iter_mut().flatten().map(|slots| slots as &mut dyn Objective);
        let classes = self.classes.iter_mut().map(|classes| classes as &mut dyn Objective);
        slots.chain(classes).chain([&mut self.pointers as &mut dyn Objective]).collect()
    }
}

/// A trained network.
#[derive(Clone, Debug)]
struct Network {
    encoder: Encoder,
    pointers: PointerHead,
    /// Indexed by task and question.
    slots: Vec<Vec<SlotHead>>,
    /// One per consumer.
    classes: Option<ClassHead>,
}

impl Persist for Network {
    fn save(&self, into: &mut Arrays) {
        let mut nest = |name: String, save: &dyn Fn(&mut Arrays)| {
            let mut part = Arrays::default();
            save(&mut part);
            into.nest(&name, part);
        };
        nest("encoder".to_owned(), &|arrays| self.encoder.save(arrays));
        nest("pointers".to_owned(), &|arrays| self.pointers.save(arrays));
        for (task, slots) in self.slots.iter().enumerate() {
            for (question, head) in slots.iter().enumerate() {
                nest(format!("{task}.{question}"), &|arrays| head.save(arrays));
            }
        }
        if let Some(head) = &self.classes {
            nest("classes".to_owned(), &|arrays| head.save(arrays));
        }
    }
}

/// A network in training.
struct RecurrentTrainer<'a> {
    data: &'a Data<'a>,
    run: &'a Run<'a>,
    trainer: encoder::EncoderTrainer<ParserObjectives>,
}

impl<'a> RecurrentTrainer<'a> {
    fn new(data: &'a Data<'a>, run: &'a Run<'a>) -> Self {
        let n_words = data.tasks[0].examples.iter().map(|example| example.tree.n_tokens() + 1).sum();
        let mut trainer =
            encoder::EncoderTrainer::new(data.shape(), data.objectives(), n_words, data.hyperparameters(run));
        let pretrained = data.input.pretrained.zip(data.lexicon.pretrained_attributes());
        if let Some((pretrained, attributes)) = pretrained {
            trainer.adopt(pretrained.weights(), &attributes);
        }
        Self { data, run, trainer }
    }

    /// Whether exploration has started after `done` epochs, and whether the explored states are due for renewal.
    fn exploration(&self, done: usize) -> (bool, bool) {
        let epochs = self.run.epochs;
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let from = (epochs as f64 * EXPLORE_AFTER).ceil() as usize;
        let every = (epochs - from.min(epochs)).div_ceil(EXPLORATIONS).max(1);
        let explores = self.data.tasks.iter().any(|data| data.task.scheme.system.has_dynamic_oracle());
        (explores && done > from, explores && done >= from && (done - from).is_multiple_of(every))
    }
}

impl EpochTrainer for RecurrentTrainer<'_> {
    type Model = Network;

    fn n_epochs(&self) -> usize {
        self.run.epochs
    }

    fn epoch(&mut self, stop: &dyn Fn() -> bool) -> f64 {
        if self.exploration(self.trainer.epochs()).1 {
            let trained = self.data.trained(vec![self.model()]);
            for (number, data) in self.data.tasks.iter().enumerate() {
                let observer = self.run.input.observer;
                let Some(explored) = data.explore(&trained, number, observer) else { continue };
                for (slots, examples) in self.trainer.objectives.slots[number].iter_mut().zip(explored) {
                    slots.set_examples(Arc::new(examples));
                }
            }
        }
        self.trainer.epoch(&self.data.sequences, &|| !stop())
    }

    fn model(&self) -> Network {
        let mut projections = Projections::default();
        let ParserObjectives { slots, classes, pointers } = &self.trainer.objectives;
        let freeze = |slots: &Vec<Slots>| slots.iter().map(|slots| slots.freeze(&mut projections)).collect();
        let slots = slots.iter().map(freeze).collect();
        let frozen = classes.as_ref().map(|classes| classes.freeze(self.trainer.encoder()));
        let (layer, classes) = frozen.unzip();
        Network {
            encoder: Encoder::new(self.trainer.encoder(), &projections).with_classes(layer),
            pointers: pointers.freeze(),
            slots,
            classes,
        }
    }

    /// Explored states are not saved, so a checkpoint needs a renewal next.
    fn is_time_to_save(&self, done: usize) -> bool {
        let often = self.run.epochs.div_ceil(20);
        match self.exploration(done) {
            _ if done == self.run.epochs => true,
            (true, is_due) => is_due,
            (false, _) => done.is_multiple_of(often),
        }
    }

    fn save(&self, into: &mut Arrays) {
        self.trainer.save(into);
    }

    fn restore(&mut self, from: &Arrays) -> bool {
        self.trainer.restore(from).is_ok()
    }

    fn load_model(&self, from: &Arrays) -> Option<Network> {
        let encoder = Encoder::load(&from.part("encoder")).ok()?;
        let pointers = PointerHead::load(encoder.shape().output_width(), &from.part("pointers")).ok()?;
        let heads = |(task, data): (usize, &TaskData<'_>)| {
            let head = |question| SlotHead::load(&from.part(&format!("{task}.{question}"))).ok();
            (0..data.extractors.len()).map(head).collect::<Option<Vec<_>>>()
        };
        let slots = self.data.tasks.iter().enumerate().map(heads).collect::<Option<_>>()?;
        let classes = match &self.data.tagging {
            Some(_) => Some(ClassHead::load(&from.part("classes")).ok()?),
            None => None,
        };
        Some(Network { encoder, pointers, slots, classes })
    }
}

/// The extractor without the words that are always absent.
fn narrowed(extractor: &SlotExtractor, in_use: &[bool], n_labels: usize) -> Option<SlotExtractor> {
    let RoleSet { words, marks } = extractor.seen();
    let words = words.iter().zip(in_use).filter(|(_, used)| **used).map(|(word, _)| word.clone());
    SlotExtractor::compile(&RoleSet { words: words.collect(), marks: marks.clone() }, n_labels)
}

/// Concatenates the examples of all recorders.
fn gather(extractors: &[SlotExtractor], parts: Vec<SlotRecorder<'_>>) -> Vec<SlotExamples> {
    let mut all: Vec<SlotExamples> = extractors
        .iter()
        .map(|extractor| SlotExamples::new(extractor.n_roles(), extractor.n_marks()))
        .collect();
    for mut part in parts {
        part.end_sentence();
        for (all, part) in all.iter_mut().zip(&part.examples) {
            all.append(part);
        }
    }
    all
}

/// The slots that are ever filled; the first slot if none is.
fn in_use(examples: &SlotExamples) -> Vec<bool> {
    let mut in_use = examples.slots_in_use();
    if let (false, Some(first)) = (in_use.contains(&true), in_use.first_mut()) {
        *first = true;
    }
    in_use
}

/// Looks up all words and their heads, in sentence order.
fn read_words(
    lexicon: &Lexicon,
    examples: &[&Example<'_>],
    input: &TrainingInput<'_>,
) -> Result<(Sequences, PointerTargets)> {
    let mut sequences = Sequences::new(lexicon.attributes().len());
    let mut targets = PointerTargets::default();
    let (mut values, mut shares) = (Vec::new(), Vec::new());
    for example in examples {
        input.observer.check()?;
        let items = lexicon.items(example.sentence);
        let tree = input.scheme().plan.in_reading_order(example.tree.clone());
        for node in (0..=tree.n_tokens()).map(Node::from_index) {
            encoder::ItemSource::values(&items, node.index(), &mut values);
            sequences.push(values.iter().map(Vec::as_slice));
            shares.clear();
            if let Some(head_distribution) = example.head_distribution {
                head_distribution.shares(node, &mut shares);
            }
            // The heads of completed trees are not learned.
            let is_known = example.sentence.heads()[node.index()].is_some();
            let head = if is_known { tree.head(node).0 } else { PointerTargets::UNKNOWN };
            targets.push(if node.is_root() { 0 } else { head }, &shares);
        }
        sequences.end_sequence();
        targets.end_sequence();
    }
    Ok((sequences, targets))
}

/// Records states as examples.
struct SlotRecorder<'a> {
    extractors: &'a [SlotExtractor],
    /// Whether the parser reads from right to left.
    is_right_to_left: bool,
    n_words: u32,
    /// One per question.
    examples: Vec<SlotExamples>,
    has_begun: bool,
    found: SlotValues,
}

impl<'a> SlotRecorder<'a> {
    fn new(extractors: &'a [SlotExtractor], is_right_to_left: bool) -> Self {
        let examples = extractors
            .iter()
            .map(|extractor| SlotExamples::new(extractor.n_roles(), extractor.n_marks()))
            .collect();
        Self {
            extractors,
            is_right_to_left,
            n_words: 0,
            examples,
            has_begun: false,
            found: SlotValues::default(),
        }
    }

    fn end_sentence(&mut self) {
        if self.has_begun {
            self.examples.iter_mut().for_each(SlotExamples::end_sequence);
        }
    }
}

impl Recorder for SlotRecorder<'_> {
    fn read(&mut self, input: Input<'_>) {
        self.end_sentence();
        self.has_begun = true;
        self.n_words = u32::try_from(input.sentence.n_tokens() + 1).unwrap_or(u32::MAX);
    }

    fn record(&mut self, question: usize, State { c, focus, .. }: State<'_>, right: &[u32]) {
        let Self { extractors, is_right_to_left, n_words, examples, found, .. } = self;
        let extractor = &extractors[question];
        extractor.extract(c, focus, found);
        if *is_right_to_left {
            mirror(&mut found.words[..extractor.n_roles()], *n_words);
        }
        // If there are several correct answers, the oracle's caller has put the one to learn first.
        examples[question].push(
            &found.words[..extractor.n_roles()],
            &found.marks[..extractor.n_marks()],
            right[0],
        );
    }
}
