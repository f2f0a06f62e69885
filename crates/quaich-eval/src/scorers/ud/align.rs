//! Alignment of the words of two files.
//!
//! Both files are traversed in parallel from the left. Words that are tokens are aligned if they have the same
//! characters. A multiword token has several words for the same characters; where one begins, a region is taken out of
//! both files, and its words are aligned by their forms.
//!
//! ```text
//! gold     a   bc=b+c   d e       a, then the region { b c } with { b' c' d }, as `cd` overlaps the end of `bc`,
//! system   a   b  cd=c+d  e       and d with it; then e
//! ```

use std::borrow::Cow;
use std::ops::Range;

use quaich_treebank::Role;

use super::common::longest_common_subsequence;
use super::text::{Text, Word};

/// Pairs of words, gold and system, as indices into the words of their files.
#[derive(Debug)]
pub(super) struct Alignment {
    pub(super) pairs: Vec<(usize, usize)>,
    /// For each word of the system, the aligned gold word.
    gold_of: Vec<Option<usize>>,
}

impl Alignment {
    /// Returns the gold word aligned with a word of the system.
    pub(super) fn gold_of(&self, system: usize) -> Option<usize> {
        self.gold_of[system]
    }
}

/// Aligns two files with the same characters.
pub(super) fn align(gold: &Text, system: &Text) -> Alignment {
    let mut pairs = Vec::new();
    let (mut golds, mut systems) = (Cursor::through(gold), Cursor::through(system));
    while let (Some(one), Some(other)) = (golds.next(), systems.next()) {
        if one.is_multiword || other.is_multiword {
            let (gold_knot, system_knot) = region(&mut golds, &mut systems);
            let matches = longest_common_subsequence(&forms(gold, &gold_knot), &forms(system, &system_knot));
            pairs.extend(
                matches.iter().map(|&(one, other)| (gold_knot.start + one, system_knot.start + other)),
            );
        } else if one.span == other.span {
            pairs.push((golds.at, systems.at));
            golds.pass();
            systems.pass();
        } else {
            first(&mut golds, &mut systems).pass();
        }
    }
    let mut gold_of = vec![None; system.words.len()];
    for &(gold, system) in &pairs {
        gold_of[system] = Some(gold);
    }
    Alignment { pairs, gold_of }
}

/// The position in a file.
struct Cursor<'a> {
    words: &'a [Word],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn through(text: &'a Text) -> Self {
        Self { words: &text.words, at: 0 }
    }

    fn next(&self) -> Option<&'a Word> {
        self.words.get(self.at)
    }

    fn pass(&mut self) {
        self.at += 1;
    }

    /// Returns the next word if it is a multiword token.
    fn multiword(&self) -> Option<&'a Word> {
        self.next().filter(|word| word.is_multiword)
    }

    /// Skips the token that begins before a multiword token of the other file and is not part of its region; returns
    /// the end of the multiword token.
    fn pass_to(&mut self, opening: &Word) -> usize {
        if self.next().is_some_and(|word| !word.is_multiword && word.span.start < opening.span.start) {
            self.pass();
        }
        opening.span.end
    }

    /// Whether the next word belongs to a region that ends there: a multiword token that begins in it, or another token
    /// inside it.
    fn is_tied(&self, end: usize) -> bool {
        self.next()
            .is_some_and(|word| if word.is_multiword { word.span.start < end } else { word.span.end <= end })
    }
}

/// Returns the file whose next word begins first; the gold standard in a tie.
fn first<'w, 'a>(golds: &'w mut Cursor<'a>, systems: &'w mut Cursor<'a>) -> &'w mut Cursor<'a> {
    match (golds.next(), systems.next()) {
        (Some(one), Some(other)) if other.span.start < one.span.start => systems,
        (None, _) => systems,
        _ => golds,
    }
}

/// Skips the region that begins here: the shortest span of both files in which all multiword tokens end.
fn region<'a>(golds: &mut Cursor<'a>, systems: &mut Cursor<'a>) -> (Range<usize>, Range<usize>) {
    let mut end = match golds.multiword() {
        Some(opening) => systems.pass_to(opening),
        None => systems.multiword().map_or(0, |opening| golds.pass_to(opening)),
    };
    let start = (golds.at, systems.at);
    while golds.is_tied(end) || systems.is_tied(end) {
        let way = first(golds, systems);
        end = way.multiword().map_or(end, |word| word.span.end.max(end));
        way.pass();
    }
    (start.0..golds.at, start.1..systems.at)
}

/// Returns forms for comparison, ignoring case. Forms of tokens have no inner white space, as in the scorers.
fn forms(text: &Text, words: &Range<usize>) -> Vec<String> {
    let form = |word: usize| -> Cow<'_, str> {
        if text.words[word].is_multiword {
            text.value(word, Role::Form).into()
        } else {
            text.characters_of(&text.words[word]).into()
        }
    };
    words.clone().map(|word| form(word).to_lowercase()).collect()
}
