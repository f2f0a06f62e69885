//! Distillation: a student learns from the parses of a slower, more accurate teacher on text without trees (Hinton et al. 2015, Kuncoro
//! et al. 2016).
//!
//! ```text
//!   text ─▶ teacher ─▶ Taught: sentences with trees, parsed with enough confidence ─┐
//!                        └─ HeadDistribution: the vote on each head ─────────────────├─▶ Trainer ─▶ student
//!                                                            gold sentences, repeated ┘
//! ```

use quaich_treebank::Sentence;
use rayon::prelude::*;

use crate::error::Result;
use crate::head_distribution::HeadDistribution;
use crate::model::Model;
use crate::worker::Worker;

/// A sentence that a teacher has parsed.
#[derive(Clone, Debug)]
pub struct Taught {
    /// The sentence with the teacher's heads and labels.
    pub sentence: Sentence,
    /// The head distributions, if the teacher is an ensemble.
    pub head_distribution: Option<HeadDistribution>,
    /// The mean probability of its arcs.
    pub confidence: f32,
}

/// How to build the training data of a student.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Distillation {
    /// How often gold sentences are repeated.
    pub gold_weight: usize,
    /// The minimum mean probability of the teacher's sentences.
    pub min_confidence: f32,
}

/// The training data of a student: first the teacher's sentences, then gold sentences.
#[derive(Clone, Debug, Default)]
pub struct StudentData {
    /// The sentences.
    pub sentences: Vec<Sentence>,
    /// The teacher's head distributions for its sentences, if it is an ensemble.
    pub head_distributions: Vec<HeadDistribution>,
    /// The number of sentences from the teacher.
    pub n_taught: usize,
}

impl Distillation {
    /// Selects the teacher's sentences by confidence, and appends the gold sentences.
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
    /// Parses sentences as training data for a student, ignoring any heads they have. Sentences without tags get those that the model
    /// predicts. An error if their format cannot represent one of
    /// the model's labels.
    pub fn teach(&self, sentences: &[Sentence]) -> Result<Vec<Taught>> {
        let teach = |worker: &mut Worker, sentence: &Sentence| {
            let parsed = worker.parse_sentence(sentence);
            let sum: f32 = parsed.words().map(|word| word.probability()).sum();
            #[allow(clippy::cast_precision_loss, reason = "the length of a sentence")]
            let confidence = sum / sentence.n_tokens().max(1) as f32;
            let head_distribution = worker.head_distribution(sentence);
            Ok(Taught { sentence: parsed.to_sentence()?, head_distribution, confidence })
        };
        sentences.par_iter().map_init(|| self.worker(), teach).collect()
    }
}
