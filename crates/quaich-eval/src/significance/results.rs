//! The correct tokens of several systems, sentence by sentence: the input of all tests.

use crate::analysis::TokenMatch;
use crate::comparison_reader::ComparedSentence;
use crate::percent::Share;

/// A measure by which systems are compared.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    /// The key in JSON.
    pub key: &'static str,
    /// The name in tables.
    pub name: &'static str,
    /// Returns the number of correct tokens of a sentence.
    pub right: fn(&SentenceCounts) -> u32,
    /// Whether a token is correct.
    is_right: fn(TokenMatch) -> bool,
}

/// The measures by which systems are compared.
pub static COMPARED: [Compared; 3] = [
    Compared { key: "las", name: "LAS", right: |counts| counts.both, is_right: TokenMatch::both },
    Compared {
        key: "uas",
        name: "UAS",
        right: |counts| counts.heads,
        is_right: |token_match| token_match.head,
    },
    Compared {
        key: "la",
        name: "LA",
        right: |counts| counts.labels,
        is_right: |token_match| token_match.label,
    },
];

/// The correct tokens of a system in a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SentenceCounts {
    /// Scored tokens.
    pub tokens: u32,
    /// Those with the correct head.
    pub heads: u32,
    /// Those with the correct label.
    pub labels: u32,
    /// Those with both.
    pub both: u32,
}

impl SentenceCounts {
    fn add(&mut self, token_match: TokenMatch) {
        self.tokens += 1;
        self.heads += u32::from(token_match.head);
        self.labels += u32::from(token_match.label);
        self.both += u32::from(token_match.both());
    }
}

/// The tokens that only one of two systems has correct.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Discordant {
    /// Only the first.
    pub first: u64,
    /// Only the second.
    pub second: u64,
}

/// The results of several systems on the same sentences.
#[derive(Clone, Debug)]
pub struct Results {
    n_systems: usize,
    /// By sentence and system.
    counts: Vec<SentenceCounts>,
    /// By first system, second system and measure, for pairs in order.
    discordant: Vec<[Discordant; COMPARED.len()]>,
}

impl Results {
    /// Creates results without sentences.
    pub fn new(n_systems: usize) -> Self {
        Self { n_systems, counts: Vec::new(), discordant: vec![Default::default(); n_systems * n_systems] }
    }

    /// Counts a sentence.
    ///
    /// # Panics
    /// If it has a different number of systems.
    pub fn add(&mut self, sentence: &ComparedSentence<'_>) {
        assert_eq!(sentence.n_systems(), self.n_systems, "the same systems for every sentence");
        let systems: Vec<Vec<TokenMatch>> = sentence
            .systems()
            .map(|pair| pair.scored().map(|(_, token_match)| token_match).collect())
            .collect();
        self.add_matches(&systems);
    }

    /// Counts a sentence from the matches of every system on the same tokens.
    ///
    /// # Panics
    /// If the number of systems differs, or the systems have different numbers of matches.
    pub fn add_matches(&mut self, systems: &[Vec<TokenMatch>]) {
        assert_eq!(systems.len(), self.n_systems, "the same systems for every sentence");
        for matches in systems {
            assert_eq!(matches.len(), systems[0].len(), "the same tokens for every system");
            let mut counts = SentenceCounts::default();
            for &token_match in matches {
                counts.add(token_match);
            }
            self.counts.push(counts);
        }
        for (first, matches) in systems.iter().enumerate() {
            for (second, others) in systems.iter().enumerate().skip(first + 1) {
                let pair = &mut self.discordant[first * self.n_systems + second];
                for (&one, &other) in matches.iter().zip(others).filter(|(one, other)| one != other) {
                    for (measure, discordant) in COMPARED.iter().zip(pair.iter_mut()) {
                        let (one, other) = ((measure.is_right)(one), (measure.is_right)(other));
                        discordant.first += u64::from(one && !other);
                        discordant.second += u64::from(other && !one);
                    }
                }
            }
        }
    }

    /// Counts a sentence from counts made before. Tests by token, such as `McNemar`'s, do not see it.
    ///
    /// # Panics
    /// If the number of systems differs.
    pub fn add_counts(&mut self, systems: &[SentenceCounts]) {
        assert_eq!(systems.len(), self.n_systems, "the same systems for every sentence");
        self.counts.extend_from_slice(systems);
    }

    /// Returns the number of systems.
    pub fn n_systems(&self) -> usize {
        self.n_systems
    }

    /// Iterates over the sentences, each with the counts of all systems.
    pub fn sentences(&self) -> impl ExactSizeIterator<Item = &[SentenceCounts]> {
        self.counts.chunks_exact(self.n_systems.max(1))
    }

    /// Returns the tokens that only one of two systems has correct; the first must come before the second.
    pub fn discordant(&self, first: usize, second: usize, measure: usize) -> Discordant {
        self.discordant[first * self.n_systems + second][measure]
    }

    /// Returns the score of a system over all sentences.
    pub fn total(&self, system: usize, measure: usize) -> Share {
        let mut total = Share::default();
        for systems in self.sentences() {
            total.part += u64::from((COMPARED[measure].right)(&systems[system]));
            total.whole += u64::from(systems[system].tokens);
        }
        total
    }
}
