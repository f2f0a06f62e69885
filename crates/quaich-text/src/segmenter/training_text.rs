//! The text of a treebank with the class of every character, and stretches of it to learn from, different ones in every epoch.
//!
//! A part of the stretches is running text, the others are sentences in random order: a small treebank has too few neighbours of
//! sentences to learn their ends from. Lines are folded at random, a few sentences are in capitals or without any, a few spaces before and
//! after the last punctuation mark are changed, and a few paragraphs lack it.

use std::ops::Range;

use quaich_treebank::Sentence;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::characters::White;
use crate::surface::{Spacing, Start, is_without_spaces, surface_tokens};

/// A character of the text is within a token.
pub(crate) const INSIDE: u8 = 0;
/// It ends a token.
pub(crate) const ENDS_TOKEN: u8 = 1;
/// It ends a token that stands for several words; 2 more: and a sentence.
pub(crate) const ENDS_MULTIWORD: u8 = 2;
/// What is added to the class of a token's end when a sentence ends, too.
pub(crate) const AND_SENTENCE: u8 = 2;
/// The number of classes.
pub(crate) const N_CLASSES: usize = 5;

/// A character that is no white space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Labelled {
    pub(crate) c: char,
    pub(crate) class: u8,
    pub(crate) after: White,
}

impl Labelled {
    /// Whether a token ends.
    pub(crate) fn ends_token(self) -> bool {
        self.class != INSIDE
    }

    /// Whether a sentence ends.
    pub(crate) fn ends_sentence(self) -> bool {
        self.class > AND_SENTENCE
    }
}

/// The text of a treebank.
#[derive(Clone, Debug)]
pub(crate) struct TrainingText {
    pub(crate) chars: Vec<Labelled>,
    /// By sentence.
    pub(crate) sentences: Vec<Range<usize>>,
    /// By paragraph: its sentences.
    pub(crate) paragraphs: Vec<Range<usize>>,
    /// Where the spaces come from.
    pub(crate) spacing: Spacing,
    /// Whether there are tokens with spaces in them.
    pub(crate) has_inner_spaces: bool,
}

/// How stretches are made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Augmentation {
    /// The part of the text that is sentences in random order.
    pub(crate) shuffled: f32,
    /// Characters of a stretch, at least and at most.
    pub(crate) lengths: (usize, usize),
    /// The part of the stretches whose lines are folded.
    pub(crate) folded: f32,
    /// The part of the sentences in capitals, and of those without any.
    pub(crate) cased: f32,
    /// The part of the sentences with spaces changed.
    pub(crate) spaced: f32,
    /// The part of the paragraphs without their last punctuation mark.
    pub(crate) unfinished: f32,
}

impl Default for Augmentation {
    fn default() -> Self {
        Self { shuffled: 0.5, lengths: (60, 500), folded: 0.7, cased: 0.012, spaced: 0.01, unfinished: 0.05 }
    }
}

impl TrainingText {
    /// Takes the text of sentences.
    pub(crate) fn of(sentences: &[&Sentence]) -> Self {
        let spacing = Spacing::of(sentences.iter().copied());
        let mut text = Self {
            chars: Vec::new(),
            sentences: Vec::new(),
            paragraphs: Vec::new(),
            spacing,
            has_inner_spaces: false,
        };
        let (mut tokens, mut first) = (Vec::new(), 0);
        for sentence in sentences {
            if Start::of(sentence) > Start::Sentence {
                text.end_paragraph(&mut first);
            }
            let start = text.chars.len();
            surface_tokens(sentence, spacing, &mut tokens);
            for (i, token) in tokens.iter().enumerate() {
                if token.starts_paragraph && i > 0 {
                    // The sentence goes on, but nothing can be seen across paragraphs.
                    text.set_after(White::Paragraph);
                }
                text.push(token.form, token.is_multiword);
                text.set_after(if token.space_after { White::Space } else { White::None });
            }
            if let Some(last) = text.chars[start..].last_mut() {
                last.class += AND_SENTENCE;
                text.sentences.push(start..text.chars.len());
            }
        }
        text.end_paragraph(&mut first);
        text
    }

    fn push(&mut self, form: &str, is_multiword: bool) {
        let before = self.chars.len();
        for c in form.chars() {
            if !c.is_whitespace() {
                self.chars.push(Labelled { c, class: INSIDE, after: White::None });
            } else if self.chars.len() > before {
                self.has_inner_spaces = true;
                self.set_after(White::Space);
            }
        }
        if let Some(last) = self.chars[before..].last_mut() {
            last.class = if is_multiword { ENDS_MULTIWORD } else { ENDS_TOKEN };
        }
    }

