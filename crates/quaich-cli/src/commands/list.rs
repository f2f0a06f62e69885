//! `quaich list`: lists systems, learners, settings and other things with names.

use std::process::ExitCode;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use quaich::adaptation::METHODS;
use quaich::eval::breakdowns::BREAKDOWNS;
use quaich::eval::measures::MEASURES;
use quaich::eval::scorers::SCORERS;
use quaich::eval::significance::TESTS;
use quaich::eval::tree_measures::TREE_MEASURES;
use quaich::features::{FEATURE_MODELS, NamedModel};
use quaich::recipe::ENSEMBLES;
use quaich::settings::Scale;
use quaich::settings::{Group, PRESETS, groups};
use quaich::transform::TRANSFORMS;
use quaich::transition::systems::SYSTEMS;
use quaich::treebank::formats::FORMATS;
use quaich::{DECISIONS, learners, readers};
use serde::Serialize;

use crate::output;

/// List systems, learners, settings and more, with one line of help each
///
/// Settings are shown with their defaults and ranges, for `train --set NAME=VALUE`. Settings of a group, such as `linear.c`,
/// are used by some learners only.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich list
  quaich list systems
  quaich list settings --json")]
pub(crate) struct List {
    /// What to list [default: the names of the lists]
    #[arg(value_name = "WHAT", value_parser = kinds())]
    what: Option<&'static Kind>,

    /// Print JSON: an array of objects
    #[arg(long)]
    json: bool,
}

/// A list.
struct Kind {
    name: &'static str,
    about: &'static str,
    entries: fn() -> Vec<Entry>,
}

/// An entry of a list.
#[derive(Serialize)]
struct Entry {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    /// The scale of its values in a hyperparameter search.
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<&'static str>,
    /// The learners that use it, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    learners: Option<Vec<&'static str>>,
    about: String,
}

/// The lists, in the order of the help.
static KINDS: &[Kind] = &[
    Kind {
        name: "systems",
        about: "transition systems",
        entries: || {
            let entry = |system: &quaich::transition::systems::Entry| {
                Entry::new(system.name, format!("{}; derives {}", system.help, system.class))
            };
            SYSTEMS.iter().map(entry).collect()
        },
    },
    Kind {
        name: "learners",
        about: "learners",
        entries: || learners().map(|(name, about)| Entry::new(name, about)).collect(),
    },
    Kind {
        name: "decisions",
        about: "ways to predict a transition and its label",
        entries: || DECISIONS.iter().map(|decision| Entry::new(decision.name, decision.about)).collect(),
    },
    Kind {
        name: "transforms",
        about: "tree transformations",
        entries: || {
            let variants = |entry: &'static quaich::transform::Entry| {
                // Words of the first choice follow the name directly, all others come after any of those.
                let name = |number: usize, word: &str| match number {
                    0 => format!("{}:{word}", entry.name),
                    _ => format!("{}:…:{word}", entry.name),
                };
                let words = entry.choices.iter().enumerate().flat_map(move |(number, choice)| {
                    choice.words.iter().map(move |word| Entry::new(name(number, word.name), word.help))
                });
                std::iter::once(Entry::new(entry.name, entry.help)).chain(words)
            };
            TRANSFORMS.iter().flat_map(variants).collect()
        },
    },
    Kind {
        name: "features",
        about: "feature models",
        entries: || {
            let entry = |named: &NamedModel| {
                let model = named.model();
                let (n_transition, n_label) = (model.transition.len(), model.label.len());
                let about = format!("{} ({n_transition} for transitions, {n_label} for labels)", named.about);
                Entry::new(named.name, about)
            };
            FEATURE_MODELS.iter().map(entry).collect()
        },
    },
    Kind {
        name: "presets",
        about: "presets: named sets of settings",
        entries: || PRESETS.iter().map(|preset| Entry::new(preset.name, preset.help)).collect(),
    },
    Kind {
        name: "ensembles",
        about: "ensembles of parsers, for `train --ensemble`",
        entries: || ENSEMBLES.iter().map(|entry| Entry::new(entry.name, entry.help)).collect(),
    },
    Kind {
        name: "adaptations",
        about: "methods of domain adaptation, for `adapt --method`",
        entries: || METHODS.iter().map(|method| Entry::new(method.name, method.help)).collect(),
    },
    Kind {
        name: "formats",
        about: "treebank formats",
        entries: || FORMATS.iter().map(|format| Entry::new(format.name(), format.about())).collect(),
    },
    Kind { name: "settings", about: "settings of training", entries: settings },
    Kind {
        name: "scorers",
        about: "official scorers of shared tasks, for `eval --scorer`",
        entries: || SCORERS.iter().map(|scorer| Entry::new(scorer.name(), scorer.about())).collect(),
    },
    Kind {
        name: "tests",
        about: "significance tests between systems",
        entries: || TESTS.iter().map(|test| Entry::new(test.key, test.about)).collect(),
    },
    Kind {
        name: "measures",
        about: "measures of `eval`",
        entries: || {
            let of_tokens = MEASURES.iter().map(|measure| Entry::new(measure.key, measure.about));
            let of_trees = TREE_MEASURES.iter().map(|measure| Entry::new(measure.key, measure.about));
            of_tokens.chain(of_trees).collect()
        },
    },
    #[cfg(feature = "code")]
    Kind {
        name: "languages",
        about: "programming languages of `code`",
        entries: || {
            let about = |language: &quaich::code::Language| {
                let grammar = if language.has_grammar() { "with a grammar" } else { "without a grammar" };
                format!("files .{}; {grammar}", language.extensions.join(", ."))
            };
            quaich::code::LANGUAGES
                .iter()
                .map(|language| Entry::new(language.name, about(language)))
                .collect()
        },
    },
    #[cfg(feature = "code")]
    Kind {
        name: "head-rules",
        about: "head rules of `code treebank`",
        entries: || quaich::code::HEAD_RULES.iter().map(|(name, about)| Entry::new(*name, *about)).collect(),
    },
    #[cfg(feature = "code")]
    Kind {
        name: "damage",
        about: "kinds of damage of `code damage`",
        entries: || {
            quaich::code::damage::DAMAGES.iter().map(|(name, _, about)| Entry::new(*name, *about)).collect()
        },
    },
    Kind {
        name: "breakdowns",
        about: "breakdowns, for `eval --by`",
        entries: || {
            BREAKDOWNS.iter().map(|breakdown| Entry::new(breakdown.name(), breakdown.about())).collect()
        },
    },
];

