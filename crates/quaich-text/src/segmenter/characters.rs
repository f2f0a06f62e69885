//! What the encoder sees of a character: itself without its case, its category, the white space around it, and where words of the
//! training text begin and end with it.

use quaich_learn::encoder::Attribute;
use quaich_learn::{Arrays, LoadError};
use rustc_hash::FxHashMap;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::lexicon::LONGEST_WORD;

/// The white space between two characters that are none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) enum White {
    /// There is none.
    #[default]
    None,
    /// Spaces and the like.
    Space,
    /// The end of a line.
    Line,
    /// The beginning or the end of a paragraph.
    Paragraph,
}

impl White {
    /// What a character is, if it is white space.
    pub(crate) fn of(c: char) -> Option<Self> {
        let is_line = matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
        c.is_whitespace().then_some(if is_line { Self::Line } else { Self::Space })
    }

    /// The white space at the end of a text.
    pub(crate) fn behind(text: &str) -> Self {
        text.chars().rev().map_while(Self::of).max().unwrap_or_default()
    }
}

const WHITES: usize = 4;
const CATEGORIES: usize = 30;
/// Characters that occur less often are unknown.
const MIN_COUNT: usize = 3;
/// The identity of unknown characters.
pub(crate) const UNKNOWN: u32 = 0;
/// Characters whose identity a thread keeps at hand.
const KEPT: usize = 1024;

/// A character as the encoder sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) id: u32,
    pub(crate) category: u8,
    /// The white space before and after.
    pub(crate) before: White,
    pub(crate) after: White,
    /// The lengths of the longest known words that begin and end here.
    pub(crate) starts: u8,
    pub(crate) ends: u8,
}

impl Seen {
    /// A number that is different for what looks different.
    pub(crate) fn key(self) -> u64 {
        let bytes = [self.category, self.before as u8 * 4 + self.after as u8, self.starts, self.ends];
        u64::from(self.id) << 32 | u64::from(u32::from_le_bytes(bytes))
    }

    /// By attribute: its value.
    pub(crate) fn values(self, has_words: bool) -> impl Iterator<Item = u32> {
        let white = u32::from(self.before as u8) * 4 + u32::from(self.after as u8);
        let values = [self.id, u32::from(self.category), white, u32::from(self.starts), u32::from(self.ends)];
        values.into_iter().take(if has_words { 5 } else { 3 })
    }
}

/// The characters that are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Characters {
    /// In order; the identity is the place, counted from 1.
    known: Vec<char>,
    ids: FxHashMap<char, u32>,
}

/// Identities and categories that were looked up last.
#[derive(Clone, Debug)]
pub(crate) struct CharacterCache(Vec<(char, u32, u8)>);

impl Default for CharacterCache {
    fn default() -> Self {
        // Each place holds a character that belongs to another.
        Self((0..KEPT).map(|place| (if place == 0 { '\u{1}' } else { '\0' }, 0, 0)).collect())
    }
}

impl Characters {
    /// Those that are frequent enough.
    pub(crate) fn of(text: impl Iterator<Item = char>) -> Self {
        let mut counts = FxHashMap::<char, usize>::default();
        for c in text {
            *counts.entry(folded(c)).or_default() += 1;
        }
        #[allow(clippy::iter_over_hash_type, reason = "they are sorted")]
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
    pub(crate) fn attributes(&self, has_words: bool) -> Vec<Attribute> {
        let attribute = |values, width| Attribute { values, width, is_bag: false };
        let lengths = attribute(LONGEST_WORD + 1, 8);
        let mut attributes = vec![
            attribute(self.known.len() + 1, 32),
            attribute(CATEGORIES, 8),
            attribute(WHITES * WHITES, 8),
        ];
        if has_words {
            attributes.extend([lengths, lengths]);
        }
        attributes
    }

    /// A character without its surroundings.
    pub(crate) fn see(&self, c: char) -> Seen {
        let id = self.ids.get(&folded(c)).copied().unwrap_or(UNKNOWN);
        Seen { id, category: category(c), ..Seen::default() }
    }

    /// The same, from what was looked up last if it is there.
    #[inline]
    pub(crate) fn see_again(&self, c: char, cache: &mut CharacterCache) -> Seen {
        let place = &mut cache.0[c as usize % KEPT];
        if place.0 != c {
            let Seen { id, category, .. } = self.see(c);
            *place = (c, id, category);
        }
        Seen { id: place.1, category: place.2, ..Seen::default() }
    }

    /// Puts everything among arrays.
    pub(crate) fn save(&self, arrays: &mut Arrays) {
        arrays.set("characters", &self.known.iter().map(|&c| u32::from(c)).collect::<Vec<_>>());
    }

    /// Takes everything from arrays.
    pub(crate) fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let known: Option<Vec<char>> =
            arrays.get::<u32>("characters")?.into_iter().map(char::from_u32).collect();
        let known = known.filter(|known| known.is_sorted_by(|a, b| a < b));
        let unfit = || LoadError::unfit("characters", "is not a list of characters in order");
        Ok(Self::from_known(known.ok_or_else(unfit)?))
    }
}

/// A character without its case; all digits are one.
fn folded(c: char) -> char {
    if c.is_ascii() {
        return if c.is_ascii_digit() { '0' } else { c.to_ascii_lowercase() };
    }
    if c.general_category() == GeneralCategory::DecimalNumber {
        return '0';
    }
    c.to_lowercase().next().unwrap_or(c)
}

/// The number of a character's category.
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
    fn characters_are_known_without_case_and_digits_are_one() {
        let characters = Characters::of("aAaΣσΣ123xy".chars());
        let mut cache = CharacterCache::default();
        for c in "aAΣσ19".chars() {
            assert_ne!(characters.see(c).id, UNKNOWN, "{c}");
            assert_eq!(characters.see_again(c, &mut cache), characters.see(c));
        }
        assert_eq!(characters.see('1').id, characters.see('9').id);
        assert_eq!(characters.see('\0').id, UNKNOWN);
        assert_eq!(characters.see_again('\0', &mut cache), characters.see('\0'));
        assert_ne!(characters.see('a').category, characters.see('A').category);
        let mut arrays = Arrays::default();
        characters.save(&mut arrays);
        assert_eq!(Characters::load(&arrays), Ok(characters));
        arrays.set("characters", &[5u32, 3]);
        assert!(Characters::load(&arrays).is_err());
    }
}
