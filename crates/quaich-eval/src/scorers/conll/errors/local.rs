//! Local contexts: descriptions of the word before an error, of the word itself and of the word after it. A word is
//! described by nothing, by its part-of-speech tag, or by tag and form.

use std::collections::BTreeMap;

use quaich_treebank::symbols::{Form, Tag};
use serde::Serialize;

use super::window::{Vocabulary, Word};

/// The words before, at and after an error.
pub(super) type Triple = [Word; 3];

/// The description of a triple: for each word nothing, a tag, or a tag and a form.
pub(super) type Pattern = [Option<(Tag, Option<Form>)>; 3];

/// A local context as text. Words without a description are empty.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct LocalContext {
    /// Tag and form of the word before.
    pub before: [String; 2],
    /// Those of the word itself.
    pub focus: [String; 2],
    /// Those of the word after.
    pub after: [String; 2],
}

impl LocalContext {
    pub(super) fn of(pattern: &Pattern, vocabulary: &Vocabulary) -> Self {
        let [before, focus, after] = pattern.map(|word| match word {
            None => [String::new(), String::new()],
            Some((tag, None)) => [vocabulary.tag(tag).to_owned(), String::new()],
            Some((tag, Some(form))) => [vocabulary.tag(tag), vocabulary.form((tag, form))].map(str::to_owned),
        });
        Self { before, focus, after }
    }

    /// Iterates over the texts in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&self.before, &self.focus, &self.after].into_iter().flatten().map(String::as_str)
    }
}

/// Returns the most common patterns of these triples, with their counts. Of patterns of the same triples, only the most
/// specific is included. A pattern of all triples does not distinguish frequent ones, so the next ones are included as
/// well.
pub(super) fn most_common(triples: &[Triple]) -> Vec<(Pattern, u64)> {
    let counts = count_patterns(triples);
    let mut telling = counts.clone();
    for (pattern, count) in &counts {
        for wider in wider(pattern) {
            if counts.get(&wider) == Some(count) {
                telling.remove(&wider);
            }
        }
    }
    let all = triples.len() as u64;
    let largest = |below: u64| telling.values().copied().filter(|&count| count < below).max();
    let shared_by_all = telling.values().any(|&count| count == all);
    let least = largest(if shared_by_all { all } else { u64::MAX }).unwrap_or(all);
    let mut found: Vec<_> = telling.into_iter().filter(|&(_, count)| count >= least).collect();
    found.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    found
}

/// Counts the triples of each pattern, except the empty pattern.
fn count_patterns(triples: &[Triple]) -> BTreeMap<Pattern, u64> {
    let mut counts = BTreeMap::new();
    for triple in triples {
        let levels = triple.map(|(tag, form)| [None, Some((tag, None)), Some((tag, Some(form)))]);
        for before in levels[0] {
            for focus in levels[1] {
                for after in levels[2] {
                    *counts.entry([before, focus, after]).or_insert(0) += 1;
                }
            }
        }
    }
    counts.remove(&[None; 3]);
    counts
}

/// Iterates over the patterns with one property less.
fn wider(pattern: &Pattern) -> impl Iterator<Item = Pattern> + '_ {
    (0..pattern.len()).filter_map(|at| {
        let mut wider = *pattern;
        wider[at] = match pattern[at]? {
            (tag, Some(_)) => Some((tag, None)),
            (_, None) => None,
        };
        Some(wider)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks triples as in `N/a V/b X/.` and their common patterns, with `-` for an empty description.
    fn check(triples: &[&str], expected: &[(&str, u64)]) {
        let (tag, form) = (|c: u8| Tag(u32::from(c)), |c: u8| Form(u32::from(c)));
        let read = |text: &&str| {
            let words: Vec<_> =
                text.split(' ').map(|word| (tag(word.as_bytes()[0]), form(word.as_bytes()[2]))).collect();
            Triple::try_from(words).unwrap()
        };
        let letter = |id: u32| char::from_u32(id).unwrap();
        let name = |pattern: &Pattern| {
            let words = pattern.map(|word| match word {
                None => "-".to_owned(),
                Some((Tag(tag), None)) => letter(tag).to_string(),
                Some((Tag(tag), Some(Form(form)))) => format!("{}/{}", letter(tag), letter(form)),
            });
            words.join(" ")
        };
        let triples: Vec<Triple> = triples.iter().map(read).collect();
        let mut found: Vec<_> =
            most_common(&triples).iter().map(|(pattern, count)| (name(pattern), *count)).collect();
        found.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
        let expected: Vec<_> = expected.iter().map(|&(name, count)| (name.to_owned(), count)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_pattern_that_says_most_of_what_is_most_common() {
        check(&["N/a V/b X/.", "N/c V/d X/.", "P/a D/e D/f"], &[("N V X/.", 2)]);
        check(&["N/a V/b X/.", "N/c D/d D/e", "P/f V/g P/h"], &[("- V -", 2), ("N - -", 2)]);
    }

    #[test]
    fn what_all_have_is_followed_by_the_next() {
        check(&["N/a V/b X/.", "N/c V/d D/e", "N/f P/g P/h"], &[("N - -", 3), ("N V -", 2)]);
        check(&["N/a V/b X/.", "N/a V/b X/."], &[("N/a V/b X/.", 2)]);
        check(&["N/a V/b X/."], &[("N/a V/b X/.", 1)]);
        check(&[], &[]);
    }
}
