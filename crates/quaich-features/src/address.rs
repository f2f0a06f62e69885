//! Addresses of nodes in a configuration: a position on a stack, in the buffer or at an end of the arc to be labelled,
//! followed by any number of steps from node to node.

use std::fmt;

/// The address of a node.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Address {
    /// The i-th node of the stack (of the active stack, of λ1) from its top.
    Stack(u8),
    /// The i-th node of the inactive stack from its top, or of λ2 from its left end.
    Second(u8),
    /// The i-th node of the buffer.
    Buffer(u8),
    /// The i-th untouched node of the buffer, excluding nodes that SWAP put back (`MaltParser`'s `Lookahead`).
    Lookahead(u8),
    /// The i-th node of the buffer that SWAP put back (`MaltParser`'s `Input` in its stack systems).
    SwappedBack(u8),
    /// The i-th token after the top of the stack, among those between it and the buffer's front whose heads are neither
    /// there nor beyond (`MaltParser`'s `LeftContext`). *Scans*.
    LeftContext(u8),
    /// The same, counted backwards from the buffer's front (`MaltParser`'s `RightContext`). *Scans*.
    RightContext(u8),
    /// The head of the arc to be labelled.
    ArcHead,
    /// The dependent of the arc to be labelled.
    ArcDependent,
    /// A step from another node.
    Step(Box<Address>, Step),
}

/// A step from a node to another. Heads, dependents and adjacent tokens are found in constant time; steps marked
/// *scans* search the sentence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
    /// To its head.
    Head,
    /// To the last node on the path up, which is the node itself if it has no head. *Scans*, upwards.
    Topmost,
    /// To the last node on the path up, nowhere if it has no head. *Scans*, upwards.
    ProperTopmost,
    /// To itself if it is a token, nowhere if it is node 0.
    Token,
    /// To its outermost (0), second outermost (1), … left dependent. *Scans* from the third on.
    Left(u8),
    /// To its outermost (0), second outermost (1), … right dependent. *Scans* from the third on.
    Right(u8),
    /// To the nearest dependent of the same head before it on the same side of the head. *Scans*.
    LeftSibling,
    /// To the nearest dependent of the same head after it on the same side of the head. *Scans*.
    RightSibling,
    /// To the first node to its left that shares a linked node with it, to the right of both (2012). *Scans*.
    LeftUndirectedSibling,
    /// To the first node to its right that shares a linked node with it, to the left of both (2012). *Scans*.
    RightUndirectedSibling,
    /// To the token after it in the sentence.
    Next,
    /// To the token before it in the sentence.
    Previous,
    /// To the first node of its subtree, which may be the node itself. *Scans*.
    LeftDescendant,
    /// To the last node of its subtree, which may be the node itself. *Scans*.
    RightDescendant,
    /// To the first node below it. *Scans*.
    ProperLeftDescendant,
    /// To the last node below it. *Scans*.
    ProperRightDescendant,
}

impl Address {
    /// Returns the address one step farther.
    #[must_use]
    pub fn then(self, step: Step) -> Self {
        Self::Step(Box::new(self), step)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stack(i) => write!(f, "s{i}"),
            Self::Second(i) => write!(f, "i{i}"),
            Self::Buffer(i) => write!(f, "b{i}"),
            Self::Lookahead(i) => write!(f, "k{i}"),
            Self::SwappedBack(i) => write!(f, "u{i}"),
            Self::LeftContext(i) => write!(f, "lc{i}"),
            Self::RightContext(i) => write!(f, "rc{i}"),
            Self::ArcHead => f.write_str("h"),
            Self::ArcDependent => f.write_str("d"),
            Self::Step(of, step) => write!(f, "{of}{step}"),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbered = |f: &mut fmt::Formatter<'_>, name: &str, k: u8| match k {
            0 => f.write_str(name),
            k => write!(f, "{name}{}", u16::from(k) + 1),
        };
        match self {
            Self::Head => f.write_str(".h"),
            Self::Topmost => f.write_str(".a"),
            Self::ProperTopmost => f.write_str(".pa"),
            Self::Token => f.write_str(".t"),
            Self::Left(k) => numbered(f, ".l", *k),
            Self::Right(k) => numbered(f, ".r", *k),
            Self::LeftSibling => f.write_str(".ls"),
            Self::RightSibling => f.write_str(".rs"),
            Self::LeftUndirectedSibling => f.write_str(".uls"),
            Self::RightUndirectedSibling => f.write_str(".urs"),
            Self::Next => f.write_str("+1"),
            Self::Previous => f.write_str("-1"),
            Self::LeftDescendant => f.write_str(".ld"),
            Self::RightDescendant => f.write_str(".rd"),
            Self::ProperLeftDescendant => f.write_str(".pld"),
            Self::ProperRightDescendant => f.write_str(".prd"),
        }
    }
}
