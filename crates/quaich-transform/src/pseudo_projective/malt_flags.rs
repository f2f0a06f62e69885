//! `MaltParser`'s flags that concern projectivity: `-pp head -pcr none -plo shortest`.

use quaich_treebank::UnknownName;

use super::marks::Notation;
use super::{CoveredRoots, Encoding, Order, Practice, PseudoProjective, Search};
use crate::error::{Error, Result};

/// The values of `-pp`, the marking strategy.
const ENCODINGS: [(&str, Encoding); 5] = [
    ("none", Encoding::Unmarked),
    ("baseline", Encoding::Baseline),
    ("head", Encoding::Head),
    ("path", Encoding::Path),
    ("head+path", Encoding::HeadPath),
];

/// The values of `-pcr`, what is done about covered roots.
const COVERED_ROOTS: [(&str, CoveredRoots); 5] = [
    ("none", CoveredRoots::None),
    ("ignore", CoveredRoots::Ignore),
    ("left", CoveredRoots::Left),
    ("right", CoveredRoots::Right),
    ("head", CoveredRoots::Head),
];

/// The values of `-plo`, the lifting order.
const ORDERS: [(&str, Order); 2] = [("shortest", Order::Shortest), ("deepest", Order::Deepest)];

/// The flags.
pub const MALT_FLAGS: [&str; 3] = ["-pp", "-pcr", "-plo"];

impl PseudoProjective {
    /// What `MaltParser` does with these flags under `-m proj` and `-m deproj`. Marks are written as it writes them, so labels
    /// with `|` or `%` of their own are damaged on the way back.
    pub fn from_malt_flags(flags: &str) -> Result<Self> {
        let mut transform = Self::of_malt();
        let mut words = flags.split_whitespace();
        while let Some(flag) = words.next() {
            let value = words.next().ok_or_else(|| Error::Flag(format!("flag `{flag}` has no value")))?;
            transform.set_malt_flag(flag, value)?;
        }
        Ok(transform)
    }

    /// What `MaltParser` does without any of [`MALT_FLAGS`]: nothing, but it would do it in its own way.
    pub const fn of_malt() -> Self {
        Self {
            practice: Practice::Malt,
            notation: Notation::Malt,
            search: Search::Malt,
            ..Self::new(Encoding::Unmarked)
        }
    }

    /// Takes one of [`MALT_FLAGS`].
    pub fn set_malt_flag(&mut self, flag: &str, value: &str) -> Result<()> {
        match flag {
            "-pp" => self.encoding = find(flag, value, &ENCODINGS)?,
            "-pcr" => self.covered_roots = find(flag, value, &COVERED_ROOTS)?,
            "-plo" => self.order = find(flag, value, &ORDERS)?,
            _ => return Err(UnknownName::new("flag", flag, MALT_FLAGS).into()),
        }
        Ok(())
    }
}

fn find<T: Copy>(flag: &str, value: &str, values: &[(&str, T)]) -> Result<T> {
    values.iter().find(|(name, _)| *name == value).map(|&(_, value)| value).ok_or_else(|| {
        let expected: Vec<&str> = values.iter().map(|&(name, _)| name).collect();
        Error::Flag(format!("flag `{flag}` cannot be `{value}`, only {}", expected.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read() {
        let transform = PseudoProjective::from_malt_flags("-pp head+path -plo deepest").unwrap();
        assert_eq!((transform.encoding, transform.order), (Encoding::HeadPath, Order::Deepest));
        assert_eq!(PseudoProjective::from_malt_flags("").unwrap().encoding, Encoding::Unmarked);
    }

    #[test]
    fn errors_say_what_is_known() {
        let error = |flags: &str| PseudoProjective::from_malt_flags(flags).unwrap_err().to_string();
        assert_eq!(error("-pp"), "flag `-pp` has no value");
        assert_eq!(error("-plo longest"), "flag `-plo` cannot be `longest`, only shortest, deepest");
        assert!(error("-ppp head").starts_with("unknown flag `-ppp`; known: -pp"));
    }
}
