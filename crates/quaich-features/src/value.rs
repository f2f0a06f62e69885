//! Values: what is asked of a token, of a node or of two nodes.
//!
//! A *token value* is known before parsing: a cell of the token's row, or a part of it. Everything
//! else depends on the configuration. Most values are single; a *set* has none, one or several
//! elements, and a template with a set in it gives a feature for each.

use std::fmt;

use quaich_treebank::Role;

use crate::address::Address;
use crate::bounds::Bounds;
use crate::notation::ours::{self, Definitions};
use crate::nulls::Nulls;
use crate::separator::Separator;

/// What is known of a token before parsing: a cell, or a part of one.
///
/// A cell that is `_`, and a part that the cell does not have, are *missing*.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TokenValue {
    /// The column that the cell is in.
    pub column: ColumnName,
    /// Which part of it.
    pub part: Part,
}

/// A column: by what it holds, whatever the format calls it, or by its name in the format.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ColumnName {
    /// The column with this role.
    Role(Role),
    /// The tags that `MaltParser`'s own feature models look at: UPOS in CoNLL-U, the fine tags elsewhere.
    MainTag,
    /// The column with this name.
    Named(String),
}

/// A part of a cell.
///
/// Cells of FEATS and MISC fall into pieces at every `|`; a piece `Case=Nom` is the feature `Case`,
/// a piece without `=` is a feature whose name is itself. The cells of all other columns fall into
/// characters, for positional tags: the feature `2` is the third character, and `-` is how such tags
/// leave a position empty.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    /// All of it.
    Whole,
    /// The feature with this name; the first, should there be several.
    Feature(String),
    /// The set of its features.
    Set,
    /// The set of the pieces between separators; `_` is a piece like any other.
    Split(Separator),
    /// The characters from one place up to another. Places are counted from 0; from the end, if they
    /// are negative; none means the cell's own ends.
    Slice {
        /// The first character.
        from: Option<i8>,
        /// The one after the last.
        to: Option<i8>,
    },
}

/// What is asked of a node, or of two.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Value {
    /// What is known of the token before parsing.
    Token(Address, TokenValue),
    /// Several single values of the token, seen as one.
    Merge(Address, Vec<TokenValue>),
    /// A value of the token by a name that the feature model leaves to the treebank. It stands for
    /// nothing until [`FeatureModel::resolve`](crate::FeatureModel::resolve) puts something in its place.
    Defined(Address, String),
    /// The label of the arc into the node; after a step to a dependent in an undirected system, that of
    /// the edge.
    Label(Address),
    /// How many left dependents the node has.
    LeftValency(Address),
    /// How many right dependents the node has.
    RightValency(Address),
    /// How many dependents the node has.
    Valency(Address),
    /// Which labels its left dependents have.
    LeftLabels(Address),
    /// Which labels its right dependents have.
    RightLabels(Address),
    /// How far two nodes are apart and in which direction, in classes.
    Distance(Address, Address),
    /// How far two nodes are apart, in classes of the feature model's own.
    Apart(Address, Address, Bounds),
    /// How many dependents the node has, in classes of the feature model's own.
    Dependents(Address, Dependents, Bounds),
    /// Whether there is such a node.
    Exists(Address),
    /// Which of two nodes is the head of the other; in undirected systems, whether they are linked.
    Arc(Address, Address),
    /// The label of the arc or edge between two nodes, whatever its direction.
    Link(Address, Address),
    /// One value or several in `MaltParser`'s manner: a text, of several values one with `~` between them, or one of
    /// its symbols for nothing. Of values that are all nothing, and of nodes that do not all exist, there is no feature.
    Joined(Nulls, Vec<Value>),
    /// The last (0) or last but one (1) transition.
    History(u8),
    /// Whether two tokens agree: have the same value, different ones, or one or both of them none. Of a
    /// set: for every feature that both have, whether it is the same.
    Agreement(Address, Address, TokenValue),
}

/// Which dependents are counted.
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
    /// All of them, in the order help shows them.
    pub const ALL: [Self; 3] = [Self::Left, Self::Right, Self::All];

    /// The name, in our notation and in `MaltParser`'s.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Left => "ldeps",
            Self::Right => "rdeps",
            Self::All => "deps",
        }
    }
}

/// How deep joined values can be nested.
pub(crate) const MAX_DEPTH: usize = 8;
/// The short name of the tags that `MaltParser`'s own feature models look at.
pub(crate) const MAIN_TAG: &str = "pos";

/// The columns with short names.
pub(crate) const SHORT_NAMES: [(&str, Role); 5] =
    [("w", Role::Form), ("l", Role::Lemma), ("p", Role::CoarseTag), ("t", Role::FineTag), ("f", Role::Feats)];

impl TokenValue {
    /// A whole cell.
    pub const fn whole(role: Role) -> Self {
        Self { column: ColumnName::Role(role), part: Part::Whole }
    }

    /// One feature of FEATS.
    pub fn feature(name: impl Into<String>) -> Self {
        Self { column: ColumnName::Role(Role::Feats), part: Part::Feature(name.into()) }
    }

    /// Understands the notation; the error says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        ours::token_value(text, &Definitions::default())
    }

    /// Whether it can have several values or none.
    pub fn is_set(&self) -> bool {
        matches!(self.part, Part::Set | Part::Split(_))
    }

    /// The value to use in its place when some are constant in a treebank; none if it is constant itself.
    /// Where there are no lemmas, forms stand in for them: most templates about words ask for lemmas.
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
    /// The token values behind it, with the node whose they are: one for a plain value, several for
    /// a merge.
    pub fn token(&self) -> Option<(&Address, &[TokenValue])> {
        match self {
            Self::Token(address, value) => Some((address, std::slice::from_ref(value))),
            Self::Merge(address, values) => Some((address, values)),
            _ => None,
        }
    }

    /// Whether it can have several values or none.
    pub fn is_set(&self) -> bool {
        match self {
            Self::Token(_, value) | Self::Agreement(_, _, value) => value.is_set(),
            Self::Joined(..) => true,
            _ => false,
        }
    }

    /// Visits every token value that it asks for.
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

    /// Values in `MaltParser`'s manner, if they can be put together so.
    pub fn joined(nulls: Nulls, items: Vec<Self>) -> Result<Self, String> {
        let joined = Self::Joined(nulls, items);
        joined.check_joined(MAX_DEPTH)?;
        Ok(joined)
    }

    /// Whether all values in a joined one have texts, or all say whether nodes exist.
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

    /// The value with another way to tell kinds of nothing apart, where it is joined.
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

    /// Token values of one node as one value; none of none.
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

    /// What is left of it when some token values are constant. A name that was left to the treebank and
    /// never resolved is nothing.
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
                // Our notation has names of columns for the others.
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

/// Joined values in parentheses; those in them are joined as they are, so that nobody has to say it again.
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
