//! Training the networks: the static oracle's states first, then also those that the networks
//! themselves get into.

use quaich_features::{Attribute, Focus, TokenAttribute, Tokens};
use quaich_learn::network::{self, Frozen, Network, Shape, SlotInstances, Trainer, TrainerState, Vocabulary};
use quaich_transition::configuration::Configuration;
use quaich_transition::systems::System;
use quaich_transition::transition::Kind;
use quaich_treebank::{Label, Node};
use rayon::prelude::*;

use super::dictionary::{Dictionaries, Dictionary, N_ATTRIBUTES};
use super::slots::{SlotError, Slots};
use super::{NetworkEngine, Part};
use crate::checkpoint::{Checkpoint, Kept};
use crate::collect::{Example, Recorder, class_of, explore, follow};
use crate::error::{Error, Result};
use crate::memory::Lines;

/// What the training of the networks can be told.
#[derive(Clone, Debug)]
pub struct NetworkSettings {
    /// What the transition network sees.
    pub transition_slots: Vec<Attribute>,
    /// What the label network sees.
    pub label_slots: Vec<Attribute>,
    /// Hidden units of the transition network.
    pub transition_hidden: usize,
    /// Hidden units of the label network.
    pub label_hidden: usize,
    /// By attribute of tokens: how often a value must occur to have a vector of its own.
    pub min_counts: [u32; N_ATTRIBUTES],
    /// By attribute of tokens: how long vectors are.
    pub widths: [usize; N_ATTRIBUTES],
    /// A word seen `n` times is taken for unknown with probability `forgetting / (forgetting + n)`.
    pub forgetting: f32,
    /// The passes after which the networks begin to explore.
    pub explore_after: usize,
    /// Room for sums of a word's rows in eight bits.
    pub headroom: f32,
    /// The learner's settings.
    pub learner: network::Settings,
}

/// What the transition network sees by default.
const TRANSITION_SLOTS: &str = "
    s0:w s0:l s0:p s0:t s0:f  b0:w b0:l b0:p b0:t b0:f
    b1:w b1:l b1:p b1:t b1:f  s1:l s1:p s1:t s1:f  b2:l b2:p b2:t b2:f  b3:p b3:t  s2:p s2:t
    s0.h:l s0.h:p s0.h:t  s0.l:l s0.l:p s0.r:l s0.r:p s0.r:t b0.l:l b0.l:p
    s0.l2:p s0.r2:p b0.l2:p s1.r:p
    s0+1:p s0+1:l b0-1:p b0-1:l s0-1:p
    s0:d s1:d s0.h:d s0.l:d s0.r:d b0.l:d s0.l2:d s0.r2:d b0.l2:d s1.l:d s1.r:d
    dist(s0,b0)";

/// What the label network sees by default.
const LABEL_SLOTS: &str = "
    h:w h:l h:p h:t h:f h:x  d:w d:l d:p d:t d:f d:x
    d-1:l d-1:p d+1:l d+1:p h-1:p h+1:p
    d.l:l d.l:p d.l:f d.r:l d.r:p h.l:p h.r:p h.h:l h.h:p
    h:d h.l:d h.r:d h.l2:d h.r2:d d.l:d d.r:d d.l2:d d.r2:d
    dist(h,d) h:nl h:nr d:nl d:nr";

impl NetworkSettings {
    /// The defaults, without attributes that are constant in the data.
    pub fn new(constant: &[TokenAttribute]) -> Self {
        Self {
            transition_slots: Slots::parse(TRANSITION_SLOTS, constant),
            label_slots: Slots::parse(LABEL_SLOTS, constant),
            transition_hidden: 128,
            label_hidden: 128,
            min_counts: [3, 4, 1, 1, 2, 3],
            widths: [32, 32, 16, 16, 24, 16],
            forgetting: 2.0,
            explore_after: 3,
            headroom: 1.5,
            learner: network::Settings::default(),
        }
    }
}

