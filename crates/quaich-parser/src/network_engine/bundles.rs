//! Words' rows, summed over their attributes and kept from sentence to sentence.

use quaich_features::Tokens;
use quaich_learn::network::Frozen;
use quaich_treebank::Node;

use super::NetworkEngine;
use super::dictionary::N_ATTRIBUTES;

/// Words that are kept at most, besides those of the present sentence.
const KEPT: usize = 4096;

/// The rows of the words of a sentence.
#[derive(Clone, Debug, Default)]
pub struct Bundles {
    /// By node: where its rows start.
    starts: Vec<usize>,
    /// By place: the word that is there and the last sentence it was in.
    held: Vec<(u64, u64)>,
    cells: Vec<i8>,
    sentence: u64,
}

impl Bundles {
    /// Finds or works out the rows of every token and of the root.
    pub(super) fn read(&mut self, engine: &NetworkEngine, tokens: &Tokens) {
        let len = engine.transitions.bundle_len() + engine.labels.bundle_len();
        if self.held.is_empty() {
            self.held.resize(KEPT, (0, 0));
            self.cells.resize(KEPT * len, 0);
        }
        self.sentence += 1;
        self.starts.clear();
        // Words that find their place taken by another word of the sentence go after all places.
        let mut n_more = 0;
        for index in 0..=tokens.n_tokens() {
            let node = Node::from_index(index);
            let key = engine.attributes.iter().fold(0u64, |key, &attribute| {
                key.rotate_left(11)
                    .wrapping_add(tokens.get(node, attribute))
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            });
            #[allow(clippy::cast_possible_truncation, reason = "some bits choose the place")]
            let mut place = (key >> 48) as usize % KEPT;
            let (word, sentence) = self.held[place];
            if word != key || sentence == 0 {
                if sentence == self.sentence {
                    place = KEPT + n_more;
                    n_more += 1;
                    if self.cells.len() < (place + 1) * len {
                        self.cells.resize((place + 1) * len, 0);
                    }
                }
                engine.bundle(tokens, node, &mut self.cells[place * len..][..len]);
            }
            if place < KEPT {
                self.held[place] = (key, self.sentence);
            }
            self.starts.push(place * len);
        }
    }

    /// Part of the rows of a node.
    #[inline]
    pub(super) fn row(&self, node: Node, offset: usize, len: usize) -> &[i8] {
        &self.cells[self.starts[node.index()] + offset..][..len]
    }
}

impl NetworkEngine {
    /// Sums the rows of a word for every node it can be, in both networks.
    fn bundle(&self, tokens: &Tokens, node: Node, cells: &mut [i8]) {
        let numbers: [u32; N_ATTRIBUTES] = self.dictionaries.numbers(tokens, node);
        let (transitions, labels) = cells.split_at_mut(self.transitions.bundle_len());
        for (part, cells) in [(&self.transitions, transitions), (&self.labels, labels)] {
            let mut slot = 0;
            let places = part.slots.token_places.iter().zip(cells.chunks_mut(part.frozen.hidden));
            for ((_, names), cells) in places {
                let mut rows: [&[i8]; N_ATTRIBUTES] = [&[]; N_ATTRIBUTES];
                for (row, name) in rows.iter_mut().zip(names) {
                    *row = part.frozen.row(slot, numbers[*name as usize]);
                    slot += 1;
                }
                Frozen::add(&rows[..names.len()], cells);
            }
        }
    }
}
