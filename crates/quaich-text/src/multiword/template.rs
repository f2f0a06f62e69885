//! Templates of words, made of substrings of the token and of literal characters.
//!
//! ```text
//! template = word (" " word)*
//! word     = (copy | literal)+
//! copy     = "[" ["-"] count ":" ["-"] count "]"      like slices in Python: "[0:-2]"; "[-2:-0]" is the last two characters
//! ```
//!
//! Literals have the same syntax as in edit rules.

use std::fmt::{self, Display, Write};
use std::str::FromStr;

use super::folding::Capitals;
use super::{MAX_TOKEN_LENGTH, MAX_WORDS};
use crate::edit_rules::notation::{parse_count, parse_literal, take, write_literal};

/// The maximum number of parts of all words together.
const MAX_PARTS: usize = 4 * MAX_WORDS;

/// A template of the words of a token.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Template {
    words: Vec<Vec<Part>>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Part {
    Copy { start: Position, end: Position },
    Literal(String),
}

/// A position between characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Position {
    FromStart(u16),
    FromEnd(u16),
}

/// The end of the token from which the positions of a template are counted. A suffix template applies to tokens with any stem before
/// the suffix.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Affix {
    Prefix,
    Suffix,
}

impl Affix {
    pub(super) const ALL: [Self; 2] = [Self::Prefix, Self::Suffix];

    /// The affix of `length` characters, if the token is longer.
    pub(super) fn of(self, token: &[char], length: usize) -> Option<&[char]> {
        let rest = token.len().checked_sub(length).filter(|&rest| rest > 0)?;
        Some(match self {
            Self::Prefix => &token[..length],
            Self::Suffix => &token[rest..],
        })
    }
}

impl Position {
    fn index(self, len: usize) -> Option<usize> {
        match self {
            Self::FromStart(n) => Some(usize::from(n)).filter(|&n| n <= len),
            Self::FromEnd(n) => len.checked_sub(usize::from(n)),
        }
    }
}

/// The alignment of the characters of words with those of their token.
pub(super) struct Alignment {
    token_length: usize,
    words: Vec<Vec<Piece>>,
}

enum Piece {
    Copy(usize, usize),
    Literal(String),
}

impl Alignment {
    /// The alignment with the minimum number of deletions and insertions. Both sides have at most [`MAX_TOKEN_LENGTH`] characters.
    pub(super) fn between(token: &[char], words: &[Vec<char>]) -> Self {
        let target: Vec<(usize, char)> =
            words.iter().enumerate().flat_map(|(w, word)| word.iter().map(move |&c| (w, c))).collect();
        let (n, m) = (token.len(), target.len());
        let at = |i: usize, j: usize| i * (m + 1) + j;
        // changes[at(i, j)]: the edit distance between token[i..] and target[j..].
        let mut changes = vec![0usize; (n + 1) * (m + 1)];
        for i in (0..=n).rev() {
            for j in (0..=m).rev() {
                changes[at(i, j)] = if i == n || j == m {
                    (n - i) + (m - j)
                } else if token[i] == target[j].1 {
                    changes[at(i + 1, j + 1)]
                } else {
                    1 + changes[at(i + 1, j)].min(changes[at(i, j + 1)])
                };
            }
        }
        let mut pieces: Vec<Vec<Piece>> = words.iter().map(|_| Vec::new()).collect();
        let (mut i, mut j) = (0, 0);
        while j < m {
            let (word, wanted) = target[j];
            if i < n && token[i] == wanted {
                match pieces[word].last_mut() {
                    Some(Piece::Copy(_, end)) if *end == i => *end += 1,
                    _ => pieces[word].push(Piece::Copy(i, i + 1)),
                }
                (i, j) = (i + 1, j + 1);
            } else if i < n && changes[at(i, j)] == 1 + changes[at(i + 1, j)] {
                i += 1;
            } else {
                match pieces[word].last_mut() {
                    Some(Piece::Literal(text)) => text.push(wanted),
                    _ => pieces[word].push(Piece::Literal(wanted.into())),
                }
                j += 1;
            }
        }
        Self { token_length: n, words: pieces }
    }

