//! What models do with sentences they have not learned from: how much can be pruned, how sure to be.

use quaich_features::Tokens;
use quaich_transition::configuration::Configuration;
use quaich_transition::systems::System;

use crate::calibration::Judged;
use crate::collect::Example;
use crate::model::Model;
use crate::parser::parse_with;
use crate::settings::Settings;

/// How much of the features for transitions to try to keep, besides all.
pub(crate) const KEEP_TRANSITIONS: [f32; 5] = [0.5, 0.3, 0.2, 0.12, 0.07];
/// How much of the features for labels to try to keep, besides all. They bear more pruning.
pub(crate) const KEEP_LABELS: [f32; 5] = [0.5, 0.25, 0.12, 0.06, 0.03];
/// Held-out tokens a fold is judged by; more would only take longer.
const JUDGED: usize = 20_000;

/// The judgement of one fold, or of several together.
#[derive(Debug, Default)]
pub(crate) struct HeldOut {
    /// The arcs of the model with all its features.
    pub(crate) judged: Vec<Judged>,
    /// Tokens with the right head and label, for each part of `KEEP_TRANSITIONS`.
    fewer_transitions: Vec<usize>,
    /// Tokens with the right head and label, for each part of `KEEP_LABELS`.
    fewer_labels: Vec<usize>,
}

/// How much of the features pruning leaves, from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Keep {
    pub(crate) transitions: f32,
    pub(crate) labels: f32,
}

impl Keep {
    pub(crate) const ALL: Self = Self { transitions: 1.0, labels: 1.0 };
}

impl HeldOut {
    pub(crate) fn new(judged: Vec<Judged>) -> Self {
        Self { judged, ..Self::default() }
    }

    pub(crate) fn with_fewer_transition_features(&mut self, judged: &[Judged]) {
        self.fewer_transitions.push(n_right(judged));
    }

    pub(crate) fn with_fewer_label_features(&mut self, judged: &[Judged]) {
        self.fewer_labels.push(n_right(judged));
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.judged.extend(other.judged);
        for (sums, counts) in [
            (&mut self.fewer_transitions, other.fewer_transitions),
            (&mut self.fewer_labels, other.fewer_labels),
        ] {
            sums.resize(counts.len(), 0);
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
    }

    /// The least part of the features that costs no more than the settings allow, half of it for
    /// transitions and half for labels.
    pub(crate) fn choose_keep(&self, settings: &Settings) -> Keep {
        let all = n_right(&self.judged);
        #[allow(clippy::cast_precision_loss, reason = "counts of tokens")]
        let loss = |right: usize| 100.0 * (all as f64 - right as f64) / self.judged.len().max(1) as f64;
        let least = |keeps: &[f32], counts: &[usize]| {
            let fits =
                keeps.iter().zip(counts).filter(|&(_, &right)| loss(right) <= settings.prune_loss / 2.0);
            fits.map(|(&keep, _)| keep).fold(settings.keep, f32::min)
        };
        Keep {
            transitions: least(&KEEP_TRANSITIONS, &self.fewer_transitions),
            labels: least(&KEEP_LABELS, &self.fewer_labels),
        }
    }
}

fn n_right(judged: &[Judged]) -> usize {
    judged.iter().filter(|arc| arc.right).count()
}

/// Parses examples until enough tokens have been judged.
pub(crate) fn judge<M: Model, S: System + ?Sized>(
    model: &M,
    system: &S,
    examples: &[&Example],
) -> Vec<Judged> {
    let mut judged = Vec::new();
    let mut tokens = Tokens::default();
    let mut scratch = M::Scratch::default();
    let mut c = Configuration::new();
    let mut margins = Vec::new();
    for example in examples {
        if judged.len() > JUDGED {
            break;
        }
        parse_with(model, system, &example.sentence, &mut tokens, &mut scratch, &mut c, &mut margins);
        judged.extend(example.tree.tokens().map(|token| Judged {
            margins: margins[token.index()],
            right: c.head(token) == example.tree.head(token) && c.label(token) == example.tree.label(token),
        }));
    }
    judged
}
