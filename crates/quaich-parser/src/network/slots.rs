//! The slots of a network: the values that it reads from a configuration, compiled from the notation of templates.

use quaich_features::places::{HIGHEST_VALENCY, N_DISTANCES, distance_class};
use quaich_features::{Focus, Places, TokenValues, Value};
use quaich_learn::network::NO_VALUE;
use quaich_transition::configuration::Configuration;
use quaich_transition::transition::KINDS;
use quaich_treebank::{Label, Node};

use super::attributes::Attributes;

/// Compiled slots, in this order: attributes of tokens, node by node, then labels, then the others.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    values: Vec<Value>,
    places: Places,
    /// One per node with token attributes: its place and the places of those attributes.
    pub(crate) token_places: Vec<(u16, Vec<usize>)>,
    label_places: Vec<u16>,
    others: Vec<Other>,
    /// The number of slots with token attributes.
    n_of_tokens: usize,
}

/// A value that is neither a token attribute nor a label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Other {
    LeftValency(u16),
    RightValency(u16),
    Valency(u16),
    Distance(u16, u16),
    History(u8),
}

/// A vocabulary of values other than token attributes, whose vocabularies come first.
#[derive(Clone, Copy)]
enum Shared {
    Labels,
    Valencies,
    Distances,
    History,
}

/// The number of shared vocabularies.
const N_SHARED: usize = Shared::History as usize + 1;

/// The maximum number of rows per decision.
pub(crate) const MAX_ROWS: usize = 64;
/// The maximum number of places: a power of two, so that a mask bounds indices.
pub(crate) const MAX_PLACES: usize = 64;

/// The reason why slots are invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum SlotError {
    /// The network has no vocabulary for the value.
    #[error("`{0}` cannot be used by the network")]
    Unsupported(Value),
    /// There are too many nodes.
    #[error("found {0} different nodes and values, expected at most {MAX_PLACES}")]
    TooMany(usize),
}

impl Slots {
    /// Compiles slots; adds their token attributes to `attributes` and `token_values`.
    pub(crate) fn compile(
        values: &[Value],
        attributes: &mut Attributes,
        token_values: &mut TokenValues,
    ) -> Result<Self, SlotError> {
        let mut slots = Self {
            values: values.to_vec(),
            places: Places::default(),
            token_places: Vec::new(),
            label_places: Vec::new(),
            others: Vec::new(),
            n_of_tokens: 0,
        };
        for value in values {
            if let Some((address, parts)) = value.token() {
                let (place, attribute) = (slots.places.add(address), attributes.add(parts, token_values));
                match slots.token_places.iter_mut().find(|(held, _)| *held == place) {
                    Some((_, held)) if held.contains(&attribute) => {}
                    Some((_, held)) => held.push(attribute),
                    None => slots.token_places.push((place, vec![attribute])),
                }
                continue;
            }
            let other = match value {
                Value::Label(address) => {
                    let place = slots.places.add(address);
                    if !slots.label_places.contains(&place) {
                        slots.label_places.push(place);
                    }
                    continue;
                }
                Value::LeftValency(address) => Other::LeftValency(slots.places.add(address)),
                Value::RightValency(address) => Other::RightValency(slots.places.add(address)),
                Value::Valency(address) => Other::Valency(slots.places.add(address)),
                Value::Distance(a, b) => Other::Distance(slots.places.add(a), slots.places.add(b)),
                Value::History(i) => Other::History(*i),
                _ => return Err(SlotError::Unsupported(value.clone())),
            };
            if !slots.others.contains(&other) {
                slots.others.push(other);
            }
        }
        slots.n_of_tokens = slots.token_places.iter().map(|(_, attributes)| attributes.len()).sum();
        let n_rows = slots.token_places.len() + slots.label_places.len() + slots.others.len();
        if slots.places.len() > MAX_PLACES || n_rows > MAX_ROWS {
            return Err(SlotError::TooMany(slots.places.len().max(n_rows)));
        }
        Ok(slots)
    }

    /// The values, as given.
    pub(crate) fn values(&self) -> &[Value] {
        &self.values
    }

