//! Tokens and sentences without a tokenizer: the word boundaries of Unicode (UAX 29), and sentences that end at final punctuation, at
//! blank lines and after many words. A tokenizer that was trained on a treebank finds the words of that treebank; this is for text without
//! one.

use unicode_segmentation::UnicodeSegmentation;

/// The longest sentence; text without punctuation is cut here.
const MAX_WORDS: usize = 100;

/// Collects words to sentences.
#[derive(Debug, Default)]
pub(super) struct WordBounds {
    words: Vec<String>,
    /// The number of words in use; the others are kept for their memory.
    n: usize,
}

impl WordBounds {
    /// Adds a part of a text; calls `end` for each sentence that ends in it.
    pub(super) fn add(&mut self, text: &str, end: &mut impl FnMut(&[String])) {
        for word in text.split_word_bounds().filter(|word| !word.trim().is_empty()) {
            if self.n == self.words.len() {
                self.words.push(String::new());
            }
            self.words[self.n].clear();
            self.words[self.n].push_str(word);
            self.n += 1;
            if self.n == MAX_WORDS || ends_sentence(word) {
                self.end(end);
            }
        }
    }

    /// Ends the sentence, if there is one.
    pub(super) fn end(&mut self, end: &mut impl FnMut(&[String])) {
        if self.n > 0 {
            end(&self.words[..self.n]);
            self.n = 0;
        }
    }
}

/// Whether a word is punctuation that ends sentences, in some of the scripts of the world.
fn ends_sentence(word: &str) -> bool {
    word.chars()
        .all(|c| matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '؟' | '।' | '॥' | '።' | '։'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_punctuation_and_lines_do_not_matter() {
        let (mut bounds, mut found) = (WordBounds::default(), Vec::new());
        let mut end = |words: &[String]| found.push(words.join(" "));
        for line in ["It's 3.14, isn't", "it? Yes.", "No"] {
            bounds.add(line, &mut end);
        }
        bounds.end(&mut end);
        bounds.end(&mut end);
        assert_eq!(found, ["It's 3.14 , isn't it ?", "Yes .", "No"]);
    }

    #[test]
    fn text_without_punctuation_is_cut() {
        let (mut bounds, mut lengths) = (WordBounds::default(), Vec::new());
        bounds.add(&"word ".repeat(250), &mut |words| lengths.push(words.len()));
        bounds.end(&mut |words| lengths.push(words.len()));
        assert_eq!(lengths, [100, 100, 50]);
    }
}
