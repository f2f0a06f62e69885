//! What is known of a word: the values of its columns, and the strings of characters in its form.
//!
//! Every column that has values counts; forms and lemmas without regard to case, features one by one and as a
//! whole. Forms and lemmas that occur once in training are unknown words, and what is learned of those serves
//! all others.

use std::collections::{HashMap, HashSet};

use quaich_features::{ColumnName, Order, hash};
use quaich_learn::recurrent::Attribute;
use quaich_treebank::{Layout, Node, Role, Sentence};

use crate::dictionary::Dictionary;
use crate::prepare::Example;

/// The number of a value that is not known.
const UNKNOWN: u32 = 0;
/// The number of the root's value.
const ROOT: u32 = 1;
/// Numbers that are taken before the first value's.
const RESERVED: u32 = 2;

/// What is known of words.
#[derive(Clone, Debug)]
pub(super) struct Lexicon {
    pub(super) columns: Vec<Column>,
    /// Strings of characters.
    pub(super) strings: Dictionary,
}

/// A column with its values.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) name: ColumnName,
    pub(super) values: Dictionary,
    /// The elements of values that are sets.
    pub(super) elements: Dictionary,
}

/// How a column is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reading {
    /// Without regard to case; what occurs once is not known.
    Word,
    /// As a whole.
    Tag,
    /// As a whole and element by element.
    Set,
}

impl Column {
    fn reading(&self) -> Reading {
        match self.name {
            ColumnName::Role(Role::Form | Role::Lemma) => Reading::Word,
            ColumnName::Role(Role::Feats) => Reading::Set,
            _ => Reading::Tag,
        }
    }

    /// How long the vectors of its values are.
    fn width(&self) -> usize {
        match self.reading() {
            Reading::Word => 64,
            Reading::Tag => 32,
            Reading::Set => 48,
        }
    }

    fn position(&self, layout: &Layout) -> Option<usize> {
        self.name.position(layout)
    }
}

/// How long the vectors of strings of characters are.
const STRING_WIDTH: usize = 64;
/// Distinct forms that a string must be found in to be known.
const MIN_FORMS: u32 = 3;
/// Longer forms are cut off.
const LONGEST_FORM: usize = 30;

/// A sentence whose words are to be looked up.
#[derive(Clone, Debug)]
pub(super) struct Page<'a> {
    lexicon: &'a Lexicon,
    sentence: &'a Sentence,
    order: Order,
    /// By column: where it is in the sentence's lines.
    positions: Vec<Option<usize>>,
}

impl Lexicon {
    /// What can be known of words like those of the examples.
    pub(super) fn of(examples: &[&Example<'_>]) -> Self {
        let layout = examples.first().map(|example| example.sentence.layout());
        let columns = layout.iter().flat_map(|layout| layout.columns()).filter_map(|column| {
            let name = match column.role {
                Role::Id | Role::Head | Role::Label | Role::Misc => return None,
                Role::Other if tells_of_heads(&column.name) => return None,
                Role::Other => ColumnName::Named(column.name.to_string()),
                role => ColumnName::Role(role),
            };
            Some(Column { name, values: Dictionary::default(), elements: Dictionary::default() })
        });
        let columns = columns.map(|column| column.read(examples)).filter(|column| !column.is_empty());
        let mut forms: HashSet<u64> = HashSet::new();
        let mut counts = Counts::default();
        let mut found = Vec::new();
        for Example { sentence, .. } in examples {
            for token in sentence.tokens() {
                let form = sentence.form(token);
                if forms.insert(hash::bytes(0, form.as_bytes())) {
                    strings_of(form, &mut found);
                    for &string in &found {
                        counts.add(string);
                    }
                }
            }
        }
        Self { columns: columns.collect(), strings: Dictionary::from_keys(counts.at_least(MIN_FORMS)) }
    }

    /// The sizes of what is known: one attribute a column, and one for strings of characters.
    pub(super) fn attributes(&self) -> Vec<Attribute> {
        let columns = self.columns.iter().map(|column| Attribute {
            values: RESERVED as usize + column.values.len() + column.elements.len(),
            width: column.width(),
            is_bag: false,
        });
        let strings =
            Attribute { values: RESERVED as usize + self.strings.len(), width: STRING_WIDTH, is_bag: true };
        columns.chain([strings]).collect()
    }

    /// Opens a sentence.
    pub(super) fn open<'a>(&'a self, sentence: &'a Sentence, order: Order) -> Page<'a> {
        let positions = self.columns.iter().map(|column| column.position(sentence.layout())).collect();
        Page { lexicon: self, sentence, order, positions }
    }
}

impl Page<'_> {
    /// A number for everything that is known of a word; 0 for the root.
    pub(super) fn key(&self, node: Node) -> u64 {
        let Some(token) = self.token(node) else { return 0 };
        self.positions.iter().flatten().fold(1, |key: u64, &position| {
            hash::bytes(key.rotate_left(7), self.sentence.cell(token, position).as_bytes())
        })
    }

