//! The network as a guide: the fastest engine.
//!
//! A word's part in the hidden layer, for every place it can stand in, depends on its attributes
//! alone. It is summed once and kept in the [`NetworkScratch`] from sentence to sentence
//! ([`bundles`]), so that a state costs one row a node that is there, and one for each label,
//! valency and distance. Sums are of whole numbers: scores do not depend on the processor, nor on
//! what a worker has seen before.

pub mod bundles;
pub mod dictionary;
pub mod parts;
pub mod slots;
#[cfg(test)]
mod tests;
pub mod train;

use quaich_features::{Focus, TokenAttribute, Tokens};
use quaich_learn::network::ABSENT;
use quaich_learn::network::frozen::{BLOCK, Cells, Frozen};
use quaich_transition::configuration::Configuration;
use quaich_transition::transition::Kind;
use quaich_treebank::Node;

use crate::kernels::prefetch;
use crate::memory::Lines;
use bundles::Bundles;
use dictionary::Dictionaries;
use slots::{MAX_PLACES, MAX_ROWS, Slots};

/// The networks of a parser and what feeds them.
#[derive(Clone, Debug)]
pub struct NetworkEngine {
    /// Numbers the values of tokens.
    pub dictionaries: Dictionaries,
    /// Chooses transitions.
    pub transitions: Part,
    /// Chooses labels.
    pub labels: Part,
    /// The kind of transition behind each class.
    pub kinds: Vec<Kind>,
    attributes: Vec<TokenAttribute>,
    /// Where the label network's rows begin in a bundle.
    label_offset: u32,
}

/// A network with its slots.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it sees.
    pub slots: Slots,
    /// The network.
    pub frozen: Frozen,
    /// Its rows.
    pub rows: Lines,
}

/// The most classes of transitions.
pub const MAX_KINDS: usize = 8;

/// What one thread keeps between decisions and sentences.
#[derive(Debug, Default)]
pub struct NetworkScratch {
    bundles: Bundles,
    units: Vec<i16>,
    scores: Vec<i32>,
}

impl NetworkEngine {
    /// An engine from its parts.
    ///
    /// # Panics
    /// When the hidden layers are larger than any memory.
    pub fn new(dictionaries: Dictionaries, transitions: Part, labels: Part, kinds: Vec<Kind>) -> Self {
        let attributes = TokenAttribute::ALL
            .into_iter()
            .filter(|attribute| {
                [&transitions, &labels]
                    .iter()
                    .any(|part| part.slots.vocabularies().contains(&(*attribute as usize)))
            })
            .collect();
        let label_offset = u32::try_from(transitions.bundle_len()).expect("a few thousand lines");
        Self { dictionaries, transitions, labels, kinds, attributes, label_offset }
    }

    /// Prepares for the decisions about a sentence.
    pub fn start(&self, tokens: &Tokens, scratch: &mut NetworkScratch) {
        scratch.bundles.read(self, tokens);
    }

    /// The score of every class of transitions, in nats: logarithms of probabilities but for a
    /// constant. Classes past the number of kinds have the lowest score.
    #[inline]
    pub fn score_transitions(&self, c: &Configuration, scratch: &mut NetworkScratch) -> [f32; MAX_KINDS] {
        let sums = self.sum_transitions(c, scratch);
        let mut scores = [f32::NEG_INFINITY; MAX_KINDS];
        for (score, &sum) in scores.iter_mut().zip(&sums).take(self.kinds.len()) {
            *score = self.transitions.frozen.nats(sum);
        }
        scores
    }

    /// The score of every class of transitions, in units of the network's scale.
    #[inline]
    pub fn sum_transitions(&self, c: &Configuration, scratch: &mut NetworkScratch) -> [i32; MAX_KINDS] {
        let mut scores = [i32::MIN; MAX_KINDS];
        let NetworkScratch { bundles, units, .. } = scratch;
        self.transitions.score(c, Focus::NONE, bundles, 0, units, &mut scores[..self.kinds.len()]);
        scores
    }

    /// The score of every label for an arc, in units of the network's scale.
    #[inline]
    pub fn sum_labels<'a>(
        &self,
        c: &Configuration,
        (head, dependent): (Node, Node),
        scratch: &'a mut NetworkScratch,
    ) -> &'a [i32] {
        let NetworkScratch { bundles, units, scores } = scratch;
        scores.resize(self.labels.frozen.classes, 0);
        let offset = self.label_offset;
        self.labels.score(c, Focus { head, dependent }, bundles, offset, units, scores);
        scores
    }

    /// How many bytes the rows of both networks take.
    pub fn size(&self) -> usize {
        size_of_val(self.transitions.rows()) + size_of_val(self.labels.rows())
    }
}

impl Part {
    /// The rows of the network, one after the other.
    #[inline]
    pub fn rows(&self) -> &[Cells] {
        bytemuck::cast_slice(self.rows.as_slice())
    }

    /// How many lines of cells a word has in this network: a row for each node it can be.
    fn bundle_len(&self) -> usize {
        self.slots.token_places.len() * (self.frozen.hidden / BLOCK)
    }

    /// The score of every class for a configuration. `offset` is where this network's rows start in
    /// a bundle.
    #[inline]
    fn score(
        &self,
        c: &Configuration,
        focus: Focus,
        bundles: &Bundles,
        offset: u32,
        units: &mut Vec<i16>,
        scores: &mut [i32],
    ) {
        let n_blocks = self.frozen.hidden / BLOCK;
        #[allow(clippy::cast_possible_truncation, reason = "a handful")]
        let lines = n_blocks as u32;
        let mut nodes = [Node::NONE; MAX_PLACES];
        self.slots.locate(c, focus, &mut nodes);
        let (cells, rows) = (bundles.cells(), self.rows());
        let (mut words, mut n_words) = ([0u32; MAX_ROWS], 0);
        let mut offset = offset;
        for &(place, _) in &self.slots.token_places {
            let node = nodes[usize::from(place) % MAX_PLACES];
            if node.is_some() {
                let start = bundles.start(node) + offset;
                cells[start as usize..][..n_blocks].iter().for_each(prefetch);
                words[n_words % MAX_ROWS] = start;
                n_words += 1;
            }
            offset += lines;
        }
        let (mut own, mut n_own) = ([0u32; MAX_ROWS], 0);
        let label_places = self.slots.label_places();
        let first = self.slots.n_token_slots();
        // Labels, the most of what is left, without asking what they are.
        let tables = self.frozen.first_row[first..].iter().zip(&self.frozen.stride[first..]);
        for (&place, (&row, &stride)) in label_places.iter().zip(tables) {
            let node = nodes[usize::from(place) % MAX_PLACES];
            if node.is_none() {
                continue;
            }
            let label = c.label(node);
            if !label.is_none() {
                // Labels are few, and their rows are never far: there is no need to send for them.
                let start = (row + stride * (ABSENT + 1 + label.0)) * lines;
                own[n_own % MAX_ROWS] = start;
                n_own += 1;
            }
        }
        let others = self.slots.others(c, &nodes, label_places.len());
        for (slot, value) in (first + label_places.len()..).zip(others) {
            if value != ABSENT {
                let start = self.frozen.start(slot, value);
                own[n_own % MAX_ROWS] = start;
                n_own += 1;
            }
        }
        self.frozen.score([(cells, &words[..n_words]), (rows, &own[..n_own])], units, scores);
    }
}
