//! Which words of the two files are the same.
//!
//! Words that are tokens are the same if they are at the same place. Words of multiword tokens are aligned by their forms: a stretch of
//! the text that no multiword token of either file sticks out of is taken as a whole, and the longest common
//! subsequence of its words is what the files share.

use std::ops::Range;

use quaich_treebank::Role;

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
    let (mut g, mut s) = (0, 0);
    while let (Some(one), Some(other)) = (gold.words.get(g), system.words.get(s)) {
        if one.is_multiword || other.is_multiword {
            let (golds, systems) = multiword_stretch(&gold.words, &system.words, g, s);
            (g, s) = (golds.end, systems.end);
            align_forms(gold, system, golds, systems, &mut pairs);
        } else if one.span == other.span {
            pairs.push((g, s));
            (g, s) = (g + 1, s + 1);
        } else if one.span.start <= other.span.start {
            g += 1;
        } else {
            s += 1;
        }
    }
    let mut gold_of = vec![None; system.words.len()];
    for &(gold, system) in &pairs {
        gold_of[system] = Some(gold);
    }
    Alignment { pairs, gold_of }
}

/// The words of the smallest stretch that begins here and that no multiword token sticks out of.
fn multiword_stretch(
    gold: &[Word],
    system: &[Word],
    mut g: usize,
    mut s: usize,
) -> (Range<usize>, Range<usize>) {
    let mut end;
    // A word that begins before the multiword token of the other side is not in the stretch.
    if gold[g].is_multiword {
        end = gold[g].span.end;
        s += usize::from(!system[s].is_multiword && system[s].span.start < gold[g].span.start);
    } else {
        end = system[s].span.end;
        g += usize::from(!gold[g].is_multiword && gold[g].span.start < system[s].span.start);
    }
    let start = (g, s);
    let is_inside = |words: &[Word], index: usize, end: usize| {
        words
            .get(index)
            .is_some_and(|word| if word.is_multiword { word.span.start < end } else { word.span.end <= end })
    };
    while is_inside(gold, g, end) || is_inside(system, s, end) {
        let is_gold_next = match (gold.get(g), system.get(s)) {
            (Some(one), Some(other)) => one.span.start <= other.span.start,
            (one, _) => one.is_some(),
        };
        let (words, index) = if is_gold_next { (gold, &mut g) } else { (system, &mut s) };
        if words[*index].is_multiword {
            end = end.max(words[*index].span.end);
        }
        *index += 1;
    }
    (start.0..g, start.1..s)
}

/// Aligns words by their forms, whatever their case.
fn align_forms(
    gold: &Text,
    system: &Text,
    golds: Range<usize>,
    systems: Range<usize>,
    pairs: &mut Vec<(usize, usize)>,
) {
    let forms = |text: &Text, words: &Range<usize>| -> Vec<String> {
        words.clone().map(|word| without_spaces(text, word).to_lowercase()).collect()
    };
    let (gold_forms, system_forms) = (forms(gold, &golds), forms(system, &systems));
    let (n, m) = (gold_forms.len(), system_forms.len());
    // The length of the longest common subsequence of what is left from g and from s on.
    let mut longest = vec![0_u32; (n + 1) * (m + 1)];
    let at = |g: usize, s: usize| g * (m + 1) + s;
    for g in (0..n).rev() {
        for s in (0..m).rev() {
            let mut best = longest[at(g + 1, s)].max(longest[at(g, s + 1)]);
            if gold_forms[g] == system_forms[s] {
                best = best.max(1 + longest[at(g + 1, s + 1)]);
            }
            longest[at(g, s)] = best;
        }
    }
    let (mut g, mut s) = (0, 0);
    while g < n && s < m {
        if gold_forms[g] == system_forms[s] {
            pairs.push((golds.start + g, systems.start + s));
            (g, s) = (g + 1, s + 1);
        } else if longest[at(g, s)] == longest[at(g + 1, s)] {
            g += 1;
        } else {
            s += 1;
        }
    }
}

/// The form of a word as the scorers keep it: of a token without the white space inside.
fn without_spaces(text: &Text, word: usize) -> std::borrow::Cow<'_, str> {
    if text.words[word].is_multiword {
        text.value(word, Role::Form).into()
    } else {
        text.characters_of(&text.words[word]).into()
    }
}
