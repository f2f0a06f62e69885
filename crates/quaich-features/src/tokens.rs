//! A sentence's token values as hashes: computed once a sentence, looked up in every state.

use quaich_treebank::{Node, Sentence};

use crate::cells::{MISSING, slice};
use crate::hash;
use crate::join;
use crate::known_cells::{Known, KnownCells, name_hash};
use crate::sets::Element;
use crate::token_values::{ColumnPlan, MergePlan, Order, Plan, PlanFor, TokenValues};
use crate::value::{ColumnName, Part, TokenValue};

/// The token values of every token of a sentence, of the root, and of no node at all.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// The row of no node, which is the last; node 0 has the first.
    none: usize,
    /// How long a row is.
    width: usize,
    /// By node: the values by number, and what merges are made of.
    rows: Vec<u64>,
    /// By node and column that falls into pieces: its cell.
    known: Vec<Known>,
    plan: PlanFor,
    /// The plan, compiled.
    reading: Reading,
}

/// What is done to read a token.
#[derive(Clone, Debug, Default)]
struct Reading {
    columns: Vec<Column>,
    merges: Vec<Merge>,
    /// The columns that fall into pieces.
    split: Vec<KnownCells>,
    /// By number: which column that falls into pieces a set is of.
    sets: Vec<Option<usize>>,
    root_row: Vec<u64>,
    none_row: Vec<u64>,
}

/// What is read of a cell, and where in the row it goes.
#[derive(Clone, Debug)]
struct Column {
    position: Option<usize>,
    seed: u64,
    /// The whole cell; a set counts as its cell.
    whole: Vec<usize>,
    slices: Vec<Slice>,
    /// The features by name, in the order of the names of the column that falls into pieces.
    features: Vec<usize>,
    /// Which of the columns that fall into pieces it is.
    split: Option<usize>,
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

/// Seeds that keep hashes apart.
mod seed {
    pub(super) const COLUMN: u64 = 112;
    pub(super) const PART: u64 = 113;
    pub(super) const MERGE: u64 = 114;
}

/// What stands in place of a text for the root and for no node.
const ROOT: u64 = 1;
const NONE: u64 = 2;

impl Tokens {
    /// Computes the values of a sentence, reusing the memory of the last.
    pub fn read(&mut self, sentence: &Sentence, values: &TokenValues, order: Order) {
        if let Some(plan) = self.plan.update(values, sentence.layout()) {
            self.reading = Reading::new(values, plan);
            self.width = plan.width;
        }
        let Self { none, width, rows, known, reading, .. } = self;
        reading.split.iter_mut().for_each(KnownCells::limit);
        *none = sentence.n_tokens() + 1;
        rows.clear();
        rows.extend_from_slice(&reading.root_row);
        rows.resize(*none * *width, 0);
        known.clear();
        known.resize(reading.split.len(), Known::EMPTY);
        if *width > 0 {
            let of_tokens = rows[*width..].chunks_exact_mut(*width);
            for (token, row) in order.tokens(sentence).zip(of_tokens) {
                reading.read(sentence, token, row, known);
            }
        }
        rows.extend_from_slice(&reading.none_row);
        known.resize((*none + 1) * reading.split.len(), Known::EMPTY);
    }

    /// The value of a node with this number; `Node::NONE` has values of its own. Of a set it is the whole cell.
    #[inline]
    pub fn get(&self, node: Node, number: u16) -> u64 {
        self.rows[self.start(node) + usize::from(number)]
    }

    /// The values of a node by number.
    #[inline]
    pub fn row(&self, node: Node) -> &[u64] {
        &self.rows[self.start(node)..][..self.reading.sets.len()]
    }

    /// The elements of a set value, sorted; none if the value with this number is not a set.
    #[inline]
    pub fn set(&self, node: Node, number: u16) -> &[Element] {
        let Some(split) = self.reading.sets[usize::from(number)] else { return &[] };
        let row = node.index().min(self.none) * self.reading.split.len();
        self.reading.split[split].elements(self.known[row + split])
    }

    /// The number of tokens.
    pub fn n_tokens(&self) -> usize {
        self.none.saturating_sub(1)
    }

    /// Every set of the sentence: its whole cell, and its elements.
    pub(crate) fn sets(&self) -> impl Iterator<Item = (u64, &[Element])> {
        let numbers = (0u16..).zip(&self.reading.sets).filter(|(_, split)| split.is_some());
        numbers.flat_map(move |(number, _)| {
            (1..self.none).map(move |index| {
                let node = Node::from_index(index);
                (self.get(node, number), self.set(node, number))
            })
        })
    }

    /// Where the values of a node are.
    #[inline]
    pub(crate) fn start(&self, node: Node) -> usize {
        node.index().min(self.none) * self.width
    }

    /// All values; see [`start`](Self::start).
    #[inline]
    pub(crate) fn rows(&self) -> &[u64] {
        &self.rows
    }
}

/// The value that a token has where its row has none.
pub(crate) fn missing(value: &TokenValue) -> u64 {
    let seed = match &value.part {
        Part::Slice { .. } => part_seed(value),
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

impl Reading {
    fn new(values: &TokenValues, plan: &Plan) -> Self {
        let mut reading = Self {
            sets: vec![None; values.len()],
            root_row: vec![0; plan.width],
            none_row: vec![0; plan.width],
            ..Self::default()
        };
        for column in &plan.columns {
            reading.add(column);
        }
        for MergePlan { number, parts } in &plan.merges {
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

    fn add(&mut self, plan: &ColumnPlan) {
        let seed = column_seed(&plan.name);
        let mut column = Column {
            position: plan.position,
            seed,
            whole: Vec::new(),
            slices: Vec::new(),
            features: Vec::new(),
            split: None,
        };
        let (mut names, mut split) = (Vec::new(), false);
        let set_of = self.split.len();
        for &(at, ref part) in &plan.parts {
            let part_seed = part_seed(&TokenValue { column: plan.name.clone(), part: part.clone() });
            let own = match part {
                // A set is looked up by the cell it comes from, so the two have one hash.
                Part::Whole | Part::Set => seed,
                Part::Slice { .. } | Part::Feature(_) => part_seed,
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
                Part::Slice { from, to } => {
                    column.slices.push(Slice { at, seed: part_seed, from: *from, to: *to });
                }
            }
        }
        if split {
            column.split = Some(set_of);
            self.split.push(KnownCells::new(plan.pieces, names, hash::bytes(seed, MISSING.as_bytes())));
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
            for &Slice { at, seed, from, to } in &column.slices {
                row[at] = hash::bytes(seed, slice(cell, from, to).as_bytes());
            }
        }
        put_together(&self.merges, row);
    }
}

/// Computes the merges of a row that is read otherwise.
#[inline]
fn put_together(merges: &[Merge], row: &mut [u64]) {
    for merge in merges {
        let sum = join::add_all(0, merge.parts.iter().map(|&part| row[part]));
        row[merge.at] = hash::number(merge.seed, sum);
    }
}
