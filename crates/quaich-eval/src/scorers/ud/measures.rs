//! The measures of two aligned files.

use std::fmt;
use std::ops::Range;

use quaich_treebank::Role;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::Year;
use super::align::Alignment;
use super::relations::{is_content, is_functional, same_universal_features};
use super::text::Text;
use crate::describe::ratio;

/// The results of the scorer of 2017 or 2018: all measures by name, in the scorer's order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    year: Year,
    /// The measures.
    pub measures: Vec<(&'static str, Counts)>,
}

/// The counts of a measure.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// The number correct.
    pub correct: u64,
    /// The number in the gold standard.
    pub gold: u64,
    /// The number in the system's analysis.
    pub system: u64,
    /// The number aligned, of those in the gold standard, if it matters for the measure.
    pub aligned: Option<u64>,
}

impl Counts {
    /// Returns precision in percent.
    pub fn precision(&self) -> f64 {
        100.0 * ratio(self.correct, self.system)
    }

    /// Returns recall in percent.
    pub fn recall(&self) -> f64 {
        100.0 * ratio(self.correct, self.gold)
    }

    /// Returns the harmonic mean of precision and recall in percent.
    pub fn f1(&self) -> f64 {
        100.0 * ratio(2 * self.correct, self.system + self.gold)
    }

    /// Returns the share of aligned words that are correct, in percent.
    pub fn aligned_accuracy(&self) -> Option<f64> {
        self.aligned.map(|aligned| 100.0 * ratio(self.correct, aligned))
    }
}

/// What is correct in a pair of words.
#[allow(clippy::struct_excessive_bools, reason = "each is a column, and measures use several")]
struct Right {
    upos: bool,
    xpos: bool,
    features: bool,
    lemma: bool,
    head: bool,
    relation: bool,
    function_words: bool,
}

/// A measure of words.
struct Measure {
    /// Its name in the scorer of 2017, if it exists there, and in that of 2018.
    names: (Option<&'static str>, &'static str),
    words: Words,
    /// What has to be correct.
    is_right: fn(&Right) -> bool,
}

/// The words that a measure counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    All,
    Content,
}

const MEASURES: &[Measure] = &[
    Measure { names: (Some("UPOS"), "UPOS"), words: Words::All, is_right: |right| right.upos },
    Measure { names: (Some("XPOS"), "XPOS"), words: Words::All, is_right: |right| right.xpos },
    Measure { names: (Some("Feats"), "UFeats"), words: Words::All, is_right: |right| right.features },
    Measure {
        names: (Some("AllTags"), "AllTags"),
        words: Words::All,
        is_right: |right| right.upos && right.xpos && right.features,
    },
    Measure { names: (Some("Lemmas"), "Lemmas"), words: Words::All, is_right: |right| right.lemma },
    Measure { names: (Some("UAS"), "UAS"), words: Words::All, is_right: |right| right.head },
    Measure {
        names: (Some("LAS"), "LAS"),
        words: Words::All,
        is_right: |right| right.head && right.relation,
    },
    Measure {
        names: (Some("CLAS"), "CLAS"),
        words: Words::Content,
        is_right: |right| right.head && right.relation,
    },
    Measure {
        names: (None, "MLAS"),
        words: Words::Content,
        is_right: |right| {
            right.head && right.relation && right.upos && right.features && right.function_words
        },
    },
    Measure {
        names: (None, "BLEX"),
        words: Words::Content,
        is_right: |right| right.head && right.relation && right.lemma,
    },
];

impl Year {
    /// Iterates over the measures with their names.
    fn measures(self) -> impl Iterator<Item = (&'static str, &'static Measure)> {
        MEASURES.iter().filter_map(move |measure| {
            let (of_2017, of_2018) = measure.names;
            let name = match self {
                Self::Of2017 => of_2017,
                Self::Of2018 => Some(of_2018),
            };
            Some((name?, measure))
        })
    }

    /// Whether a word counts in measures of content words.
    fn is_content(self, text: &Text, word: usize) -> bool {
        let relation = text.relation(word);
        match self {
            // All except function words and punctuation.
            Self::Of2017 => !is_functional(relation) && relation != "punct",
            Self::Of2018 => is_content(relation),
        }
    }

    fn same_features(self, one: &str, other: &str) -> bool {
        match self {
            Self::Of2017 => one == other,
            Self::Of2018 => same_universal_features(one, other),
        }
    }
}

