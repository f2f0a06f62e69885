//! The text of a treebank with the class of every character, and augmented samples of it for training, different in every epoch.
//!
//! Some samples are running text, the others consist of sentences in random order, because a small treebank has too few pairs of adjacent
//! sentences to learn sentence ends from. Augmentation wraps lines at random, changes a few sentences to upper or lower case, changes a few
//! spaces around final punctuation marks, and removes a few of these marks at the end of paragraphs.

use std::ops::Range;

use quaich_treebank::Sentence;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::characters::Whitespace;
use crate::surface::{Spacing, Start, is_without_spaces, surface_tokens};

/// The class of characters inside a token.
pub(crate) const INSIDE: u8 = 0;
/// The class of the last character of a token.
pub(crate) const ENDS_TOKEN: u8 = 1;
/// The class of the last character of a multiword token.
pub(crate) const ENDS_MULTIWORD: u8 = 2;
/// Added to the class of a token's last character if a sentence ends there, too.
pub(crate) const AND_SENTENCE: u8 = 2;
/// The number of classes.
pub(crate) const N_CLASSES: usize = 5;

/// A character with its class and the whitespace after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Labelled {
    pub(crate) c: char,
    pub(crate) class: u8,
    pub(crate) after: Whitespace,
}

impl Labelled {
    /// Whether a token ends after the character.
    pub(crate) fn ends_token(self) -> bool {
        self.class != INSIDE
    }

    /// Whether a sentence ends after the character.
    pub(crate) fn ends_sentence(self) -> bool {
        self.class > AND_SENTENCE
    }
}

/// The text of a treebank.
#[derive(Clone, Debug)]
pub(crate) struct TrainingText {
    pub(crate) chars: Vec<Labelled>,
    /// One per sentence: its characters.
    pub(crate) sentences: Vec<Range<usize>>,
    /// One per paragraph: its sentences.
    pub(crate) paragraphs: Vec<Range<usize>>,
    /// How the spaces were determined.
    pub(crate) spacing: Spacing,
    /// Whether some tokens contain spaces.
    pub(crate) has_spaces_in_tokens: bool,
}

/// Parameters of data augmentation. Rates are probabilities.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Augmentation {
    /// The share of samples with sentences in random order.
    pub(crate) shuffle_rate: f32,
    /// The minimum and the maximum number of characters of a sample.
    pub(crate) lengths: (usize, usize),
    /// The share of samples with wrapped lines.
    pub(crate) wrap_rate: f32,
    /// The share of sentences in upper case, and the share in lower case.
    pub(crate) case_rate: f32,
    /// The share of sentences with a changed space before the final punctuation mark, and the share with one after it.
    pub(crate) space_rate: f32,
    /// The share of paragraphs whose final punctuation mark is removed.
    pub(crate) unpunctuated_rate: f32,
}

impl Default for Augmentation {
    fn default() -> Self {
        Self {
            shuffle_rate: 0.5,
            lengths: (60, 500),
            wrap_rate: 0.7,
            case_rate: 0.012,
            space_rate: 0.01,
            unpunctuated_rate: 0.05,
        }
    }
}

