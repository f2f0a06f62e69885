//! Presets: named combinations of settings.

use super::Settings;

/// A named combination of settings.
#[derive(Debug)]
pub struct Preset {
    /// The name.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// The differences from the defaults.
    pub assignments: &'static [&'static str],
}

impl Preset {
    /// The settings.
    ///
    /// # Panics
    /// Never: a test sets all presets.
    pub fn settings(&self) -> Settings {
        let with = |settings: Settings, assignment: &&str| settings.with(assignment);
        let settings = self.assignments.iter().try_fold(Settings::default(), with);
        settings.expect("presets can be set").into_preset()
    }
}

/// The presets, in the order that help shows them.
pub static PRESETS: &[Preset] = &[
    Preset { name: "balanced", help: "small recurrent networks; the default of `train`", assignments: &[] },
    Preset {
        name: "fast",
        help: "linear model and feed-forward network for tagged words: parses them several times as fast, 1 to 6 points less accurate; quick to train with --parts parse",
        // On a held-out fifth of danish-ddt (with 15 % of the linear features) and on english-ewt's dev set (with 10 %), using the linear
        // model where the network's margin is below 1 gains 1.1 and 0.9 points of LAS, at a seventh of the speed. Twice the epochs of the
        // network gained 0.4 points on the mean of four fifths.
        assignments: &[
            "learner=linear+network",
            "parts=all",
            "network.label-hidden=64",
            "network.epochs=20",
            "mixture.network-weight=0.1",
            "mixture.margin-threshold=1",
            "linear.max-features=0.1",
        ],
    },
    Preset {
        name: "best",
        help: "ensemble of six parsers over two encoders: the most accurate, at a third to half of the speed",
        assignments: &["ensemble=six-over-two"],
    },
];
