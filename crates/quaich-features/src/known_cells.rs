//! Cells that were taken apart before. There are few different FEATS, and taking one apart costs as much as
//! reading the rest of its row; so every cell is taken apart once and found again by its text.

use crate::cells::{MISSING, Pieces};
use crate::hash;
use crate::sets::{Element, sort_and_dedup};

/// A cell that was taken apart, by its place in the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Known(u32);

impl Known {
    /// The cell without pieces.
    pub(crate) const EMPTY: Self = Self(0);
}

/// The cells of one column and what they are made of, in arrays that run on from cell to cell.
#[derive(Clone, Debug)]
pub(crate) struct KnownCells {
    pieces: Pieces,
    /// The features asked for by name.
    names: Vec<u64>,
    /// What stands for a feature that a cell does not have.
    missing: u64,
    /// By cell, as it was given.
    hashes: Vec<u64>,
    text: String,
    text_ends: Vec<usize>,
    elements: Vec<Element>,
    element_ends: Vec<usize>,
    /// By cell and name.
    features: Vec<u64>,
    /// Open addressing: places in the list, [`FREE`] where there is none. Length is a power of two.
    table: Vec<u32>,
}

/// No cell.
const FREE: u32 = u32::MAX;
/// More cells than this are forgotten between two sentences: some columns never repeat themselves.
const MAX_CELLS: usize = 1 << 14;

/// The hash of a feature's name.
pub(crate) fn name_hash(name: &str) -> u64 {
    const SEED: u64 = 110;
    hash::bytes(SEED, name.as_bytes())
}

/// The hash of a piece, name and value.
pub(crate) fn piece_hash(piece: &str) -> u64 {
    const SEED: u64 = 111;
    hash::bytes(SEED, piece.as_bytes())
}

impl KnownCells {
    /// For cells that fall into such pieces, of which the features with these names are asked for.
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

    /// Makes sure that there are not too many.
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
        self.take_apart(0, "");
    }

    /// Finds a cell by its text, taken apart if it is new. The hash, which must come from the text, only says
    /// where to look: cells are told apart by their text, so that what was read before makes no difference.
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
        let place = self.take_apart(hash, cell);
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

    /// Adds a cell to the list.
    fn take_apart(&mut self, hash: u64, cell: &str) -> u32 {
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

    /// The elements of a cell, sorted.
    #[inline]
    pub(crate) fn elements(&self, known: Known) -> &[Element] {
        let place = known.0 as usize;
        let start = if place == 0 { 0 } else { self.element_ends[place - 1] };
        &self.elements[start..self.element_ends[place]]
    }

    /// The features of a cell that were asked for, in the order of their names.
    #[inline]
    pub(crate) fn features(&self, known: Known) -> &[u64] {
        &self.features[known.0 as usize * self.names.len()..][..self.names.len()]
    }
}
