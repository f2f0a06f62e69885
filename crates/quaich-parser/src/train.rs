//! Training: sentences → states → classifiers → tables.

use quaich_features::{FeatureModel, Focus, Program, Scratch, Tokens};
use quaich_learn::crammer_singer::{self, Weights};
use quaich_transition::configuration::Configuration;
use quaich_transition::gold::Gold;
use quaich_transition::guide::{Guide, StaticOracle, run};
use quaich_transition::systems::System;
use quaich_transition::transition::{Kind, KindSet, Transition};
use quaich_treebank::{Label, Sentence, Tree};
use rayon::prelude::*;

use crate::engine::{Engine, ModelGuide};
use crate::label_table::{LabelScores, LabelTable};
use crate::states::{Indexed, States, index};
use crate::transition_table::{Row, TransitionTable};

/// A sentence with the tree to be learned.
pub struct Example {
    /// The words.
    pub sentence: Sentence,
    /// The tree, after all transformations.
    pub tree: Tree,
}

/// Experimental settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// C for transitions
    pub c_transition: f32,
    /// C for labels
    pub c_label: f32,
    /// passes
    pub passes: usize,
    /// min count
    pub min_count: u32,
    /// folds
    pub folds: usize,
    /// label n
    pub n_labels: usize,
}

/// Transition and label states of some sentences.
pub struct Collected {
    transitions: States,
    labels: States,
}

struct Collector<'a, S: ?Sized> {
    oracle: StaticOracle<'a, S>,
    system: &'a S,
    kinds: &'a [Kind],
    programs: (&'a Program, &'a Program),
    tokens: &'a Tokens,
    scratch: &'a mut Scratch,
    out: &'a mut Collected,
}

impl<S: System + ?Sized> Guide for Collector<'_, S> {
    fn start(&mut self, c: &Configuration) {
        self.oracle.start(c);
    }

    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let transition = self.oracle.choose(c, permissible);
        if permissible.len() > 1 {
            self.programs.0.values(c, self.tokens, Focus::NONE, self.scratch);
            self.out.transitions.push(self.scratch.values(), class_of(self.kinds, transition.kind));
        }
        if let Some((head, dependent)) = self.system.arc(c, transition.kind)
            && !transition.label.is_none()
        {
            self.programs.1.values(c, self.tokens, Focus { head, dependent }, self.scratch);
            self.out.labels.push(self.scratch.values(), transition.label.0);
        }
        transition
    }
}

fn class_of(kinds: &[Kind], kind: Kind) -> u32 {
    u32::try_from(kinds.iter().position(|k| *k == kind).expect("kinds of the system")).expect("few")
}

/// Static-oracle states.
pub fn collect<S: System + ?Sized>(
    system: &S,
    programs: (&Program, &Program),
    examples: &[&Example],
) -> Collected {
    let kinds: Vec<Kind> = system.kinds().iter().collect();
    let parts: Vec<Collected> = examples
        .par_chunks(200)
        .map(|chunk| {
            let mut out = Collected {
                transitions: States::new(programs.0.n_values()),
                labels: States::new(programs.1.n_values()),
            };
            let mut gold = Gold::new();
            let mut c = Configuration::new();
            let mut tokens = Tokens::default();
            let mut scratch = Scratch::default();
            for example in chunk {
                tokens.read(&example.sentence);
                let mut guide = Collector {
                    oracle: StaticOracle::new(system, &example.tree, &mut gold),
                    system,
                    kinds: &kinds,
                    programs,
                    tokens: &tokens,
                    scratch: &mut scratch,
                    out: &mut out,
                };
                run(system, &mut guide, example.tree.n_tokens(), &mut c);
            }
            out
        })
        .collect();
    merge(parts, programs)
}

fn merge(parts: Vec<Collected>, programs: (&Program, &Program)) -> Collected {
    let mut all = Collected {
        transitions: States::new(programs.0.n_values()),
        labels: States::new(programs.1.n_values()),
    };
    for part in parts {
        all.transitions.append(&part.transitions);
        all.labels.append(&part.labels);
    }
    all
}

struct Explorer<'a, S: ?Sized> {
    model: ModelGuide<'a, S>,
    gold: &'a mut Gold,
    kinds: &'a [Kind],
    programs: (&'a Program, &'a Program),
    out: &'a mut Collected,
    scratch: &'a mut Scratch,
    strayed: bool,
}

impl<S: System + ?Sized> Guide for Explorer<'_, S> {
    fn start(&mut self, _c: &Configuration) {
        self.gold.rewind();
        self.strayed = false;
    }

    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let kind = self.model.choose_kind(c, permissible);
        let optimal = self.model.system.optimal(c, self.gold);
        let right = if optimal.contains(kind) || optimal.is_empty() {
            kind
        } else {
            optimal.iter().find(|kind| kind.adds_arc()).or(optimal.first()).unwrap_or(kind)
        };
        if self.strayed && permissible.len() > 1 {
            self.programs.0.values(c, self.model.tokens, Focus::NONE, self.scratch);
            self.out.transitions.push(self.scratch.values(), class_of(self.kinds, right));
        }
        if right != kind {
            self.strayed = true;
        }
        match self.model.system.arc(c, kind) {
            Some((head, dependent)) => {
                let label = self.model.choose_label(c, head, dependent);
                let gold_label = self.gold.label(dependent);
                if self.gold.head(dependent) == head && !gold_label.is_none() {
                    if self.strayed {
                        self.programs.1.values(c, self.model.tokens, Focus { head, dependent }, self.scratch);
                        self.out.labels.push(self.scratch.values(), gold_label.0);
                    }
                    if label != gold_label {
                        self.strayed = true;
                    }
                }
                Transition { kind, label }
            }
            None => Transition::plain(kind),
        }
    }
}

