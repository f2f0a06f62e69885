//! A text as numbers of distinct forms: four bytes per word, in bounded memory.

use std::collections::HashMap;

use quaich_features::hash;
use quaich_treebank::counted;
use rustc_hash::FxBuildHasher;

use crate::error::{Error, Result};

/// Texts with fewer words teach nothing.
const MIN_WORDS: usize = 1000;
/// The maximum length of sentences; longer ones are cut.
const MAX_SENTENCE: usize = 200;
/// The maximum number of characters of a form; the rest is cut off.
const MAX_FORM: usize = 100;
/// The maximum number of distinct forms; further ones are unknown words.
const MAX_FORMS: usize = 2_000_000;
/// The number of a form beyond that limit.
pub(super) const UNKNOWN_FORM: u32 = u32::MAX;

/// The words of a text, sentence by sentence.
///
/// If the text has more words than are kept, every second sentence is dropped, then every second of the remaining ones, and so on: the
/// sample is spread evenly over the text.
///
/// ```
/// use quaich_parser::pretraining::WordText;
///
/// let mut text = WordText::new(1000);
/// text.add(["Cats", "sleep"]);
/// assert_eq!((text.n_words(), text.n_sentences(), text.n_forms()), (2, 1, 2));
/// ```
#[derive(Clone, Debug)]
pub struct WordText {
    max_words: usize,
    /// One sentence of this many is kept.
    one_in: usize,
    read_sentences: usize,
    read_words: usize,
    words: Vec<u32>,
    /// The end of each sentence.
    ends: Vec<usize>,
    forms: Forms,
    fingerprint: u64,
}

/// The distinct forms.
#[derive(Clone, Debug, Default)]
struct Forms {
    numbers: HashMap<u64, u32, FxBuildHasher>,
    texts: String,
    /// The end of each form in `texts`.
    ends: Vec<usize>,
}

impl WordText {
    /// An empty text of which at most `max_words` words are kept.
    pub fn new(max_words: usize) -> Self {
        Self {
            max_words: max_words.max(1),
            one_in: 1,
            read_sentences: 0,
            read_words: 0,
            words: Vec::new(),
            ends: Vec::new(),
            forms: Forms::default(),
            fingerprint: 0,
        }
    }

    /// Adds a sentence.
    pub fn add<'w>(&mut self, words: impl IntoIterator<Item = &'w str>) {
        let is_kept = self.read_sentences.is_multiple_of(self.one_in);
        self.read_sentences += 1;
        let start = self.words.len();
        for word in words {
            self.read_words += 1;
            if is_kept {
                self.words.push(self.forms.number(word));
            }
        }
        let added = &self.words[start..];
        self.fingerprint = added
            .iter()
            .fold(self.fingerprint, |sum, word| hash::bytes(sum.rotate_left(5), &word.to_le_bytes()));
        let n = added.len();
        self.ends.extend((1..=n / MAX_SENTENCE).map(|part| start + part * MAX_SENTENCE));
        if !n.is_multiple_of(MAX_SENTENCE) {
            self.ends.push(self.words.len());
        }
        if self.words.len() > self.max_words && self.ends.len() > 1 {
            self.thin_out();
        }
    }

    /// Drops every second sentence.
    fn thin_out(&mut self) {
        self.one_in *= 2;
        let (mut kept, mut start) = (0, 0);
        let mut ends = Vec::with_capacity(self.ends.len() / 2 + 1);
        for (number, &end) in self.ends.iter().enumerate() {
            if number.is_multiple_of(2) {
                self.words.copy_within(start..end, kept);
                kept += end - start;
                ends.push(kept);
            }
            start = end;
        }
        self.words.truncate(kept);
        self.ends = ends;
    }

    /// Checks that there is something to learn from.
    ///
    /// # Errors
    /// If the text is too short.
    pub fn check_length(&self) -> Result<()> {
        match self.n_words() {
            MIN_WORDS.. => Ok(()),
            n => Err(Error::Text(format!(
                "the text has {}, expected at least {MIN_WORDS} to pretrain an encoder",
                counted(n, "word")
            ))),
        }
    }

    /// The number of words that are kept.
    pub fn n_words(&self) -> usize {
        self.words.len()
    }

    /// The number of sentences that are kept.
    pub fn n_sentences(&self) -> usize {
        self.ends.len()
    }

    /// The number of words that were added, kept or not.
    pub fn n_read_words(&self) -> usize {
        self.read_words
    }

    /// The number of distinct forms.
    pub fn n_forms(&self) -> usize {
        self.forms.ends.len()
    }

    /// A hash of the words.
    pub fn fingerprint(&self) -> u64 {
        (0..self.n_forms()).fold(self.fingerprint, |sum, number| {
            hash::bytes(sum.rotate_left(5), self.forms.text(number).as_bytes())
        })
    }

    /// The words of a sentence, as numbers of forms.
    pub(super) fn sentence(&self, number: usize) -> &[u32] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.words[start..self.ends[number]]
    }

    /// The distinct forms and how often each occurs, in the order of their numbers.
    pub(super) fn forms(&self) -> Vec<(&str, u32)> {
        let mut counts = vec![0u32; self.n_forms()];
        for &word in self.words.iter().filter(|word| **word != UNKNOWN_FORM) {
            counts[word as usize] += 1;
        }
        (0..).map(|number| self.forms.text(number)).zip(counts).collect()
    }
}

