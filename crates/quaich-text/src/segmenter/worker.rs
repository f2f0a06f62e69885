//! A part of a text → its tokens, and the probabilities that sentences end with them.

use std::ops::Range;

use quaich_learn::encoder::{Encoding, ItemSource, Reader, SlotScratch};
use quaich_learn::math::{exp, ln};
use unicode_segmentation::GraphemeCursor;

use super::characters::{CharacterCache, Seen, White};
use super::decode::TokenEnd;
use super::model::{Habits, Segmenter};
use super::training_text::{AND_SENTENCE, ENDS_MULTIWORD, ENDS_TOKEN, INSIDE};
use super::unbreakable::{self, Address};
use super::words::{WordValues, Words};

/// Tokens have no more characters.
const MAX_TOKEN: usize = 400;
/// Log-odds that leave no doubt: words are not asked.
const CERTAIN: f32 = 5.0;

/// What one thread needs to find tokens.
#[derive(Debug, Default)]
pub(crate) struct Worker {
    cache: CharacterCache,
    chars: Vec<char>,
    /// By character: where it ends in the text.
    ends: Vec<usize>,
    seen: Vec<Seen>,
    /// By character: whether no token may end with it.
    is_bound: Vec<bool>,
    addresses: Vec<(Range<usize>, Address)>,
    reader: Reader,
    encodings: Vec<Encoding>,
    slots: SlotScratch,
    words: Reader,
    /// What was found.
    pub(crate) tokens: Vec<Found>,
    /// The same, as far as sentences are concerned.
    pub(crate) token_ends: Vec<TokenEnd>,
}

/// A token that was found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Found {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) is_multiword: bool,
    after: White,
    /// The log-odds that a sentence ends.
    sentence: f32,
}

impl Worker {
    /// Finds the tokens of a text that has no blank lines in it, given what is before and behind it.
    pub(crate) fn find(&mut self, segmenter: &Segmenter, text: &str, (before, after): (White, White)) {
        self.read(segmenter, text, (before, after));
        self.bind(segmenter.habits, text);
        if let Some(lexicon) = &segmenter.lexicon {
            lexicon.mark(&self.chars, &mut self.seen);
        }
        let source = Characters { seen: &self.seen, has_words: segmenter.lexicon.is_some() };
        self.reader.read(&segmenter.scorer.encoder, &source, &mut self.encodings);
        self.split(segmenter);
        self.ask_words(segmenter, text);
    }

    /// Finds the tokens of a text that are separated by white space.
    pub(crate) fn find_separated(&mut self, text: &str) {
        self.tokens.clear();
        let mut end = 0;
        for form in text.split(char::is_whitespace) {
            let start = end;
            end = start + form.len();
            if !form.is_empty() {
                let found = Found { start, end, is_multiword: false, after: White::Space, sentence: 0.0 };
                self.tokens.push(found);
            }
            // The white space behind it.
            end += text[end..].chars().next().map_or(0, char::len_utf8);
        }
    }

    /// Takes the characters that are no white space.
    fn read(&mut self, segmenter: &Segmenter, text: &str, (before, after): (White, White)) {
        let Self { cache, chars, ends, seen, .. } = self;
        chars.clear();
        ends.clear();
        seen.clear();
        let mut white = before;
        for (at, c) in text.char_indices() {
            if let Some(this) = White::of(c) {
                white = white.max(this);
                continue;
            }
            if let Some(last) = seen.last_mut() {
                last.after = white;
            }
            seen.push(Seen { before: white, ..segmenter.characters.see_again(c, cache) });
            chars.push(c);
            ends.push(at + c.len_utf8());
            white = White::None;
        }
        if let Some(last) = seen.last_mut() {
            last.after = white.max(after);
        }
    }

