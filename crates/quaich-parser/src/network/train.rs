//! Training the networks: the static oracle's states first, then also those that the networks
//! themselves get into.

use quaich_features::{Template, TokenValues, Tokens, Value};
use quaich_learn::network::{self, Frozen, Network, Shape, SlotInstances, Trainer, Vocabulary};
use quaich_treebank::Node;
use rayon::prelude::*;

use super::attributes::{Attributes, Census, Learnable};
use super::course::Course;
use super::model::{Answer, NetworkModel};
use super::slots::{MAX_PLACES, Slots};
use crate::apprentice::{Apprentice, Judge, Run};
use crate::collect::{Recorder, explore, follow};
use crate::decisions::{Question, Subject};
use crate::error::{Error, Result};
use crate::memory::Lines;
use crate::model::{Reading, State};
use crate::prepare::Example;
use crate::train::Training;

/// A word seen `n` times is taken for unknown with probability `FORGETTING / (FORGETTING + n)`.
const FORGETTING: f32 = 2.0;
/// The passes after which the networks begin to explore.
const EXPLORE_AFTER: usize = 3;
/// Room for sums of a word's rows in eight bits.
const HEADROOM: f32 = 1.5;

/// What every step of the training needs.
pub(crate) struct NetworkTraining<'a> {
    training: &'a Training<'a>,
    attributes: Attributes,
    /// By question.
    slots: Vec<Slots>,
    token_values: TokenValues,
}

