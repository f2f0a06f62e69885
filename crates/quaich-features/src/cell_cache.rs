//! A cache of parsed cells. A treebank has few different FEATS, and parsing one costs as much as reading the rest of
//! its row; so every cell is parsed once and found again by its text.

use crate::cells::{MISSING, Pieces};
use crate::hash;
use crate::sets::{Element, sort_and_dedup};

/// A parsed cell, by its index in the cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Known(u32);

impl Known {
    /// The cell without pieces.
    pub(crate) const EMPTY: Self = Self(0);
}

/// The parsed cells of one column, in concatenated arrays.
#[derive(Clone, Debug)]
pub(crate) struct CellCache {
    pieces: Pieces,
    /// The features requested by name.
    names: Vec<u64>,
    /// The value of a feature that a cell does not have.
    missing: u64,
    /// The hash of each cell, as passed by the caller.
    hashes: Vec<u64>,
    text: String,
    text_ends: Vec<usize>,
    elements: Vec<Element>,
    element_ends: Vec<usize>,
    /// By cell and name.
    features: Vec<u64>,
    /// Open addressing: indices of cells, [`FREE`] for free slots. The length is a power of two.
    table: Vec<u32>,
}

/// No cell.
const FREE: u32 = u32::MAX;
/// The cache is cleared between two sentences when it has more cells than this: some columns never repeat values.
const MAX_CELLS: usize = 1 << 14;

/// Returns the hash of a feature's name.
pub(crate) fn name_hash(name: &str) -> u64 {
    const SEED: u64 = 110;
    hash::bytes(SEED, name.as_bytes())
}

/// Returns the hash of a piece, name and value.
pub(crate) fn piece_hash(piece: &str) -> u64 {
    const SEED: u64 = 111;
    hash::bytes(SEED, piece.as_bytes())
}

impl CellCache {
    /// Creates a cache for cells that are split in this way, with the requested features.
    pub(crate) fn new(pieces: Pieces, names: Vec<u64>, missing: u64) -> Self {
        let mut cells = Self {
            pieces,
            names,
            missing,
            hashes: Vec::new(),
            text: String::new(),
            text_ends: Vec::new(),
            elements: Vec::new(),
            element_ends: Vec::new(),
            features: Vec::new(),
            table: Vec::new(),
        };
        cells.clear();
        cells
    }

    /// Clears the cache if it is too large.
    pub(crate) fn limit(&mut self) {
        if self.hashes.len() > MAX_CELLS {
            self.clear();
        }
    }

    fn clear(&mut self) {
        self.hashes.clear();
        self.text.clear();
        self.text_ends.clear();
        self.elements.clear();
        self.element_ends.clear();
        self.features.clear();
        self.table.clear();
        self.table.resize(64, FREE);
        // The first is the cell without pieces, which is not in the table.
        self.parse(0, "");
    }

    /// Finds a cell by its text, parsing it if it is new. The hash, which must be that of the text, only selects the
    /// slot: cells are compared by their text, so earlier input does not affect the result.
    #[inline]
    pub(crate) fn find(&mut self, hash: u64, cell: &str) -> Known {
        if cell == MISSING && !matches!(self.pieces, Pieces::Separated(_)) {
            return Known::EMPTY;
        }
        let mut slot = self.first_slot(hash);
        while self.table[slot] != FREE {
            let place = self.table[slot] as usize;
            if self.hashes[place] == hash && self.text_of(place) == cell {
                return Known(self.table[slot]);
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
        let place = self.parse(hash, cell);
        self.table[slot] = place;
        if self.hashes.len() * 2 > self.table.len() {
            self.grow();
        }
        Known(place)
    }

    #[inline]
    fn first_slot(&self, hash: u64) -> usize {
        #[allow(clippy::cast_possible_truncation, reason = "some bits choose the slot")]
        let slot = (hash >> 20) as usize;
        slot & (self.table.len() - 1)
    }

    fn grow(&mut self) {
        self.table = vec![FREE; self.table.len() * 2];
        for (place, &hash) in (0u32..).zip(&self.hashes).skip(1) {
            let mut slot = self.first_slot(hash);
            while self.table[slot] != FREE {
                slot = (slot + 1) & (self.table.len() - 1);
            }
            self.table[slot] = place;
        }
    }

    /// Parses a cell and adds it to the cache.
    fn parse(&mut self, hash: u64, cell: &str) -> u32 {
        let place = u32::try_from(self.hashes.len()).expect("few cells are kept");
        self.hashes.push(hash);
        self.text.push_str(cell);
        self.text_ends.push(self.text.len());
        let first = self.elements.len();
        let elements = &mut self.elements;
        self.pieces.visit(cell, |name, piece| {
            elements.push(Element { name: name_hash(name), value: piece_hash(piece) });
        });
        for &name in &self.names {
            let found = elements[first..].iter().find(|element| element.name == name);
            self.features.push(found.map_or(self.missing, |element| element.value));
        }
        sort_and_dedup(elements, first);
        self.element_ends.push(elements.len());
        place
    }

    fn text_of(&self, place: usize) -> &str {
        let start = if place == 0 { 0 } else { self.text_ends[place - 1] };
        &self.text[start..self.text_ends[place]]
    }

    /// Returns the elements of a cell, sorted.
    #[inline]
    pub(crate) fn elements(&self, known: Known) -> &[Element] {
        let place = known.0 as usize;
        let start = if place == 0 { 0 } else { self.element_ends[place - 1] };
        &self.elements[start..self.element_ends[place]]
    }

    /// Returns the requested features of a cell, in the order of their names.
    #[inline]
    pub(crate) fn features(&self, known: Known) -> &[u64] {
        &self.features[known.0 as usize * self.names.len()..][..self.names.len()]
    }
}
