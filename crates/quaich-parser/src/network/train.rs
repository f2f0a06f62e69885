//! Training the networks: first on the static oracle's states, then also on explored states.

use std::sync::Arc;

use quaich_features::{FeatureModel, Template, TokenValues, Tokens, Value};
use quaich_learn::network::{
    self, Frozen, Network, NetworkTrainer, Shape, SlotInstances, TrainerState, Vocabulary,
};
use quaich_learn::{Arrays, EpochTrainer, Persist, fit};
use quaich_treebank::Node;
use rayon::prelude::*;

use super::attributes::{Attributes, Learnable, VocabularyCounter};
use super::file::NAME;
use super::model::{NetworkModel, QuestionNetwork};
use super::slots::{MAX_PLACES, Slots};
use crate::calibration::Calibration;
use crate::collect::{Recorder, explore, follow};
use crate::decisions::{Question, Subject};
use crate::decoder::ScorerDecoder;
use crate::error::{Error, Result};
use crate::huge_pages::Lines;
use crate::learner::{HeldOut, Learned, Run, RunSupervisor, TrainingInput};
use crate::scorer::{Input, State};
use crate::task::Example;

/// Word dropout: a word seen `n` times is replaced by unknown with probability `WORD_DROPOUT / (WORD_DROPOUT + n)`.
const WORD_DROPOUT: f32 = 2.0;
/// The number of epochs before exploration.
const EXPLORE_AFTER: usize = 3;
/// Headroom for sums of a word's rows in eight bits.
const HEADROOM: f32 = 1.5;
/// One fold of this many is held out. The held-out run has as many epochs as the main run: with fewer, the network has smaller margins.
const FOLDS: usize = 2;

/// The compiled input of the networks.
#[derive(Debug)]
pub(crate) struct Setup {
    attributes: Attributes,
    /// One per question.
    slots: Vec<Slots>,
    token_values: TokenValues,
}

/// The number of epochs, including those of the held-out run.
pub(crate) fn steps(input: &TrainingInput<'_>) -> usize {
    steps_with(input, input.holds_out())
}

/// The number of epochs, including those of the held-out run if there is one.
pub(crate) fn steps_with(input: &TrainingInput<'_>, is_second: bool) -> usize {
    n_epochs(input) * if is_second { 2 } else { 1 }
}

fn n_epochs(input: &TrainingInput<'_>) -> usize {
    input.settings.group(NAME).size("epochs")
}

