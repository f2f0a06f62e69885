//! Training: a treebank → a parser.
//!
//! ```text
//!   sentences ─▶ plan ─▶ transform ─▶ static states ─┐
//!                  │                                  ├─▶ weights ─▶ prune ─▶ tables ─▶ parser
//!                  └─▶ folds ─▶ explored states ──────┘      ▲
//!                        └──▶ how much to prune, how sure ───┘
//! ```

use std::sync::Arc;

use quaich_features::{FeatureModel, Program, TokenAttribute};
use quaich_learn::network::Verdict;
use quaich_transform::Inverse;
use quaich_transition::systems::System;
use quaich_transition::transition::Kind;
use quaich_treebank::{Label, Sentence, Symbols, Tree};

use crate::calibration::{Calibration, Judged};
use crate::checkpoint::{Checkpoint, Kept};
use crate::collect::{Collected, Example, Programs, StateRecorder, explore, follow};
use crate::development::Development;
use crate::engine::{Engine, Mixed};
use crate::error::{Error, Result};
use crate::held_out::{HeldOut, KEEP_LABELS, KEEP_TRANSITIONS, Keep, judge};
use crate::label_table::LabelTable;
use crate::learners;
use crate::linear::Linear;
use crate::memory::Lines;
use crate::model_file::{Description, FORMAT_VERSION};
use crate::network_engine::train::{NetworkPass, NetworkSettings};
use crate::network_engine::{self, NetworkEngine};
use crate::parser::Parser;
use crate::plan::Plan;
use crate::settings::Settings;
use crate::transition_table::TransitionTable;
use crate::weights::LinearWeights;

/// Is told how training goes, and may end it early.
pub trait Observer: Sync {
    /// A new stage of so many steps begins.
    fn stage(&self, _name: &str, _steps: usize) {}
    /// A step of the stage is done.
    fn step(&self) {}
    /// Something worth telling.
    fn note(&self, _message: &str) {}
    /// Whether to stop as soon as there is a usable parser.
    fn stop(&self) -> bool {
        false
    }
}

/// An observer that looks away.
#[derive(Debug)]
pub struct Unobserved;

impl Observer for Unobserved {}

/// What there is to learn from.
#[derive(Debug, Default)]
pub struct TrainingData {
    /// The sentences, with heads and labels.
    pub sentences: Vec<Sentence>,
    /// Sentences to score on; never learned from.
    pub dev: Vec<Sentence>,
    /// The templates; the default ones if there are none.
    pub features: Option<FeatureModel>,
    /// What the user wants noted in the model: date, licence, anything.
    pub notes: Vec<(String, String)>,
    /// Where the training keeps what it has done, to be taken up again after an interruption.
    pub checkpoint: Checkpoint,
}

