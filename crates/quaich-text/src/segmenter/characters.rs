//! The features of a character: the character itself in lower case, its Unicode category, the whitespace around it, and the lengths of
//! the training words that begin or end with it.

use quaich_learn::encoder::Attribute;
use quaich_learn::{Arrays, LoadError};
use rustc_hash::FxHashMap;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::lexicon::LONGEST_WORD;

/// The whitespace between two other characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) enum Whitespace {
    /// No whitespace.
    #[default]
    None,
    /// Spaces, tabs and similar characters on one line.
    Space,
    /// A line break.
    Line,
    /// A paragraph boundary.
    Paragraph,
}

impl Whitespace {
    /// The kind of a whitespace character; `None` for other characters.
    pub(crate) fn of(c: char) -> Option<Self> {
        let is_line = matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
        c.is_whitespace().then_some(if is_line { Self::Line } else { Self::Space })
    }

    /// The whitespace at the end of a text.
    pub(crate) fn trailing(text: &str) -> Self {
        text.chars().rev().map_while(Self::of).max().unwrap_or_default()
    }
}

const N_WHITESPACE: usize = 4;
const N_CATEGORIES: usize = 30;
/// Rarer characters are treated as unknown.
const MIN_COUNT: usize = 3;
/// The ID of unknown characters.
pub(crate) const UNKNOWN: u32 = 0;
/// The number of slots in a thread's cache of characters.
const CACHE_SIZE: usize = 1024;

/// The input features of a character.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct CharacterFeatures {
    pub(crate) id: u32,
    pub(crate) category: u8,
    /// The whitespace before and after.
    pub(crate) before: Whitespace,
    pub(crate) after: Whitespace,
    /// The length of the longest known word that begins here, and of the longest that ends here; 0 if there is none.
    pub(crate) starts: u8,
    pub(crate) ends: u8,
}

impl CharacterFeatures {
    /// A key that differs between characters with different features.
    pub(crate) fn key(self) -> u64 {
        let bytes = [self.category, self.before as u8 * 4 + self.after as u8, self.starts, self.ends];
        u64::from(self.id) << 32 | u64::from(u32::from_le_bytes(bytes))
    }

    /// The value of each attribute.
    pub(crate) fn values(self, has_lexicon: bool) -> impl Iterator<Item = u32> {
        let whitespace = u32::from(self.before as u8) * 4 + u32::from(self.after as u8);
        let values =
            [self.id, u32::from(self.category), whitespace, u32::from(self.starts), u32::from(self.ends)];
        values.into_iter().take(if has_lexicon { 5 } else { 3 })
    }
}

/// The known characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CharacterVocabulary {
    /// Sorted; the ID is the position, counted from 1.
    known: Vec<char>,
    ids: FxHashMap<char, u32>,
}

/// A direct-mapped cache of IDs and categories.
#[derive(Clone, Debug)]
pub(crate) struct CharacterCache(Vec<(char, u32, u8)>);

impl Default for CharacterCache {
    fn default() -> Self {
        // Every slot is filled with a character that belongs to a different slot, so that it never matches.
        Self((0..CACHE_SIZE).map(|slot| (if slot == 0 { '\u{1}' } else { '\0' }, 0, 0)).collect())
    }
}

impl CharacterVocabulary {
    /// Collects the frequent characters of a text.
    pub(crate) fn of(text: impl Iterator<Item = char>) -> Self {
        let mut counts = FxHashMap::<char, usize>::default();
        for c in text {
            *counts.entry(folded(c)).or_default() += 1;
        }
        #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
        let mut known: Vec<char> =
            counts.into_iter().filter(|(_, count)| *count >= MIN_COUNT).map(|(c, _)| c).collect();
        known.sort_unstable();
        Self::from_known(known)
    }

    fn from_known(known: Vec<char>) -> Self {
        let ids = known.iter().copied().zip(1..).collect();
        Self { known, ids }
    }

    /// The attributes of characters.
    pub(crate) fn attributes(&self, has_lexicon: bool) -> Vec<Attribute> {
        let attribute = |values, width| Attribute { values, width, is_bag: false };
        let lengths = attribute(LONGEST_WORD + 1, 8);
        let mut attributes = vec![
            attribute(self.known.len() + 1, 32),
            attribute(N_CATEGORIES, 8),
            attribute(N_WHITESPACE * N_WHITESPACE, 8),
        ];
        if has_lexicon {
            attributes.extend([lengths, lengths]);
        }
        attributes
    }

