//! The metadata of a model: its origin and its scores.

use serde::{Deserialize, Serialize};

use crate::settings::Settings;

/// The metadata of a model.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Description {
    /// The version of the model format.
    pub format_version: u32,
    /// The version of quaich that trained it.
    pub trained_by: String,
    /// The given settings.
    pub settings: Settings,
    /// The number of training sentences.
    pub sentences: usize,
    /// The number of training tokens.
    pub tokens: usize,
    /// A hash of the training text, in hexadecimal.
    pub fingerprint: String,
    /// Whether training was stopped early.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// Scores on the dev set.
    pub dev: Option<Scores>,
    /// Scores on the text of the dev set, from raw text to trees: the measures of CoNLL 2018, in percent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dev_text: Vec<(String, f64)>,
    /// The user's notes: date, licence and so on.
    pub notes: Vec<(String, String)>,
}

/// The scores of a parser.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Scores {
    /// Labelled attachment score, in percent of all tokens.
    pub las: f64,
    /// Unlabelled attachment score, in percent of all tokens.
    pub uas: f64,
    /// The expected calibration error of the probabilities.
    pub calibration_error: f64,
}

impl std::fmt::Display for Scores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LAS {:.2}, UAS {:.2}", self.las, self.uas)
    }
}