/// Trains a parser.
pub fn train(data: TrainingData, settings: &Settings, observer: &dyn Observer) -> Result<Parser> {
    let (fingerprint, dev_fingerprint) = (fingerprint(&data.sentences), fingerprint(&data.dev));
    let mut labels = Symbols::<Label>::new();
    let mut examples = read_examples(data.sentences, &mut labels, observer)?;
    if settings.learner != "perceptron" {
        bound(&mut examples, settings.max_tokens, observer);
    }
    let n_tokens: usize = examples.iter().map(|example| example.tree.n_tokens()).sum();
    let plan = Plan::make(&examples, &labels, settings)?;
    observer.note(&plan.describe());

    let transform = plan.transform()?;
    if let Some(transform) = &transform {
        let mut scratch = quaich_transform::Scratch::default();
        for example in &mut examples {
            transform
                .apply(&example.sentence, &mut example.tree, &mut labels, &mut scratch)
                .map_err(|error| Error::Treebank(error.to_string()))?;
        }
        let inverse = transform.inverse(&mut labels);
        labels = drop_rare_labels(&mut examples, &labels, &*inverse, settings.min_label_count);
    }
    if labels.is_empty() {
        // A treebank without labels gets the one that is written for none.
        labels.intern("_");
    }
    // Labels that only the way back needs come after those that are learned.
    let n_labels = labels.len();
    let inverse = transform.as_ref().map(|transform| transform.inverse(&mut labels));

    let constant = constant_attributes(&examples);
    let features = data.features.unwrap_or_else(FeatureModel::default_model).without(&constant);
    let system = plan.system(labels.get(&plan.root_label))?;
    let trainer = Trainer {
        kinds: system.kinds().iter().collect(),
        development: Development::new(data.dev, &labels, inverse.as_deref()),
        features: &features,
        constant: &constant,
        settings,
        n_labels,
        observer,
        checkpoint: data
            .checkpoint
            .of(&format!("{fingerprint:x} {dev_fingerprint:x} {features:?} {}", settings.to_toml())),
    };
    let all: Vec<&Example> = examples.iter().collect();
    let learner = learners::by_name(&settings.learner)?;
    let (engine, calibration) = (learner.train)(&trainer, &*system, &all)?;
    let dev = (!trainer.development.is_empty()).then(|| {
        let scores = trainer.development.score_engine(&engine, &*system, &calibration);
        observer.note(&format!("dev: LAS {:.2}, UAS {:.2}", scores.las, scores.uas));
        scores
    });
    drop(trainer);

    let description = Description {
        format_version: FORMAT_VERSION,
        trained_by: format!("quaich {}", env!("CARGO_PKG_VERSION")),
        settings: settings.clone(),
        plan,
        sentences: examples.len(),
        tokens: n_tokens,
        fingerprint: format!("{fingerprint:016x}"),
        dev,
        calibration,
        notes: data.notes,
        kinds: system.kinds().iter().map(|kind| kind.name().to_owned()).collect(),
        labels: labels.iter().map(|(_, text)| text.to_owned()).collect(),
        label_classes: n_labels,
        linear: None,
        network: None,
    };
    Ok(Parser { description, system, engine, labels: labels.freeze(), inverse })
}

/// What every learner is told, and what several of them do.
pub(crate) struct Trainer<'a> {
    /// The kinds of the system, in the order of their classes.
    pub(crate) kinds: Vec<Kind>,
    pub(crate) development: Development<'a>,
    features: &'a FeatureModel,
    constant: &'a [TokenAttribute],
    pub(crate) settings: &'a Settings,
    pub(crate) n_labels: usize,
    pub(crate) observer: &'a dyn Observer,
    checkpoint: Checkpoint,
}

