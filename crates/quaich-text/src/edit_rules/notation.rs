//! The text notation of edit rules, which are class names in model files.
//!
//! ```text
//! rule    = "=" literal | [casing ":"] script "~" script       "~" is the part that is kept
//! casing  = "*" | run+                                         "*": as in the form; empty: lower case
//! run     = ("^" | "!") ["-"] count                            upper case, lower case; "-": counted from the end
//! script  = (">" count | "-" count | "+" literal)*             copy, delete, insert
//! literal = (letter | digit | "\" hexadecimal ";")*
//! ```
//!
//! All characters except letters and digits are escaped as code points, so that rules never contain whitespace or the separators of a
//! file format.

use std::fmt::{self, Display, Write};
use std::str::FromStr;

use super::casing::{Casing, Position, Run};
use super::script::{Edit, Script};
use super::{EditRule, Kind, MAX_LENGTH};

/// A parse error.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("found `{text}`, expected an edit rule such as `~-3+y`")]
pub struct ParseEditRuleError {
    text: String,
}

impl Display for EditRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Whole(lemma) => {
                f.write_char('=')?;
                write_literal(f, lemma)
            }
            Kind::Affixes { casing, prefix, suffix } => {
                write_casing(f, casing)?;
                write_script(f, prefix)?;
                f.write_char('~')?;
                write_script(f, suffix)
            }
        }
    }
}

/// Escapes a text, so that it only contains letters, digits, `\` and `;`.
pub(crate) fn write_literal(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    text.chars().try_for_each(|c| {
        if c.is_alphanumeric() { f.write_char(c) } else { write!(f, "\\{:x};", u32::from(c)) }
    })
}

fn write_casing(f: &mut fmt::Formatter<'_>, casing: &Casing) -> fmt::Result {
    match casing {
        Casing::AsIs => f.write_str("*:"),
        Casing::Runs(runs) if runs.is_empty() => Ok(()),
        Casing::Runs(runs) => {
            for run in runs {
                f.write_char(if run.is_upper { '^' } else { '!' })?;
                match run.start {
                    Position::FromStart(n) => write!(f, "{n}")?,
                    Position::FromEnd(n) => write!(f, "-{n}")?,
                }
            }
            f.write_char(':')
        }
    }
}

fn write_script(f: &mut fmt::Formatter<'_>, script: &Script) -> fmt::Result {
    script.edits().iter().try_for_each(|edit| match edit {
        Edit::Copy(n) => write!(f, ">{n}"),
        Edit::Delete(n) => write!(f, "-{n}"),
        Edit::Insert(text) => {
            f.write_char('+')?;
            write_literal(f, text)
        }
    })
}

impl FromStr for EditRule {
    type Err = ParseEditRuleError;

    fn from_str(text: &str) -> Result<Self, ParseEditRuleError> {
        parse(text).ok_or_else(|| ParseEditRuleError { text: text.to_owned() })
    }
}

fn parse(text: &str) -> Option<EditRule> {
    let mut rest = text;
    if take(&mut rest, '=') {
        let lemma = parse_literal(&mut rest)?;
        return rest.is_empty().then_some(EditRule(Kind::Whole(lemma)));
    }
    let casing = match text.split_once(':') {
        Some((casing, after)) => {
            rest = after;
            parse_casing(casing)?
        }
        None => Casing::Runs(Vec::new()),
    };
    let prefix = parse_script(&mut rest)?;
    if !take(&mut rest, '~') {
        return None;
    }
    let suffix = parse_script(&mut rest)?;
    rest.is_empty().then_some(EditRule(Kind::Affixes { casing, prefix, suffix }))
}

fn parse_casing(mut rest: &str) -> Option<Casing> {
    if rest == "*" {
        return Some(Casing::AsIs);
    }
    let mut runs: Vec<Run> = Vec::new();
    while !rest.is_empty() {
        let is_upper = take(&mut rest, '^');
        // The first run is upper case, and the case alternates.
        if is_upper != runs.len().is_multiple_of(2) || (!is_upper && !take(&mut rest, '!')) {
            return None;
        }
        let from_end = take(&mut rest, '-');
        let n = parse_count(&mut rest)?;
        let start = if from_end { Position::FromEnd(n) } else { Position::FromStart(n) };
        runs.push(Run { is_upper, start });
    }
    (!runs.is_empty()).then_some(Casing::Runs(runs))
}

fn parse_script(rest: &mut &str) -> Option<Script> {
    let mut edits = Vec::new();
    loop {
        edits.push(if take(rest, '>') {
            Edit::Copy(parse_count(rest)?)
        } else if take(rest, '-') {
            Edit::Delete(parse_count(rest)?)
        } else if take(rest, '+') {
            Edit::Insert(parse_literal(rest)?)
        } else {
            return Script::from_edits(edits);
        });
    }
}

/// Parses a number up to [`MAX_LENGTH`] without leading zeros.
pub(crate) fn parse_count(rest: &mut &str) -> Option<u16> {
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, after) = rest.split_at(end);
    *rest = after;
    let canonical = digits == "0" || !digits.starts_with('0');
    digits.parse().ok().filter(|&n| canonical && usize::from(n) <= MAX_LENGTH)
}

/// Parses letters, digits and escaped code points up to the next other character.
pub(crate) fn parse_literal(rest: &mut &str) -> Option<String> {
    let mut literal = String::new();
    loop {
        if take(rest, '\\') {
            let (digits, after) = rest.split_once(';')?;
            literal.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
            *rest = after;
        } else if let Some(c) = rest.chars().next().filter(|&c| !c.is_ascii() || c.is_ascii_alphanumeric()) {
            literal.push(c);
            *rest = &rest[c.len_utf8()..];
        } else {
            return Some(literal);
        }
    }
}

/// Removes a character from the beginning; returns whether it was there.
pub(crate) fn take(rest: &mut &str, c: char) -> bool {
    rest.strip_prefix(c).map(|after| *rest = after).is_some()
}
