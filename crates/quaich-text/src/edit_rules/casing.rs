//! Upper and lower case per character, only where changing it can be undone.
//!
//! Lower-casing whole strings changes their length (`İ`) and loses characters (the Kelvin sign becomes `k`). Here every
//! character is changed alone, and only if the change back gives the same character.

/// The lower-case letter of a capital; every other character as it is.
pub(crate) fn lower(c: char) -> char {
    single(c.to_lowercase())
        .filter(|&small| small != c && single(small.to_uppercase()) == Some(c))
        .unwrap_or(c)
}

/// The capital of a lower-case letter; every other character as it is.
pub(crate) fn upper(c: char) -> char {
    single(c.to_uppercase()).filter(|&capital| capital != c && lower(capital) == c).unwrap_or(c)
}

/// Whether a character is a capital that has a lower-case letter.
pub(crate) fn is_capital(c: char) -> bool {
    lower(c) != c
}

/// Whether a character is a lower-case letter that has a capital.
pub(crate) fn is_small(c: char) -> bool {
    upper(c) != c
}

fn single(mut mapped: impl Iterator<Item = char>) -> Option<char> {
    let first = mapped.next()?;
    mapped.next().is_none().then_some(first)
}

/// Where the characters of a lemma get their case from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Casing {
    /// From the form; what is inserted is lower case.
    AsIs,
    /// From the rule: lower case up to the first run.
    Runs(Vec<Run>),
}

/// A change of case, valid up to the next one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Run {
    pub(super) capital: bool,
    pub(super) start: Position,
}

/// A character of a lemma, counted from the nearer end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Position {
    FromStart(u16),
    FromEnd(u16),
}

impl Position {
    /// The character at `index` of `len`, which has to be at most [`super::MAX_LENGTH`].
    fn nearer(index: usize, len: usize) -> Self {
        let count = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        if index <= len / 2 { Self::FromStart(count(index)) } else { Self::FromEnd(count(len - index)) }
    }

    /// The index in a lemma of `len` characters; its end or its start if the lemma is too short.
    fn index(self, len: usize) -> usize {
        match self {
            Self::FromStart(n) => usize::from(n).min(len),
            Self::FromEnd(n) => len.saturating_sub(usize::from(n)),
        }
    }
}

impl Casing {
    /// The case of every character of a lemma. Characters without case belong to the run that they are in, so that
    /// `B2B` is one run of capitals.
    pub(super) fn of(lemma: &[char]) -> Self {
        let mut runs = Vec::new();
        let (mut capital, mut any) = (false, false);
        for (index, &c) in lemma.iter().enumerate() {
            if if capital { is_small(c) } else { is_capital(c) } {
                capital = !capital;
                let start = if any { index } else { 0 };
                runs.push(Run { capital, start: Position::nearer(start, lemma.len()) });
            }
            any |= is_small(c) || is_capital(c);
        }
        Self::Runs(runs)
    }

    /// Whether this is all lower case, all capitals, or a capital and then lower case.
    pub(super) fn is_common(&self) -> bool {
        use Position::FromStart;
        match self {
            Self::AsIs => false,
            Self::Runs(runs) => match runs[..] {
                [] | [Run { start: FromStart(0), .. }] => true,
                [Run { start: FromStart(0), .. }, Run { start, .. }] => start == FromStart(1),
                _ => false,
            },
        }
    }

    /// Gives a lemma its case.
    pub(super) fn apply(&self, lemma: &mut [char]) {
        let Self::Runs(runs) = self else { return };
        let len = lemma.len();
        for c in lemma.iter_mut() {
            *c = lower(*c);
        }
        for (n, run) in runs.iter().enumerate() {
            let start = run.start.index(len);
            let end = runs.get(n + 1).map_or(len, |next| next.start.index(len));
            if run.capital && start < end {
                for c in &mut lemma[start..end] {
                    *c = upper(*c);
                }
            }
        }
    }
}
