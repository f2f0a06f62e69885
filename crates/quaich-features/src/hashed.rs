//! The hashed back end: compiles templates to a flat program that maps a configuration to hashes.
//!
//! A program has three lists, each of which reads only the output of the previous one: *places* (nodes at addresses),
//! *values* (properties of these nodes, as hashes), and *templates* (several values combined to one hash). Places and
//! values shared by several templates are computed once.
//!
//! A template with set values returns one hash per combination of their elements, and none if a set is empty. These
//! templates come after all others, which keeps the loops over plain ones simple.
//!
//! Training stores the values of many states as fingerprints, and combines them later, template by template:
//! [`Program::run`] and [`Program::expand`] return the same hashes.

use quaich_transition::configuration::Configuration;
use quaich_treebank::{Label, Node};

use crate::address::Address;
use crate::agreement::Agreement;
use crate::bounds::Bounds;
use crate::hash;
use crate::join::{self, TURNS};
use crate::joined::{self, Arc, Joined, Outcome, Writer};
use crate::nulls::{Nulls, Symbol};
use crate::places::{Focus, HIGHEST_VALENCY, Places, distance_class};
use crate::sets::{Element, Sets, agreements};
use crate::steps;
use crate::template::{Template, resolved};
use crate::token_values::TokenValues;
use crate::tokens::{JOINED_BASE, Tokens, joined_piece, missing, split_nulls};
use crate::value::{Dependents, TokenValue, Value};

/// A compiled list of templates.
#[derive(Clone, Debug)]
pub struct Program {
    places: Places,
    token_values: Vec<ReadValue>,
    other_values: Vec<OtherValue>,
    /// Plain templates by number of values, one to four: the seed of each, and its values.
    joins: [Vec<(u64, [u16; TURNS.len()])>; TURNS.len()],
    /// Plain templates with more values.
    long: Vec<(u64, Vec<u16>)>,
    sets: Vec<SetTemplate>,
    joined: Vec<Joined>,
    bounds: Vec<Bounds>,
}

/// The output and buffers of a program.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    nodes: Vec<Node>,
    /// For each place, the start of its node's row.
    starts: Vec<usize>,
    values: Vec<u64>,
    /// The hashes of all templates: one per plain template, any number for the others.
    pub hashes: Vec<u64>,
}

/// A token value of the node at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ReadValue {
    place: u16,
    number: u16,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OtherValue {
    Label(u16),
    LeftValency(u16),
    RightValency(u16),
    Valency(u16),
    LeftLabels(u16),
    RightLabels(u16),
    Distance(u16, u16),
    History(u8),
    /// For two places, in the token value with this number; the last field is the hash if it is missing.
    Agreement(u16, u16, u16, u64),
    /// With the number of its classes.
    Apart(u16, u16, u16),
    Dependents(u16, Dependents, u16),
    Exists(u16),
    Arc(u16, u16),
    Link(u16, u16),
    /// By its number; 0 if there is no feature.
    Joined(u16),
}

/// A template with set values.
#[derive(Clone, Debug)]
struct SetTemplate {
    seed: u64,
    /// Its other values, which are combined first.
    plain: Vec<u16>,
    sets: Vec<SetValue>,
}

/// A set, given by the values of its cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SetValue {
    /// The elements of a cell.
    Elements(u16),
    /// The agreement of the elements of two cells.
    Agreement(u16, u16),
    /// A value that exists unless it is 0.
    Optional(u16),
    /// The elements of a cell, or a symbol if there is no token.
    Joined {
        /// The cell.
        cell: u16,
        /// The value of the cell if there is no node, and at the root.
        none: u64,
        root: u64,
        nulls: Nulls,
    },
}

