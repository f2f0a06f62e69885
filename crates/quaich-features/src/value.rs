//! Values: properties of a token, of a node or of two nodes.
//!
//! A *token value* is known before parsing: a cell of the token's row, or a part of it. All other values depend on the
//! configuration. Most values are single; a *set* has any number of elements, and a template with a set returns one
//! feature per element.

use std::fmt;

use quaich_treebank::Role;

use crate::address::Address;
use crate::bounds::Bounds;
use crate::notation::ours::{self, Definitions};
use crate::nulls::Nulls;
use crate::separator::Separator;

/// A property of a token that is known before parsing: a cell, or a part of one.
///
/// A cell that is `_`, and a part that the cell does not have, are *missing*.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TokenValue {
    /// The column of the cell.
    pub column: ColumnName,
    /// The part of the cell.
    pub part: Part,
}

/// A column, by its role in any format, or by its name in the format.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ColumnName {
    /// The column with this role.
    Role(Role),
    /// The tags that `MaltParser`'s own feature models use: UPOS in CoNLL-U, the fine tags elsewhere.
    MainTag,
    /// The column with this name.
    Named(String),
}

/// A part of a cell.
///
/// Cells of FEATS and MISC are split at every `|`; a piece `Case=Nom` is the feature `Case`, a piece without `=` is a
/// feature with itself as the name. The cells of all other columns are split into characters, for positional tags: the
/// feature `2` is the third character, and `-` marks an empty position.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    /// The whole cell.
    Whole,
    /// The feature with this name; the first if there are several.
    Feature(String),
    /// The set of its features.
    Set,
    /// The set of the pieces between separators; `_` is a piece like any other.
    Split(Separator),
    /// The characters of a range. Positions are counted from 0; from the end if negative; none means the end of the
    /// cell.
    Slice {
        /// The first character.
        from: Option<i8>,
        /// The one after the last.
        to: Option<i8>,
    },
}

/// A property of a node, or of two.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Value {
    /// A token value.
    Token(Address, TokenValue),
    /// Several single token values, as one.
    Merge(Address, Vec<TokenValue>),
    /// A token value by a name that is to be chosen from the treebank. It has no value until
    /// [`FeatureModel::resolve`](crate::FeatureModel::resolve) replaces it.
    Defined(Address, String),
    /// The label of the arc into the node; after a step to a dependent in an undirected system, the label of the edge.
    Label(Address),
    /// The number of left dependents of the node.
    LeftValency(Address),
    /// The number of right dependents of the node.
    RightValency(Address),
    /// The number of dependents of the node.
    Valency(Address),
    /// The set of labels of its left dependents.
    LeftLabels(Address),
    /// The set of labels of its right dependents.
    RightLabels(Address),
    /// The distance and direction between two nodes, in classes.
    Distance(Address, Address),
    /// The distance between two nodes, in classes defined by the feature model.
    Apart(Address, Address, Bounds),
    /// The number of dependents of the node, in classes defined by the feature model.
    Dependents(Address, Dependents, Bounds),
    /// Whether the node exists.
    Exists(Address),
    /// Which of two nodes is the head of the other; in undirected systems, whether they are linked.
    Arc(Address, Address),
    /// The label of the arc or edge between two nodes, in either direction.
    Link(Address, Address),
    /// One or several values joined as in `MaltParser`: a text, of several values with `~` between them, or a null
    /// symbol. If all values are null, or if not all nodes exist, there is no feature.
    Joined(Nulls, Vec<Value>),
    /// The last (0) or last but one (1) transition.
    History(u8),
    /// Whether two tokens agree: have the same value, different ones, or one or both have none. For a set: whether each
    /// feature that both have is equal.
    Agreement(Address, Address, TokenValue),
}

/// The dependents that are counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Dependents {
    /// Those on the left.
    Left,
    /// Those on the right.
    Right,
    /// All.
    All,
}

impl Dependents {
    /// All of them, in the order of help.
    pub const ALL: [Self; 3] = [Self::Left, Self::Right, Self::All];

    /// Returns the name, in our notation and in `MaltParser`'s.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Left => "ldeps",
            Self::Right => "rdeps",
            Self::All => "deps",
        }
    }
}

/// The deepest nesting of joined values.
pub(crate) const MAX_DEPTH: usize = 8;
/// The short name of the tags that `MaltParser`'s own feature models use.
pub(crate) const MAIN_TAG: &str = "pos";

