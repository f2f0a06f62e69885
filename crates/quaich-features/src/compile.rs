//! Templates → a flat program, and running it.
//!
//! A program has three lists, each reading only what the one before it wrote: *places* (which node
//! is at an address), *values* (an attribute of that node, as a hash), and *templates* (some values
//! joined to one hash). Addresses and values that several templates share are computed once.

use quaich_transition::configuration::Configuration;
use quaich_treebank::Node;

use crate::hash;
use crate::places::{Focus, Places, distance_class};
use crate::template::{Address, Attribute, MAX_ATTRIBUTES, Template};
use crate::tokens::{TokenAttribute, Tokens};

/// A compiled list of templates.
#[derive(Clone, Debug)]
pub struct Program {
    places: Places,
    token_values: Vec<(u16, TokenAttribute)>,
    other_values: Vec<OtherValue>,
    /// By number of attributes: their values and the seed of each template.
    joins: [Vec<(u64, [u16; MAX_ATTRIBUTES])>; MAX_ATTRIBUTES],
    n_templates: usize,
}

/// What running a program leaves behind.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    nodes: Vec<Node>,
    values: Vec<u64>,
    /// One hash a template.
    pub hashes: Vec<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OtherValue {
    Label(u16),
    LeftValency(u16),
    RightValency(u16),
    LeftLabels(u16),
    RightLabels(u16),
    Distance(u16, u16),
    History(u8),
}

/// Seeds that keep the values of different attributes apart.
mod seed {
    pub(super) const LABEL: u64 = 101;
    pub(super) const LEFT_VALENCY: u64 = 102;
    pub(super) const RIGHT_VALENCY: u64 = 103;
    pub(super) const LEFT_LABELS: u64 = 104;
    pub(super) const RIGHT_LABELS: u64 = 105;
    pub(super) const DISTANCE: u64 = 106;
    pub(super) const HISTORY: u64 = 107;
    pub(super) const TEMPLATE: u64 = 108;
}

impl Program {
    /// Compiles templates. Hash `i` of a run belongs to template `i` of the list that
    /// [`order`](Self::order) gives: templates with fewer attributes come first.
    pub fn compile(templates: &[Template]) -> Self {
        let mut compiler = Compiler::default();
        let mut joins: [Vec<(u64, [u16; MAX_ATTRIBUTES])>; MAX_ATTRIBUTES] = Default::default();
        // Token values come before the others, so that each is read by a loop of its own.
        for template in templates {
            for attribute in &template.attributes {
                if let Attribute::Token(address, name) = attribute {
                    compiler.token_value(address, *name);
                }
            }
        }
        for template in templates {
            let mut values = [0; MAX_ATTRIBUTES];
            for (value, attribute) in values.iter_mut().zip(&template.attributes) {
                *value = compiler.value(attribute);
            }
            // The seed comes from the template's text, so it does not depend on the other templates.
            let seed = hash::bytes(seed::TEMPLATE, template.to_string().as_bytes());
            joins[template.attributes.len() - 1].push((seed, values));
        }
        Self {
            places: compiler.places,
            token_values: compiler.token_values,
            other_values: compiler.other_values,
            joins,
            n_templates: templates.len(),
        }
    }

    /// The templates in the order of the hashes.
    pub fn order(templates: &[Template]) -> Vec<Template> {
        let mut ordered = templates.to_vec();
        ordered.sort_by_key(|template| template.attributes.len());
        ordered
    }

    /// The number of templates.
    pub fn n_templates(&self) -> usize {
        self.n_templates
    }

    /// The number of values that templates join.
    pub fn n_values(&self) -> usize {
        self.token_values.len() + self.other_values.len()
    }

    /// Computes the hash of every template.
    #[inline]
    pub fn run(&self, configuration: &Configuration, tokens: &Tokens, focus: Focus, scratch: &mut Scratch) {
        self.values(configuration, tokens, focus, scratch);
        let Scratch { values, hashes, .. } = scratch;
        self.join(values, hashes);
    }

    /// Computes the values alone; [`join`](Self::join) makes hashes of them.
    #[inline]
    pub fn values(
        &self,
        configuration: &Configuration,
        tokens: &Tokens,
        focus: Focus,
        scratch: &mut Scratch,
    ) {
        let Scratch { nodes, values, .. } = scratch;
        nodes.resize(self.places.len(), Node::NONE);
        self.places.locate(configuration, focus, nodes);
        values.clear();
        values.extend(
            self.token_values
                .iter()
                .map(|&(place, attribute)| tokens.get(nodes[usize::from(place)], attribute)),
        );
        values.extend(self.other_values.iter().map(|&value| evaluate(value, nodes, configuration)));
    }

