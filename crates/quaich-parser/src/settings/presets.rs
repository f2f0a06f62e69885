//! Presets: settings that go together, by name.

use super::Settings;

/// A named collection of settings.
#[derive(Debug)]
pub struct Preset {
    /// The name.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// What differs from the defaults.
    pub assignments: &'static [&'static str],
}

impl Preset {
    /// The settings.
    ///
    /// # Panics
    /// Never: a test sets them all.
    pub fn settings(&self) -> Settings {
        let with = |settings: Settings, assignment: &&str| settings.with(assignment);
        let settings = self.assignments.iter().try_fold(Settings::default(), with);
        settings.expect("presets can be set").into_preset()
    }
}

/// The presets, in the order help shows them.
pub static PRESETS: &[Preset] = &[
    Preset {
        name: "balanced",
        help: "the default: words in context by small recurrent networks",
        assignments: &[],
    },
    Preset {
        name: "fast",
        help: "a feed-forward network, with a linear model where its margin is small: several times as fast, quick to train, some points less accurate",
        // On a held-out fifth of danish-ddt (with 15 % of the linear features) and on english-ewt's development file (with 10 %) the linear
        // model is worth 1.1 and 0.9 points of LAS if it is asked where the network leads by less than 1, for a seventh of the speed.
        // Twice the epochs of the network brought 0.4 points on the mean of four fifths.
        assignments: &[
            "learner=linear+network",
            "network.label-hidden=64",
            "network.epochs=20",
            "mixture.network-weight=0.1",
            "mixture.margin-threshold=1",
            "linear.max-features=0.1",
        ],
    },
    Preset {
        name: "best",
        help: "an ensemble of six parsers over two encoders: the most accurate, at a third of the speed",
        assignments: &["ensemble=six-over-two"],
    },
];
