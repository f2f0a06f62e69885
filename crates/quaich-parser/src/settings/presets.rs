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
        about: "the default: words in context by small recurrent networks",
        settings: Settings::default,
    },
    Preset {
        name: "fast",
        about: "a feed-forward network: several times as fast and quick to train, for a few points of accuracy",
        // Twice the passes brought 0.4 points on the mean of four held-out fifths: latin-perseus, hungarian-szeged,
        // basque-3lb, danish-ddt.
        settings: || Settings {
            learner: LearnerName::NETWORK,
            label_hidden: 64,
            network_passes: 20,
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
