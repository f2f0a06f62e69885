//! Options that several subcommands share.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use quaich::code::damage::{DAMAGES, Damage};
use quaich::code::files::{self, Found};
use quaich::code::{HEAD_RULES, LANGUAGES, Language};

use crate::output::Usage;

/// The source files of a command.
#[derive(Args)]
pub(super) struct Sources {
    /// Source files, and folders with source files
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,

    /// The language instead of detecting it from the extension; in folders, only its files are read, for C and C++ with all `.h`
    #[arg(long, value_name = "NAME", value_parser = languages())]
    language: Option<&'static Language>,
}

impl Sources {
    /// The language that was named.
    pub(super) fn language(&self) -> Option<&'static Language> {
        self.language
    }

    /// The files, which all have one language.
    pub(super) fn find(&self) -> anyhow::Result<(&'static Language, Vec<Found>)> {
        let found = files::find(&self.paths, self.language)?;
        let Some(first) = found.first() else {
            anyhow::bail!("{}: found no source files, expected some", self.shown());
        };
        let language = first.language;
        if found.iter().any(|file| file.language.name != language.name) {
            let has_files =
                |language: &&&Language| found.iter().any(|file| file.language.name == language.name);
            let names: Vec<&str> = LANGUAGES.iter().filter(has_files).map(|language| language.name).collect();
            let message = format!(
                "{}: found files of {}, expected one language; choose it with --language",
                self.shown(),
                names.join(", ")
            );
            return Err(Usage(message).into());
        }
        Ok((language, found))
    }

    fn shown(&self) -> String {
        let paths: Vec<String> = self.paths.iter().map(|path| path.display().to_string()).collect();
        paths.join(" ")
    }
}

pub(super) fn languages() -> impl TypedValueParser<Value = &'static Language> {
    let values = LANGUAGES.iter().map(|language| PossibleValue::new(language.name));
    // Only these names reach the map.
    PossibleValuesParser::new(values)
        .map(|name| LANGUAGES.into_iter().find(|language| language.name == name).unwrap_or(LANGUAGES[0]))
}

/// The names of head rules.
pub(super) fn head_rules() -> PossibleValuesParser {
    PossibleValuesParser::new(HEAD_RULES.map(|(name, about)| PossibleValue::new(name).help(about)))
}

/// The names of kinds of damage.
pub(super) fn damages() -> impl TypedValueParser<Value = Damage> {
    let values = DAMAGES.map(|(name, _, about)| PossibleValue::new(name).help(about));
    PossibleValuesParser::new(values).map(|name| {
        DAMAGES.iter().find(|(known, ..)| *known == name).map_or(DAMAGES[0].1, |(_, damage, _)| *damage)
    })
}
