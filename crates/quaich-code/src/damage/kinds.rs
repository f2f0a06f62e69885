//! What each kind of damage edits.

use super::edits::Edit;
use super::{Damage, Random};
use crate::language::{Class, Language, Tag};
use crate::lexer::Token;

/// A file to be damaged; its tokens are those with text, at least two.
pub(super) struct File<'a> {
    pub(super) language: &'a Language,
    pub(super) source: &'a [u8],
    pub(super) tokens: &'a [Token],
}

/// The shares of the tokens, in percent, that may be lost at the end, at the beginning, and out of the middle.
const CUT: (usize, usize) = (5, 75);
const START: (usize, usize) = (5, 75);
const MERGE: (usize, usize) = (5, 25);

/// One edit per so many tokens is many.
const PER_EDIT: usize = 100;

/// One place in so many has a macro, and at least one of a file.
const PER_MACRO: usize = 4;

impl File<'_> {
    /// Returns the edits, or `None` if there is nothing to be edited so.
    pub(super) fn edits(&self, damage: Damage, random: &mut Random) -> Option<Vec<Edit>> {
        let n = self.tokens.len();
        let all: Vec<usize> = (0..n).collect();
        match damage {
            Damage::Delete => Some(vec![self.replace(*random.pick(&all)?, b"")]),
            Damage::Insert => self.insert_any(*random.pick(&all)?, random).map(|edit| vec![edit]),
            Damage::Replace => self.replace_by_any(*random.pick(&all)?, random).map(|edit| vec![edit]),
            Damage::Brace => {
                let is_bracket =
                    |&token: &usize| b"()[]{}".windows(1).any(|bracket| bracket == self.text(token));
                let brackets: Vec<usize> = all.iter().copied().filter(is_bracket).collect();
                Some(vec![self.replace(*random.pick(&brackets)?, b"")])
            }
            Damage::Cut => {
                let first = n - share(n, CUT, random);
                Some(vec![Edit { start: self.start(first), end: self.source.len(), text: Vec::new() }])
            }
            Damage::Start => {
                let first = share(n, START, random);
                Some(vec![Edit { start: 0, end: self.start(first), text: Vec::new() }])
            }
            Damage::Merge => {
                let length = share(n, MERGE, random);
                // Neither the beginning nor the end is lost.
                let first = 1 + random.below(n.saturating_sub(length + 1));
                let end = (first + length).min(n - 1);
                Some(vec![Edit { start: self.start(first), end: self.start(end), text: Vec::new() }])
            }
            Damage::Many => Some(self.many(random)),
            Damage::Dialect => {
                let is_in = |word: &str| all.iter().any(|&token| self.text(token) == word.as_bytes());
                let dialect: Vec<_> = self.language.dialect.iter().filter(|(word, _)| is_in(word)).collect();
                let (word, new) = random.pick(&dialect)?;
                let replaced = all.iter().filter(|&&token| self.text(token) == word.as_bytes());
                Some(replaced.map(|&token| self.replace(token, new.as_bytes())).collect())
            }
            Damage::Macro => self.macros(random),
        }
    }

    fn many(&self, random: &mut Random) -> Vec<Edit> {
        let n = self.tokens.len();
        let n_edits = (n / PER_EDIT).max(2).min(n);
        let mut edits: Vec<Edit> = Vec::new();
        let mut is_edited = vec![false; n];
        while edits.len() < n_edits {
            let token = random.below(n);
            if std::mem::replace(&mut is_edited[token], true) {
                continue;
            }
            let edit = match random.below(3) {
                0 => None,
                1 => self.insert_any(token, random),
                _ => self.replace_by_any(token, random),
            };
            edits.push(edit.unwrap_or_else(|| self.replace(token, b"")));
        }
        edits
    }

    /// Returns macros: after `class` and the like, before what starts after `;` or a brace, and after `)` before `{` or `;`.
    fn macros(&self, random: &mut Random) -> Option<Vec<Edit>> {
        if !self.language.macros {
            return None;
        }
        let names: Vec<String> = (0..3).map(|_| macro_name(random)).collect();
        let places: Vec<usize> = (1..self.tokens.len())
            .filter(|&token| {
                // Not within a directive, whose lines are not code.
                let is_code = !matches!(self.text(token).first(), Some(b'#'))
                    && self.tokens[token].tag != Tag::of(Class::MacroBody);
                let is_word =
                    self.text(token).first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
                is_code
                    && match self.text(token - 1) {
                        b"class" | b"struct" | b"enum" | b"union" => is_word,
                        b";" | b"{" | b"}" => {
                            is_word && !matches!(self.text(token), b"else" | b"while" | b"case" | b"default")
                        }
                        b")" => matches!(self.text(token), b"{" | b";"),
                        _ => false,
                    }
            })
            .collect();
        let mut edits = Vec::new();
        let forced = *random.pick(&places)?;
        for &place in &places {
            if place == forced || random.below(PER_MACRO) == 0 {
                let name = random.pick(&names)?;
                let at = self.start(place);
                edits.push(Edit { start: at, end: at, text: format!("{name} ").into_bytes() });
            }
        }
        Some(edits)
    }

    fn text(&self, token: usize) -> &[u8] {
        self.tokens[token].text(self.source)
    }

    fn start(&self, token: usize) -> usize {
        self.tokens[token].start as usize
    }

    fn replace(&self, token: usize, text: &[u8]) -> Edit {
        Edit { start: self.start(token), end: self.tokens[token].end as usize, text: text.to_vec() }
    }

    /// Returns the insertion of a copy of some token before another one.
    fn insert_any(&self, token: usize, random: &mut Random) -> Option<Edit> {
        let copied = random.pick(self.tokens)?;
        let at = self.start(token);
        Some(Edit { start: at, end: at, text: [copied.text(self.source), b" "].concat() })
    }

    /// Returns the replacement by a copy of a token with another text.
    fn replace_by_any(&self, token: usize, random: &mut Random) -> Option<Edit> {
        const ATTEMPTS: usize = 100;
        (0..ATTEMPTS).find_map(|_| {
            let text = random.pick(self.tokens)?.text(self.source);
            (text != self.text(token)).then(|| self.replace(token, text))
        })
    }
}

/// Returns a number of tokens between two shares of all, at least one and not all.
fn share(n: usize, (least, most): (usize, usize), random: &mut Random) -> usize {
    let percent = least + random.below(most - least + 1);
    (n * percent / 100).clamp(1, n - 1)
}

/// Returns a name such as `LOBAR_API`.
fn macro_name(random: &mut Random) -> String {
    const CONSONANTS: &[u8] = b"BDFGKLMNPRSTVZ";
    const VOWELS: &[u8] = b"AEIOU";
    const ENDS: [&str; 6] = ["_API", "_EXPORT", "_INLINE", "_DECL", "_NOEXCEPT", ""];
    let mut name = String::new();
    for _ in 0..2 + random.below(2) {
        for letters in [CONSONANTS, VOWELS] {
            name.push(char::from(letters[random.below(letters.len())]));
        }
    }
    name.push(char::from(CONSONANTS[random.below(CONSONANTS.len())]));
    name + ENDS[random.below(ENDS.len())]
}
