//! Bracketing scores as in evalb (Black et al. 1991, PARSEVAL): the constituents that two analyses share.
//!
//! A bracket is a label and the span of its tokens. Brackets that occur several times must be found as often. Creating
//! brackets is up to the caller.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::agreement::Agreement;
use crate::describe::ratio;
use crate::percent::{Percent, Share};

/// A constituent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Bracket<L> {
    /// Its first token, counted from 0.
    pub start: usize,
    /// The token after its last.
    pub end: usize,
    /// Its label.
    pub label: L,
}

impl<L> Bracket<L> {
    /// Creates a constituent from `start` to before `end`.
    pub fn new(label: L, start: usize, end: usize) -> Self {
        Self { start, end, label }
    }
}

/// Removes tokens from brackets, as evalb removes punctuation: spans are shortened, and empty ones are removed.
#[must_use]
pub fn without_tokens<L: Clone>(
    brackets: &[Bracket<L>],
    is_left_out: impl Fn(usize) -> bool,
) -> Vec<Bracket<L>> {
    let longest = brackets.iter().map(|bracket| bracket.end).max().unwrap_or(0);
    // The new index of every token.
    let mut places = Vec::with_capacity(longest + 1);
    let mut place = 0;
    for token in 0..=longest {
        places.push(place);
        place += usize::from(!is_left_out(token));
    }
    let moved = brackets.iter().map(|bracket| Bracket {
        start: places[bracket.start.min(longest)],
        end: places[bracket.end],
        label: bracket.label.clone(),
    });
    moved.filter(|bracket| bracket.start < bracket.end).collect()
}

/// The counts of compared brackets.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct BracketScore {
    /// Sentences.
    pub sentences: u64,
    /// Those with the same brackets and labels.
    pub exact: u64,
    /// Those with the same brackets, regardless of labels.
    pub unlabelled_exact: u64,
    /// Brackets of the gold standard.
    pub gold: u64,
    /// Brackets of the system.
    pub system: u64,
    /// Those in both, with their labels.
    pub matched: u64,
    /// Those in both, regardless of labels.
    pub unlabelled_matched: u64,
    /// Brackets of the system that cross one of the gold standard.
    pub crossing: u64,
    /// Sentences without crossing brackets, and with at most two.
    pub few_crossing: [u64; 2],
}

impl BracketScore {
    /// Counts a sentence.
    pub fn add<L: Ord + Clone>(&mut self, gold: &[Bracket<L>], system: &[Bracket<L>]) {
        let (n_gold, n_system) = (gold.len() as u64, system.len() as u64);
        let labelled = n_common(gold.iter(), system.iter());
        let span = |bracket: &Bracket<L>| (bracket.start, bracket.end);
        let unlabelled = n_common(gold.iter().map(span), system.iter().map(span));
        let spans = Spans::new(gold);
        let crossing = system.iter().filter(|bracket| spans.cross(bracket)).count() as u64;
        self.sentences += 1;
        self.exact += u64::from(labelled == n_gold && labelled == n_system);
        self.unlabelled_exact += u64::from(unlabelled == n_gold && unlabelled == n_system);
        self.gold += n_gold;
        self.system += n_system;
        self.matched += labelled;
        self.unlabelled_matched += unlabelled;
        self.crossing += crossing;
        self.few_crossing[0] += u64::from(crossing == 0);
        self.few_crossing[1] += u64::from(crossing <= 2);
    }

    /// Adds the counts of another score.
    pub fn absorb(&mut self, other: &Self) {
        self.sentences += other.sentences;
        self.exact += other.exact;
        self.unlabelled_exact += other.unlabelled_exact;
        self.gold += other.gold;
        self.system += other.system;
        self.matched += other.matched;
        self.unlabelled_matched += other.unlabelled_matched;
        self.crossing += other.crossing;
        self.few_crossing[0] += other.few_crossing[0];
        self.few_crossing[1] += other.few_crossing[1];
    }

    /// Returns precision, recall and F with labels.
    pub fn labelled(&self) -> Agreement {
        self.agreement(self.matched)
    }

    /// Returns precision, recall and F without labels.
    pub fn unlabelled(&self) -> Agreement {
        self.agreement(self.unlabelled_matched)
    }

    fn agreement(&self, matched: u64) -> Agreement {
        Agreement { gold: self.gold, gold_found: matched, system: self.system, system_right: matched }
    }

    /// Returns the share of sentences with the same brackets and labels.
    pub fn exact_match(&self) -> Percent {
        Share::new(self.exact, self.sentences).percent()
    }

    /// Returns the share of sentences with the same brackets, regardless of labels.
    pub fn unlabelled_exact_match(&self) -> Percent {
        Share::new(self.unlabelled_exact, self.sentences).percent()
    }

