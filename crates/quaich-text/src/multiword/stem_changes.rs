//! Characters of a stem that change before a clitic: Galician `trátase` is `trata` + `se`; the accent only appears before the clitic.
//!
//! Learned from tokens whose first word differs from its part of the token in a single character. Whether the last such character of an
//! unknown word changes is predicted from the characters that follow: `áta` changes, `ía` does not.

use std::collections::BTreeMap;

use super::folding::folded;
use crate::edit_rules::casing::{is_uppercase, upper};

/// The maximum length of a context, including the character that changes.
const MAX_CONTEXT: usize = 4;
/// Marks the end of the word in contexts.
const END: char = '$';

/// The stem changes of a language.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct StemChanges {
    /// The replacement of each character.
    pub(super) replacements: BTreeMap<char, char>,
    /// Whether a character changes, by the character and those after it. The longest known context is used.
    pub(super) contexts: BTreeMap<String, bool>,
}

/// A single character of a token that is different in its first word.
struct Change {
    at: usize,
    from: char,
    to: char,
}

impl Change {
    fn of(token: &[char], words: &[Vec<char>]) -> Option<Self> {
        let joined = words.concat();
        if joined.len() != token.len() {
            return None;
        }
        let mut different = (0..token.len()).filter(|&i| token[i] != joined[i]);
        let at = different.next().filter(|&at| at < words[0].len())?;
        different.next().is_none().then(|| Self { at, from: token[at], to: joined[at] })
    }
}

impl StemChanges {
    /// Learns from distinct tokens, and removes the changes from their words, so that the words become substrings of the tokens.
    pub(super) fn learn(types: &mut [(Vec<char>, Vec<Vec<char>>)]) -> Self {
        let mut frequencies: BTreeMap<(char, char), usize> = BTreeMap::new();
        let mut unchanged: BTreeMap<char, usize> = BTreeMap::new();
        for (token, words) in types.iter() {
            if let Some(change) = Change::of(token, words) {
                *frequencies.entry((change.from, change.to)).or_default() += 1;
            } else if words.concat() == *token {
                let mut chars = words[0].clone();
                chars.sort_unstable();
                chars.dedup();
                for c in chars {
                    *unchanged.entry(c).or_default() += 1;
                }
            }
        }
        // Ignore rare and exceptional changes.
        frequencies.retain(|(from, _), n| *n >= 2 && *n * 4 >= unchanged.get(from).copied().unwrap_or(0));
        let mut best: BTreeMap<char, (usize, char)> = BTreeMap::new();
        for ((from, to), n) in frequencies {
            let entry = best.entry(from).or_insert((n, to));
            if n > entry.0 {
                *entry = (n, to);
            }
        }
        let replacements = best.into_iter().map(|(from, (_, to))| (from, to)).collect();
        let mut changes = Self { replacements, contexts: BTreeMap::new() };
        let mut votes: BTreeMap<String, i64> = BTreeMap::new();
        for (token, words) in types.iter_mut() {
            let first = &token[..words[0].len().min(token.len())];
            let Some(at) = changes.last(first) else { continue };
            let vote = match Change::of(token, words) {
                Some(change)
                    if change.at == at && changes.replacements.get(&change.from) == Some(&change.to) =>
                {
                    1
                }
                None if words.concat() == *token => -1,
                _ => continue,
            };
            for context in contexts(first, at) {
                *votes.entry(context).or_default() += vote;
            }
            words[0] = first.to_vec();
        }
        changes.contexts = votes.into_iter().map(|(context, votes)| (context, votes > 0)).collect();
        changes
    }

    /// Undoes the stem change in the first word of an unknown token.
    pub(super) fn apply(&self, word: &mut [char]) {
        if self.replacements.is_empty() {
            return;
        }
        let lowercase = folded(word);
        let Some(at) = self.last(&lowercase) else { return };
        let changes = contexts(&lowercase, at).rev().find_map(|context| self.contexts.get(&context));
        if changes == Some(&true) {
            let to = self.replacements[&lowercase[at]];
            word[at] = if is_uppercase(word[at]) { upper(to) } else { to };
        }
    }

    /// The position of the last character that may change.
    fn last(&self, word: &[char]) -> Option<usize> {
        word.iter().rposition(|c| self.replacements.contains_key(c))
    }
}

/// The contexts of a character, the shortest first.
fn contexts(word: &[char], at: usize) -> impl DoubleEndedIterator<Item = String> {
    let whole: Vec<char> = word[at..].iter().copied().chain([END]).take(MAX_CONTEXT).collect();
    (1..=whole.len()).map(move |length| whole[..length].iter().collect())
}
