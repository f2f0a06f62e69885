//! `MaltParser`'s flags that concern transition systems, and its names for the systems.

use std::fmt;

use quaich_treebank::Error;
use quaich_treebank::symbols::Label;

use super::{MaltArcEager, MaltArcStandard, MaltCovington, MaltPlanar, MaltStack, MaltTwoPlanar};
use crate::systems::{SwapRule, System};

/// `-pcon`: which components may be left when a node is popped or the last token shifted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Connectedness {
    /// No condition.
    #[default]
    None,
    /// REDUCE needs a link.
    ReduceOnly,
    /// REDUCE needs a link, and so does SHIFT of the last token.
    Full,
}

/// The settings of a `MaltParser` run that concern its transition system. Defaults are those of 1.9.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "they are MaltParser's flags, one each")]
pub struct Settings {
    /// `-a`: an entry of [`ALGORITHMS`].
    pub algorithm: &'static Algorithm,
    /// `-nr`: arcs from 0 are built (arc-eager, arc-standard).
    pub allow_root: bool,
    /// `-ne`: tokens without a head may be reduced (arc-eager).
    pub allow_reduce: bool,
    /// `-nt`: leftover tokens go back to the buffer at the end (arc-eager, parsing only).
    pub enforce_tree: bool,
    /// `-cr`: arcs from 0 are built (Covington).
    pub covington_allow_root: bool,
    /// `-cs`: SHIFT exists (Covington).
    pub covington_allow_shift: bool,
    /// `-prh relaxed`: arcs from 0 are not built (planar, two-planar).
    pub relaxed_root: bool,
    /// `-pcon` (planar).
    pub connectedness: Connectedness,
    /// `-pacy` (planar, two-planar).
    pub acyclicity: bool,
    /// `-pcov`: tokens without a head are not reduced (planar, two-planar).
    pub no_covered_roots: bool,
    /// `-2pr`: SWITCH pops the stack it switches to (two-planar).
    pub reduce_on_switch: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            algorithm: &ALGORITHMS[0],
            allow_root: true,
            allow_reduce: false,
            enforce_tree: false,
            covington_allow_root: true,
            covington_allow_shift: false,
            relaxed_root: false,
            connectedness: Connectedness::None,
            acyclicity: true,
            no_covered_roots: false,
            reduce_on_switch: false,
        }
    }
}

/// A row of the table of `MaltParser`'s algorithms.
pub struct Algorithm {
    /// `MaltParser`'s name.
    pub name: &'static str,
    /// The name of the papers' system, an entry of [`SYSTEMS`](crate::systems::SYSTEMS).
    pub system: &'static str,
    build: fn(&Settings, Label) -> Box<dyn System>,
}

/// `MaltParser`'s algorithms, its default first.
pub static ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "nivreeager",
        system: "arc-eager",
        build: |settings, root_label| Box::new(MaltArcEager::new(settings, root_label)),
    },
    Algorithm {
        name: "nivrestandard",
        system: "arc-standard",
        build: |settings, root_label| Box::new(MaltArcStandard::new(settings, root_label)),
    },
    Algorithm {
        name: "covnonproj",
        system: "covington",
        build: |settings, root_label| Box::new(MaltCovington::new(settings, false, root_label)),
    },
    Algorithm {
        name: "covproj",
        system: "covington-projective",
        build: |settings, root_label| Box::new(MaltCovington::new(settings, true, root_label)),
    },
    Algorithm {
        name: "stackproj",
        system: "stack-projective",
        build: |_, root_label| Box::new(MaltStack::new(None, root_label)),
    },
    Algorithm {
        name: "stackeager",
        system: "swap-eager",
        build: |_, root_label| Box::new(MaltStack::new(Some(SwapRule::Eager), root_label)),
    },
    Algorithm {
        name: "stacklazy",
        system: "swap-lazy",
        build: |_, root_label| Box::new(MaltStack::new(Some(SwapRule::Lazy), root_label)),
    },
    Algorithm {
        name: "planar",
        system: "planar",
        build: |settings, root_label| Box::new(MaltPlanar::new(settings.clone(), root_label)),
    },
    Algorithm {
        name: "2planar",
        system: "two-planar",
        build: |settings, root_label| Box::new(MaltTwoPlanar::new(settings.clone(), root_label)),
    },
];