    /// Returns the mean number of crossing brackets per sentence.
    pub fn average_crossing(&self) -> f64 {
        ratio(self.crossing, self.sentences)
    }
}

impl Serialize for BracketScore {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("sentences", &self.sentences)?;
        map.serialize_entry("labelled", &self.labelled())?;
        map.serialize_entry("unlabelled", &self.unlabelled())?;
        map.serialize_entry("exact_match", &self.exact_match())?;
        map.serialize_entry("unlabelled_exact_match", &self.unlabelled_exact_match())?;
        map.serialize_entry("average_crossing", &self.average_crossing())?;
        map.serialize_entry("no_crossing", &Share::new(self.few_crossing[0], self.sentences).percent())?;
        map.serialize_entry(
            "at_most_two_crossing",
            &Share::new(self.few_crossing[1], self.sentences).percent(),
        )?;
        map.end()
    }
}

/// The spans of brackets, arranged so that it takes constant time to see whether one of them crosses a bracket: an analysis of a
/// source file has tens of thousands.
struct Spans {
    /// By start, the largest end of the brackets that start there; in row k, of the 2^k starts from there.
    ends: Vec<Vec<usize>>,
    /// By end, the smallest start of the brackets that end there, likewise.
    starts: Vec<Vec<usize>>,
}

impl Spans {
    fn new<L>(brackets: &[Bracket<L>]) -> Self {
        let n = brackets.iter().map(|bracket| bracket.end + 1).max().unwrap_or(0);
        let (mut ends, mut starts) = (vec![0; n], vec![usize::MAX; n]);
        for bracket in brackets {
            ends[bracket.start] = ends[bracket.start].max(bracket.end);
            starts[bracket.end] = starts[bracket.end].min(bracket.start);
        }
        Self { ends: doubled(ends, usize::max), starts: doubled(starts, usize::min) }
    }

    /// Whether one of the brackets overlaps with this one, and neither is inside the other.
    fn cross<L>(&self, bracket: &Bracket<L>) -> bool {
        // It starts inside this one and ends after it, or the other way round.
        let inside = bracket.start + 1..bracket.end;
        best(&self.ends, inside.clone(), usize::max).is_some_and(|end| end > bracket.end)
            || best(&self.starts, inside, usize::min).is_some_and(|start| start < bracket.start)
    }
}

/// Returns the best values of all ranges whose length is a power of 2: row k has those of length 2^k, by their start.
fn doubled(values: Vec<usize>, better: impl Fn(usize, usize) -> usize) -> Vec<Vec<usize>> {
    let mut rows = vec![values];
    let mut length = 1;
    while let Some(row) = rows.last()
        && row.len() > length
    {
        let next = row.iter().zip(&row[length..]).map(|(&one, &other)| better(one, other)).collect();
        rows.push(next);
        length *= 2;
    }
    rows
}

/// Returns the best value of a range, as far as there are values.
fn best(
    rows: &[Vec<usize>],
    range: std::ops::Range<usize>,
    better: impl Fn(usize, usize) -> usize,
) -> Option<usize> {
    let end = range.end.min(rows[0].len());
    let length = end.checked_sub(range.start).filter(|&length| length > 0)?;
    // Two ranges that overlap cover it.
    let row = &rows[length.ilog2() as usize];
    Some(better(row[range.start], row[end - (1 << length.ilog2())]))
}

