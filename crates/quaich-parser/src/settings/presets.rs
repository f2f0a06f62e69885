//! Presets: settings that go together, by name.

use super::{Auto, LearnerName, Settings};

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
        about: "the default: words in context by small recurrent networks",
        settings: Settings::default,
    },
    Preset {
        name: "fast",
        about: "a feed-forward network with a linear model where it is in doubt: several times as fast, quick to train, some points less accurate",
        // On a held-out fifth of danish-ddt (with 15 % of the linear features) and on english-ewt's development file (with 10 %) the linear
        // model is worth 1.1 and 0.9 points of LAS if it is asked where the network leads by less than a nat, for a seventh of the speed.
        // Twice the passes of the network brought 0.4 points on the mean of four fifths.
        settings: || Settings {
            learner: LearnerName::LINEAR_AND_NETWORK,
            label_hidden: 64,
            network_passes: 20,
            network_weight: Auto::Given(0.1),
            sure: 1.0,
            keep: 0.1,
            ..Settings::default()
        },
    },
    Preset {
        name: "best",
        about: "six parsers over two encoders that vote: the most accurate, at a third of the speed",
        settings: || Settings { blend: true, ..Settings::default() },
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_has_settings_that_can_be_used() {
        for preset in PRESETS {
            preset.settings().check().unwrap();
        }
    }
}
