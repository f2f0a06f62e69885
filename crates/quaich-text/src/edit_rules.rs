//! Edit rules: transformations of a form to its lemma.
//!
//! These are the rules of UDPipe 2 (Straka 2018): the longest common substring of form and lemma, compared in lower case, is kept; the
//! prefix before it and the suffix after it are edited; then case is applied, at positions counted from the nearer end. A few hundred rules
//! cover nearly all lemmas of a treebank, and a rule learned from one word applies to unknown words. If form and lemma have no character
//! in common, the rule is the lemma itself.
//!
//! Two differences from UDPipe 2: characters without case do not interrupt a run of uppercase letters, and the case of an unusual lemma
//! (`McDonald`, `eBay`) is "as in the form" if that gives the correct lemma.
//!
//! Choosing the rule for a word is not part of this module.

pub(crate) mod casing;
pub(crate) mod notation;
mod script;

use std::collections::BTreeMap;

use casing::{Casing, lower};
use script::Script;

pub use notation::ParseEditRuleError;

/// For longer forms and lemmas, the rule is always the lemma itself, because finding edits takes quadratic time.
const MAX_LENGTH: usize = 1000;

/// A transformation of a form to its lemma.
///
/// ```
/// use quaich_text::edit_rules::EditRule;
///
/// let rule = EditRule::between("Studies", "study");
/// assert_eq!(rule.to_string(), "~-3+y");
/// assert_eq!(rule.apply("berries").as_deref(), Some("berry"));
/// assert_eq!(rule.apply("is"), None);
/// assert_eq!("~-3+y".parse(), Ok(rule));
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EditRule(Kind);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Kind {
    /// The lemma itself.
    Whole(String),
    /// Edits of the prefix and the suffix around the part that is kept.
    Affixes { casing: Casing, prefix: Script, suffix: Script },
}

/// Whether the edits of an affix may copy characters. With copies, `-3+xbc` becomes `-1+x>2`. Depending on the language, this increases or
/// decreases the number of different rules.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum AffixCopies {
    /// Affixes are replaced as a whole.
    #[default]
    Forbidden,
    /// As many characters of an affix as possible are copied.
    Allowed,
}

impl EditRule {
    /// The rule that transforms `form` to `lemma`, without copies in affixes.
    pub fn between(form: &str, lemma: &str) -> Self {
        Self::between_with(form, lemma, AffixCopies::Forbidden)
    }

    /// The rule that transforms `form` to `lemma`.
    pub fn between_with(form: &str, lemma: &str, copies: AffixCopies) -> Self {
        let whole = || Self(Kind::Whole(lemma.to_owned()));
        let (Some(form_chars), Some(lemma_chars)) = (short(form), short(lemma)) else { return whole() };
        let lowercase = |chars: &[char]| chars.iter().map(|&c| lower(c)).collect::<Vec<char>>();
        let (source, target) = (lowercase(&form_chars), lowercase(&lemma_chars));
        let Some(common) = longest_common_substring(&source, &target) else { return whole() };
        let prefix = Script::between(&source[..common.first], &target[..common.second], copies);
        let (source_end, target_end) = (common.first + common.length, common.second + common.length);
        let suffix = Script::between(&source[source_end..], &target[target_end..], copies);
        let casing = Casing::of(&lemma_chars);
        if !casing.is_common() {
            let as_is =
                Kind::Affixes { casing: Casing::AsIs, prefix: prefix.clone(), suffix: suffix.clone() };
            let as_is = Self(as_is);
            if as_is.apply(form).as_deref() == Some(lemma) {
                return as_is;
            }
        }
        Self(Kind::Affixes { casing, prefix, suffix })
    }

    /// The lemma of a form; `None` if the form is too short for the edits.
    pub fn apply(&self, form: &str) -> Option<String> {
        let (casing, prefix, suffix) = match &self.0 {
            Kind::Whole(lemma) => return Some(lemma.clone()),
            Kind::Affixes { casing, prefix, suffix } => (casing, prefix, suffix),
        };
        let form: Vec<char> = form.chars().collect();
        let end = form.len().checked_sub(suffix.source_length())?;
        let start = prefix.source_length();
        if start >= end {
            return None;
        }
        let mut lemma = Vec::with_capacity(form.len());
        prefix.apply(&form[..start], &mut lemma);
        lemma.extend_from_slice(&form[start..end]);
        suffix.apply(&form[end..], &mut lemma);
        casing.apply(&mut lemma);
        Some(lemma.into_iter().collect())
    }

