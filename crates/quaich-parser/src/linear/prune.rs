//! Feature pruning: keeps as few features as possible with next to no loss on held-out sentences.

use crate::decisions::Subject;
use crate::learner::TrainingInput;

use super::weights::LinearWeights;

/// The fractions of transition features to try, in addition to all.
const KEEP_TRANSITIONS: [f32; 5] = [0.5, 0.3, 0.2, 0.12, 0.07];
/// The fractions of label features to try, in addition to all. Labels tolerate more pruning.
const KEEP_LABELS: [f32; 5] = [0.5, 0.25, 0.12, 0.06, 0.03];

/// The limits of pruning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pruning {
    /// The maximum fraction of the features.
    max_features: f32,
    /// The maximum loss in points of LAS.
    tolerance: f64,
}

impl Pruning {
    /// The limits in a group of settings.
    pub(super) fn of(input: &TrainingInput<'_>, group: &str) -> Self {
        let values = input.settings.group(group);
        Self { max_features: values.float("max-features"), tolerance: values.number("prune-tolerance") }
    }
}

/// The fractions to try for a question.
pub(super) fn fractions_to_try(subject: Subject) -> [f32; 5] {
    if subject == Subject::Label { KEEP_LABELS } else { KEEP_TRANSITIONS }
}

/// The accuracy of pruned models on held-out sentences, of one fold or several.
#[derive(Debug, Default)]
pub(super) struct PruningTrials {
    /// The number of held-out tokens, and how many of them the unpruned model gets right.
    n_tokens: usize,
    n_right: usize,
    /// Indexed by question and fraction: the number of correct tokens.
    pruned: Vec<[usize; 5]>,
}

impl PruningTrials {
    pub(super) fn new(n_tokens: usize, n_right: usize) -> Self {
        Self { n_tokens, n_right, pruned: Vec::new() }
    }

    /// Adds the results of the next question.
    pub(super) fn push(&mut self, n_right: [usize; 5]) {
        self.pruned.push(n_right);
    }

    /// Adds the results of another fold.
    pub(super) fn add(&mut self, other: &Self) {
        self.n_tokens += other.n_tokens;
        self.n_right += other.n_right;
        self.pruned.resize(other.pruned.len(), [0; 5]);
        for (sum, count) in self.pruned.as_flattened_mut().iter_mut().zip(other.pruned.as_flattened()) {
            *sum += count;
        }
    }

    /// One per question: the smallest fraction of the features within the tolerance, which questions share equally.
    pub(super) fn keep(&self, weights: &LinearWeights, pruning: Pruning) -> Vec<f32> {
        #[allow(clippy::cast_precision_loss, reason = "a few questions")]
        let share = pruning.tolerance / weights.questions.len().max(1) as f64;
        #[allow(clippy::cast_precision_loss, reason = "counts of tokens")]
        let loss = |right: usize| 100.0 * (self.n_right as f64 - right as f64) / self.n_tokens.max(1) as f64;
        let keep = |(at, subject): (usize, Subject)| {
            let tried = self.pruned.get(at).map_or(&[][..], |counts| &counts[..]);
            let fits =
                fractions_to_try(subject).into_iter().zip(tried).filter(|&(_, &right)| loss(right) <= share);
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
        let mut trials = PruningTrials::new(1000, 800);
        trials.push([800, 801, 799, 780, 700]);
        let mut both = PruningTrials::default();
        both.add(&trials);
        both.add(&trials);
        assert_eq!((both.n_tokens, both.n_right, both.pruned[0][2]), (2000, 1600, 1598));
    }
}