impl<'a> Apprentice<'a> for NetworkTraining<'a> {
    type Model = NetworkModel;
    type Lessons = ();
    const NAME: &'static str = "network";
    const STAGE: &'static str = "training the network";
    const FEWEST_FOLDS: usize = 2;

    /// Compiles the slots.
    fn new(training: &'a Training<'a>, token_values: &mut TokenValues) -> Result<Self> {
        let mut attributes = Attributes::default();
        let mut compile = |question: &Question| {
            let values = question.templates(&training.data.slots).iter();
            let values: Vec<Value> = values.flat_map(|template: &Template| template.values.clone()).collect();
            Slots::compile(&values, &mut attributes, token_values)
                .map_err(|error| Error::Setting(error.to_string()))
        };
        let slots = training.data.questions.list().iter().map(&mut compile).collect::<Result<_>>()?;
        Ok(Self { training, attributes, slots, token_values: token_values.clone() })
    }

    fn training(&self) -> &'a Training<'a> {
        self.training
    }

    fn token_values(&self) -> &TokenValues {
        &self.token_values
    }

    fn passes(training: &Training<'_>) -> usize {
        training.settings.network_passes
    }

    /// All of them: a network that was trained for less is less sure of itself.
    fn rehearsal_passes(training: &Training<'_>) -> usize {
        Self::passes(training)
    }

    /// What is learned from changes from pass to pass.
    fn prepare(&self, _examples: &[&Example<'_>]) {}

    fn run(
        &self,
        examples: &[&Example<'_>],
        _lessons: &(),
        Run { passes, name, seed }: Run<'_>,
        judge: &mut Judge<'_, NetworkModel>,
    ) -> Result<NetworkModel> {
        let (way, checkpoint) = (self.training.way(), &self.training.checkpoint);
        let vocabularies = self.number(examples);
        let settings = network::Settings { passes, seed, ..network::Settings::default() };
        let questions = self.training.data.questions.list();
        let trainers = questions
            .iter()
            .zip(&self.slots)
            .map(|(question, slots)| Trainer::new(vocabularies.shape(self, question, slots), settings));
        let mut course = Course::new(trainers.collect());
        if let Some(kept) = checkpoint.load(name) {
            course.restore(&kept);
        }
        let recorder = || SlotRecorder::new(self, &vocabularies);
        let mut instances = self.gather(follow(way, &self.token_values, examples, recorder));
        let n_fixed: Vec<usize> = instances.iter().map(SlotInstances::len).collect();
        let mut model = self.freeze(&vocabularies.attributes, &course.networks());
        for pass in course.passes()..passes {
            if pass >= EXPLORE_AFTER && way.system.has_dynamic_oracle() {
                let explored = self.gather(explore(way, &self.token_values, &model, examples, recorder));
                for ((instances, explored), &n_fixed) in instances.iter_mut().zip(&explored).zip(&n_fixed) {
                    instances.truncate(n_fixed);
                    instances.append(explored);
                }
            }
            course.pass(&instances);
            model = self.freeze(&vocabularies.attributes, &course.networks());
            let verdict = judge(pass + 1, &|| model.clone());
            course.note(verdict.score);
            if checkpoint.is_used() {
                checkpoint.save(name, &course.save())?;
            }
            if verdict.stop {
                break;
            }
        }
        Ok(match course.best() {
            Some(networks) => self.freeze(&vocabularies.attributes, &networks),
            None => model,
        })
    }
}

impl NetworkTraining<'_> {
    /// Numbers the values of the training sentences.
    fn number(&self, examples: &[&Example<'_>]) -> Vocabularies {
        let mut attributes = self.attributes.clone();
        let mut census = Census::new(&attributes);
        let mut tokens = Tokens::default();
        for example in examples {
            tokens.read(example.sentence, &self.token_values, self.training.way().order);
            census.add(&attributes, &tokens);
        }
        let learnable = census.number(&mut attributes, FORGETTING);
        Vocabularies { attributes, learnable }
    }

    fn gather(&self, parts: Vec<SlotRecorder<'_>>) -> Vec<SlotInstances> {
        let mut all = self.no_instances();
        for part in parts {
            for (all, part) in all.iter_mut().zip(&part.instances) {
                all.append(part);
            }
        }
        all
    }

    fn no_instances(&self) -> Vec<SlotInstances> {
        let questions = self.training.data.questions.list().iter().zip(&self.slots);
        questions.map(|(question, slots)| SlotInstances::new(slots.len(), question.n_classes)).collect()
    }

    /// Makes a model of networks.
    ///
    /// # Panics
    /// When there is no memory for their rows.
    fn freeze(&self, attributes: &Attributes, networks: &[&Network]) -> NetworkModel {
        let answers = networks.par_iter().zip(&self.slots).map(|(network, slots)| {
            let (frozen, rows) = Frozen::new(network, HEADROOM);
            let rows = Lines::copied(bytemuck::cast_slice(&rows)).expect("memory for the network");
            Answer { slots: slots.clone(), frozen, rows }
        });
        NetworkModel::new(attributes.clone(), answers.collect())
    }
}

/// The values that networks learn about.
struct Vocabularies {
    attributes: Attributes,
    /// By attribute.
    learnable: Vec<Learnable>,
}

impl Vocabularies {
    fn shape(&self, training: &NetworkTraining<'_>, question: &Question, slots: &Slots) -> Shape {
        let settings = training.training.settings;
        let n_labels = training.training.data.questions.n_labels();
        let shared = Slots::shared_vocabularies(n_labels).into_iter();
        let shared = shared.map(|(size, width)| Vocabulary::plain(size, width, Vec::new()));
        let attributes = self.learnable.iter().map(|learnable| learnable.vocabulary.clone());
        let is_label = question.subject == Subject::Label;
        Shape {
            vocabularies: attributes.chain(shared).collect(),
            slots: slots.vocabularies(self.learnable.len()),
            hidden: if is_label { settings.label_hidden } else { settings.transition_hidden },
            classes: question.n_classes,
        }
    }
}

/// Takes down states for the networks.
struct SlotRecorder<'a> {
    training: &'a NetworkTraining<'a>,
    vocabularies: &'a Vocabularies,
    /// By question.
    instances: Vec<SlotInstances>,
    /// By node, then by attribute: the number of its value.
    numbers: Vec<u32>,
    values: Vec<u32>,
}

impl<'a> SlotRecorder<'a> {
    fn new(training: &'a NetworkTraining<'a>, vocabularies: &'a Vocabularies) -> Self {
        let instances = training.no_instances();
        Self { training, vocabularies, instances, numbers: Vec::new(), values: Vec::new() }
    }
}

impl Recorder for SlotRecorder<'_> {
    fn read(&mut self, Reading { tokens, .. }: Reading<'_>) {
        self.numbers.clear();
        let Vocabularies { attributes, learnable } = self.vocabularies;
        for node in (0..=tokens.n_tokens()).map(Node::from_index) {
            let numbers = attributes.list.iter().zip(learnable);
            self.numbers
                .extend(numbers.map(|(attribute, learnable)| learnable.value(attribute, tokens, node)));
        }
    }

    fn record(&mut self, question: usize, State { c, focus, .. }: State<'_>, right: &[u32]) {
        let slots = &self.training.slots[question];
        let mut nodes = [Node::NONE; MAX_PLACES];
        slots.locate(c, focus, &mut nodes);
        self.values.clear();
        let width = self.vocabularies.learnable.len();
        for (place, attributes) in &slots.token_places {
            let node = nodes[usize::from(*place)];
            self.values.extend(attributes.iter().map(|attribute| {
                if node.is_none() { network::ABSENT } else { self.numbers[node.index() * width + attribute] }
            }));
        }
        slots.each_shared(c, &nodes, |_, value| self.values.push(value));
        // Which of several right answers is learned was decided where they were found.
        self.instances[question].push(&self.values, right[0]);
    }
}