/// Transition and label states as the networks see them.
#[derive(Clone, Debug)]
pub struct NetworkStates {
    /// Of transitions.
    pub transitions: SlotInstances,
    /// Of labels.
    pub labels: SlotInstances,
}

/// What is fixed before the first state is seen.
#[derive(Clone, Debug)]
pub struct NetworkPlan {
    dictionaries: Dictionaries,
    transition_slots: Slots,
    label_slots: Slots,
    kinds: Vec<Kind>,
    n_labels: usize,
}

impl NetworkPlan {
    /// Numbers the values of the training sentences.
    ///
    /// # Panics
    /// When there are more than 2³² different words.
    pub fn new<S: System + ?Sized>(
        system: &S,
        settings: &NetworkSettings,
        examples: &[&Example],
        n_labels: usize,
    ) -> std::result::Result<Self, SlotError> {
        let attributes: Vec<Dictionary> = TokenAttribute::ALL
            .into_par_iter()
            .zip(settings.min_counts)
            .map(|(attribute, min_count)| {
                let mut tokens = Tokens::default();
                let mut values = Vec::new();
                for example in examples {
                    tokens.read(&example.sentence);
                    values
                        .extend((0..=tokens.n_tokens()).map(|i| tokens.get(Node::from_index(i), attribute)));
                }
                Dictionary::build(values.into_iter(), min_count)
            })
            .collect();
        Ok(Self {
            dictionaries: Dictionaries { attributes: attributes.try_into().expect("one an attribute") },
            transition_slots: Slots::compile(&settings.transition_slots)?,
            label_slots: Slots::compile(&settings.label_slots)?,
            kinds: system.kinds().iter().collect(),
            n_labels,
        })
    }

    fn shape(&self, slots: &Slots, settings: &NetworkSettings, hidden: usize, classes: usize) -> Shape {
        let tokens = self.dictionaries.attributes.iter().zip(settings.widths).map(|(dictionary, width)| {
            #[allow(clippy::cast_precision_loss, reason = "counts of words")]
            let forgetting = dictionary
                .counts()
                .map(|n| if n == 0 { 0.0 } else { settings.forgetting / (settings.forgetting + n as f32) })
                .collect();
            Vocabulary { size: dictionary.size(), width, forgetting }
        });
        let others = Slots::other_vocabularies(self.n_labels).into_iter().map(|(size, width)| Vocabulary {
            size,
            width,
            forgetting: Vec::new(),
        });
        Shape { vocabularies: tokens.chain(others).collect(), slots: slots.vocabularies(), hidden, classes }
    }

    /// No states yet.
    pub fn no_states(&self) -> NetworkStates {
        NetworkStates {
            transitions: SlotInstances::new(self.transition_slots.len(), self.kinds.len()),
            labels: SlotInstances::new(self.label_slots.len(), self.n_labels),
        }
    }

    /// The states on the static oracle's way to every tree.
    pub fn collect<S: System + ?Sized>(&self, system: &S, examples: &[&Example]) -> NetworkStates {
        self.gather(follow(system, examples, || SlotRecorder::new(self)))
    }

    /// The states that an engine gets into after its first error, with what the dynamic oracle says.
    pub fn explore<S: System + ?Sized>(
        &self,
        system: &S,
        engine: &NetworkEngine,
        examples: &[&Example],
    ) -> NetworkStates {
        self.gather(explore(system, engine, examples, || SlotRecorder::new(self)))
    }

    fn gather(&self, parts: Vec<SlotRecorder<'_>>) -> NetworkStates {
        let mut all = self.no_states();
        for part in parts {
            all.transitions.append(&part.states.transitions);
            all.labels.append(&part.states.labels);
        }
        all
    }

