//! The state of a parse: stacks, lists, buffer, arcs. One struct serves all systems and sentences; it allocates only
//! for a sentence longer than all before it.
//!
//! ```text
//!   stack (λ1)            second stack (λ2)          buffer
//!   [0 2 5]               [7 6]                      [8 9 10 …]
//!        └ stack(0)          └ second(0)              └ buffer(0)
//! ```
//!
//! Everything that feature models read is updated arc by arc and returned in constant time, for missing nodes too:
//! `left_child(stack(3), 0)` is `Node::NONE` if the stack has only two nodes. The configuration does not know which
//! transitions are permissible; the [`System`](crate::systems::System) does.

mod arcs;
mod components;

use std::str::FromStr;

use quaich_treebank::Error;
use quaich_treebank::symbols::Label;
use quaich_treebank::tree::Node;

pub use arcs::Edge;

use crate::transition::Kind;
use arcs::{Links, UNLINKED};
use components::Components;

/// The position of node 0 when parsing starts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum RootPosition {
    /// First on the stack (on both stacks; in λ1).
    #[default]
    Stack,
    /// Last in the buffer.
    End,
    /// Nowhere: roots are the tokens without a head at the end.
    None,
}

impl RootPosition {
    /// All positions.
    pub const ALL: [Self; 3] = [Self::Stack, Self::End, Self::None];

    /// Returns the name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stack => "stack",
            Self::End => "end",
            Self::None => "none",
        }
    }
}

impl FromStr for RootPosition {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let known = Self::ALL.into_iter().find(|position| position.name() == name);
        known.ok_or_else(|| Error::unknown_name("root position", name, Self::ALL.map(Self::name)))
    }
}

/// The state of a parse.
#[derive(Clone, Debug)]
pub struct Configuration {
    n_tokens: usize,
    root: RootPosition,
    stack: Vec<Node>,
    second: Vec<Node>,
    /// The number of the two-planar stack that is currently `stack`.
    active_plane: u8,
    /// Nodes from `cursor` on are the buffer; the entries before it are free space.
    buffer: Vec<Node>,
    cursor: usize,
    links: Vec<Links>,
    edges: Vec<Edge>,
    /// Labels of the edges to left[0], left[1], right[0], right[1]; only for undirected systems.
    edge_labels: Vec<[Label; 4]>,
    components: Components,
    history: [Option<Kind>; 2],
    n_transitions: usize,
    /// The number of tokens on the stack that are currently children of 0. Maintained by arc-eager.
    n_roots_on_stack: u32,
    /// 0 in the first pass over the sentence, 1 in the second.
    pass: u8,
    /// In stack systems with SWAP: the number of buffer nodes that were swapped back.
    lookahead: u32,
    /// For `enforce_tree` of `MaltParser`: whether the buffer has been empty once.
    ended: bool,
}

impl Default for Configuration {
    fn default() -> Self {
        Self::new()
    }
}

impl Configuration {
    /// Creates a configuration without tokens.
    pub fn new() -> Self {
        let mut configuration = Self {
            n_tokens: 0,
            root: RootPosition::Stack,
            stack: Vec::new(),
            second: Vec::new(),
            active_plane: 0,
            buffer: Vec::new(),
            cursor: 0,
            links: Vec::new(),
            edges: Vec::new(),
            edge_labels: Vec::new(),
            components: Components::default(),
            history: [None; 2],
            n_transitions: 0,
            n_roots_on_stack: 0,
            pass: 0,
            lookahead: 0,
            ended: false,
        };
        configuration.reset(0, RootPosition::Stack);
        configuration
    }

    /// Resets the configuration to `n_tokens` tokens in the buffer and node 0 at `root`.
    pub fn reset(&mut self, n_tokens: usize, root: RootPosition) {
        self.n_tokens = n_tokens;
        self.root = root;
        self.stack.clear();
        self.second.clear();
        self.active_plane = 0;
        self.buffer.clear();
        self.buffer.extend((1..=n_tokens).map(Node::from_index));
        self.cursor = 0;
        match root {
            RootPosition::Stack => self.stack.push(Node::ROOT),
            RootPosition::End => self.buffer.push(Node::ROOT),
            RootPosition::None => {}
        }
        self.links.clear();
        self.links.resize(n_tokens + 1, UNLINKED);
        self.edges.clear();
        self.edge_labels.clear();
        self.components.clear();
        self.history = [None; 2];
        self.n_transitions = 0;
        self.n_roots_on_stack = 0;
        self.pass = 0;
        self.lookahead = 0;
        self.ended = false;
    }