/// Trains networks alone.
pub(crate) fn learn(input: &TrainingInput<'_>) -> Result<Learned> {
    let mut token_values = TokenValues::default();
    let setup = Setup::new(input, &mut token_values)?;
    let train = |examples: &[&Example<'_>], is_second: bool| setup.train(input, examples, is_second);
    let (model, held_out, _) = HeldOut::choose(input, None, FOLDS).train(input, train)?;
    let parser =
        |model| input.model(None, ScorerDecoder::boxed(model, token_values.clone()), Calibration::default());
    let calibration = held_out.map_or_else(
        || Calibration::fit(&[]),
        |(model, held_out)| input.calibrate(&parser(model), &held_out),
    );
    Ok(Learned::single(ScorerDecoder::boxed(model, token_values), calibration))
}

impl Setup {
    /// Compiles the slots; adds the values that they read to `token_values`.
    pub(crate) fn new(input: &TrainingInput<'_>, token_values: &mut TokenValues) -> Result<Self> {
        let mut attributes = Attributes::default();
        let features = input.task().fit(FeatureModel::network_slots())?;
        let mut compile = |question: &Question| {
            let values = question.templates(&features).iter();
            let values: Vec<Value> = values.flat_map(|template: &Template| template.values.clone()).collect();
            Slots::compile(&values, &mut attributes, token_values)
                .map_err(|error| Error::Setting(error.to_string()))
        };
        let questions = input.scheme().questions.list();
        let slots = questions.iter().map(&mut compile).collect::<Result<_>>()?;
        Ok(Self { attributes, slots, token_values: token_values.clone() })
    }

    /// Trains on some examples. The second run leaves out the held-out ones. With a dev set, returns the best epoch.
    pub(crate) fn train(
        &self,
        input: &TrainingInput<'_>,
        examples: &[&Example<'_>],
        is_second: bool,
    ) -> Result<Arc<NetworkModel>> {
        let epochs = n_epochs(input);
        if !is_second {
            input.stage("training the network", epochs);
        }
        let name = if is_second { "held-out" } else { NAME };
        let run = Run {
            name: name.to_owned(),
            epochs,
            seed: input.settings.seed(),
            scored: (!is_second).then_some((1, 0)),
            input,
        };
        let vocabularies = self.number(input, examples)?;
        let parser = |trained: &Trained| {
            let decoder = ScorerDecoder::boxed(Arc::clone(&trained.model), self.token_values.clone());
            input.model(None, decoder, Calibration::default())
        };
        let mut supervisor = RunSupervisor::new(&run, &parser);
        let start = || FeedForwardTrainer::new(self, &vocabularies, &run, examples).map(Box::new).ok();
        let trained = fit(start, &mut supervisor);
        supervisor.end();
        Ok(trained.ok_or(Error::Stopped)?.model)
    }

    /// Builds the vocabularies of the training sentences.
    fn number(&self, input: &TrainingInput<'_>, examples: &[&Example<'_>]) -> Result<Vocabularies> {
        let mut attributes = self.attributes.clone();
        let mut counter = VocabularyCounter::new(&attributes);
        let mut tokens = Tokens::default();
        for example in examples {
            input.observer.check()?;
            tokens.read(example.sentence, &self.token_values, input.context().order);
            counter.add(&attributes, &tokens);
        }
        let learnable = counter.number(&mut attributes, WORD_DROPOUT);
        Ok(Vocabularies { attributes, learnable })
    }

    fn no_instances(&self, questions: &[Question]) -> Vec<SlotInstances> {
        let questions = questions.iter().zip(&self.slots);
        questions.map(|(question, slots)| SlotInstances::new(slots.len(), question.n_classes)).collect()
    }

    /// Quantises networks to a model.
    ///
    /// # Panics
    /// If memory runs out.
    fn freeze(&self, attributes: &Attributes, networks: Vec<Network>) -> Trained {
        let by_question = networks.par_iter().zip(&self.slots).map(|(network, slots)| {
            let (frozen, rows) = Frozen::new(network, HEADROOM);
            let rows = Lines::copied(bytemuck::cast_slice(&rows)).expect("memory for the network");
            QuestionNetwork { slots: slots.clone(), frozen, rows }
        });
        let model = Arc::new(NetworkModel::new(attributes.clone(), by_question.collect()));
        Trained { networks, model }
    }
}

/// Networks in training, one per question, and their quantised model.
#[derive(Debug)]
struct Trained {
    networks: Vec<Network>,
    model: Arc<NetworkModel>,
}

impl Persist for Trained {
    fn save(&self, into: &mut Arrays) {
        for (at, network) in self.networks.iter().enumerate() {
            into.set(&at.to_string(), &network.numbers().concat());
        }
    }
}

/// Trains the networks of all questions together.
struct FeedForwardTrainer<'a> {
    setup: &'a Setup,
    vocabularies: &'a Vocabularies,
    run: &'a Run<'a>,
    examples: &'a [&'a Example<'a>],
    /// One per question.
    trainers: Vec<NetworkTrainer>,
    /// One per question: the static oracle's states, then explored ones.
    instances: Vec<SlotInstances>,
    /// One per question: the number of the static oracle's states.
    n_fixed: Vec<usize>,
}

