//! The words of the training text, as features for scripts without spaces: the lengths of the longest words that begin and end with a
//! character.

use quaich_learn::{Arrays, LoadError};
use rustc_hash::{FxHashMap, FxHashSet};

use super::characters::{CharacterFeatures, Whitespace};

/// Longer words are ignored.
pub(crate) const LONGEST_WORD: usize = 12;
/// Rarer words are ignored. Otherwise, all words of the training text would be known, but not those of other texts.
const MIN_COUNT: usize = 2;

/// Known words of at least two characters.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Lexicon {
    /// Sorted.
    words: Vec<String>,
    hashes: FxHashSet<u64>,
}

impl Lexicon {
    /// Collects the frequent words.
    pub(crate) fn of<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let mut counts = FxHashMap::<&str, usize>::default();
        for word in words.filter(|word| (2..=LONGEST_WORD).contains(&word.chars().count())) {
            *counts.entry(word).or_default() += 1;
        }
        #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
        let mut words: Vec<String> = counts
            .into_iter()
            .filter(|(_, count)| *count >= MIN_COUNT)
            .map(|(word, _)| word.to_owned())
            .collect();
        words.sort_unstable();
        Self::from_words(words)
    }

    fn from_words(words: Vec<String>) -> Self {
        let hashes = words.iter().map(|word| word.chars().fold(0, add)).collect();
        Self { words, hashes }
    }

    /// Sets the lengths of the longest words that begin and end with each character. Words do not cross whitespace.
    pub(crate) fn mark(&self, chars: &[char], features: &mut [CharacterFeatures]) {
        for start in 0..chars.len() {
            let mut hash = 0;
            for (length, end) in (1u8..).zip(start..chars.len().min(start + LONGEST_WORD)) {
                hash = add(hash, chars[end]);
                if length > 1 && self.hashes.contains(&hash) {
                    features[start].starts = length;
                    features[end].ends = features[end].ends.max(length);
                }
                if features[end].after != Whitespace::None {
                    break;
                }
            }
        }
    }

    /// Saves the words as an array.
    pub(crate) fn save(&self, arrays: &mut Arrays) {
        arrays.set_bytes("words", self.words.join("\n").into_bytes());
    }

    /// Loads the words.
    pub(crate) fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        Ok(Self::from_words(strings("words", arrays)?))
    }
}

/// Loads a list of strings that is stored with one string per line.
pub(crate) fn strings(name: &str, arrays: &Arrays) -> Result<Vec<String>, LoadError> {
    let bytes = arrays.bytes(name).ok_or_else(|| LoadError::Missing { name: name.to_owned() })?;
    let text = std::str::from_utf8(bytes).map_err(|_| LoadError::unfit(name, "is not UTF-8"))?;
    Ok(if text.is_empty() { Vec::new() } else { text.split('\n').map(str::to_owned).collect() })
}

fn add(hash: u64, c: char) -> u64 {
    (hash.rotate_left(5) ^ (u64::from(c) + 1)).wrapping_mul(0x517c_c1b7_2722_0a95)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_words_are_found() {
        let lexicon = Lexicon::of(["ab", "ab", "abc", "abc", "cd", "x"].into_iter());
        let chars: Vec<char> = "abcd".chars().collect();
        let mut features = vec![CharacterFeatures::default(); 4];
        lexicon.mark(&chars, &mut features);
        let lengths: Vec<(u8, u8)> =
            features.iter().map(|features| (features.starts, features.ends)).collect();
        assert_eq!(lengths, [(3, 0), (0, 2), (0, 3), (0, 0)]);
        let mut arrays = Arrays::default();
        lexicon.save(&mut arrays);
        assert_eq!(Lexicon::load(&arrays), Ok(lexicon));
    }
}
