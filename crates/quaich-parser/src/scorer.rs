//! Scorers: trained models that score the classes of the questions of a [`Decision`](crate::decisions::Decision).
//!
//! A model knows questions and classes only by number. Scorers are generic code; a [`Decoder`](crate::decoder::Decoder) wraps one in a
//! trait object.

use std::fmt::Debug;

use quaich_features::{ColumnName, Focus, Order, Tokens};
use quaich_transition::configuration::Configuration;
use quaich_transition::transition::{Classes, Kind, KindSet};
use quaich_treebank::Sentence;

use crate::encoder::SentenceEncoding;

/// A sentence before the first transition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    /// The sentence.
    pub sentence: &'a Sentence,
    /// Its tokens, with the values that the model reads.
    pub tokens: &'a Tokens,
    /// The direction in which it is read.
    pub order: Order,
    /// Its encoding; `None` if the model has no encoder.
    pub encoding: Option<&'a SentenceEncoding>,
}

/// The input of a question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State<'a> {
    /// Stacks, buffer and arcs.
    pub c: &'a Configuration,
    /// The tokens.
    pub tokens: &'a Tokens,
    /// The encoding; `None` if the model has no encoder.
    pub encoding: Option<&'a SentenceEncoding>,
    /// The arc that the question is about, if any.
    pub focus: Focus,
}

impl<'a> Input<'a> {
    /// The input in a configuration.
    #[inline]
    pub(crate) fn state(&self, c: &'a Configuration, focus: Focus) -> State<'a> {
        State { c, tokens: self.tokens, encoding: self.encoding, focus }
    }
}

/// The classes to choose from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Allowed<'a> {
    /// Every class.
    All,
    /// Classes are kinds of transitions, in the order of the list; those in the set are allowed.
    Kinds(KindSet, &'a [Kind]),
    /// Classes are labelled transitions; those whose kind is in the set are allowed.
    Transitions(KindSet, &'a Classes),
}

impl<'a> Allowed<'a> {
    /// The allowed classes of `n_classes`.
    pub(crate) fn classes(self, n_classes: usize) -> impl Iterator<Item = u32> + use<'a> {
        (0u32..).take(n_classes).filter(move |&class| match self {
            Self::All => true,
            Self::Kinds(permissible, kinds) => {
                kinds.get(class as usize).is_some_and(|kind| permissible.contains(*kind))
            }
            Self::Transitions(permissible, classes) => {
                classes.transition(class).is_some_and(|transition| permissible.contains(transition.kind))
            }
        })
    }

    /// The first allowed class.
    fn first(self) -> u32 {
        match self {
            Self::All => 0,
            Self::Kinds(permissible, kinds) => {
                let first = (0u32..).zip(kinds).find(|(_, kind)| permissible.contains(**kind));
                first.map_or(0, |(class, _)| class)
            }
            Self::Transitions(permissible, classes) => {
                permissible.first().map_or(0, |kind| classes.range(kind).start)
            }
        }
    }
}

/// A chosen class with its margin.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Choice {
    /// The class that was chosen.
    pub class: u32,
    /// The difference between its score and the second best; infinite if there was no other class.
    pub margin: f32,
}

impl Choice {
    /// The only possible class.
    pub(crate) const fn sole(class: u32) -> Self {
        Self { class, margin: f32::INFINITY }
    }
}

/// A trained model that scores classes. It is immutable and shared; mutable state is in its scratch space.
pub(crate) trait Scorer: Debug + Send + Sync + 'static {
    /// The buffers of one thread.
    type Scratch: Default + Send + 'static;

    /// The columns that it reads itself, in addition to those of its token values.
    fn columns(&self) -> Vec<&ColumnName> {
        Vec::new()
    }

    /// Called for each sentence before it is parsed.
    fn start(&self, _input: Input<'_>, _scratch: &mut Self::Scratch) {}

    /// The scores of all classes of a question; those of disallowed classes have no meaning.
    fn scores<'s>(
        &self,
        question: usize,
        state: State<'_>,
        allowed: Allowed<'_>,
        scratch: &'s mut Self::Scratch,
    ) -> &'s [f32];

    /// The allowed class with the highest score; the first one if several are equal.
    #[inline]
    fn choose(
        &self,
        question: usize,
        state: State<'_>,
        allowed: Allowed<'_>,
        scratch: &mut Self::Scratch,
    ) -> Choice {
        best(self.scores(question, state, allowed, scratch), allowed)
    }
}

/// A network that can be mixed with a linear model.
pub(crate) trait Partner: Scorer {
    /// The scores of the last choice, which must have been about this question.
    fn last_scores<'s>(&self, question: usize, scratch: &'s mut Self::Scratch) -> &'s [f32];
}

