//! Addresses → nodes: a compiled list of addresses, in which each is found by one step from another.

use quaich_transition::configuration::Configuration;
use quaich_treebank::{Label, Node};

use crate::address::{Address, Step};
use crate::steps::{self, Side};

/// The arc that label templates use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Focus {
    /// Its head.
    pub head: Node,
    /// Its dependent.
    pub dependent: Node,
}

impl Focus {
    /// No arc, for templates that choose a transition.
    pub const NONE: Self = Self { head: Node::NONE, dependent: Node::NONE };
}

/// A compiled list of addresses without duplicates.
#[derive(Clone, Debug, Default)]
pub struct Places(Vec<Place>);

/// The place of a node; numbers are indices of earlier places. The fast steps have their own variants, so that a node
/// is found with one jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Stack(u8),
    Second(u8),
    Buffer(u8),
    Lookahead(u8),
    SwappedBack(u8),
    Context(Side, u8),
    ArcHead,
    ArcDependent,
    Head(u16),
    /// The number is 0 or 1.
    Left(u16, u8),
    /// The number is 0 or 1.
    Right(u16, u8),
    Next(u16),
    Previous(u16),
    /// Any other step.
    Scan(u16, Step),
}

impl Places {
    /// Returns the index of an address, adding it and all addresses that it is computed from.
    ///
    /// # Panics
    /// If there are more than 65,536 addresses.
    pub fn add(&mut self, address: &Address) -> u16 {
        let place = match address {
            Address::Stack(i) => Place::Stack(*i),
            Address::Second(i) => Place::Second(*i),
            Address::Buffer(i) => Place::Buffer(*i),
            Address::Lookahead(i) => Place::Lookahead(*i),
            Address::SwappedBack(i) => Place::SwappedBack(*i),
            Address::LeftContext(i) => Place::Context(Side::Left, *i),
            Address::RightContext(i) => Place::Context(Side::Right, *i),
            Address::ArcHead => Place::ArcHead,
            Address::ArcDependent => Place::ArcDependent,
            Address::Step(of, step) => {
                let of = self.add(of);
                match *step {
                    Step::Head => Place::Head(of),
                    Step::Left(k @ (0 | 1)) => Place::Left(of, k),
                    Step::Right(k @ (0 | 1)) => Place::Right(of, k),
                    Step::Next => Place::Next(of),
                    Step::Previous => Place::Previous(of),
                    step => Place::Scan(of, step),
                }
            }
        };
        let at = self.0.iter().position(|held| *held == place).unwrap_or_else(|| {
            self.0.push(place);
            self.0.len() - 1
        });
        u16::try_from(at).expect("far fewer than 65,536 addresses")
    }

    /// Returns the number of places.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no places.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Computes the node at every place; `nodes` must be as long as the list.
    #[inline]
    pub fn locate(&self, c: &Configuration, focus: Focus, nodes: &mut [Node]) {
        for (at, &place) in self.0.iter().enumerate() {
            nodes[at] = match place {
                Place::Stack(i) => c.stack(usize::from(i)),
                Place::Second(i) => c.second(usize::from(i)),
                Place::Buffer(i) => c.buffer(usize::from(i)),
                Place::Lookahead(i) => c.buffer(c.lookahead() + usize::from(i)),
                Place::SwappedBack(i) if usize::from(i) < c.lookahead() => c.buffer(usize::from(i)),
                Place::SwappedBack(_) => Node::NONE,
                Place::Context(side, i) => steps::context(side, i, c),
                Place::ArcHead => focus.head,
                Place::ArcDependent => focus.dependent,
                Place::Head(of) => from(nodes, of, |node| c.head(node)),
                Place::Left(of, k) => from(nodes, of, |node| c.left_child(node, usize::from(k))),
                Place::Right(of, k) => from(nodes, of, |node| c.right_child(node, usize::from(k))),
                Place::Next(of) => from(nodes, of, |node| steps::next(node, c)),
                Place::Previous(of) => from(nodes, of, steps::previous),
                Place::Scan(of, step) => from(nodes, of, |node| steps::take(step, node, c)),
            };
        }
    }

