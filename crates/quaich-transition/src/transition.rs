//! Transitions: a [`Kind`] with a label, sets of kinds, dense class numbers and names.
//!
//! Names are those printed on the command line: `SH`, `RE`, `LA:subj`. Labels are numbers here, so callers convert them
//! to text.

use std::fmt;

use quaich_treebank::symbols::Label;
use serde::{Serialize, Serializer};

use crate::systems::System;

/// The effect of a transition, regardless of its label.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// The front of the buffer moves to the stack.
    Shift,
    /// The top of the stack is popped.
    Reduce,
    /// A stack node returns to the buffer, which reorders the sentence.
    Swap,
    /// Covington: skip the last node of λ1.
    NoArc,
    /// Two-planar: exchange the active and the inactive stack.
    Switch,
    /// An arc to the left: the dependent precedes its head in the configuration.
    LeftArc,
    /// An arc to the right: the head precedes its dependent in the configuration.
    RightArc,
    /// An undirected edge.
    Arc,
    /// LEFT-BUFFER-ARC: from the second buffer node to the first.
    LeftBufferArc,
    /// RIGHT-BUFFER-ARC: from the first buffer node to the second.
    RightBufferArc,
    /// LEFT-NONPROJ-BUFFER-ARC: from the second buffer node to the top of the stack.
    LeftNonprojBufferArc,
    /// RIGHT-NONPROJ-BUFFER-ARC: from the top of the stack to the second buffer node.
    RightNonprojBufferArc,
    /// Attardi: an arc from the top to the third node of the stack.
    LeftArc2,
    /// Attardi: an arc from the third node of the stack to the top.
    RightArc2,
    /// `MaltParser`'s `enforce_tree`: the top of the stack returns to the buffer.
    Unshift,
}

/// All kinds, in numeric order.
pub const KINDS: [Kind; 15] = [
    Kind::Shift,
    Kind::Reduce,
    Kind::Swap,
    Kind::NoArc,
    Kind::Switch,
    Kind::LeftArc,
    Kind::RightArc,
    Kind::Arc,
    Kind::LeftBufferArc,
    Kind::RightBufferArc,
    Kind::LeftNonprojBufferArc,
    Kind::RightNonprojBufferArc,
    Kind::LeftArc2,
    Kind::RightArc2,
    Kind::Unshift,
];

impl Kind {
    /// Returns the name printed on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shift => "SH",
            Self::Reduce => "RE",
            Self::Swap => "SW",
            Self::NoArc => "NA",
            Self::Switch => "SWITCH",
            Self::LeftArc => "LA",
            Self::RightArc => "RA",
            Self::Arc => "ARC",
            Self::LeftBufferArc => "LBA",
            Self::RightBufferArc => "RBA",
            Self::LeftNonprojBufferArc => "LNBA",
            Self::RightNonprojBufferArc => "RNBA",
            Self::LeftArc2 => "LA2",
            Self::RightArc2 => "RA2",
            Self::Unshift => "USH",
        }
    }

    /// Returns the kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        KINDS.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether transitions of this kind add an arc and so have a label.
    #[inline]
    pub const fn adds_arc(self) -> bool {
        matches!(
            self,
            Self::LeftArc
                | Self::RightArc
                | Self::Arc
                | Self::LeftBufferArc
                | Self::RightBufferArc
                | Self::LeftNonprojBufferArc
                | Self::RightNonprojBufferArc
                | Self::LeftArc2
                | Self::RightArc2
        )
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Serialised as its name.
impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A kind with its label; the label is `Label::NONE` if no arc is added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Transition {
    /// The kind.
    pub kind: Kind,
    /// The label of the arc it adds.
    pub label: Label,
}

impl Transition {
    /// Creates a transition that adds no arc.
    #[inline]
    pub const fn plain(kind: Kind) -> Self {
        Self { kind, label: Label::NONE }
    }

    /// Creates a transition that adds an arc with this label.
    #[inline]
    pub const fn arc(kind: Kind, label: Label) -> Self {
        Self { kind, label }
    }
}

/// A set of kinds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct KindSet(u16);

impl KindSet {
    /// No kind.
    pub const EMPTY: Self = Self(0);

    /// Returns the set of these kinds.
    pub const fn of(kinds: &[Kind]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < kinds.len() {
            bits |= 1 << kinds[i] as u8;
            i += 1;
        }
        Self(bits)
    }

    /// Returns the set with `kind` added if `condition` holds: `permissible` is built from these.
    #[inline]
    #[must_use]
    pub const fn with_if(self, kind: Kind, condition: bool) -> Self {
        Self(self.0 | (condition as u16) << kind as u8)
    }

    /// Returns the set with `kind` added.
    #[inline]
    #[must_use]
    pub const fn with(self, kind: Kind) -> Self {
        self.with_if(kind, true)
    }

    /// Returns the set without `kind`.
    #[inline]
    #[must_use]
    pub const fn without(self, kind: Kind) -> Self {
        Self(self.0 & !(1 << kind as u8))
    }

    /// Whether `kind` is in the set.
    #[inline]
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 >> kind as u8 & 1 == 1
    }

    /// Returns the kinds in either set.
    #[inline]
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the kinds in both sets.
    #[inline]
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of kinds in the set.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns the kind with the lowest number in the set.
    #[inline]
    pub fn first(self) -> Option<Kind> {
        if self.0 == 0 { None } else { Some(KINDS[self.0.trailing_zeros() as usize]) }
    }

    /// Iterates over the kinds in the set, by number.
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        KINDS.into_iter().filter(move |&kind| self.contains(kind))
    }
}