impl TrainingText {
    /// The text of some sentences.
    pub(crate) fn of(sentences: &[&Sentence]) -> Self {
        let spacing = Spacing::of(sentences.iter().copied());
        let mut text = Self {
            chars: Vec::new(),
            sentences: Vec::new(),
            paragraphs: Vec::new(),
            spacing,
            has_spaces_in_tokens: false,
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
                    // The sentence continues, but the encoder does not read across paragraph boundaries.
                    text.set_after(Whitespace::Paragraph);
                }
                text.push(token.form, token.is_multiword);
                text.set_after(if token.space_after { Whitespace::Space } else { Whitespace::None });
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
                self.chars.push(Labelled { c, class: INSIDE, after: Whitespace::None });
            } else if self.chars.len() > before {
                self.has_spaces_in_tokens = true;
                self.set_after(Whitespace::Space);
            }
        }
        if let Some(last) = self.chars[before..].last_mut() {
            last.class = if is_multiword { ENDS_MULTIWORD } else { ENDS_TOKEN };
        }
    }

    fn set_after(&mut self, whitespace: Whitespace) {
        if let Some(last) = self.chars.last_mut() {
            last.after = whitespace;
        }
    }

    fn end_paragraph(&mut self, first: &mut usize) {
        if *first < self.sentences.len() {
            self.set_after(Whitespace::Paragraph);
            self.paragraphs.push(*first..self.sentences.len());
            *first = self.sentences.len();
        }
    }

    /// Whether more than a fifth of the tokens end between two adjacent letters, as in scripts without spaces.
    pub(crate) fn is_without_spaces(&self) -> bool {
        let (mut joined, mut all) = (0, 0);
        for pair in self.chars.windows(2).filter(|pair| pair[0].ends_token()) {
            all += 1;
            let is_letter = |c: char| c.is_alphabetic() || is_without_spaces(c);
            joined += usize::from(
                pair[0].after == Whitespace::None && is_letter(pair[0].c) && is_letter(pair[1].c),
            );
        }
        joined * 5 > all
    }

    /// Calls `each` with the samples of an epoch and the whitespace before them. Their total length is about `repeats` times that of the
    /// text.
    pub(crate) fn samples(
        &self,
        augmentation: &Augmentation,
        repeats: usize,
        generator: &mut impl Rng,
        mut each: impl FnMut(&[Labelled], Whitespace),
    ) {
        let mut sample = Vec::new();
        let mut order: Vec<usize> = (0..self.sentences.len()).collect();
        for _ in 0..repeats.max(1) {
            self.running_text(augmentation, generator, &mut sample, &mut each);
            order.shuffle(generator);
            let mut rest = &order[..];
            while !rest.is_empty() {
                let length = length(augmentation, generator);
                let is_used = chance(augmentation.shuffle_rate, generator);
                sample.clear();
                let mut n = 0;
                while let ([first, others @ ..], true) = (rest, n < length) {
                    n += self.sentences[*first].len();
                    if is_used {
                        let start = sample.len();
                        sample.extend_from_slice(&self.chars[self.sentences[*first].clone()]);
                        change_sentence(&mut sample, start, augmentation, generator);
                        if let Some(last) =
                            sample.last_mut().filter(|last| last.after == Whitespace::Paragraph)
                        {
                            last.after = Whitespace::Space;
                        }
                    }
                    rest = others;
                }
                if is_used {
                    finish_sample(&mut sample, Whitespace::Space, augmentation, generator, &mut each);
                }
            }
        }
    }

    /// Calls `each` with samples of running text, each within a paragraph.
    fn running_text(
        &self,
        augmentation: &Augmentation,
        generator: &mut impl Rng,
        sample: &mut Vec<Labelled>,
        each: &mut impl FnMut(&[Labelled], Whitespace),
    ) {
        for paragraph in &self.paragraphs {
            let end = self.sentences[paragraph.end - 1].end;
            let mut sentence = paragraph.start;
            let mut at = self.sentences[sentence].start;
            let mut before = Whitespace::Paragraph;
            while at < end {
                let mut stop = end.min(at + length(augmentation, generator));
                // Half of the samples end with a sentence.
                let next = (sentence..paragraph.end).find(|&next| self.sentences[next].end >= stop);
                sentence = next.unwrap_or(paragraph.end - 1);
                if chance(0.5, generator) && self.sentences[sentence].end < stop + augmentation.lengths.1 {
                    stop = self.sentences[sentence].end;
                }
                if chance(1.0 - augmentation.shuffle_rate, generator) {
                    sample.clear();
                    let mut from = at;
                    for sentence in paragraph.clone().skip_while(|&s| self.sentences[s].end <= at) {
                        let to = self.sentences[sentence].end.min(stop);
                        let start = sample.len();
                        sample.extend_from_slice(&self.chars[from..to]);
                        change_sentence(sample, start, augmentation, generator);
                        from = to;
                        if from >= stop {
                            break;
                        }
                    }
                    finish_sample(sample, before, augmentation, generator, each);
                }
                before = self.chars[stop - 1].after;
                at = stop;
            }
        }
    }
}

