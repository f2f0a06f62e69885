//! What a network looks at in a token, with the values it knows of each: columns, merged columns, and
//! sets, whose values are known by their parts as well.

use std::collections::HashMap;

use quaich_features::{Element, TokenValue, TokenValues, Tokens};
use quaich_learn::network::{ABSENT, UNKNOWN, Vocabulary};
use quaich_treebank::{Node, Role};

use crate::dictionary::Dictionary;

/// Everything that a network's slots look at in a token; several networks share one list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attributes {
    pub(super) list: Vec<Attribute>,
}

/// One of them.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    /// What is looked at.
    pub(super) parts: Vec<TokenValue>,
    /// Its number among the values that sentences are read for.
    pub(super) number: u16,
    /// The values that have a vector of their own.
    pub(super) values: Dictionary,
    /// The elements of sets, each with a vector of its own; none for what is no set.
    pub(super) elements: Dictionary,
}

impl Attributes {
    /// The place of an attribute, which is added where it is new. Its values come later.
    pub(super) fn add(&mut self, parts: &[TokenValue], token_values: &mut TokenValues) -> usize {
        self.list.iter().position(|attribute| attribute.parts == parts).unwrap_or_else(|| {
            self.list.push(Attribute {
                parts: parts.to_vec(),
                number: token_values.add(parts),
                values: Dictionary::default(),
                elements: Dictionary::default(),
            });
            self.list.len() - 1
        })
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }
}

impl Attribute {
    /// Whether values are sets.
    pub(super) fn is_set(&self) -> bool {
        self.parts.iter().any(TokenValue::is_set)
    }

    /// How many values and elements have rows.
    pub(super) fn n_rows(&self) -> usize {
        self.values.size() + self.elements.len()
    }

    /// The number of a node's value.
    #[inline]
    pub(super) fn value(&self, tokens: &Tokens, node: Node) -> u32 {
        if node.is_none() { ABSENT } else { self.values.get(tokens.get(node, self.number)) }
    }

    /// Sends for what tells the number of a node's value.
    #[inline]
    pub(super) fn send_for(&self, tokens: &Tokens, node: Node) {
        self.values.send_for(tokens.get(node, self.number));
    }

    /// The rows of a node's value: one, or where a set as a whole is not known, those of its elements besides.
    #[inline]
    pub(super) fn rows(&self, tokens: &Tokens, node: Node, mut row: impl FnMut(u32)) {
        let value = self.value(tokens, node);
        row(value);
        if value == UNKNOWN && self.is_set() {
            #[allow(clippy::cast_possible_truncation, reason = "fewer than 2³² values")]
            let first = self.values.size() as u32;
            for element in tokens.set(node, self.number) {
                if let Some(place) = self.elements.place(element.value) {
                    row(first + place);
                }
            }
        }
    }
}

/// What an attribute's values are worth: how long their vectors are, and how often a value must occur to
/// have one of its own. Chosen on english-ewt and hungarian-szeged dev.
fn size(parts: &[TokenValue]) -> (usize, u32) {
    use quaich_features::{ColumnName, Part};
    let [TokenValue { column, part }] = parts else { return (16, 1) };
    match (column, part) {
        (_, Part::Feature(_)) => (8, 1),
        (_, Part::Slice { .. }) => (16, 3),
        (ColumnName::Role(Role::Form), _) => (32, 3),
        (ColumnName::Role(Role::Lemma), _) => (32, 4),
        (ColumnName::Role(Role::CoarseTag | Role::FineTag), _) => (16, 1),
        (ColumnName::Role(Role::Feats), _) => (24, 2),
        _ => (16, 2),
    }
}

/// Counts values, and numbers them when all are seen.
#[derive(Debug)]
pub(super) struct Census {
    /// By attribute: its values with how often each occurs, in first-seen order, and the elements of sets.
    counts: Vec<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    places: HashMap<u64, usize, rustc_hash::FxBuildHasher>,
    values: Vec<(u64, u32, Vec<u64>)>,
}

impl Census {
    pub(super) fn new(attributes: &Attributes) -> Self {
        Self { counts: attributes.list.iter().map(|_| Counts::default()).collect() }
    }

    /// Counts the values of a sentence, the root's too.
    pub(super) fn add(&mut self, attributes: &Attributes, tokens: &Tokens) {
        for node in (0..=tokens.n_tokens()).map(Node::from_index) {
            for (attribute, counts) in attributes.list.iter().zip(&mut self.counts) {
                let value = tokens.get(node, attribute.number);
                let place = *counts.places.entry(value).or_insert_with(|| {
                    let set: &[Element] =
                        if attribute.is_set() { tokens.set(node, attribute.number) } else { &[] };
                    counts.values.push((value, 0, set.iter().map(|element| element.value).collect()));
                    counts.values.len() - 1
                });
                counts.values[place].1 += 1;
            }
        }
    }

    /// Gives every attribute its dictionaries; what training needs to know of each.
    pub(super) fn number(self, attributes: &mut Attributes, forgetting: f32) -> Vec<Learnable> {
        let numbered = attributes.list.iter_mut().zip(self.counts);
        numbered.map(|(attribute, counts)| counts.number(attribute, forgetting)).collect()
    }
}

/// An attribute in training.
#[derive(Clone, Debug)]
pub(super) struct Learnable {
    pub(super) vocabulary: Vocabulary,
    /// The numbers of sets that are too rare to have a vector of their own: that of no known whole with
    /// these elements. They have no rows in parsing, where the elements' rows are added up.
    rare: HashMap<u64, u32, rustc_hash::FxBuildHasher>,
}

impl Learnable {
    /// The number of a node's value among the training instances.
    pub(super) fn value(&self, attribute: &Attribute, tokens: &Tokens, node: Node) -> u32 {
        match attribute.value(tokens, node) {
            UNKNOWN => self.rare.get(&tokens.get(node, attribute.number)).copied().unwrap_or(UNKNOWN),
            known => known,
        }
    }
}

impl Counts {
    fn number(self, attribute: &mut Attribute, forgetting: f32) -> Learnable {
        let (width, min_count) = size(&attribute.parts);
        let common = || self.values.iter().filter(|(_, count, _)| *count >= min_count);
        attribute.values = Dictionary::from_keys(common().map(|(value, ..)| *value));
        attribute.elements =
            Dictionary::from_keys(self.values.iter().flat_map(|(_, _, set)| set.iter().copied()));
        // UNKNOWN and ABSENT are never forgotten.
        #[allow(clippy::cast_precision_loss, reason = "counts of words")]
        let forgotten = common().map(|&(_, count, _)| forgetting / (forgetting + count as f32));
        let forgotten: Vec<f32> = [0.0, 0.0].into_iter().chain(forgotten).collect();
        let mut rare = HashMap::default();
        if !attribute.is_set() {
            let vocabulary = Vocabulary::plain(attribute.values.size(), width, forgotten);
            return Learnable { vocabulary, rare };
        }
        let parts_of = |set: &[u64]| -> Vec<u32> {
            set.iter().filter_map(|&element| attribute.elements.place(element)).collect()
        };
        let parts: Vec<Vec<u32>> =
            [Vec::new(), Vec::new()].into_iter().chain(common().map(|(.., set)| parts_of(set))).collect();
        let mut vocabulary = Vocabulary::composed(&parts, attribute.elements.len(), width, forgotten);
        for (value, count, set) in &self.values {
            if *count < min_count {
                rare.insert(*value, vocabulary.add_unseen(&parts_of(set)));
            }
        }
        Learnable { vocabulary, rare }
    }
}
