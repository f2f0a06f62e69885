//! The training tokens, with their frequency as multiword tokens and as ordinary tokens.

use std::collections::{BTreeMap, BTreeSet};

use super::MAX_WORDS;
use super::folding::{Capitals, folded_text};
use super::template::{Affix, Alignment};
use super::{TrainingToken, is_short};

/// The counts of a token, and its words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Entry {
    /// The most frequent list of words; empty if the token never was a multiword token.
    pub(super) words: Vec<String>,
    /// Its frequency as a multiword token.
    pub(super) split: u32,
    /// Its frequency as an ordinary token.
    pub(super) whole: u32,
}

/// Entries by folded token, and exceptions by the token as written, where it differs from its folded entry.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Dictionary {
    pub(super) entries: BTreeMap<String, Entry>,
}

/// The frequency of an ordinary token, and of each list of words.
#[derive(Default)]
struct Counts<'a> {
    whole: u32,
    words: BTreeMap<Vec<&'a str>, u32>,
}

/// The minimum frequency of an exception that only differs from its folded entry in whether it is split.
const MIN_EXCEPTION: u32 = 3;

impl Entry {
    /// The words of a token that matches the entry, possibly in another case.
    pub(super) fn split(&self, name: &str, token: &[char]) -> Option<Vec<Vec<char>>> {
        if self.words.is_empty() {
            return None;
        }
        let name: Vec<char> = name.chars().collect();
        let words: Vec<Vec<char>> = self.words.iter().map(|word| word.chars().collect()).collect();
        if name == token {
            return Some(words);
        }
        let (template, _) = Alignment::between(&name, &words).template(Affix::Suffix);
        template.apply(token, Capitals::of(token))
    }

    /// Whether it occurred as a multiword token, and as an ordinary token.
    fn kind(&self) -> (bool, bool) {
        (self.split > 0, self.whole > 0)
    }
}

impl<'a> Counts<'a> {
    fn add(&mut self, words: &[&'a str]) {
        if words.len() < 2 {
            self.whole = self.whole.saturating_add(1);
        } else {
            let count = self.words.entry(words.to_vec()).or_default();
            *count = count.saturating_add(1);
        }
    }

    fn entry(&self) -> Entry {
        // In case of a tie, the first list.
        let most = self.words.values().max();
        let best = self.words.iter().find(|(_, n)| Some(*n) == most);
        let words = best.map(|(words, _)| words.iter().map(|&word| word.to_owned()).collect());
        let split = self.words.values().fold(0, |sum: u32, &n| sum.saturating_add(n));
        Entry { words: words.unwrap_or_default(), split, whole: self.whole }
    }
}

impl Dictionary {
    /// Learns from all tokens of the treebank.
    pub(super) fn learn(tokens: &[TrainingToken<'_>]) -> Self {
        let usable = |token: &&TrainingToken<'_>| {
            let fits = |text: &str| !text.is_empty() && is_short(text);
            fits(token.form) && token.words.len() <= MAX_WORDS && token.words.iter().all(|word| fits(word))
        };
        let folds: Vec<(String, Vec<String>)> = tokens
            .iter()
            .filter(usable)
            .map(|token| {
                (folded_text(token.form), token.words.iter().map(|word| folded_text(word)).collect())
            })
            .collect();
        let mut by_fold: BTreeMap<&str, Counts<'_>> = BTreeMap::new();
        let mut as_written: BTreeMap<&str, Counts<'_>> = BTreeMap::new();
        for ((fold, fold_words), token) in folds.iter().zip(tokens.iter().filter(usable)) {
            let fold_words: Vec<&str> = fold_words.iter().map(String::as_str).collect();
            by_fold.entry(fold).or_default().add(&fold_words);
            as_written.entry(token.form).or_default().add(&token.words);
        }
        let entries = by_fold.iter().map(|(&token, counts)| (token.to_owned(), counts.entry()));
        let mut dictionary = Self { entries: entries.collect() };
        let exceptions: Vec<(String, Entry)> = as_written
            .iter()
            .map(|(&token, counts)| (token.to_owned(), counts.entry()))
            .filter(|(token, entry)| {
                !by_fold.contains_key(&token[..]) && dictionary.is_exception(token, entry)
            })
            .collect();
        dictionary.entries.extend(exceptions);
        dictionary
    }

    /// Whether a token as written is an exception to its folded entry.
    fn is_exception(&self, token: &str, entry: &Entry) -> bool {
        let fold = folded_text(token);
        let Some(general) = self.entries.get(&fold) else { return true };
        let chars: Vec<char> = token.chars().collect();
        let words: Vec<Vec<char>> = entry.words.iter().map(|word| word.chars().collect()).collect();
        let is_frequent = entry.split.saturating_add(entry.whole) >= MIN_EXCEPTION;
        (entry.kind() != general.kind() && is_frequent)
            || (entry.split > 0 && general.split(&fold, &chars) != Some(words))
    }

    /// The entry of a token with its key: the token as written or, if there is none, folded.
    pub(super) fn find(&self, token: &str) -> Option<(&str, &Entry)> {
        let found = |name: &str| self.entries.get_key_value(name).map(|(name, entry)| (&name[..], entry));
        found(token).or_else(|| found(&folded_text(token)))
    }

    /// Removes ordinary tokens that are not needed because neither another entry nor a rule would split them.
    pub(super) fn retain_ordinary(&mut self, is_split_by_rules: impl Fn(&[char]) -> bool) {
        let split: BTreeSet<String> = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.split > 0)
            .map(|(token, _)| token.clone())
            .collect();
        self.entries.retain(|token, _| {
            let fold = folded_text(token);
            let chars: Vec<char> = fold.chars().collect();
            split.contains(token) || split.contains(&fold) || is_split_by_rules(&chars)
        });
    }
}
