//! Rules for tokens that were not in training: how tokens with a suffix (or a prefix) are split.

use std::collections::BTreeMap;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::folding::Capitals;
use super::template::{Affix, Alignment, Template};

/// The most characters of an affix.
pub(super) const MAX_AFFIX: usize = 12;
/// How many characters an affix has more than are needed for the template.
const MORE_CONTEXT: usize = 4;
/// As UDPipe 1: one ordinary token with the affix counts as much as ten that are split.
const MISFIRE_COST: u64 = 10;
/// A rule that was seen fewer times says nothing about tokens that nothing else says are multiword tokens.
const MIN_SPLITS: u32 = 3;

/// A template and how good it was in training; counted are different tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct AffixRule {
    pub(super) template: Template,
    /// Multiword tokens with this affix that it splits as in the treebank.
    pub(super) right: u32,
    /// Multiword tokens with this affix that it splits, right or wrong.
    pub(super) applied: u32,
    /// Ordinary tokens with this affix.
    pub(super) misfires: u32,
}

/// Rules by affix.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct AffixRules {
    pub(super) rules: BTreeMap<(Affix, String), Vec<AffixRule>>,
    /// Whether words may begin with combining marks.
    pub(super) marks: bool,
}

impl AffixRule {
    /// Whether this splits more of the tokens that it fits than the other.
    fn is_better(&self, other: &Self) -> bool {
        // right / (applied + 1), without division.
        let share = |rule: &Self, by: &Self| u64::from(rule.right) * (u64::from(by.applied) + 1);
        share(self, other) > share(other, self)
    }

    /// Whether tokens with the affix are multiword tokens, as a rule.
    fn is_reliable(&self) -> bool {
        self.right >= MIN_SPLITS && u64::from(self.misfires) * MISFIRE_COST <= u64::from(self.right)
    }
}

impl AffixRules {
    /// Learns from multiword tokens and from ordinary ones; all are folded and different.
    pub(super) fn learn(types: &[(Vec<char>, Vec<Vec<char>>)], ordinary: &[Vec<char>]) -> Self {
        let mut rules = Self::candidates(types);
        for (token, words) in types {
            rules.for_each_fitting(token, |_, rules| {
                for rule in rules {
                    let made = rule.template.apply(token, Capitals::Other);
                    rule.applied += u32::from(made.is_some());
                    rule.right += u32::from(made.as_ref() == Some(words));
                }
            });
        }
        for token in ordinary {
            rules.for_each_fitting(token, |_, rules| rules.iter_mut().for_each(|rule| rule.misfires += 1));
        }
        rules.prune();
        rules.marks = types.iter().any(|(_, words)| words.iter().skip(1).any(|word| begins_with_mark(word)));
        rules
    }

    /// The templates of all types, for all affixes that are long enough.
    fn candidates(types: &[(Vec<char>, Vec<Vec<char>>)]) -> Self {
        let mut found = Self::default();
        for (token, words) in types {
            let alignment = Alignment::between(token, words);
            for affix in Affix::ALL {
                let (template, depth) = alignment.template(affix);
                for length in depth.max(1)..=(depth + MORE_CONTEXT).min(MAX_AFFIX) {
                    let Some(text) = affix.of(token, length) else { break };
                    let rules = found.rules.entry((affix, text.iter().collect())).or_default();
                    if rules.iter().all(|rule| rule.template != template) {
                        let template = template.clone();
                        rules.push(AffixRule { template, right: 0, applied: 0, misfires: 0 });
                    }
                }
            }
        }
        found
    }

    fn for_each_fitting(&mut self, token: &[char], mut each: impl FnMut(&str, &mut Vec<AffixRule>)) {
        for affix in Affix::ALL {
            for length in 1..=MAX_AFFIX {
                let Some(text) = affix.of(token, length) else { break };
                let mut key = (affix, text.iter().collect());
                if let Some(rules) = self.rules.get_mut(&key) {
                    each(&std::mem::take(&mut key.1), rules);
                }
            }
        }
    }

    /// Leaves out rules that split nothing right, and those that a shorter affix has as well with no worse counts: they
    /// decide nothing.
    fn prune(&mut self) {
        let shorter = |affix: Affix, text: &str| -> Vec<(Affix, String)> {
            let chars: Vec<char> = text.chars().collect();
            (1..chars.len())
                .filter_map(|length| Some((affix, affix.of(&chars, length)?.iter().collect())))
                .collect()
        };
        let all = self.rules.clone();
        for ((affix, text), rules) in &mut self.rules {
            let shorter = shorter(*affix, text);
            let covered = |rule: &AffixRule| {
                shorter.iter().filter_map(|key| all.get(key)).flatten().any(|other| {
                    other.template == rule.template
                        && !rule.is_better(other)
                        && other.is_reliable() >= rule.is_reliable()
                })
            };
            rules.retain(|rule| rule.right > 0 && !covered(rule));
        }
        self.rules.retain(|_, rules| !rules.is_empty());
    }

    /// Calls `each` with the rules that fit a folded token.
    fn fitting<'a>(&'a self, token: &[char]) -> Vec<&'a AffixRule> {
        let mut found = Vec::new();
        for length in 1..=MAX_AFFIX {
            for affix in Affix::ALL {
                let Some(text) = affix.of(token, length) else { continue };
                let rules = self.rules.get(&(affix, text.iter().collect()));
                found.extend(rules.into_iter().flatten());
            }
        }
        found
    }

    /// The words of a token by the best rule, of equally good ones that of the longest affix.
    pub(super) fn split(
        &self,
        token: &[char],
        folded: &[char],
        capitals: Capitals,
    ) -> Option<Vec<Vec<char>>> {
        let mut best: Option<(&AffixRule, Vec<Vec<char>>)> = None;
        for rule in self.fitting(folded) {
            if best.as_ref().is_some_and(|(best, _)| best.is_better(rule)) {
                continue;
            }
            let words = rule.template.apply(token, capitals);
            let marks = |words: &[Vec<char>]| words.iter().skip(1).any(|word| begins_with_mark(word));
            if let Some(words) = words.filter(|words| self.marks || !marks(words)) {
                best = Some((rule, words));
            }
        }
        best.map(|(_, words)| words)
    }

    /// Whether tokens like this one were nearly always multiword tokens.
    pub(super) fn is_likely(&self, folded: &[char]) -> bool {
        let applies = |rule: &&AffixRule| rule.template.apply(folded, Capitals::Other).is_some();
        self.fitting(folded).into_iter().filter(|rule| rule.is_reliable()).any(|rule| applies(&rule))
    }
}

fn begins_with_mark(word: &[char]) -> bool {
    word.first().is_some_and(|c| c.general_category_group() == GeneralCategoryGroup::Mark)
}