    /// Finds where no token may end: inside grapheme clusters and addresses.
    fn bind(&mut self, habits: Habits, text: &str) {
        let Self { chars, ends, is_bound, addresses, .. } = self;
        is_bound.clear();
        is_bound.resize(chars.len(), false);
        let mut cursor = GraphemeCursor::new(0, text.len(), true);
        for (i, pair) in chars.windows(2).enumerate() {
            // Most characters begin a cluster whatever is before them.
            if !is_simple(pair[1]) || !is_simple(pair[0]) {
                cursor.set_cursor(ends[i]);
                let is_next = ends[i] + pair[1].len_utf8() == ends[i + 1];
                is_bound[i] = is_next && cursor.is_boundary(text, 0) == Ok(false);
            }
        }
        if !habits.has_whole_pages && !habits.has_whole_mails {
            return;
        }
        unbreakable::find(text, addresses);
        let mut i = 0;
        for (range, kind) in addresses {
            let is_whole = match kind {
                Address::Page => habits.has_whole_pages,
                Address::Mail => habits.has_whole_mails,
            };
            while i < ends.len() && ends[i] <= range.start {
                i += 1;
            }
            while i < ends.len() && ends[i] < range.end {
                is_bound[i] |= is_whole;
                i += 1;
            }
        }
    }

    /// Splits the text where the characters say so.
    fn split(&mut self, segmenter: &Segmenter) {
        let Self { chars, ends, seen, is_bound, encodings, slots, tokens, .. } = self;
        tokens.clear();
        // The token under way: its first character, and where it might be split if it gets too long.
        let (mut first, mut start) = (0, 0);
        let mut best: Option<(f32, usize, [f32; 2])> = None;
        let mut i = 0;
        while i < chars.len() {
            if i == first {
                start = ends[i] - chars[i].len_utf8();
                best = None;
            }
            #[allow(clippy::cast_possible_truncation, reason = "parts of a text are short")]
            let scores = segmenter.scorer.head.scores(&encodings[0], &[i as u32], &[], slots);
            let [inside, token, multiword, sentence, multiword_and_sentence] =
                [0, 1, 2, 3, 4].map(|class| scores[class]);
            let highest = scores[1..].iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let is_last = i + 1 == chars.len();
            let goes_on = match seen[i].after {
                White::None => false,
                White::Space => !segmenter.habits.has_inner_spaces,
                White::Line | White::Paragraph => true,
            };
            let is_forced = is_last || goes_on;
            // The sum of four is at most 1.4 higher than the highest.
            let is_doubtful = highest > inside - 1.4;
            let sums = || (log_sum(sentence, multiword_and_sentence), log_sum(token, multiword));
            let any = || log_sum(sums().0, sums().1);
            let ends_here =
                is_forced || (!is_bound[i] && is_doubtful && (highest > inside || any() > inside));
            if ends_here {
                let (ends_sentence, ends_token) = sums();
                tokens.push(Found {
                    start,
                    end: ends[i],
                    is_multiword: log_sum(multiword, multiword_and_sentence) > log_sum(token, sentence),
                    after: seen[i].after,
                    sentence: ends_sentence - ends_token,
                });
                first = i + 1;
            } else {
                let length = i + 1 - first;
                if length * 2 > MAX_TOKEN && !is_bound[i] {
                    let odds = highest - inside;
                    if best.is_none_or(|(best, ..)| odds >= best) {
                        best = Some((odds, i, [sums().0, sums().1]));
                    }
                }
                if length >= MAX_TOKEN {
                    let (_, at, [sentence, token]) = best.unwrap_or((0.0, i, [0.0, 0.0]));
                    let (end, after) = (ends[at], seen[at].after);
                    tokens.push(Found { start, end, is_multiword: false, after, sentence: sentence - token });
                    (first, i) = (at + 1, at);
                }
            }
            i += 1;
        }
        const { assert!(INSIDE == 0 && ENDS_TOKEN == 1 && ENDS_MULTIWORD == 2 && AND_SENTENCE == 2) };
    }

