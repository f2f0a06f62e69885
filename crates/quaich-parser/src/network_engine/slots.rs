//! Which values a network sees of a configuration: a list of attributes, compiled once.

use quaich_features::places::{N_DISTANCES, distance_class};
use quaich_features::{Attribute, Focus, Places, Template, TokenAttribute};
use quaich_learn::network::ABSENT;
use quaich_transition::configuration::Configuration;
use quaich_transition::transition::KINDS;
use quaich_treebank::Node;

use super::dictionary::N_ATTRIBUTES;

/// A compiled list of attributes. The network's slots are in this order: attributes of tokens, node
/// by node, then labels, then the others.
#[derive(Clone, Debug)]
pub struct Slots {
    attributes: Vec<Attribute>,
    places: Places,
    /// By node with attributes of its token: its place and those attributes.
    pub(super) token_places: Vec<(u16, Vec<TokenAttribute>)>,
    others: Vec<Other>,
    label_places: Vec<u16>,
    /// How many slots come before `others`.
    first_other: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Other {
    Label(u16),
    LeftValency(u16),
    RightValency(u16),
    Distance(u16, u16),
    History(u8),
}

/// The vocabularies besides those of token attributes, which come first.
const LABELS: usize = N_ATTRIBUTES;
const VALENCIES: usize = N_ATTRIBUTES + 1;
const DISTANCES: usize = N_ATTRIBUTES + 2;
const HISTORY: usize = N_ATTRIBUTES + 3;
/// How many vocabularies there are.
pub(super) const N_VOCABULARIES: usize = N_ATTRIBUTES + 4;

/// The most rows that are added for one decision.
pub(super) const MAX_ROWS: usize = 64;
/// The most places a list can have: a power of two, so that a number is kept below it by a mask.
pub(super) const MAX_PLACES: usize = 64;

/// Why a list of attributes cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SlotError {
    /// The network has no vocabulary for it.
    #[error("`{0}` cannot be used by the network")]
    Unsupported(Attribute),
    /// Too many nodes.
    #[error("found {0} different nodes and values, expected at most {MAX_PLACES}")]
    TooMany(usize),
}

impl Slots {
    /// Compiles a list.
    pub fn compile(attributes: &[Attribute]) -> Result<Self, SlotError> {
        let mut slots = Self {
            attributes: attributes.to_vec(),
            places: Places::default(),
            token_places: Vec::new(),
            others: Vec::new(),
            label_places: Vec::new(),
            first_other: 0,
        };
        for attribute in attributes {
            let other = match attribute {
                Attribute::Token(address, name) => {
                    let place = slots.places.add(address);
                    match slots.token_places.iter_mut().find(|(held, _)| *held == place) {
                        Some((_, names)) if names.contains(name) => {}
                        Some((_, names)) => names.push(*name),
                        None => slots.token_places.push((place, vec![*name])),
                    }
                    continue;
                }
                Attribute::Label(address) => Other::Label(slots.places.add(address)),
                Attribute::LeftValency(address) => Other::LeftValency(slots.places.add(address)),
                Attribute::RightValency(address) => Other::RightValency(slots.places.add(address)),
                Attribute::Distance(a, b) => Other::Distance(slots.places.add(a), slots.places.add(b)),
                Attribute::History(i) => Other::History(*i),
                Attribute::LeftLabels(_) | Attribute::RightLabels(_) => {
                    return Err(SlotError::Unsupported(attribute.clone()));
                }
            };
            if !slots.others.contains(&other) {
                slots.others.push(other);
            }
        }
        slots.others.sort_by_key(|other| !matches!(other, Other::Label(_)));
        for other in &slots.others {
            if let Other::Label(place) = other {
                slots.label_places.push(*place);
            }
        }
        slots.first_other = slots.token_places.iter().map(|(_, names)| names.len()).sum();
        if slots.places.len() > MAX_PLACES || slots.n_rows() > MAX_ROWS {
            return Err(SlotError::TooMany(slots.places.len().max(slots.n_rows())));
        }
        Ok(slots)
    }

    /// The attributes in a text, separated by white space; those that would be constant left out.
    ///
    /// # Panics
    /// When the notation is wrong: lists are part of the program.
    pub fn parse(text: &str, constant: &[TokenAttribute]) -> Vec<Attribute> {
        text.split_whitespace()
            .flat_map(|word| {
                Template::parse(word).expect("the notation of templates").without(constant).attributes
            })
            .collect()
    }