    /// The hash of one template, numbered as in a run, from the fingerprints of the values;
    /// [`join`](Self::join) is for all of them.
    ///
    /// # Panics
    /// When there is no such template.
    pub fn join_fingerprints(&self, template: usize, fingerprints: &[u32]) -> u64 {
        const TURNS: [u32; MAX_ATTRIBUTES] = [0, 17, 37, 53];
        let mut at = template;
        for (joins, arity) in self.joins.iter().zip(1..) {
            if let Some((seed, parts)) = joins.get(at) {
                return parts[..arity].iter().zip(TURNS).fold(*seed, |sum, (&part, turn)| {
                    sum.wrapping_add(hash::expand(fingerprints[usize::from(part)]).rotate_left(turn))
                });
            }
            at -= joins.len();
        }
        panic!("there are {} templates, no number {template}", self.n_templates);
    }

    /// Joins values to one hash a template.
    #[inline]
    pub fn join(&self, values: &[u64], hashes: &mut Vec<u64>) {
        hashes.clear();
        let value = |i: u16| values[usize::from(i)];
        let [one, two, three, four] = &self.joins;
        hashes.extend(one.iter().map(|&(seed, [a, ..])| seed.wrapping_add(value(a))));
        hashes.extend(
            two.iter().map(|&(seed, [a, b, ..])| {
                seed.wrapping_add(value(a)).wrapping_add(value(b).rotate_left(17))
            }),
        );
        hashes.extend(three.iter().map(|&(seed, [a, b, c, _])| {
            seed.wrapping_add(value(a))
                .wrapping_add(value(b).rotate_left(17))
                .wrapping_add(value(c).rotate_left(37))
        }));
        hashes.extend(four.iter().map(|&(seed, [a, b, c, d])| {
            seed.wrapping_add(value(a))
                .wrapping_add(value(b).rotate_left(17))
                .wrapping_add(value(c).rotate_left(37))
                .wrapping_add(value(d).rotate_left(53))
        }));
    }
}

impl Scratch {
    /// The values of the last run.
    pub fn values(&self) -> &[u64] {
        &self.values
    }
}

#[inline]
fn evaluate(value: OtherValue, nodes: &[Node], configuration: &Configuration) -> u64 {
    let of = |seed: u64, i: u16, read: &dyn Fn(Node) -> u64| {
        let node = nodes[usize::from(i)];
        // No node is told from every value a node can have.
        hash::number(seed, if node.is_none() { u64::MAX } else { read(node) })
    };
    match value {
        OtherValue::Label(i) => of(seed::LABEL, i, &|node| u64::from(configuration.label(node).0)),
        OtherValue::LeftValency(i) => {
            of(seed::LEFT_VALENCY, i, &|node| u64::from(configuration.left_valency(node).min(6)))
        }
        OtherValue::RightValency(i) => {
            of(seed::RIGHT_VALENCY, i, &|node| u64::from(configuration.right_valency(node).min(6)))
        }
        OtherValue::LeftLabels(i) => of(seed::LEFT_LABELS, i, &|node| configuration.left_labels(node)),
        OtherValue::RightLabels(i) => of(seed::RIGHT_LABELS, i, &|node| configuration.right_labels(node)),
        OtherValue::Distance(a, b) => {
            let (a, b) = (nodes[usize::from(a)], nodes[usize::from(b)]);
            hash::number(seed::DISTANCE, u64::from(distance_class(a, b)))
        }
        OtherValue::History(i) => hash::number(
            seed::HISTORY,
            configuration.history(usize::from(i)).map_or(u64::MAX, |kind| kind as u64),
        ),
    }
}

#[derive(Default)]
struct Compiler {
    places: Places,
    token_values: Vec<(u16, TokenAttribute)>,
    other_values: Vec<OtherValue>,
}

impl Compiler {
    fn token_value(&mut self, address: &Address, attribute: TokenAttribute) -> u16 {
        let place = self.places.add(address);
        find_or_push(&mut self.token_values, (place, attribute))
    }

    /// The number of a value; all token values must be known already.
    fn value(&mut self, attribute: &Attribute) -> u16 {
        let other = match attribute {
            Attribute::Token(address, name) => return self.token_value(address, *name),
            Attribute::Label(address) => OtherValue::Label(self.places.add(address)),
            Attribute::LeftValency(address) => OtherValue::LeftValency(self.places.add(address)),
            Attribute::RightValency(address) => OtherValue::RightValency(self.places.add(address)),
            Attribute::LeftLabels(address) => OtherValue::LeftLabels(self.places.add(address)),
            Attribute::RightLabels(address) => OtherValue::RightLabels(self.places.add(address)),
            Attribute::Distance(a, b) => OtherValue::Distance(self.places.add(a), self.places.add(b)),
            Attribute::History(i) => OtherValue::History(*i),
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