impl Trainer<'_> {
    /// The network alone.
    pub(crate) fn network_alone(
        &self,
        system: &dyn System,
        all: &[&Example],
    ) -> Result<(Engine, Calibration)> {
        let (network, rehearsal) =
            rayon::join(|| self.train_network(system, all), || self.rehearse(system, all));
        let judged = rehearsal?.map_or(Vec::new(), |(network, held_out)| judge(&network, system, &held_out));
        Ok((Engine::Network(network?), Calibration::fit(&judged)))
    }

    /// The linear model alone.
    pub(crate) fn linear_alone(
        &self,
        system: &dyn System,
        all: &[&Example],
    ) -> Result<(Engine, Calibration)> {
        let trained = self.train_linear(system, all)?;
        Ok((Engine::Linear(trained.linear), Calibration::fit(&trained.judged)))
    }

    /// The linear model and the network; they meet only when they parse.
    pub(crate) fn linear_and_network(
        &self,
        system: &dyn System,
        all: &[&Example],
    ) -> Result<(Engine, Calibration)> {
        let (linear, networks) = rayon::join(
            || self.train_linear(system, all),
            || rayon::join(|| self.train_network(system, all), || self.rehearse(system, all)),
        );
        let (trained, network) = (linear?, networks.0?);
        let judged = match (networks.1?, trained.rehearsal) {
            (Some((network, held_out)), Some(linear)) => judge(&self.mix(linear, network), system, &held_out),
            _ => Vec::new(),
        };
        Ok((Engine::Mixed(self.mix(trained.linear, network)), Calibration::fit(&judged)))
    }

    fn mix(&self, linear: Linear, network: NetworkEngine) -> Mixed {
        Mixed { linear, network, weight: self.settings.network_weight, sure: self.settings.sure }
    }

    fn train_network<S: System + ?Sized>(&self, system: &S, examples: &[&Example]) -> Result<NetworkEngine> {
        let passes = self.settings.network_passes;
        self.observer.stage("training the network", passes);
        self.network(system, examples, passes, "network", |pass| {
            self.observer.step();
            let score = (!self.development.is_empty()).then(|| {
                let scores = self.development.score(pass.engine, system, &Calibration::default());
                let (done, of) = (pass.done, pass.of);
                self.observer.note(&format!(
                    "network, pass {done} of {of}: dev LAS {:.2}, UAS {:.2}",
                    scores.las, scores.uas
                ));
                scores.las
            });
            Verdict { score, stop: self.observer.stop() }
        })
    }

    /// A network that has not seen the first fold, and that fold: what happens to sentences that
    /// were not learned from. Some of the passes are enough to see how sure it may be.
    #[allow(clippy::type_complexity, reason = "a pair")]
    fn rehearse<'e, S: System + ?Sized>(
        &self,
        system: &S,
        examples: &[&'e Example],
    ) -> Result<Option<(NetworkEngine, Vec<&'e Example>)>> {
        let Some(folds) = self.n_folds(examples) else { return Ok(None) };
        let (others, held_out) = split(examples, 0, folds);
        let passes = self.settings.network_passes.min(4);
        let network = self.network(system, &others, passes, "rehearsal", |_| Verdict {
            score: None,
            stop: self.observer.stop(),
        })?;
        Ok(Some((network, held_out)))
    }

    fn network<S: System + ?Sized>(
        &self,
        system: &S,
        examples: &[&Example],
        passes: usize,
        name: &str,
        judge: impl FnMut(&NetworkPass<'_>) -> Verdict,
    ) -> Result<NetworkEngine> {
        let mut settings = NetworkSettings::new(self.constant);
        settings.transition_hidden = self.settings.transition_hidden;
        settings.label_hidden = self.settings.label_hidden;
        settings.learner.passes = passes;
        settings.learner.seed = self.settings.seed;
        let keeping = (&self.checkpoint, name);
        network_engine::train::train(system, &settings, examples, self.n_labels, keeping, judge)
    }

    /// Into how many parts the examples are cut; none if there are too few, or none are wanted.
    pub(crate) fn n_folds(&self, examples: &[&Example]) -> Option<usize> {
        let folds = self.settings.folds;
        (folds > 1 && examples.len() >= 4 * folds && !self.observer.stop()).then_some(folds)
    }

    fn train_linear<S: System + ?Sized>(&self, system: &S, all: &[&Example]) -> Result<TrainedLinear> {
        if let Some(trained) = self.checkpoint.load("linear").and_then(|kept| self.read_linear(&kept)) {
            return Ok(trained);
        }
        let programs = self.programs();
        let mut collected = self.follow(system, &programs, all);
        let mut held_out = HeldOut::default();
        let mut rehearsal = None;
        if let Some(folds) = self.n_folds(all) {
            self.observer.stage("exploring", folds * (2 * self.settings.passes + 1));
            let parts = rayon_map(folds, |fold| -> Result<Option<Fold>> {
                if self.observer.stop() {
                    return Ok(None);
                }
                let result = self.fold(system, &programs, all, fold, folds).map(Some);
                self.observer.step();
                result
            });
            for part in parts {
                if let Some(fold) = part? {
                    if let Some(explored) = &fold.explored {
                        collected.append(explored);
                    }
                    held_out.add(fold.held_out);
                    rehearsal.get_or_insert(fold.model);
                }
            }
        }
        self.observer.stage("learning", 2 * self.settings.passes);
        let weights = self.learn(&programs, &collected);
        let linear = self.prune(&weights, held_out.choose_keep(self.settings))?;
        if !self.development.is_empty() {
            let scores = self.development.score(&linear, system, &Calibration::default());
            self.observer.note(&format!("linear model: dev LAS {:.2}, UAS {:.2}", scores.las, scores.uas));
        }
        let trained = TrainedLinear { linear, judged: held_out.judged, rehearsal };
        // One that was cut short is not what the same training would come to.
        if self.checkpoint.is_used() && !self.observer.stop() {
            self.keep_linear(&trained)?;
        }
        Ok(trained)
    }

    fn keep_linear(&self, trained: &TrainedLinear) -> Result<()> {
        let judged: Vec<[f32; 3]> = trained
            .judged
            .iter()
            .map(|arc| [arc.margins.0, arc.margins.1, f32::from(u8::from(arc.right))])
            .collect();
        let mut arrays = vec![("judged", bytemuck::cast_slice(judged.as_flattened()))];
        let scales = |model: &Linear| [model.transitions().scale(), model.labels().scale()];
        let model_scales = scales(&trained.linear);
        let rehearsal_scales = trained.rehearsal.as_ref().map(scales);
        let models = [(Some(&trained.linear), MODEL, &model_scales[..])];
        let rehearsal = (trained.rehearsal.as_ref(), REHEARSAL, rehearsal_scales.as_slice().as_flattened());
        for (model, names, scales) in models.into_iter().chain([rehearsal]) {
            if let Some(model) = model {
                let (buckets, rows) = model.labels().bytes();
                let parts = [model.transitions().bytes(), buckets, rows, bytemuck::cast_slice(scales)];
                arrays.extend(names.into_iter().zip(parts));
            }
        }
        self.checkpoint.save("linear", &arrays)
    }

    fn read_linear(&self, kept: &Kept) -> Option<TrainedLinear> {
        let model = |[transitions, buckets, rows, scales]: [&str; 4]| {
            let lines = |name: &str| Lines::copied(kept.bytes(name)?);
            let [transition_scale, label_scale] = kept.numbers(scales)?.try_into().ok()?;
            let n_kinds = self.kinds.len().max(2);
            let transitions = TransitionTable::from_lines(lines(transitions)?, n_kinds, transition_scale)?;
            let (buckets, rows) = (lines(buckets)?, lines(rows)?);
            let labels = LabelTable::from_lines(buckets, rows, self.n_labels.max(2), label_scale)?;
            Some(self.model(Arc::new(transitions), Arc::new(labels)))
        };
        let judged: Vec<f32> = kept.numbers("judged")?;
        let judged = judged
            .as_chunks()
            .0
            .iter()
            .map(|&[kind, label, right]| Judged { margins: (kind, label), right: right > 0.0 });
        Some(TrainedLinear { linear: model(MODEL)?, judged: judged.collect(), rehearsal: model(REHEARSAL) })
    }

    /// The templates, compiled.
    pub(crate) fn programs(&self) -> Programs {
        Programs {
            transition: Program::compile(&self.features.transition),
            label: Program::compile(&self.features.label),
        }
    }

    /// A model with this part of its features.
    pub(crate) fn prune(&self, weights: &LinearWeights, keep: Keep) -> Result<Linear> {
        let (transitions, labels) = weights.n_features();
        self.observer.note(&format!(
            "{} states; keeping {:.0} % of {transitions} features for transitions, {:.0} % of {labels} for labels",
            weights.n_states,
            keep.transitions * 100.0,
            keep.labels * 100.0
        ));
        self.model_of(weights, keep)
    }

    /// The same, and nobody is told.
    pub(crate) fn model_of(&self, weights: &LinearWeights, keep: Keep) -> Result<Linear> {
        let tables = (weights.transition_table(keep.transitions), weights.label_table(keep.labels));
        Ok(self.model(no_memory(tables.0)?, no_memory(tables.1)?))
    }

    fn follow<S: System + ?Sized>(
        &self,
        system: &S,
        programs: &Programs,
        examples: &[&Example],
    ) -> Collected {
        Collected::gather(programs, follow(system, examples, || StateRecorder::new(programs, &self.kinds)))
    }

    /// Trains on all folds but one and looks at what the model does with that one.
    fn fold<S: System + ?Sized>(
        &self,
        system: &S,
        programs: &Programs,
        all: &[&Example],
        fold: usize,
        folds: usize,
    ) -> Result<Fold> {
        let (others, mine) = split(all, fold, folds);
        let states = self.follow(system, programs, &others);
        let weights = self.learn(programs, &states);
        drop(states);
        let (model, held_out) = self.hold_out(system, &weights, &mine)?;
        let explored = system.has_dynamic_oracle().then(|| {
            let parts = explore(system, &model, &mine, || StateRecorder::new(programs, &self.kinds));
            Collected::gather(programs, parts)
        });
        Ok(Fold { explored, held_out, model })
    }

    /// The model of some weights, and what it does, whole and pruned, with examples it has not seen.
    pub(crate) fn hold_out<S: System + ?Sized>(
        &self,
        system: &S,
        weights: &LinearWeights,
        mine: &[&Example],
    ) -> Result<(Linear, HeldOut)> {
        let (transitions, labels) =
            (no_memory(weights.transition_table(1.0))?, no_memory(weights.label_table(1.0))?);
        let model = self.model(Arc::clone(&transitions), Arc::clone(&labels));
        let mut held_out = HeldOut::new(judge(&model, system, mine));
        for keep in KEEP_TRANSITIONS {
            let pruned = self.model(no_memory(weights.transition_table(keep))?, Arc::clone(&labels));
            held_out.with_fewer_transition_features(&judge(&pruned, system, mine));
        }
        for keep in KEEP_LABELS {
            let pruned = self.model(Arc::clone(&transitions), no_memory(weights.label_table(keep))?);
            held_out.with_fewer_label_features(&judge(&pruned, system, mine));
        }
        Ok((model, held_out))
    }

    fn learn(&self, programs: &Programs, collected: &Collected) -> LinearWeights {
        let go_on = || {
            self.observer.step();
            !self.observer.stop()
        };
        LinearWeights::learn(programs, collected, &self.kinds, self.n_labels, self.settings, &go_on)
    }

    fn model(&self, transitions: Arc<TransitionTable>, labels: Arc<LabelTable>) -> Linear {
        Linear::new(self.features.clone(), self.kinds.clone(), transitions, labels)
    }
}

