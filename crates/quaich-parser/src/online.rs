//! Learning online, with a dynamic oracle and exploration of errors (Goldberg and Nivre 2012, 2013).
//!
//! Every state is learned from where it is met and then forgotten, so that memory is that of two
//! tables of weights, whose size is a setting. After the first passes it is mostly the weights of the
//! moment that choose where to go, right or wrong, and the dynamic oracle that says what would have
//! been best there.

use quaich_features::{Focus, Scratch, Tokens};
use quaich_learn::perceptron::{Perceptron, Sums, Update};
use quaich_transition::configuration::Configuration;
use quaich_transition::gold::Gold;
use quaich_transition::guide::{Guide, run};
use quaich_transition::systems::System;
use quaich_transition::transition::{Kind, KindSet, Transition};
use quaich_treebank::{Label, Node};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::calibration::Calibration;
use crate::collect::{Example, Programs};
use crate::engine::Engine;
use crate::error::Result;
use crate::held_out::{HeldOut, Keep};
use crate::model_file::Scores;
use crate::train::{Trainer, no_memory, split};
use crate::weights::{LinearWeights, Weighted};

/// Trains a linear model online.
pub(crate) fn train(
    trainer: &Trainer<'_>,
    system: &dyn System,
    all: &[&Example],
) -> Result<(Engine, Calibration)> {
    let Trainer { settings, observer, development, .. } = trainer;
    let programs = trainer.programs();
    let passes = settings.perceptron_passes;
    let mut held_out = HeldOut::default();
    if let Some(folds) = trainer.n_folds(all) {
        // Weights that have not seen the first fold tell how much can be pruned and how sure to be.
        observer.stage("rehearsing", passes);
        let (others, mine) = split(all, 0, folds);
        let weights = learn(trainer, system, &programs, &others, |_, _| Ok(()))?;
        (_, held_out) = trainer.hold_out(system, &weights, &mine)?;
    }
    observer.stage("learning", passes);
    let mut best: Option<(f64, LinearWeights)> = None;
    let last = learn(trainer, system, &programs, all, |pass, tables| {
        if !development.is_empty() {
            let weights = tables.clone().average(trainer, &programs);
            let model = trainer.model_of(&weights, Keep::ALL)?;
            let Scores { las, uas, .. } = development.score(&model, system, &Calibration::default());
            observer.note(&format!("pass {pass} of {passes}: dev LAS {las:.2}, UAS {uas:.2}"));
            if best.as_ref().is_none_or(|(highest, _)| las >= *highest) {
                best = Some((las, weights));
            }
        }
        Ok(())
    })?;
    let weights = best.map_or(last, |(_, weights)| weights);
    let linear = trainer.prune(&weights, held_out.choose_keep(settings))?;
    Ok((Engine::Linear(linear), Calibration::fit(&held_out.judged)))
}

/// Goes through the examples as often as the settings say, or until the observer has enough;
/// `after` sees the weights of the moment after every pass.
fn learn(
    trainer: &Trainer<'_>,
    system: &dyn System,
    programs: &Programs,
    examples: &[&Example],
    mut after: impl FnMut(usize, &Tables) -> Result<()>,
) -> Result<LinearWeights> {
    let settings = trainer.settings;
    let mut online = Online {
        system,
        programs,
        kinds: &trainer.kinds,
        tables: Tables::new(trainer)?,
        explore_rate: 0.0,
        generator: Pcg64Mcg::seed_from_u64(settings.seed),
        gold: Gold::new(),
        tokens: Tokens::default(),
        scratch: Scratch::default(),
        sums: Sums::default(),
    };
    let mut order = examples.to_vec();
    let mut c = Configuration::new();
    for pass in 1..=settings.perceptron_passes {
        if pass > settings.explore_after && system.has_dynamic_oracle() {
            online.explore_rate = settings.explore_rate;
        }
        order.shuffle(&mut online.generator);
        for example in &order {
            online.tokens.read(&example.sentence);
            online.gold.read(&example.tree, system.options().root);
            system.prepare(&mut online.gold);
            run(system, &mut online, &mut (), example.tree.n_tokens(), &mut c);
        }
        trainer.observer.step();
        after(pass, &online.tables)?;
        if trainer.observer.stop() {
            break;
        }
    }
    Ok(online.tables.average(trainer, programs))
}

/// What is learned.
#[derive(Clone)]
struct Tables {
    transitions: Perceptron,
    labels: Perceptron,
}

impl Tables {
    fn new(trainer: &Trainer<'_>) -> Result<Self> {
        let settings = trainer.settings;
        let table = |n_classes: usize, c: f32| {
            let update = match settings.update.as_str() {
                "passive-aggressive" => Update::PassiveAggressive { c },
                _ => Update::Perceptron,
            };
            let bytes = settings.table_megabytes * 1_000_000 / 2;
            no_memory(Perceptron::new(n_classes.max(2), update, bytes).map_err(Into::into))
        };
        Ok(Self {
            transitions: table(trainer.kinds.len(), settings.c)?,
            labels: table(trainer.n_labels, settings.label_c)?,
        })
    }

