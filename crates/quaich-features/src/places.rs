//! Addresses → nodes: a list of addresses compiled so that each is found by one step from another.

use quaich_transition::configuration::Configuration;
use quaich_treebank::Node;

use crate::template::Address;

/// The arc that label templates look at.
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

/// A compiled list of addresses, each there once.
#[derive(Clone, Debug, Default)]
pub struct Places(Vec<Place>);

/// Where a node is; numbers are those of places before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Stack(u8),
    Buffer(u8),
    ArcHead,
    ArcDependent,
    Head(u16),
    Left(u16, u8),
    Right(u16, u8),
    Next(u16),
    Previous(u16),
}

impl Places {
    /// The number of an address, and of all addresses on the way to it.
    ///
    /// # Panics
    /// When there are more than 65,536 addresses.
    pub fn add(&mut self, address: &Address) -> u16 {
        let place = match address {
            Address::Stack(i) => Place::Stack(*i),
            Address::Buffer(i) => Place::Buffer(*i),
            Address::ArcHead => Place::ArcHead,
            Address::ArcDependent => Place::ArcDependent,
            Address::Head(of) => Place::Head(self.add(of)),
            Address::Left(of, k) => Place::Left(self.add(of), *k),
            Address::Right(of, k) => Place::Right(self.add(of), *k),
            Address::Next(of) => Place::Next(self.add(of)),
            Address::Previous(of) => Place::Previous(self.add(of)),
        };
        let at = self.0.iter().position(|held| *held == place).unwrap_or_else(|| {
            self.0.push(place);
            self.0.len() - 1
        });
        u16::try_from(at).expect("far fewer than 65,536 addresses")
    }

    /// How many places there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Finds the node at every place; `nodes` must be as long as the list.
    #[inline]
    pub fn locate(&self, c: &Configuration, focus: Focus, nodes: &mut [Node]) {
        for (at, &place) in self.0.iter().enumerate() {
            nodes[at] = match place {
                Place::Stack(i) => c.stack(usize::from(i)),
                Place::Buffer(i) => c.buffer(usize::from(i)),
                Place::ArcHead => focus.head,
                Place::ArcDependent => focus.dependent,
                Place::Head(of) => step(nodes, of, |node| c.head(node)),
                Place::Left(of, k) => step(nodes, of, |node| c.left_child(node, usize::from(k))),
                Place::Right(of, k) => step(nodes, of, |node| c.right_child(node, usize::from(k))),
                Place::Next(of) => step(nodes, of, |node| {
                    if node.is_root() || node.index() >= c.n_tokens() { Node::NONE } else { Node(node.0 + 1) }
                }),
                Place::Previous(of) => {
                    step(nodes, of, |node| if node.0 <= 1 { Node::NONE } else { Node(node.0 - 1) })
                }
            };
        }
    }
}

#[inline]
fn step(nodes: &[Node], of: u16, read: impl Fn(Node) -> Node) -> Node {
    let node = nodes[usize::from(of)];
    if node.is_none() { node } else { read(node) }
}

/// How many classes of distances there are.
pub const N_DISTANCES: u32 = 24;
/// Classes for distances in one direction.
const ONE_WAY: u32 = 11;

/// The class of the distance from one node to another: 0 where one is missing, 1 where one is the
/// root, then classes that widen, first those to the right.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_on_the_way_are_shared() {
        let mut places = Places::default();
        let s0 = Address::Stack(0);
        let head = Address::Head(Box::new(s0.clone()));
        let left = Address::Left(Box::new(head.clone()), 1);
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
    }
}
