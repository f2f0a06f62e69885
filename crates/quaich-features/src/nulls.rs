//! What `MaltParser` sees where there is nothing to be seen (`-nv`): one symbol for every kind of nothing, or two, or
//! three; or no feature at all.

use std::fmt;

/// How kinds of nothing are told apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Nulls {
    /// Not at all.
    #[default]
    One,
    /// No node from the rest.
    RootNode,
    /// No node, the root, and a token without a value.
    NoValue,
    /// Not at all, and a feature that is nothing is left out.
    None,
}

/// The symbol of a kind of nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(crate) enum Symbol {
    Null,
    RootNode,
    NoValue,
}

impl Nulls {
    /// All of them, in the order help shows them.
    pub const ALL: [Self; 4] = [Self::One, Self::RootNode, Self::NoValue, Self::None];

    /// The name, which is `MaltParser`'s.
    pub const fn name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::RootNode => "rootnode",
            Self::NoValue => "novalue",
            Self::None => "none",
        }
    }

    /// The one of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|nulls| nulls.name() == name)
    }

    /// The symbol of the root where a token was asked for.
    pub(crate) const fn root(self) -> Symbol {
        match self {
            Self::One | Self::None => Symbol::Null,
            Self::RootNode | Self::NoValue => Symbol::RootNode,
        }
    }

    /// The symbol of a value that a token does not have.
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

    /// What it looks like in a joined value.
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
