//! Systems by name, with modifiers: `rtl:arc-eager+lba:malt`.
//!
//! ```text
//!   [rtl:] SYSTEM [+MODIFIER]… [:malt]
//! ```
//!
//! | modifier | adds |
//! |---|---|
//! | `+lba` `+rba` `+lnba` `+rnba` | a buffer transition (stack-based systems) |
//! | `+any-length` | the oracle uses LBA and RBA for arcs of any length, not only of length 1 |
//! | `+second-pass` | a second pass over the tokens without a head |
//! | `+naive` `+label-a` | a reconstruction other than label-based B (undirected systems) |

use std::fmt;
use std::str::FromStr;

use quaich_treebank::Error;

use crate::malt::{ALGORITHMS, MaltSystemOptions};
use crate::modifiers::{BufferArcs, LengthPolicy, SecondPass};
use crate::systems::{Entry, Options, Reconstruction, SYSTEMS, System};
use crate::transition::{Kind, KindSet};

/// A system of the table with its modifiers.
#[derive(Clone, Copy, Debug)]
pub struct SystemSpec {
    entry: &'static Entry,
    buffer_arcs: KindSet,
    length_policy: LengthPolicy,
    second_pass: bool,
    reconstruction: Reconstruction,
    right_to_left: bool,
    malt: bool,
}

/// An error in the name of a system.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// An unknown system or modifier.
    #[error("{0}")]
    Unknown(#[from] Error),
    /// A modifier that the system does not support.
    #[error("`{system}` does not support `{modifier}`; supported by {fitting}")]
    DoesNotFit {
        /// The system.
        system: &'static str,
        /// The modifier.
        modifier: String,
        /// The systems that support it.
        fitting: String,
    },
    /// A root position or single root for a system that [has its own](SystemSpec::fixes_root).
    #[error("`{0}` handles node 0 like MaltParser: neither its position nor a single root can be chosen")]
    FixesRoot(String),
}

const MODIFIERS: [&str; 8] = ["lba", "rba", "lnba", "rnba", "any-length", "second-pass", "naive", "label-a"];

impl Default for SystemSpec {
    /// The first system of the table, without modifiers.
    fn default() -> Self {
        Self {
            entry: &SYSTEMS[0],
            buffer_arcs: KindSet::EMPTY,
            length_policy: LengthPolicy::default(),
            second_pass: false,
            reconstruction: Reconstruction::default(),
            right_to_left: false,
            malt: false,
        }
    }
}

impl PartialEq for SystemSpec {
    fn eq(&self, other: &Self) -> bool {
        // Everything that matters is in the name.
        self.to_string() == other.to_string()
    }
}

impl SystemSpec {
    /// Returns the entry of the table.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// Whether sentences are reversed, see [`mirror`](crate::modifiers::mirror).
    pub fn is_right_to_left(&self) -> bool {
        self.right_to_left
    }

    /// Whether this is `MaltParser`'s version, whose oracle loses arcs instead of rejecting a tree.
    pub fn is_malt(&self) -> bool {
        self.malt
    }

    /// Whether the system handles node 0 in its own way, like `MaltParser`'s: its position and whether it has a single
    /// child are not taken from the options, only the root label is.
    pub fn fixes_root(&self) -> bool {
        self.malt
    }

    /// Creates the system; see [`fixes_root`](Self::fixes_root) for the options it uses.
    pub fn build(&self, options: Options) -> Box<dyn System> {
        let options = Options { reconstruction: self.reconstruction, ..options };
        let mut system = match MaltSystemOptions::for_system(self.entry.name) {
            Some(settings) if self.malt => settings.build(options.root_label),
            _ => (self.entry.build)(options),
        };
        if !self.buffer_arcs.is_empty() {
            system = Box::new(BufferArcs::new(system, self.buffer_arcs, self.length_policy));
        }
        if self.second_pass {
            system = Box::new(SecondPass::new(system));
        }
        system
    }

