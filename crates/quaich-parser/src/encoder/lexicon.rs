//! The lexicon: column values and character n-grams of words → numbers.
//!
//! It includes every column that has values, unless `encoder.inputs` chooses. Forms and lemmas are lowercased; features are looked up one by one and as a whole. Forms and
//! lemmas that occur once in training count as unknown words, so that the model learns a vector for unknown words.

use std::collections::{HashMap, HashSet};

use quaich_features::{ColumnName, hash};
use quaich_learn::encoder::{Attribute, ItemSource};
use quaich_treebank::{Layout, Node, Role, Sentence};

use super::inputs::Inputs;
use crate::dictionary::Dictionary;

/// The number of unknown values.
const UNKNOWN: u32 = 0;
/// The number of the root's value.
const ROOT: u32 = 1;
/// The number of reserved numbers.
const RESERVED: u32 = 2;

/// The known values of words.
#[derive(Clone, Debug)]
pub(crate) struct Lexicon {
    pub(super) columns: Vec<Column>,
    /// Character n-grams.
    pub(super) strings: Dictionary,
    /// Whether forms and n-grams have wide embeddings, for an encoder that predicts tags from them or was pretrained on text.
    pub(super) is_wide: bool,
}

/// The maximum sizes of a lexicon of text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LexiconLimits {
    /// Known forms.
    pub(crate) forms: usize,
    /// Known character n-grams.
    pub(crate) strings: usize,
}

/// A column with its values.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) name: ColumnName,
    pub(super) values: Dictionary,
    /// The elements of set values.
    pub(super) elements: Dictionary,
}

/// How a column is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Treatment {
    /// Lowercased; values that occur once are unknown.
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

    fn is_form(&self) -> bool {
        self.name == ColumnName::Role(Role::Form)
    }

    /// The width of its embeddings.
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

/// The width of the embeddings of character n-grams.
const STRING_WIDTH: usize = 64;
/// The widths of the embeddings of forms and character n-grams where tags are predicted from them. In a prototype 128 and 192 instead of 64
/// and 64 are worth 1.4 (english-ewt) to 4 points of LAS (hungarian-szeged, latin-perseus), and up to 6 points of lemmas.
const WIDE_FORM: usize = 128;
const WIDE_STRING: usize = 192;
/// An n-gram is known if it occurs in this many distinct forms.
const MIN_FORMS: u32 = 3;
/// A form of a text is known if it occurs this many times.
const MIN_COUNT: u32 = 3;
/// Longer forms are truncated.
const LONGEST_FORM: usize = 30;

/// The words of a sentence as items of an encoder.
#[derive(Clone, Debug)]
pub(crate) struct SentenceItems<'a> {
    lexicon: &'a Lexicon,
    sentence: &'a Sentence,
    /// One per column: its position in the sentence's lines.
    positions: Vec<Option<usize>>,
}

