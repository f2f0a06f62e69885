//! Multiword tokens: tokens of the text that consist of several syntactic words (`don't`, Galician `do` = `de` + `o`).
//!
//! A dictionary of the training tokens determines which tokens are split. For ambiguous and unknown tokens, the segmenter decides, because
//! it reads their context. Known tokens are split as in the dictionary. Unknown tokens are split like training tokens with the same suffix
//! or prefix; then stem changes, such as accents that only appear before a clitic, are undone.
//!
//! Tokens are compared in lower case and with normalised apostrophes, so that `DON’T` is split like `don't`. Words copy the characters of
//! the token where possible. If the words of a treebank are always substrings of their tokens, only split points are learned, and the
//! splitter never generates other characters.

mod affix_rules;
mod dictionary;
mod folding;
mod saved;
mod stem_changes;
mod template;

use quaich_treebank::{Line, Node, Sentence};

use affix_rules::AffixRules;
use dictionary::Dictionary;
use folding::{Capitals, folded};
use saved::SavedSplitter;
use stem_changes::StemChanges;

pub use saved::MultiwordLoadError;

/// Tokens and words with more characters than this are neither learned nor split.
const MAX_TOKEN_LENGTH: usize = 200;
/// The maximum number of words of a token.
const MAX_WORDS: usize = 32;

/// Splits multiword tokens into words. Trained on a treebank; serialised as plain strings and numbers.
///
/// ```
/// use quaich_text::multiword::{MultiwordSplitter, TrainingToken};
///
/// let token = |form, words: &[&'static str]| TrainingToken { form, words: words.to_vec() };
/// let tokens = [token("don't", &["do", "n't"]), token("isn't", &["is", "n't"]), token("tent", &[])];
/// let splitter = MultiwordSplitter::learn(&tokens);
/// assert_eq!(splitter.split("DON'T"), Some(vec!["DO".to_owned(), "N'T".to_owned()]));
/// assert_eq!(splitter.split("wasn’t"), Some(vec!["was".to_owned(), "n’t".to_owned()]));
/// assert!(splitter.is_multiword("Don't", false) && !splitter.is_multiword("tent", true));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "SavedSplitter", into = "SavedSplitter")]
pub struct MultiwordSplitter {
    concatenative: bool,
    dictionary: Dictionary,
    rules: AffixRules,
    changes: StemChanges,
}

/// A token of a treebank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrainingToken<'a> {
    /// The form in the text.
    pub form: &'a str,
    /// The words of a multiword token; at most one for other tokens.
    pub words: Vec<&'a str>,
}

/// The evidence in the training treebank that a token is a multiword token, regardless of context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MultiwordEvidence {
    /// Every occurrence was a multiword token.
    Always,
    /// No occurrence was a multiword token, or no rule can split it.
    Never,
    /// Some occurrences were multiword tokens.
    Sometimes,
    /// It did not occur; nearly all tokens with the same affix were multiword tokens.
    Likely,
    /// It did not occur; some tokens with the same affix were multiword tokens.
    Possible,
}

