//! What is known of a model: where it comes from and how well it does.

use serde::{Deserialize, Serialize};

use crate::settings::Settings;

/// What a model file says about its model.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Description {
    /// The version of the format.
    pub format_version: u32,
    /// The version of the program that trained it.
    pub trained_by: String,
    /// The settings, as given.
    pub settings: Settings,
    /// Sentences learned from.
    pub sentences: usize,
    /// Tokens learned from.
    pub tokens: usize,
    /// A number that changes when the training text does, in hexadecimal.
    pub fingerprint: String,
    /// Whether training was ended before it was done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// Scores on the development set.
    pub dev: Option<Scores>,
    /// Whatever the user wanted noted: date, licence and so on.
    pub notes: Vec<(String, String)>,
}

/// How well a parser does.
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
