//! The token attributes of a network with their vocabularies: columns, merged columns, and sets, whose elements are known as well.

use std::collections::HashMap;

use quaich_features::{Element, TokenValue, TokenValues, Tokens};
use quaich_learn::network::{NO_VALUE, UNKNOWN, Vocabulary};
use quaich_treebank::{Node, Role};

use crate::dictionary::Dictionary;

/// All token attributes of a network's slots; several networks share one list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attributes {
    pub(super) list: Vec<Attribute>,
}

/// A token attribute.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    /// The columns and their parts.
    pub(super) parts: Vec<TokenValue>,
    /// Its number among the values that sentences are read for.
    pub(super) number: u16,
    /// The values with an embedding of their own.
    pub(super) values: Dictionary,
    /// The elements of sets, each with an embedding; empty for other attributes.
    pub(super) elements: Dictionary,
}

impl Attributes {
    /// The place of an attribute, which is added if it is new. Its values come later.
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

    /// The number of attributes.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }
}

impl Attribute {
    /// Whether values are sets.
    pub(super) fn is_set(&self) -> bool {
        self.parts.iter().any(TokenValue::is_set)
    }

    /// The number of rows of values and elements.
    pub(super) fn n_rows(&self) -> usize {
        self.values.size() + self.elements.len()
    }

    /// The number of a node's value.
    #[inline]
    pub(super) fn value(&self, tokens: &Tokens, node: Node) -> u32 {
        if node.is_none() { NO_VALUE } else { self.values.get(tokens.get(node, self.number)) }
    }

    /// Prefetches the lookup of a node's value.
    #[inline]
    pub(super) fn prefetch(&self, tokens: &Tokens, node: Node) {
        self.values.prefetch(tokens.get(node, self.number));
    }

    /// The rows of a node's value: one, or for an unknown set also those of its elements.
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

/// The width of an attribute's embeddings, and the minimum count of a value with an embedding of its own. Chosen on english-ewt and
/// hungarian-szeged dev.
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

/// Counts values, and numbers them at the end.
#[derive(Debug)]
pub(super) struct VocabularyCounter {
    /// One per attribute: its values with their counts, in the order of first occurrence, and the elements of sets.
    counts: Vec<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    places: HashMap<u64, usize, rustc_hash::FxBuildHasher>,
    values: Vec<(u64, u32, Vec<u64>)>,
}

impl VocabularyCounter {
    pub(super) fn new(attributes: &Attributes) -> Self {
        Self { counts: attributes.list.iter().map(|_| Counts::default()).collect() }
    }

    /// Counts the values of a sentence, including those of the root.
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

    /// Fills the dictionaries of all attributes; returns what training needs to know about each.
    pub(super) fn number(self, attributes: &mut Attributes, word_dropout: f32) -> Vec<Learnable> {
        let numbered = attributes.list.iter_mut().zip(self.counts);
        numbered.map(|(attribute, counts)| counts.number(attribute, word_dropout)).collect()
    }
}

/// An attribute in training.
#[derive(Clone, Debug)]
pub(super) struct Learnable {
    pub(super) vocabulary: Vocabulary,
    /// The numbers of rare sets without an embedding of their own; they are composed of the same elements. They have no rows at
    /// inference, where the rows of the elements are summed.
    rare: HashMap<u64, u32, rustc_hash::FxBuildHasher>,
}

impl Learnable {
    /// The number of a node's value in training instances.
    pub(super) fn value(&self, attribute: &Attribute, tokens: &Tokens, node: Node) -> u32 {
        match attribute.value(tokens, node) {
            UNKNOWN => self.rare.get(&tokens.get(node, attribute.number)).copied().unwrap_or(UNKNOWN),
            known => known,
        }
    }
}

impl Counts {
    fn number(self, attribute: &mut Attribute, word_dropout: f32) -> Learnable {
        let (width, min_count) = size(&attribute.parts);
        let common = || self.values.iter().filter(|(_, count, _)| *count >= min_count);
        attribute.values = Dictionary::from_keys(common().map(|(value, ..)| *value));
        attribute.elements =
            Dictionary::from_keys(self.values.iter().flat_map(|(_, _, set)| set.iter().copied()));
        // UNKNOWN and NO_VALUE are never dropped.
        #[allow(clippy::cast_precision_loss, reason = "counts of words")]
        let dropout = common().map(|&(_, count, _)| word_dropout / (word_dropout + count as f32));
        let dropout: Vec<f32> = [0.0, 0.0].into_iter().chain(dropout).collect();
        let mut rare = HashMap::default();
        if !attribute.is_set() {
            let vocabulary = Vocabulary::plain(attribute.values.size(), width, dropout);
            return Learnable { vocabulary, rare };
        }
        let parts_of = |set: &[u64]| -> Vec<u32> {
            set.iter().filter_map(|&element| attribute.elements.place(element)).collect()
        };
        let parts: Vec<Vec<u32>> =
            [Vec::new(), Vec::new()].into_iter().chain(common().map(|(.., set)| parts_of(set))).collect();
        let mut vocabulary = Vocabulary::composed(&parts, attribute.elements.len(), width, dropout);
        for (value, count, set) in &self.values {
            if *count < min_count {
                rare.insert(*value, vocabulary.add_unseen(&parts_of(set)));
            }
        }
        Learnable { vocabulary, rare }
    }
}