/// Seeds that separate the values of different kinds.
mod seed {
    pub(super) const LABEL: u64 = 101;
    pub(super) const LEFT_VALENCY: u64 = 102;
    pub(super) const RIGHT_VALENCY: u64 = 103;
    pub(super) const LEFT_LABELS: u64 = 104;
    pub(super) const RIGHT_LABELS: u64 = 105;
    pub(super) const DISTANCE: u64 = 106;
    pub(super) const HISTORY: u64 = 107;
    pub(super) const TEMPLATE: u64 = 108;
    pub(super) const VALENCY: u64 = 109;
    pub(super) const AGREEMENT: u64 = 115;
    pub(super) const APART: u64 = 117;
    pub(super) const DEPENDENTS: u64 = 118;
    pub(super) const EXISTS: u64 = 119;
    pub(super) const ARC: u64 = 120;
    pub(super) const JOINED: u64 = 121;
    pub(super) const JOINED_LABEL: u64 = 122;
    pub(super) const SYMBOL: u64 = 123;
    pub(super) const LINK: u64 = 124;
}

impl Program {
    /// Compiles templates for tokens read with this list of values; missing values are added to it. The hashes are in
    /// the order of [`order`](Self::order).
    pub fn compile(templates: &[Template], values: &mut TokenValues) -> Self {
        let templates = Self::order(templates);
        let mut compiler = Compiler {
            values,
            places: Places::default(),
            token_values: Vec::new(),
            other_values: Vec::new(),
            joined: Vec::new(),
            bounds: Vec::new(),
        };
        // Token values come before the others, so that each kind has its own loop.
        for value in templates.iter().flat_map(|template| &template.values) {
            compiler.token_values_of(value);
        }
        let mut joins: [Vec<(u64, [u16; TURNS.len()])>; TURNS.len()] = Default::default();
        let (mut long, mut sets) = (Vec::new(), Vec::new());
        for template in &templates {
            // The seed is computed from the template's text, so it does not depend on the other templates.
            let seed = hash::bytes(seed::TEMPLATE, template.to_string().as_bytes());
            let (of_sets, plain): (Vec<&Value>, Vec<&Value>) =
                template.values.iter().partition(|value| value.is_set());
            let plain: Vec<u16> = plain.into_iter().map(|value| compiler.value(value)).collect();
            if !of_sets.is_empty() {
                let of_sets = of_sets.into_iter().map(|value| compiler.set_value(value)).collect();
                sets.push(SetTemplate { seed, plain, sets: of_sets });
            } else if plain.len() <= TURNS.len() {
                let mut values = [0; TURNS.len()];
                values[..plain.len()].copy_from_slice(&plain);
                joins[plain.len() - 1].push((seed, values));
            } else {
                long.push((seed, plain));
            }
        }
        let Compiler { places, token_values, other_values, joined, bounds, .. } = compiler;
        Self { places, token_values, other_values, joins, long, sets, joined, bounds }
    }

    /// Returns the templates in the order of the hashes: those with one, two, three, four and more values, and those
    /// with set values last. Unresolved values are dropped.
    pub fn order(templates: &[Template]) -> Vec<Template> {
        let mut ordered = resolved(templates);
        ordered.sort_by_key(|template| {
            if template.has_sets() { usize::MAX } else { template.values.len().min(TURNS.len() + 1) }
        });
        ordered
    }

    /// Returns the number of templates.
    pub fn n_templates(&self) -> usize {
        self.n_plain() + self.sets.len()
    }

    /// Returns the number of plain templates, which return exactly one hash each. They come first.
    pub fn n_plain(&self) -> usize {
        self.joins.iter().map(Vec::len).sum::<usize>() + self.long.len()
    }

    /// Returns the most hashes of a run, if known: with set values it depends on the data.
    pub fn max_hashes(&self) -> Option<usize> {
        self.sets.is_empty().then(|| self.n_plain())
    }

    /// Returns the number of values combined by templates.
    pub fn n_values(&self) -> usize {
        self.token_values.len() + self.other_values.len()
    }