impl<'a> FeedForwardTrainer<'a> {
    fn new(
        setup: &'a Setup,
        vocabularies: &'a Vocabularies,
        run: &'a Run<'a>,
        examples: &'a [&'a Example<'a>],
    ) -> Result<Self> {
        let settings = network::NetworkParameters {
            epochs: run.epochs,
            seed: run.seed,
            ..network::NetworkParameters::default()
        };
        let questions = run.input.scheme().questions.list();
        let trainer = |(question, slots): (&Question, &Slots)| {
            NetworkTrainer::new(vocabularies.shape(run.input, question, slots), settings)
        };
        let trainers = questions.iter().zip(&setup.slots).map(trainer).collect();
        let mut new =
            Self { setup, vocabularies, run, examples, trainers, instances: Vec::new(), n_fixed: Vec::new() };
        let recorder = || SlotRecorder::new(setup, questions, vocabularies);
        let (context, observer) = (run.input.context(), run.input.observer);
        new.instances = new.gather(follow(context, &setup.token_values, examples, observer, recorder)?);
        new.n_fixed = new.instances.iter().map(SlotInstances::len).collect();
        Ok(new)
    }

    fn questions(&self) -> &'a [Question] {
        self.run.input.scheme().questions.list()
    }

    fn gather(&self, parts: Vec<SlotRecorder<'_>>) -> Vec<SlotInstances> {
        let mut all = self.setup.no_instances(self.questions());
        for part in parts {
            for (all, part) in all.iter_mut().zip(&part.instances) {
                all.append(part);
            }
        }
        all
    }

    /// Replaces the explored states, unless the observer stops it: parses with the current networks and records the correct classes.
    fn explore(&mut self) {
        let Self { setup, vocabularies, .. } = *self;
        let model = self.model().model;
        let recorder = || SlotRecorder::new(setup, self.questions(), vocabularies);
        let context = self.run.input.context();
        let (model, observer) = ((&*model, None), self.run.input.observer);
        let found = explore(context, &setup.token_values, model, self.examples, observer, recorder);
        let Ok(found) = found else { return };
        let explored = self.gather(found);
        for ((instances, explored), &n_fixed) in self.instances.iter_mut().zip(&explored).zip(&self.n_fixed) {
            instances.truncate(n_fixed);
            instances.append(explored);
        }
    }
}

impl EpochTrainer for FeedForwardTrainer<'_> {
    type Model = Trained;

    fn n_epochs(&self) -> usize {
        self.run.epochs
    }

    fn epoch(&mut self, stop: &dyn Fn() -> bool) -> f64 {
        let done = self.trainers.first().map_or(0, NetworkTrainer::epochs);
        if done >= EXPLORE_AFTER && self.run.input.context().system.has_dynamic_oracle() {
            self.explore();
        }
        let Self { trainers, instances, run, .. } = self;
        // The networks ask from several threads, which `stop` does not allow; afterwards it gets the same answer.
        let stops = || run.input.observer.stop();
        let work = trainers.par_iter_mut().zip(instances);
        let losses: Vec<f64> = work.map(|(trainer, instances)| trainer.epoch(instances, &stops)).collect();
        stop();
        losses.iter().sum()
    }

    fn model(&self) -> Trained {
        let networks = self.trainers.iter().map(|trainer| trainer.network().clone()).collect();
        self.setup.freeze(&self.vocabularies.attributes, networks)
    }

    fn save(&self, into: &mut Arrays) {
        for (at, trainer) in self.trainers.iter().enumerate() {
            let state = trainer.state();
            into.set(&format!("{at}.counts"), &[state.epochs as u64, state.step as u64]);
            into.set(&format!("{at}.numbers"), &state.numbers);
        }
    }

    fn restore(&mut self, from: &Arrays) -> bool {
        self.trainers.iter_mut().enumerate().all(|(at, trainer)| {
            let counts: Vec<u64> = from.get(&format!("{at}.counts")).unwrap_or_default();
            let count = |i: usize| counts.get(i).and_then(|&count| usize::try_from(count).ok());
            let numbers = from.get(&format!("{at}.numbers"));
            let (Some(epochs), Some(step), Ok(numbers)) = (count(0), count(1), numbers) else { return false };
            trainer.restore(&TrainerState { epochs, step, numbers })
        })
    }

    fn load_model(&self, from: &Arrays) -> Option<Trained> {
        let network = |(at, trainer): (usize, &NetworkTrainer)| {
            let kept: Vec<f32> = from.get(&at.to_string()).ok()?;
            let mut network = trainer.network().clone();
            let mut rest = &kept[..];
            for numbers in network.numbers_mut() {
                let (own, others) = rest.split_at_checked(numbers.len())?;
                numbers.copy_from_slice(own);
                rest = others;
            }
            rest.is_empty().then_some(network)
        };
        let networks = self.trainers.iter().enumerate().map(network).collect::<Option<_>>()?;
        Some(self.setup.freeze(&self.vocabularies.attributes, networks))
    }
}

