//! The token values of a sentence as hashes: computed once per sentence, looked up in every state.

use quaich_treebank::{Node, Sentence};

use crate::cell_cache::{CellCache, Known, name_hash};
use crate::cells::{MISSING, Pieces, slice, value_of};
use crate::hash;
use crate::join;
use crate::sets::Element;
use crate::token_values::{CachedRowSpec, ColumnSpec, MergeSpec, Order, RowSpec, TokenValues};
use crate::value::{ColumnName, Part, TokenValue};

/// The token values of all tokens of a sentence, of the root, and of the missing node.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// The row of the missing node, which is the last; node 0 has the first.
    none: usize,
    /// The length of a row.
    width: usize,
    /// For each node: the values by number, and the parts of merges.
    rows: Vec<u64>,
    /// By node and split column: its cell.
    known: Vec<Known>,
    /// The positions in the rows that have texts of several pieces for joined values, and the factor for the pieces
    /// after them. Rarely used.
    several: Vec<(usize, u64)>,
    spec: CachedRowSpec,
    /// The compiled row specification.
    reading: RowReader,
}

/// The operations for reading a token.
#[derive(Clone, Debug, Default)]
struct RowReader {
    columns: Vec<Column>,
    merges: Vec<Merge>,
    /// The columns that are split into pieces.
    split: Vec<CellCache>,
    /// By number: the split column of a set.
    sets: Vec<Option<usize>>,
    /// The start of the parts of joined values in a row.
    joined: usize,
    root_row: Vec<u64>,
    none_row: Vec<u64>,
}

/// What to read from a cell, and the indices in the row.
#[derive(Clone, Debug)]
struct Column {
    position: Option<usize>,
    seed: u64,
    /// The whole cell; a set is represented by its cell.
    whole: Vec<usize>,
    slices: Vec<Slice>,
    /// The features by name, in the order of the names of the split column.
    features: Vec<usize>,
    /// The index of its split column.
    split: Option<usize>,
    /// The index of the whole cell for pieces between separators, with its seed; these come after `split` among the
    /// split columns.
    separated: Vec<(usize, u64, usize)>,
    /// The parts of joined values.
    joined: Vec<(usize, Part)>,
    pieces: Pieces,
}

#[derive(Clone, Copy, Debug)]
struct Slice {
    at: usize,
    seed: u64,
    from: Option<i8>,
    to: Option<i8>,
}

#[derive(Clone, Debug)]
struct Merge {
    at: usize,
    seed: u64,
    parts: Vec<usize>,
}

/// The separator of pieces in joined texts.
const JOINT: char = '~';
/// The factor of the hash of a piece per piece before it; odd, so that no bits are lost.
pub(crate) const JOINED_BASE: u64 = 0xd134_2543_de82_ef95;

/// Returns the hash of a piece of a joined text, which is never 0.
#[inline]
pub(crate) fn joined_piece(piece: &str) -> u64 {
    hash::bytes(seed::JOINED, piece.as_bytes()) | 1 << 63
}

/// Returns the hashes of pieces between separators if there is no token: of the missing node, and of the root.
pub(crate) fn split_nulls(value: &TokenValue) -> (u64, u64) {
    let seed = part_seed(value);
    (hash::number(seed, NONE), hash::number(seed, ROOT))
}

/// Seeds that separate hashes of different kinds.
mod seed {
    pub(super) const JOINED: u64 = 116;
    pub(super) const COLUMN: u64 = 112;
    pub(super) const PART: u64 = 113;
    pub(super) const MERGE: u64 = 114;
}

/// The value that replaces a text for the root and the missing node.
const ROOT: u64 = 1;
const NONE: u64 = 2;

impl Tokens {
    /// Computes the values of a sentence, reusing memory.
    pub fn read(&mut self, sentence: &Sentence, values: &TokenValues, order: Order) {
        if let Some(spec) = self.spec.update(values, sentence.layout()) {
            self.reading = RowReader::new(values, spec);
            self.width = spec.width;
        }
        let Self { none, width, rows, known, several, reading, .. } = self;
        reading.split.iter_mut().for_each(CellCache::limit);
        *none = sentence.n_tokens() + 1;
        rows.clear();
        rows.extend_from_slice(&reading.root_row);
        rows.resize(*none * *width, 0);
        several.clear();
        known.clear();
        known.resize(reading.split.len(), Known::EMPTY);
        if *width > 0 {
            let of_tokens = rows[*width..].chunks_exact_mut(*width);
            for (node, (token, row)) in (1..).zip(order.tokens(sentence).zip(of_tokens)) {
                reading.read(sentence, token, row, known);
                if reading.joined < *width {
                    reading.read_joined(sentence, token, row, |at, power| {
                        several.push((node * *width + at, power));
                    });
                }
            }
        }
        rows.extend_from_slice(&reading.none_row);
        known.resize((*none + 1) * reading.split.len(), Known::EMPTY);
    }

