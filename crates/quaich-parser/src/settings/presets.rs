//! Presets: settings that go together, by name.

use quaich_transition::spec::SystemSpec;

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

/// The system that the recurrent network did best with on held-out parts of small treebanks.
fn swap_lazy() -> SystemSpec {
    "swap-lazy".parse().expect("a test makes the settings of every preset")
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
        about: "words in context by a recurrent network, and the lazy swap system: slower, far better on free word order",
        settings: || Settings { learner: LearnerName::RECURRENT, system: swap_lazy(), ..Settings::default() },
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
