//! The token values read from every sentence: a numbered list shared by several programs, and their columns in a
//! format.

use std::sync::Arc;

use quaich_transition::modifiers::mirrored;
use quaich_treebank::{Layout, Node, Sentence};

use crate::cells::Pieces;
use crate::value::{ColumnName, Part, TokenValue};

/// Distinct token values and merges of them, numbered in order of addition.
///
/// Programs compiled with the same list can run on the same [`Tokens`](crate::Tokens). A list only grows, so numbers
/// stay valid.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TokenValues {
    /// By number: one token value, or several to be merged.
    entries: Arc<Vec<Vec<TokenValue>>>,
    /// The parts of joined values, with their own numbers.
    joined: Arc<Vec<TokenValue>>,
}

impl TokenValues {
    /// Returns the number of a token value, or of several as one, adding it if it is new.
    ///
    /// # Panics
    /// If there are more than 65,536.
    pub fn add(&mut self, parts: &[TokenValue]) -> u16 {
        self.number(parts).unwrap_or_else(|| {
            Arc::make_mut(&mut self.entries).push(parts.to_vec());
            number_at(self.len() - 1)
        })
    }

    /// Returns the number of a token value, or of several as one, if it is in the list.
    ///
    /// # Panics
    /// Never: all numbers of a list fit.
    pub fn number(&self, parts: &[TokenValue]) -> Option<u16> {
        self.entries.iter().position(|held| held == parts).map(number_at)
    }

    /// Returns the number of a token value among the parts of joined values, adding it if it is new.
    pub(crate) fn add_joined(&mut self, value: &TokenValue) -> u16 {
        let held = self.joined.iter().position(|held| held == value);
        number_at(held.unwrap_or_else(|| {
            Arc::make_mut(&mut self.joined).push(value.clone());
            self.joined.len() - 1
        }))
    }

    /// Returns the token value with this number, or several to be merged.
    ///
    /// # Panics
    /// If the number is not in the list.
    pub fn parts(&self, number: u16) -> &[TokenValue] {
        &self.entries[usize::from(number)]
    }

    /// Returns the columns of the values, in the order of the list.
    pub fn columns(&self) -> Vec<&ColumnName> {
        let mut columns = Vec::new();
        for value in self.entries.iter().flatten().chain(self.joined.iter()) {
            if !columns.contains(&&value.column) {
                columns.push(&value.column);
            }
        }
        columns
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether two lists are equal, which mostly needs no comparison of their content.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.entries, &other.entries) && Arc::ptr_eq(&self.joined, &other.joined))
            || self == other
    }
}

fn number_at(index: usize) -> u16 {
    u16::try_from(index).expect("far fewer than 65,536 token values")
}

/// A row specification with the list and format that it is for.
#[derive(Clone, Debug, Default)]
pub(crate) struct CachedRowSpec {
    spec: RowSpec,
    given: Option<(TokenValues, Arc<Layout>)>,
}

impl CachedRowSpec {
    /// Recomputes the specification for this list and format if necessary; returns it if it changed.
    pub(crate) fn update(&mut self, values: &TokenValues, layout: &Arc<Layout>) -> Option<&RowSpec> {
        match &mut self.given {
            Some((list, format))
                if list.is_same(values) && (Arc::ptr_eq(format, layout) || format == layout) =>
            {
                format.clone_from(layout);
                None
            }
            given => {
                self.spec = RowSpec::new(values, layout);
                *given = Some((values.clone(), Arc::clone(layout)));
                Some(&self.spec)
            }
        }
    }

    /// Returns the specification.
    pub(crate) fn spec(&self) -> &RowSpec {
        &self.spec
    }
}

/// What to read from a token in one format, column by column, into a row: first the values of the list by number, then
/// parts that only merges need.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowSpec {
    pub(crate) columns: Vec<ColumnSpec>,
    /// Computed after the columns are read.
    pub(crate) merges: Vec<MergeSpec>,
    /// The start of the parts of joined values in the row.
    pub(crate) joined: usize,
    /// The length of a row.
    pub(crate) width: usize,
}

/// A merge by its number, and its parts in the row.
#[derive(Clone, Debug)]
pub(crate) struct MergeSpec {
    pub(crate) number: usize,
    pub(crate) parts: Vec<usize>,
}

/// What to read from a cell.
#[derive(Clone, Debug)]
pub(crate) struct ColumnSpec {
    pub(crate) name: ColumnName,
    /// Its index, if the format has it.
    pub(crate) position: Option<usize>,
    pub(crate) pieces: Pieces,
    /// The requested parts, and their indices in the row.
    pub(crate) parts: Vec<(usize, Part)>,
    /// The same for parts of joined values.
    pub(crate) joined: Vec<(usize, Part)>,
}

impl RowSpec {
    /// Finds the columns for a list of token values.
    pub(crate) fn new(values: &TokenValues, layout: &Layout) -> Self {
        let mut spec = Self { width: values.len(), ..Self::default() };
        let mut read: Vec<(usize, &TokenValue)> = Vec::new();
        for (number, parts) in values.entries.iter().enumerate() {
            if let [value] = parts.as_slice() {
                spec.add(value, number, layout);
                read.push((number, value));
            }
        }
        for (number, parts) in values.entries.iter().enumerate().filter(|(_, parts)| parts.len() != 1) {
            let mut merge = MergeSpec { number, parts: Vec::with_capacity(parts.len()) };
            for value in parts {
                let held = read.iter().find(|(_, held)| *held == value);
                merge.parts.push(held.map_or(spec.width, |(at, _)| *at));
                if held.is_none() {
                    spec.add(value, spec.width, layout);
                    read.push((spec.width, value));
                    spec.width += 1;
                }
            }
            spec.merges.push(merge);
        }
        spec.joined = spec.width;
        for value in values.joined.iter() {
            let at = spec.width;
            spec.column(value, layout).joined.push((at, value.part.clone()));
            spec.width += 1;
        }
        spec
    }

    fn add(&mut self, value: &TokenValue, at: usize, layout: &Layout) {
        self.column(value, layout).parts.push((at, value.part.clone()));
    }

    /// Returns the column of a value.
    fn column(&mut self, value: &TokenValue, layout: &Layout) -> &mut ColumnSpec {
        let held = self.columns.iter().position(|column| column.name == value.column);
        let at = held.unwrap_or_else(|| {
            let (position, pieces) = value.column.find(layout);
            let (parts, joined) = (Vec::new(), Vec::new());
            self.columns.push(ColumnSpec { name: value.column.clone(), position, pieces, parts, joined });
            self.columns.len() - 1
        });
        &mut self.columns[at]
    }
}

/// The order in which the tokens of a sentence are nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// Node i is the i-th token.
    #[default]
    LeftToRight,
    /// Node i is the i-th token from the end, for parsing from right to left.
    RightToLeft,
}

impl Order {
    /// Returns the opposite order.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::LeftToRight => Self::RightToLeft,
            Self::RightToLeft => Self::LeftToRight,
        }
    }

    /// Iterates over the tokens of a sentence in this order.
    pub(crate) fn tokens(self, sentence: &Sentence) -> impl Iterator<Item = Node> + use<> {
        let n = sentence.n_tokens();
        sentence.tokens().map(move |token| match self {
            Self::LeftToRight => token,
            Self::RightToLeft => mirrored(token, n),
        })
    }
}
