//! The state of a parse: stacks, lists, buffer, arcs. One struct serves every system and every
//! sentence; nothing is allocated once it has seen a sentence as long as the present one.
//!
//! ```text
//!   stack (λ1)            second stack (λ2)          buffer
//!   [0 2 5]               [7 6]                      [8 9 10 …]
//!        └ stack(0)          └ second(0)              └ buffer(0)
//! ```
//!
//! What feature models read is kept up to date arc by arc and answered in constant time, for missing nodes
//! too: `left_child(stack(3), 0)` is `Node::NONE` where the stack has only two nodes. The
//! configuration does not know which transitions are permissible; that is the
//! [`System`](crate::systems::System)'s part.

use quaich_treebank::symbols::Label;
use quaich_treebank::tree::{Node, Tree};

use crate::transition::Kind;

/// Where node 0 is when parsing starts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum RootPosition {
    /// First on the stack (on both stacks; in λ1).
    #[default]
    Stack,
    /// Last in the buffer.
    End,
    /// Nowhere: roots are the tokens left without a head.
    None,
}

impl RootPosition {
    /// The name the command line uses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stack => "stack",
            Self::End => "end",
            Self::None => "none",
        }
    }

    /// The position with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Stack, Self::End, Self::None].into_iter().find(|position| position.name() == name)
    }
}

/// What is known of one node: its arc, and its dependents as far as features look.
#[derive(Clone, Copy, Debug)]
struct Links {
    head: Node,
    label: Label,
    /// Outermost first.
    left: [Node; 2],
    right: [Node; 2],
    left_valency: u32,
    right_valency: u32,
    left_labels: u64,
    right_labels: u64,
}

static UNLINKED: Links = Links {
    head: Node::NONE,
    label: Label::NONE,
    left: [Node::NONE; 2],
    right: [Node::NONE; 2],
    left_valency: 0,
    right_valency: 0,
    left_labels: 0,
    right_labels: 0,
};

/// An undirected edge, built by the undirected systems.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The node nearer the start.
    pub left: Node,
    /// The node nearer the end.
    pub right: Node,
    /// The label.
    pub label: Label,
}

/// The state of a parse.
#[derive(Clone, Debug)]
pub struct Configuration {
    n_tokens: usize,
    root: RootPosition,
    stack: Vec<Node>,
    second: Vec<Node>,
    /// Which of the two stacks of two-planar `stack` is at the moment.
    active_plane: u8,
    /// Nodes from `cursor` on are the buffer; what lies before it is free space.
    buffer: Vec<Node>,
    cursor: usize,
    links: Vec<Links>,
    edges: Vec<Edge>,
    /// Labels of the edges to left[0], left[1], right[0], right[1]; only for undirected systems.
    edge_labels: Vec<[Label; 4]>,
    /// Union-find over the nodes, by size; empty unless the system asked for components.
    parents: Vec<u32>,
    sizes: Vec<u32>,
    history: [Option<Kind>; 2],
    n_transitions: usize,
    /// Tokens on the stack that are, as things stand, children of 0. Kept by arc-eager.
    n_roots_on_stack: u32,
    /// 0 in the first pass over the sentence, 1 in the second.
    pass: u8,
    /// Stack systems in `MaltParser`'s manner: how many buffer nodes were swapped back.
    lookahead: u32,
    /// `enforce_tree` of `MaltParser`: the buffer has been empty once.
    ended: bool,
}

impl Default for Configuration {
    fn default() -> Self {
        Self::new()
    }
}

impl Configuration {
    /// A configuration over no tokens.
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
            parents: Vec::new(),
            sizes: Vec::new(),
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