    fn average(self, trainer: &Trainer<'_>, programs: &Programs) -> LinearWeights {
        let n_states = self.transitions.n_steps() + self.labels.n_steps();
        let [transition, label] = [self.transitions, self.labels].map(|table| {
            let (hashes, weights) = table.averaged();
            Weighted::new(hashes, weights)
        });
        LinearWeights {
            transition,
            label,
            n_labels: trainer.n_labels,
            n_label_templates: programs.label.n_templates(),
            kinds: trainer.kinds.clone(),
            n_states,
        }
    }
}

/// Learns from every state it is led through, and says where to go next.
struct Online<'a> {
    system: &'a dyn System,
    programs: &'a Programs,
    /// The kind behind each class of transitions.
    kinds: &'a [Kind],
    tables: Tables,
    /// How often the weights choose the way, from 0 to 1.
    explore_rate: f32,
    generator: Pcg64Mcg,
    gold: Gold,
    tokens: Tokens,
    scratch: Scratch,
    sums: Sums,
}

impl Guide for Online<'_> {
    fn start(&mut self, _c: &Configuration) {
        self.gold.rewind();
    }

    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let explores = self.generator.random::<f32>() < self.explore_rate;
        let right = self.right_kinds(c, permissible);
        let kind = if permissible.len() > 1 {
            self.kind(c, permissible, right, explores)
        } else {
            right.first().or(permissible.first()).unwrap_or(Kind::Shift)
        };
        match self.system.arc(c, kind) {
            Some((head, dependent)) => Transition::arc(kind, self.label(c, head, dependent, explores)),
            None => Transition::plain(kind),
        }
    }
}

impl Online<'_> {
    /// What the best oracle that the system has would do; nothing if it knows nothing.
    fn right_kinds(&mut self, c: &Configuration, permissible: KindSet) -> KindSet {
        if self.system.has_dynamic_oracle() {
            return self.system.optimal(c, &mut self.gold);
        }
        let transition = match self.system.oracle(c, &mut self.gold) {
            Some(transition) if permissible.contains(transition.kind) || self.system.trusts_oracle() => {
                transition
            }
            _ => self.system.fallback(c, permissible),
        };
        KindSet::of(&[transition.kind])
    }

    /// Learns to choose a right kind, and chooses: the best of the right ones, or the best of all.
    fn kind(&mut self, c: &Configuration, permissible: KindSet, right: KindSet, explores: bool) -> Kind {
        self.programs.transition.run(c, &self.tokens, Focus::NONE, &mut self.scratch);
        self.tables.transitions.score(&self.scratch.hashes, &mut self.sums);
        let scores = &self.sums.by_class[..self.kinds.len()];
        // Of several right kinds the one that scores best is the easiest to learn.
        let best_right = best(scores, |class| right.contains(self.kinds[class]));
        let wrong = |kind| permissible.contains(kind) && !right.contains(kind);
        let best_wrong = best(scores, |class| wrong(self.kinds[class]));
        match (best_right, best_wrong) {
            (Some(right), Some(wrong)) => {
                let lead = scores[right] - scores[wrong];
                self.tables.transitions.learn(&self.scratch.hashes, right, wrong, lead);
                self.kinds[if explores && lead < 0.0 { wrong } else { right }]
            }
            (right, wrong) => right.or(wrong).map_or(Kind::Shift, |class| self.kinds[class]),
        }
    }

    /// Learns the label of a right arc, and chooses one for any arc.
    fn label(&mut self, c: &Configuration, head: Node, dependent: Node, explores: bool) -> Label {
        self.programs.label.run(c, &self.tokens, Focus { head, dependent }, &mut self.scratch);
        self.tables.labels.score(&self.scratch.hashes, &mut self.sums);
        let scores = &self.sums.by_class;
        let right = self.gold.label(dependent);
        if right.is_none() || self.gold.head(dependent) != head {
            return label_of(best(scores, |_| true));
        }
        let best_wrong = best(scores, |class| class != right.index());
        let lead = best_wrong.map_or(f32::INFINITY, |wrong| scores[right.index()] - scores[wrong]);
        if let Some(wrong) = best_wrong {
            self.tables.labels.learn(&self.scratch.hashes, right.index(), wrong, lead);
        }
        if explores && lead < 0.0 { label_of(best_wrong) } else { right }
    }
}

/// The allowed class with the highest score, the first of several.
fn best(scores: &[f32], allowed: impl Fn(usize) -> bool) -> Option<usize> {
    let mut best = None;
    for (class, &score) in scores.iter().enumerate().filter(|(class, _)| allowed(*class)) {
        if best.is_none_or(|(_, highest)| score > highest) {
            best = Some((class, score));
        }
    }
    best.map(|(class, _)| class)
}

fn label_of(class: Option<usize>) -> Label {
    Label(class.and_then(|class| u32::try_from(class).ok()).unwrap_or(0))
}
