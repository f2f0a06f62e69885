//! `MaltParser`'s flags that concern transition systems, and its names for the systems.

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
    pub algorithm: &'static str,
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
            algorithm: ALGORITHMS[0].0,
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

/// `MaltParser`'s names of its algorithms, each with the name of the papers' system here.
pub static ALGORITHMS: &[(&str, &str)] = &[
    ("nivreeager", "arc-eager"),
    ("nivrestandard", "arc-standard"),
    ("covnonproj", "covington"),
    ("covproj", "covington-projective"),
    ("stackproj", "stack-projective"),
    ("stackeager", "swap-eager"),
    ("stacklazy", "swap-lazy"),
    ("planar", "planar"),
    ("2planar", "two-planar"),
];

/// A flag that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlagError {
    /// Not a flag of transition systems.
    #[error("unknown flag `{0}`; known are -a -nr -ne -nt -cr -cs -prh -pcon -pacy -pcov -2pr")]
    UnknownFlag(String),
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
        expected: String,
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
        let &(algorithm, _) = ALGORITHMS.iter().find(|(_, system)| *system == name)?;
        Some(Self { algorithm, ..Self::default() })
    }

    fn set(&mut self, flag: &str, value: &str) -> Result<(), FlagError> {
        let bad = |expected: &str| FlagError::BadValue {
            flag: flag.to_owned(),
            value: value.to_owned(),
            expected: expected.to_owned(),
        };
        let boolean = || match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(bad("true, false")),
        };
        match flag {
            "-a" => {
                let known = ALGORITHMS.iter().find(|(name, _)| *name == value);
                let names: Vec<&str> = ALGORITHMS.iter().map(|(name, _)| *name).collect();
                self.algorithm = known.ok_or_else(|| bad(&names.join(", ")))?.0;
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
            _ => return Err(FlagError::UnknownFlag(flag.to_owned())),
        }
        Ok(())
    }

    /// Makes the system; tokens left without a head get `root_label`.
    pub fn build(&self, root_label: Label) -> Box<dyn System> {
        let settings = self.clone();
        match self.algorithm {
            "nivrestandard" => Box::new(MaltArcStandard::new(&settings, root_label)),
            "covnonproj" => Box::new(MaltCovington::new(&settings, false, root_label)),
            "covproj" => Box::new(MaltCovington::new(&settings, true, root_label)),
            "stackproj" => Box::new(MaltStack::new(None, root_label)),
            "stackeager" => Box::new(MaltStack::new(Some(SwapRule::Eager), root_label)),
            "stacklazy" => Box::new(MaltStack::new(Some(SwapRule::Lazy), root_label)),
            "planar" => Box::new(MaltPlanar::new(settings, root_label)),
            "2planar" => Box::new(MaltTwoPlanar::new(settings, root_label)),
            _ => Box::new(MaltArcEager::new(&settings, root_label)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read() {
        let settings = Settings::parse("-a covproj -cs true -prh relaxed").unwrap();
        assert_eq!(
            (settings.algorithm, settings.covington_allow_shift, settings.relaxed_root),
            ("covproj", true, true)
        );
        assert_eq!(Settings::parse("").unwrap(), Settings::default());
    }

    #[test]
    fn errors_say_what_is_known() {
        let error = |flags: &str| Settings::parse(flags).unwrap_err().to_string();
        assert_eq!(error("-a"), "flag `-a` has no value");
        assert_eq!(error("-nr maybe"), "flag `-nr` cannot be `maybe`, only true, false");
        assert!(error("-a eager").contains("nivreeager, nivrestandard"));
        assert!(error("-zz 1").starts_with("unknown flag `-zz`"));
    }
}
