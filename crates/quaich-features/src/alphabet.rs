//! The alphabet of the symbolic back end: value ↔ number, position by position.
//!
//! Position p has the values of template p, numbered from 0 in first-seen order. A value is stored as a tuple of
//! numbers, one per value of the template: the number of a text for a token value, a label, a class of distances. It is
//! converted to text only when its name is needed.
//!
//! A growing alphabet ([`Alphabet`]) and a fixed one ([`FrozenAlphabet`]) are different types.

use std::ops::Deref;

use quaich_transition::transition::KINDS;
use quaich_treebank::Label;
use quaich_treebank::symbols::{Symbol, Symbols};
use serde::{Deserialize, Serialize};

use crate::agreement::Agreement;
use crate::cells;
use crate::joined::Arc;
use crate::limits::{self, TooLarge};
use crate::nulls;
use crate::places::{HIGHEST_VALENCY, N_DISTANCES, distance_name};
use crate::symbolic::SymbolicProgram;
use crate::template::{Template, TemplateError};
use crate::tuples::Tuples;
use crate::value::{TokenValue, Value};

/// A growing table of values and their numbers.
#[derive(Clone, Debug)]
pub struct Alphabet {
    /// By position.
    templates: Vec<Template>,
    /// The different merges of the templates.
    merges: Vec<Vec<TokenValue>>,
    texts: Symbols<Text>,
    /// By position, then by merge, then one for sets of labels.
    tables: Vec<Tuples>,
}

/// A fixed table of values and their numbers, as at the end of training.
#[derive(Clone, Debug)]
pub struct FrozenAlphabet(Alphabet);

/// An alphabet as flat data, for saving.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AlphabetParts {
    /// The template of each position.
    pub templates: Vec<String>,
    /// The texts used by values.
    pub texts: Vec<String>,
    /// The number of values of each table: one table per position, one per merge of the templates, one for sets of
    /// labels.
    pub sizes: Vec<u32>,
    /// The tuples of all tables, concatenated.
    pub tuples: Vec<u32>,
}

/// An error in the flat data of an alphabet.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AlphabetError {
    /// An invalid template.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// More templates than can be compiled.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// A wrong number of entries.
    #[error("found {found} {what} in an alphabet, expected {expected}")]
    Count {
        /// The kind of entry.
        what: &'static str,
        /// The number found.
        found: usize,
        /// The number expected.
        expected: usize,
    },
    /// A number without a meaning.
    #[error("found the number {found} for `{value}` in an alphabet, expected one below {limit}")]
    Number {
        /// The kind of value.
        value: String,
        /// The number.
        found: u32,
        /// The exclusive limit.
        limit: u32,
    },
}

/// An alphabet for looking up values: an [`Alphabet`], which adds unknown ones, or a reference to a [`FrozenAlphabet`],
/// which does not.
pub trait Lookup: sealed::Lookup {}
impl Lookup for Alphabet {}
impl Lookup for &FrozenAlphabet {}

pub(crate) mod sealed {
    /// The operations of the symbolic back end on an alphabet.
    pub trait Lookup {
        /// Returns the number of a text.
        fn text(&mut self, text: &str) -> Option<u32>;
        /// Returns the number of texts.
        fn n_texts(&self) -> u32;
        /// Returns the text with a number below that.
        fn known_text(&self, text: u32) -> &str;
        /// Returns the number of a tuple in a table.
        fn tuple(&mut self, table: usize, tuple: &[u32]) -> Option<u32>;
    }
}

/// The codes of texts and merges in tuples, and the codes before them.
pub(crate) mod code {
    /// No node.
    pub(crate) const NONE: u32 = 0;
    /// The root, for a token value.
    pub(crate) const ROOT: u32 = 1;
    /// A token without this value.
    pub(crate) const MISSING: u32 = 2;
    /// The first text.
    pub(crate) const FIRST_TEXT: u32 = 3;
    /// The first merge; parts of a merge may be missing, but not the merge.
    pub(crate) const FIRST_MERGE: u32 = 2;
    /// No node, for a label. Labels are consecutive numbers and never this large.
    pub(crate) const NO_LABEL_NODE: u32 = 1 << 31;
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Text(u32);

impl Symbol for Text {
    fn from_id(id: u32) -> Self {
        Self(id)
    }
    fn id(self) -> u32 {
        self.0
    }
}

impl Alphabet {
    /// Creates an empty alphabet for values of these templates.
    pub(crate) fn new(templates: Vec<Template>) -> Self {
        let merges = merges(&templates);
        let arities = templates.iter().map(|template| template.values.len());
        // A set of labels is 64 bits.
        let arities = arities.chain(merges.iter().map(Vec::len)).chain([2]);
        let tables = arities.map(Tuples::new).collect();
        Self { templates, merges, texts: Symbols::new(), tables }
    }

