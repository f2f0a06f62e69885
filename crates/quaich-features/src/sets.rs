//! Set values: the elements of a cell, the agreement of two sets, and the sets of a whole treebank.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use crate::hash;
use crate::tokens::Tokens;

/// An element of a set value: a feature's name and the whole feature, `Case` and `Case=Nom`. Hashed by default.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Element<T = u64> {
    /// The name of the feature.
    pub name: T,
    /// Name and value.
    pub value: T,
}

/// Sorts the elements from an index on, and removes duplicates.
pub(crate) fn sort_and_dedup<T: Copy + Ord>(elements: &mut Vec<Element<T>>, first: usize) {
    elements[first..].sort_unstable();
    let mut kept = first;
    for at in first..elements.len() {
        if at == first || elements[at] != elements[kept - 1] {
            elements[kept] = elements[at];
            kept += 1;
        }
    }
    elements.truncate(kept);
}

/// Visits every name that two sorted sets share, with whether they share a value of it.
#[inline]
pub(crate) fn agreements<T: Copy + Ord>(
    mut a: &[Element<T>],
    mut b: &[Element<T>],
    mut visit: impl FnMut(T, bool),
) {
    while let (Some(first), Some(second)) = (a.first(), b.first()) {
        match first.name.cmp(&second.name) {
            Ordering::Less => a = &a[1..],
            Ordering::Greater => b = &b[1..],
            Ordering::Equal => {
                let (one, rest) = with_name(first.name, a);
                let (other, other_rest) = with_name(first.name, b);
                visit(first.name, one.iter().any(|element| other.contains(element)));
                (a, b) = (rest, other_rest);
            }
        }
    }
}

/// Returns the elements with the name of the first, and the remaining ones. Mostly the first is the only one with its
/// name.
#[inline]
fn with_name<T: Copy + Ord>(name: T, elements: &[Element<T>]) -> (&[Element<T>], &[Element<T>]) {
    let n = 1 + elements[1..].iter().take_while(|element| element.name == name).count();
    elements.split_at(n)
}

/// Whole cells, by fingerprint, with their elements: stored with the fingerprints of training states, to compute set
/// values from them.
#[derive(Clone, Debug, Default)]
pub struct Sets {
    places: FxHashMap<u32, u32>,
    /// In first-seen order.
    cells: Vec<u32>,
    ends: Vec<u32>,
    elements: Vec<Element>,
}

impl Sets {
    /// Records the set values of a sentence.
    pub fn note(&mut self, tokens: &Tokens) {
        for (cell, elements) in tokens.sets() {
            self.insert(hash::fingerprint(cell), elements);
        }
    }

    /// Records the content of another list.
    pub fn append(&mut self, other: &Self) {
        for (place, &cell) in other.cells.iter().enumerate() {
            self.insert(cell, other.elements(place));
        }
    }

    /// Returns the elements of a cell; none if it was not recorded.
    #[inline]
    pub fn get(&self, fingerprint: u32) -> &[Element] {
        self.places.get(&fingerprint).map_or(&[], |&place| self.elements(place as usize))
    }

    /// Returns the number of recorded cells.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether no cell was recorded.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    fn insert(&mut self, cell: u32, elements: &[Element]) {
        if elements.is_empty() || self.places.contains_key(&cell) {
            return;
        }
        let small = |n: usize| u32::try_from(n).expect("fewer than 2³² different features");
        self.places.insert(cell, small(self.cells.len()));
        self.cells.push(cell);
        self.elements.extend_from_slice(elements);
        self.ends.push(small(self.elements.len()));
    }

    fn elements(&self, place: usize) -> &[Element] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.elements[start as usize..self.ends[place] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns elements from `Name=value` with names and values of one letter.
    fn set(texts: &str) -> Vec<Element<char>> {
        let element = |text: &str| {
            let mut letters = text.chars();
            let mut next = || letters.next().unwrap_or('-');
            Element { name: next(), value: next() }
        };
        let mut elements = texts.split_whitespace().map(element).collect();
        sort_and_dedup(&mut elements, 0);
        elements
    }

    #[test]
    fn sets_agree_in_what_both_have() {
        let check = |a: &str, b: &str, expected: &str| {
            for (a, b) in [(a, b), (b, a)] {
                let mut found = String::new();
                agreements(&set(a), &set(b), |name, same| found.extend([name, if same { '=' } else { '≠' }]));
                assert_eq!(found, expected, "{a} | {b}");
            }
        };
        check("", "", "");
        check("cn", "", "");
        check("cn ns", "cn ns", "c=n=");
        check("cn ns", "np ca", "c≠n≠");
        check("bx cn", "cn nx", "c=");
        check("ax bx cx dx", "bx dy", "b=d≠");
        // Several values of one name agree if any do.
        check("ca cn ns", "cn", "c=");
        check("ca cn", "cb cd cn ns", "c=");
        check("ca cn", "cb cd ns", "c≠");
        check("ca ca", "ca", "c=");
    }

    #[test]
    fn only_what_follows_is_sorted() {
        let mut elements = set("zz");
        elements.extend(set("bx"));
        elements.extend(set("ax"));
        elements.extend(set("bx"));
        sort_and_dedup(&mut elements, 1);
        assert_eq!(elements, [set("zz"), set("ax bx")].concat());
    }
}
