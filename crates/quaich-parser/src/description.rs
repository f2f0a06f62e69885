//! The metadata of a model: its origin and its scores.

use std::collections::BTreeMap;

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
    /// The pretrained encoder from which training started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pretraining: Option<Box<PretrainingDescription>>,
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
    /// What an application stores with the model, by name; for example the programming language that it parses.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
}

/// The metadata of a pretrained encoder.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PretrainingDescription {
    /// The version of the model format.
    pub format_version: u32,
    /// The version of quaich that trained it.
    pub trained_by: String,
    /// The given settings.
    pub settings: Settings,
    /// The number of words of the text.
    pub words: usize,
    /// The number of those that were kept in memory.
    pub kept_words: usize,
    /// The number of sentences that were kept.
    pub sentences: usize,
    /// The number of words that training has seen, each as often as it came.
    pub seen_words: usize,
    /// The number of known forms.
    pub known_forms: usize,
    /// The number of known character n-grams.
    pub known_ngrams: usize,
    /// The most frequent forms, which show the language and the script.
    pub frequent: Vec<String>,
    /// The mean loss at the end: the negative log-probability of a hidden word.
    pub loss: f64,
    /// A hash of the text, in hexadecimal.
    pub fingerprint: String,
    /// The fingerprint of the encoder that was trained further, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continued: Option<String>,
    /// Whether training was stopped early.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
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
