//! What several systems have right, sentence by sentence: all that the tests need.

use crate::analysis::Verdict;
use crate::panel::PanelSentence;
use crate::percent::Share;

/// A measure that systems are compared by.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    /// The key in JSON.
    pub key: &'static str,
    /// The name in tables.
    pub name: &'static str,
    /// How many tokens of a sentence are right.
    pub right: fn(&SentenceCounts) -> u32,
    /// Whether a token is.
    is_right: fn(Verdict) -> bool,
}

/// The measures that systems are compared by.
pub static COMPARED: [Compared; 3] = [
    Compared { key: "las", name: "LAS", right: |counts| counts.both, is_right: Verdict::both },
    Compared { key: "uas", name: "UAS", right: |counts| counts.heads, is_right: |verdict| verdict.head },
    Compared { key: "la", name: "LA", right: |counts| counts.labels, is_right: |verdict| verdict.label },
];

/// What a system has right in a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SentenceCounts {
    /// Scored tokens.
    pub tokens: u32,
    /// Those with the right head.
    pub heads: u32,
    /// Those with the right label.
    pub labels: u32,
    /// Those with both.
    pub both: u32,
}

impl SentenceCounts {
    fn add(&mut self, verdict: Verdict) {
        self.tokens += 1;
        self.heads += u32::from(verdict.head);
        self.labels += u32::from(verdict.label);
        self.both += u32::from(verdict.both());
    }
}

/// The tokens that only one of two systems has right.
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
    /// By sentence, then by system.
    counts: Vec<SentenceCounts>,
    /// By the first system, then by the second, then by measure; of pairs in order.
    discordant: Vec<[Discordant; COMPARED.len()]>,
}

impl Results {
    /// No sentences yet.
    pub fn new(n_systems: usize) -> Self {
        Self { n_systems, counts: Vec::new(), discordant: vec![Default::default(); n_systems * n_systems] }
    }

    /// Counts a sentence.
    ///
    /// # Panics
    /// When it has not as many systems.
    pub fn add(&mut self, sentence: &PanelSentence<'_>) {
        assert_eq!(sentence.n_systems(), self.n_systems, "the same systems for every sentence");
        let systems: Vec<Vec<Verdict>> =
            sentence.systems().map(|judged| judged.scored().map(|(_, verdict)| verdict).collect()).collect();
        self.add_verdicts(&systems);
    }

    /// Counts a sentence from the verdicts of every system on the same tokens.
    ///
    /// # Panics
    /// When there are not as many systems, or not as many verdicts for all of them.
    pub fn add_verdicts(&mut self, systems: &[Vec<Verdict>]) {
        assert_eq!(systems.len(), self.n_systems, "the same systems for every sentence");
        for verdicts in systems {
            assert_eq!(verdicts.len(), systems[0].len(), "the same tokens for every system");
            let mut counts = SentenceCounts::default();
            for &verdict in verdicts {
                counts.add(verdict);
            }
            self.counts.push(counts);
        }
        for (first, verdicts) in systems.iter().enumerate() {
            for (second, others) in systems.iter().enumerate().skip(first + 1) {
                let pair = &mut self.discordant[first * self.n_systems + second];
                for (&one, &other) in verdicts.iter().zip(others).filter(|(one, other)| one != other) {
                    for (measure, discordant) in COMPARED.iter().zip(pair.iter_mut()) {
                        let (one, other) = ((measure.is_right)(one), (measure.is_right)(other));
                        discordant.first += u64::from(one && !other);
                        discordant.second += u64::from(other && !one);
                    }
                }
            }
        }
    }

    /// How many systems there are.
    pub fn n_systems(&self) -> usize {
        self.n_systems
    }

    /// The sentences, each with the counts of all systems.
    pub fn sentences(&self) -> impl ExactSizeIterator<Item = &[SentenceCounts]> {
        self.counts.chunks_exact(self.n_systems.max(1))
    }

    /// The tokens that only one of two systems has right; the first must come before the second.
    pub fn discordant(&self, first: usize, second: usize, measure: usize) -> Discordant {
        self.discordant[first * self.n_systems + second][measure]
    }

    /// The score of a system over all sentences.
    pub fn total(&self, system: usize, measure: usize) -> Share {
        let mut total = Share::default();
        for systems in self.sentences() {
            total.part += u64::from((COMPARED[measure].right)(&systems[system]));
            total.whole += u64::from(systems[system].tokens);
        }
        total
    }
}