    /// One per slot: its vocabulary; those of attributes come before the shared ones.
    pub(crate) fn vocabularies(&self, n_attributes: usize) -> Vec<usize> {
        let tokens = self.token_places.iter().flat_map(|(_, attributes)| attributes.iter().copied());
        let shared = |vocabulary: Shared| n_attributes + vocabulary as usize;
        let labels = self.label_places.iter().map(|_| shared(Shared::Labels));
        let others = self.others.iter().map(|other| match other {
            Other::LeftValency(_) | Other::RightValency(_) | Other::Valency(_) => shared(Shared::Valencies),
            Other::Distance(..) => shared(Shared::Distances),
            Other::History(_) => shared(Shared::History),
        });
        tokens.chain(labels).chain(others).collect()
    }

    /// One per shared vocabulary: its number of values and the width of their embeddings.
    pub(crate) fn shared_vocabularies(n_labels: usize) -> [(usize, usize); N_SHARED] {
        let first = NO_VALUE as usize + 1;
        [
            (n_labels + first, 24),
            (HIGHEST_VALENCY as usize + first, 6),
            (N_DISTANCES as usize + NO_VALUE as usize, 10),
            (KINDS.len() + first, 6),
        ]
    }

    /// The number of slots.
    pub(crate) fn len(&self) -> usize {
        self.n_of_tokens + self.label_places.len() + self.others.len()
    }

    #[inline]
    pub(crate) fn n_token_slots(&self) -> usize {
        self.n_of_tokens
    }

    /// Finds the nodes.
    #[inline]
    pub(crate) fn locate(&self, c: &Configuration, focus: Focus, nodes: &mut [Node; MAX_PLACES]) {
        self.places.locate(c, focus, nodes);
    }

    /// Calls `take` with each slot after those of tokens, numbered from 0, and its value.
    #[inline]
    pub(crate) fn each_shared(
        &self,
        c: &Configuration,
        nodes: &[Node; MAX_PLACES],
        mut take: impl FnMut(usize, u32),
    ) {
        // The label for none is the highest number, which wraps to 0.
        let of_label = |label: Label| NO_VALUE + label.0.wrapping_add(1);
        let labels = self.label_places.iter().enumerate();
        if c.is_undirected() {
            // In undirected systems, edges have labels.
            labels.for_each(|(at, &place)| take(at, of_label(self.places.label(place, c, nodes))));
        } else {
            for (at, &place) in labels {
                let node = nodes[usize::from(place) % MAX_PLACES];
                take(at, if node.is_none() { NO_VALUE } else { of_label(c.label(node)) });
            }
        }
        let node = |place: u16| nodes[usize::from(place) % MAX_PLACES];
        // A valency of zero counts as absent and needs no row.
        let valency = |count: u32| NO_VALUE + count.min(HIGHEST_VALENCY);
        for (at, &other) in (self.label_places.len()..).zip(&self.others) {
            let value = match other {
                Other::LeftValency(place) | Other::RightValency(place) | Other::Valency(place)
                    if node(place).is_none() =>
                {
                    NO_VALUE
                }
                Other::LeftValency(place) => valency(c.left_valency(node(place))),
                Other::RightValency(place) => valency(c.right_valency(node(place))),
                Other::Valency(place) => valency(c.valency(node(place))),
                Other::Distance(a, b) => NO_VALUE + distance_class(node(a), node(b)),
                Other::History(i) => NO_VALUE + c.history(usize::from(i)).map_or(0, |kind| 1 + kind as u32),
            };
            take(at, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quaich_features::Template;

    fn compile(text: &str) -> (Result<Slots, SlotError>, Attributes) {
        let values: Vec<Value> =
            text.split_whitespace().flat_map(|word| Template::parse(word).unwrap().values).collect();
        let mut attributes = Attributes::default();
        (Slots::compile(&values, &mut attributes, &mut TokenValues::default()), attributes)
    }

    #[test]
    fn slots_are_grouped_by_node() {
        let (slots, attributes) = compile("s0:w b0:p s0:p s0.l:d dist(s0,b0) s0:w");
        let slots = slots.unwrap();
        assert_eq!((slots.token_places.len(), attributes.len()), (2, 2));
        assert_eq!(
            slots.vocabularies(2),
            [0, 1, 1, 2 + Shared::Labels as usize, 2 + Shared::Distances as usize]
        );
    }

    #[test]
    fn label_sets_are_refused() {
        let error = compile("s0:sl").0.unwrap_err();
        assert_eq!(error.to_string(), "`s0:sl` cannot be used by the network");
    }
}