    /// The list, as it was given.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// How many rows a decision adds at most.
    fn n_rows(&self) -> usize {
        self.token_places.len() + self.others.len()
    }

    /// By slot: its vocabulary.
    pub fn vocabularies(&self) -> Vec<usize> {
        let tokens = self.token_places.iter().flat_map(|(_, names)| names.iter().map(|name| *name as usize));
        let others = self.others.iter().map(|other| match other {
            Other::Label(_) => LABELS,
            Other::LeftValency(_) | Other::RightValency(_) => VALENCIES,
            Other::Distance(..) => DISTANCES,
            Other::History(_) => HISTORY,
        });
        tokens.chain(others).collect()
    }

    /// By vocabulary, from [`N_ATTRIBUTES`] on: how many values it has and how long their vectors are.
    pub(crate) fn other_vocabularies(n_labels: usize) -> [(usize, usize); N_VOCABULARIES - N_ATTRIBUTES] {
        [
            (n_labels + 2, 24),
            (HIGHEST_VALENCY as usize + 2, 6),
            (N_DISTANCES as usize + ABSENT as usize, 10),
            (KINDS.len() + 2, 6),
        ]
    }

    /// How many slots there are.
    pub fn len(&self) -> usize {
        self.n_token_slots() + self.others.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub(super) fn n_token_slots(&self) -> usize {
        self.first_other
    }

    /// Finds the nodes.
    #[inline]
    pub(super) fn locate(&self, c: &Configuration, focus: Focus, nodes: &mut [Node; MAX_PLACES]) {
        self.places.locate(c, focus, nodes);
    }

    /// The places whose nodes' labels are the first of the slots after those of tokens.
    #[inline]
    pub(super) fn label_places(&self) -> &[u16] {
        &self.label_places
    }

    /// The value of every slot that is not an attribute of a token. The first of them are labels;
    /// they start with the one numbered `from`.
    #[inline]
    pub(super) fn others<'a>(
        &'a self,
        c: &'a Configuration,
        nodes: &'a [Node; MAX_PLACES],
        from: usize,
    ) -> impl Iterator<Item = u32> + 'a {
        self.others[from..].iter().map(move |&other| {
            let (place, distance) = match other {
                Other::Label(place) | Other::LeftValency(place) | Other::RightValency(place) => (place, None),
                Other::Distance(a, b) => (a, Some(nodes[usize::from(b)])),
                Other::History(i) => {
                    return ABSENT + c.history(usize::from(i)).map_or(0, |kind| 1 + kind as u32);
                }
            };
            let node = nodes[usize::from(place)];
            if node.is_none() {
                return ABSENT;
            }
            ABSENT
                + match (other, distance) {
                    (_, Some(other)) => distance_class(node, other),
                    (Other::LeftValency(_), _) => c.left_valency(node).min(HIGHEST_VALENCY),
                    (Other::RightValency(_), _) => c.right_valency(node).min(HIGHEST_VALENCY),
                    // No label is the highest number, which wraps to 0.
                    _ => c.label(node).0.wrapping_add(1),
                }
        })
    }

    /// The value of every slot, for training.
    pub(super) fn values(
        &self,
        c: &Configuration,
        numbers: &[[u32; N_ATTRIBUTES]],
        focus: Focus,
        values: &mut Vec<u32>,
    ) {
        let mut nodes = [Node::NONE; MAX_PLACES];
        self.locate(c, focus, &mut nodes);
        values.clear();
        for (place, names) in &self.token_places {
            let node = nodes[usize::from(*place)];
            values.extend(
                names.iter().map(
                    |name| {
                        if node.is_none() { ABSENT } else { numbers[node.index()][*name as usize] }
                    },
                ),
            );
        }
        values.extend(self.others(c, &nodes, 0));
    }
}

/// Valencies from here on are one.
const HIGHEST_VALENCY: u32 = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_grouped_by_node() {
        let slots = Slots::compile(&Slots::parse("s0:w b0:p s0:p s0.l:d dist(s0,b0) s0:w", &[])).unwrap();
        assert_eq!(slots.token_places.len(), 2);
        assert_eq!(slots.vocabularies(), [0, 2, 2, LABELS, DISTANCES]);
    }

    #[test]
    fn label_sets_are_refused() {
        let error = Slots::compile(&Slots::parse("s0:sl", &[])).unwrap_err();
        assert_eq!(error.to_string(), "`s0:sl` cannot be used by the network");
    }
}