    fn add(&mut self, modifier: &str) -> Result<(), SpecError> {
        let fits = |fits: fn(&Entry) -> bool| {
            if fits(self.entry) {
                return Ok(());
            }
            let fitting: Vec<&str> =
                SYSTEMS.iter().filter(|entry| fits(entry)).map(|entry| entry.name).collect();
            Err(SpecError::DoesNotFit {
                system: self.entry.name,
                modifier: format!("+{modifier}"),
                fitting: fitting.join(", "),
            })
        };
        match modifier {
            "lba" | "rba" | "lnba" | "rnba" => {
                fits(|entry| entry.takes_buffer_arcs)?;
                let kind = Kind::from_name(&modifier.to_uppercase());
                self.buffer_arcs = kind.map_or(self.buffer_arcs, |kind| self.buffer_arcs.with(kind));
            }
            "any-length" => {
                fits(|entry| entry.takes_buffer_arcs)?;
                self.length_policy = LengthPolicy::Any;
            }
            "second-pass" => {
                fits(|entry| entry.takes_second_pass)?;
                self.second_pass = true;
            }
            "naive" | "label-a" => {
                fits(|entry| entry.is_undirected)?;
                self.reconstruction =
                    if modifier == "naive" { Reconstruction::Naive } else { Reconstruction::LabelA };
            }
            _ => return Err(Error::unknown_name("modifier", modifier, MODIFIERS).into()),
        }
        Ok(())
    }
}

impl FromStr for SystemSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (right_to_left, rest) = match text.strip_prefix("rtl:") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (malt, rest) = match rest.strip_suffix(":malt") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let mut parts = rest.split('+');
        let name = parts.next().unwrap_or_default();
        let known = SYSTEMS.iter().find(|entry| entry.name == name);
        let names = SYSTEMS.iter().map(|entry| entry.name);
        let entry = known.ok_or_else(|| Error::unknown_name("system", name, names))?;
        let mut spec = Self { entry, right_to_left, malt, ..Self::default() };
        if malt && MaltSystemOptions::for_system(name).is_none() {
            let fitting: Vec<&str> = ALGORITHMS.iter().map(|algorithm| algorithm.system).collect();
            let (modifier, fitting) = (":malt".to_owned(), fitting.join(", "));
            return Err(SpecError::DoesNotFit { system: entry.name, modifier, fitting });
        }
        for modifier in parts {
            spec.add(modifier)?;
        }
        Ok(spec)
    }
}

impl fmt::Display for SystemSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.right_to_left {
            f.write_str("rtl:")?;
        }
        f.write_str(self.entry.name)?;
        for kind in self.buffer_arcs.iter() {
            write!(f, "+{}", kind.name().to_lowercase())?;
        }
        if self.length_policy == LengthPolicy::Any {
            f.write_str("+any-length")?;
        }
        if self.second_pass {
            f.write_str("+second-pass")?;
        }
        match self.reconstruction {
            Reconstruction::Naive => f.write_str("+naive")?,
            Reconstruction::LabelA => f.write_str("+label-a")?,
            Reconstruction::LabelB => {}
        }
        if self.malt {
            f.write_str(":malt")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways() {
        for name in [
            "arc-eager",
            "rtl:arc-eager+lba:malt",
            "swap-lazy+lba+rba+lnba+rnba+any-length",
            "arc-standard+second-pass",
            "undirected-planar+naive",
            "rtl:two-planar:malt",
        ] {
            let spec: SystemSpec = name.parse().unwrap();
            assert_eq!(spec.to_string(), name);
            spec.build(Options::default());
        }
        for entry in SYSTEMS {
            assert_eq!(entry.name.parse::<SystemSpec>().unwrap().to_string(), entry.name);
        }
    }

    #[test]
    fn errors_name_what_is_known_nearest_first() {
        let error = |name: &str| name.parse::<SystemSpec>().unwrap_err().to_string();
        assert!(error("arceager").starts_with("unknown system `arceager`; known: arc-eager, "));
        assert!(error("swap").starts_with("unknown system `swap`; known: "));
        assert!(error("planar+lbb").starts_with("unknown modifier `lbb`; known: lba, "));
        assert!(
            error("covington+lba")
                .starts_with("`covington` does not support `+lba`; supported by arc-eager, ")
        );
        assert!(
            error("arc-hybrid:malt")
                .starts_with("`arc-hybrid` does not support `:malt`; supported by arc-eager, ")
        );
        assert!(
            error("swap-lazy+second-pass")
                .contains("supported by arc-eager, arc-standard, planar, two-planar")
        );
    }
}