    /// Starts over with `n_tokens` tokens in the buffer and node 0 where `root` says.
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
        self.parents.clear();
        self.sizes.clear();
        self.history = [None; 2];
        self.n_transitions = 0;
        self.n_roots_on_stack = 0;
        self.pass = 0;
        self.lookahead = 0;
        self.ended = false;
    }

    /// Keeps connected components from here on; called before the first arc.
    pub fn track_components(&mut self) {
        self.parents.clear();
        self.parents.extend((0u32..).take(self.n_tokens + 1));
        self.sizes.clear();
        self.sizes.resize(self.n_tokens + 1, 1);
    }

    /// Keeps undirected edges from here on, which needs components too; called before the first edge.
    pub fn track_edges(&mut self) {
        self.track_components();
        self.edge_labels.clear();
        self.edge_labels.resize(self.n_tokens + 1, [Label::NONE; 4]);
    }

    /// Puts node 0 first on the second stack too, as two-planar starts.
    pub fn root_on_second(&mut self) {
        if self.root == RootPosition::Stack {
            self.second.push(Node::ROOT);
        }
    }

    /// The number of tokens, the root not counted.
    #[inline]
    pub fn n_tokens(&self) -> usize {
        self.n_tokens
    }

    /// Where node 0 was at the start.
    #[inline]
    pub fn root(&self) -> RootPosition {
        self.root
    }

    /// The `i`-th node of the stack (λ1, active stack) from its top; `Node::NONE` below its bottom.
    #[inline]
    pub fn stack(&self, i: usize) -> Node {
        from_top(&self.stack, i)
    }

    /// The `i`-th node of the inactive stack from its top, or of λ2 from its left end.
    #[inline]
    pub fn second(&self, i: usize) -> Node {
        from_top(&self.second, i)
    }

    /// The `i`-th node of the buffer; `Node::NONE` after its end.
    #[inline]
    pub fn buffer(&self, i: usize) -> Node {
        self.buffer.get(self.cursor + i).copied().unwrap_or(Node::NONE)
    }

    /// The stack from bottom to top.
    #[inline]
    pub fn stack_nodes(&self) -> &[Node] {
        &self.stack
    }

    /// The second stack from bottom to top (λ2 from right to left).
    #[inline]
    pub fn second_nodes(&self) -> &[Node] {
        &self.second
    }

    /// The buffer from its front.
    #[inline]
    pub fn buffer_nodes(&self) -> &[Node] {
        &self.buffer[self.cursor..]
    }

    /// How many nodes are on the stack, node 0 counted.
    #[inline]
    pub fn stack_len(&self) -> usize {
        self.stack.len()
    }

    /// How many nodes are on the second stack.
    #[inline]
    pub fn second_len(&self) -> usize {
        self.second.len()
    }

    /// How many nodes are in the buffer, node 0 counted.
    #[inline]
    pub fn buffer_len(&self) -> usize {
        self.buffer.len() - self.cursor
    }

    /// How many tokens are in the buffer, node 0 not counted.
    #[inline]
    pub fn n_buffer_tokens(&self) -> usize {
        self.buffer_len() - usize::from(self.root == RootPosition::End && self.buffer_len() > 0)
    }

    /// The head of a node, `Node::NONE` while it has none.
    #[inline]
    pub fn head(&self, node: Node) -> Node {
        self.links(node).head
    }

    /// The label of the arc into a node, `Label::NONE` while it has none.
    #[inline]
    pub fn label(&self, node: Node) -> Label {
        self.links(node).label
    }

    /// Whether a node has a head.
    #[inline]
    pub fn has_head(&self, node: Node) -> bool {
        self.head(node).is_some()
    }

    /// The outermost (`k` = 0) or second outermost (`k` = 1) dependent left of a node. In the
    /// undirected systems: linked node.
    #[inline]
    pub fn left_child(&self, node: Node, k: usize) -> Node {
        self.links(node).left[k]
    }

    /// The outermost (`k` = 0) or second outermost (`k` = 1) dependent right of a node. Node 0
    /// counts as left of every token wherever it is in the configuration.
    #[inline]
    pub fn right_child(&self, node: Node, k: usize) -> Node {
        self.links(node).right[k]
    }

    /// How many dependents (linked nodes) a node has on its left.
    #[inline]
    pub fn left_valency(&self, node: Node) -> u32 {
        self.links(node).left_valency
    }

    /// How many dependents (linked nodes) a node has on its right.
    #[inline]
    pub fn right_valency(&self, node: Node) -> u32 {
        self.links(node).right_valency
    }

    /// How many dependents (linked nodes) a node has.
    #[inline]
    pub fn valency(&self, node: Node) -> u32 {
        let links = self.links(node);
        links.left_valency + links.right_valency
    }

    /// The labels of a node's left dependents: bit `label % 64` for each.
    #[inline]
    pub fn left_labels(&self, node: Node) -> u64 {
        self.links(node).left_labels
    }

    /// The labels of a node's right dependents: bit `label % 64` for each.
    #[inline]
    pub fn right_labels(&self, node: Node) -> u64 {
        self.links(node).right_labels
    }

    /// The label between a node and `left_child(node, k)`.
    #[inline]
    pub fn left_label(&self, node: Node, k: usize) -> Label {
        self.link_label(node, k, self.left_child(node, k))
    }

    /// The label between a node and `right_child(node, k)`.
    #[inline]
    pub fn right_label(&self, node: Node, k: usize) -> Label {
        self.link_label(node, 2 + k, self.right_child(node, k))
    }

    /// What is known of a node; a missing node has no links.
    #[inline]
    fn links(&self, node: Node) -> &Links {
        self.links.get(node.index()).unwrap_or(&UNLINKED)
    }

    fn link_label(&self, node: Node, slot: usize, other: Node) -> Label {
        match self.edge_labels.get(node.index()) {
            Some(labels) => labels[slot],
            None if other.is_some() => self.label(other),
            None => Label::NONE,
        }
    }

    /// The last transition's kind (`i` = 0) or the one before (`i` = 1).
    #[inline]
    pub fn history(&self, i: usize) -> Option<Kind> {
        self.history[i]
    }

    /// How many transitions led here.
    #[inline]
    pub fn n_transitions(&self) -> usize {
        self.n_transitions
    }

    /// Which of two-planar's stacks is active: 0 or 1.
    #[inline]
    pub fn active_plane(&self) -> u8 {
        self.active_plane
    }

    /// Arc-eager: how many tokens on the stack are children of 0 as things stand, that is, have no
    /// head or have head 0.
    #[inline]
    pub fn n_roots_on_stack(&self) -> u32 {
        self.n_roots_on_stack
    }

    /// 0 in the first pass over the sentence, 1 in the second.
    #[inline]
    pub fn pass(&self) -> u8 {
        self.pass
    }

    /// How many nodes at the front of the buffer were swapped back to it, as `MaltParser` counts.
    #[inline]
    pub fn lookahead(&self) -> usize {
        self.lookahead as usize
    }

    /// Whether the buffer has been empty once.
    #[inline]
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// The edges of an undirected system in the order they were built.
    #[inline]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Whether the configuration holds undirected edges instead of arcs.
    #[inline]
    pub fn is_undirected(&self) -> bool {
        !self.edge_labels.is_empty()
    }

    /// Whether components are kept, so that [`connected`](Self::connected) may be asked.
    #[inline]
    pub fn tracks_components(&self) -> bool {
        !self.parents.is_empty()
    }

    /// Whether an undirected path joins two nodes. Only after [`track_components`](Self::track_components).
    #[inline]
    pub fn connected(&self, a: Node, b: Node) -> bool {
        self.representative(a.0) == self.representative(b.0)
    }

    /// The token's place in the order in which the configuration started: node 0 last if it was
    /// put at the end.
    #[inline]
    pub fn position(&self, node: Node) -> u32 {
        if node.is_root() && self.root == RootPosition::End { last_position(self.n_tokens) } else { node.0 }
    }

    /// Copies heads and labels out.
    pub fn write_tree(&self, tree: &mut Tree) {
        tree.reset(self.n_tokens);
        for (index, links) in self.links.iter().enumerate().skip(1) {
            tree.set(Node::from_index(index), links.head, links.label);
        }
    }

    /// Heads and labels as a new tree.
    pub fn tree(&self) -> Tree {
        let mut tree = Tree::new(0);
        self.write_tree(&mut tree);
        tree
    }

    // What systems do to a configuration.

    /// Remembers that a transition of this kind was made.
    #[inline]
    pub fn record(&mut self, kind: Kind) {
        self.history = [Some(kind), self.history[0]];
        self.n_transitions += 1;
    }

    /// Adds an arc. Outermost dependents stay right in whatever order arcs come.
    #[inline]
    pub fn attach(&mut self, head: Node, label: Label, dependent: Node) {
        debug_assert!(!dependent.is_root() && !self.has_head(dependent));
        let links = &mut self.links[dependent.index()];
        links.head = head;
        links.label = label;
        self.link(head, label, dependent);
        if !self.parents.is_empty() {
            self.join(head, dependent);
        }
    }

    /// Adds an undirected edge; only after [`track_edges`](Self::track_edges).
    pub fn connect(&mut self, a: Node, label: Label, b: Node) {
        let (left, right) = if a < b { (a, b) } else { (b, a) };
        self.edges.push(Edge { left, right, label });
        self.link(left, label, right);
        self.link(right, label, left);
        self.join(a, b);
    }

    /// Drops all edges and components, so that arcs can take their place.
    pub fn forget_edges(&mut self) {
        self.edge_labels.clear();
        self.parents.clear();
        self.sizes.clear();
        for links in &mut self.links {
            *links = UNLINKED;
        }
    }

    /// Takes the top off the stack.
    #[inline]
    pub fn pop(&mut self) -> Node {
        self.stack.pop().unwrap_or(Node::NONE)
    }

    /// Puts a node on the stack.
    #[inline]
    pub fn push(&mut self, node: Node) {
        self.stack.push(node);
    }

    /// Puts a node on the second stack.
    #[inline]
    pub fn push_second(&mut self, node: Node) {
        self.second.push(node);
    }

    /// Takes the top off the second stack.
    #[inline]
    pub fn pop_second(&mut self) -> Node {
        self.second.pop().unwrap_or(Node::NONE)
    }

    /// Empties the second stack.
    #[inline]
    pub fn clear_second(&mut self) {
        self.second.clear();
    }

    /// Takes the node under the top, leaving the top.
    #[inline]
    pub fn pop_under_top(&mut self) -> Node {
        let top = self.pop();
        let under = self.pop();
        self.push(top);
        under
    }

    /// Takes the front off the buffer.
    #[inline]
    pub fn advance(&mut self) -> Node {
        let front = self.buffer(0);
        self.cursor += 1;
        front
    }

    /// Puts a node before the front of the buffer, in the place of one taken earlier.
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

    /// Takes the second node of the buffer, leaving the front.
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

    /// Changes the count that [`n_roots_on_stack`](Self::n_roots_on_stack) gives.
    #[inline]
    pub fn set_roots_on_stack(&mut self, count: u32) {
        self.n_roots_on_stack = count;
    }

    /// Changes the count that [`lookahead`](Self::lookahead) gives.
    #[inline]
    pub fn set_lookahead(&mut self, count: usize) {
        self.lookahead = u32::try_from(count).unwrap_or(u32::MAX);
    }

    /// Notes that the buffer has been empty.
    #[inline]
    pub fn set_ended(&mut self) {
        self.ended = true;
    }

    /// Starts a second pass over the tokens without a head; arcs stay.
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

    /// Gives every token that has no head the head 0 and this label.
    pub fn attach_rest_to_root(&mut self, label: Label) {
        for node in (1..=self.n_tokens).map(Node::from_index) {
            if !self.has_head(node) {
                self.attach(Node::ROOT, label, node);
            }
        }
    }

    /// As [`attach_rest_to_root`](Self::attach_rest_to_root), but 0 gets exactly one child: the one
    /// it has, else the first token without a head; the others become that child's dependents.
    pub fn attach_rest_to_single_root(&mut self, label: Label) {
        let mut single = self.left_child(Node::ROOT, 0);
        if single.is_none() {
            single = self.right_child(Node::ROOT, 0);
        }
        for node in (1..=self.n_tokens).map(Node::from_index) {
            if self.has_head(node) {
                continue;
            }
            if single.is_none() {
                single = node;
                self.attach(Node::ROOT, label, node);
            } else {
                self.attach(single, label, node);
            }
        }
    }

    /// Notes `other` among the nodes linked to `node`.
    #[inline]
    fn link(&mut self, node: Node, label: Label, other: Node) {
        let links = &mut self.links[node.index()];
        let bit = 1u64 << (label.0 % 64);
        let (slot, at) = if other < node {
            links.left_valency += 1;
            links.left_labels |= bit;
            (0, insert(&mut links.left, |held| held.is_none() || other < held, other))
        } else {
            links.right_valency += 1;
            links.right_labels |= bit;
            (2, insert(&mut links.right, |held| held.is_none() || other > held, other))
        };
        if let Some(labels) = self.edge_labels.get_mut(node.index()) {
            match at {
                Some(0) => {
                    labels[slot + 1] = labels[slot];
                    labels[slot] = label;
                }
                Some(_) => labels[slot + 1] = label,
                None => {}
            }
        }
    }

    fn join(&mut self, a: Node, b: Node) {
        let (a, b) = (self.representative(a.0), self.representative(b.0));
        if a == b {
            return;
        }
        let (small, large) = if self.sizes[a as usize] < self.sizes[b as usize] { (a, b) } else { (b, a) };
        self.parents[small as usize] = large;
        self.sizes[large as usize] += self.sizes[small as usize];
    }

    /// Union by size keeps this path logarithmic, and two or three steps long in practice.
    #[inline]
    fn representative(&self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            node = self.parents[node as usize];
        }
        node
    }
}

