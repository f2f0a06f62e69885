//! Edit rules as text: names of classes in model files.
//!
//! ```text
//! rule    = "=" literal | [casing ":"] script "~" script       the part that is kept is "~"
//! casing  = "*" | run+                                         "*": as in the form; nothing: lower case
//! run     = ("^" | "!") ["-"] count                            capitals, lower case; "-": counted from the end
//! script  = (">" count | "-" count | "+" literal)*             copy, delete, insert
//! literal = (letter | digit | "\" hexadecimal ";")*
//! ```
//!
//! Everything that is neither a letter nor a digit is written as its code point, so that rules contain no white space, tabs
//! or separators of any format.

use std::fmt::{self, Display, Write};
use std::str::FromStr;

use super::casing::{Casing, Position, Run};
use super::script::{Edit, Script};
use super::{EditRule, Kind, MAX_LENGTH};

/// Why a text is not an edit rule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is not an edit rule")]
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

/// Writes any text with letters, digits, `\` and `;` only.
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
                f.write_char(if run.capital { '^' } else { '!' })?;
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
        let capital = take(&mut rest, '^');
        // The first run is of capitals, and the case changes from run to run.
        if capital != runs.len().is_multiple_of(2) || (!capital && !take(&mut rest, '!')) {
            return None;
        }
        let from_end = take(&mut rest, '-');
        let n = parse_count(&mut rest)?;
        let start = if from_end { Position::FromEnd(n) } else { Position::FromStart(n) };
        runs.push(Run { capital, start });
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

/// Digits of a number up to [`MAX_LENGTH`], without zeros before it.
pub(crate) fn parse_count(rest: &mut &str) -> Option<u16> {
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, after) = rest.split_at(end);
    *rest = after;
    let canonical = digits == "0" || !digits.starts_with('0');
    digits.parse().ok().filter(|&n| canonical && usize::from(n) <= MAX_LENGTH)
}

/// Letters, digits and code points up to the next other character.
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

/// Removes a character from the beginning, if it is there.
pub(crate) fn take(rest: &mut &str, c: char) -> bool {
    rest.strip_prefix(c).map(|after| *rest = after).is_some()
}
