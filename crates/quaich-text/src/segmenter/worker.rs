//! Part of a text → tokens, each with the probability that a sentence ends after it.

use std::ops::Range;

use quaich_learn::encoder::{Encoding, ItemSource, Reader, SlotScratch};
use quaich_learn::math::{exp, ln};
use unicode_segmentation::GraphemeCursor;

use super::addresses::{self, Address};
use super::characters::{CharacterCache, CharacterFeatures, Whitespace};
use super::decode::TokenEnd;
use super::model::{Conventions, Segmenter};
use super::training_text::{AND_SENTENCE, ENDS_MULTIWORD, ENDS_TOKEN, INSIDE};
use super::words::{WordValues, WordVocabulary};

/// The maximum number of characters of a token.
const MAX_TOKEN: usize = 400;
/// The word encoder only runs if the log-odds of some sentence end are below this in absolute value.
const CERTAIN_LOG_ODDS: f32 = 5.0;

/// The buffers and caches that one thread needs to find tokens.
#[derive(Debug, Default)]
pub(crate) struct Worker {
    cache: CharacterCache,
    chars: Vec<char>,
    /// One per character: its end, as a byte offset in the text.
    ends: Vec<usize>,
    features: Vec<CharacterFeatures>,
    /// One per character: whether no token may end after it.
    is_unbreakable: Vec<bool>,
    addresses: Vec<(Range<usize>, Address)>,
    reader: Reader,
    encodings: Vec<Encoding>,
    slots: SlotScratch,
    words: Reader,
    /// The tokens that were found.
    pub(crate) tokens: Vec<FoundToken>,
    /// The ends of these tokens, for the sentence decoder.
    pub(crate) token_ends: Vec<TokenEnd>,
}

/// A predicted token.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct FoundToken {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) is_multiword: bool,
    after: Whitespace,
    /// The log-odds that a sentence ends after the token.
    sentence_end: f32,
}

impl Worker {
    /// Finds the tokens of a text without blank lines, given the whitespace before and after it.
    pub(crate) fn tokenize(
        &mut self,
        segmenter: &Segmenter,
        text: &str,
        (before, after): (Whitespace, Whitespace),
    ) {
        self.read_characters(segmenter, text, (before, after));
        self.find_unbreakable(segmenter.conventions, text);
        if let Some(lexicon) = &segmenter.lexicon {
            lexicon.mark(&self.chars, &mut self.features);
        }
        let source = CharacterItems { features: &self.features, has_lexicon: segmenter.lexicon.is_some() };
        self.reader.read(&segmenter.scorer.encoder, &source, &mut self.encodings);
        self.find_tokens(segmenter);
        self.rescore_sentence_ends(segmenter, text);
    }

    /// Splits a text at whitespace.
    pub(crate) fn split_at_whitespace(&mut self, text: &str) {
        self.tokens.clear();
        let mut end = 0;
        for form in text.split(char::is_whitespace) {
            let start = end;
            end = start + form.len();
            if !form.is_empty() {
                let found = FoundToken {
                    start,
                    end,
                    is_multiword: false,
                    after: Whitespace::Space,
                    sentence_end: 0.0,
                };
                self.tokens.push(found);
            }
            // Skip the whitespace character after the token.
            end += text[end..].chars().next().map_or(0, char::len_utf8);
        }
    }

    /// Collects the features of all characters except whitespace.
    fn read_characters(
        &mut self,
        segmenter: &Segmenter,
        text: &str,
        (before, after): (Whitespace, Whitespace),
    ) {
        let Self { cache, chars, ends, features, .. } = self;
        chars.clear();
        ends.clear();
        features.clear();
        let mut whitespace = before;
        for (at, c) in text.char_indices() {
            if let Some(this) = Whitespace::of(c) {
                whitespace = whitespace.max(this);
                continue;
            }
            if let Some(last) = features.last_mut() {
                last.after = whitespace;
            }
            features.push(CharacterFeatures {
                before: whitespace,
                ..segmenter.characters.cached_features(c, cache)
            });
            chars.push(c);
            ends.push(at + c.len_utf8());
            whitespace = Whitespace::None;
        }
        if let Some(last) = features.last_mut() {
            last.after = whitespace.max(after);
        }
    }

