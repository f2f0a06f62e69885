//! What is known of a word: the values of its columns, and the strings of characters in its form.
//!
//! Every column that has values counts; forms and lemmas without regard to case, features one by one and as a
//! whole. Forms and lemmas that occur once in training are unknown words, and what is learned of those serves
//! all others.

use std::collections::{HashMap, HashSet};

use quaich_features::{ColumnName, hash};
use quaich_learn::encoder::{Attribute, ItemSource};
use quaich_treebank::{Layout, Node, Role, Sentence};

use crate::dictionary::Dictionary;

/// The number of a value that is not known.
const UNKNOWN: u32 = 0;
/// The number of the root's value.
const ROOT: u32 = 1;
/// Numbers that are taken before the first value's.
const RESERVED: u32 = 2;

/// What is known of words.
#[derive(Clone, Debug)]
pub(crate) struct Lexicon {
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
enum Treatment {
    /// Without regard to case; what occurs once is not known.
    Word,
    /// As a whole.
    Tag,
    /// As a whole and element by element.
    Set,
}

impl Column {
    fn treatment(&self) -> Treatment {
        match self.name {
            ColumnName::Role(Role::Form | Role::Lemma) => Treatment::Word,
            ColumnName::Role(Role::Feats) => Treatment::Set,
            _ => Treatment::Tag,
        }
    }

    /// How long the vectors of its values are.
    fn width(&self) -> usize {
        match self.treatment() {
            Treatment::Word => 64,
            Treatment::Tag => 32,
            Treatment::Set => 48,
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
pub(crate) struct SentenceItems<'a> {
    lexicon: &'a Lexicon,
    sentence: &'a Sentence,
    /// By column: where it is in the sentence's lines.
    positions: Vec<Option<usize>>,
}

impl Lexicon {
    /// What can be known of words like those of the sentences, from all columns but those that are hidden.
    pub(crate) fn of(sentences: &[&Sentence], hidden: &[Role]) -> Self {
        let layout = sentences.first().map(|sentence| sentence.layout());
        let columns = layout.iter().flat_map(|layout| layout.columns()).filter_map(|column| {
            let name = match column.role {
                role if hidden.contains(&role) => return None,
                Role::Id | Role::Head | Role::Label | Role::Misc => return None,
                Role::Other if tells_of_heads(&column.name) => return None,
                Role::Other => ColumnName::Named(column.name.to_string()),
                role => ColumnName::Role(role),
            };
            Some(Column { name, values: Dictionary::default(), elements: Dictionary::default() })
        });
        let columns = columns.map(|column| column.read(sentences)).filter(|column| !column.is_empty());
        let mut forms: HashSet<u64> = HashSet::new();
        let mut counts = Counts::default();
        let mut found = Vec::new();
        for sentence in sentences {
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

    /// The columns that are read.
    pub(super) fn columns(&self) -> impl Iterator<Item = &ColumnName> {
        self.columns.iter().map(|column| &column.name)
    }

    /// The sizes of what is known: one attribute per column, and one for strings of characters.
    pub(crate) fn attributes(&self) -> Vec<Attribute> {
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
    pub(crate) fn items<'a>(&'a self, sentence: &'a Sentence) -> SentenceItems<'a> {
        let positions = self.columns.iter().map(|column| column.position(sentence.layout())).collect();
        SentenceItems { lexicon: self, sentence, positions }
    }
}

/// A sentence is a sequence of its words after the root.
impl ItemSource for SentenceItems<'_> {
    fn n_items(&self) -> usize {
        self.sentence.n_tokens() + 1
    }

    /// A number for everything that is known of a word; 0 for the root.
    fn key(&self, item: usize) -> u64 {
        if item == 0 {
            return 0;
        }
        self.positions.iter().flatten().fold(1, |key: u64, &position| {
            let cell = self.sentence.cell(Node::from_index(item), position);
            hash::bytes(key.rotate_left(7), cell.as_bytes())
        })
    }

    fn values(&self, item: usize, values: &mut Vec<Vec<u32>>) {
        values.resize(self.positions.len() + 1, Vec::new());
        values.iter_mut().for_each(Vec::clear);
        if item == 0 {
            for values in values {
                values.push(ROOT);
            }
            return;
        }
        let token = Node::from_index(item);
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
}

impl Column {
    /// The same with the values of the sentences.
    fn read(mut self, sentences: &[&Sentence]) -> Self {
        let (mut values, mut elements) = (Counts::default(), Counts::default());
        let treatment = self.treatment();
        for sentence in sentences {
            let Some(position) = self.position(sentence.layout()) else { continue };
            for cell in sentence.tokens().map(|token| sentence.cell(token, position)) {
                values.add(value_of(treatment, cell));
                if treatment == Treatment::Set {
                    elements_of(cell).for_each(|element| elements.add(element));
                }
            }
        }
        let least = if treatment == Treatment::Word { 2 } else { 1 };
        self.values = Dictionary::from_keys(values.at_least(least));
        self.elements = Dictionary::from_keys(elements.at_least(1));
        self
    }

    /// Whether it says nothing.
    fn is_empty(&self) -> bool {
        self.values.len() <= 1
    }

    fn look_up(&self, cell: &str, values: &mut Vec<u32>) {
        let treatment = self.treatment();
        let place = self.values.place(value_of(treatment, cell));
        values.push(place.map_or(UNKNOWN, |place| RESERVED + place));
        if treatment == Treatment::Set {
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
fn value_of(treatment: Treatment, cell: &str) -> u64 {
    if treatment == Treatment::Word && !cell.bytes().all(|byte| byte.is_ascii_lowercase()) {
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
