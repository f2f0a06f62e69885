//! What the second encoder sees of a token: its form, its first and last characters, their categories, and whether white space follows.

use std::hash::Hasher;

use quaich_learn::encoder::Attribute;
use quaich_learn::{Arrays, LoadError};
use rustc_hash::{FxHashMap, FxHasher};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::characters::White;
use super::lexicon::strings;

/// Forms that occur less often are unknown.
const MIN_COUNT: usize = 2;
/// The identity of what is unknown.
const UNKNOWN: u32 = 0;
/// Characters of beginnings and of ends.
const AFFIX: usize = 3;
/// Ways of writing: see [`shape`].
const SHAPES: usize = 7;

/// The forms, beginnings and ends that are known, all in lower case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Words {
    forms: Strings,
    starts: Strings,
    ends: Strings,
}

/// Strings by number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Strings {
    /// In order; the number is the place, counted from 1.
    strings: Vec<String>,
    ids: FxHashMap<String, u32>,
}

/// The values of a token by attribute.
pub(crate) type WordValues = [u32; 6];

impl Words {
    /// Those that are frequent enough.
    pub(crate) fn of<'w>(forms: impl Iterator<Item = &'w str>) -> Self {
        let mut counts = [(); 3].map(|()| FxHashMap::<String, usize>::default());
        for form in forms {
            let form = form.to_lowercase();
            *counts[1].entry(first(&form).to_owned()).or_default() += 1;
            *counts[2].entry(last(&form).to_owned()).or_default() += 1;
            *counts[0].entry(form).or_default() += 1;
        }
        let [forms, starts, ends] = counts.map(Strings::frequent);
        Self { forms, starts, ends }
    }

    /// The attributes of tokens.
    pub(crate) fn attributes(&self) -> Vec<Attribute> {
        let attribute = |values, width| Attribute { values, width, is_bag: false };
        vec![
            attribute(self.forms.len(), 48),
            attribute(self.starts.len(), 16),
            attribute(self.ends.len(), 24),
            attribute(SHAPES, 8),
            attribute(SHAPES, 4),
            attribute(2, 4),
        ]
    }

    /// A number that is different for tokens that look different.
    pub(crate) fn key(form: &str, after: White) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write(form.as_bytes());
        hasher.write_u8(u8::from(after == White::None));
        hasher.finish()
    }

    /// The values of a token.
    pub(crate) fn values(&self, form: &str, after: White) -> WordValues {
        let lower = form.to_lowercase();
        let shape = |c: Option<char>| c.map_or(0, shape);
        [
            self.forms.id(&lower),
            self.starts.id(first(&lower)),
            self.ends.id(last(&lower)),
            shape(form.chars().next()),
            shape(form.chars().next_back()),
            u32::from(after == White::None),
        ]
    }

    /// The same of a token that might never have been seen.
    pub(crate) fn hide(values: &mut WordValues) {
        values[0] = UNKNOWN;
    }

    /// Puts everything among arrays.
    pub(crate) fn save(&self, arrays: &mut Arrays) {
        for (name, Strings { strings, .. }) in self.named() {
            arrays.set_bytes(name, strings.join("\n").into_bytes());
        }
    }

    /// Takes everything from arrays.
    pub(crate) fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let load = |name: &str| strings(name, arrays).map(Strings::from_strings);
        Ok(Self { forms: load("forms")?, starts: load("starts")?, ends: load("ends")? })
    }

    fn named(&self) -> [(&'static str, &Strings); 3] {
        [("forms", &self.forms), ("starts", &self.starts), ("ends", &self.ends)]
    }
}

impl Strings {
    fn frequent(counts: FxHashMap<String, usize>) -> Self {
        #[allow(clippy::iter_over_hash_type, reason = "they are sorted")]
        let mut strings: Vec<String> =
            counts.into_iter().filter(|(_, count)| *count >= MIN_COUNT).map(|(string, _)| string).collect();
        strings.sort_unstable();
        Self::from_strings(strings)
    }

    fn from_strings(strings: Vec<String>) -> Self {
        let ids = strings.iter().cloned().zip(1..).collect();
        Self { strings, ids }
    }

    /// The number of values, with that of unknown ones.
    fn len(&self) -> usize {
        self.strings.len() + 1
    }

    fn id(&self, string: &str) -> u32 {
        self.ids.get(string).copied().unwrap_or(UNKNOWN)
    }
}

/// The first characters.
fn first(form: &str) -> &str {
    form.char_indices().nth(AFFIX).map_or(form, |(at, _)| &form[..at])
}

/// The last characters.
fn last(form: &str) -> &str {
    form.char_indices().nth_back(AFFIX - 1).map_or(form, |(at, _)| &form[at..])
}

/// What kind of character this is.
fn shape(c: char) -> u32 {
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
    fn unknown_words_have_known_beginnings_and_ends() {
        let words = Words::of(["Running", "running", "runs", "sitting"].into_iter());
        let [known, other] = ["running", "runling"].map(|form| words.values(form, White::Space));
        assert_ne!(known[0], UNKNOWN);
        assert_eq!(other[0], UNKNOWN);
        assert_eq!(known[1..], other[1..]);
        let mut arrays = Arrays::default();
        words.save(&mut arrays);
        assert_eq!(Words::load(&arrays), Ok(words));
        assert_eq!((first("ähnlich"), last("ähnlich"), first("ab"), last("ab")), ("ähn", "ich", "ab", "ab"));
    }
}