    /// Returns the value of a node with this number; `Node::NONE` has its own values. For a set, returns the whole
    /// cell.
    #[inline]
    pub fn get(&self, node: Node, number: u16) -> u64 {
        self.rows[self.start(node) + usize::from(number)]
    }

    /// Returns the values of a node by number.
    #[inline]
    pub fn row(&self, node: Node) -> &[u64] {
        &self.rows[self.start(node)..][..self.reading.sets.len()]
    }

    /// Returns the elements of a set value, sorted; none if the value with this number is not a set.
    #[inline]
    pub fn set(&self, node: Node, number: u16) -> &[Element] {
        let Some(split) = self.reading.sets[usize::from(number)] else { return &[] };
        let row = node.index().min(self.none) * self.reading.split.len();
        self.reading.split[split].elements(self.known[row + split])
    }

    /// Returns a text for joined values by its number: its hash, which is 0 if the token has none, and the factor for
    /// pieces after it.
    #[inline]
    pub(crate) fn joined(&self, node: Node, number: u16) -> (u64, u64) {
        let at = self.start(node) + self.reading.joined + usize::from(number);
        let several = self.several.iter().find(|(place, _)| *place == at);
        (self.rows[at], several.map_or(JOINED_BASE, |&(_, power)| power))
    }

    /// Returns the number of tokens.
    pub fn n_tokens(&self) -> usize {
        self.none.saturating_sub(1)
    }

    /// Iterates over all sets of the sentence: the whole cell and its elements.
    pub(crate) fn sets(&self) -> impl Iterator<Item = (u64, &[Element])> {
        let numbers = (0u16..).zip(&self.reading.sets).filter(|(_, split)| split.is_some());
        numbers.flat_map(move |(number, _)| {
            (1..self.none).map(move |index| {
                let node = Node::from_index(index);
                (self.get(node, number), self.set(node, number))
            })
        })
    }

    /// Returns the start of a node's values.
    #[inline]
    pub(crate) fn start(&self, node: Node) -> usize {
        node.index().min(self.none) * self.width
    }

    /// Returns all values; see [`start`](Self::start).
    #[inline]
    pub(crate) fn rows(&self) -> &[u64] {
        &self.rows
    }
}

/// Returns the value of a token if its row has none.
pub(crate) fn missing(value: &TokenValue) -> u64 {
    let seed = match &value.part {
        Part::Slice { .. } | Part::Split(_) => part_seed(value),
        Part::Whole | Part::Set | Part::Feature(_) => column_seed(&value.column),
    };
    hash::bytes(seed, MISSING.as_bytes())
}

fn column_seed(column: &ColumnName) -> u64 {
    hash::bytes(seed::COLUMN, column.to_string().as_bytes())
}

fn part_seed(value: &TokenValue) -> u64 {
    hash::bytes(seed::PART, value.to_string().as_bytes())
}

impl RowReader {
    fn new(values: &TokenValues, spec: &RowSpec) -> Self {
        let mut reading = Self {
            sets: vec![None; values.len()],
            joined: spec.joined,
            root_row: vec![0; spec.width],
            none_row: vec![0; spec.width],
            ..Self::default()
        };
        for column in &spec.columns {
            reading.add(column);
        }
        for MergeSpec { number, parts } in &spec.merges {
            let texts = values.parts(u16::try_from(*number).expect("numbers of a list are small"));
            let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
            let seed = hash::bytes(seed::MERGE, texts.join("&").as_bytes());
            reading.merges.push(Merge { at: *number, seed, parts: parts.clone() });
        }
        for row in [&mut reading.root_row, &mut reading.none_row] {
            put_together(&reading.merges, row);
        }
        reading
    }

