//! Case conversion per character, only where it is reversible.
//!
//! Converting whole strings to lower case may change their length (`İ`) and conflates characters (the Kelvin sign becomes `k`). Here, each
//! character is converted separately, and only if converting it back gives the same character.

/// Converts an uppercase letter to lower case; other characters are unchanged.
pub(crate) fn lower(c: char) -> char {
    single(c.to_lowercase())
        .filter(|&lower| lower != c && single(lower.to_uppercase()) == Some(c))
        .unwrap_or(c)
}

/// Converts a lowercase letter to upper case; other characters are unchanged.
pub(crate) fn upper(c: char) -> char {
    single(c.to_uppercase()).filter(|&upper| upper != c && lower(upper) == c).unwrap_or(c)
}

/// Whether a character is an uppercase letter with a lowercase counterpart.
pub(crate) fn is_uppercase(c: char) -> bool {
    lower(c) != c
}

/// Whether a character is a lowercase letter with an uppercase counterpart.
pub(crate) fn is_lowercase(c: char) -> bool {
    upper(c) != c
}

fn single(mut mapped: impl Iterator<Item = char>) -> Option<char> {
    let first = mapped.next()?;
    mapped.next().is_none().then_some(first)
}

/// Where the characters of a lemma get their case from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Casing {
    /// As in the form; inserted characters are lower case.
    AsIs,
    /// Given by the rule: lower case up to the first run.
    Runs(Vec<Run>),
}

/// A change of case, which applies up to the next one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Run {
    pub(super) is_upper: bool,
    pub(super) start: Position,
}

/// A position in a lemma, counted from the nearer end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Position {
    FromStart(u16),
    FromEnd(u16),
}

impl Position {
    /// The position of `index` in a lemma of `len` characters, at most [`super::MAX_LENGTH`].
    fn nearer(index: usize, len: usize) -> Self {
        let count = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        if index <= len / 2 { Self::FromStart(count(index)) } else { Self::FromEnd(count(len - index)) }
    }

    /// The index in a lemma of `len` characters, clamped to its length.
    fn index(self, len: usize) -> usize {
        match self {
            Self::FromStart(n) => usize::from(n).min(len),
            Self::FromEnd(n) => len.saturating_sub(usize::from(n)),
        }
    }
}

impl Casing {
    /// The case of every character of a lemma. Characters without case do not interrupt a run, so that `B2B` is one run of uppercase
    /// letters.
    pub(super) fn of(lemma: &[char]) -> Self {
        let mut runs = Vec::new();
        let (mut is_upper, mut any) = (false, false);
        for (index, &c) in lemma.iter().enumerate() {
            if if is_upper { is_lowercase(c) } else { is_uppercase(c) } {
                is_upper = !is_upper;
                let start = if any { index } else { 0 };
                runs.push(Run { is_upper, start: Position::nearer(start, lemma.len()) });
            }
            any |= is_lowercase(c) || is_uppercase(c);
        }
        Self::Runs(runs)
    }

    /// Whether this is lower case, upper case, or title case.
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

    /// Applies the case to a lemma.
    pub(super) fn apply(&self, lemma: &mut [char]) {
        let Self::Runs(runs) = self else { return };
        let len = lemma.len();
        for c in lemma.iter_mut() {
            *c = lower(*c);
        }
        for (n, run) in runs.iter().enumerate() {
            let start = run.start.index(len);
            let end = runs.get(n + 1).map_or(len, |next| next.start.index(len));
            if run.is_upper && start < end {
                for c in &mut lemma[start..end] {
                    *c = upper(*c);
                }
            }
        }
    }
}