    /// Makes an engine of two networks.
    ///
    /// # Panics
    /// When there is no memory for their rows.
    pub fn freeze(&self, transitions: &Network, labels: &Network, headroom: f32) -> NetworkEngine {
        let part = |slots: &Slots, network: &Network| {
            let (frozen, rows) = Frozen::new(network, headroom);
            let rows = Lines::copied(bytemuck::cast_slice(&rows)).expect("memory for the network");
            Part { slots: slots.clone(), frozen, rows }
        };
        NetworkEngine::new(
            self.dictionaries.clone(),
            part(&self.transition_slots, transitions),
            part(&self.label_slots, labels),
            self.kinds.clone(),
        )
    }
}

/// Takes down states for the networks.
struct SlotRecorder<'a> {
    plan: &'a NetworkPlan,
    states: NetworkStates,
    /// By node: the numbers of its attributes.
    numbers: Vec<[u32; N_ATTRIBUTES]>,
    values: Vec<u32>,
}

impl<'a> SlotRecorder<'a> {
    fn new(plan: &'a NetworkPlan) -> Self {
        Self { plan, states: plan.no_states(), numbers: Vec::new(), values: Vec::new() }
    }
}

impl Recorder for SlotRecorder<'_> {
    fn read(&mut self, tokens: &Tokens) {
        self.numbers.clear();
        let nodes = (0..=tokens.n_tokens()).map(Node::from_index);
        self.numbers.extend(nodes.map(|node| self.plan.dictionaries.numbers(tokens, node)));
    }

    fn transition(&mut self, c: &Configuration, _tokens: &Tokens, right: Kind) {
        self.plan.transition_slots.values(c, &self.numbers, Focus::NONE, &mut self.values);
        self.states.transitions.push(&self.values, class_of(&self.plan.kinds, right));
    }

    fn label(&mut self, c: &Configuration, _tokens: &Tokens, (head, dependent): (Node, Node), right: Label) {
        self.plan.label_slots.values(c, &self.numbers, Focus { head, dependent }, &mut self.values);
        self.states.labels.push(&self.values, right.0);
    }
}

/// What is known after a pass over the training states.
#[derive(Debug)]
pub struct NetworkPass<'a> {
    /// How many passes are done.
    pub done: usize,
    /// How many passes there will be.
    pub of: usize,
    /// The mean loss of transitions and of labels.
    pub losses: (f64, f64),
    /// How many states of each there were.
    pub n_states: (usize, usize),
    /// The engine as it is.
    pub engine: &'a NetworkEngine,
}