    /// Returns the number of positions.
    pub fn n_positions(&self) -> usize {
        self.templates.len()
    }

    /// Returns the number of values of a position.
    ///
    /// # Panics
    /// If the position does not exist.
    pub fn n_values(&self, position: usize) -> usize {
        self.tables[..self.n_positions()][position].len()
    }

    /// Returns the name of a value: for every value of its template the notation, `=` and the value, as in `s0:p=NOUN
    /// b0:p=VERB`. A missing value is `_`; no node and the root are `(none)` and `(root)`. Names are for reading:
    /// values are identified by their numbers.
    ///
    /// `labels` converts labels to text; they may be any number up to `Label::NONE`. For sets of labels, which are
    /// stored as 64 bits, it is called with the first label of each bit.
    ///
    /// # Panics
    /// If the value does not exist.
    pub fn name(&self, position: usize, id: u32, labels: &dyn Fn(Label) -> String) -> String {
        let values = self.templates[position].values.iter().zip(self.texts(position, id, labels));
        values.map(|(value, text)| format!("{value}={text}")).collect::<Vec<String>>().join(" ")
    }

    /// Returns the parts of a value as text, one per value of its template.
    ///
    /// # Panics
    /// If the value does not exist.
    pub fn texts(&self, position: usize, id: u32, labels: &dyn Fn(Label) -> String) -> Vec<String> {
        let tuple = self.tables[position].get(id as usize);
        let values = self.templates[position].values.iter().zip(tuple);
        values.map(|(value, &number)| self.value_name(value, number, labels)).collect()
    }

    /// Returns the same alphabet as a fixed one.
    pub fn freeze(self) -> FrozenAlphabet {
        FrozenAlphabet(self)
    }

    /// Returns the table of a merge.
    pub(crate) fn merge_table(&self, merge: &[TokenValue]) -> usize {
        let merge = self.merges.iter().position(|held| held == merge).expect("a merge of the templates");
        self.n_positions() + merge
    }

    /// Returns the table of sets of labels.
    pub(crate) fn label_set_table(&self) -> usize {
        self.tables.len() - 1
    }

    fn value_name(&self, value: &Value, number: u32, labels: &dyn Fn(Label) -> String) -> String {
        let none_or = |number: u32, name: &dyn Fn(u32) -> String| match number.checked_sub(1) {
            Some(number) => name(number),
            None => "(none)".to_owned(),
        };
        match value {
            Value::Merge(_, parts) if number >= code::FIRST_MERGE => {
                let tuple = self.tables[self.merge_table(parts)].get((number - code::FIRST_MERGE) as usize);
                tuple.iter().map(|&part| self.text_name(part)).collect::<Vec<&str>>().join("&")
            }
            Value::Token(..) | Value::Merge(..) => self.text_name(number).to_owned(),
            Value::Label(_) | Value::Link(..) if number == code::NO_LABEL_NODE => "(none)".to_owned(),
            Value::Label(_) | Value::Link(..) => labels(Label(number)),
            Value::LeftValency(_) | Value::RightValency(_) | Value::Valency(_) => {
                none_or(number, &|valency| valency.to_string())
            }
            Value::LeftLabels(_) | Value::RightLabels(_) => none_or(number, &|set| {
                let halves = self.tables[self.label_set_table()].get(set as usize);
                let has = |bit: &u32| halves[(bit / 32) as usize] >> (bit % 32) & 1 == 1;
                let names: Vec<String> = (0..64).filter(has).map(|bit| labels(Label(bit))).collect();
                format!("{{{}}}", names.join(","))
            }),
            Value::Distance(..) => distance_name(number),
            Value::Apart(_, _, bounds) => match number {
                0 => "(none)".to_owned(),
                1 => "(root)".to_owned(),
                class => bounds.name(class - 2),
            },
            Value::Dependents(_, _, bounds) => none_or(number, &|class| bounds.name(class)),
            Value::Exists(_) => if number == 0 { "no" } else { "yes" }.to_owned(),
            Value::Arc(..) => Arc::ALL[number as usize].name().to_owned(),
            Value::Joined(..) => match number.checked_sub(code::FIRST_TEXT) {
                None => nulls::Symbol::ALL[number as usize].text().to_owned(),
                Some(text) => with_labels(self.texts.text(Text(text)), labels),
            },
            Value::History(_) => none_or(number, &|kind| KINDS[kind as usize].name().to_owned()),
            Value::Agreement(_, _, part) if part.is_set() => {
                let name = self.texts.text(Text(number >> 1));
                format!("{name}{}", if number & 1 == 1 { "=" } else { "≠" })
            }
            Value::Agreement(..) => Agreement::ALL[number as usize].name().to_owned(),
            Value::Defined(..) => String::new(),
        }
    }