    /// Computes the hashes of all templates.
    #[inline]
    pub fn run(&self, configuration: &Configuration, tokens: &Tokens, focus: Focus, scratch: &mut Scratch) {
        self.values(configuration, tokens, focus, scratch);
        let Scratch { nodes, values, hashes, .. } = scratch;
        self.join(values, hashes);
        if self.sets.is_empty() {
            return;
        }
        let elements = |value: u16| {
            let ReadValue { place, number } = self.token_values[usize::from(value)];
            tokens.set(nodes[usize::from(place)], number)
        };
        let value = |value: u16| values[usize::from(value)];
        for template in &self.sets {
            let sum = join::add_all(template.seed, template.plain.iter().map(|&plain| value(plain)));
            spread(sum, template.plain.len(), &template.sets, &value, &elements, hashes);
        }
    }

    /// Computes only the values, [`n_values`](Self::n_values) of them: a set is represented by its cell.
    #[inline]
    pub fn values(
        &self,
        configuration: &Configuration,
        tokens: &Tokens,
        focus: Focus,
        scratch: &mut Scratch,
    ) {
        let Scratch { nodes, starts, values, .. } = scratch;
        nodes.resize(self.places.len(), Node::NONE);
        self.places.locate(configuration, focus, nodes);
        starts.clear();
        starts.extend(nodes.iter().map(|&node| tokens.start(node)));
        let rows = tokens.rows();
        values.clear();
        values.extend(
            self.token_values
                .iter()
                .map(|&ReadValue { place, number }| rows[starts[usize::from(place)] + usize::from(number)]),
        );
        let state = State { program: self, nodes, configuration, tokens };
        values.extend(self.other_values.iter().map(|&value| state.evaluate(value)));
    }

    /// Appends the hashes of one template, numbered as in [`order`](Self::order), computed from the fingerprints of the
    /// values: the same hashes as in a run. The sets of the sentence must have been recorded in `sets`.
    ///
    /// # Panics
    /// If the template does not exist.
    pub fn expand(&self, template: usize, fingerprints: &[u32], sets: &Sets, hashes: &mut Vec<u64>) {
        let value = |&value: &u16| hash::expand(fingerprints[usize::from(value)]);
        let mut at = template;
        for (joins, n_values) in self.joins.iter().zip(1..) {
            if let Some((seed, values)) = joins.get(at) {
                hashes.push(join::add_all(*seed, values[..n_values].iter().map(value)));
                return;
            }
            at -= joins.len();
        }
        if let Some((seed, values)) = self.long.get(at) {
            hashes.push(join::add_all(*seed, values.iter().map(value)));
            return;
        }
        let template = &self.sets[at - self.long.len()];
        let sum = join::add_all(template.seed, template.plain.iter().map(value));
        let elements = |value: u16| sets.get(fingerprints[usize::from(value)]);
        spread(sum, template.plain.len(), &template.sets, &|at: u16| value(&at), &elements, hashes);
    }

    /// Combines values to one hash per plain template.
    #[inline]
    fn join(&self, values: &[u64], hashes: &mut Vec<u64>) {
        hashes.clear();
        let value = |i: u16| values[usize::from(i)];
        let [one, two, three, four] = &self.joins;
        let [_, second, third, fourth] = TURNS;
        hashes.extend(one.iter().map(|&(seed, [a, ..])| seed.wrapping_add(value(a))));
        hashes.extend(two.iter().map(|&(seed, [a, b, ..])| {
            seed.wrapping_add(value(a)).wrapping_add(value(b).rotate_left(second))
        }));
        hashes.extend(three.iter().map(|&(seed, [a, b, c, _])| {
            seed.wrapping_add(value(a))
                .wrapping_add(value(b).rotate_left(second))
                .wrapping_add(value(c).rotate_left(third))
        }));
        hashes.extend(four.iter().map(|&(seed, [a, b, c, d])| {
            seed.wrapping_add(value(a))
                .wrapping_add(value(b).rotate_left(second))
                .wrapping_add(value(c).rotate_left(third))
                .wrapping_add(value(d).rotate_left(fourth))
        }));
        hashes.extend(
            self.long.iter().map(|(seed, parts)| join::add_all(*seed, parts.iter().map(|&i| value(i)))),
        );
    }
}