/// States after a model's first error.
pub fn explore<S: System + ?Sized>(
    system: &S,
    engine: &Engine,
    programs: (&Program, &Program),
    examples: &[&Example],
) -> Collected {
    let kinds: Vec<Kind> = system.kinds().iter().collect();
    let parts: Vec<Collected> = examples
        .par_chunks(200)
        .map(|chunk| {
            let mut out = Collected {
                transitions: States::new(programs.0.n_values()),
                labels: States::new(programs.1.n_values()),
            };
            let mut gold = Gold::new();
            let mut c = Configuration::new();
            let mut tokens = Tokens::default();
            let mut scratch = Scratch::default();
            let (mut s1, mut s2, mut ls) = (Scratch::default(), Scratch::default(), LabelScores::default());
            for example in chunk {
                tokens.read(&example.sentence);
                gold.read(&example.tree, system.options().root);
                system.prepare(&mut gold);
                let mut guide = Explorer {
                    model: ModelGuide {
                        engine,
                        system,
                        tokens: &tokens,
                        transition_scratch: &mut s1,
                        label_scratch: &mut s2,
                        label_scores: &mut ls,
                    },
                    gold: &mut gold,
                    kinds: &kinds,
                    programs,
                    out: &mut out,
                    scratch: &mut scratch,
                    strayed: false,
                };
                run(system, &mut guide, example.tree.n_tokens(), &mut c);
            }
            out
        })
        .collect();
    merge(parts, programs)
}

/// Trains both classifiers and builds the tables.
pub fn build<S: System + ?Sized>(
    system: &S,
    model: &FeatureModel,
    settings: &Settings,
    collected: &Collected,
) -> Engine {
    let kinds: Vec<Kind> = system.kinds().iter().collect();
    let transition_program = Program::compile(&model.transition);
    let label_program = Program::compile(&model.label);
    let learn = |indexed: &Indexed, c: f32| -> Weights {
        if std::env::var("PA").is_ok() {
            return quaich_learn::perceptron::train(&indexed.instances, c, settings.passes, 1);
        }
        crammer_singer::train(
            &indexed.instances,
            &crammer_singer::Settings { c, passes: settings.passes, seed: 1 },
            |_| true,
        )
    };
    let ((transition_index, transition_weights), (label_index, label_weights)) = rayon::join(
        || {
            let indexed = index(&transition_program, &collected.transitions, kinds.len(), settings.min_count);
            let weights = learn(&indexed, settings.c_transition);
            (indexed.hashes, weights)
        },
        || {
            let indexed = index(&label_program, &collected.labels, settings.n_labels, settings.min_count);
            let weights = learn(&indexed, settings.c_label);
            (indexed.hashes, weights)
        },
    );
    fn rows<'a>(hashes: &'a [u64], weights: &'a Weights) -> Vec<Row<'a>> {
        (0u32..)
            .zip(hashes)
            .map(|(id, &hash)| Row { hash, weights: weights.row(id) })
            .filter(|row| row.range() > 0.0)
            .collect()
    }
    let tr = rows(&transition_index, &transition_weights);
    let lr = rows(&label_index, &label_weights);
    if std::env::var("VERBOSE").is_ok() {
        eprintln!(
            "features {} / {}, rows {} / {}",
            transition_index.len(),
            label_index.len(),
            tr.len(),
            lr.len()
        );
    }
    Engine {
        transitions: TransitionTable::build(&tr, kinds.len(), 0.5).expect("memory"),
        labels: LabelTable::build(&lr, settings.n_labels, label_program.n_templates(), 0.5).expect("memory"),
        transition_program,
        label_program,
        kinds,
    }
}

/// The whole training.
pub fn train<S: System + ?Sized>(
    system: &S,
    model: &FeatureModel,
    settings: &Settings,
    examples: &[Example],
    log: impl Fn(&str) + Sync,
) -> Engine {
    let programs = (&Program::compile(&model.transition), &Program::compile(&model.label));
    let all: Vec<&Example> = examples.iter().collect();
    let mut collected = collect(system, programs, &all);
    log(&format!(
        "{} transition states, {} label states",
        collected.transitions.len(),
        collected.labels.len()
    ));
    if settings.folds > 1 {
        let explored: Vec<Collected> = (0..settings.folds)
            .into_par_iter()
            .map(|fold| {
                let rest: Vec<&Example> = all
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| i % settings.folds != fold)
                    .map(|(_, e)| *e)
                    .collect();
                let mine: Vec<&Example> = all
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| i % settings.folds == fold)
                    .map(|(_, e)| *e)
                    .collect();
                let engine = build(system, model, settings, &collect(system, programs, &rest));
                explore(system, &engine, programs, &mine)
            })
            .collect();
        for part in explored {
            collected.transitions.append(&part.transitions);
            collected.labels.append(&part.labels);
        }
        log(&format!(
            "with exploration {} transition states, {} label states",
            collected.transitions.len(),
            collected.labels.len()
        ));
    }
    build(system, model, settings, &collected)
}

/// Placeholder
pub fn no_label() -> Label {
    Label::NONE
}