    /// The features of a character without its context.
    pub(crate) fn features(&self, c: char) -> CharacterFeatures {
        let id = self.ids.get(&folded(c)).copied().unwrap_or(UNKNOWN);
        CharacterFeatures { id, category: category(c), ..CharacterFeatures::default() }
    }

    /// Like [`features`](Self::features), with a cache.
    #[inline]
    pub(crate) fn cached_features(&self, c: char, cache: &mut CharacterCache) -> CharacterFeatures {
        let slot = &mut cache.0[c as usize % CACHE_SIZE];
        if slot.0 != c {
            let CharacterFeatures { id, category, .. } = self.features(c);
            *slot = (c, id, category);
        }
        CharacterFeatures { id: slot.1, category: slot.2, ..CharacterFeatures::default() }
    }

    /// Saves the vocabulary as an array.
    pub(crate) fn save(&self, arrays: &mut Arrays) {
        arrays.set("characters", &self.known.iter().map(|&c| u32::from(c)).collect::<Vec<_>>());
    }

    /// Loads the vocabulary.
    pub(crate) fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let known: Option<Vec<char>> =
            arrays.get::<u32>("characters")?.into_iter().map(char::from_u32).collect();
        let known = known.filter(|known| known.is_sorted_by(|a, b| a < b));
        let invalid = || LoadError::unfit("characters", "is not a sorted list of characters");
        Ok(Self::from_known(known.ok_or_else(invalid)?))
    }
}

/// A character in lower case, or `0` for any digit.
fn folded(c: char) -> char {
    if c.is_ascii() {
        return if c.is_ascii_digit() { '0' } else { c.to_ascii_lowercase() };
    }
    if c.general_category() == GeneralCategory::DecimalNumber {
        return '0';
    }
    c.to_lowercase().next().unwrap_or(c)
}

/// The number of a character's general category.
fn category(c: char) -> u8 {
    use GeneralCategory as G;
    match c.general_category() {
        G::UppercaseLetter => 0,
        G::LowercaseLetter => 1,
        G::TitlecaseLetter => 2,
        G::ModifierLetter => 3,
        G::OtherLetter => 4,
        G::NonspacingMark => 5,
        G::SpacingMark => 6,
        G::EnclosingMark => 7,
        G::DecimalNumber => 8,
        G::LetterNumber => 9,
        G::OtherNumber => 10,
        G::ConnectorPunctuation => 11,
        G::DashPunctuation => 12,
        G::OpenPunctuation => 13,
        G::ClosePunctuation => 14,
        G::InitialPunctuation => 15,
        G::FinalPunctuation => 16,
        G::OtherPunctuation => 17,
        G::MathSymbol => 18,
        G::CurrencySymbol => 19,
        G::ModifierSymbol => 20,
        G::OtherSymbol => 21,
        G::SpaceSeparator => 22,
        G::LineSeparator => 23,
        G::ParagraphSeparator => 24,
        G::Control => 25,
        G::Format => 26,
        G::Surrogate => 27,
        G::PrivateUse => 28,
        G::Unassigned => 29,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_digits_are_normalised() {
        let characters = CharacterVocabulary::of("aAaΣσΣ123xy".chars());
        let mut cache = CharacterCache::default();
        for c in "aAΣσ19".chars() {
            assert_ne!(characters.features(c).id, UNKNOWN, "{c}");
            assert_eq!(characters.cached_features(c, &mut cache), characters.features(c));
        }
        assert_eq!(characters.features('1').id, characters.features('9').id);
        assert_eq!(characters.features('\0').id, UNKNOWN);
        assert_eq!(characters.cached_features('\0', &mut cache), characters.features('\0'));
        assert_ne!(characters.features('a').category, characters.features('A').category);
        let mut arrays = Arrays::default();
        characters.save(&mut arrays);
        assert_eq!(CharacterVocabulary::load(&arrays), Ok(characters));
        arrays.set("characters", &[5u32, 3]);
        assert!(CharacterVocabulary::load(&arrays).is_err());
    }
}
