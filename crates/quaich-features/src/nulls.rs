//! The treatment of null values as in `MaltParser` (`-nv`): one symbol for every kind of null value, or two, or three;
//! or no feature.

use std::fmt;

/// How kinds of null values are distinguished.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Nulls {
    /// Not distinguished.
    #[default]
    One,
    /// No node, and the rest.
    RootNode,
    /// No node, the root, and a token without a value.
    NoValue,
    /// Not distinguished, and features that are null are omitted.
    None,
}

/// A null symbol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(crate) enum Symbol {
    Null,
    RootNode,
    NoValue,
}

impl Nulls {
    /// All of them, in the order of help.
    pub const ALL: [Self; 4] = [Self::One, Self::RootNode, Self::NoValue, Self::None];

    /// Returns the name in `MaltParser`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::RootNode => "rootnode",
            Self::NoValue => "novalue",
            Self::None => "none",
        }
    }

    /// Returns the one with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|nulls| nulls.name() == name)
    }

    /// Returns the symbol of the root for a token value.
    pub(crate) const fn root(self) -> Symbol {
        match self {
            Self::One | Self::None => Symbol::Null,
            Self::RootNode | Self::NoValue => Symbol::RootNode,
        }
    }

    /// Returns the symbol of a value that a token does not have.
    pub(crate) const fn no_value(self) -> Symbol {
        match self {
            Self::One | Self::None => Symbol::Null,
            Self::RootNode => Symbol::RootNode,
            Self::NoValue => Symbol::NoValue,
        }
    }
}

impl Symbol {
    /// By number.
    pub(crate) const ALL: [Self; 3] = [Self::Null, Self::RootNode, Self::NoValue];

    /// Returns its text in a joined value.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Null => "#null#",
            Self::RootNode => "#rootnode#",
            Self::NoValue => "#novalue#",
        }
    }
}

impl fmt::Display for Nulls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