    /// Marks the characters after which no token may end: those inside grapheme clusters and addresses.
    fn find_unbreakable(&mut self, conventions: Conventions, text: &str) {
        let Self { chars, ends, is_unbreakable, addresses, .. } = self;
        is_unbreakable.clear();
        is_unbreakable.resize(chars.len(), false);
        let mut cursor = GraphemeCursor::new(0, text.len(), true);
        for (i, pair) in chars.windows(2).enumerate() {
            // Most characters always begin a cluster.
            if !is_simple(pair[1]) || !is_simple(pair[0]) {
                cursor.set_cursor(ends[i]);
                let is_adjacent = ends[i] + pair[1].len_utf8() == ends[i + 1];
                is_unbreakable[i] = is_adjacent && cursor.is_boundary(text, 0) == Ok(false);
            }
        }
        if !conventions.keeps_urls_whole && !conventions.keeps_emails_whole {
            return;
        }
        addresses::find(text, addresses);
        let mut i = 0;
        for (range, kind) in addresses {
            let is_whole = match kind {
                Address::Url => conventions.keeps_urls_whole,
                Address::Email => conventions.keeps_emails_whole,
            };
            while i < ends.len() && ends[i] <= range.start {
                i += 1;
            }
            while i < ends.len() && ends[i] < range.end {
                is_unbreakable[i] |= is_whole;
                i += 1;
            }
        }
    }

    /// Splits the text into tokens by the classes of its characters.
    fn find_tokens(&mut self, segmenter: &Segmenter) {
        let Self { chars, ends, features, is_unbreakable, encodings, slots, tokens, .. } = self;
        tokens.clear();
        // The current token: its first character, and the best place to split it if it becomes too long.
        let (mut first, mut start) = (0, 0);
        let mut best: Option<(f32, usize, [f32; 2])> = None;
        let mut i = 0;
        while i < chars.len() {
            if i == first {
                start = ends[i] - chars[i].len_utf8();
                best = None;
            }
            #[allow(clippy::cast_possible_truncation, reason = "a part of a text is short")]
            let scores = segmenter.scorer.head.scores(&encodings[0], &[i as u32], &[], slots);
            let [inside, token, multiword, sentence, multiword_and_sentence] =
                [0, 1, 2, 3, 4].map(|class| scores[class]);
            let highest = scores[1..].iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let is_last = i + 1 == chars.len();
            let ends_at_whitespace = match features[i].after {
                Whitespace::None => false,
                Whitespace::Space => !segmenter.conventions.has_spaces_in_tokens,
                Whitespace::Line | Whitespace::Paragraph => true,
            };
            let is_forced = is_last || ends_at_whitespace;
            // The log-sum of four scores exceeds the highest by at most ln 4 < 1.4.
            let may_end = highest > inside - 1.4;
            let sums = || (log_sum(sentence, multiword_and_sentence), log_sum(token, multiword));
            let any = || log_sum(sums().0, sums().1);
            let ends_here =
                is_forced || (!is_unbreakable[i] && may_end && (highest > inside || any() > inside));
            if ends_here {
                let (ends_sentence, ends_token) = sums();
                tokens.push(FoundToken {
                    start,
                    end: ends[i],
                    is_multiword: log_sum(multiword, multiword_and_sentence) > log_sum(token, sentence),
                    after: features[i].after,
                    sentence_end: ends_sentence - ends_token,
                });
                first = i + 1;
            } else {
                let length = i + 1 - first;
                if length * 2 > MAX_TOKEN && !is_unbreakable[i] {
                    let log_odds = highest - inside;
                    if best.is_none_or(|(best, ..)| log_odds >= best) {
                        best = Some((log_odds, i, [sums().0, sums().1]));
                    }
                }
                if length >= MAX_TOKEN {
                    let (_, at, [sentence, token]) = best.unwrap_or((0.0, i, [0.0, 0.0]));
                    let (end, after) = (ends[at], features[at].after);
                    tokens.push(FoundToken {
                        start,
                        end,
                        is_multiword: false,
                        after,
                        sentence_end: sentence - token,
                    });
                    (first, i) = (at + 1, at);
                }
            }
            i += 1;
        }
        const { assert!(INSIDE == 0 && ENDS_TOKEN == 1 && ENDS_MULTIWORD == 2 && AND_SENTENCE == 2) };
    }