impl PartialEq for Algorithm {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Algorithm {}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A flag that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlagError {
    /// Not a flag of transition systems, or not an algorithm.
    #[error("{0}")]
    Unknown(#[from] Error),
    /// A flag at the end, without its value.
    #[error("flag `{0}` has no value")]
    NoValue(String),
    /// A value the flag does not have.
    #[error("flag `{flag}` cannot be `{value}`, only {expected}")]
    BadValue {
        /// The flag.
        flag: String,
        /// What was given.
        value: String,
        /// What can be given.
        expected: &'static str,
    },
}

impl Settings {
    /// Reads flags as `MaltParser` takes them: `-a nivreeager -nr false`.
    pub fn parse(flags: &str) -> Result<Self, FlagError> {
        let mut settings = Self::default();
        let mut words = flags.split_whitespace();
        while let Some(flag) = words.next() {
            let value = words.next().ok_or_else(|| FlagError::NoValue(flag.to_owned()))?;
            settings.set(flag, value)?;
        }
        Ok(settings)
    }

    /// The settings of an algorithm, by the name of the papers' system; `None` where `MaltParser` has
    /// no such system.
    pub fn for_system(name: &str) -> Option<Self> {
        let algorithm = ALGORITHMS.iter().find(|algorithm| algorithm.system == name)?;
        Some(Self { algorithm, ..Self::default() })
    }

    /// Sets what a flag says.
    pub fn set(&mut self, flag: &str, value: &str) -> Result<(), FlagError> {
        let bad = |expected| FlagError::BadValue { flag: flag.to_owned(), value: value.to_owned(), expected };
        let boolean = || match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(bad("true, false")),
        };
        match flag {
            "-a" => {
                let known = ALGORITHMS.iter().find(|algorithm| algorithm.name == value);
                let names = ALGORITHMS.iter().map(|algorithm| algorithm.name);
                self.algorithm = known.ok_or_else(|| Error::unknown_name("algorithm", value, names))?;
            }
            "-nr" => self.allow_root = boolean()?,
            "-ne" => self.allow_reduce = boolean()?,
            "-nt" => self.enforce_tree = boolean()?,
            "-cr" => self.covington_allow_root = boolean()?,
            "-cs" => self.covington_allow_shift = boolean()?,
            "-prh" => {
                self.relaxed_root = match value {
                    "normal" => false,
                    "relaxed" => true,
                    _ => return Err(bad("normal, relaxed")),
                }
            }
            "-pcon" => {
                self.connectedness = match value {
                    "none" => Connectedness::None,
                    "reduceonly" => Connectedness::ReduceOnly,
                    "full" => Connectedness::Full,
                    _ => return Err(bad("none, reduceonly, full")),
                }
            }
            "-pacy" => self.acyclicity = boolean()?,
            "-pcov" => self.no_covered_roots = boolean()?,
            "-2pr" => self.reduce_on_switch = boolean()?,
            _ => return Err(Error::unknown_name("flag", flag, FLAGS).into()),
        }
        Ok(())
    }

    /// Makes the system; tokens left without a head get `root_label`.
    pub fn build(&self, root_label: Label) -> Box<dyn System> {
        (self.algorithm.build)(self, root_label)
    }
}

/// The flags that concern transition systems.
pub const FLAGS: [&str; 11] =
    ["-a", "-nr", "-ne", "-nt", "-cr", "-cs", "-prh", "-pcon", "-pacy", "-pcov", "-2pr"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::SYSTEMS;

    #[test]
    fn flags_are_read() {
        let settings = Settings::parse("-a covproj -cs true -prh relaxed").unwrap();
        assert_eq!(
            (settings.algorithm.name, settings.covington_allow_shift, settings.relaxed_root),
            ("covproj", true, true)
        );
        assert_eq!(Settings::parse("").unwrap(), Settings::default());
    }

    #[test]
    fn errors_say_what_is_known() {
        let error = |flags: &str| Settings::parse(flags).unwrap_err().to_string();
        assert_eq!(error("-a"), "flag `-a` has no value");
        assert_eq!(error("-nr maybe"), "flag `-nr` cannot be `maybe`, only true, false");
        assert!(error("-a nivre").starts_with("unknown algorithm `nivre`; known: nivreeager, "));
        assert!(error("-pcob true").starts_with("unknown flag `-pcob`; known: -pcon, -pcov, "));
    }

    #[test]
    fn every_flag_is_known() {
        for flag in FLAGS {
            let error = Settings::parse(&format!("{flag} ?")).unwrap_err().to_string();
            assert!(!error.starts_with("unknown flag"), "{error}");
        }
    }

    #[test]
    fn every_algorithm_is_its_own() {
        for algorithm in ALGORITHMS {
            let settings = Settings::for_system(algorithm.system).unwrap();
            assert_eq!(settings, Settings::parse(&format!("-a {}", algorithm.name)).unwrap());
            assert!(SYSTEMS.iter().any(|entry| entry.name == algorithm.system));
        }
    }
}
