//! The symbolic back end: templates → values with numbers and names, for learners that compare values and for export.
//! It is equivalent to the hashed back end: two states have the same values exactly if they have the same hashes.
//!
//! Cells are mapped to numbers of texts once per sentence ([`SymbolicTokens`]); the value of a template in a state is
//! looked up as a tuple of numbers. No string is created per state.

use std::fmt::Write;

use quaich_transition::configuration::Configuration;
use quaich_treebank::{Label, Node};

use crate::agreement::Agreement;
use crate::alphabet::{Alphabet, LABEL_MARK, Lookup, code};
use crate::bounds::Bounds;
use crate::joined::{self, Arc, Joined, Outcome, Writer};
use crate::nulls::Nulls;
use crate::places::{Focus, HIGHEST_VALENCY, Places, distance_class};
use crate::sets::agreements;
use crate::steps;
use crate::symbolic_tokens::SymbolicTokens;
use crate::template::{Template, resolved};
use crate::token_values::TokenValues;
use crate::value::{self, ColumnName, Dependents, TokenValue, Value};

/// A compiled list of templates.
#[derive(Clone, Debug)]
pub struct SymbolicProgram {
    templates: Vec<Template>,
    token_values: TokenValues,
    /// For each token value that is a merge, by number: its table in alphabets.
    merge_tables: Vec<Option<usize>>,
    label_set_table: usize,
    places: Places,
    /// The single values of all templates, without duplicates.
    values: Vec<SingleValue>,
    joined: Vec<Joined>,
    bounds: Vec<Bounds>,
    /// For each position, the values of its template in order.
    positions: Vec<Vec<Part>>,
}

/// The output and buffers of a symbolic program.
#[derive(Clone, Debug, Default)]
pub struct SymbolicScratch {
    nodes: Vec<Node>,
    numbers: Vec<Option<u32>>,
    text: String,
    tuple: Vec<u32>,
    /// Position and number of every value: one per template, any number for templates with sets.
    pub values: Vec<(u16, u32)>,
}

/// A single value; places and numbers of token values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SingleValue {
    Token(u16, u16),
    Label(u16),
    LeftValency(u16),
    RightValency(u16),
    Valency(u16),
    LeftLabels(u16),
    RightLabels(u16),
    Distance(u16, u16),
    History(u8),
    Agreement(u16, u16, u16),
    /// With the number of its classes.
    Apart(u16, u16, usize),
    Dependents(u16, Dependents, usize),
    Exists(u16),
    Arc(u16, u16),
    Link(u16, u16),
    /// By its number; none if there is no feature.
    Joined(usize),
}

/// A part of a template.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// The single value with this number.
    Single(usize),
    /// The elements of a node's set.
    Elements(u16, u16),
    /// The agreement of the sets of two nodes.
    Agreement(u16, u16, u16),
    /// The elements of a node's set, or a symbol if there is no token.
    JoinedElements(u16, u16, Nulls),
}

impl SymbolicProgram {
    /// Compiles templates. Positions are indices in [`templates`](Self::templates): the given list without unresolved
    /// values.
    pub fn compile(templates: &[Template]) -> Self {
        let templates = resolved(templates);
        let alphabet = Alphabet::new(templates.clone());
        let mut program = Self {
            token_values: TokenValues::default(),
            merge_tables: Vec::new(),
            label_set_table: alphabet.label_set_table(),
            places: Places::default(),
            values: Vec::new(),
            joined: Vec::new(),
            bounds: Vec::new(),
            positions: Vec::new(),
            templates,
        };
        for position in 0..program.templates.len() {
            let values = program.templates[position].values.clone();
            let parts = values.iter().map(|value| program.part(value)).collect();
            program.positions.push(parts);
        }
        program.merge_tables = (0u16..)
            .take(program.token_values.len())
            .map(|number| program.token_values.parts(number))
            .map(|parts| (parts.len() > 1).then(|| alphabet.merge_table(parts)))
            .collect();
        program
    }