    fn text_name(&self, number: u32) -> &str {
        match number {
            code::NONE => "(none)",
            code::ROOT => "(root)",
            code::MISSING => cells::MISSING,
            text => self.texts.text(Text(text - code::FIRST_TEXT)),
        }
    }

    /// Returns the exclusive limit of the numbers of a value in tuples; `None` for labels, which are unknown here.
    fn limit(&self, value: &Value) -> Option<u32> {
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let n_texts = small(self.texts.len());
        Some(match value {
            Value::Token(..) | Value::Joined(..) => code::FIRST_TEXT + n_texts,
            Value::Merge(_, parts) => code::FIRST_MERGE + small(self.tables[self.merge_table(parts)].len()),
            Value::Label(_) | Value::Link(..) => return None,
            Value::LeftValency(_) | Value::RightValency(_) | Value::Valency(_) => HIGHEST_VALENCY + 2,
            Value::LeftLabels(_) | Value::RightLabels(_) => {
                1 + small(self.tables[self.label_set_table()].len())
            }
            Value::Distance(..) => N_DISTANCES,
            Value::Apart(_, _, bounds) => 2 + bounds.n_classes(),
            Value::Dependents(_, _, bounds) => 1 + bounds.n_classes(),
            Value::Exists(_) => 2,
            Value::Arc(..) => small(Arc::ALL.len()),
            Value::History(_) => small(KINDS.len()) + 1,
            Value::Agreement(_, _, part) if part.is_set() => 2 * n_texts,
            Value::Agreement(..) => small(Agreement::ALL.len()),
            Value::Defined(..) => 0,
        })
    }

    /// Checks that every number in a tuple has a meaning.
    fn check(&self) -> Result<(), AlphabetError> {
        let check = |value: String, found: u32, limit: Option<u32>| match limit {
            Some(limit) if found >= limit => Err(AlphabetError::Number { value, found, limit }),
            _ => Ok(()),
        };
        for (template, table) in self.templates.iter().zip(&self.tables) {
            for (place, value) in template.values.iter().enumerate() {
                let limit = self.limit(value);
                for tuple in table.iter() {
                    check(value.to_string(), tuple[place], limit)?;
                }
            }
        }
        let n_texts = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        for merge in &self.merges {
            let table = &self.tables[self.merge_table(merge)];
            for &number in table.numbers() {
                check(merge[0].to_string(), number, Some(code::FIRST_TEXT + n_texts))?;
            }
        }
        Ok(())
    }
}

/// Gives a fixed alphabet all read operations of a growing one.
impl Deref for FrozenAlphabet {
    type Target = Alphabet;

    fn deref(&self) -> &Alphabet {
        &self.0
    }
}

impl FrozenAlphabet {
    /// Returns the templates by position.
    pub fn templates(&self) -> &[Template] {
        &self.0.templates
    }

    /// Returns the alphabet as flat data.
    ///
    /// # Panics
    /// If a position has more than 2³² values.
    pub fn to_parts(&self) -> AlphabetParts {
        let Alphabet { templates, texts, tables, .. } = &self.0;
        AlphabetParts {
            templates: templates.iter().map(ToString::to_string).collect(),
            texts: texts.iter().map(|(_, text)| text.to_owned()).collect(),
            sizes: tables.iter().map(|table| u32::try_from(table.len()).expect("few values")).collect(),
            tuples: tables.iter().flat_map(Tuples::numbers).copied().collect(),
        }
    }

