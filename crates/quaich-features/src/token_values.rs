//! The token values that are read of every sentence: a numbered list that several programs share, and
//! where in a format's columns they are.

use std::sync::Arc;

use quaich_transition::modifiers::mirrored;
use quaich_treebank::{Layout, Node, Sentence};

use crate::cells::Pieces;
use crate::value::{ColumnName, Part, TokenValue};

/// Distinct token values and merges of them, numbered as they were added.
///
/// Programs that are compiled with the same list can be run on the same [`Tokens`](crate::Tokens). A list
/// only grows, so a number stays good.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TokenValues {
    /// By number: one token value, or several to be merged.
    entries: Arc<Vec<Vec<TokenValue>>>,
    /// What joined values are made of, with numbers of their own.
    joined: Arc<Vec<TokenValue>>,
}

impl TokenValues {
    /// The number of a token value, or of several as one, added if it is new.
    ///
    /// # Panics
    /// When there are more than 65,536.
    pub fn add(&mut self, parts: &[TokenValue]) -> u16 {
        self.number(parts).unwrap_or_else(|| {
            Arc::make_mut(&mut self.entries).push(parts.to_vec());
            number_at(self.len() - 1)
        })
    }

    /// The number of a token value, or of several as one, if it is in the list.
    ///
    /// # Panics
    /// Never: a list that was made has room for its numbers.
    pub fn number(&self, parts: &[TokenValue]) -> Option<u16> {
        self.entries.iter().position(|held| held == parts).map(number_at)
    }

    /// The number of a token value among those that joined values are made of, added if it is new.
    pub(crate) fn add_joined(&mut self, value: &TokenValue) -> u16 {
        let held = self.joined.iter().position(|held| held == value);
        number_at(held.unwrap_or_else(|| {
            Arc::make_mut(&mut self.joined).push(value.clone());
            self.joined.len() - 1
        }))
    }

    /// What has this number: one token value, or several to be merged.
    ///
    /// # Panics
    /// When nothing has it.
    pub fn parts(&self, number: u16) -> &[TokenValue] {
        &self.entries[usize::from(number)]
    }

    /// The columns that they are read from, in the order of the list.
    pub fn columns(&self) -> Vec<&ColumnName> {
        let mut columns = Vec::new();
        for value in self.entries.iter().flatten().chain(self.joined.iter()) {
            if !columns.contains(&&value.column) {
                columns.push(&value.column);
            }
        }
        columns
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether two lists are the same, which is mostly known without a look at them.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.entries, &other.entries) && Arc::ptr_eq(&self.joined, &other.joined))
            || self == other
    }
}

fn number_at(index: usize) -> u16 {
    u16::try_from(index).expect("far fewer than 65,536 token values")
}

/// A plan with the list and the format that it is for.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlanFor {
    plan: Plan,
    given: Option<(TokenValues, Arc<Layout>)>,
}

impl PlanFor {
    /// Makes sure that the plan is for this list and this format. Gives it if it had to be made anew.
    pub(crate) fn update(&mut self, values: &TokenValues, layout: &Arc<Layout>) -> Option<&Plan> {
        match &mut self.given {
            Some((list, format))
                if list.is_same(values) && (Arc::ptr_eq(format, layout) || format == layout) =>
            {
                format.clone_from(layout);
                None
            }
            given => {
                self.plan = Plan::new(values, layout);
                *given = Some((values.clone(), Arc::clone(layout)));
                Some(&self.plan)
            }
        }
    }

    /// The plan.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }
}

/// What is to be read of a token in one format, column by column, into a row: first the values of the list by
/// number, then what only merges need.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) columns: Vec<ColumnPlan>,
    /// To be put together once the columns are read.
    pub(crate) merges: Vec<MergePlan>,
    /// Where in the row those begin that joined values are made of.
    pub(crate) joined: usize,
    /// How long a row is.
    pub(crate) width: usize,
}

/// A merge by its number, and where in the row its parts are.
#[derive(Clone, Debug)]
pub(crate) struct MergePlan {
    pub(crate) number: usize,
    pub(crate) parts: Vec<usize>,
}

/// What is to be read of a cell.
#[derive(Clone, Debug)]
pub(crate) struct ColumnPlan {
    pub(crate) name: ColumnName,
    /// Where it is, if the format has it.
    pub(crate) position: Option<usize>,
    pub(crate) pieces: Pieces,
    /// The parts that are asked for, and where in the row they go.
    pub(crate) parts: Vec<(usize, Part)>,
    /// The same for those that joined values are made of.
    pub(crate) joined: Vec<(usize, Part)>,
}

impl Plan {
    /// Finds the columns for a list of token values.
    pub(crate) fn new(values: &TokenValues, layout: &Layout) -> Self {
        let mut plan = Self { width: values.len(), ..Self::default() };
        let mut read: Vec<(usize, &TokenValue)> = Vec::new();
        for (number, parts) in values.entries.iter().enumerate() {
            if let [value] = parts.as_slice() {
                plan.add(value, number, layout);
                read.push((number, value));
            }
        }
        for (number, parts) in values.entries.iter().enumerate().filter(|(_, parts)| parts.len() != 1) {
            let mut merge = MergePlan { number, parts: Vec::with_capacity(parts.len()) };
            for value in parts {
                let held = read.iter().find(|(_, held)| *held == value);
                merge.parts.push(held.map_or(plan.width, |(at, _)| *at));
                if held.is_none() {
                    plan.add(value, plan.width, layout);
                    read.push((plan.width, value));
                    plan.width += 1;
                }
            }
            plan.merges.push(merge);
        }
        plan.joined = plan.width;
        for value in values.joined.iter() {
            let at = plan.width;
            plan.column(value, layout).joined.push((at, value.part.clone()));
            plan.width += 1;
        }
        plan
    }

    fn add(&mut self, value: &TokenValue, at: usize, layout: &Layout) {
        self.column(value, layout).parts.push((at, value.part.clone()));
    }

    /// The column of a value.
    fn column(&mut self, value: &TokenValue, layout: &Layout) -> &mut ColumnPlan {
        let held = self.columns.iter().position(|column| column.name == value.column);
        let at = held.unwrap_or_else(|| {
            let (position, pieces) = value.column.find(layout);
            let (parts, joined) = (Vec::new(), Vec::new());
            self.columns.push(ColumnPlan { name: value.column.clone(), position, pieces, parts, joined });
            self.columns.len() - 1
        });
        &mut self.columns[at]
    }
}

/// In which order the tokens of a sentence are nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// Node i is the i-th token.
    #[default]
    LeftToRight,
    /// Node i is the i-th token from the end, for parsing from right to left.
    RightToLeft,
}

impl Order {
    /// The other direction.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::LeftToRight => Self::RightToLeft,
            Self::RightToLeft => Self::LeftToRight,
        }
    }

    /// The tokens of a sentence in this order.
    pub(crate) fn tokens(self, sentence: &Sentence) -> impl Iterator<Item = Node> + use<> {
        let n = sentence.n_tokens();
        sentence.tokens().map(move |token| match self {
            Self::LeftToRight => token,
            Self::RightToLeft => mirrored(token, n),
        })
    }
}
