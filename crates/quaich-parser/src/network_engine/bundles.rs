//! Words' rows, summed over their attributes and kept from sentence to sentence.

use quaich_features::Tokens;
use quaich_learn::network::frozen::{BLOCK, Cells, Frozen};
use quaich_treebank::Node;

use super::NetworkEngine;
use super::dictionary::N_ATTRIBUTES;
use crate::kernels::prefetch;
use crate::memory::Lines;

/// Words that are kept at most, besides those of the present sentence.
const KEPT: usize = 8192;
/// What no place is numbered.
const NOWHERE: u32 = u32::MAX;

/// The rows of the words of a sentence.
///
/// A word has a choice of two entries in an index; the word that was not seen for longer gives way,
/// and leaves its place to the one that comes. Places are given out in order, so that only as
/// much memory is touched as there were different words.
#[derive(Debug, Default)]
pub struct Bundles {
    /// By node: where its rows begin.
    starts: Vec<u32>,
    index: Vec<Entry>,
    /// How many places are given out.
    n_places: usize,
    /// The places, and after them room for words of the sentence that found theirs taken.
    lines: Option<Lines>,
    room: usize,
    sentence: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    word: u64,
    /// The last sentence that it was in.
    sentence: u64,
    place: u32,
}

impl Bundles {
    /// Finds or works out the rows of every token and of the root.
    ///
    /// # Panics
    /// When there is no memory for them.
    pub(super) fn read(&mut self, engine: &NetworkEngine, tokens: &Tokens) {
        let len = engine.transitions.bundle_len() + engine.labels.bundle_len();
        let n_nodes = tokens.n_tokens() + 1;
        if self.room < n_nodes || self.cells().len() != (KEPT + self.room) * len {
            self.room = n_nodes.next_power_of_two().max(256);
            self.lines = Some(Lines::zeroed((KEPT + self.room) * len).expect("memory for a sentence"));
            self.index.clear();
            self.index.resize(KEPT, Entry { word: 0, sentence: 0, place: NOWHERE });
            self.n_places = 0;
        }
        self.sentence += 1;
        self.starts.clear();
        let cells: &mut [Cells] = match &mut self.lines {
            Some(lines) => bytemuck::cast_slice_mut(lines.as_mut_slice()),
            None => &mut [],
        };
        let mut guest = KEPT;
        for index in 0..n_nodes {
            let node = Node::from_index(index);
            let key = engine.attributes.iter().fold(0u64, |key, &attribute| {
                key.rotate_left(11)
                    .wrapping_add(tokens.get(node, attribute))
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            });
            #[allow(clippy::cast_possible_truncation, reason = "some bits choose the entry")]
            let mut at = ((key >> 48) as usize % KEPT) & !1;
            let (first, second) = (self.index[at], self.index[at + 1]);
            if second.word == key || (first.word != key && second.sentence < first.sentence) {
                at += 1;
            }
            let entry = &mut self.index[at];
            let known = entry.word == key && entry.place != NOWHERE;
            let place = if known || entry.sentence < self.sentence {
                if entry.place == NOWHERE {
                    entry.place = u32::try_from(self.n_places).expect("fewer places than entries");
                    self.n_places += 1;
                }
                (entry.word, entry.sentence) = (key, self.sentence);
                entry.place as usize
            } else {
                guest += 1;
                guest - 1
            };
            if !known {
                engine.bundle(tokens, node, &mut cells[place * len..][..len]);
            }
            self.starts.push(u32::try_from(place * len).expect("less memory than 2³² lines"));
        }
    }

    /// The rows of all words.
    #[inline]
    pub(super) fn cells(&self) -> &[Cells] {
        self.lines.as_ref().map_or(&[], |lines| bytemuck::cast_slice(lines.as_slice()))
    }

    /// Where the rows of a node begin.
    #[inline]
    pub(super) fn start(&self, node: Node) -> u32 {
        self.starts[node.index()]
    }
}

impl NetworkEngine {
    /// Sums the rows of a word for every node it can be, in both networks.
    fn bundle(&self, tokens: &Tokens, node: Node, cells: &mut [Cells]) {
        let numbers: [u32; N_ATTRIBUTES] = self.dictionaries.numbers(tokens, node);
        let (transitions, labels) = cells.split_at_mut(self.transitions.bundle_len());
        for (part, cells) in [(&self.transitions, transitions), (&self.labels, labels)] {
            let (mut slot, rows_of_part) = (0, part.rows());
            let names = part.slots.token_places.iter().flat_map(|(_, names)| names);
            for (slot, name) in names.enumerate() {
                part.frozen.row(rows_of_part, slot, numbers[*name as usize]).iter().for_each(prefetch);
            }
            let places = part.slots.token_places.iter().zip(cells.chunks_mut(part.frozen.hidden / BLOCK));
            for ((_, names), cells) in places {
                let mut rows: [&[Cells]; N_ATTRIBUTES] = [&[]; N_ATTRIBUTES];
                for (row, name) in rows.iter_mut().zip(names) {
                    *row = part.frozen.row(rows_of_part, slot, numbers[*name as usize]);
                    slot += 1;
                }
                Frozen::add(&rows[..names.len()], cells);
            }
        }
    }
}