impl Scratch {
    /// Returns the values of the last run.
    pub fn values(&self) -> &[u64] {
        &self.values
    }
}

/// Appends one hash per combination of the elements of sets; `sum` is that of the values before.
fn spread<'a>(
    sum: u64,
    place: usize,
    sets: &[SetValue],
    value: &impl Fn(u16) -> u64,
    elements: &impl Fn(u16) -> &'a [Element],
    hashes: &mut Vec<u64>,
) {
    let Some((first, rest)) = sets.split_first() else {
        hashes.push(sum);
        return;
    };
    let mut with =
        |found: u64| spread(join::add(sum, place, found), place + 1, rest, value, elements, hashes);
    match *first {
        SetValue::Optional(at) => {
            let value = value(at);
            if value != 0 {
                with(value);
            }
        }
        SetValue::Joined { cell, none, root, nulls } => {
            let value = value(cell);
            if value == none || value == root {
                if nulls != Nulls::None {
                    with(symbol(if value == none { Symbol::Null } else { nulls.root() }));
                }
            } else {
                for element in elements(cell) {
                    with(element.value);
                }
            }
        }
        SetValue::Elements(cell) => elements(cell).iter().for_each(|element| with(element.value)),
        // The hash of a name represents agreement in it; its negative, which is no name's hash, represents
        // disagreement.
        SetValue::Agreement(a, b) => agreements(elements(a), elements(b), |name, same| {
            with(if same { name } else { name.wrapping_neg() });
        }),
    }
}

/// Returns the hash of a null symbol.
fn symbol(symbol: Symbol) -> u64 {
    hash::number(seed::SYMBOL, symbol as u64)
}

/// Builds joined texts: a sum in which every piece is multiplied by a power of its index, independent of where values
/// begin and end.
struct SumWriter<'a> {
    tokens: &'a Tokens,
    sum: u64,
    power: u64,
}

impl SumWriter<'_> {
    fn add(&mut self, hash: u64, power: u64) {
        self.sum = self.sum.wrapping_add(hash.wrapping_mul(self.power));
        self.power = self.power.wrapping_mul(power);
    }
}

impl Writer for SumWriter<'_> {
    fn has(&self, token: Node, number: u16) -> bool {
        self.tokens.joined(token, number).0 != 0
    }

    fn token(&mut self, token: Node, number: u16) {
        let (hash, power) = self.tokens.joined(token, number);
        self.add(hash, power);
    }

    fn label(&mut self, label: Label) {
        self.add(hash::number(seed::JOINED_LABEL, u64::from(label.0)), JOINED_BASE);
    }

    fn text(&mut self, text: &str) {
        self.add(joined_piece(text), JOINED_BASE);
    }

    fn separate(&mut self) {}
}

/// The inputs of values other than token values.
struct State<'a> {
    program: &'a Program,
    nodes: &'a [Node],
    configuration: &'a Configuration,
    tokens: &'a Tokens,
}

