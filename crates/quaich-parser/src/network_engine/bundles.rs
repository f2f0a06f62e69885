//! Words' rows, summed over their attributes and kept from sentence to sentence.

use quaich_features::Tokens;
use quaich_learn::network::frozen::{BLOCK, Cells, Frozen};
use quaich_treebank::Node;

use super::NetworkEngine;
use crate::memory::Lines;
use super::dictionary::N_ATTRIBUTES;

/// Words that are kept at most, besides those of the present sentence.
const KEPT: usize = 4096;

/// The rows of the words of a sentence.
#[derive(Debug, Default)]
pub struct Bundles {
    /// By node: where its rows start, in `kept` and then `more`.
    starts: Vec<usize>,
    /// By place: the word that is there and the last sentence it was in.
    held: Vec<(u64, u64)>,
    kept: Option<Lines>,
    n_kept: usize,
    /// The rows of words that found their place taken by another word of the sentence.
    more: Vec<Cells>,
    sentence: u64,
}

impl Bundles {
    /// Finds or works out the rows of every token and of the root.
    pub(super) fn read(&mut self, engine: &NetworkEngine, tokens: &Tokens) {
        let len = engine.transitions.bundle_len() + engine.labels.bundle_len();
        if self.n_kept != KEPT * len {
            // Without the memory, words of one sentence are still kept for that sentence.
            self.kept = Lines::zeroed(KEPT * len).ok();
            self.held.clear();
            self.held.resize(if self.kept.is_some() { KEPT } else { 0 }, (0, 0));
            self.n_kept = if self.kept.is_some() { KEPT * len } else { 0 };
        }
        self.sentence += 1;
        self.starts.clear();
        self.more.clear();
        let kept: &mut [Cells] = match &mut self.kept {
            Some(lines) => bytemuck::cast_slice_mut(lines.as_mut_slice()),
            None => &mut [],
        };
        for index in 0..=tokens.n_tokens() {
            let node = Node::from_index(index);
            let key = engine.attributes.iter().fold(0u64, |key, &attribute| {
                key.rotate_left(11)
                    .wrapping_add(tokens.get(node, attribute))
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            });
            #[allow(clippy::cast_possible_truncation, reason = "some bits choose the place")]
            let place = (key >> 48) as usize % KEPT;
            let start = match self.held.get_mut(place) {
                Some((word, sentence)) if *word == key && *sentence > 0 => {
                    *sentence = self.sentence;
                    place * len
                }
                Some((word, sentence)) if *sentence < self.sentence => {
                    (*word, *sentence) = (key, self.sentence);
                    engine.bundle(tokens, node, &mut kept[place * len..][..len]);
                    place * len
                }
                _ => {
                    let start = self.more.len();
                    self.more.resize(start + len, Cells([0; BLOCK]));
                    engine.bundle(tokens, node, &mut self.more[start..]);
                    self.n_kept + start
                }
            };
            self.starts.push(start);
        }
    }

    /// The rows of the words that are kept.
    #[inline]
    pub(super) fn kept(&self) -> &[Cells] {
        self.kept.as_ref().map_or(&[], |lines| bytemuck::cast_slice(lines.as_slice()))
    }

    /// Part of the rows of a node; `kept` is what [`kept`](Self::kept) gives.
    #[inline]
    pub(super) fn row<'a>(&'a self, kept: &'a [Cells], node: Node, offset: usize, len: usize) -> &'a [Cells] {
        let start = self.starts[node.index()] + offset;
        if start < self.n_kept { &kept[start..start + len] } else { &self.more[start - self.n_kept..][..len] }
    }
}

impl NetworkEngine {
    /// Sums the rows of a word for every node it can be, in both networks.
    fn bundle(&self, tokens: &Tokens, node: Node, cells: &mut [Cells]) {
        let numbers: [u32; N_ATTRIBUTES] = self.dictionaries.numbers(tokens, node);
        let (transitions, labels) = cells.split_at_mut(self.transitions.bundle_len());
        for (part, cells) in [(&self.transitions, transitions), (&self.labels, labels)] {
            let mut slot = 0;
            let places = part.slots.token_places.iter().zip(cells.chunks_mut(part.frozen.hidden / BLOCK));
            for ((_, names), cells) in places {
                let mut rows: [&[Cells]; N_ATTRIBUTES] = [&[]; N_ATTRIBUTES];
                for (row, name) in rows.iter_mut().zip(names) {
                    *row = part.frozen.row(slot, numbers[*name as usize]);
                    slot += 1;
                }
                Frozen::add(&rows[..names.len()], cells);
            }
        }
    }
}
