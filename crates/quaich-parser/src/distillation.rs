//! Distillation: a student learns from what a better, slower teacher makes of text that has no trees (Hinton et al. 2015, Kuncoro et al.
//! 2016).
//!
//! ```text
//!   text ─▶ teacher ─▶ Taught: sentences with trees, of which it is certain enough ─┐
//!                        └─ HeadDistribution: how votes fall on heads      ├─▶ Trainer ─▶ student
//!                                        gold sentences, counted several times ──┘
//! ```

use quaich_treebank::Sentence;
use rayon::prelude::*;

use crate::columns::Columns;
use crate::error::Result;
use crate::head_distribution::HeadDistribution;
use crate::model::Model;
use crate::parsed::with_tree;
use crate::worker::Worker;

/// A sentence that a teacher has parsed.
#[derive(Clone, Debug)]
pub struct Taught {
    /// With the teacher's heads and labels.
    pub sentence: Sentence,
    /// How votes fell, where the teacher is an ensemble.
    pub head_distribution: Option<HeadDistribution>,
    /// The mean probability of its arcs.
    pub confidence: f32,
}

/// How the training data of a student are made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Distillation {
    /// How often a gold sentence counts.
    pub gold_weight: usize,
    /// Of the teacher's sentences those with at least this mean probability are learned from.
    pub min_confidence: f32,
}

/// The training data of a student: first the teacher's sentences, then gold ones.
#[derive(Clone, Debug, Default)]
pub struct StudentData {
    /// The sentences.
    pub sentences: Vec<Sentence>,
    /// What the teacher thinks of the heads of its sentences, if it can tell.
    pub head_distributions: Vec<HeadDistribution>,
    /// The number of the teacher's sentences among them.
    pub n_taught: usize,
}

impl Distillation {
    /// Chooses among the teacher's sentences, and puts gold ones behind them.
    pub fn student_data(&self, taught: Vec<Taught>, gold: &[Sentence]) -> StudentData {
        let mut data = StudentData::default();
        for taught in taught.into_iter().filter(|taught| taught.confidence >= self.min_confidence) {
            data.sentences.push(taught.sentence);
            data.head_distributions.extend(taught.head_distribution);
        }
        data.n_taught = data.sentences.len();
        for _ in 0..self.gold_weight {
            data.sentences.extend_from_slice(gold);
        }
        data
    }
}

impl Model {
    /// What this model makes of sentences, for a student to learn from; heads that they have count for nothing. An error if their format
    /// cannot hold one of the model's labels.
    pub fn teach(&self, sentences: &[Sentence]) -> Result<Vec<Taught>> {
        let start = || (self.worker(), Vec::new());
        let teach = |(worker, probabilities): &mut (Worker, Vec<f32>), sentence: &Sentence| {
            let parsed = with_tree(sentence, worker.parse_with_scores(sentence, probabilities), self)?;
            #[allow(clippy::cast_precision_loss, reason = "the length of a sentence")]
            let confidence = probabilities[1..].iter().sum::<f32>() / sentence.n_tokens().max(1) as f32;
            Ok(Taught {
                head_distribution: worker.head_distribution(sentence.n_tokens()),
                sentence: parsed,
                confidence,
            })
        };
        sentences.par_iter().map_init(start, teach).collect()
    }

    /// The columns that the model learned from and in which these sentences have no values, by name.
    pub fn missing_columns(&self, sentences: &[Sentence]) -> Vec<String> {
        let Some(first) = sentences.first() else { return Vec::new() };
        let columns = Columns::new(&self.columns(), first.layout());
        for sentence in sentences {
            columns.look(sentence);
        }
        columns.missing()
    }
}