    /// Restores an alphabet from flat data.
    pub fn from_parts(parts: &AlphabetParts) -> Result<Self, AlphabetError> {
        Ok(Self::with_program(parts)?.1)
    }

    /// Restores an alphabet from flat data, with its program.
    pub fn with_program(parts: &AlphabetParts) -> Result<(SymbolicProgram, Self), AlphabetError> {
        let count = |what, found, expected| {
            if found == expected { Ok(()) } else { Err(AlphabetError::Count { what, found, expected }) }
        };
        let templates: Vec<Template> =
            parts.templates.iter().map(|text| Template::parse(text)).collect::<Result<_, _>>()?;
        limits::check(&templates)?;
        let program = SymbolicProgram::compile(&templates);
        // Templates that a program drops, such as duplicates, have no position.
        count("different templates", program.n_positions(), templates.len())?;
        count("different values of a template", program.n_values(), n_values(&templates))?;
        let mut alphabet = program.alphabet();
        for text in &parts.texts {
            alphabet.texts.intern(text);
        }
        count("different texts", alphabet.texts.len(), parts.texts.len())?;
        count("sizes", parts.sizes.len(), alphabet.tables.len())?;
        let numbers = |(table, &size): (&Tuples, &u32)| table.arity().saturating_mul(size as usize);
        let numbers = alphabet.tables.iter().zip(&parts.sizes).map(numbers);
        count("numbers", parts.tuples.len(), numbers.fold(0, usize::saturating_add))?;
        let mut rest = parts.tuples.as_slice();
        for (table, &size) in alphabet.tables.iter_mut().zip(&parts.sizes) {
            let (own, others) = rest.split_at(table.arity() * size as usize);
            for tuple in own.chunks_exact(table.arity()) {
                table.insert(tuple);
            }
            count("different values", table.len(), size as usize)?;
            rest = others;
        }
        alphabet.check()?;
        Ok((program, Self(alphabet)))
    }
}

impl sealed::Lookup for Alphabet {
    fn text(&mut self, text: &str) -> Option<u32> {
        Some(self.texts.intern(text).0)
    }
    fn n_texts(&self) -> u32 {
        u32::try_from(self.texts.len()).unwrap_or(u32::MAX)
    }
    fn known_text(&self, text: u32) -> &str {
        self.texts.text(Text(text))
    }
    fn tuple(&mut self, table: usize, tuple: &[u32]) -> Option<u32> {
        Some(self.tables[table].insert(tuple))
    }
}

impl sealed::Lookup for &FrozenAlphabet {
    fn text(&mut self, text: &str) -> Option<u32> {
        self.0.texts.get(text).map(|text| text.0)
    }
    fn n_texts(&self) -> u32 {
        sealed::Lookup::n_texts(&self.0)
    }
    fn known_text(&self, text: u32) -> &str {
        self.0.texts.text(Text(text))
    }
    fn tuple(&mut self, table: usize, tuple: &[u32]) -> Option<u32> {
        self.0.tables[table].find(tuple).ok()
    }
}

/// Encloses the number of a label in a joined text. Labels are stored as numbers, since the program does not know their
/// names.
pub(crate) const LABEL_MARK: char = '\u{1}';

/// Returns a joined text with its labels as text.
fn with_labels(text: &str, labels: &dyn Fn(Label) -> String) -> String {
    let mut named = String::new();
    for (place, part) in text.split(LABEL_MARK).enumerate() {
        match part.parse::<u32>() {
            Ok(label) if place % 2 == 1 => named.push_str(&labels(Label(label))),
            _ => named.push_str(part),
        }
    }
    named
}

/// Returns the number of values of templates.
fn n_values(templates: &[Template]) -> usize {
    templates.iter().map(|template| template.values.len()).sum()
}

/// Returns the different merges of templates, in order of occurrence.
fn merges(templates: &[Template]) -> Vec<Vec<TokenValue>> {
    let mut merges = Vec::new();
    for value in templates.iter().flat_map(|template| &template.values) {
        if let Value::Merge(_, parts) = value
            && !merges.contains(parts)
        {
            merges.push(parts.clone());
        }
    }
    merges
}