impl MultiwordSplitter {
    /// Trains on all tokens of a treebank, including ordinary tokens.
    pub fn learn(tokens: &[TrainingToken<'_>]) -> Self {
        let mut dictionary = Dictionary::learn(tokens);
        let mut types: Vec<(Vec<char>, Vec<Vec<char>>)> = Vec::new();
        let mut ordinary: Vec<Vec<char>> = Vec::new();
        for (token, entry) in &dictionary.entries {
            let chars: Vec<char> = token.chars().collect();
            // Entries that are not folded are exceptions.
            if folded(&chars) != chars {
                continue;
            }
            if entry.whole > 0 {
                ordinary.push(chars.clone());
            }
            if entry.split > 0 {
                types.push((chars, entry.words.iter().map(|word| word.chars().collect()).collect()));
            }
        }
        let is_cut = |(token, words): &(Vec<char>, Vec<Vec<char>>)| words.concat() == *token;
        // Ignore up to one per cent of other tokens, which are probably annotation errors.
        let n_cut = types.iter().filter(|one| is_cut(one)).count();
        let concatenative = n_cut * 100 >= types.len() * 99;
        if concatenative {
            types.retain(is_cut);
        }
        let changes = StemChanges::learn(&mut types);
        let rules = AffixRules::learn(&types, &ordinary);
        dictionary.retain_ordinary(|token| rules.split(token, token, Capitals::Other).is_some());
        Self { concatenative, dictionary, rules, changes }
    }

    /// Whether the treebank has multiword tokens.
    pub fn splits_anything(&self) -> bool {
        self.dictionary.entries.values().any(|entry| entry.split > 0)
    }

    /// Whether words are substrings of their tokens, with at most one per cent of exceptions.
    pub fn is_concatenative(&self) -> bool {
        self.concatenative
    }

    /// Splits a multiword token into words; `None` if neither the dictionary nor a rule applies.
    pub fn split(&self, token: &str) -> Option<Vec<String>> {
        if !is_short(token) {
            return None;
        }
        let chars: Vec<char> = token.chars().collect();
        let known = self.dictionary.find(token).and_then(|(name, entry)| entry.split(name, &chars));
        let words = known.or_else(|| {
            let mut words = self.rules.split(&chars, &folded(&chars), Capitals::of(&chars))?;
            self.changes.apply(words.first_mut()?);
            Some(words)
        })?;
        Some(words.into_iter().map(|word| word.into_iter().collect()).collect())
    }

    /// The evidence that a token is a multiword token.
    pub fn evidence(&self, token: &str) -> MultiwordEvidence {
        if let Some((_, entry)) = self.dictionary.find(token).filter(|_| is_short(token)) {
            return match (entry.split > 0, entry.whole > 0) {
                (true, true) => MultiwordEvidence::Sometimes,
                (true, false) => MultiwordEvidence::Always,
                (false, _) => MultiwordEvidence::Never,
            };
        }
        if self.split(token).is_none() {
            return MultiwordEvidence::Never;
        }
        let chars: Vec<char> = token.chars().collect();
        if self.rules.is_likely(&folded(&chars)) {
            MultiwordEvidence::Likely
        } else {
            MultiwordEvidence::Possible
        }
    }

    /// Whether a token is split, given the prediction of the segmenter.
    pub fn is_multiword(&self, token: &str, predicted: bool) -> bool {
        match self.evidence(token) {
            MultiwordEvidence::Always => true,
            MultiwordEvidence::Never => false,
            MultiwordEvidence::Sometimes | MultiwordEvidence::Likely | MultiwordEvidence::Possible => {
                predicted
            }
        }
    }
}

/// Appends the tokens of a CoNLL-U sentence, with the words of its multiword tokens.
pub fn training_tokens<'a>(sentence: &'a Sentence, to: &mut Vec<TrainingToken<'a>>) {
    let mut last_covered = 0;
    for line in sentence.lines() {
        match line {
            Line::Extra(row) => {
                let mut cells = row.split('\t');
                let (id, form) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
                let range = id
                    .split_once('-')
                    .and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
                let Some((first, last)) = range else { continue };
                if first <= last_covered || first >= last || last > sentence.n_tokens() {
                    continue;
                }
                let words = (first..=last).map(|index| sentence.form(Node::from_index(index))).collect();
                to.push(TrainingToken { form, words });
                last_covered = last;
            }
            Line::Token(node) if node.index() > last_covered => {
                to.push(TrainingToken { form: sentence.form(node), words: Vec::new() });
            }
            Line::Token(_) | Line::Blank | Line::Comment(_) => {}
        }
    }
}

/// Whether a text has at most [`MAX_TOKEN_LENGTH`] characters.
fn is_short(text: &str) -> bool {
    text.chars().nth(MAX_TOKEN_LENGTH).is_none()
}

#[cfg(test)]
mod tests;
