//! Rules that split unknown tokens by their suffix or prefix.

use std::collections::BTreeMap;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::folding::Capitals;
use super::template::{Affix, Alignment, Template};

/// The maximum length of an affix in characters.
pub(super) const MAX_AFFIX: usize = 12;
/// The maximum number of characters by which an affix is longer than its template requires.
const EXTRA_CONTEXT: usize = 4;
/// As in UDPipe 1: one ordinary token with the affix counts as much as ten multiword tokens.
const MISFIRE_COST: u64 = 10;
/// A rule must split this number of training tokens correctly to be evidence that an unknown token is a multiword token.
const MIN_SPLITS: u32 = 3;

/// A template with its counts on the training data. Each distinct token counts once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct AffixRule {
    pub(super) template: Template,
    /// Multiword tokens with this affix that it splits correctly.
    pub(super) right: u32,
    /// Multiword tokens with this affix that it splits, correctly or not.
    pub(super) applied: u32,
    /// Ordinary tokens with this affix.
    pub(super) misfires: u32,
}

/// Rules by affix.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct AffixRules {
    pub(super) rules: BTreeMap<(Affix, String), Vec<AffixRule>>,
    /// Whether words other than the first may begin with combining marks.
    pub(super) marks: bool,
}

impl AffixRule {
    /// Whether this has a higher accuracy than the other rule.
    fn is_better(&self, other: &Self) -> bool {
        // Compares right / (applied + 1) without division.
        let accuracy = |rule: &Self, by: &Self| u64::from(rule.right) * (u64::from(by.applied) + 1);
        accuracy(self, other) > accuracy(other, self)
    }

    /// Whether nearly all tokens with the affix are multiword tokens.
    fn is_reliable(&self) -> bool {
        self.right >= MIN_SPLITS && u64::from(self.misfires) * MISFIRE_COST <= u64::from(self.right)
    }
}

impl AffixRules {
    /// Learns from multiword tokens and ordinary tokens, which must be folded and distinct.
    pub(super) fn learn(types: &[(Vec<char>, Vec<Vec<char>>)], ordinary: &[Vec<char>]) -> Self {
        let mut rules = Self::candidates(types);
        for (token, words) in types {
            rules.for_each_matching(token, |_, rules| {
                for rule in rules {
                    let words_of_rule = rule.template.apply(token, Capitals::Other);
                    rule.applied += u32::from(words_of_rule.is_some());
                    rule.right += u32::from(words_of_rule.as_ref() == Some(words));
                }
            });
        }
        for token in ordinary {
            rules.for_each_matching(token, |_, rules| rules.iter_mut().for_each(|rule| rule.misfires += 1));
        }
        rules.prune();
        rules.marks = types.iter().any(|(_, words)| words.iter().skip(1).any(|word| begins_with_mark(word)));
        rules
    }

    /// All rules that split some multiword token correctly, for every affix that is long enough for the template.
    fn candidates(types: &[(Vec<char>, Vec<Vec<char>>)]) -> Self {
        let mut found = Self::default();
        for (token, words) in types {
            let alignment = Alignment::between(token, words);
            for affix in Affix::ALL {
                let (template, depth) = alignment.template(affix);
                for length in depth.max(1)..=(depth + EXTRA_CONTEXT).min(MAX_AFFIX) {
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

    fn for_each_matching(&mut self, token: &[char], mut each: impl FnMut(&str, &mut Vec<AffixRule>)) {
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

    /// Removes rules that never split correctly, and rules that are redundant because a shorter affix has the same template with counts
    /// that are no worse.
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

    /// The rules whose affix matches a folded token, the shortest affixes first.
    fn matching<'a>(&'a self, token: &[char]) -> Vec<&'a AffixRule> {
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

    /// Splits a token with the best rule. In case of a tie, the rule with the longest affix wins.
    pub(super) fn split(
        &self,
        token: &[char],
        folded: &[char],
        capitals: Capitals,
    ) -> Option<Vec<Vec<char>>> {
        let mut best: Option<(&AffixRule, Vec<Vec<char>>)> = None;
        for rule in self.matching(folded) {
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

    /// Whether a reliable rule applies to a token.
    pub(super) fn is_likely(&self, folded: &[char]) -> bool {
        let applies = |rule: &&AffixRule| rule.template.apply(folded, Capitals::Other).is_some();
        self.matching(folded).into_iter().filter(|rule| rule.is_reliable()).any(|rule| applies(&rule))
    }
}

fn begins_with_mark(word: &[char]) -> bool {
    word.first().is_some_and(|c| c.general_category_group() == GeneralCategoryGroup::Mark)
}