/// Trains both networks. After every pass `judge` sees the engine and says how good it is, if it
/// knows, and whether to stop; the best engine is returned. A training that was kept under the same
/// name is taken up where it was left.
pub fn train<S: System + ?Sized>(
    system: &S,
    settings: &NetworkSettings,
    examples: &[&Example],
    n_labels: usize,
    (checkpoint, name): (&Checkpoint, &str),
    mut judge: impl FnMut(&NetworkPass<'_>) -> network::Verdict,
) -> Result<NetworkEngine> {
    let wrong = |error: SlotError| Error::Setting(error.to_string());
    let plan = NetworkPlan::new(system, settings, examples, n_labels).map_err(wrong)?;
    let mut fixed = plan.collect(system, examples);
    let mut course = Course {
        transitions: Trainer::new(
            plan.shape(&plan.transition_slots, settings, settings.transition_hidden, plan.kinds.len()),
            settings.learner,
        ),
        labels: Trainer::new(
            plan.shape(&plan.label_slots, settings, settings.label_hidden, n_labels),
            settings.learner,
        ),
        best: None,
    };
    course.restore(checkpoint.load(name));
    let freeze =
        |(transitions, labels): (&Network, &Network)| plan.freeze(transitions, labels, settings.headroom);
    let mut engine = freeze(course.networks());
    let n_fixed = (fixed.transitions.len(), fixed.labels.len());
    for pass in course.transitions.passes()..settings.learner.passes {
        if pass >= settings.explore_after && system.has_dynamic_oracle() {
            let explored = plan.explore(system, &engine, examples);
            fixed.transitions.truncate(n_fixed.0);
            fixed.labels.truncate(n_fixed.1);
            fixed.transitions.append(&explored.transitions);
            fixed.labels.append(&explored.labels);
        }
        let Course { transitions, labels, .. } = &mut course;
        let losses = rayon::join(|| transitions.pass(&fixed.transitions), || labels.pass(&fixed.labels));
        engine = freeze(course.networks());
        let verdict = judge(&NetworkPass {
            done: pass + 1,
            of: settings.learner.passes,
            losses,
            n_states: (fixed.transitions.len(), fixed.labels.len()),
            engine: &engine,
        });
        if let Some(score) = verdict.score
            && course.best.as_ref().is_none_or(|(highest, _)| score >= *highest)
        {
            let (transitions, labels) = course.networks();
            course.best = Some((score, Box::new((transitions.clone(), labels.clone()))));
        }
        if checkpoint.is_used() {
            course.save(checkpoint, name)?;
        }
        if verdict.stop {
            break;
        }
    }
    Ok(match &course.best {
        Some((_, networks)) => freeze((&networks.0, &networks.1)),
        None => engine,
    })
}

/// Two networks in training.
struct Course {
    transitions: Trainer,
    labels: Trainer,
    /// The best pair so far and its score, where there are scores.
    best: Option<(f64, Box<(Network, Network)>)>,
}

impl Course {
    fn networks(&self) -> (&Network, &Network) {
        (self.transitions.network(), self.labels.network())
    }

    fn save(&mut self, checkpoint: &Checkpoint, name: &str) -> Result<()> {
        let states = [self.transitions.state(), self.labels.state()];
        let counts = states.each_ref().map(|state| [state.passes as u64, state.step as u64]);
        let (score, mut weights) = (self.best.as_ref().map(|(score, _)| *score), Vec::new());
        if let Some((_, networks)) = &mut self.best {
            for numbers in networks.0.numbers().into_iter().chain(networks.1.numbers()) {
                weights.extend_from_slice(numbers);
            }
        }
        checkpoint.save(
            name,
            &[
                ("counts", bytemuck::cast_slice(counts.as_flattened())),
                ("transitions", bytemuck::cast_slice(&states[0].numbers)),
                ("labels", bytemuck::cast_slice(&states[1].numbers)),
                ("best score", bytemuck::cast_slice(score.as_slice())),
                ("best", bytemuck::cast_slice(&weights)),
            ],
        )
    }

    /// Goes on from what was kept, if it fits; otherwise from the start.
    fn restore(&mut self, kept: Option<Kept>) {
        let Some(kept) = kept else { return };
        let state = |name: &str, counts: &[u64]| {
            let number = |i: usize| counts.get(i).and_then(|&n| usize::try_from(n).ok());
            Some(TrainerState { passes: number(0)?, step: number(1)?, numbers: kept.numbers(name)? })
        };
        let counts: Vec<u64> = kept.numbers("counts").unwrap_or_default();
        let states =
            state("transitions", &counts).zip(counts.get(2..).and_then(|rest| state("labels", rest)));
        let Some((transitions, labels)) = states else { return };
        if !(self.transitions.restore(&transitions) && self.labels.restore(&labels)) {
            return;
        }
        let best = kept.number::<f64>("best score").zip(kept.numbers::<f32>("best"));
        self.best = best.map(|(score, weights)| {
            let mut networks = Box::new((self.transitions.network().clone(), self.labels.network().clone()));
            let mut weights = weights.into_iter();
            for numbers in networks.0.numbers() {
                numbers.iter_mut().zip(&mut weights).for_each(|(number, weight)| *number = weight);
            }
            for numbers in networks.1.numbers() {
                numbers.iter_mut().zip(&mut weights).for_each(|(number, weight)| *number = weight);
            }
            (score, networks)
        });
    }
}
