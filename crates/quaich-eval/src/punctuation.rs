//! What counts as punctuation: a token all of whose characters are of the Unicode category P, the
//! rule of the CoNLL shared tasks. So `_` is punctuation, and `$` and `+` are not.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

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
}