    fn set_after(&mut self, white: White) {
        if let Some(last) = self.chars.last_mut() {
            last.after = white;
        }
    }

    fn end_paragraph(&mut self, first: &mut usize) {
        if *first < self.sentences.len() {
            self.set_after(White::Paragraph);
            self.paragraphs.push(*first..self.sentences.len());
            *first = self.sentences.len();
        }
    }

    /// Whether many tokens end between two letters, as in scripts without spaces.
    pub(crate) fn is_without_spaces(&self) -> bool {
        let (mut joined, mut all) = (0, 0);
        for pair in self.chars.windows(2).filter(|pair| pair[0].ends_token()) {
            all += 1;
            let is_letter = |c: char| c.is_alphabetic() || is_without_spaces(c);
            joined +=
                usize::from(pair[0].after == White::None && is_letter(pair[0].c) && is_letter(pair[1].c));
        }
        joined * 5 > all
    }

    /// The stretches of an epoch: about as many characters as the text has, times `times`. Each is handed out with whether it begins
    /// a paragraph; whether it ends one is told by its last character.
    pub(crate) fn stretches(
        &self,
        augmentation: &Augmentation,
        times: usize,
        generator: &mut impl Rng,
        mut each: impl FnMut(&[Labelled], White),
    ) {
        let mut stretch = Vec::new();
        let mut order: Vec<usize> = (0..self.sentences.len()).collect();
        for _ in 0..times.max(1) {
            self.running(augmentation, generator, &mut stretch, &mut each);
            order.shuffle(generator);
            let mut rest = &order[..];
            while !rest.is_empty() {
                let length = length(augmentation, generator);
                let taken = chance(augmentation.shuffled, generator);
                stretch.clear();
                let mut n = 0;
                while let ([first, others @ ..], true) = (rest, n < length) {
                    n += self.sentences[*first].len();
                    if taken {
                        let start = stretch.len();
                        stretch.extend_from_slice(&self.chars[self.sentences[*first].clone()]);
                        change_sentence(&mut stretch, start, augmentation, generator);
                        if let Some(last) = stretch.last_mut().filter(|last| last.after == White::Paragraph) {
                            last.after = White::Space;
                        }
                    }
                    rest = others;
                }
                if taken {
                    finish(&mut stretch, White::Space, augmentation, generator, &mut each);
                }
            }
        }
    }

    /// Stretches of running text, each within a paragraph.
    fn running(
        &self,
        augmentation: &Augmentation,
        generator: &mut impl Rng,
        stretch: &mut Vec<Labelled>,
        each: &mut impl FnMut(&[Labelled], White),
    ) {
        for paragraph in &self.paragraphs {
            let end = self.sentences[paragraph.end - 1].end;
            let mut sentence = paragraph.start;
            let mut at = self.sentences[sentence].start;
            let mut before = White::Paragraph;
            while at < end {
                let mut stop = end.min(at + length(augmentation, generator));
                // Half of them end with a sentence.
                let next = (sentence..paragraph.end).find(|&next| self.sentences[next].end >= stop);
                sentence = next.unwrap_or(paragraph.end - 1);
                if chance(0.5, generator) && self.sentences[sentence].end < stop + augmentation.lengths.1 {
                    stop = self.sentences[sentence].end;
                }
                if chance(1.0 - augmentation.shuffled, generator) {
                    stretch.clear();
                    let mut from = at;
                    for sentence in paragraph.clone().skip_while(|&s| self.sentences[s].end <= at) {
                        let to = self.sentences[sentence].end.min(stop);
                        let start = stretch.len();
                        stretch.extend_from_slice(&self.chars[from..to]);
                        change_sentence(stretch, start, augmentation, generator);
                        from = to;
                        if from >= stop {
                            break;
                        }
                    }
                    finish(stretch, before, augmentation, generator, each);
                }
                before = self.chars[stop - 1].after;
                at = stop;
            }
        }
    }
}

/// The length of the next stretch.
fn length(augmentation: &Augmentation, generator: &mut impl Rng) -> usize {
    let (least, most) = augmentation.lengths;
    generator.random_range(least..most.max(least + 1))
}

/// Whether something of this probability happens.
fn chance(probability: f32, generator: &mut impl Rng) -> bool {
    generator.random::<f32>() < probability
}

