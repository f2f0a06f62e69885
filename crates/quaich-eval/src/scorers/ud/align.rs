//! Which words of the two files are the same.
//!
//! Both files are gone through together, from the left. Words that are tokens are the same if they have the same characters. A multiword token has several words
//! in the same characters; where one begins, a knot is taken out of both files, and its words are aligned by their forms.
//!
//! ```text
//! gold     a   bc=b+c   d e       a, then the knot { b c } with { b' c' d }, for `cd` sticks out of `bc`,
//! system   a   b  cd=c+d  e       and d with it; then e
//! ```

use std::borrow::Cow;
use std::ops::Range;

use quaich_treebank::Role;

use super::common::longest_common_subsequence;
use super::text::{Text, Word};

/// Pairs of words, gold and system, as places among the words of their files.
#[derive(Debug)]
pub(super) struct Alignment {
    pub(super) pairs: Vec<(usize, usize)>,
    /// The gold word of every word of the system that has one.
    gold_of: Vec<Option<usize>>,
}

impl Alignment {
    /// The gold word that a word of the system is.
    pub(super) fn gold_of(&self, system: usize) -> Option<usize> {
        self.gold_of[system]
    }
}

/// Aligns two files with the same characters.
pub(super) fn align(gold: &Text, system: &Text) -> Alignment {
    let mut pairs = Vec::new();
    let (mut golds, mut systems) = (Way::through(gold), Way::through(system));
    while let (Some(one), Some(other)) = (golds.next(), systems.next()) {
        if one.is_multiword || other.is_multiword {
            let (gold_knot, system_knot) = knot(&mut golds, &mut systems);
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

/// How far a file has been gone through.
struct Way<'a> {
    words: &'a [Word],
    at: usize,
}

impl<'a> Way<'a> {
    fn through(text: &'a Text) -> Self {
        Self { words: &text.words, at: 0 }
    }

    fn next(&self) -> Option<&'a Word> {
        self.words.get(self.at)
    }

    fn pass(&mut self) {
        self.at += 1;
    }

    /// The multiword token that is next, if it is one.
    fn multiword(&self) -> Option<&'a Word> {
        self.next().filter(|word| word.is_multiword)
    }

    /// Passes the token that begins before a multiword token of the other file, which is no part of its knot; gives the end of the
    /// multiword token.
    fn pass_to(&mut self, opening: &Word) -> usize {
        if self.next().is_some_and(|word| !word.is_multiword && word.span.start < opening.span.start) {
            self.pass();
        }
        opening.span.end
    }

    /// Whether the next word belongs to a knot that ends there: a multiword token that begins in it, or another token that is
    /// inside.
    fn is_tied(&self, end: usize) -> bool {
        self.next()
            .is_some_and(|word| if word.is_multiword { word.span.start < end } else { word.span.end <= end })
    }
}

/// The file whose next word begins first; the gold standard, if both do.
fn first<'w, 'a>(golds: &'w mut Way<'a>, systems: &'w mut Way<'a>) -> &'w mut Way<'a> {
    match (golds.next(), systems.next()) {
        (Some(one), Some(other)) if other.span.start < one.span.start => systems,
        (None, _) => systems,
        _ => golds,
    }
}

/// Passes the knot that begins here: the words of both files in the fewest characters that no multiword token sticks out of.
fn knot<'a>(golds: &mut Way<'a>, systems: &mut Way<'a>) -> (Range<usize>, Range<usize>) {
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

/// Forms of words as they are compared, whatever their case. Those of tokens are without the white space inside, as the scorers keep
/// them.
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