/// The allowed class with the highest score, and its margin. Chooses the first class if several are equal, or if scores are NaN, which a
/// malicious model file can cause.
#[inline]
pub(crate) fn best(scores: &[f32], allowed: Allowed<'_>) -> Choice {
    let mut leader = Leader::default();
    match allowed {
        Allowed::All => leader.see_all(0, scores),
        Allowed::Kinds(permissible, kinds) => {
            let first = kinds.iter().position(|kind| permissible.contains(*kind)).unwrap_or(0);
            leader.class = u32::try_from(first).unwrap_or(0);
            for (class, (&kind, &score)) in (0u32..).zip(kinds.iter().zip(scores)) {
                if permissible.contains(kind) {
                    leader.see(class, score);
                }
            }
        }
        Allowed::Transitions(permissible, classes) => {
            leader.class = permissible.first().map_or(0, |kind| classes.range(kind).start);
            for kind in permissible.iter() {
                let range = classes.range(kind);
                leader.see_all(range.start, &scores[range.start as usize..range.end as usize]);
            }
        }
    }
    if leader.highest == f32::NEG_INFINITY {
        // All scores are NaN or negative infinity, which only happens with an untrained model: any allowed class will do.
        return Choice { class: allowed.first(), margin: 0.0 };
    }
    // The difference of infinite scores is NaN.
    let margin = leader.highest - leader.second;
    Choice { class: leader.class, margin: if margin.is_nan() { 0.0 } else { margin } }
}

/// The two best scores so far.
struct Leader {
    class: u32,
    highest: f32,
    second: f32,
}

impl Default for Leader {
    fn default() -> Self {
        Self { class: 0, highest: f32::NEG_INFINITY, second: f32::NEG_INFINITY }
    }
}

impl Leader {
    #[inline]
    fn see(&mut self, class: u32, score: f32) {
        if score > self.highest {
            self.second = self.highest;
            self.highest = score;
            self.class = class;
        } else if score > self.second {
            self.second = score;
        }
    }

    /// Most labels score low, often several in a row, so whole chunks are skipped.
    #[inline]
    fn see_all(&mut self, first: u32, scores: &[f32]) {
        const CHUNK: usize = 8;
        for (first, row) in (first..).step_by(CHUNK).zip(scores.chunks(CHUNK)) {
            let n_better: u32 = row.iter().map(|&score| u32::from(score > self.second)).sum();
            if n_better > 0 {
                (first..).zip(row).for_each(|(class, &score)| self.see(class, score));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_the_first_of_the_allowed_ones() {
        let scores = [1.0, 3.0, 3.0, 5.0];
        assert_eq!(best(&scores[..3], Allowed::All), Choice { class: 1, margin: 0.0 });
        let kinds = [Kind::Shift, Kind::Reduce, Kind::LeftArc, Kind::RightArc];
        let allowed = KindSet::of(&[Kind::Shift, Kind::LeftArc]);
        assert_eq!(best(&scores, Allowed::Kinds(allowed, &kinds)), Choice { class: 2, margin: 2.0 });
        let classes = Classes::new(KindSet::of(&kinds), 1);
        let only = KindSet::of(&[Kind::Reduce]);
        assert_eq!(best(&scores, Allowed::Transitions(only, &classes)), Choice::sole(1));
        let no_numbers = [f32::NAN; 4];
        assert_eq!(best(&no_numbers, Allowed::Transitions(only, &classes)).class, 1);
        let later = KindSet::of(&[Kind::LeftArc, Kind::RightArc]);
        assert_eq!(best(&no_numbers, Allowed::Kinds(later, &kinds)).class, 2);
        // NaN never beats a number, and never selects a disallowed class.
        assert_eq!(best(&[f32::NAN, 1.0], Allowed::All).class, 1);
        let allowed = KindSet::of(&[Kind::LeftArc]);
        assert_eq!(best(&[f32::NAN; 4], Allowed::Kinds(allowed, &kinds)), Choice { class: 2, margin: 0.0 });
    }

    /// Skipping chunks does not change the result.
    #[test]
    fn many_classes_are_seen_as_one_by_one() {
        let score =
            |seed: u32, class: u32| f32::from(u8::try_from((seed * 131 + class * 7919) % 97).unwrap());
        for (seed, n_classes) in (0..200).flat_map(|seed| [1, 7, 8, 9, 33, 64].map(|n| (seed, n))) {
            let mut scores: Vec<f32> = (0..n_classes).map(|class| score(seed, class)).collect();
            if seed % 5 == 0 {
                scores[seed as usize % n_classes as usize] = f32::NAN;
            }
            let mut leader = Leader::default();
            (0..).zip(&scores).for_each(|(class, &score)| leader.see(class, score));
            assert_eq!(best(&scores, Allowed::All).class, leader.class, "{scores:?}");
            if n_classes > 2 {
                let margin = best(&scores, Allowed::All).margin;
                assert_eq!(margin.to_bits(), (leader.highest - leader.second).to_bits(), "{scores:?}");
            }
        }
    }
}