/// The columns with short names.
pub(crate) const SHORT_NAMES: [(&str, Role); 5] =
    [("w", Role::Form), ("l", Role::Lemma), ("p", Role::CoarseTag), ("t", Role::FineTag), ("f", Role::Feats)];

impl TokenValue {
    /// Returns a whole cell.
    pub const fn whole(role: Role) -> Self {
        Self { column: ColumnName::Role(role), part: Part::Whole }
    }

    /// Returns one feature of FEATS.
    pub fn feature(name: impl Into<String>) -> Self {
        Self { column: ColumnName::Role(Role::Feats), part: Part::Feature(name.into()) }
    }

    /// Parses the notation; the error says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        ours::token_value(text, &Definitions::default())
    }

    /// Whether the number of its values varies.
    pub fn is_set(&self) -> bool {
        matches!(self.part, Part::Set | Part::Split(_))
    }

    /// Returns its replacement if some values are constant in a treebank; none if it is constant itself. Constant
    /// lemmas are replaced by forms: most templates about words use lemmas.
    pub(crate) fn without(&self, constant: &impl Fn(&Self) -> bool) -> Option<Self> {
        let is_constant =
            |value: &Self| constant(value) || constant(&Self { part: Part::Whole, ..value.clone() });
        if !is_constant(self) {
            return Some(self.clone());
        }
        let form = Self { column: ColumnName::Role(Role::Form), part: self.part.clone() };
        (self.column == ColumnName::Role(Role::Lemma) && !is_constant(&form)).then_some(form)
    }
}

impl Value {
    /// Returns its token values and their node: one for a plain value, several for a merge.
    pub fn token(&self) -> Option<(&Address, &[TokenValue])> {
        match self {
            Self::Token(address, value) => Some((address, std::slice::from_ref(value))),
            Self::Merge(address, values) => Some((address, values)),
            _ => None,
        }
    }

    /// Whether the number of its values varies.
    pub fn is_set(&self) -> bool {
        match self {
            Self::Token(_, value) | Self::Agreement(_, _, value) => value.is_set(),
            Self::Joined(..) => true,
            _ => false,
        }
    }

    /// Visits all its token values.
    pub(crate) fn visit_token_values<'v>(&'v self, visit: &mut impl FnMut(&'v TokenValue)) {
        match self {
            Self::Token(..) | Self::Merge(..) => {
                self.token().map_or(&[][..], |(_, parts)| parts).iter().for_each(visit);
            }
            Self::Agreement(_, _, part) => visit(part),
            Self::Joined(_, items) => items.iter().for_each(|item| item.visit_token_values(visit)),
            _ => {}
        }
    }

    /// Joins values as in `MaltParser`, if they can be combined.
    pub fn joined(nulls: Nulls, items: Vec<Self>) -> Result<Self, String> {
        let joined = Self::Joined(nulls, items);
        joined.check_joined(MAX_DEPTH)?;
        Ok(joined)
    }

    /// Checks that all joined values have texts, or that all test whether nodes exist.
    fn check_joined(&self, depth: usize) -> Result<(), String> {
        let Self::Joined(_, items) = self else { return Ok(()) };
        if depth == 0 {
            return Err(format!("found values nested deeper than {MAX_DEPTH}, expected fewer"));
        }
        if items.is_empty() || (depth < MAX_DEPTH && items.len() < 2) {
            return Err(format!("found {} values to be joined, expected more", items.len()));
        }
        for item in items {
            item.check_joined(depth - 1)?;
            let alone = depth == MAX_DEPTH && items.len() == 1;
            match item {
                Self::Token(_, value) if value.is_set() && !alone => {
                    return Err(format!("found the set `{item}` among joined values, expected single ones"));
                }
                Self::Joined(..) if alone => {
                    return Err(format!("found `{item}` alone, expected what it joins without parentheses"));
                }
                Self::Token(..)
                | Self::Label(_)
                | Self::Arc(..)
                | Self::Apart(..)
                | Self::Dependents(..)
                | Self::Exists(_)
                | Self::Joined(..) => {}
                _ => {
                    return Err(format!(
                        "found `{item}` among joined values, expected columns, labels, arc, dist with classes, ldeps, rdeps, deps or exists"
                    ));
                }
            }
        }
        if items.iter().any(Self::is_truth) && !items.iter().all(Self::is_truth) {
            return Err("found `exists` joined with other values, expected only such".to_owned());
        }
        Ok(())
    }

    /// Returns the value with another treatment of null values in joined values.
    pub(crate) fn with_nulls(&self, nulls: Nulls) -> Self {
        match self {
            Self::Joined(_, items) => {
                Self::Joined(nulls, items.iter().map(|item| item.with_nulls(nulls)).collect())
            }
            other => other.clone(),
        }
    }

