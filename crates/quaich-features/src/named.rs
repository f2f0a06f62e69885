//! Built-in feature models by name, each a file in `models/`.

use quaich_treebank::UnknownName;

use crate::model::FeatureModel;

/// A built-in feature model.
#[derive(Debug)]
pub struct NamedModel {
    /// The name.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// The file.
    pub text: &'static str,
}

/// All built-in feature models, in the order of help.
pub static FEATURE_MODELS: &[NamedModel] = &[
    NamedModel {
        name: "default",
        about: "conjunctions of up to four values, for linear models",
        text: include_str!("../models/default.toml"),
    },
    NamedModel {
        name: "network",
        about: "single values, for the network",
        text: include_str!("../models/network.toml"),
    },
    NamedModel {
        name: "base",
        about: "the starting point of feature selection for CoNLL-X and CoNLL 2007 (Nivre et al. 2006)",
        text: include_str!("../models/base.toml"),
    },
    NamedModel {
        name: "phi1",
        about: "tags (Hall, Nivre and Nilsson 2006)",
        text: include_str!("../models/phi1.toml"),
    },
    NamedModel { name: "phi2", about: "tags and labels", text: include_str!("../models/phi2.toml") },
    NamedModel { name: "phi3", about: "tags, labels and words", text: include_str!("../models/phi3.toml") },
    NamedModel {
        name: "phi4",
        about: "like phi3, with more tags of the buffer",
        text: include_str!("../models/phi4.toml"),
    },
    NamedModel {
        name: "phi5",
        about: "like phi4, with more words and tags",
        text: include_str!("../models/phi5.toml"),
    },
    NamedModel {
        name: "lexical-2004",
        about: "words, tags and labels (Nivre, Hall and Nilsson 2004)",
        text: include_str!("../models/lexical-2004.toml"),
    },
    NamedModel {
        name: "nonlexical-2004",
        about: "like lexical-2004, without words",
        text: include_str!("../models/nonlexical-2004.toml"),
    },
    NamedModel {
        name: "undirected",
        about: "for undirected systems: linked nodes instead of heads (Gómez-Rodríguez and Fernández-González 2012)",
        text: include_str!("../models/undirected.toml"),
    },
    NamedModel {
        name: "malt:nivreeager",
        about: "MaltParser's default for arc-eager",
        text: include_str!("../models/malt-nivreeager.toml"),
    },
    NamedModel {
        name: "malt:nivrestandard",
        about: "MaltParser's default for arc-standard",
        text: include_str!("../models/malt-nivrestandard.toml"),
    },
    NamedModel {
        name: "malt:covnonproj",
        about: "MaltParser's default for covington",
        text: include_str!("../models/malt-covnonproj.toml"),
    },
    NamedModel {
        name: "malt:covproj",
        about: "MaltParser's default for covington-projective",
        text: include_str!("../models/malt-covproj.toml"),
    },
    NamedModel {
        name: "malt:stackproj",
        about: "MaltParser's default for stack-projective",
        text: include_str!("../models/malt-stackproj.toml"),
    },
    NamedModel {
        name: "malt:stackeager",
        about: "MaltParser's default for swap-eager",
        text: include_str!("../models/malt-stackeager.toml"),
    },
    NamedModel {
        name: "malt:stacklazy",
        about: "MaltParser's default for swap-lazy",
        text: include_str!("../models/malt-stacklazy.toml"),
    },
    NamedModel {
        name: "malt:planar",
        about: "MaltParser's default for planar",
        text: include_str!("../models/malt-planar.toml"),
    },
    NamedModel {
        name: "malt:2planar",
        about: "MaltParser's default for two-planar",
        text: include_str!("../models/malt-2planar.toml"),
    },
];

impl NamedModel {
    /// Returns the model with this name.
    pub fn by_name(name: &str) -> Result<&'static Self, UnknownName> {
        let known = || FEATURE_MODELS.iter().map(|named| named.name);
        let found = FEATURE_MODELS.iter().find(|named| named.name == name);
        found.ok_or_else(|| UnknownName::new("feature model", name, known()))
    }

    /// Returns the model.
    ///
    /// # Panics
    /// Never: models are built in, and a test parses all of them.
    pub fn model(&self) -> FeatureModel {
        FeatureModel::parse(self.text).expect("a built-in model is well-formed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_is_well_formed_and_written_as_it_is_read() {
        for named in FEATURE_MODELS {
            let model = named.model().without(|_| false);
            let written = |templates: &[crate::Template]| -> Vec<String> {
                templates.iter().map(ToString::to_string).collect()
            };
            let again = FeatureModel::from_lists(&written(&model.transition), &written(&model.label));
            assert_eq!(again.unwrap(), model, "{}", named.name);
        }
    }

    #[test]
    fn models_have_as_many_templates_as_the_papers_say() {
        let check = |name: &str, n: usize| {
            let model = NamedModel::by_name(name).unwrap().model();
            assert_eq!((model.transition.len(), model.label.len()), (n, n), "{name}");
        };
        for (name, n) in [
            ("base", 20),
            ("phi1", 3),
            ("phi2", 7),
            ("phi3", 9),
            ("phi4", 11),
            ("phi5", 14),
            ("lexical-2004", 9),
            ("nonlexical-2004", 7),
            ("undirected", 23),
            ("malt:nivreeager", 22),
            ("malt:nivrestandard", 21),
            ("malt:covnonproj", 26),
            ("malt:covproj", 22),
            ("malt:stackproj", 20),
            ("malt:stackeager", 21),
            ("malt:stacklazy", 21),
            ("malt:planar", 24),
            ("malt:2planar", 27),
        ] {
            check(name, n);
        }
        // No node has a head there.
        let undirected = NamedModel::by_name("undirected").unwrap().model();
        for template in undirected.transition.iter().chain(&undirected.label) {
            let text = template.to_string();
            assert!(!text.contains(".h") && text != "s0:d" && text != "b0:d", "{text}");
        }
        let error = NamedModel::by_name("malt:planer").unwrap_err().to_string();
        assert!(error.starts_with("unknown feature model `malt:planer`; known: malt:planar, "), "{error}");
    }
}