impl State<'_> {
    #[inline]
    fn evaluate(&self, value: OtherValue) -> u64 {
        let c = self.configuration;
        let of = |seed: u64, i: u16, read: &dyn Fn(Node) -> u64| {
            let node = self.nodes[usize::from(i)];
            // No node differs from every value of a node.
            hash::number(seed, if node.is_none() { u64::MAX } else { read(node) })
        };
        let valency = |valency: u32| u64::from(valency.min(HIGHEST_VALENCY));
        match value {
            OtherValue::Label(i) => {
                of(seed::LABEL, i, &|_| u64::from(self.program.places.label(i, c, self.nodes).0))
            }
            OtherValue::LeftValency(i) => of(seed::LEFT_VALENCY, i, &|node| valency(c.left_valency(node))),
            OtherValue::RightValency(i) => of(seed::RIGHT_VALENCY, i, &|node| valency(c.right_valency(node))),
            OtherValue::Valency(i) => of(seed::VALENCY, i, &|node| valency(c.valency(node))),
            OtherValue::LeftLabels(i) => of(seed::LEFT_LABELS, i, &|node| c.left_labels(node)),
            OtherValue::RightLabels(i) => of(seed::RIGHT_LABELS, i, &|node| c.right_labels(node)),
            OtherValue::Distance(a, b) => {
                let (a, b) = (self.nodes[usize::from(a)], self.nodes[usize::from(b)]);
                hash::number(seed::DISTANCE, u64::from(distance_class(a, b)))
            }
            OtherValue::History(i) => {
                hash::number(seed::HISTORY, c.history(usize::from(i)).map_or(u64::MAX, |kind| kind as u64))
            }
            OtherValue::Agreement(a, b, number, missing) => {
                let value = |i: u16| {
                    let node = self.nodes[usize::from(i)];
                    let value = self.tokens.get(node, number);
                    (!node.is_none() && !node.is_root() && value != missing).then_some(value)
                };
                hash::number(seed::AGREEMENT, Agreement::of(value(a), value(b)) as u64)
            }
            OtherValue::Apart(a, b, bounds) => {
                let (a, b) = (self.nodes[usize::from(a)], self.nodes[usize::from(b)]);
                let class = if a.is_none() || b.is_none() {
                    0
                } else if a.is_root() || b.is_root() {
                    1
                } else {
                    2 + self.program.bounds[usize::from(bounds)].class(a.0.abs_diff(b.0))
                };
                hash::number(seed::APART, u64::from(class))
            }
            OtherValue::Dependents(i, which, bounds) => of(seed::DEPENDENTS, i, &|node| {
                u64::from(self.program.bounds[usize::from(bounds)].class(joined::count(which, node, c)))
            }),
            OtherValue::Exists(i) => {
                hash::number(seed::EXISTS, u64::from(self.nodes[usize::from(i)].is_some()))
            }
            OtherValue::Arc(a, b) => {
                let arc = Arc::between(self.nodes[usize::from(a)], self.nodes[usize::from(b)], c);
                hash::number(seed::ARC, arc as u64)
            }
            OtherValue::Link(a, b) => {
                let link = steps::link(self.nodes[usize::from(a)], self.nodes[usize::from(b)], c);
                hash::number(seed::LINK, link.map_or(u64::MAX, |label| u64::from(label.0)))
            }
            OtherValue::Joined(joined) => self.joined(&self.program.joined[usize::from(joined)]),
        }
    }

    /// Returns the hash of a joined value, 0 if there is no feature.
    #[inline(never)]
    fn joined(&self, joined: &Joined) -> u64 {
        let places = &self.program.places;
        let state = joined::State { places, nodes: self.nodes, configuration: self.configuration };
        let mut writer = SumWriter { tokens: self.tokens, sum: 0, power: 1 };
        let hash = match joined.run(state, &mut writer) {
            Outcome::Nothing => return 0,
            Outcome::Null(null) => symbol(null),
            Outcome::Text => hash::number(seed::JOINED, writer.sum),
        };
        // One hash in 2³² would mean no feature.
        if hash == 0 { hash::expand(1) } else { hash }
    }
}

struct Compiler<'a> {
    values: &'a mut TokenValues,
    places: Places,
    token_values: Vec<ReadValue>,
    other_values: Vec<OtherValue>,
    joined: Vec<Joined>,
    bounds: Vec<Bounds>,
}

