//! `MaltParser`'s flags for transition systems, and its names of the systems.

use std::fmt;

use quaich_treebank::flags::Value::{Boolean, Name};
use quaich_treebank::flags::{Flag, FlagError, Flags, names};
use quaich_treebank::symbols::Label;

use super::{MaltArcEager, MaltArcStandard, MaltCovington, MaltPlanar, MaltStack, MaltTwoPlanar};
use crate::systems::{SwapRule, System};

/// `-pcon`: the components that may remain when a node is popped or the last token is shifted.
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

/// The options of a `MaltParser` run that affect its transition system. The defaults are those of 1.9.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "they are MaltParser's flags, one each")]
pub struct MaltSystemOptions {
    /// `-a`: an entry of [`ALGORITHMS`].
    pub algorithm: &'static Algorithm,
    /// `-nr`: arcs from 0 are built (arc-eager, arc-standard).
    pub allow_root: bool,
    /// `-ne`: tokens without a head can be reduced (arc-eager).
    pub allow_reduce: bool,
    /// `-nt`: remaining tokens return to the buffer at the end (arc-eager, parsing only).
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

impl Default for MaltSystemOptions {
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

/// An entry of the table of `MaltParser`'s algorithms.
pub struct Algorithm {
    /// `MaltParser`'s name.
    pub name: &'static str,
    /// The name of the papers' system, an entry of [`SYSTEMS`](crate::systems::SYSTEMS).
    pub system: &'static str,
    build: fn(&MaltSystemOptions, Label) -> Box<dyn System>,
}

/// `MaltParser`'s algorithms, the default first.
pub static ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "nivreeager",
        system: "arc-eager",
        build: |malt, root_label| Box::new(MaltArcEager::new(malt, root_label)),
    },
    Algorithm {
        name: "nivrestandard",
        system: "arc-standard",
        build: |malt, root_label| Box::new(MaltArcStandard::new(malt, root_label)),
    },
    Algorithm {
        name: "covnonproj",
        system: "covington",
        build: |malt, root_label| Box::new(MaltCovington::new(malt, false, root_label)),
    },
    Algorithm {
        name: "covproj",
        system: "covington-projective",
        build: |malt, root_label| Box::new(MaltCovington::new(malt, true, root_label)),
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
        build: |malt, root_label| Box::new(MaltPlanar::new(malt.clone(), root_label)),
    },
    Algorithm {
        name: "2planar",
        system: "two-planar",
        build: |malt, root_label| Box::new(MaltTwoPlanar::new(malt.clone(), root_label)),
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

impl Flags for MaltSystemOptions {
    const OWNER: &'static str = "Transition system";
    const FLAGS: &'static [Flag<Self>] = &[
        Flag("-a", "parsing algorithm", Name(algorithms, |s, at| s.algorithm = &ALGORITHMS[at])),
        Flag("-nr", "nivre: arcs from 0 are built", Boolean(|s, on| s.allow_root = on)),
        Flag("-ne", "nivreeager: headless tokens can be reduced", Boolean(|s, on| s.allow_reduce = on)),
        Flag("-nt", "nivreeager: one tree at the end", Boolean(|s, on| s.enforce_tree = on)),
        Flag("-cr", "covington: arcs from 0 are built", Boolean(|s, on| s.covington_allow_root = on)),
        Flag("-cs", "covington: SHIFT exists", Boolean(|s, on| s.covington_allow_shift = on)),
        Flag(
            "-prh",
            "planar: how roots are attached",
            Name(|| names(&ROOTS), |s, at| s.relaxed_root = ROOTS[at].1),
        ),
        Flag(
            "-pcon",
            "planar: connected components",
            Name(|| names(&CONNECTED), |s, at| s.connectedness = CONNECTED[at].1),
        ),
        Flag("-pacy", "planar: no cycles", Boolean(|s, on| s.acyclicity = on)),
        Flag("-pcov", "planar: headless tokens are not reduced", Boolean(|s, on| s.no_covered_roots = on)),
        Flag("-2pr", "2planar: SWITCH reduces", Boolean(|s, on| s.reduce_on_switch = on)),
    ];
}

fn algorithms() -> Vec<&'static str> {
    ALGORITHMS.iter().map(|algorithm| algorithm.name).collect()
}

/// The values of `-prh`: whether arcs from 0 are omitted.
const ROOTS: [(&str, bool); 2] = [("normal", false), ("relaxed", true)];

/// The values of `-pcon`.
const CONNECTED: [(&str, Connectedness); 3] =
    [("none", Connectedness::None), ("reduceonly", Connectedness::ReduceOnly), ("full", Connectedness::Full)];

impl MaltSystemOptions {
    /// Parses flags in the notation of `MaltParser`: `-a nivreeager -nr false`.
    pub fn parse(flags: &str) -> Result<Self, FlagError> {
        Self::default().with_flags(flags)
    }

    /// Returns the options of an algorithm, by the name of the papers' system; `None` if `MaltParser` does not have
    /// that system.
    pub fn for_system(name: &str) -> Option<Self> {
        let algorithm = ALGORITHMS.iter().find(|algorithm| algorithm.system == name)?;
        Some(Self { algorithm, ..Self::default() })
    }

    /// Creates the system; tokens without a head at the end get `root_label`.
    pub fn build(&self, root_label: Label) -> Box<dyn System> {
        (self.algorithm.build)(self, root_label)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::SYSTEMS;

    #[test]
    fn flags_are_read() {
        let malt = MaltSystemOptions::parse("-a covproj -cs true -prh relaxed").unwrap();
        assert_eq!(
            (malt.algorithm.name, malt.covington_allow_shift, malt.relaxed_root),
            ("covproj", true, true)
        );
        assert_eq!(MaltSystemOptions::parse("").unwrap(), MaltSystemOptions::default());
    }

    #[test]
    fn every_flag_changes_something() {
        for Flag(name, ..) in MaltSystemOptions::FLAGS {
            let values = ["true", "false", "2planar", "relaxed", "full"];
            let malt =
                values.iter().filter_map(|value| MaltSystemOptions::parse(&format!("{name} {value}")).ok());
            assert!(malt.into_iter().any(|malt| malt != MaltSystemOptions::default()), "{name}");
        }
    }

    #[test]
    fn every_algorithm_is_its_own() {
        for algorithm in ALGORITHMS {
            let malt = MaltSystemOptions::for_system(algorithm.system).unwrap();
            assert_eq!(malt, MaltSystemOptions::parse(&format!("-a {}", algorithm.name)).unwrap());
            assert!(SYSTEMS.iter().any(|entry| entry.name == algorithm.system));
        }
    }
}