/// A random length for the next sample.
fn length(augmentation: &Augmentation, generator: &mut impl Rng) -> usize {
    let (min, max) = augmentation.lengths;
    generator.random_range(min..max.max(min + 1))
}

/// Returns true with this probability.
fn chance(probability: f32, generator: &mut impl Rng) -> bool {
    generator.random::<f32>() < probability
}

/// Changes the case and the spaces of a few sentences.
fn change_sentence(
    sample: &mut [Labelled],
    start: usize,
    augmentation: &Augmentation,
    generator: &mut impl Rng,
) {
    let sentence = &mut sample[start..];
    if chance(2.0 * augmentation.case_rate, generator) {
        let is_upper = chance(0.5, generator);
        for Labelled { c, .. } in &mut *sentence {
            *c = if is_upper { single(*c, c.to_uppercase()) } else { single(*c, c.to_lowercase()) };
        }
    }
    let Some(last) = sentence.last().filter(|last| last.ends_sentence()).copied() else { return };
    let n = sentence.len();
    if chance(augmentation.space_rate, generator) && n > 1 && is_final(last.c) && sentence[n - 2].ends_token()
    {
        sentence[n - 2].after =
            if sentence[n - 2].after == Whitespace::None { Whitespace::Space } else { Whitespace::None };
    }
    if chance(augmentation.space_rate, generator) && is_final(last.c) && last.after == Whitespace::Space {
        sentence[n - 1].after = Whitespace::None;
    }
}

/// Wraps the lines of a sample, sets the whitespace around it, and calls `each` with it.
fn finish_sample(
    sample: &mut Vec<Labelled>,
    before: Whitespace,
    augmentation: &Augmentation,
    generator: &mut impl Rng,
    each: &mut impl FnMut(&[Labelled], Whitespace),
) {
    let mut before = before;
    if chance(0.5, generator) {
        before = Whitespace::Paragraph;
    }
    if let Some(last) = sample.last_mut().filter(|last| last.ends_sentence()) {
        if last.after != Whitespace::None && chance(0.5, generator) {
            last.after = Whitespace::Paragraph;
        }
        let last = *last;
        if last.after == Whitespace::Paragraph
            && is_final(last.c)
            && chance(augmentation.unpunctuated_rate, generator)
        {
            sample.pop();
            match sample.last_mut() {
                Some(end) if end.ends_token() && !end.ends_sentence() => {
                    (end.class, end.after) = (end.class + AND_SENTENCE, Whitespace::Paragraph);
                }
                _ => sample.push(last),
            }
        }
    }
    if chance(augmentation.wrap_rate, generator) {
        wrap_lines(sample, generator);
    }
    if !sample.is_empty() {
        each(sample, before);
    }
}

/// Replaces spaces by line breaks, as if lines had a maximum width.
fn wrap_lines(sample: &mut [Labelled], generator: &mut impl Rng) {
    let width = generator.random_range(40..130);
    let mut column = generator.random_range(0..width);
    let mut space: Option<(usize, usize)> = None;
    for i in 0..sample.len() {
        column += 1;
        if column > width
            && let Some((at, there)) = space.take()
        {
            sample[at].after = Whitespace::Line;
            column -= there;
        }
        if sample[i].after == Whitespace::Space {
            column += 1;
            space = Some((i, column));
        }
    }
}

/// Whether a character is a punctuation mark that may end a sentence.
fn is_final(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '।' | '॥' | '۔' | '؟' | ';' | ':')
}

/// The character in the other case, if it is a single character there.
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
    fn characters_have_classes_and_following_whitespace() {
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
    fn samples_cover_the_text() {
        let text = text();
        for seed in 0..50 {
            for shuffle_rate in [0.0, 0.5, 1.0] {
                let augmentation = Augmentation { shuffle_rate, lengths: (2, 9), ..Augmentation::default() };
                let mut n = 0;
                text.samples(&augmentation, 10, &mut Pcg64Mcg::seed_from_u64(seed), |sample, _| {
                    assert!(sample.iter().all(|labelled| usize::from(labelled.class) < N_CLASSES));
                    n += sample.len();
                });
                assert!((50..160).contains(&n), "{n}");
            }
        }
    }
}
