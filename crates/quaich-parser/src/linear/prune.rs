//! How many features a linear model needs: as few as cost next to nothing on sentences that it has
//! not learned from.

use crate::decisions::Subject;
use crate::learner::TrainingInput;

use super::weights::LinearWeights;

/// How much of the features for transitions to try to keep, besides all.
const KEEP_TRANSITIONS: [f32; 5] = [0.5, 0.3, 0.2, 0.12, 0.07];
/// How much of the features for labels to try to keep, besides all. They bear more pruning.
const KEEP_LABELS: [f32; 5] = [0.5, 0.25, 0.12, 0.06, 0.03];

/// How much pruning may cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pruning {
    /// The largest part of the features that is kept.
    max_features: f32,
    /// Points of LAS.
    tolerance: f64,
}

impl Pruning {
    /// As a group of settings says.
    pub(super) fn of(input: &TrainingInput<'_>, group: &str) -> Self {
        let values = input.settings.group(group);
        Self { max_features: values.float("max-features"), tolerance: values.number("prune-tolerance") }
    }
}

/// What is tried for a question.
pub(super) fn ladder(subject: Subject) -> [f32; 5] {
    if subject == Subject::Label { KEEP_LABELS } else { KEEP_TRANSITIONS }
}

/// How pruned models do on held-out sentences, of one fold or of several together.
#[derive(Debug, Default)]
pub(super) struct Trials {
    /// Held-out tokens, and how many of them the whole model gets right.
    n_tokens: usize,
    n_right: usize,
    /// By question and step of the ladder: how many are right with so much of its features.
    pruned: Vec<[usize; 5]>,
}

impl Trials {
    pub(super) fn new(n_tokens: usize, n_right: usize) -> Self {
        Self { n_tokens, n_right, pruned: Vec::new() }
    }

    /// Notes what came of pruning the next question.
    pub(super) fn push(&mut self, n_right: [usize; 5]) {
        self.pruned.push(n_right);
    }

    /// Adds those of another fold.
    pub(super) fn add(&mut self, other: &Self) {
        self.n_tokens += other.n_tokens;
        self.n_right += other.n_right;
        self.pruned.resize(other.pruned.len(), [0; 5]);
        for (sum, count) in self.pruned.as_flattened_mut().iter_mut().zip(other.pruned.as_flattened()) {
            *sum += count;
        }
    }

    /// By question: the least part of the features that costs no more than the settings allow, each
    /// question an equal share of it.
    pub(super) fn keep(&self, weights: &LinearWeights, pruning: Pruning) -> Vec<f32> {
        #[allow(clippy::cast_precision_loss, reason = "a few questions")]
        let share = pruning.tolerance / weights.questions.len().max(1) as f64;
        #[allow(clippy::cast_precision_loss, reason = "counts of tokens")]
        let loss = |right: usize| 100.0 * (self.n_right as f64 - right as f64) / self.n_tokens.max(1) as f64;
        let keep = |(at, subject): (usize, Subject)| {
            let tried = self.pruned.get(at).map_or(&[][..], |counts| &counts[..]);
            let fits = ladder(subject).into_iter().zip(tried).filter(|&(_, &right)| loss(right) <= share);
            fits.map(|(keep, _)| keep).fold(pruning.max_features, f32::min)
        };
        weights.questions.iter().map(|weighted| weighted.question.subject).enumerate().map(keep).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_little_is_kept_as_costs_nothing() {
        let mut trials = Trials::new(1000, 800);
        trials.push([800, 801, 799, 780, 700]);
        let mut both = Trials::default();
        both.add(&trials);
        both.add(&trials);
        assert_eq!((both.n_tokens, both.n_right, both.pruned[0][2]), (2000, 1600, 1598));
    }
}
