//! The measures that can be maximised.

use quaich_eval::TokenMatch;
use quaich_eval::scorers::ud::{clas, mlas};
use quaich_treebank::{Node, Sentence};
use serde::{Deserialize, Serialize};

use crate::data::Facts;
use crate::error::{Error, Result};

/// A measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Labelled attachment score.
    #[default]
    Las,
    /// Unlabelled attachment score.
    Uas,
    /// Labelled attachment of content words.
    Clas,
    /// Labelled attachment of content words with their function words, for gold tags.
    Mlas,
    /// Parsing speed at the labelled attachment score of the start.
    SpeedAtLas,
}

/// All measures: names and help.
pub static MEASURES: &[(Measure, &str, &str)] = &[
    (Measure::Las, "LAS", "labelled attachment: head and label are correct"),
    (Measure::Uas, "UAS", "unlabelled attachment: the head is correct"),
    (Measure::Clas, "CLAS", "labelled attachment of content words (Universal Dependencies)"),
    (
        Measure::Mlas,
        "MLAS",
        "labelled attachment of content words and their function words, with gold tags (Universal Dependencies)",
    ),
    (
        Measure::SpeedAtLas,
        "speed-at-LAS",
        "words per second, at a LAS that is not lower than that of the start",
    ),
];

impl Measure {
    /// The name.
    ///
    /// # Panics
    /// Never: the table has all measures.
    pub fn name(self) -> &'static str {
        MEASURES
            .iter()
            .find(|(measure, ..)| *measure == self)
            .map(|(_, name, _)| *name)
            .expect("in the table")
    }

    /// The score that is compared: the measure, or the one that must not be lower.
    pub fn score_name(self) -> &'static str {
        if self == Self::SpeedAtLas { "LAS" } else { self.name() }
    }

    /// Checks that the measure has a meaning for a treebank.
    pub(crate) fn check(self, facts: &Facts) -> Result<()> {
        let needs_function_words = matches!(self, Self::Clas | Self::Mlas);
        if needs_function_words && !facts.has_function_words {
            return Err(Error::Usage(format!(
                "{} counts content words of Universal Dependencies, but the treebank has no relation of function words \
                 (aux, case, cc, clf, cop, det, mark)",
                self.name()
            )));
        }
        Ok(())
    }

    /// The number of right units of a sentence, and how many there are; for measures that are harmonic means, twice the number of right
    /// units, and the sum of the units of both analyses.
    pub(crate) fn count(self, gold: &Sentence, heads: &[Node], labels: &[&str]) -> (u32, u32) {
        let short = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        match self {
            Self::Clas | Self::Mlas => {
                let measured = if self == Self::Clas { clas } else { mlas };
                let counts = measured(gold, heads, labels);
                (short(2 * counts.correct), short(counts.gold + counts.system))
            }
            _ => {
                let scored =
                    gold.tokens().filter(|token| gold.heads()[token.index()].is_some()).map(|token| {
                        let head = gold.heads()[token.index()] == heads[token.index()];
                        TokenMatch { head, label: gold.label(token) == labels[token.index()] }
                    });
                let is_right = |token: &TokenMatch| if self == Self::Uas { token.head } else { token.both() };
                let (mut right, mut all) = (0, 0);
                for token in scored {
                    all += 1;
                    right += u32::from(is_right(&token));
                }
                (right, all)
            }
        }
    }
}

impl std::fmt::Display for Measure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
