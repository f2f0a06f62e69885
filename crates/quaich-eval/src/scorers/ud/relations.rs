//! The definitions of Universal Dependencies used by the scorers: content words, function words and universal features.

/// Relations of content words.
const CONTENT: [&str; 29] = [
    "nsubj",
    "obj",
    "iobj",
    "csubj",
    "ccomp",
    "xcomp",
    "obl",
    "vocative",
    "expl",
    "dislocated",
    "advcl",
    "advmod",
    "discourse",
    "nmod",
    "appos",
    "nummod",
    "acl",
    "amod",
    "conj",
    "fixed",
    "flat",
    "compound",
    "list",
    "parataxis",
    "orphan",
    "goeswith",
    "reparandum",
    "root",
    "dep",
];

/// Relations of function words.
const FUNCTIONAL: [&str; 7] = ["aux", "cop", "mark", "det", "clf", "case", "cc"];

/// The universal features.
const UNIVERSAL_FEATURES: [&str; 21] = [
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case",
    "Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person",
    "Polite",
];

/// Returns a relation without its subtype: `nsubj` for `nsubj:pass`.
pub(super) fn without_subtype(relation: &str) -> &str {
    relation.split(':').next().unwrap_or_default()
}

/// Whether a relation without its subtype is that of a content word.
pub(super) fn is_content(relation: &str) -> bool {
    CONTENT.contains(&relation)
}

/// Whether a relation without its subtype is that of a function word.
pub(super) fn is_functional(relation: &str) -> bool {
    FUNCTIONAL.contains(&relation)
}

/// Whether two cells have the same universal features, in any order.
pub(super) fn same_universal_features(one: &str, other: &str) -> bool {
    one == other || universal_features(one) == universal_features(other)
}

fn universal_features(cell: &str) -> Vec<&str> {
    let is_universal = |feature: &&str| {
        let name = feature.split('=').next().unwrap_or_default();
        UNIVERSAL_FEATURES.contains(&name)
    };
    let mut features: Vec<&str> = cell.split('|').filter(is_universal).collect();
    features.sort_unstable();
    features
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_features_and_their_order_do_not_matter() {
        for (one, other, same) in [
            ("Case=Nom|Number=Sing", "Number=Sing|Case=Nom", true),
            ("Case=Nom|Typo=Yes", "Case=Nom", true),
            ("Case=Nom", "Case=Acc", false),
            ("_", "Typo=Yes", true),
            ("_", "Case=Nom", false),
            ("Number[psor]=Sing", "_", true),
        ] {
            assert_eq!(same_universal_features(one, other), same, "{one} {other}");
        }
    }
}