impl Forms {
    fn number(&mut self, form: &str) -> u32 {
        let end = form.char_indices().nth(MAX_FORM).map_or(form.len(), |(at, _)| at);
        let form = &form[..end];
        let key = hash::bytes(4, form.as_bytes());
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        if self.ends.len() == MAX_FORMS {
            return UNKNOWN_FORM;
        }
        let number = u32::try_from(self.ends.len()).expect("a few million");
        self.numbers.insert(key, number);
        self.texts.push_str(form);
        self.ends.push(self.texts.len());
        number
    }

    fn text(&self, number: usize) -> &str {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.texts[start..self.ends[number]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(max_words: usize, n_sentences: usize) -> WordText {
        let mut text = WordText::new(max_words);
        for number in 0..n_sentences {
            let word = format!("w{number}");
            text.add([word.as_str(), "is", "here"]);
        }
        text
    }

    #[test]
    fn words_are_numbered_and_counted() {
        let text = text(1000, 3);
        assert_eq!((text.n_words(), text.n_sentences(), text.n_forms()), (9, 3, 5));
        assert_eq!(text.sentence(1), [3, 1, 2]);
        assert_eq!(text.forms()[..2], [("w0", 1), ("is", 3)]);
    }

    #[test]
    fn a_sample_of_a_long_text_is_spread_evenly() {
        let text = text(100, 1000);
        assert!(text.n_words() <= 100 && text.n_words() > 40, "{}", text.n_words());
        assert_eq!(text.n_read_words(), 3000);
        let forms = text.forms();
        let first = |number: usize| forms[text.sentence(number)[0] as usize].0[1..].parse::<usize>().unwrap();
        let numbers: Vec<usize> = (0..text.n_sentences()).map(first).collect();
        let step = numbers[1] - numbers[0];
        assert!(numbers.windows(2).all(|pair| pair[1] - pair[0] == step), "{numbers:?}");
    }

    #[test]
    fn what_is_too_long_is_cut() {
        let mut text = WordText::new(10_000);
        text.add(std::iter::repeat_n("a", 450));
        text.add(std::iter::repeat_n("b", 400));
        text.add([]);
        let lengths: Vec<usize> = (0..text.n_sentences()).map(|number| text.sentence(number).len()).collect();
        assert_eq!(lengths, [200, 200, 50, 200, 200]);
        text.add(["é".repeat(5000).as_str()]);
        assert_eq!(text.forms().last().unwrap().0.chars().count(), MAX_FORM);
    }
}