fn kinds() -> impl TypedValueParser<Value = &'static Kind> {
    let values = KINDS.iter().map(|kind| PossibleValue::new(kind.name).help(kind.about));
    // Only these names reach the map.
    PossibleValuesParser::new(values)
        .map(|name| KINDS.iter().find(|kind| kind.name == name).unwrap_or(&KINDS[0]))
}

/// All settings, general ones first.
fn settings() -> Vec<Entry> {
    let of_group = |group: Group| {
        group.settings.iter().map(move |setting| Entry {
            name: group.full_name(setting),
            default: Some(setting.default().to_string()),
            range: Some(setting.range()),
            scale: Some(scale(setting.scale)),
            learners: (!group.name.is_empty()).then(|| readers(group.name)),
            about: setting.help.to_owned(),
        })
    };
    groups().flat_map(of_group).collect()
}

fn scale(scale: Scale) -> &'static str {
    match scale {
        Scale::Linear => "linear",
        Scale::Logarithmic => "logarithmic",
        Scale::Choice => "choice",
        Scale::Subset => "subset",
        Scale::Fixed => "not searched",
    }
}

impl Entry {
    fn new(name: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            default: None,
            range: None,
            scale: None,
            learners: None,
            about: about.into(),
        }
    }

    /// The left column: the name, with the default of a setting.
    fn left(&self) -> String {
        match &self.default {
            Some(default) => format!("{}={default}", self.name),
            None => self.name.clone(),
        }
    }

    /// The right column.
    fn right(&self) -> String {
        match &self.range {
            Some(range) => format!("{} ({range})", self.about),
            None => self.about.clone(),
        }
    }
}

impl List {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let lists = || KINDS.iter().map(|kind| Entry::new(kind.name, kind.about)).collect();
        let entries: Vec<Entry> = self.what.map_or_else(lists, |kind| (kind.entries)());
        if self.json {
            output::json(&entries)?;
            return Ok(ExitCode::SUCCESS);
        }
        output::text(&lines(&entries))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Entries as text, one per line.
fn lines(entries: &[Entry]) -> String {
    let width = entries.iter().map(|entry| entry.left().chars().count()).max().unwrap_or(0);
    let lines = entries.iter().map(|entry| format!("{:width$}  {}", entry.left(), entry.right()));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// The general settings, for the help of `train`.
pub(crate) fn settings_help() -> String {
    let general: Vec<Entry> = settings().into_iter().filter(|entry| entry.learners.is_none()).collect();
    format!(
        "General settings with their defaults, for --set NAME=VALUE and --config; `quaich list settings` also lists \
         those of the learners:\n{}",
        general.iter().map(paragraph).collect::<String>()
    )
}

/// An entry as a paragraph of the help.
fn paragraph(entry: &Entry) -> String {
    const WIDTH: usize = 96;
    const INDENT: &str = "          ";
    let mut text = format!("  {}", entry.left());
    let mut column = WIDTH;
    for word in entry.right().split(' ') {
        if column + word.chars().count() >= WIDTH {
            text.extend(["\n", INDENT]);
            column = INDENT.len();
        } else {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += word.chars().count();
    }
    text + "\n"
}