    /// Interpolates the log-odds of sentence ends with those of the word encoder, if any of them is uncertain.
    fn rescore_sentence_ends(&mut self, segmenter: &Segmenter, text: &str) {
        let Self { tokens, token_ends, words: reader, encodings, slots, .. } = self;
        let weight = segmenter.conventions.word_weight;
        let inner = tokens.len().saturating_sub(1);
        let is_uncertain = tokens[..inner].iter().any(|token| token.sentence_end.abs() < CERTAIN_LOG_ODDS);
        if let Some((words, scorer)) = segmenter.words.as_ref().filter(|_| is_uncertain && weight > 0.0) {
            let source = TokenItems { words, text, found: tokens };
            reader.read(&scorer.encoder, &source, encodings);
            for (i, token) in (0u32..).zip(tokens.iter_mut()) {
                let scores = scorer.head.scores(&encodings[0], &[i], &[], slots);
                token.sentence_end += weight * (scores[1] - scores[0] - token.sentence_end);
            }
        }
        token_ends.clear();
        token_ends.extend(
            tokens
                .iter()
                .map(|token| TokenEnd { end: token.end, probability: probability(token.sentence_end) }),
        );
    }
}

/// The characters of a text as items of the character encoder.
struct CharacterItems<'w> {
    features: &'w [CharacterFeatures],
    has_lexicon: bool,
}

impl ItemSource for CharacterItems<'_> {
    fn n_items(&self) -> usize {
        self.features.len()
    }

    fn key(&self, item: usize) -> u64 {
        self.features[item].key()
    }

    fn values(&self, item: usize, values: &mut Vec<Vec<u32>>) {
        fill(values, self.features[item].values(self.has_lexicon));
    }
}

/// The tokens of a text as items of the word encoder.
struct TokenItems<'w> {
    words: &'w WordVocabulary,
    text: &'w str,
    found: &'w [FoundToken],
}

impl TokenItems<'_> {
    fn form(&self, item: usize) -> &str {
        &self.text[self.found[item].start..self.found[item].end]
    }
}

impl ItemSource for TokenItems<'_> {
    fn n_items(&self) -> usize {
        self.found.len()
    }

    fn key(&self, item: usize) -> u64 {
        WordVocabulary::key(self.form(item), self.found[item].after)
    }

    fn values(&self, item: usize, values: &mut Vec<Vec<u32>>) {
        let values_of_token: WordValues = self.words.values(self.form(item), self.found[item].after);
        fill(values, values_of_token.into_iter());
    }
}

/// Fills in the values of an item: one value per attribute.
fn fill(values: &mut Vec<Vec<u32>>, new: impl Iterator<Item = u32>) {
    let mut n = 0;
    for (i, value) in new.enumerate() {
        if values.len() == i {
            values.push(Vec::new());
        }
        values[i].clear();
        values[i].push(value);
        n = i + 1;
    }
    values.truncate(n);
}

/// Whether there is always a cluster boundary between this character and another one of the same kind.
fn is_simple(c: char) -> bool {
    let code = u32::from(c);
    code < 0x300 || (0x370..0x483).contains(&code) || (0x48a..0x591).contains(&code) || is_cjk(code)
}

fn is_cjk(code: u32) -> bool {
    (0x3041..0x3099).contains(&code) || (0x30a0..0x3100).contains(&code) || (0x3400..0xa000).contains(&code)
}

/// ln(eᵃ + eᵇ).
#[inline]
fn log_sum(a: f32, b: f32) -> f32 {
    let (high, low) = if a > b { (a, b) } else { (b, a) };
    if high - low > 16.0 {
        return high;
    }
    #[allow(clippy::cast_possible_truncation, reason = "single precision is enough")]
    let more = ln(1.0 + exp(f64::from(low - high))) as f32;
    high + more
}

/// The logistic function: log-odds → probability.
fn probability(log_odds: f32) -> f32 {
    #[allow(clippy::cast_possible_truncation, reason = "single precision is enough")]
    let probability = (1.0 / (1.0 + exp(f64::from(-log_odds.clamp(-30.0, 30.0))))) as f32;
    probability
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_sums_and_probabilities() {
        assert!((log_sum(0.0, 1.0) - 1.313_26).abs() < 1e-3);
        assert!((log_sum(-900.0, 1.0) - 1.0).abs() < 1e-6);
        assert!((probability(0.0) - 0.5).abs() < 1e-6 && probability(-100.0) < 1e-6);
    }
}