    /// Whether the rule is the lemma itself, so that it does not generalise to other words.
    pub fn is_whole_lemma(&self) -> bool {
        matches!(self.0, Kind::Whole(_))
    }
}

impl TryFrom<String> for EditRule {
    type Error = ParseEditRuleError;

    fn try_from(text: String) -> Result<Self, ParseEditRuleError> {
        text.parse()
    }
}

impl From<EditRule> for String {
    fn from(rule: EditRule) -> Self {
        rule.to_string()
    }
}

/// The distinct rules for pairs of form and lemma, the most frequent first, with or without copies in affixes, whichever results in fewer
/// rules.
pub fn rules_of<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> (AffixCopies, Vec<EditRule>) {
    let mut frequencies: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for pair in pairs {
        *frequencies.entry(pair).or_default() += 1;
    }
    let rules = |copies| {
        let mut rules: BTreeMap<EditRule, u64> = BTreeMap::new();
        for ((form, lemma), n) in &frequencies {
            *rules.entry(EditRule::between_with(form, lemma, copies)).or_default() += n;
        }
        rules
    };
    let (forbidden, allowed) = (rules(AffixCopies::Forbidden), rules(AffixCopies::Allowed));
    let (copies, rules) = if allowed.len() < forbidden.len() {
        (AffixCopies::Allowed, allowed)
    } else {
        (AffixCopies::Forbidden, forbidden)
    };
    let mut rules: Vec<(EditRule, u64)> = rules.into_iter().collect();
    rules.sort_by(|(_, n), (_, other)| other.cmp(n));
    (copies, rules.into_iter().map(|(rule, _)| rule).collect())
}

/// The characters of a text; `None` if there are more than [`MAX_LENGTH`].
fn short(text: &str) -> Option<Vec<char>> {
    let chars: Vec<char> = text.chars().take(MAX_LENGTH + 1).collect();
    (chars.len() <= MAX_LENGTH).then_some(chars)
}

/// A common substring of two strings.
struct CommonSubstring {
    /// The position in the first string.
    first: usize,
    /// The position in the second string.
    second: usize,
    length: usize,
}