impl Report {
    pub(super) fn new(year: Year, gold: &Text, system: &Text, alignment: &Alignment) -> Self {
        let spans = |golds: &[Range<usize>], systems: &[Range<usize>]| Counts {
            correct: common(golds, systems),
            gold: golds.len() as u64,
            system: systems.len() as u64,
            aligned: None,
        };
        let words = Counts {
            correct: alignment.pairs.len() as u64,
            gold: gold.words.len() as u64,
            system: system.words.len() as u64,
            aligned: None,
        };
        let n_content =
            |text: &Text| (0..text.words.len()).filter(|&word| year.is_content(text, word)).count() as u64;
        let content = Counts { gold: n_content(gold), system: n_content(system), ..Counts::default() };
        let mut measured: Vec<(&str, &Measure, Counts)> = year
            .measures()
            .map(|(name, measure)| {
                let of = if measure.words == Words::All { words } else { content };
                (name, measure, Counts { correct: 0, aligned: Some(0), ..of })
            })
            .collect();
        for &(one, other) in &alignment.pairs {
            let right = compare(year, (gold, one), (system, other), alignment);
            let is_content = year.is_content(gold, one);
            for (_, measure, counts) in &mut measured {
                if measure.words == Words::All || is_content {
                    counts.correct += u64::from((measure.is_right)(&right));
                    counts.aligned = counts.aligned.map(|aligned| aligned + 1);
                }
            }
        }
        let mut measures = vec![
            ("Tokens", spans(&gold.tokens, &system.tokens)),
            ("Sentences", spans(&gold.sentences, &system.sentences)),
            ("Words", words),
        ];
        measures.extend(measured.into_iter().map(|(name, _, counts)| (name, counts)));
        Self { year, measures }
    }
}

/// Returns the number of common spans.
fn common(golds: &[Range<usize>], systems: &[Range<usize>]) -> u64 {
    let (mut golds, mut systems) = (golds.iter().peekable(), systems.iter().peekable());
    let mut n = 0;
    while let (Some(gold), Some(system)) = (golds.peek(), systems.peek()) {
        match gold.start.cmp(&system.start) {
            std::cmp::Ordering::Less => drop(golds.next()),
            std::cmp::Ordering::Greater => drop(systems.next()),
            std::cmp::Ordering::Equal => {
                n += u64::from(gold.end == system.end);
                golds.next();
                systems.next();
            }
        }
    }
    n
}

fn compare(
    year: Year,
    (gold, one): (&Text, usize),
    (system, other): (&Text, usize),
    alignment: &Alignment,
) -> Right {
    let same = |role: Role| gold.value(one, role) == system.value(other, role);
    let same_features = |one: usize, other: usize| {
        year.same_features(gold.value(one, Role::Feats), system.value(other, Role::Feats))
    };
    // In 2018 any lemma is correct if the gold standard has none.
    let is_lemma_free = year == Year::Of2018 && gold.value(one, Role::Lemma) == "_";
    let (head, system_head) = (gold.words[one].head, system.words[other].head);
    let (function, system_function) = (&gold.words[one].function_words, &system.words[other].function_words);
    Right {
        upos: same(Role::CoarseTag),
        xpos: same(Role::FineTag),
        features: same_features(one, other),
        lemma: is_lemma_free || same(Role::Lemma),
        head: match (head, system_head) {
            (None, None) => true,
            (Some(head), Some(system_head)) => alignment.gold_of(system_head) == Some(head),
            _ => false,
        },
        relation: gold.relation(one) == system.relation(other),
        function_words: function.len() == system_function.len()
            && function.iter().zip(system_function).all(|(&one, &other)| {
                alignment.gold_of(other) == Some(one)
                    && gold.relation(one) == system.relation(other)
                    && gold.value(one, Role::CoarseTag) == system.value(other, Role::CoarseTag)
                    && same_features(one, other)
            }),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = if self.year == Year::Of2017 { "Metrics" } else { "Metric" };
        writeln!(f, "{title:10} | Precision |    Recall |  F1 Score | AligndAcc")?;
        writeln!(f, "-----------+-----------+-----------+-----------+-----------")?;
        for (name, counts) in &self.measures {
            let (precision, recall, f1) = (counts.precision(), counts.recall(), counts.f1());
            write!(f, "{name:11}|{precision:10.2} |{recall:10.2} |{f1:10.2} |")?;
            match counts.aligned_accuracy() {
                Some(accuracy) => writeln!(f, "{accuracy:10.2}")?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.measures.iter().map(|(name, counts)| (name, counts)))
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(7))?;
        map.serialize_entry("precision", &self.precision())?;
        map.serialize_entry("recall", &self.recall())?;
        map.serialize_entry("f1", &self.f1())?;
        map.serialize_entry("aligned_accuracy", &self.aligned_accuracy())?;
        map.serialize_entry("correct", &self.correct)?;
        map.serialize_entry("gold", &self.gold)?;
        map.serialize_entry("system", &self.system)?;
        map.end()
    }
}