    /// Asks the second encoder where sentence ends are uncertain.
    fn ask_words(&mut self, segmenter: &Segmenter, text: &str) {
        let Self { tokens, token_ends, words: reader, encodings, slots, .. } = self;
        let share = segmenter.habits.weight_of_words;
        let inner = tokens.len().saturating_sub(1);
        let is_uncertain = tokens[..inner].iter().any(|token| token.sentence.abs() < CERTAIN);
        if let Some((words, scorer)) = segmenter.words.as_ref().filter(|_| is_uncertain && share > 0.0) {
            let source = Tokens { words, text, found: tokens };
            reader.read(&scorer.encoder, &source, encodings);
            for (i, token) in (0u32..).zip(tokens.iter_mut()) {
                let scores = scorer.head.scores(&encodings[0], &[i], &[], slots);
                token.sentence += share * (scores[1] - scores[0] - token.sentence);
            }
        }
        token_ends.clear();
        token_ends.extend(
            tokens.iter().map(|token| TokenEnd { end: token.end, probability: probability(token.sentence) }),
        );
    }
}

/// The characters of a text as items to encode.
struct Characters<'w> {
    seen: &'w [Seen],
    has_words: bool,
}

impl ItemSource for Characters<'_> {
    fn n_items(&self) -> usize {
        self.seen.len()
    }

    fn key(&self, item: usize) -> u64 {
        self.seen[item].key()
    }

    fn values(&self, item: usize, values: &mut Vec<Vec<u32>>) {
        fill(values, self.seen[item].values(self.has_words));
    }
}

/// Its tokens as items to encode.
struct Tokens<'w> {
    words: &'w Words,
    text: &'w str,
    found: &'w [Found],
}

impl Tokens<'_> {
    fn form(&self, item: usize) -> &str {
        &self.text[self.found[item].start..self.found[item].end]
    }
}

impl ItemSource for Tokens<'_> {
    fn n_items(&self) -> usize {
        self.found.len()
    }

    fn key(&self, item: usize) -> u64 {
        Words::key(self.form(item), self.found[item].after)
    }

    fn values(&self, item: usize, values: &mut Vec<Vec<u32>>) {
        let values_of_token: WordValues = self.words.values(self.form(item), self.found[item].after);
        fill(values, values_of_token.into_iter());
    }
}

/// One value per attribute.
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

/// Whether a character is a grapheme cluster of its own next to others that are.
fn is_simple(c: char) -> bool {
    let code = u32::from(c);
    code < 0x300 || (0x370..0x483).contains(&code) || (0x48a..0x591).contains(&code) || is_chinese(code)
}

fn is_chinese(code: u32) -> bool {
    (0x3041..0x3099).contains(&code) || (0x30a0..0x3100).contains(&code) || (0x3400..0xa000).contains(&code)
}

/// The logarithm of the sum of two numbers, given theirs.
#[inline]
fn log_sum(one: f32, other: f32) -> f32 {
    let (high, low) = if one > other { (one, other) } else { (other, one) };
    if high - low > 16.0 {
        return high;
    }
    #[allow(clippy::cast_possible_truncation, reason = "a float is exact enough")]
    let more = ln(1.0 + exp(f64::from(low - high))) as f32;
    high + more
}

/// The probability that has these log-odds.
fn probability(odds: f32) -> f32 {
    #[allow(clippy::cast_possible_truncation, reason = "a float is exact enough")]
    let probability = (1.0 / (1.0 + exp(f64::from(-odds.clamp(-30.0, 30.0))))) as f32;
    probability
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_of_sums() {
        assert!((log_sum(0.0, 1.0) - 1.313_26).abs() < 1e-3);
        assert!((log_sum(-900.0, 1.0) - 1.0).abs() < 1e-6);
        assert!((probability(0.0) - 0.5).abs() < 1e-6 && probability(-100.0) < 1e-6);
    }
}
