//! Presets: settings that go together, by name.

use super::{LearnerName, Settings};

/// A named collection of settings.
#[derive(Debug)]
pub struct Preset {
    /// The name.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    settings: fn() -> Settings,
}

impl Preset {
    /// The settings.
    pub fn settings(&self) -> Settings {
        (self.settings)()
    }
}

/// The presets, in the order help shows them.
pub static PRESETS: &[Preset] = &[
    Preset {
        name: "balanced",
        about: "the default: a linear model and a network decide together",
        settings: Settings::default,
    },
    Preset {
        name: "fast",
        about: "the network alone: several times as fast, for a point or two of accuracy",
        settings: || Settings { learner: LearnerName::NETWORK, label_hidden: 64, ..Settings::default() },
    },
    Preset {
        name: "best",
        about: "as balanced, with more exploration, pruned only where that costs nothing",
        settings: || Settings { folds: 4, prune_loss: 0.0, ..Settings::default() },
    },
];