    /// By attribute: the values of a word.
    pub(super) fn values(&self, node: Node, values: &mut Vec<Vec<u32>>) {
        values.resize(self.positions.len() + 1, Vec::new());
        values.iter_mut().for_each(Vec::clear);
        let Some(token) = self.token(node) else {
            for values in values {
                values.push(ROOT);
            }
            return;
        };
        for ((column, position), values) in self.lexicon.columns.iter().zip(&self.positions).zip(&mut *values)
        {
            let cell = position.map_or("_", |position| self.sentence.cell(token, position));
            column.look_up(cell, values);
        }
        let mut found = Vec::new();
        strings_of(self.sentence.form(token), &mut found);
        let known = found.iter().filter_map(|&string| self.lexicon.strings.place(string));
        if let Some(strings) = values.last_mut() {
            strings.extend(known.map(|place| RESERVED + place));
        }
    }

    /// The token at a place; none at the root's.
    fn token(&self, node: Node) -> Option<Node> {
        if node.index() == 0 {
            return None;
        }
        Some(match self.order {
            Order::LeftToRight => node,
            Order::RightToLeft => Node::from_index(self.sentence.n_tokens() + 1 - node.index()),
        })
    }
}

impl Column {
    /// The same with the values of the examples.
    fn read(mut self, examples: &[&Example<'_>]) -> Self {
        let (mut values, mut elements) = (Counts::default(), Counts::default());
        let reading = self.reading();
        for Example { sentence, .. } in examples {
            let Some(position) = self.position(sentence.layout()) else { continue };
            for cell in sentence.tokens().map(|token| sentence.cell(token, position)) {
                values.add(value_of(reading, cell));
                if reading == Reading::Set {
                    elements_of(cell).for_each(|element| elements.add(element));
                }
            }
        }
        let least = if reading == Reading::Word { 2 } else { 1 };
        self.values = Dictionary::from_keys(values.at_least(least));
        self.elements = Dictionary::from_keys(elements.at_least(1));
        self
    }

    /// Whether it says nothing.
    fn is_empty(&self) -> bool {
        self.values.len() <= 1
    }

    fn look_up(&self, cell: &str, values: &mut Vec<u32>) {
        let reading = self.reading();
        let place = self.values.place(value_of(reading, cell));
        values.push(place.map_or(UNKNOWN, |place| RESERVED + place));
        if reading == Reading::Set {
            let first = RESERVED + u32::try_from(self.values.len()).unwrap_or(0);
            let known = elements_of(cell).filter_map(|element| self.elements.place(element));
            values.extend(known.map(|place| first + place));
        }
    }
}

/// Whether a column holds heads, labels or what depends on them, in whatever form: what is to be found is not to be seen.
fn tells_of_heads(column: &str) -> bool {
    ["DEPS", "PHEAD", "PDEPREL", "FILLPRED", "PRED"].contains(&column) || column.starts_with("APRED")
}

/// The key of a cell as a whole.
fn value_of(reading: Reading, cell: &str) -> u64 {
    if reading == Reading::Word && !cell.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return hash::bytes(1, cell.to_lowercase().as_bytes());
    }
    hash::bytes(1, cell.as_bytes())
}

/// The keys of the elements of a set.
fn elements_of(cell: &str) -> impl Iterator<Item = u64> {
    cell.split('|').filter(|element| *element != "_").map(|element| hash::bytes(2, element.as_bytes()))
}

/// The keys of the strings of characters in a form, each once: all of two to four characters, the first and the last
/// five and six, and how it is written.
fn strings_of(form: &str, found: &mut Vec<u64>) {
    found.clear();
    let first = form.chars().next();
    let has = |is: fn(char) -> bool| form.chars().any(is);
    let style = u64::from(first.is_some_and(char::is_uppercase))
        | u64::from(has(char::is_lowercase)) << 1
        | u64::from(has(char::is_numeric)) << 2
        | u64::from(!has(char::is_alphanumeric)) << 3;
    found.push(hash::mix(style));
    let mut text = String::from('\u{2}');
    text.extend(form.chars().take(LONGEST_FORM).flat_map(char::to_lowercase));
    text.push('\u{3}');
    // Where each character begins, and the end.
    let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let n_characters = bounds.len() - 1;
    let mut add = |start: usize, end: usize| {
        found.push(hash::bytes(3, &text.as_bytes()[bounds[start]..bounds[end]]));
    };
    for n in 2..=4 {
        for start in 0..(n_characters + 1).saturating_sub(n) {
            add(start, start + n);
        }
    }
    for n in [5, 6] {
        if n_characters > n {
            add(0, n);
            add(n_characters - n, n_characters);
        }
    }
    found.sort_unstable();
    found.dedup();
}

/// Counts keys, in the order in which they come first.
#[derive(Debug, Default)]
struct Counts {
    places: HashMap<u64, usize, rustc_hash::FxBuildHasher>,
    counts: Vec<(u64, u32)>,
}

impl Counts {
    fn add(&mut self, key: u64) {
        let place = *self.places.entry(key).or_insert_with(|| {
            self.counts.push((key, 0));
            self.counts.len() - 1
        });
        self.counts[place].1 += 1;
    }

    fn at_least(&self, least: u32) -> impl Iterator<Item = u64> {
        self.counts.iter().filter(move |(_, count)| *count >= least).map(|(key, _)| *key)
    }
}
