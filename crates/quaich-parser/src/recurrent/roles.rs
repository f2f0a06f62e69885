//! The input of a question, compiled: the positions of words, and marks, which describe the partial tree.

use quaich_features::{Focus, Places, RoleSet, TokenValues};
use quaich_learn::encoder::{ABSENT, MAX_MARKS, MAX_SLOTS};
use quaich_learn::network;
use quaich_transition::configuration::Configuration;
use quaich_transition::systems::System;
use quaich_transition::transition::{Kind, Transition};
use quaich_treebank::{Label, Node};

use crate::network::attributes::Attributes;
use crate::network::slots::{MAX_PLACES, Slots};

/// Extracts the input of a question from a configuration.
#[derive(Clone, Debug)]
pub(super) struct SlotExtractor {
    seen: RoleSet,
    places: Places,
    /// One per role: its place.
    roles: Vec<u16>,
    marks: Slots,
    /// One per mark: the number of its first value.
    first_values: Vec<u32>,
    n_values: usize,
}

/// The input in one configuration.
#[derive(Clone, Debug)]
pub(super) struct SlotValues {
    /// One per role: the position of the word in the sentence, or [`ABSENT`].
    pub(super) words: [u32; MAX_SLOTS],
    /// One per mark: its value, or [`ABSENT`].
    pub(super) marks: [u32; MAX_MARKS],
}

impl Default for SlotValues {
    fn default() -> Self {
        Self { words: [ABSENT; MAX_SLOTS], marks: [ABSENT; MAX_MARKS] }
    }
}

impl SlotExtractor {
    /// Compiles a list of features; `None` if it is too long or has an invalid mark.
    pub(super) fn compile(seen: &RoleSet, n_labels: usize) -> Option<Self> {
        let mut places = Places::default();
        let roles: Vec<u16> = seen.words.iter().map(|address| places.add(address)).collect();
        let mut attributes = Attributes::default();
        let marks = Slots::compile(&seen.marks, &mut attributes, &mut TokenValues::default()).ok()?;
        let sizes: Vec<usize> =
            Slots::shared_vocabularies(n_labels).map(|(size, _)| size).into_iter().collect();
        let (mut first_values, mut n_values) = (Vec::new(), 0);
        for vocabulary in marks.vocabularies(0) {
            first_values.push(u32::try_from(n_values).ok()?);
            n_values += sizes.get(vocabulary)?;
        }
        let fits = attributes.len() == 0
            && places.len() <= MAX_PLACES
            && (1..=MAX_SLOTS).contains(&roles.len())
            && first_values.len() <= MAX_MARKS;
        fits.then(|| Self { seen: seen.clone(), places, roles, marks, first_values, n_values })
    }

    /// The list of features.
    pub(super) fn seen(&self) -> &RoleSet {
        &self.seen
    }

    /// The number of words.
    pub(super) fn n_roles(&self) -> usize {
        self.roles.len()
    }

    /// The number of marks.
    pub(super) fn n_marks(&self) -> usize {
        self.first_values.len()
    }

    /// The total number of values of all marks.
    pub(super) fn n_values(&self) -> usize {
        self.n_values
    }

    /// Extracts the input from a configuration.
    #[inline]
    pub(super) fn extract(&self, c: &Configuration, focus: Focus, found: &mut SlotValues) {
        let mut nodes = [Node::NONE; MAX_PLACES];
        self.places.locate(c, focus, &mut nodes);
        for (word, &place) in found.words.iter_mut().zip(&self.roles) {
            let node = nodes[usize::from(place)];
            *word = if node.is_none() { ABSENT } else { u32::try_from(node.index()).unwrap_or(ABSENT) };
        }
        self.marks.locate(c, focus, &mut nodes);
        self.marks.each_shared(c, &nodes, |mark, value| {
            let first = self.first_values[mark];
            found.marks[mark] = if value == network::NO_VALUE { ABSENT } else { first + value };
        });
    }
}

/// Whether arcs can lead to a node that is still in the buffer; tested before and after the first shift of a sentence of three words.
pub(super) fn leads_to_buffer(system: &dyn System) -> bool {
    let mut c = Configuration::default();
    system.start(&mut c, 3);
    for _ in 0..2 {
        let permissible = system.permissible(&c);
        let leads = |kind: Kind| {
            let arc = system.arc(&c, kind);
            arc.is_some_and(|(_, dependent)| dependent == c.buffer(0) || dependent == c.buffer(1))
        };
        if permissible.iter().any(leads) {
            return true;
        }
        if !permissible.contains(Kind::Shift) {
            break;
        }
        system.apply(&mut c, Transition { kind: Kind::Shift, label: Label::NONE });
    }
    false
}

#[cfg(test)]
mod tests {
    use quaich_transition::spec::SystemSpec;

    use super::*;

    #[test]
    fn systems_that_attach_the_front_of_the_buffer_look_further() {
        let leads = |name: &str| {
            let spec: SystemSpec = name.parse().unwrap();
            leads_to_buffer(&*spec.build(quaich_transition::systems::Options::default()))
        };
        for name in [
            "arc-eager",
            "rtl:arc-eager",
            "arc-eager:malt",
            "arc-standard",
            "planar",
            "two-planar",
            "covington",
            "covington-projective",
            "undirected-planar",
            "undirected-two-planar",
            "undirected-covington",
            "swap-lazy+lba",
        ] {
            assert!(leads(name), "{name}");
        }
        for name in ["arc-hybrid", "arc-hybrid-swap", "stack-projective", "swap-eager", "swap-lazy"] {
            assert!(!leads(name), "{name}");
        }
    }
}