    fn add(&mut self, spec: &ColumnSpec) {
        let seed = column_seed(&spec.name);
        let mut column = Column {
            position: spec.position,
            seed,
            whole: Vec::new(),
            slices: Vec::new(),
            features: Vec::new(),
            split: None,
            separated: Vec::new(),
            joined: spec.joined.clone(),
            pieces: spec.pieces.clone(),
        };
        let (mut names, mut split, mut separated) = (Vec::new(), false, Vec::new());
        let set_of = self.split.len();
        for &(at, ref part) in &spec.parts {
            let part_seed = part_seed(&TokenValue { column: spec.name.clone(), part: part.clone() });
            let own = match part {
                // A set is looked up by its cell, so the two have the same hash.
                Part::Whole | Part::Set => seed,
                Part::Slice { .. } | Part::Feature(_) | Part::Split(_) => part_seed,
            };
            self.root_row[at] = hash::number(own, ROOT);
            self.none_row[at] = hash::number(own, NONE);
            match part {
                Part::Whole => column.whole.push(at),
                Part::Set => {
                    column.whole.push(at);
                    if let Some(set) = self.sets.get_mut(at) {
                        *set = Some(set_of);
                    }
                    split = true;
                }
                Part::Feature(name) => {
                    column.features.push(at);
                    names.push(name_hash(name));
                    split = true;
                }
                Part::Split(separator) => separated.push((at, part_seed, separator.clone())),
                Part::Slice { from, to } => {
                    column.slices.push(Slice { at, seed: part_seed, from: *from, to: *to });
                }
            }
        }
        if split {
            column.split = Some(set_of);
            let missing = hash::bytes(seed, MISSING.as_bytes());
            self.split.push(CellCache::new(spec.pieces.clone(), names, missing));
        }
        for (at, seed, separator) in separated {
            if let Some(set) = self.sets.get_mut(at) {
                *set = Some(self.split.len());
            }
            column.separated.push((at, seed, self.split.len()));
            self.split.push(CellCache::new(Pieces::Separated(separator), Vec::new(), 0));
        }
        self.columns.push(column);
    }

    /// Reads a token.
    #[inline]
    fn read(&mut self, sentence: &Sentence, token: Node, row: &mut [u64], known: &mut Vec<Known>) {
        for column in &self.columns {
            let cell = column.position.map_or(MISSING, |position| sentence.cell(token, position));
            if column.split.is_some() || !column.whole.is_empty() {
                let hash = hash::bytes(column.seed, cell.as_bytes());
                for &at in &column.whole {
                    row[at] = hash;
                }
                if let Some(split) = column.split.map(|at| &mut self.split[at]) {
                    let found = split.find(hash, cell);
                    for (&at, &feature) in column.features.iter().zip(split.features(found)) {
                        row[at] = feature;
                    }
                    known.push(found);
                }
            }
            for &(at, seed, split) in &column.separated {
                row[at] = hash::bytes(seed, cell.as_bytes());
                known.push(self.split[split].find(row[at], cell));
            }
            for &Slice { at, seed, from, to } in &column.slices {
                row[at] = hash::bytes(seed, slice(cell, from, to).as_bytes());
            }
        }
        put_together(&self.merges, row);
    }

    /// Reads the parts of joined values; positions of texts of several pieces are added to `several`.
    #[inline(never)]
    fn read_joined(
        &self,
        sentence: &Sentence,
        token: Node,
        row: &mut [u64],
        mut several: impl FnMut(usize, u64),
    ) {
        for column in &self.columns {
            let cell = column.position.map_or(MISSING, |position| sentence.cell(token, position));
            for (at, part) in &column.joined {
                let text = match part {
                    Part::Whole | Part::Set | Part::Split(_) => cell.to_owned(),
                    Part::Slice { from, to } => slice(cell, *from, *to).to_owned(),
                    Part::Feature(name) => {
                        let mut found = None;
                        column.pieces.visit(cell, |held, piece| {
                            if held == name && found.is_none() {
                                found = Some(value_of(piece).to_owned());
                            }
                        });
                        let Some(found) = found else {
                            row[*at] = 0;
                            continue;
                        };
                        found
                    }
                };
                let (mut sum, mut power, mut n_pieces) = (0u64, 1u64, 0);
                for piece in text.split(JOINT) {
                    sum = sum.wrapping_add(joined_piece(piece).wrapping_mul(power));
                    power = power.wrapping_mul(JOINED_BASE);
                    n_pieces += 1;
                }
                // 0 means no text; a sum of several pieces is 0 once in 2⁶⁴.
                row[*at] = sum.max(1);
                if n_pieces > 1 {
                    several(*at, power);
                }
            }
        }
    }
}

/// Computes the merges of a row.
#[inline]
fn put_together(merges: &[Merge], row: &mut [u64]) {
    for merge in merges {
        let sum = join::add_all(0, merge.parts.iter().map(|&part| row[part]));
        row[merge.at] = hash::number(merge.seed, sum);
    }
}
