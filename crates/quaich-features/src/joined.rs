//! Joined values as in `MaltParser`, for both back ends: null values and the texts to join. Each back end builds the
//! text in its own way.

use quaich_transition::configuration::Configuration;
use quaich_treebank::{Label, Node};

use crate::bounds::Bounds;
use crate::nulls::{Nulls, Symbol};
use crate::places::Places;
use crate::steps;
use crate::value::{Dependents, TokenValue, Value};

/// A joined value, compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Joined {
    nulls: Nulls,
    items: Vec<Item>,
}

/// Places, and numbers of token values.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Item {
    Token(u16, u16),
    Label(u16),
    Arc(u16, u16),
    Apart(u16, u16, Bounds),
    Dependents(u16, Dependents, Bounds),
    Exists(u16),
    Joined(Vec<Item>),
}

/// The result of a joined value in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// No feature.
    Nothing,
    /// A null symbol.
    Null(Symbol),
    /// A text, which was written.
    Text,
}

/// Builds texts from parts.
pub(crate) trait Writer {
    /// Whether a token has the value with this number.
    fn has(&self, token: Node, number: u16) -> bool;
    /// Adds the value of a token that has it.
    fn token(&mut self, token: Node, number: u16);
    /// Adds a label.
    fn label(&mut self, label: Label);
    /// Adds a text without `~` in it.
    fn text(&mut self, text: &str);
    /// Adds a separator between two parts.
    fn separate(&mut self);
}

/// Which of two nodes is the head of the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Arc {
    None,
    Left,
    Right,
    Linked,
}

impl Arc {
    /// By number.
    pub(crate) const ALL: [Self; 4] = [Self::None, Self::Left, Self::Right, Self::Linked];

    /// Returns the arc between two nodes; in undirected systems, which have no directions, the edge.
    pub(crate) fn between(a: Node, b: Node, c: &Configuration) -> Self {
        if a.is_none() || b.is_none() {
            Self::None
        } else if c.is_undirected() {
            if steps::link(a, b, c).is_some() { Self::Linked } else { Self::None }
        } else if c.head(a) == b {
            Self::Left
        } else if c.head(b) == a {
            Self::Right
        } else {
            Self::None
        }
    }

    /// Returns its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::None => Symbol::Null.text(),
            Self::Left => "LEFT",
            Self::Right => "RIGHT",
            Self::Linked => "LINKED",
        }
    }
}

/// Returns the number of dependents of a kind.
#[inline]
pub(crate) fn count(which: Dependents, node: Node, c: &Configuration) -> u32 {
    match which {
        Dependents::Left => c.left_valency(node),
        Dependents::Right => c.right_valency(node),
        Dependents::All => c.valency(node),
    }
}

/// The inputs of joined values.
#[derive(Clone, Copy)]
pub(crate) struct State<'a> {
    pub(crate) places: &'a Places,
    pub(crate) nodes: &'a [Node],
    pub(crate) configuration: &'a Configuration,
}

impl Joined {
    /// Compiles values that were created by [`Value::joined`] and are not sets.
    pub(crate) fn compile(
        nulls: Nulls,
        values: &[Value],
        places: &mut Places,
        number: &mut impl FnMut(&TokenValue) -> u16,
    ) -> Self {
        Self { nulls, items: compile(values, places, number) }
    }

    /// Computes the result in a state, writing the text if there is one.
    pub(crate) fn run(&self, state: State<'_>, writer: &mut impl Writer) -> Outcome {
        let Self { nulls, items } = self;
        if items.iter().all(Item::is_truth) {
            if !items.iter().all(|item| item.is_true(state)) {
                return Outcome::Nothing;
            }
            writer.text("true");
            return Outcome::Text;
        }
        let symbol = |item: &Item, writer: &_| item.symbol(*nulls, state, writer);
        if let [item] = items.as_slice() {
            return match symbol(item, writer) {
                Some(_) if *nulls == Nulls::None => Outcome::Nothing,
                Some(symbol) => Outcome::Null(symbol),
                None => {
                    item.write(*nulls, state, writer);
                    Outcome::Text
                }
            };
        }
        if items.iter().all(|item| symbol(item, writer).is_some()) {
            return Outcome::Nothing;
        }
        write_all(items, *nulls, state, writer);
        Outcome::Text
    }
}