impl Compiler<'_> {
    fn token_value(&mut self, address: &Address, parts: &[TokenValue]) -> u16 {
        let value = ReadValue { place: self.places.add(address), number: self.values.add(parts) };
        find_or_push(&mut self.token_values, value)
    }

    /// Adds the token values of a value to the list.
    fn token_values_of(&mut self, value: &Value) {
        if let Some((address, parts)) = value.token() {
            self.token_value(address, parts);
        } else if let Value::Agreement(a, b, part) = value
            && part.is_set()
        {
            self.token_value(a, std::slice::from_ref(part));
            self.token_value(b, std::slice::from_ref(part));
        } else if let Value::Joined(_, items) = value
            && let [Value::Token(address, part)] = items.as_slice()
            && part.is_set()
        {
            self.token_value(address, std::slice::from_ref(part));
        }
    }

    /// Compiles a set; all its token values must be in the list.
    fn set_value(&mut self, value: &Value) -> SetValue {
        match value {
            Value::Agreement(a, b, part) => {
                let part = std::slice::from_ref(part);
                SetValue::Agreement(self.token_value(a, part), self.token_value(b, part))
            }
            Value::Joined(nulls, items) => {
                if let [Value::Token(address, part)] = items.as_slice()
                    && part.is_set()
                {
                    let (none, root) = split_nulls(part);
                    let cell = self.token_value(address, std::slice::from_ref(part));
                    return SetValue::Joined { cell, none, root, nulls: *nulls };
                }
                SetValue::Optional(self.value(value))
            }
            other => SetValue::Elements(self.value(other)),
        }
    }

    /// Returns the number of a value; all its token values must be in the list.
    fn value(&mut self, value: &Value) -> u16 {
        let other = match value {
            Value::Token(address, part) => return self.token_value(address, std::slice::from_ref(part)),
            Value::Merge(address, parts) => return self.token_value(address, parts),
            Value::Label(address) => OtherValue::Label(self.places.add(address)),
            Value::LeftValency(address) => OtherValue::LeftValency(self.places.add(address)),
            Value::RightValency(address) => OtherValue::RightValency(self.places.add(address)),
            Value::Valency(address) => OtherValue::Valency(self.places.add(address)),
            Value::LeftLabels(address) => OtherValue::LeftLabels(self.places.add(address)),
            Value::RightLabels(address) => OtherValue::RightLabels(self.places.add(address)),
            Value::Distance(a, b) => OtherValue::Distance(self.places.add(a), self.places.add(b)),
            Value::History(i) => OtherValue::History(*i),
            Value::Apart(a, b, bounds) => {
                let bounds = find_or_push(&mut self.bounds, bounds.clone());
                OtherValue::Apart(self.places.add(a), self.places.add(b), bounds)
            }
            Value::Dependents(address, which, bounds) => {
                let bounds = find_or_push(&mut self.bounds, bounds.clone());
                OtherValue::Dependents(self.places.add(address), *which, bounds)
            }
            Value::Exists(address) => OtherValue::Exists(self.places.add(address)),
            Value::Arc(a, b) => OtherValue::Arc(self.places.add(a), self.places.add(b)),
            Value::Link(a, b) => OtherValue::Link(self.places.add(a), self.places.add(b)),
            Value::Joined(nulls, items) => {
                let Self { places, values, joined, .. } = self;
                let compiled =
                    Joined::compile(*nulls, items, places, &mut |part: &_| values.add_joined(part));
                OtherValue::Joined(find_or_push(joined, compiled))
            }
            Value::Agreement(a, b, part) => OtherValue::Agreement(
                self.places.add(a),
                self.places.add(b),
                self.values.add(std::slice::from_ref(part)),
                missing(part),
            ),
            Value::Defined(..) => unreachable!("unresolved names are dropped"),
        };
        let before = u16::try_from(self.token_values.len()).expect("far fewer than 65,536 values");
        before + find_or_push(&mut self.other_values, other)
    }
}

fn find_or_push<T: PartialEq>(list: &mut Vec<T>, item: T) -> u16 {
    let at = list.iter().position(|held| *held == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    });
    u16::try_from(at).expect("far fewer than 65,536 entries")
}
