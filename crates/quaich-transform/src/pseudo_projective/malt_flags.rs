//! `MaltParser`'s flags for projectivity: `-pp head -pcr none -plo shortest`.

use quaich_treebank::flags::Value::Name;
use quaich_treebank::flags::{Flag, FlagError, Flags, names};

use super::marks::Notation;
use super::{CoveredRoots, Encoding, Order, Practice, PseudoProjective, Search};

/// The values of `-pp`, the marking strategy.
const ENCODINGS: [(&str, Encoding); 5] = [
    ("none", Encoding::Unmarked),
    ("baseline", Encoding::Baseline),
    ("head", Encoding::Head),
    ("path", Encoding::Path),
    ("head+path", Encoding::HeadPath),
];

/// The values of `-pcr`, the handling of covered roots.
const COVERED_ROOTS: [(&str, CoveredRoots); 5] = [
    ("none", CoveredRoots::None),
    ("ignore", CoveredRoots::Ignore),
    ("left", CoveredRoots::Left),
    ("right", CoveredRoots::Right),
    ("head", CoveredRoots::Head),
];

/// The values of `-plo`, the lifting order.
const ORDERS: [(&str, Order); 2] = [("shortest", Order::Shortest), ("deepest", Order::Deepest)];

impl Flags for PseudoProjective {
    const OWNER: &'static str = "Projectivity";
    const FLAGS: &'static [Flag<Self>] = &[
        Flag(
            "-pp",
            "how lifted arcs are marked",
            Name(|| names(&ENCODINGS), |s, at| s.encoding = ENCODINGS[at].1),
        ),
        Flag(
            "-pcr",
            "where covered roots are attached",
            Name(|| names(&COVERED_ROOTS), |s, at| s.covered_roots = COVERED_ROOTS[at].1),
        ),
        Flag("-plo", "which arcs are lifted first", Name(|| names(&ORDERS), |s, at| s.order = ORDERS[at].1)),
    ];
}

impl PseudoProjective {
    /// Returns the transformation of `MaltParser` with these flags under `-m proj` and `-m deproj`. Marks are written
    /// as in MaltParser, so labels that contain `|` or `%` themselves are damaged by the inverse.
    pub fn from_malt_flags(flags: &str) -> Result<Self, FlagError> {
        Self::of_malt().with_flags(flags)
    }

    /// Returns the transformation of `MaltParser` without any flags, which lifts nothing.
    pub const fn of_malt() -> Self {
        Self {
            practice: Practice::Malt,
            notation: Notation::Malt,
            search: Search::Malt,
            ..Self::new(Encoding::Unmarked)
        }
    }
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
}
