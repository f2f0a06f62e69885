//! How tokens are compared: in lower case, with one apostrophe. And how words made from a token get its case.

use crate::edit_rules::casing::{is_capital, is_small, lower, upper};

/// A token as it is compared with others; has as many characters as the token.
pub(super) fn folded(token: &[char]) -> Vec<char> {
    token.iter().map(|&c| fold(c)).collect()
}

/// A text as it is compared with others.
pub(super) fn folded_text(text: &str) -> String {
    text.chars().map(fold).collect()
}

fn fold(c: char) -> char {
    match c {
        '’' | '‘' | 'ʼ' | '`' | '´' => '\'',
        _ => lower(c),
    }
}

/// Which characters of a token are capitals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Capitals {
    /// None, or others than below.
    Other,
    /// The first.
    First,
    /// All letters, and at least two.
    All,
}

impl Capitals {
    pub(super) fn of(token: &[char]) -> Self {
        let n_capitals = token.iter().filter(|&&c| is_capital(c)).count();
        if n_capitals > 1 && !token.iter().any(|&c| is_small(c)) {
            Self::All
        } else if token.first().is_some_and(|&c| is_capital(c)) {
            Self::First
        } else {
            Self::Other
        }
    }

    /// Gives the case of the token to a character that is not from it.
    pub(super) fn apply(self, c: char, is_first: bool) -> char {
        match self {
            Self::All => upper(c),
            Self::First if is_first => upper(c),
            _ => c,
        }
    }
}
