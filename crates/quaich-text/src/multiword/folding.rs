//! Normalisation of tokens for comparison (lower case, one kind of apostrophe), and transfer of case from a token to its words.

use crate::edit_rules::casing::{is_lowercase, is_uppercase, lower, upper};

/// Normalises a token. The number of characters stays the same.
pub(super) fn folded(token: &[char]) -> Vec<char> {
    token.iter().map(|&c| fold(c)).collect()
}

/// Normalises a text.
pub(super) fn folded_text(text: &str) -> String {
    text.chars().map(fold).collect()
}

fn fold(c: char) -> char {
    match c {
        '’' | '‘' | 'ʼ' | '`' | '´' => '\'',
        _ => lower(c),
    }
}

/// The capitalisation of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Capitals {
    /// Anything else.
    Other,
    /// The first letter is upper case.
    First,
    /// All letters are upper case, and there are at least two.
    All,
}

impl Capitals {
    pub(super) fn of(token: &[char]) -> Self {
        let n_uppercase = token.iter().filter(|&&c| is_uppercase(c)).count();
        if n_uppercase > 1 && !token.iter().any(|&c| is_lowercase(c)) {
            Self::All
        } else if token.first().is_some_and(|&c| is_uppercase(c)) {
            Self::First
        } else {
            Self::Other
        }
    }

    /// Applies the case of the token to a character that is not copied from it.
    pub(super) fn apply(self, c: char, is_first: bool) -> char {
        match self {
            Self::All => upper(c),
            Self::First if is_first => upper(c),
            _ => c,
        }
    }
}
