//! The serialised form of splitters in model files, and its validation.

use serde::{Deserialize, Serialize};

use super::affix_rules::{AffixRule, AffixRules, MAX_AFFIX};
use super::dictionary::{Dictionary, Entry};
use super::stem_changes::StemChanges;
use super::template::Affix;
use super::{MAX_WORDS, MultiwordSplitter, is_short};

/// The serialised form of a splitter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedSplitter {
    concatenative: bool,
    begins_with_marks: bool,
    tokens: Vec<SavedToken>,
    rules: Vec<SavedRule>,
    replacements: Vec<(char, char)>,
    changed_contexts: Vec<String>,
    unchanged_contexts: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedToken {
    token: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    words: Vec<String>,
    split: u32,
    whole: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedRule {
    affix: Affix,
    text: String,
    words: String,
    right: u32,
    applied: u32,
    misfires: u32,
}

/// An error in a serialised splitter.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MultiwordLoadError {
    /// A token is too long, or its words do not match its counts.
    #[error("the entry of the multiword token `{0}` is invalid")]
    Token(String),
    /// A rule is invalid.
    #[error("found `{0}`, expected a rule that splits tokens")]
    Rule(String),
    /// The context of a stem change is invalid.
    #[error("found a stem change whose context is empty or too long")]
    Change,
}

impl From<MultiwordSplitter> for SavedSplitter {
    fn from(splitter: MultiwordSplitter) -> Self {
        let token = |(token, entry): (String, Entry)| {
            let Entry { words, split, whole } = entry;
            SavedToken { token, words, split, whole }
        };
        let rule = |((affix, text), rules): ((Affix, String), Vec<AffixRule>)| {
            rules.into_iter().map(move |rule| {
                let AffixRule { template, right, applied, misfires } = rule;
                SavedRule { affix, text: text.clone(), words: template.to_string(), right, applied, misfires }
            })
        };
        let contexts = |changes: bool| {
            let contexts = splitter.changes.contexts.iter().filter(move |(_, known)| **known == changes);
            contexts.map(|(context, _)| context.clone()).collect()
        };
        Self {
            concatenative: splitter.concatenative,
            begins_with_marks: splitter.rules.marks,
            changed_contexts: contexts(true),
            unchanged_contexts: contexts(false),
            replacements: splitter.changes.replacements.into_iter().collect(),
            tokens: splitter.dictionary.entries.into_iter().map(token).collect(),
            rules: splitter.rules.rules.into_iter().flat_map(rule).collect(),
        }
    }
}

impl TryFrom<SavedSplitter> for MultiwordSplitter {
    type Error = MultiwordLoadError;

    fn try_from(saved: SavedSplitter) -> Result<Self, MultiwordLoadError> {
        let mut dictionary = Dictionary::default();
        for SavedToken { token, words, split, whole } in saved.tokens {
            let has_words = (2..=MAX_WORDS).contains(&words.len());
            let words_match = if split > 0 { has_words } else { words.is_empty() };
            let short = is_short(&token) && words.iter().all(|word| is_short(word) && !word.is_empty());
            if !words_match || !short {
                return Err(MultiwordLoadError::Token(token.chars().take(100).collect()));
            }
            dictionary.entries.insert(token, Entry { words, split, whole });
        }
        let mut rules = AffixRules { marks: saved.begins_with_marks, ..AffixRules::default() };
        for SavedRule { affix, text, words, right, applied, misfires } in saved.rules {
            let invalid = || MultiwordLoadError::Rule(words.chars().take(100).collect());
            let template = words.parse().map_err(|_| invalid())?;
            if text.is_empty() || text.chars().nth(MAX_AFFIX).is_some() || right > applied {
                return Err(invalid());
            }
            let rule = AffixRule { template, right, applied, misfires };
            rules.rules.entry((affix, text)).or_default().push(rule);
        }
        let changed = saved.changed_contexts.into_iter().map(|context| (context, true));
        let unchanged = saved.unchanged_contexts.into_iter().map(|context| (context, false));
        let contexts: std::collections::BTreeMap<String, bool> = changed.chain(unchanged).collect();
        if contexts.keys().any(|context| context.is_empty() || !is_short(context)) {
            return Err(MultiwordLoadError::Change);
        }
        let changes = StemChanges { replacements: saved.replacements.into_iter().collect(), contexts };
        Ok(Self { concatenative: saved.concatenative, dictionary, rules, changes })
    }
}
