//! Counts in messages, with singular and plural.

use std::fmt::Display;

/// Formats a count of things with a regular plural: `1 sentence`, `2 sentences`.
pub fn counted(number: impl Display, what: &str) -> String {
    let number = number.to_string();
    let s = if number == "1" { "" } else { "s" };
    format!("{number} {what}{s}")
}
