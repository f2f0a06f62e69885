//! A sentence's token values as hashes: computed once a sentence, looked up in every state.

use quaich_treebank::{Node, Sentence};

use crate::cells::{MISSING, slice};
use crate::hash;
use crate::join;
use crate::known_cells::{Known, KnownCells, name_hash};
use crate::sets::Element;
use crate::token_values::{ColumnPlan, Order, Plan, PlanFor, TokenValues};
use crate::value::{ColumnName, Part, TokenValue};

/// The token values of every token of a sentence, of the root, and of no node at all.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// The row of no node, which is the last; node 0 has the first.
    none: usize,
    /// How many values a node has.
    width: usize,
    /// By node and number.
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
    /// The columns that fall into pieces.
    split: Vec<KnownCells>,
    /// By number.
    entries: Vec<Entry>,
    /// By number: which column that falls into pieces a set is of.
    sets: Vec<Option<usize>>,
    /// The single values of the token that is being read.
    singles: Vec<u64>,
    /// The single values of the root and of no node.
    root: Vec<u64>,
    none: Vec<u64>,
}

/// What is read of a cell, and where it goes among the single values.
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
    single: usize,
    seed: u64,
    from: Option<i8>,
    to: Option<i8>,
}

/// How a value comes from single values.
#[derive(Clone, Debug)]
enum Entry {
    Single(usize),
    Merge(u64, Vec<usize>),
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
            self.width = values.len();
        }
        let Self { rows, known, reading, .. } = self;
        reading.split.iter_mut().for_each(KnownCells::limit);
        rows.clear();
        known.clear();
        reading.push(true, rows, known);
        for token in order.tokens(sentence) {
            reading.read(sentence, token, known);
            reading.put_together(rows);
        }
        reading.push(false, rows, known);
        self.none = sentence.n_tokens() + 1;
    }

    /// The value of a node with this number; `Node::NONE` has values of its own. Of a set it is the whole cell.
    #[inline]
    pub fn get(&self, node: Node, number: u16) -> u64 {
        self.rows[self.start(node) + usize::from(number)]
    }

    /// The values of a node by number.
    #[inline]
    pub fn row(&self, node: Node) -> &[u64] {
        &self.rows[self.start(node)..][..self.width]
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
            singles: vec![0; plan.n_singles],
            root: vec![0; plan.n_singles],
            none: vec![0; plan.n_singles],
            sets: vec![None; values.len()],
            ..Self::default()
        };
        for column in &plan.columns {
            reading.add(column);
        }
        for (number, singles) in plan.entries.iter().enumerate() {
            let parts = values.parts(u16::try_from(number).expect("numbers of a list are small"));
            if let [value] = parts
                && value.is_set()
            {
                let is_of = |column: &ColumnPlan| column.name == value.column;
                let column = plan.columns.iter().position(is_of);
                reading.sets[number] = column.and_then(|column| reading.columns[column].split);
            }
            reading.entries.push(if let [single] = singles.as_slice() {
                Entry::Single(*single)
            } else {
                let texts: Vec<String> = parts.iter().map(ToString::to_string).collect();
                Entry::Merge(hash::bytes(seed::MERGE, texts.join("&").as_bytes()), singles.clone())
            });
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
        for (single, part) in &plan.parts {
            let single = *single;
            let part_seed = part_seed(&TokenValue { column: plan.name.clone(), part: part.clone() });
            let own = match part {
                // A set is looked up by the cell it comes from, so the two have one hash.
                Part::Whole | Part::Set => seed,
                Part::Slice { .. } | Part::Feature(_) => part_seed,
            };
            self.root[single] = hash::number(own, ROOT);
            self.none[single] = hash::number(own, NONE);
            match part {
                Part::Whole => column.whole.push(single),
                Part::Set => {
                    column.whole.push(single);
                    split = true;
                }
                Part::Feature(name) => {
                    column.features.push(single);
                    names.push(name_hash(name));
                    split = true;
                }
                Part::Slice { from, to } => {
                    column.slices.push(Slice { single, seed: part_seed, from: *from, to: *to });
                }
            }
        }
        if split {
            column.split = Some(self.split.len());
            self.split.push(KnownCells::new(plan.pieces, names, hash::bytes(seed, MISSING.as_bytes())));
        }
        self.columns.push(column);
    }

    /// Reads the single values of a token.
    #[inline]
    fn read(&mut self, sentence: &Sentence, token: Node, known: &mut Vec<Known>) {
        let Self { columns, split, singles, .. } = self;
        for column in columns {
            let cell = column.position.map_or(MISSING, |position| sentence.cell(token, position));
            if column.split.is_some() || !column.whole.is_empty() {
                let hash = hash::bytes(column.seed, cell.as_bytes());
                for &single in &column.whole {
                    singles[single] = hash;
                }
                if let Some(split) = column.split.map(|at| &mut split[at]) {
                    let found = split.find(hash, cell);
                    for (&single, &feature) in column.features.iter().zip(split.features(found)) {
                        singles[single] = feature;
                    }
                    known.push(found);
                }
            }
            for slice_of in &column.slices {
                let part = slice(cell, slice_of.from, slice_of.to);
                singles[slice_of.single] = hash::bytes(slice_of.seed, part.as_bytes());
            }
        }
    }

    /// Adds the row of the root, or of no node.
    fn push(&mut self, root: bool, rows: &mut Vec<u64>, known: &mut Vec<Known>) {
        self.singles.clone_from(if root { &self.root } else { &self.none });
        known.extend(self.split.iter().map(|_| Known::EMPTY));
        self.put_together(rows);
    }

    /// Adds a row made of the single values.
    #[inline]
    fn put_together(&self, rows: &mut Vec<u64>) {
        rows.extend(self.entries.iter().map(|entry| match entry {
            Entry::Single(single) => self.singles[*single],
            Entry::Merge(seed, singles) => {
                let sum = join::add_all(0, singles.iter().map(|&single| self.singles[single]));
                hash::number(*seed, sum)
            }
        }));
    }
}