impl Lexicon {
    /// Collects the values of the sentences in all columns that are inputs and not hidden. The forms and n-grams of a pretrained encoder
    /// come first, with the numbers that they have there.
    pub(crate) fn of(
        sentences: &[&Sentence],
        inputs: &Inputs,
        hidden: &[Role],
        pretrained: Option<&Self>,
    ) -> Self {
        let layout = sentences.first().map(|sentence| sentence.layout());
        let read = |column: &&quaich_treebank::layout::Column| {
            inputs.reads(column) && !hidden.contains(&column.role)
        };
        let columns = layout.iter().flat_map(|layout| layout.columns()).filter(read).map(|column| {
            let name = match column.role {
                Role::Other => ColumnName::Named(column.name.to_string()),
                role => ColumnName::Role(role),
            };
            Column { name, values: Dictionary::default(), elements: Dictionary::default() }
        });
        let columns = columns.map(|column| {
            let before =
                pretrained.filter(|_| column.is_form()).and_then(|pretrained| pretrained.columns.first());
            column.read(sentences, before.map_or(&[], |before| before.values.keys()))
        });
        let columns = columns.filter(|column| !column.is_empty());
        let mut forms: HashSet<u64> = HashSet::new();
        let (mut counts, mut found) = (Counts::default(), Vec::new());
        for sentence in sentences.iter().filter(|_| inputs.reads_characters()) {
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
        Self {
            columns: columns.collect(),
            strings: Dictionary::from_keys(
                pretrained
                    .map_or(&[][..], |pretrained| pretrained.strings.keys())
                    .iter()
                    .copied()
                    .chain(counts.at_least(MIN_FORMS)),
            ),
            is_wide: !hidden.is_empty() || pretrained.is_some(),
        }
    }

    /// The forms of a text, given with their counts, and their character n-grams, the most frequent ones first. Those of an encoder that
    /// is trained further come before them.
    pub(crate) fn of_text(forms: &[(&str, u32)], before: Option<&Self>, limits: LexiconLimits) -> Self {
        let (mut values, mut strings, mut found) = (Counts::default(), Counts::default(), Vec::new());
        for &(form, count) in forms {
            values.add_times(value_of(Treatment::Word, form), count);
            strings_of(form, &mut found);
            for &string in &found {
                strings.add(string);
            }
        }
        let keys = |before: Option<&Dictionary>, counts: Counts, least: u32, most: usize| {
            let before = before.map_or(&[][..], Dictionary::keys);
            Dictionary::from_keys(before.iter().copied().chain(counts.most_frequent(least, most)))
        };
        let form = Column {
            name: ColumnName::Role(Role::Form),
            values: keys(
                before.and_then(|before| before.columns.first()).map(|form| &form.values),
                values,
                MIN_COUNT,
                limits.forms,
            ),
            elements: Dictionary::default(),
        };
        let strings = keys(before.map(|before| &before.strings), strings, MIN_FORMS, limits.strings);
        Self { columns: vec![form], strings, is_wide: true }
    }

    /// The numbers of known forms and known n-grams.
    pub(crate) fn sizes(&self) -> (usize, usize) {
        let form = self.columns.iter().find(|column| column.is_form());
        (form.map_or(0, |column| column.values.len()), self.strings.len())
    }

    /// Whether a form is known.
    pub(crate) fn knows(&self, form: &str) -> bool {
        let key = value_of(Treatment::Word, form);
        self.columns.iter().any(|column| column.is_form() && column.values.place(key).is_some())
    }

    /// The number of the root's value in every attribute.
    pub(crate) const ROOT: u32 = ROOT;
    /// The number of an unknown form.
    pub(crate) const UNKNOWN: u32 = UNKNOWN;
    /// The first number of a known value.
    pub(crate) const FIRST: u32 = RESERVED;

    /// The values of a form in a lexicon of text: its number, and those of its n-grams.
    pub(crate) fn values_of_form(&self, form: &str, found: &mut Vec<u64>, strings: &mut Vec<u32>) -> u32 {
        strings_of(form, found);
        let known = found.iter().filter_map(|&string| self.strings.place(string));
        strings.extend(known.map(|place| RESERVED + place));
        let place = self.columns[0].values.place(value_of(Treatment::Word, form));
        place.map_or(UNKNOWN, |place| RESERVED + place)
    }

    /// The numbers of the attributes that a pretrained encoder has, in its order: form and n-grams. `None` if there are no forms.
    pub(crate) fn pretrained_attributes(&self) -> Option<[usize; 2]> {
        let form = self.columns.iter().position(Column::is_form)?;
        Some([form, self.columns.len()])
    }

    /// The columns that are read.
    pub(super) fn columns(&self) -> impl Iterator<Item = &ColumnName> {
        self.columns.iter().map(|column| &column.name)
    }

    /// The sizes of the attributes: one per column, and one for character n-grams.
    pub(crate) fn attributes(&self) -> Vec<Attribute> {
        let columns = self.columns.iter().map(|column| Attribute {
            values: RESERVED as usize + column.values.len() + column.elements.len(),
            width: if self.is_wide {
                column.width().max(WIDE_FORM * usize::from(column.is_form()))
            } else {
                column.width()
            },
            is_bag: false,
        });
        let strings = Attribute {
            values: RESERVED as usize + self.strings.len(),
            width: if self.is_wide { WIDE_STRING } else { STRING_WIDTH },
            is_bag: true,
        };
        columns.chain([strings]).collect()
    }

    /// The words of a sentence as items.
    pub(crate) fn items<'a>(&'a self, sentence: &'a Sentence) -> SentenceItems<'a> {
        let positions = self.columns.iter().map(|column| column.position(sentence.layout())).collect();
        SentenceItems { lexicon: self, sentence, positions }
    }
}

/// The items are the root and then the words.
impl ItemSource for SentenceItems<'_> {
    fn n_items(&self) -> usize {
        self.sentence.n_tokens() + 1
    }

    /// A hash of all values of a word; 0 for the root.
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
    /// Adds these keys, then the values of the sentences.
    fn read(mut self, sentences: &[&Sentence], before: &[u64]) -> Self {
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
        self.values = Dictionary::from_keys(before.iter().copied().chain(values.at_least(least)));
        self.elements = Dictionary::from_keys(elements.at_least(1));
        self
    }

    /// Whether the column carries no information.
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

/// The key of a whole cell.
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

/// The distinct keys of a form's character n-grams: all of two to four characters, the prefixes and suffixes of five and six, and the
/// word's shape.
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
    // The start of each character, and the end.
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

/// Counts keys, in the order of their first occurrence.
#[derive(Debug, Default)]
struct Counts {
    places: HashMap<u64, usize, rustc_hash::FxBuildHasher>,
    counts: Vec<(u64, u32)>,
}

impl Counts {
    fn add(&mut self, key: u64) {
        self.add_times(key, 1);
    }

    fn add_times(&mut self, key: u64, times: u32) {
        let place = *self.places.entry(key).or_insert_with(|| {
            self.counts.push((key, 0));
            self.counts.len() - 1
        });
        self.counts[place].1 += times;
    }

    /// The `most` most frequent keys that occur at least this many times, in the order of their frequency.
    fn most_frequent(mut self, least: u32, most: usize) -> impl Iterator<Item = u64> {
        self.counts.retain(|(_, count)| *count >= least);
        self.counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        self.counts.into_iter().take(most).map(|(key, _)| key)
    }

    fn at_least(&self, least: u32) -> impl Iterator<Item = u64> {
        self.counts.iter().filter(move |(_, count)| *count >= least).map(|(key, _)| *key)
    }
}
