//! The rows of words, summed over their attributes and cached across sentences.

use std::ops::Range;

use quaich_features::Tokens;
use quaich_learn::network::frozen::{BLOCK, Cells, Frozen};
use quaich_treebank::Node;

use super::model::NetworkModel;
use crate::huge_pages::Lines;
use crate::kernels::prefetch;

/// The maximum number of cached words, in addition to those of the current sentence.
const MAX_CACHED_WORDS: usize = 8192;
/// The maximum number of lines of the cache: half a gigabyte, ten times the size for the default hidden layers and slots. If words have
/// more lines, fewer are cached.
const MAX_CACHED_LINES: usize = 1 << 23;
/// The maximum number of rows summed for a word in one place; further elements of an unknown set are ignored.
const MAX_SUMMED: usize = 32;
/// Not a valid place.
const NOWHERE: u32 = u32::MAX;

/// The rows of the words of a sentence.
///
/// A set-associative cache: a word has [`WAYS`] possible entries, all in one cache line, and replaces the least recently used one. Places
/// are allocated in order, so that only as much memory is touched as there are different words.
#[derive(Debug, Default)]
pub(super) struct Bundles {
    /// One per node: its word.
    words: Vec<u64>,
    /// One per node: the start of its rows.
    starts: Vec<u32>,
    index: Vec<Entries>,
    /// The number of allocated places.
    n_places: usize,
    /// The places, followed by space for words of the sentence that are not cached.
    lines: Option<Lines>,
    room: usize,
    /// The number of cached words.
    kept: usize,
    sentence: u32,
}

/// The number of possible entries of a word.
const WAYS: usize = 4;

/// A line of the index: words, the last sentence of each, and their places.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Entries {
    words: [u64; WAYS],
    sentences: [u32; WAYS],
    places: [u32; WAYS],
}

impl Entries {
    const FREE: Self = Self { words: [0; WAYS], sentences: [0; WAYS], places: [NOWHERE; WAYS] };

    /// The entry of a word, or the entry to replace.
    #[inline]
    fn find(&self, word: u64) -> usize {
        let is_it = |&at: &usize| self.words[at] == word && self.places[at] != NOWHERE;
        let oldest = || (0..WAYS).min_by_key(|&at| self.sentences[at]).unwrap_or(0);
        (0..WAYS).find(is_it).unwrap_or_else(oldest)
    }
}

impl Bundles {
    /// Looks up or computes the rows of every token and of the root.
    ///
    /// # Panics
    /// If memory runs out.
    pub(super) fn read(&mut self, model: &NetworkModel, tokens: &Tokens) {
        let len = model.bundle_len();
        let n_nodes = tokens.n_tokens() + 1;
        let kept = n_cached(len);
        // Sentences are counted from 1; on overflow, the cache is cleared.
        let is_full = self.sentence == u32::MAX;
        if self.room < n_nodes
            || self.kept != kept
            || self.cells().len() != (kept + self.room) * len
            || is_full
        {
            self.room = n_nodes.next_power_of_two().max(256);
            self.kept = kept;
            self.lines = Some(Lines::zeroed((kept + self.room) * len).expect("memory for a sentence"));
            self.index.clear();
            self.index.resize(kept / WAYS, Entries::FREE);
            self.n_places = 0;
            self.sentence = 0;
        }
        self.sentence += 1;
        self.words.clear();
        // All entries are prefetched before the first lookup.
        for node in (0..n_nodes).map(Node::from_index) {
            let word = model.attributes.list.iter().fold(0u64, |word, attribute| {
                word.rotate_left(11)
                    .wrapping_add(tokens.get(node, attribute.number))
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            });
            prefetch(&self.index[entries_of(word, self.index.len())]);
            self.words.push(word);
        }
        self.starts.clear();
        let cells: &mut [Cells] = match &mut self.lines {
            Some(lines) => bytemuck::cast_slice_mut(lines.as_mut_slice()),
            None => &mut [],
        };
        let mut guest = kept;
        let mut numbers = Numbers::default();
        for (index, &word) in self.words.iter().enumerate() {
            let n_sets = self.index.len();
            let entries = &mut self.index[entries_of(word, n_sets)];
            let at = entries.find(word);
            let is_known = entries.words[at] == word && entries.places[at] != NOWHERE;
            let place = if is_known || entries.sentences[at] < self.sentence {
                if entries.places[at] == NOWHERE {
                    entries.places[at] = u32::try_from(self.n_places).expect("fewer places than entries");
                    self.n_places += 1;
                }
                (entries.words[at], entries.sentences[at]) = (word, self.sentence);
                entries.places[at] as usize
            } else {
                guest += 1;
                guest - 1
            };
            if !is_known {
                let node = Node::from_index(index);
                model.bundle(tokens, node, &mut numbers, &mut cells[place * len..][..len]);
            }
            self.starts.push(u32::try_from(place * len).expect("less memory than 2³² lines"));
        }
    }