/// The place of node 0 when it is last.
fn last_position(n_tokens: usize) -> u32 {
    Node::from_index(n_tokens + 1).0
}

#[inline]
fn from_top(stack: &[Node], i: usize) -> Node {
    if i < stack.len() { stack[stack.len() - 1 - i] } else { Node::NONE }
}

/// Puts `node` before the first of two held nodes that it is further out than; says where.
#[inline]
fn insert(held: &mut [Node; 2], further_out: impl Fn(Node) -> bool, node: Node) -> Option<usize> {
    if further_out(held[0]) {
        *held = [node, held[0]];
        Some(0)
    } else if further_out(held[1]) {
        held[1] = node;
        Some(1)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outermost_dependents_stay_right_in_any_order() {
        let orders: [[u32; 6]; 4] =
            [[1, 2, 3, 5, 6, 7], [7, 6, 5, 3, 2, 1], [2, 6, 1, 7, 3, 5], [3, 5, 2, 6, 1, 7]];
        for order in orders {
            let mut c = Configuration::new();
            c.reset(7, RootPosition::Stack);
            for dependent in order {
                c.attach(Node(4), Label(dependent + 60), Node(dependent));
            }
            assert_eq!([c.left_child(Node(4), 0), c.left_child(Node(4), 1)], [Node(1), Node(2)]);
            assert_eq!([c.right_child(Node(4), 0), c.right_child(Node(4), 1)], [Node(7), Node(6)]);
            assert_eq!((c.left_valency(Node(4)), c.right_valency(Node(4)), c.valency(Node(4))), (3, 3, 6));
            assert_eq!(c.left_labels(Node(4)), 1 << 61 | 1 << 62 | 1 << 63);
            assert_eq!(c.right_labels(Node(4)), 1 << 1 | 1 << 2 | 1 << 3);
            assert_eq!((c.left_label(Node(4), 0), c.right_label(Node(4), 1)), (Label(61), Label(66)));
        }
    }

    #[test]
    fn missing_nodes_have_nothing() {
        let mut c = Configuration::new();
        c.reset(1, RootPosition::Stack);
        let missing = c.stack(5);
        assert_eq!(
            (missing, c.head(missing), c.left_child(missing, 1)),
            (Node::NONE, Node::NONE, Node::NONE)
        );
        assert_eq!((c.label(missing), c.valency(missing), c.right_labels(missing)), (Label::NONE, 0, 0));
        assert_eq!(c.left_label(missing, 0), Label::NONE);
    }

    #[test]
    fn edges_remember_their_labels_at_both_ends() {
        let mut c = Configuration::new();
        c.reset(3, RootPosition::Stack);
        c.track_edges();
        c.connect(Node(3), Label(1), Node(2));
        c.connect(Node(1), Label(2), Node(3));
        assert_eq!((c.left_child(Node(3), 0), c.left_label(Node(3), 0)), (Node(1), Label(2)));
        assert_eq!((c.left_child(Node(3), 1), c.left_label(Node(3), 1)), (Node(2), Label(1)));
        assert_eq!((c.right_child(Node(2), 0), c.right_label(Node(2), 0)), (Node(3), Label(1)));
        assert!(c.connected(Node(1), Node(2)) && !c.connected(Node(0), Node(1)));
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