/// Changes a few sentences.
fn change_sentence(
    stretch: &mut [Labelled],
    start: usize,
    augmentation: &Augmentation,
    generator: &mut impl Rng,
) {
    let sentence = &mut stretch[start..];
    if chance(2.0 * augmentation.cased, generator) {
        let is_upper = chance(0.5, generator);
        for Labelled { c, .. } in &mut *sentence {
            *c = if is_upper { single(*c, c.to_uppercase()) } else { single(*c, c.to_lowercase()) };
        }
    }
    let Some(last) = sentence.last().filter(|last| last.ends_sentence()).copied() else { return };
    let n = sentence.len();
    if chance(augmentation.spaced, generator) && n > 1 && is_final(last.c) && sentence[n - 2].ends_token() {
        sentence[n - 2].after = if sentence[n - 2].after == White::None { White::Space } else { White::None };
    }
    if chance(augmentation.spaced, generator) && is_final(last.c) && last.after == White::Space {
        sentence[n - 1].after = White::None;
    }
}

/// Folds the lines of a stretch, says what is before and behind it, and hands it out.
fn finish(
    stretch: &mut Vec<Labelled>,
    before: White,
    augmentation: &Augmentation,
    generator: &mut impl Rng,
    each: &mut impl FnMut(&[Labelled], White),
) {
    let mut before = before;
    if chance(0.5, generator) {
        before = White::Paragraph;
    }
    if let Some(last) = stretch.last_mut().filter(|last| last.ends_sentence()) {
        if last.after != White::None && chance(0.5, generator) {
            last.after = White::Paragraph;
        }
        let last = *last;
        if last.after == White::Paragraph && is_final(last.c) && chance(augmentation.unfinished, generator) {
            stretch.pop();
            match stretch.last_mut() {
                Some(end) if end.ends_token() && !end.ends_sentence() => {
                    (end.class, end.after) = (end.class + AND_SENTENCE, White::Paragraph);
                }
                _ => stretch.push(last),
            }
        }
    }
    if chance(augmentation.folded, generator) {
        fold(stretch, generator);
    }
    if !stretch.is_empty() {
        each(stretch, before);
    }
}

/// Puts line ends in place of spaces, as if lines had a width.
fn fold(stretch: &mut [Labelled], generator: &mut impl Rng) {
    let width = generator.random_range(40..130);
    let mut column = generator.random_range(0..width);
    let mut space: Option<(usize, usize)> = None;
    for i in 0..stretch.len() {
        column += 1;
        if column > width
            && let Some((at, there)) = space.take()
        {
            stretch[at].after = White::Line;
            column -= there;
        }
        if stretch[i].after == White::Space {
            column += 1;
            space = Some((i, column));
        }
    }
}

/// Whether a character may be the last punctuation mark of a sentence.
fn is_final(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '।' | '॥' | '۔' | '؟' | ';' | ':')
}

/// A character in another case, if it is a single one there, too.
fn single(c: char, mut cased: impl Iterator<Item = char>) -> char {
    match (cased.next(), cased.next()) {
        (Some(cased), None) => cased,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use quaich_treebank::Treebank;
    use rand::SeedableRng;
    use rand_pcg::Pcg64Mcg;

    use super::*;

    fn text() -> TrainingText {
        let row = |(i, form): (usize, &str)| {
            let misc = if form.len() > 1 { "_" } else { "SpaceAfter=No" };
            format!("{}\t{form}\t_\t_\t_\t_\t0\troot\t_\t{misc}\n", i + 1)
        };
        let sentence = |text: &str| text.split(' ').enumerate().map(row).collect::<String>() + "\n";
        let text =
            format!("# newpar\n{}{}# newpar\n{}", sentence("aa b ."), sentence("cc"), sentence("dd ee !"));
        let treebank = Treebank::from_text(&text).unwrap();
        TrainingText::of(&treebank.iter().collect::<Vec<_>>())
    }

    #[test]
    fn characters_have_classes_and_white_space_after_them() {
        let text = text();
        let shown: String = text
            .chars
            .iter()
            .flat_map(|l| [l.c, char::from(b'0' + l.class), [' ', '_', '\n', '¶'][l.after as usize]])
            .collect();
        assert_eq!(shown, "a0 a1_b1 .3 c0 c3¶d0 d1_e0 e1_!3¶");
        assert_eq!((text.sentences.len(), text.paragraphs.len()), (3, 2));
    }

    #[test]
    fn stretches_are_the_text_whatever_is_done_to_it() {
        let text = text();
        for seed in 0..50 {
            for shuffled in [0.0, 0.5, 1.0] {
                let augmentation = Augmentation { shuffled, lengths: (2, 9), ..Augmentation::default() };
                let mut n = 0;
                text.stretches(&augmentation, 10, &mut Pcg64Mcg::seed_from_u64(seed), |stretch, _| {
                    assert!(stretch.iter().all(|labelled| usize::from(labelled.class) < N_CLASSES));
                    n += stretch.len();
                });
                assert!((50..160).contains(&n), "{n}");
            }
        }
    }
}