    /// Returns the label at a place that has a node: of the arc into it, or, after a step to a dependent in an
    /// undirected system, of the edge to it. `nodes` were computed by [`locate`](Self::locate).
    #[inline]
    pub fn label(&self, place: u16, c: &Configuration, nodes: &[Node]) -> Label {
        let place = usize::from(place);
        if !c.is_undirected() {
            return c.label(nodes[place]);
        }
        match self.0[place] {
            Place::Left(of, k) => c.left_label(nodes[usize::from(of)], usize::from(k)),
            Place::Right(of, k) => c.right_label(nodes[usize::from(of)], usize::from(k)),
            Place::Scan(of, step) => steps::scanned_label(step, nodes[usize::from(of)], c),
            _ => c.label(nodes[place]),
        }
    }
}

/// Returns the node that a step from another leads to, if that node exists.
#[inline]
fn from(nodes: &[Node], of: u16, step: impl Fn(Node) -> Node) -> Node {
    let node = nodes[usize::from(of)];
    if node.is_none() { node } else { step(node) }
}

/// Valencies from here on are in one class.
pub const HIGHEST_VALENCY: u32 = 6;

/// The longest distance of each class in one direction; one more class contains all longer ones.
const LONGEST: [u32; 10] = [0, 1, 2, 3, 4, 5, 7, 10, 15, 25];
/// The number of classes of distances in one direction.
const ONE_WAY: u32 = 11;
/// The number of classes of distances.
pub const N_DISTANCES: u32 = 2 + 2 * ONE_WAY;

/// Returns the class of the distance from one node to another: 0 if one is missing, 1 if one is the root, then classes
/// of increasing width, first those to the right.
#[inline]
pub fn distance_class(from: Node, to: Node) -> u32 {
    if from.is_none() || to.is_none() {
        return 0;
    }
    if from.is_root() || to.is_root() {
        return 1;
    }
    let class = match from.0.abs_diff(to.0) {
        near @ 0..=5 => near,
        6..=7 => 6,
        8..=10 => 7,
        11..=15 => 8,
        16..=25 => 9,
        _ => 10,
    };
    2 + class + if from < to { 0 } else { ONE_WAY }
}

/// Returns the name of a class of distances: `+1`, `-6..7`, `+26..`.
pub(crate) fn distance_name(class: u32) -> String {
    let Some(class) = class.checked_sub(2) else {
        return if class == 0 { "(none)" } else { "(root)" }.to_owned();
    };
    let sign = if class < ONE_WAY { '+' } else { '-' };
    let class = (class % ONE_WAY) as usize;
    let shortest = if class == 0 { 0 } else { LONGEST[class - 1] + 1 };
    match LONGEST.get(class) {
        Some(&longest) if longest == shortest => format!("{sign}{shortest}"),
        Some(longest) => format!("{sign}{shortest}..{longest}"),
        None => format!("{sign}{shortest}.."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_on_the_way_are_shared() {
        let mut places = Places::default();
        let s0 = Address::Stack(0);
        let head = s0.clone().then(Step::Head);
        let left = head.clone().then(Step::Left(1));
        let numbers = [places.add(&left), places.add(&head), places.add(&s0)];
        assert_eq!((numbers, places.len()), ([2, 1, 0], 3));
    }

    #[test]
    fn distances_have_their_numbers() {
        assert_eq!(distance_class(Node::NONE, Node(3)), 0);
        assert_eq!(distance_class(Node(0), Node(3)), 1);
        assert_eq!(distance_class(Node(1), Node(2)), 3);
        assert_eq!(distance_class(Node(2), Node(1)), 14);
        assert!((1..200).all(|i| distance_class(Node(200), Node(i)) < N_DISTANCES));
        let name = |from: u32, to: u32| distance_name(distance_class(Node(from), Node(to)));
        assert_eq!([name(0, 3), name(1, 2), name(2, 1), name(1, 8)], ["(root)", "+1", "-1", "+6..7"]);
        assert_eq!([name(20, 10), name(20, 31), name(50, 1)], ["-8..10", "+11..15", "-26.."]);
        for (class, &longest) in LONGEST.iter().enumerate().skip(1) {
            let class = u32::try_from(class).unwrap();
            assert_eq!(distance_class(Node(1), Node(1 + longest)), 2 + class);
            assert_eq!(distance_class(Node(1), Node(2 + longest)), 3 + class);
        }
    }
}