    /// Pushes node 0 on the second stack too, as two-planar starts.
    pub fn root_on_second(&mut self) {
        if self.root == RootPosition::Stack {
            self.second.push(Node::ROOT);
        }
    }

    /// Returns the number of tokens, without the root.
    #[inline]
    pub fn n_tokens(&self) -> usize {
        self.n_tokens
    }

    /// Returns the initial position of node 0.
    #[inline]
    pub fn root(&self) -> RootPosition {
        self.root
    }

    /// Returns the `i`-th node of the stack (λ1, active stack) from its top; `Node::NONE` below its bottom.
    #[inline]
    pub fn stack(&self, i: usize) -> Node {
        from_top(&self.stack, i)
    }

    /// Returns the `i`-th node of the inactive stack from its top, or of λ2 from its left end.
    #[inline]
    pub fn second(&self, i: usize) -> Node {
        from_top(&self.second, i)
    }

    /// Returns the `i`-th node of the buffer; `Node::NONE` after its end.
    #[inline]
    pub fn buffer(&self, i: usize) -> Node {
        self.buffer.get(self.cursor + i).copied().unwrap_or(Node::NONE)
    }

    /// Returns the stack from bottom to top.
    #[inline]
    pub fn stack_nodes(&self) -> &[Node] {
        &self.stack
    }

    /// Returns the second stack from bottom to top (λ2 from right to left).
    #[inline]
    pub fn second_nodes(&self) -> &[Node] {
        &self.second
    }

    /// Returns the buffer from its front.
    #[inline]
    pub fn buffer_nodes(&self) -> &[Node] {
        &self.buffer[self.cursor..]
    }

    /// Returns the number of nodes on the stack, including node 0.
    #[inline]
    pub fn stack_len(&self) -> usize {
        self.stack.len()
    }

    /// Returns the number of nodes on the second stack.
    #[inline]
    pub fn second_len(&self) -> usize {
        self.second.len()
    }

    /// Returns the number of nodes in the buffer, including node 0.
    #[inline]
    pub fn buffer_len(&self) -> usize {
        self.buffer.len() - self.cursor
    }

    /// Returns the number of tokens in the buffer, excluding node 0.
    #[inline]
    pub fn n_buffer_tokens(&self) -> usize {
        self.buffer_len() - usize::from(self.root == RootPosition::End && self.buffer_len() > 0)
    }

    /// Returns the kind of the last transition (`i` = 0) or of the one before (`i` = 1).
    #[inline]
    pub fn history(&self, i: usize) -> Option<Kind> {
        self.history[i]
    }

    /// Returns the number of transitions made.
    #[inline]
    pub fn n_transitions(&self) -> usize {
        self.n_transitions
    }

    /// Returns the number of two-planar's active stack: 0 or 1.
    #[inline]
    pub fn active_plane(&self) -> u8 {
        self.active_plane
    }

    /// For arc-eager: the number of tokens on the stack that are currently children of 0, that is, have no head or have
    /// head 0.
    #[inline]
    pub fn n_roots_on_stack(&self) -> u32 {
        self.n_roots_on_stack
    }

    /// Returns 0 in the first pass over the sentence, 1 in the second.
    #[inline]
    pub fn pass(&self) -> u8 {
        self.pass
    }

    /// Returns the number of nodes at the front of the buffer that were swapped back to it, in stack systems.
    #[inline]
    pub fn lookahead(&self) -> usize {
        self.lookahead as usize
    }

    /// Whether the buffer has been empty once.
    #[inline]
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Returns the token's position in the initial order of the configuration: node 0 is last if it was put at the end.
    #[inline]
    pub fn position(&self, node: Node) -> u32 {
        if node.is_root() && self.root == RootPosition::End { last_position(self.n_tokens) } else { node.0 }
    }

    // Operations used by systems.

    /// Records a transition of this kind.
    #[inline]
    pub fn record(&mut self, kind: Kind) {
        self.history = [Some(kind), self.history[0]];
        self.n_transitions += 1;
    }

    /// Pops the top of the stack.
    #[inline]
    pub fn pop(&mut self) -> Node {
        self.stack.pop().unwrap_or(Node::NONE)
    }

    /// Pushes a node on the stack.
    #[inline]
    pub fn push(&mut self, node: Node) {
        self.stack.push(node);
    }

    /// Pushes a node on the second stack.
    #[inline]
    pub fn push_second(&mut self, node: Node) {
        self.second.push(node);
    }

    /// Pops the top of the second stack.
    #[inline]
    pub fn pop_second(&mut self) -> Node {
        self.second.pop().unwrap_or(Node::NONE)
    }