    /// The template with positions counted from one end, and the number of characters at that end that it depends on.
    pub(super) fn template(&self, affix: Affix) -> (Template, usize) {
        let n = self.token_length;
        let count = |positions: usize| u16::try_from(positions).unwrap_or(u16::MAX);
        let mut depth = 0;
        let mut position = |index: usize, is_start: bool| match affix {
            Affix::Suffix if is_start && index == 0 => Position::FromStart(0),
            Affix::Prefix if !is_start && index == n => Position::FromEnd(0),
            Affix::Suffix => {
                depth = depth.max(n - index);
                Position::FromEnd(count(n - index))
            }
            Affix::Prefix => {
                depth = depth.max(index);
                Position::FromStart(count(index))
            }
        };
        let mut part = |piece: &Piece| match piece {
            Piece::Copy(start, end) => {
                Part::Copy { start: position(*start, true), end: position(*end, false) }
            }
            Piece::Literal(text) => Part::Literal(text.clone()),
        };
        let words = self.words.iter().map(|word| word.iter().map(&mut part).collect()).collect();
        (Template { words }, depth)
    }
}

impl Template {
    /// The words of a token. Literal characters get the case `capitals`. `None` if the token is too short, so that a copied part would be empty.
    pub(super) fn apply(&self, token: &[char], capitals: Capitals) -> Option<Vec<Vec<char>>> {
        let mut words = Vec::with_capacity(self.words.len());
        for parts in &self.words {
            let mut word = Vec::new();
            for part in parts {
                match part {
                    Part::Copy { start, end } => {
                        let (start, end) = (start.index(token.len())?, end.index(token.len())?);
                        word.extend_from_slice(token.get(start..end).filter(|copy| !copy.is_empty())?);
                    }
                    Part::Literal(text) => {
                        for c in text.chars() {
                            let is_first = words.is_empty() && word.is_empty();
                            word.push(capitals.apply(c, is_first));
                        }
                    }
                }
            }
            words.push(word);
        }
        Some(words)
    }
}

impl Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let write_position = |f: &mut fmt::Formatter<'_>, position: Position| match position {
            Position::FromStart(n) => write!(f, "{n}"),
            Position::FromEnd(n) => write!(f, "-{n}"),
        };
        for (n, word) in self.words.iter().enumerate() {
            if n > 0 {
                f.write_char(' ')?;
            }
            for part in word {
                match part {
                    Part::Copy { start, end } => {
                        f.write_char('[')?;
                        write_position(f, *start)?;
                        f.write_char(':')?;
                        write_position(f, *end)?;
                        f.write_char(']')?;
                    }
                    Part::Literal(text) => write_literal(f, text)?,
                }
            }
        }
        Ok(())
    }
}

/// A parse error.
#[derive(Debug)]
pub(super) struct NotATemplate;

impl FromStr for Template {
    type Err = NotATemplate;

    fn from_str(text: &str) -> Result<Self, NotATemplate> {
        let words: Option<Vec<Vec<Part>>> = text.split(' ').take(MAX_WORDS + 1).map(parse_word).collect();
        let fits = |words: &Vec<Vec<Part>>| {
            (2..=MAX_WORDS).contains(&words.len()) && words.iter().map(Vec::len).sum::<usize>() <= MAX_PARTS
        };
        words.filter(fits).map(|words| Self { words }).ok_or(NotATemplate)
    }
}

fn parse_word(mut rest: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    while !rest.is_empty() {
        if take(&mut rest, '[') {
            let start = parse_position(&mut rest)?;
            if !take(&mut rest, ':') {
                return None;
            }
            let end = parse_position(&mut rest)?;
            if !take(&mut rest, ']') {
                return None;
            }
            parts.push(Part::Copy { start, end });
        } else {
            let literal = parse_literal(&mut rest)?;
            if literal.is_empty() || literal.chars().nth(MAX_TOKEN_LENGTH).is_some() {
                return None;
            }
            parts.push(Part::Literal(literal));
        }
    }
    (!parts.is_empty()).then_some(parts)
}

fn parse_position(rest: &mut &str) -> Option<Position> {
    let from_end = take(rest, '-');
    let n = parse_count(rest)?;
    Some(if from_end { Position::FromEnd(n) } else { Position::FromStart(n) })
}