    /// The rows of all words.
    #[inline]
    pub(super) fn cells(&self) -> &[Cells] {
        self.lines.as_ref().map_or(&[], |lines| bytemuck::cast_slice(lines.as_slice()))
    }

    /// The start of a node's rows.
    #[inline]
    pub(super) fn start(&self, node: Node) -> u32 {
        self.starts[node.index()]
    }
}

/// The number of cached words if each has this many lines: whole lines of the index.
fn n_cached(len: usize) -> usize {
    (MAX_CACHED_LINES / len.max(1)).clamp(WAYS, MAX_CACHED_WORDS) / WAYS * WAYS
}

/// The line of the index for a word.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "some bits choose the line")]
fn entries_of(word: u64, n_lines: usize) -> usize {
    (word >> 40) as usize % n_lines
}

/// The row numbers of a word, and buffers for summing them.
#[derive(Default)]
struct Numbers {
    rows: Vec<u32>,
    /// The end of each attribute's rows.
    ends: Vec<usize>,
    /// The start of the rows to sum for one question, place by place.
    starts: Vec<u32>,
    /// The end of each place's rows.
    place_ends: Vec<usize>,
}

impl Numbers {
    fn read(&mut self, model: &NetworkModel, tokens: &Tokens, node: Node) {
        self.rows.clear();
        self.ends.clear();
        model.attributes.list.iter().for_each(|attribute| attribute.prefetch(tokens, node));
        for attribute in &model.attributes.list {
            attribute.rows(tokens, node, |row| self.rows.push(row));
            self.ends.push(self.rows.len());
        }
    }

    /// The rows of an attribute, usually one.
    #[inline]
    fn of(&self, attribute: usize) -> Range<usize> {
        let start = if attribute == 0 { 0 } else { self.ends[attribute - 1] };
        start..self.ends[attribute]
    }
}

impl NetworkModel {
    /// Sums the rows of a word for every place and every question. `numbers` is scratch space.
    fn bundle(&self, tokens: &Tokens, node: Node, numbers: &mut Numbers, cells: &mut [Cells]) {
        numbers.read(self, tokens, node);
        let mut rest = cells;
        for entry in &self.by_question {
            let (cells, others) = rest.split_at_mut(entry.bundle_len());
            rest = others;
            let rows = entry.rows();
            // All rows are prefetched before the first is read.
            let (mut slot, n_blocks) = (0, entry.frozen.hidden / BLOCK);
            numbers.starts.clear();
            numbers.place_ends.clear();
            for (_, attributes) in &entry.slots.token_places {
                let first = numbers.starts.len();
                for &attribute in attributes {
                    for number in numbers.of(attribute) {
                        let start = entry.frozen.start(slot, numbers.rows[number]);
                        rows[start as usize..][..n_blocks].iter().for_each(prefetch);
                        numbers.starts.push(start);
                    }
                    slot += 1;
                }
                numbers.starts.truncate(first + MAX_SUMMED);
                numbers.place_ends.push(numbers.starts.len());
            }
            let mut first = 0;
            for (&end, cells) in numbers.place_ends.iter().zip(cells.chunks_mut(n_blocks)) {
                Frozen::add(rows, &numbers.starts[first..end], cells);
                first = end;
            }
        }
    }
}