    /// Whether it is true or false and has no text.
    pub(crate) fn is_truth(&self) -> bool {
        match self {
            Self::Exists(_) => true,
            Self::Joined(_, items) => items.iter().all(Self::is_truth),
            _ => false,
        }
    }

    /// Returns token values of one node as one value; none if there are none.
    pub(crate) fn merge(address: &Address, values: &[TokenValue]) -> Option<Self> {
        let mut distinct: Vec<TokenValue> = Vec::new();
        for value in values {
            if !distinct.contains(value) {
                distinct.push(value.clone());
            }
        }
        match distinct.len() {
            0 => None,
            1 => distinct.pop().map(|value| Self::Token(address.clone(), value)),
            _ => Some(Self::Merge(address.clone(), distinct)),
        }
    }

    /// Returns the value without constant token values. An unresolved name is removed.
    pub(crate) fn without(&self, constant: &impl Fn(&TokenValue) -> bool) -> Option<Self> {
        match self {
            Self::Token(..) | Self::Merge(..) => {
                let (address, values) = self.token()?;
                let left: Vec<TokenValue> =
                    values.iter().filter_map(|value| value.without(constant)).collect();
                Self::merge(address, &left)
            }
            Self::Agreement(a, b, value) => {
                value.without(constant).map(|value| Self::Agreement(a.clone(), b.clone(), value))
            }
            Self::Defined(..) => None,
            other => Some(other.clone()),
        }
    }
}

impl fmt::Display for ColumnName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Role(role) => match SHORT_NAMES.iter().find(|(_, short)| short == role) {
                Some((name, _)) => f.write_str(name),
                // Our notation uses names of columns for the others.
                None => f.write_str(&format!("{role:?}").to_uppercase()),
            },
            Self::MainTag => f.write_str(MAIN_TAG),
            Self::Named(name) => f.write_str(&ours::escaped_column(name)),
        }
    }
}

impl fmt::Display for TokenValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.column.fmt(f)?;
        let end = |f: &mut fmt::Formatter<'_>, place: &Option<i8>| match place {
            Some(place) => place.fmt(f),
            None => Ok(()),
        };
        match &self.part {
            Part::Whole => Ok(()),
            Part::Feature(name) => write!(f, ".{}", ours::escaped_feature(name)),
            Part::Set => f.write_str("*"),
            Part::Split(separator) => write!(f, "{{{}}}", ours::escaped_separator(separator.as_str())),
            Part::Slice { from, to } => {
                f.write_str("[")?;
                end(f, from)?;
                f.write_str(":")?;
                end(f, to)?;
                f.write_str("]")
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token(address, value) => write!(f, "{address}:{value}"),
            Self::Merge(address, values) => {
                write!(f, "{address}")?;
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if i == 0 { ":" } else { "&" })?;
                }
                Ok(())
            }
            Self::Defined(address, name) => write!(f, "{address}:{name}"),
            Self::Label(address) => write!(f, "{address}:d"),
            Self::LeftValency(address) => write!(f, "{address}:nl"),
            Self::RightValency(address) => write!(f, "{address}:nr"),
            Self::Valency(address) => write!(f, "{address}:nv"),
            Self::LeftLabels(address) => write!(f, "{address}:sl"),
            Self::RightLabels(address) => write!(f, "{address}:sr"),
            Self::Distance(a, b) => write!(f, "dist({a},{b})"),
            Self::Apart(a, b, bounds) => write!(f, "dist({a},{b},{bounds})"),
            Self::Dependents(address, which, bounds) => write!(f, "{}({address},{bounds})", which.name()),
            Self::Exists(address) => write!(f, "exists({address})"),
            Self::Arc(a, b) => write!(f, "arc({a},{b})"),
            Self::Link(a, b) => write!(f, "link({a},{b})"),
            Self::Joined(nulls, items) => {
                f.write_str(nulls.name())?;
                write_joined(items, f)
            }
            Self::History(i) => write!(f, "history:{i}"),
            Self::Agreement(a, b, value) => write!(f, "agree({a},{b},{value})"),
        }
    }
}

/// Joined values in parentheses; nested ones are joined in the same way.
fn write_joined(items: &[Value], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        f.write_str(if i == 0 { "(" } else { "," })?;
        match item {
            Value::Joined(_, items) => write_joined(items, f)?,
            other => write!(f, "{other}")?,
        }
    }
    f.write_str(")")
}
