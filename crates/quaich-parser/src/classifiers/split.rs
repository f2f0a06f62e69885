//! Data split by the value of a feature, with a classifier for each part (Nivre et al. 2004 and later; `MaltParser`'s
//! split learning). Parts that are too small are pooled.

use std::collections::BTreeMap;

use quaich_features::{FrozenAlphabet, SymbolicProgram, SymbolicScratch, SymbolicTokens};
use quaich_treebank::Label;
use serde::{Deserialize, Serialize};

use crate::model::{Reading, State};

/// Which part of the data a state belongs to.
#[derive(Debug)]
pub(crate) struct Split {
    pub(super) program: SymbolicProgram,
    pub(super) alphabet: FrozenAlphabet,
    pub(super) parts: Parts,
}

/// The parts by value.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Parts {
    /// The number of the part of a value; values that are not here belong to `rest`.
    by_value: BTreeMap<u32, usize>,
    /// The part of all other values: what is pooled, or the largest part where nothing is.
    rest: usize,
    count: usize,
}

impl Parts {
    /// One part.
    pub(crate) fn whole() -> Self {
        Self { by_value: BTreeMap::new(), rest: 0, count: 1 }
    }

    /// The parts of instances with these values, those of fewer than `at_least` pooled.
    pub(super) fn of(values: impl Iterator<Item = Option<u32>>, at_least: usize) -> Self {
        let mut counts = BTreeMap::<Option<u32>, usize>::new();
        for value in values {
            *counts.entry(value).or_default() += 1;
        }
        let mut parts = Self::default();
        let mut largest = (0, 0);
        for (value, &count) in &counts {
            if let (Some(value), true) = (value, count >= at_least) {
                parts.by_value.insert(*value, parts.count);
                if count > largest.0 {
                    largest = (count, parts.count);
                }
                parts.count += 1;
            }
        }
        let is_all =
            counts.keys().all(|value| value.is_some_and(|value| parts.by_value.contains_key(&value)));
        parts.rest = if is_all && parts.count > 0 { largest.1 } else { parts.count };
        parts.count = parts.count.max(parts.rest + 1);
        parts
    }

    /// How many parts there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Whether every value has a part that there is.
    pub(super) fn is_sound(&self) -> bool {
        self.rest < self.count && self.by_value.values().all(|&part| part < self.count)
    }

    /// The part of a value.
    pub(super) fn part(&self, value: Option<u32>) -> usize {
        value.and_then(|value| self.by_value.get(&value)).copied().unwrap_or(self.rest)
    }
}

/// What the part of everything that is pooled is called.
pub(crate) const MASTER: &str = "MASTER";

/// What finding the part of a state needs.
#[derive(Debug, Default)]
pub(super) struct SplitScratch {
    tokens: SymbolicTokens,
    scratch: SymbolicScratch,
}

impl Split {
    /// What each part is called: by its value, or `MASTER` where others are pooled.
    pub(crate) fn names(&self, labels: &dyn Fn(Label) -> String) -> Vec<String> {
        let mut names = vec![MASTER.to_owned(); self.parts.len()];
        for (&value, &part) in &self.parts.by_value {
            if let Some(name) = names.get_mut(part)
                && (value as usize) < self.alphabet.n_values(0)
            {
                *name = self.alphabet.texts(0, value, labels).concat();
            }
        }
        names
    }

    pub(super) fn read(&self, reading: Reading<'_>, scratch: &mut SplitScratch) {
        scratch.tokens.read(reading.sentence, &self.program, reading.order, &mut &self.alphabet);
    }

    /// The part of a state.
    pub(super) fn part(&self, state: State<'_>, scratch: &mut SplitScratch) -> usize {
        let SplitScratch { tokens, scratch } = scratch;
        self.program.run(state.c, tokens, state.focus, &mut &self.alphabet, scratch);
        self.parts.part(scratch.values.first().map(|&(_, value)| value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_parts_are_pooled() {
        let values = [Some(3), Some(3), Some(5), None, Some(3), Some(7), Some(7)];
        let parts = Parts::of(values.into_iter(), 2);
        assert_eq!((parts.len(), parts.is_sound()), (3, true));
        assert_eq!(
            [Some(3), Some(7), Some(5), None, Some(99)].map(|value| parts.part(value)),
            [0, 1, 2, 2, 2]
        );
        // With nothing to pool the largest part serves the unknown.
        let parts = Parts::of([Some(1), Some(2), Some(2)].into_iter(), 1);
        assert_eq!((parts.len(), parts.part(Some(9))), (2, 1));
        assert_eq!((Parts::whole().len(), Parts::whole().part(None)), (1, 0));
        assert_eq!(Parts::of(std::iter::empty(), 5).len(), 1);
    }
}