pub(crate) fn no_memory<T>(result: std::io::Result<T>) -> Result<T> {
    result.map_err(|source| Error::Io { file: "memory for tables".to_owned(), source })
}

/// What one fold contributes.
struct Fold {
    explored: Option<Collected>,
    held_out: HeldOut,
    /// The model that has not seen the fold.
    model: Linear,
}

/// A linear model and what was learned on the way to it.
struct TrainedLinear {
    linear: Linear,
    /// What models made of folds that they had not seen.
    judged: Vec<Judged>,
    /// The model that has not seen the first fold.
    rehearsal: Option<Linear>,
}

/// The arrays of a linear model that is kept.
const MODEL: [&str; 4] = ["transitions", "buckets", "rows", "scales"];
const REHEARSAL: [&str; 4] =
    ["rehearsal transitions", "rehearsal buckets", "rehearsal rows", "rehearsal scales"];

/// All examples but those of a fold, and those of the fold.
pub(crate) fn split<'e>(
    all: &[&'e Example],
    fold: usize,
    folds: usize,
) -> (Vec<&'e Example>, Vec<&'e Example>) {
    let part = |mine: bool| {
        let numbered = all.iter().enumerate().filter(|(i, _)| (i % folds == fold) == mine);
        numbered.map(|(_, example)| *example).collect()
    };
    (part(false), part(true))
}

