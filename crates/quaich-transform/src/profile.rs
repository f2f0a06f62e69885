//! Profiles: the labels and tags of conjunctions, separators, conjuncts and auxiliaries in a treebank, and its style of
//! coordination. Written in TOML; some are built in, and users can write their own.

use serde::Deserialize;

use crate::entry::{Choice, Chosen, FileUse, Word};
use crate::error::{Error, Result};

/// The properties of a treebank that transformations need.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Profile {
    /// Coordination, if the treebank has a known style.
    pub(crate) coordination: Option<CoordinationProfile>,
    /// Verb groups, if main verbs head auxiliaries.
    #[serde(rename = "verb-groups")]
    pub(crate) verb_groups: Option<VerbGroupProfile>,
}

/// The style of coordinations, and their labels.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CoordinationProfile {
    /// The style.
    pub(crate) style: Style,
    /// The labels of conjunctions.
    pub(crate) conjunctions: Vec<String>,
    /// Their tags, fine or coarse; any if empty.
    #[serde(default)]
    pub(crate) conjunction_tags: Vec<String>,
    /// The labels of other separators of conjuncts.
    #[serde(default)]
    pub(crate) separators: Vec<String>,
    /// The labels of conjuncts, except the first; not in Prague style.
    #[serde(default)]
    pub(crate) conjuncts: Vec<String>,
    /// The suffix of labels of conjuncts in Prague style.
    #[serde(default = "default_suffix")]
    pub(crate) conjunct_suffix: String,
    /// The labels of words above conjuncts that pass the suffix on to them, such as prepositions.
    #[serde(default)]
    pub(crate) through: Vec<String>,
    /// The labels that belong more often to dependents of the whole coordination than of a conjunct; used by `*`.
    #[serde(default)]
    pub(crate) shared: Vec<String>,
}

/// Which words of a coordination are heads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Style {
    /// The conjunction heads the conjuncts.
    Prague,
    /// The first conjunct heads the others; conjunctions and separators depend on the conjunct after them.
    FirstConjunct,
    /// Every conjunct heads the next, through the conjunction if there is one.
    Chain,
}

/// The labels of auxiliaries.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct VerbGroupProfile {
    /// The labels of auxiliaries under their main verbs.
    pub(crate) auxiliaries: Vec<String>,
    /// Their tags, fine or coarse; any if empty.
    #[serde(default)]
    pub(crate) auxiliary_tags: Vec<String>,
}

fn default_suffix() -> String {
    "_Co".to_owned()
}

/// The built-in profiles, in the order of [`PROFILES`].
const SHIPPED: [(&str, &str); 3] = [
    ("pdt", include_str!("../profiles/pdt.toml")),
    ("ddt", include_str!("../profiles/ddt.toml")),
    ("ud", include_str!("../profiles/ud.toml")),
];

/// The option for the profile.
pub(crate) const PROFILES: Choice = Choice {
    words: &[
        Word { name: "pdt", help: "labels of the Prague Dependency Treebank and similar treebanks" },
        Word { name: "ddt", help: "labels of the Danish Dependency Treebank" },
        Word { name: "ud", help: "labels of Universal Dependencies" },
    ],
    several: false,
};

/// A custom profile.
pub(crate) const FILE: FileUse = FileUse { what: "a profile", required: false };

impl Profile {
    /// Returns the chosen profile.
    pub(crate) fn chosen(chosen: &Chosen<'_>, choice: usize) -> Result<(String, Self)> {
        let (name, text) = match chosen.file() {
            Some(file) => (file.name.as_str(), file.text.as_str()),
            None => SHIPPED[chosen.word(choice)],
        };
        let profile = Self::parse(text)
            .map_err(|message| Error::File { file: name.to_owned(), message: message.trim().to_owned() })?;
        Ok((name.to_owned(), profile))
    }

    fn parse(text: &str) -> std::result::Result<Self, String> {
        let profile: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        if let Some(coordination) = &profile.coordination {
            if coordination.conjunctions.is_empty() {
                return Err("expected a label of conjunctions".to_owned());
            }
            if coordination.conjuncts.is_empty() && coordination.style != Style::Prague {
                return Err("expected a label of conjuncts, unless the style is `prague`".to_owned());
            }
            let suffix = &coordination.conjunct_suffix;
            if suffix.is_empty() || suffix.ends_with(['\\', '+', '>']) || suffix.contains(char::is_whitespace)
            {
                return Err(
                    "expected a suffix of conjuncts that does not end in a backslash, + or >".to_owned()
                );
            }
        }
        if profile.verb_groups.as_ref().is_some_and(|groups| groups.auxiliaries.is_empty()) {
            return Err("expected a label of auxiliaries".to_owned());
        }
        Ok(profile)
    }
}

/// Whether a label is one of these or a subtype: `aux:pass` is a subtype of `aux`.
pub(crate) fn matches(label: &str, known: &[String]) -> bool {
    known.iter().any(|known| {
        label.strip_prefix(known.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_profiles_are_sound() {
        for (name, text) in SHIPPED {
            let profile = Profile::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(profile.coordination.is_some(), "{name}");
        }
    }

    #[test]
    fn mistakes_are_reported() {
        let error = |text: &str| Profile::parse(text).unwrap_err();
        assert!(error("[coordination]\nstyle = \"prag\"").contains("unknown variant"));
        assert!(error("[cordination]").contains("unknown field"));
        assert!(
            error("[coordination]\nstyle = \"chain\"\nconjunctions = [\"cc\"]")
                .contains("label of conjuncts")
        );
        assert!(error("[verb-groups]\nauxiliaries = []").contains("label of auxiliaries"));
    }

    #[test]
    fn subtypes_match() {
        let known = ["aux".to_owned()];
        assert!(matches("aux", &known) && matches("aux:pass", &known));
        assert!(!matches("auxiliary", &known) && !matches("au", &known));
    }
}