/// The vocabularies of the networks.
struct Vocabularies {
    attributes: Attributes,
    /// One per attribute.
    learnable: Vec<Learnable>,
}

impl Vocabularies {
    fn shape(&self, input: &TrainingInput<'_>, question: &Question, slots: &Slots) -> Shape {
        let settings = input.settings.group(NAME);
        let n_labels = input.scheme().questions.n_labels();
        let shared = Slots::shared_vocabularies(n_labels).into_iter();
        let shared = shared.map(|(size, width)| Vocabulary::plain(size, width, Vec::new()));
        let attributes = self.learnable.iter().map(|learnable| learnable.vocabulary.clone());
        let hidden = if question.subject == Subject::Label { "label-hidden" } else { "hidden" };
        Shape {
            vocabularies: attributes.chain(shared).collect(),
            slots: slots.vocabularies(self.learnable.len()),
            hidden: settings.size(hidden),
            classes: question.n_classes,
        }
    }
}

/// Records states for the networks.
struct SlotRecorder<'a> {
    setup: &'a Setup,
    vocabularies: &'a Vocabularies,
    /// One per question.
    instances: Vec<SlotInstances>,
    /// Indexed by node, then by attribute: the number of its value.
    numbers: Vec<u32>,
    values: Vec<u32>,
}

impl<'a> SlotRecorder<'a> {
    fn new(setup: &'a Setup, questions: &[Question], vocabularies: &'a Vocabularies) -> Self {
        let instances = setup.no_instances(questions);
        Self { setup, vocabularies, instances, numbers: Vec::new(), values: Vec::new() }
    }
}

impl Recorder for SlotRecorder<'_> {
    fn read(&mut self, Input { tokens, .. }: Input<'_>) {
        self.numbers.clear();
        let Vocabularies { attributes, learnable } = self.vocabularies;
        for node in (0..=tokens.n_tokens()).map(Node::from_index) {
            let numbers = attributes.list.iter().zip(learnable);
            self.numbers
                .extend(numbers.map(|(attribute, learnable)| learnable.value(attribute, tokens, node)));
        }
    }

    fn record(&mut self, question: usize, State { c, focus, .. }: State<'_>, right: &[u32]) {
        let slots = &self.setup.slots[question];
        let mut nodes = [Node::NONE; MAX_PLACES];
        slots.locate(c, focus, &mut nodes);
        self.values.clear();
        let width = self.vocabularies.learnable.len();
        for (place, attributes) in &slots.token_places {
            let node = nodes[usize::from(*place)];
            self.values.extend(attributes.iter().map(|attribute| {
                if node.is_none() {
                    network::NO_VALUE
                } else {
                    self.numbers[node.index() * width + attribute]
                }
            }));
        }
        slots.each_shared(c, &nodes, |_, value| self.values.push(value));
        // If there are several correct classes, the oracle's caller has put the one to learn first.
        self.instances[question].push(&self.values, right[0]);
    }
}
