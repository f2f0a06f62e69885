//! The definition of punctuation: a token that consists of characters of the Unicode category P, the rule of the CoNLL
//! shared tasks. So `_` is punctuation, and `$` and `+` are not.

use serde::Serialize;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Whether punctuation is scored.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PunctuationRule {
    /// Every token is scored: the rule of CoNLL 2007 and of Universal Dependencies.
    #[default]
    Keep,
    /// Punctuation is not scored: the rule of CoNLL-X.
    Skip,
}

impl PunctuationRule {
    /// Both rules.
    pub const ALL: [Self; 2] = [Self::Keep, Self::Skip];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Skip => "skip",
        }
    }

    /// Returns one line of help.
    pub fn about(self) -> &'static str {
        match self {
            Self::Keep => "score every token, as CoNLL 2007 and Universal Dependencies do",
            Self::Skip => {
                "do not score tokens that consist of punctuation (Unicode category P), as CoNLL-X does"
            }
        }
    }

    /// Whether a token with this form is not scored.
    pub fn skips(self, form: &str) -> bool {
        self == Self::Skip && is_punctuation(form)
    }
}

/// Whether a form is punctuation. The empty form is not.
pub fn is_punctuation(form: &str) -> bool {
    !form.is_empty() && form.chars().all(|c| c.general_category_group() == GeneralCategoryGroup::Punctuation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn category_p_and_nothing_else() {
        for form in [".", ",", "...", "«", "_", "(", "—", "?!", "।"] {
            assert!(is_punctuation(form), "{form}");
        }
        for form in ["", "a", "$", "+", "a.", "1", "°", "^", " "] {
            assert!(!is_punctuation(form), "{form}");
        }
    }

    #[test]
    fn only_one_rule_skips() {
        for form in ["_", "--", "a", "$", "._"] {
            assert!(!PunctuationRule::Keep.skips(form));
            assert_eq!(PunctuationRule::Skip.skips(form), is_punctuation(form));
        }
        assert_eq!(PunctuationRule::default().name(), "keep");
    }
}