/// The sentences that have trees; what has none is left out, and it is said how many.
fn read_examples(
    sentences: Vec<Sentence>,
    labels: &mut Symbols<Label>,
    observer: &dyn Observer,
) -> Result<Vec<Example>> {
    let n_sentences = sentences.len();
    let examples: Vec<Example> = sentences
        .into_iter()
        .filter_map(|sentence| {
            let tree: Tree = sentence.tree(labels);
            (tree.n_tokens() > 0 && tree.is_well_formed()).then_some(Example { sentence, tree })
        })
        .collect();
    if examples.is_empty() {
        return Err(Error::Treebank(format!(
            "none of the {n_sentences} sentences has a tree to learn from; `quaich validate` tells what is wrong"
        )));
    }
    if examples.len() < n_sentences {
        observer.note(&format!(
            "{} of {n_sentences} sentences have no well-formed tree and are left out; `quaich validate` tells why",
            n_sentences - examples.len()
        ));
    }
    Ok(examples)
}

/// Leaves out sentences, evenly, until there are no more tokens than these; at least one stays.
fn bound(examples: &mut Vec<Example>, max_tokens: usize, observer: &dyn Observer) {
    let n_tokens: usize = examples.iter().map(|example| example.tree.n_tokens()).sum();
    if n_tokens <= max_tokens {
        return;
    }
    // A sentence stays if its tokens are needed to keep up with the part that is wanted.
    let (mut seen, mut kept) = (0, 0);
    examples.retain(|example| {
        seen += example.tree.n_tokens();
        let stays = kept == 0 || (kept + example.tree.n_tokens()) * n_tokens <= seen * max_tokens;
        kept += if stays { example.tree.n_tokens() } else { 0 };
        stays
    });
    observer.note(&format!(
        "learning from {kept} of {n_tokens} tokens, evenly spaced, to stay within memory; `max-tokens` sets how many, \
         and `--learner perceptron` learns from all"
    ));
}

