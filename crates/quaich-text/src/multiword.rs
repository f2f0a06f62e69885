//! Multiword tokens: one token of the text that is several words of the sentence (`don't`, Galician `do` = `de` + `o`).
//!
//! Which tokens are split is known of those in the treebank (the dictionary); where it was both ways, and of unknown tokens, the
//! segmenter decides, which sees their context. How they are split is in the dictionary as well; unknown tokens are split as those
//! with the same suffix or prefix were, and characters that are different when a word stands alone are changed back.
//!
//! Tokens are compared in lower case and with one kind of apostrophe, so that `DON’T` is split as `don't` is. Words are made from
//! the characters of the token wherever they are in it: where words always are parts of their token only cuts are
//! learned, and nothing is invented.

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

/// Tokens and words of more characters are neither learned nor split.
const MAX_TOKEN_LENGTH: usize = 200;
/// The most words of a token.
const MAX_WORDS: usize = 32;

/// Splits tokens into words. Learned from a treebank; serialised as plain strings and numbers.
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
    /// The token as it is in the text.
    pub form: &'a str,
    /// Its words if it is a multiword token; else none, or one.
    pub words: Vec<&'a str>,
}

/// What a treebank tells about whether a token is a multiword token, whatever its context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MultiwordEvidence {
    /// It was whenever it occurred.
    Always,
    /// It never was when it occurred, or nothing is known by which it could be split.
    Never,
    /// It was sometimes.
    Sometimes,
    /// It did not occur; nearly all tokens with the same affix were.
    Likely,
    /// It did not occur; some tokens with the same affix were.
    Possible,
}

impl MultiwordSplitter {
    /// Learns from all tokens of a treebank, ordinary ones as well.
    pub fn learn(tokens: &[TrainingToken<'_>]) -> Self {
        let mut dictionary = Dictionary::learn(tokens);
        let mut types: Vec<(Vec<char>, Vec<Vec<char>>)> = Vec::new();
        let mut ordinary: Vec<Vec<char>> = Vec::new();
        for (token, entry) in &dictionary.entries {
            let chars: Vec<char> = token.chars().collect();
            // What is known of a token as written is an exception.
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
        // A few errors of the treebank teach no rules.
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

    /// Whether words are parts of their tokens, with at most one exception in a hundred.
    pub fn is_concatenative(&self) -> bool {
        self.concatenative
    }

    /// The words of a token that is a multiword token; `None` if nothing is known by which it could be split.
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

    /// What the treebank tells about whether a token is a multiword token.
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

    /// Whether a token is split, given whether the segmenter says so.
    pub fn is_multiword(&self, token: &str, flagged: bool) -> bool {
        match self.evidence(token) {
            MultiwordEvidence::Always => true,
            MultiwordEvidence::Never => false,
            MultiwordEvidence::Sometimes | MultiwordEvidence::Likely | MultiwordEvidence::Possible => flagged,
        }
    }
}

/// The tokens of a sentence in CoNLL-U, with the words of its ranges.
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