fn compile(values: &[Value], places: &mut Places, number: &mut impl FnMut(&TokenValue) -> u16) -> Vec<Item> {
    let mut items = Vec::new();
    for value in values {
        items.push(match value {
            Value::Token(at, part) => Item::Token(places.add(at), number(part)),
            Value::Label(at) => Item::Label(places.add(at)),
            Value::Arc(a, b) => Item::Arc(places.add(a), places.add(b)),
            Value::Apart(a, b, bounds) => Item::Apart(places.add(a), places.add(b), bounds.clone()),
            Value::Dependents(at, which, bounds) => Item::Dependents(places.add(at), *which, bounds.clone()),
            Value::Exists(at) => Item::Exists(places.add(at)),
            Value::Joined(_, inner) => Item::Joined(compile(inner, places, number)),
            // No other values are joined.
            _ => continue,
        });
    }
    items
}

fn write_all(items: &[Item], nulls: Nulls, state: State<'_>, writer: &mut impl Writer) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            writer.separate();
        }
        item.write(nulls, state, writer);
    }
}

impl State<'_> {
    fn node(&self, place: u16) -> Node {
        self.nodes[usize::from(place)]
    }
}

impl Item {
    fn is_truth(&self) -> bool {
        match self {
            Self::Exists(_) => true,
            Self::Joined(items) => items.iter().all(Self::is_truth),
            _ => false,
        }
    }

    fn is_true(&self, state: State<'_>) -> bool {
        match self {
            Self::Exists(at) => state.node(*at).is_some(),
            Self::Joined(items) => items.iter().all(|item| item.is_true(state)),
            _ => false,
        }
    }

    /// Returns the null symbol if the value is null. Arcs, distances and numbers of dependents have only one such
    /// symbol.
    fn symbol(&self, nulls: Nulls, state: State<'_>, writer: &impl Writer) -> Option<Symbol> {
        let of_node = |node: Node, has: &dyn Fn() -> bool| {
            if node.is_none() {
                Some(Symbol::Null)
            } else if node.is_root() {
                Some(nulls.root())
            } else if has() {
                None
            } else {
                Some(nulls.no_value())
            }
        };
        let null_if = |is_null: bool| is_null.then_some(Symbol::Null);
        let is_token = |place: u16| {
            let node = state.node(place);
            node.is_some() && !node.is_root()
        };
        match self {
            Self::Token(at, number) => {
                let node = state.node(*at);
                of_node(node, &|| writer.has(node, *number))
            }
            Self::Label(at) => of_node(state.node(*at), &|| {
                !state.places.label(*at, state.configuration, state.nodes).is_none()
            }),
            Self::Arc(a, b) => {
                null_if(Arc::between(state.node(*a), state.node(*b), state.configuration) == Arc::None)
            }
            Self::Apart(a, b, _) => null_if(!is_token(*a) || !is_token(*b)),
            Self::Dependents(at, ..) => null_if(state.node(*at).is_none()),
            Self::Exists(_) => None,
            Self::Joined(items) => {
                let mut symbols = items.iter().map(|item| item.symbol(nulls, state, writer));
                let first = symbols.next().flatten()?;
                symbols.all(|symbol| symbol.is_some()).then_some(first)
            }
        }
    }

    fn write(&self, nulls: Nulls, state: State<'_>, writer: &mut impl Writer) {
        if let Some(symbol) = self.symbol(nulls, state, writer) {
            writer.text(symbol.text());
            return;
        }
        match self {
            Self::Token(at, number) => writer.token(state.node(*at), *number),
            Self::Label(at) => {
                writer.label(state.places.label(*at, state.configuration, state.nodes));
            }
            Self::Arc(a, b) => {
                writer.text(Arc::between(state.node(*a), state.node(*b), state.configuration).name());
            }
            Self::Apart(a, b, bounds) => {
                let distance = state.node(*a).0.abs_diff(state.node(*b).0);
                writer.text(&bounds.name(bounds.class(distance)));
            }
            Self::Dependents(at, which, bounds) => {
                let count = count(*which, state.node(*at), state.configuration);
                writer.text(&bounds.name(bounds.class(count)));
            }
            Self::Exists(_) => writer.text("true"),
            Self::Joined(items) => write_all(items, nulls, state, writer),
        }
    }
}