/// Gives labels that a transformation made, but too rarely to be learned, their plain form, and
/// numbers those that are left anew.
fn drop_rare_labels(
    examples: &mut [Example],
    labels: &Symbols<Label>,
    inverse: &dyn Inverse,
    min_count: u32,
) -> Symbols<Label> {
    let mut counts = vec![0; labels.len()];
    for arc in examples.iter().flat_map(|example| example.tree.arcs()).filter(|arc| !arc.label.is_none()) {
        counts[arc.label.index()] += 1;
    }
    let mut kept = Symbols::new();
    for example in examples {
        for token in example.tree.tokens() {
            let (head, mut label) = (example.tree.head(token), example.tree.label(token));
            if !label.is_none() && counts[label.index()] < min_count {
                label = inverse.plain(label);
            }
            if !label.is_none() {
                label = kept.intern(labels.text(label));
            }
            example.tree.set(token, head, label);
        }
    }
    kept
}

/// The attributes that say nothing here because their column is empty.
fn constant_attributes(examples: &[Example]) -> Vec<TokenAttribute> {
    let is_constant = |attribute: &TokenAttribute| {
        examples.iter().all(|example| {
            let sentence = &example.sentence;
            sentence.tokens().all(|token| sentence.value(token, attribute.role()) == "_")
        })
    };
    TokenAttribute::ALL.into_iter().filter(is_constant).collect()
}

/// A number that changes when the training text does.
fn fingerprint(sentences: &[Sentence]) -> u64 {
    sentences.iter().fold(0, |state: u64, sentence| {
        let text = quaich_features::hash::bytes(state, sentence.text().as_bytes());
        state.rotate_left(5) ^ text
    })
}

/// The results for 0 to n − 1, in order, computed by as many threads as there are.
fn rayon_map<T: Send>(n: usize, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    use rayon::prelude::*;
    (0..n).into_par_iter().map(work).collect()
}