    /// Returns the columns that it reads.
    pub fn columns(&self) -> Vec<&ColumnName> {
        self.token_values.columns()
    }

    /// Returns the number of positions.
    pub fn n_positions(&self) -> usize {
        self.positions.len()
    }

    /// Returns the total number of values of the templates.
    pub(crate) fn n_values(&self) -> usize {
        self.positions.iter().map(Vec::len).sum()
    }

    /// Returns the templates by position.
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// Creates an empty alphabet for the program's values.
    pub fn alphabet(&self) -> Alphabet {
        Alphabet::new(self.templates.clone())
    }

    /// Computes the values of all templates. A fixed alphabet returns nothing for an unknown value. The alphabet must
    /// be the program's, and the one used to read the tokens.
    pub fn run<A: Lookup>(
        &self,
        configuration: &Configuration,
        tokens: &SymbolicTokens,
        focus: Focus,
        alphabet: &mut A,
        scratch: &mut SymbolicScratch,
    ) {
        let SymbolicScratch { nodes, numbers, text, tuple, values } = scratch;
        nodes.resize(self.places.len(), Node::NONE);
        self.places.locate(configuration, focus, nodes);
        numbers.clear();
        let state = State { program: self, configuration, tokens, nodes };
        numbers.extend(self.values.iter().map(|&value| state.evaluate(value, alphabet, text)));
        values.clear();
        tuple.clear();
        for (position, parts) in (0u16..).zip(&self.positions) {
            let mut found = |tuple: &[u32]| {
                values.extend(alphabet.tuple(usize::from(position), tuple).map(|id| (position, id)));
            };
            state.spread(parts, numbers, tuple, &mut found);
        }
    }

    /// Returns the token values to read from a sentence.
    pub(crate) fn token_values(&self) -> &TokenValues {
        &self.token_values
    }

    /// For each token value by number, the table of its merge.
    pub(crate) fn merge_tables(&self) -> &[Option<usize>] {
        &self.merge_tables
    }

    fn part(&mut self, value: &Value) -> Part {
        let single = match value {
            Value::Token(address, part) if part.is_set() => {
                return Part::Elements(
                    self.places.add(address),
                    self.token_values.add(std::slice::from_ref(part)),
                );
            }
            Value::Agreement(a, b, part) => {
                let number = self.token_values.add(std::slice::from_ref(part));
                let (a, b) = (self.places.add(a), self.places.add(b));
                if part.is_set() {
                    return Part::Agreement(a, b, number);
                }
                SingleValue::Agreement(a, b, number)
            }
            Value::Token(address, part) => SingleValue::Token(
                self.places.add(address),
                self.token_values.add(std::slice::from_ref(part)),
            ),
            Value::Merge(address, parts) => {
                SingleValue::Token(self.places.add(address), self.token_values.add(parts))
            }
            Value::Label(address) => SingleValue::Label(self.places.add(address)),
            Value::LeftValency(address) => SingleValue::LeftValency(self.places.add(address)),
            Value::RightValency(address) => SingleValue::RightValency(self.places.add(address)),
            Value::Valency(address) => SingleValue::Valency(self.places.add(address)),
            Value::LeftLabels(address) => SingleValue::LeftLabels(self.places.add(address)),
            Value::RightLabels(address) => SingleValue::RightLabels(self.places.add(address)),
            Value::Distance(a, b) => SingleValue::Distance(self.places.add(a), self.places.add(b)),
            Value::Apart(a, b, bounds) => {
                let bounds = self.bounds(bounds);
                SingleValue::Apart(self.places.add(a), self.places.add(b), bounds)
            }
            Value::Dependents(address, which, bounds) => {
                SingleValue::Dependents(self.places.add(address), *which, self.bounds(bounds))
            }
            Value::Exists(address) => SingleValue::Exists(self.places.add(address)),
            Value::Arc(a, b) => SingleValue::Arc(self.places.add(a), self.places.add(b)),
            Value::Link(a, b) => SingleValue::Link(self.places.add(a), self.places.add(b)),
            Value::Joined(nulls, items) => {
                if let [Value::Token(address, part)] = items.as_slice()
                    && part.is_set()
                {
                    let number = self.token_values.add(std::slice::from_ref(part));
                    return Part::JoinedElements(self.places.add(address), number, *nulls);
                }
                let Self { places, token_values, joined, .. } = self;
                let mut number = |part: &_| token_values.add(std::slice::from_ref(part));
                let compiled = Joined::compile(*nulls, items, places, &mut number);
                SingleValue::Joined(find_or_push(joined, compiled))
            }
            Value::History(i) => SingleValue::History(*i),
            Value::Defined(..) => unreachable!("unresolved names are dropped"),
        };
        Part::Single(find_or_push(&mut self.values, single))
    }