    /// Empties the second stack.
    #[inline]
    pub fn clear_second(&mut self) {
        self.second.clear();
    }

    /// Removes the node under the top.
    #[inline]
    pub fn pop_under_top(&mut self) -> Node {
        let top = self.pop();
        let under = self.pop();
        self.push(top);
        under
    }

    /// Removes the front of the buffer.
    #[inline]
    pub fn advance(&mut self) -> Node {
        let front = self.buffer(0);
        self.cursor += 1;
        front
    }

    /// Puts a node before the front of the buffer, in the space of a removed one.
    #[inline]
    pub fn unread(&mut self, node: Node) {
        if self.cursor == 0 {
            self.buffer.insert(0, node); // only where a system returns more than it took
        } else {
            self.cursor -= 1;
            self.buffer[self.cursor] = node;
        }
    }

    /// Replaces the front of the buffer and returns the old one.
    #[inline]
    pub fn replace_front(&mut self, node: Node) -> Node {
        std::mem::replace(&mut self.buffer[self.cursor], node)
    }

    /// Removes the second node of the buffer.
    #[inline]
    pub fn take_second_of_buffer(&mut self) -> Node {
        let front = self.advance();
        self.replace_front(front)
    }

    /// Exchanges the two stacks.
    #[inline]
    pub fn exchange_stacks(&mut self) {
        std::mem::swap(&mut self.stack, &mut self.second);
        self.active_plane = 1 - self.active_plane;
    }

    /// Sets the count returned by [`n_roots_on_stack`](Self::n_roots_on_stack).
    #[inline]
    pub fn set_roots_on_stack(&mut self, count: u32) {
        self.n_roots_on_stack = count;
    }

    /// Sets the count returned by [`lookahead`](Self::lookahead).
    #[inline]
    pub fn set_lookahead(&mut self, count: usize) {
        self.lookahead = u32::try_from(count).unwrap_or(u32::MAX);
    }

    /// Records that the buffer has been empty.
    #[inline]
    pub fn set_ended(&mut self) {
        self.ended = true;
    }

    /// Starts a second pass over the tokens without a head; arcs are kept.
    pub fn second_pass(&mut self) {
        self.pass = 1;
        self.stack.clear();
        self.second.clear();
        self.buffer.clear();
        self.cursor = 0;
        self.n_roots_on_stack = 0;
        self.buffer.extend(
            (1..=self.n_tokens).map(Node::from_index).filter(|n| self.links[n.index()].head.is_none()),
        );
        match self.root {
            RootPosition::Stack => self.stack.push(Node::ROOT),
            RootPosition::End => self.buffer.push(Node::ROOT),
            RootPosition::None => {}
        }
    }
}

/// Returns the position of node 0 when it is last.
fn last_position(n_tokens: usize) -> u32 {
    Node::from_index(n_tokens + 1).0
}

#[inline]
fn from_top(stack: &[Node], i: usize) -> Node {
    if i < stack.len() { stack[stack.len() - 1 - i] } else { Node::NONE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_have_names() {
        for position in RootPosition::ALL {
            assert_eq!(position.name().parse::<RootPosition>().unwrap(), position);
        }
        let error = "ende".parse::<RootPosition>().unwrap_err().to_string();
        assert_eq!(error, "unknown root position `ende`; known: end, none, stack");
    }

    #[test]
    fn the_buffer_is_a_cursor() {
        let mut c = Configuration::new();
        c.reset(4, RootPosition::End);
        assert_eq!(c.buffer_nodes(), [1, 2, 3, 4, 0].map(Node));
        assert_eq!(c.advance(), Node(1));
        assert_eq!(c.take_second_of_buffer(), Node(3));
        assert_eq!(c.buffer_nodes(), [2, 4, 0].map(Node));
        c.unread(Node(1));
        assert_eq!(c.buffer_nodes(), [1, 2, 4, 0].map(Node));
        assert_eq!((c.buffer_len(), c.n_buffer_tokens(), c.buffer(4)), (4, 3, Node::NONE));
    }

    #[test]
    fn a_reset_forgets_everything() {
        let mut c = Configuration::new();
        c.reset(3, RootPosition::Stack);
        c.track_components();
        c.attach(Node(0), Label(0), Node(1));
        c.record(Kind::Shift);
        c.reset(2, RootPosition::None);
        let fresh = {
            let mut fresh = Configuration::new();
            fresh.reset(2, RootPosition::None);
            fresh
        };
        assert_eq!(format!("{c:?}"), format!("{fresh:?}"));
    }
}