/// Serialised as a list of names.
impl Serialize for KindSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl fmt::Debug for KindSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Kind::name)).finish()
    }
}

/// Dense numbers for the transitions of a system with a fixed number of labels: first the kinds without a label, then
/// the labels of each kind that has one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Classes {
    plain: Vec<Kind>,
    labelled: Vec<Kind>,
    n_labels: u32,
}

impl Classes {
    /// Returns the classes of a system for trees with labels 0 to `n_labels - 1`: every transition of such a tree has
    /// one. If trees have no labels, all their arcs must be given the same one.
    pub fn of<S: System + ?Sized>(system: &S, n_labels: u32) -> Self {
        Self::new(system.kinds(), system.labelling().n_labels(n_labels))
    }

    /// Returns the classes of a system that uses `kinds`, over labels 0 to `n_labels - 1`.
    pub fn new(kinds: KindSet, n_labels: u32) -> Self {
        let (labelled, plain) = kinds.iter().partition(|kind| kind.adds_arc());
        Self { plain, labelled, n_labels }
    }

    /// Returns the number of classes.
    pub fn len(&self) -> usize {
        self.plain.len() + self.labelled.len() * self.n_labels as usize
    }

    /// Whether there are no classes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the numbers of the transitions of a kind: one, or one per label; none if the system does not have it.
    #[inline]
    pub fn range(&self, kind: Kind) -> std::ops::Range<u32> {
        if let Some((place, _)) = (0u32..).zip(&self.plain).find(|&(_, &plain)| plain == kind) {
            return place..place + 1;
        }
        let mut start = u32::try_from(self.plain.len()).unwrap_or(0);
        for &labelled in &self.labelled {
            if labelled == kind {
                return start..start + self.n_labels;
            }
            start += self.n_labels;
        }
        0..0
    }

    /// Returns the number of a transition; `None` if the system or the label set does not have it.
    pub fn id(&self, transition: Transition) -> Option<u32> {
        if let Some(place) = (0u32..).zip(&self.plain).find(|&(_, &kind)| kind == transition.kind) {
            return Some(place.0);
        }
        let (place, _) = (0u32..).zip(&self.labelled).find(|&(_, &kind)| kind == transition.kind)?;
        let n_plain = u32::try_from(self.plain.len()).ok()?;
        (transition.label.0 < self.n_labels).then(|| n_plain + place * self.n_labels + transition.label.0)
    }

    /// Returns the transition with this number.
    pub fn transition(&self, id: u32) -> Option<Transition> {
        if let Some(&kind) = self.plain.get(id as usize) {
            return Some(Transition::plain(kind));
        }
        let rest = id - u32::try_from(self.plain.len()).ok()?;
        let kind = *self.labelled.get(rest.checked_div(self.n_labels)? as usize)?;
        Some(Transition::arc(kind, Label(rest % self.n_labels)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_go_both_ways() {
        for (number, kind) in (0u8..).zip(KINDS) {
            assert_eq!(kind as u8, number);
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(Kind::from_name("la"), None);
    }

    #[test]
    fn classes_are_dense_and_go_both_ways() {
        let kinds = KindSet::of(&[Kind::Shift, Kind::LeftArc, Kind::RightArc, Kind::Swap]);
        for n_labels in [0, 1, 5, 3000] {
            let classes = Classes::new(kinds, n_labels);
            assert_eq!(classes.len(), 2 + 2 * n_labels as usize);
            for id in (0u32..).take(classes.len()) {
                let transition = classes.transition(id).unwrap();
                assert_eq!(classes.id(transition), Some(id));
                assert!(classes.range(transition.kind).contains(&id));
            }
            assert_eq!(classes.transition(2 + 2 * n_labels), None);
            assert_eq!(classes.id(Transition::arc(Kind::LeftArc, Label(n_labels))), None);
            assert_eq!(classes.id(Transition::plain(Kind::Reduce)), None);
        }
    }

    #[test]
    fn sets_hold_what_was_put_in() {
        let set = KindSet::EMPTY.with(Kind::Shift).with_if(Kind::Reduce, false).with(Kind::Unshift);
        assert_eq!(set, KindSet::of(&[Kind::Unshift, Kind::Shift]));
        assert_eq!(set.iter().collect::<Vec<_>>(), [Kind::Shift, Kind::Unshift]);
        assert_eq!((set.len(), set.first()), (2, Some(Kind::Shift)));
        assert_eq!(set.without(Kind::Shift).first(), Some(Kind::Unshift));
    }
}
