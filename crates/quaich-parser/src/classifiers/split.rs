//! Data split by the value of a feature, with one classifier per part (Nivre et al. 2004 and later; `MaltParser`'s split learning). Small
//! parts are pooled.

use std::collections::BTreeMap;

use quaich_features::{FrozenAlphabet, SymbolicProgram, SymbolicScratch, SymbolicTokens};
use quaich_treebank::Label;
use serde::{Deserialize, Serialize};

use crate::scorer::{Input, State};

/// Assigns states to parts.
#[derive(Debug)]
pub(crate) struct Split {
    pub(super) program: SymbolicProgram,
    pub(super) alphabet: FrozenAlphabet,
    pub(super) parts: Parts,
}

/// The parts, by value.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Parts {
    /// The part of each listed value; all other values belong to `rest`.
    by_value: BTreeMap<u32, usize>,
    /// The pooled part, or the largest part if nothing is pooled.
    rest: usize,
    count: usize,
}

impl Parts {
    /// A single part.
    pub(crate) fn whole() -> Self {
        Self { by_value: BTreeMap::new(), rest: 0, count: 1 }
    }

    /// The parts of instances with these values; parts with fewer than `at_least` instances are pooled.
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

    /// The number of parts.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Whether every value has an existing part.
    pub(super) fn is_sound(&self) -> bool {
        self.rest < self.count && self.by_value.values().all(|&part| part < self.count)
    }

    /// The part of a value.
    pub(super) fn part(&self, value: Option<u32>) -> usize {
        value.and_then(|value| self.by_value.get(&value)).copied().unwrap_or(self.rest)
    }
}

/// The name of the pooled part.
pub(crate) const MASTER: &str = "MASTER";

/// The buffers to find the part of a state.
#[derive(Debug, Default)]
pub(super) struct SplitScratch {
    tokens: SymbolicTokens,
    scratch: SymbolicScratch,
}

impl Split {
    /// The name of each part: its value, or `MASTER` for the pooled part.
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

    pub(super) fn read(&self, input: Input<'_>, scratch: &mut SplitScratch) {
        scratch.tokens.read(input.sentence, &self.program, input.order, &mut &self.alphabet);
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
        // With nothing to pool, the largest part is used for unknown values.
        let parts = Parts::of([Some(1), Some(2), Some(2)].into_iter(), 1);
        assert_eq!((parts.len(), parts.part(Some(9))), (2, 1));
        assert_eq!((Parts::whole().len(), Parts::whole().part(None)), (1, 0));
        assert_eq!(Parts::of(std::iter::empty(), 5).len(), 1);
    }
}