    fn bounds(&mut self, bounds: &Bounds) -> usize {
        find_or_push(&mut self.bounds, bounds.clone())
    }
}

fn find_or_push<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|held| *held == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

/// The inputs of values.
struct State<'a> {
    program: &'a SymbolicProgram,
    configuration: &'a Configuration,
    tokens: &'a SymbolicTokens,
    nodes: &'a [Node],
}

impl State<'_> {
    /// Returns the code of a single value in tuples; none if the alphabet does not know it.
    fn evaluate<A: Lookup>(&self, value: SingleValue, alphabet: &mut A, text: &mut String) -> Option<u32> {
        let c = self.configuration;
        // No node is 0.
        let of = |i: u16, read: &dyn Fn(Node) -> u32| {
            let node = self.node(i);
            Some(if node.is_none() { 0 } else { 1 + read(node) })
        };
        let mut labels = |i: u16, read: fn(&Configuration, Node) -> u64| {
            let node = self.node(i);
            if node.is_none() {
                return Some(0);
            }
            let set = read(c, node);
            #[allow(clippy::cast_possible_truncation, reason = "the two halves")]
            let halves = [set as u32, (set >> 32) as u32];
            alphabet.tuple(self.program.label_set_table, &halves).map(|set| 1 + set)
        };
        match value {
            SingleValue::Token(place, number) => self.tokens.get(self.node(place), number),
            SingleValue::Label(i) => Some(if self.node(i).is_none() {
                code::NO_LABEL_NODE
            } else {
                self.program.places.label(i, c, self.nodes).0
            }),
            SingleValue::LeftValency(i) => of(i, &|node| c.left_valency(node).min(HIGHEST_VALENCY)),
            SingleValue::RightValency(i) => of(i, &|node| c.right_valency(node).min(HIGHEST_VALENCY)),
            SingleValue::Valency(i) => of(i, &|node| c.valency(node).min(HIGHEST_VALENCY)),
            SingleValue::LeftLabels(i) => labels(i, Configuration::left_labels),
            SingleValue::RightLabels(i) => labels(i, Configuration::right_labels),
            SingleValue::Distance(a, b) => Some(distance_class(self.node(a), self.node(b))),
            SingleValue::History(i) => Some(c.history(usize::from(i)).map_or(0, |kind| 1 + kind as u32)),
            SingleValue::Agreement(a, b, number) => {
                let text =
                    |i: u16| self.tokens.get(self.node(i), number).filter(|&text| text >= code::FIRST_TEXT);
                Some(Agreement::of(text(a), text(b)) as u32)
            }
            SingleValue::Apart(a, b, bounds) => {
                let (a, b) = (self.node(a), self.node(b));
                Some(if a.is_none() || b.is_none() {
                    0
                } else if a.is_root() || b.is_root() {
                    1
                } else {
                    2 + self.program.bounds[bounds].class(a.0.abs_diff(b.0))
                })
            }
            SingleValue::Dependents(i, which, bounds) => {
                of(i, &|node| self.program.bounds[bounds].class(joined::count(which, node, c)))
            }
            SingleValue::Exists(i) => Some(u32::from(self.node(i).is_some())),
            SingleValue::Arc(a, b) => Some(Arc::between(self.node(a), self.node(b), c) as u32),
            SingleValue::Link(a, b) => {
                let link = steps::link(self.node(a), self.node(b), c);
                Some(link.map_or(code::NO_LABEL_NODE, |label| label.0))
            }
            SingleValue::Joined(joined) => self.joined(&self.program.joined[joined], alphabet, text),
        }
    }

    /// Returns the number of a joined value; none if there is no feature, or the alphabet does not know it.
    fn joined<A: Lookup>(&self, joined: &Joined, alphabet: &mut A, text: &mut String) -> Option<u32> {
        text.clear();
        let mut writer = TextWriter { program: self.program, tokens: self.tokens, alphabet, text };
        let places = &self.program.places;
        let state = joined::State { places, nodes: self.nodes, configuration: self.configuration };
        match joined.run(state, &mut writer) {
            Outcome::Nothing => None,
            Outcome::Null(symbol) => Some(symbol as u32),
            Outcome::Text => alphabet.text(text).map(|text| code::FIRST_TEXT + text),
        }
    }

    /// Calls `found` with one tuple per combination of the elements of sets.
    fn spread(
        &self,
        parts: &[Part],
        numbers: &[Option<u32>],
        tuple: &mut Vec<u32>,
        found: &mut impl FnMut(&[u32]),
    ) {
        let Some((first, rest)) = parts.split_first() else {
            found(tuple);
            return;
        };
        let mut with = |number: u32| {
            tuple.push(number);
            self.spread(rest, numbers, tuple, found);
            tuple.pop();
        };
        match *first {
            Part::Single(value) => numbers[value].into_iter().for_each(with),
            Part::Elements(place, number) => {
                for element in self.tokens.set(self.node(place), number) {
                    with(code::FIRST_TEXT + element.value);
                }
            }
            Part::JoinedElements(place, number, nulls) => {
                let node = self.node(place);
                if node.is_none() || node.is_root() {
                    if nulls != Nulls::None {
                        with(if node.is_none() { code::NONE } else { nulls.root() as u32 });
                    }
                    return;
                }
                for element in self.tokens.set(node, number) {
                    with(code::FIRST_TEXT + element.value);
                }
            }
            Part::Agreement(a, b, number) => {
                let of = |place: u16| self.tokens.set(self.node(place), number);
                agreements(of(a), of(b), |name, same| with(name << 1 | u32::from(same)));
            }
        }
    }

    fn node(&self, place: u16) -> Node {
        self.nodes[usize::from(place)]
    }
}

/// Builds joined texts.
struct TextWriter<'a, A> {
    program: &'a SymbolicProgram,
    tokens: &'a SymbolicTokens,
    alphabet: &'a A,
    text: &'a mut String,
}

impl<A: Lookup> Writer for TextWriter<'_, A> {
    fn has(&self, token: Node, number: u16) -> bool {
        // A cell that is `_` is a value like any other; a missing feature of a cell is not.
        self.tokens.get(token, number) != Some(code::MISSING)
            || !matches!(
                self.program.token_values.parts(number),
                [TokenValue { part: value::Part::Feature(_), .. }]
            )
    }

    fn token(&mut self, token: Node, number: u16) {
        let number = self.tokens.get(token, number);
        self.text
            .push_str(number.and_then(|number| self.tokens.text(number, self.alphabet)).unwrap_or_default());
    }

    fn label(&mut self, label: Label) {
        // Writing to a string does not fail.
        let _ = write!(self.text, "{LABEL_MARK}{}{LABEL_MARK}", label.0);
    }

    fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn separate(&mut self) {
        self.text.push('~');
    }
}