/// The longest common substring; in case of a tie, the earliest in the second string, then in the first.
fn longest_common_substring(first: &[char], second: &[char]) -> Option<CommonSubstring> {
    let mut best = CommonSubstring { first: 0, second: 0, length: 0 };
    // lengths[i + 1]: the length of the longest common suffix of first[..=i] and second[..=j].
    let mut lengths = vec![0; first.len() + 1];
    for (j, c) in second.iter().enumerate() {
        for i in (0..first.len()).rev() {
            lengths[i + 1] = if first[i] == *c { lengths[i] + 1 } else { 0 };
        }
        for (end, &length) in lengths.iter().enumerate() {
            if length > best.length {
                best = CommonSubstring { first: end - length, second: j + 1 - length, length };
            }
        }
    }
    (best.length > 0).then_some(best)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BOTH: [AffixCopies; 2] = [AffixCopies::Forbidden, AffixCopies::Allowed];

    #[track_caller]
    fn check(form: &str, lemma: &str, notation: &str) {
        let rule = EditRule::between(form, lemma);
        assert_eq!(rule.to_string(), notation);
        assert_eq!(rule.apply(form).as_deref(), Some(lemma));
        assert_eq!(notation.parse(), Ok(rule));
    }

    #[test]
    fn rules_and_their_notation() {
        check("cats", "cat", "~-1");
        check("The", "the", "~");
        check("London", "London", "^0!1:~");
        check("LONDON", "London", "^0!1:~");
        check("NATO", "NATO", "^0:~");
        check("B2B", "B2B", "^0:~");
        check("eBay", "eBay", "*:~");
        check("McDonalds", "McDonald", "*:~-1");
        check("MCDONALDS", "McDonald", "^0!1^2!3:~-1");
        check("went", "go", "=go");
        check("gesagt", "sagen", "-2~-1+en");
        check("", "x", "=x");
        check("x", "", "=");
        check("a_b|c\td", "a b", "~-6+\\20;b");
        check("x", "+-=;\u{301}", "=\\2b;\\2d;\\3d;\\3b;\\301;");
        check("xe\u{301}s", "xe\u{300}", "~-2+\\300;");
        check("İstanbul'da", "İstanbul", "~-3");
    }

    #[test]
    fn rules_apply_to_other_forms() {
        let rule = EditRule::between("gesagt", "sagen");
        assert_eq!(rule.apply("GEMACHT").as_deref(), Some("machen"));
        assert_eq!(rule.apply("get"), None);
        assert_eq!(EditRule::between("Rom", "Rom").apply("a").as_deref(), Some("A"));
    }

    #[test]
    fn invalid_rules_are_rejected() {
        for text in [
            "",
            "~~",
            "=a~",
            "x",
            "~-0",
            "~-01",
            "~-1001",
            "~+",
            "~-1-1",
            ":~",
            "!0:~",
            "^0^1:~",
            "^:~",
            "~\\61;",
            "=\\;",
            "=\\110000;",
            "=\\61",
            "**:~",
            "~>99999",
            "^-:~",
        ] {
            assert!(text.parse::<EditRule>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_variant_with_fewer_rules_is_chosen() {
        // Without copies -et+yt and -ets+yts are two rules.
        let vowels = [("abcdet", "abcdyt"), ("abcdets", "abcdyts"), ("xabcdt", "abcdt")];
        let (copies, rules) = rules_of(vowels);
        assert_eq!((copies, rules.len()), (AffixCopies::Forbidden, 3));
        let vowels = [("abctet", "abctyt"), ("abctes", "abctys"), ("abctem", "abctym")];
        let (copies, rules) = rules_of(vowels);
        assert_eq!((copies, rules.len()), (AffixCopies::Allowed, 1));
        assert_eq!(rules[0].to_string(), "~-1+y>1");
        // The most frequent rules come first.
        let (copies, rules) = rules_of([("cats", "cat"), ("ox", "ox"), ("dogs", "dog"), ("went", "go")]);
        let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
        assert_eq!((copies, &rules[0][..], rules.len()), (AffixCopies::Forbidden, "~-1", 3));
    }

    #[test]
    fn long_words_take_bounded_time() {
        let long = "ab".repeat(1_000_000);
        for copies in BOTH {
            let rule = EditRule::between_with(&long, "ab", copies);
            assert!(rule.is_whole_lemma());
            let rule = EditRule::between_with(&long[..2000 - 2], &"ba".repeat(500), copies);
            assert_eq!(rule.apply(&long[..2000 - 2]), Some("ba".repeat(500)));
        }
    }

    /// Words over a small alphabet, which have common substrings, and arbitrary text.
    fn words() -> impl Strategy<Value = String> {
        prop_oneof![
            "[abAB\u{301}İıßςΣ\\\\_|\t =~+-]{0,8}".boxed(),
            "\\PC{0,12}".boxed(),
            proptest::collection::vec(any::<char>(), 0..8)
                .prop_map(|chars| chars.into_iter().collect())
                .boxed(),
        ]
    }

    proptest! {
        #[test]
        fn rules_reproduce_their_lemmas(form in words(), lemma in words()) {
            for copies in BOTH {
                let rule = EditRule::between_with(&form, &lemma, copies);
                prop_assert_eq!(rule.apply(&form), Some(lemma.clone()));
                let notation = rule.to_string();
                prop_assert!(notation.chars().all(|c| c.is_alphanumeric() || "=:~*^!>-+;\\".contains(c)));
                prop_assert_eq!(notation.parse::<EditRule>(), Ok(rule.clone()));
                let json = serde_json::to_string(&rule).unwrap();
                prop_assert_eq!(serde_json::from_str::<EditRule>(&json).unwrap(), rule);
            }
        }

        #[test]
        fn rules_never_panic(form in words(), lemma in words(), other in words(), text in "[=:~*^!>+;\\\\0-9a-c-]{0,12}") {
            for copies in BOTH {
                EditRule::between_with(&form, &lemma, copies).apply(&other);
            }
            if let Ok(rule) = text.parse::<EditRule>() {
                rule.apply(&other);
                prop_assert_eq!(rule.to_string().parse::<EditRule>(), Ok(rule));
            }
        }
    }
}
