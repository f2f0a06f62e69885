//! The features of a token for the word encoder: form, prefix, suffix, the kinds of the first and the last character, and whether
//! whitespace follows.

use std::hash::Hasher;

use quaich_learn::encoder::Attribute;
use quaich_learn::{Arrays, LoadError};
use rustc_hash::{FxHashMap, FxHasher};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::characters::Whitespace;
use super::lexicon::strings;

/// Rarer strings are treated as unknown.
const MIN_COUNT: usize = 2;
/// The ID of unknown strings.
const UNKNOWN: u32 = 0;
/// The number of characters of a prefix or suffix.
const AFFIX_LENGTH: usize = 3;
/// The number of character kinds, see [`character_kind`].
const N_KINDS: usize = 7;

/// The known forms, prefixes and suffixes, in lower case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct WordVocabulary {
    forms: Strings,
    prefixes: Strings,
    suffixes: Strings,
}

/// A bijection between strings and IDs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Strings {
    /// Sorted; the ID is the position, counted from 1.
    strings: Vec<String>,
    ids: FxHashMap<String, u32>,
}

/// The value of each attribute of a token.
pub(crate) type WordValues = [u32; 6];

impl WordVocabulary {
    /// Collects the frequent strings.
    pub(crate) fn of<'w>(forms: impl Iterator<Item = &'w str>) -> Self {
        let mut counts = [(); 3].map(|()| FxHashMap::<String, usize>::default());
        for form in forms {
            let form = form.to_lowercase();
            *counts[1].entry(prefix(&form).to_owned()).or_default() += 1;
            *counts[2].entry(suffix(&form).to_owned()).or_default() += 1;
            *counts[0].entry(form).or_default() += 1;
        }
        let [forms, prefixes, suffixes] = counts.map(Strings::frequent);
        Self { forms, prefixes, suffixes }
    }

    /// The attributes of tokens.
    pub(crate) fn attributes(&self) -> Vec<Attribute> {
        let attribute = |values, width| Attribute { values, width, is_bag: false };
        vec![
            attribute(self.forms.len(), 48),
            attribute(self.prefixes.len(), 16),
            attribute(self.suffixes.len(), 24),
            attribute(N_KINDS, 8),
            attribute(N_KINDS, 4),
            attribute(2, 4),
        ]
    }

    /// A key that differs between tokens with different features.
    pub(crate) fn key(form: &str, after: Whitespace) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write(form.as_bytes());
        hasher.write_u8(u8::from(after == Whitespace::None));
        hasher.finish()
    }

    /// The values of a token.
    pub(crate) fn values(&self, form: &str, after: Whitespace) -> WordValues {
        let lower = form.to_lowercase();
        let kind = |c: Option<char>| c.map_or(0, character_kind);
        [
            self.forms.id(&lower),
            self.prefixes.id(prefix(&lower)),
            self.suffixes.id(suffix(&lower)),
            kind(form.chars().next()),
            kind(form.chars().next_back()),
            u32::from(after == Whitespace::None),
        ]
    }

    /// Replaces the form by the unknown one, as if the token did not occur in training.
    pub(crate) fn mask_form(values: &mut WordValues) {
        values[0] = UNKNOWN;
    }

    /// Saves the vocabulary as arrays.
    pub(crate) fn save(&self, arrays: &mut Arrays) {
        for (name, Strings { strings, .. }) in self.named() {
            arrays.set_bytes(name, strings.join("\n").into_bytes());
        }
    }

    /// Loads the vocabulary.
    pub(crate) fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let load = |name: &str| strings(name, arrays).map(Strings::from_strings);
        Ok(Self { forms: load("forms")?, prefixes: load("starts")?, suffixes: load("ends")? })
    }

    fn named(&self) -> [(&'static str, &Strings); 3] {
        [("forms", &self.forms), ("starts", &self.prefixes), ("ends", &self.suffixes)]
    }
}

impl Strings {
    fn frequent(counts: FxHashMap<String, usize>) -> Self {
        #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
        let mut strings: Vec<String> =
            counts.into_iter().filter(|(_, count)| *count >= MIN_COUNT).map(|(string, _)| string).collect();
        strings.sort_unstable();
        Self::from_strings(strings)
    }

    fn from_strings(strings: Vec<String>) -> Self {
        let ids = strings.iter().cloned().zip(1..).collect();
        Self { strings, ids }
    }

    /// The number of IDs, including the one for unknown strings.
    fn len(&self) -> usize {
        self.strings.len() + 1
    }

    fn id(&self, string: &str) -> u32 {
        self.ids.get(string).copied().unwrap_or(UNKNOWN)
    }
}

/// The prefix of a form.
fn prefix(form: &str) -> &str {
    form.char_indices().nth(AFFIX_LENGTH).map_or(form, |(at, _)| &form[..at])
}

/// The suffix of a form.
fn suffix(form: &str) -> &str {
    form.char_indices().nth_back(AFFIX_LENGTH - 1).map_or(form, |(at, _)| &form[at..])
}

/// The kind of a character: uppercase, lowercase, other letter, digit, punctuation, symbol or other.
fn character_kind(c: char) -> u32 {
    if c.is_uppercase() {
        return 0;
    }
    match c.general_category_group() {
        GeneralCategoryGroup::Letter if c.is_lowercase() => 1,
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark => 2,
        GeneralCategoryGroup::Number => 3,
        GeneralCategoryGroup::Punctuation => 4,
        GeneralCategoryGroup::Symbol => 5,
        _ => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_words_have_known_prefixes_and_suffixes() {
        let words = WordVocabulary::of(["Running", "running", "runs", "sitting"].into_iter());
        let [known, other] = ["running", "runling"].map(|form| words.values(form, Whitespace::Space));
        assert_ne!(known[0], UNKNOWN);
        assert_eq!(other[0], UNKNOWN);
        assert_eq!(known[1..], other[1..]);
        let mut arrays = Arrays::default();
        words.save(&mut arrays);
        assert_eq!(WordVocabulary::load(&arrays), Ok(words));
        assert_eq!(
            (prefix("ähnlich"), suffix("ähnlich"), prefix("ab"), suffix("ab")),
            ("ähn", "ich", "ab", "ab")
        );
    }
}