/// Returns the number of items that two lists share, each as often as it is in both.
fn n_common<T: Ord>(one: impl Iterator<Item = T>, other: impl Iterator<Item = T>) -> u64 {
    let mut left: BTreeMap<T, u64> = BTreeMap::new();
    for item in one {
        *left.entry(item).or_insert(0) += 1;
    }
    let mut n = 0;
    for item in other {
        if let Some(count) = left.get_mut(&item).filter(|count| **count > 0) {
            *count -= 1;
            n += 1;
        }
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the brackets of a tree in Penn Treebank notation, without part-of-speech tags.
    fn brackets(tree: &str) -> Vec<Bracket<String>> {
        let tree = tree.replace('(', " ( ").replace(')', " ) ");
        let mut words = tree.split_whitespace().peekable();
        let (mut open, mut found, mut n_tokens) = (Vec::new(), Vec::new(), 0);
        while let Some(word) = words.next() {
            match word {
                "(" => open.push((words.next().unwrap().to_owned(), n_tokens, false)),
                ")" => {
                    let (label, start, is_tag) = open.pop().unwrap();
                    if !is_tag {
                        found.push(Bracket::new(label, start, n_tokens));
                    }
                }
                _ => {
                    open.last_mut().unwrap().2 = true;
                    n_tokens += 1;
                }
            }
        }
        found
    }

    /// Checks labelled recall and precision, matched brackets of gold and system, unlabelled ones, crossing ones.
    fn check(gold: &str, system: &str, expected: &str) {
        let mut score = BracketScore::default();
        score.add(&brackets(gold), &brackets(system));
        let found = format!(
            "{} {} {} of {} {} unlabelled {} crossing {}",
            score.labelled().recall(),
            score.labelled().precision(),
            score.matched,
            score.gold,
            score.system,
            score.unlabelled_matched,
            score.crossing
        );
        assert_eq!(found, expected, "{gold}\n{system}");
    }

    #[test]
    fn worked_examples() {
        let gold = "(S (A (P this)) (B (Q is) (A (R a) (T test))))";
        check(gold, gold, "100.00 100.00 4 of 4 4 unlabelled 4 crossing 0");
        // Another label.
        check(
            gold,
            "(S (A (P this)) (B (Q is) (C (R a) (T test))))",
            "75.00 75.00 3 of 4 4 unlabelled 4 crossing 0",
        );
        // Part-of-speech tags are ignored.
        check(
            gold,
            "(S (A (P this)) (B (Q is) (A (U a) (T test))))",
            "100.00 100.00 4 of 4 4 unlabelled 4 crossing 0",
        );
        // A flat tree has fewer.
        check(
            gold,
            "(S (A (P this)) (Q is) (A (R a) (T test)))",
            "75.00 100.00 3 of 4 3 unlabelled 3 crossing 0",
        );
        // (this is) crosses (is a test).
        check(
            gold,
            "(S (A (P this) (Q is)) (A (R a) (T test)))",
            "50.00 66.67 2 of 4 3 unlabelled 2 crossing 1",
        );
        // A bracket that occurs twice must be found twice.
        check("(S (A (A (P this))))", "(S (A (P this)))", "66.67 100.00 2 of 3 2 unlabelled 2 crossing 0");
    }

    #[test]
    fn sentences_add_up() {
        let mut score = BracketScore::default();
        let gold = brackets("(S (A (P a) (P b)) (P c))");
        score.add(&gold, &gold);
        score.add(&gold, &brackets("(S (P a) (A (P b) (P c)))"));
        score.add(&gold, &brackets("(S (B (P a) (P b)) (P c))"));
        assert_eq!((score.gold, score.matched, score.unlabelled_matched), (6, 4, 5));
        assert_eq!(score.labelled().f1().to_string(), "66.67");
        assert_eq!(score.exact_match().to_string(), "33.33");
        assert_eq!(score.unlabelled_exact_match().to_string(), "66.67");
        assert!((score.average_crossing() - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(score.few_crossing, [2, 3]);
        let mut twice = score;
        twice.absorb(&score);
        assert_eq!(
            (twice.gold, twice.labelled().f1(), twice.average_crossing()),
            (12, score.labelled().f1(), score.average_crossing())
        );
        let json = serde_json::to_value(score).unwrap();
        assert_eq!(json["labelled"]["gold_found"], 4);
    }

    proptest::proptest! {
        #[test]
        fn crossing_brackets_are_those_that_overlap(
            gold in proptest::collection::vec((0..20usize, 0..20usize), 0..12),
            system in proptest::collection::vec((0..25usize, 0..25usize), 0..12),
        ) {
            let brackets = |spans: Vec<(usize, usize)>| {
                let brackets = spans.into_iter().map(|(a, b)| Bracket::new((), a.min(b), a.max(b) + 1));
                brackets.collect::<Vec<_>>()
            };
            let (gold, system) = (brackets(gold), brackets(system));
            let crosses = |one: &Bracket<()>, other: &Bracket<()>| {
                let overlap = one.start < other.end && other.start < one.end;
                let inside = (one.start >= other.start && one.end <= other.end)
                    || (other.start >= one.start && other.end <= one.end);
                overlap && !inside
            };
            let expected = system.iter().filter(|one| gold.iter().any(|other| crosses(one, other))).count();
            let mut score = BracketScore::default();
            score.add(&gold, &system);
            proptest::prop_assert_eq!(score.crossing, expected as u64);
        }
    }

    #[test]
    fn punctuation_may_be_left_out() {
        // Without the comma, which is the third token, both are the same.
        let one = without_tokens(&brackets("(S (A (P a) (P b) (C ,)) (B (P c)))"), |token| token == 2);
        let other = without_tokens(&brackets("(S (A (P a) (P b)) (X (C ,)) (B (P c)))"), |token| token == 2);
        let mut score = BracketScore::default();
        score.add(&one, &other);
        assert_eq!((score.exact, score.gold, score.system), (1, 3, 3));
        assert!(without_tokens::<&str>(&[], |_| true).is_empty());
    }
}
