//! `MaltParser`'s stack systems: stack-projective and swap, whose lazy oracle looks ahead in the buffer instead of
//! computing maximal projective components.

use quaich_treebank::symbols::Label;
use quaich_treebank::tree::Node;

use super::{is_left_complete, is_right_complete};
use crate::configuration::Configuration;
use crate::gold::Gold;
use crate::systems::{Options, SwapRule, System};
use crate::transition::{Kind, KindSet, Transition};

/// `-a stackproj`, `-a stackeager` and `-a stacklazy`.
///
/// **SHIFT**: *Permissible when* the buffer is not empty. *Does* push the front; the oracle may use it with
/// an empty buffer, where it pops. *Oracle picks it when* nothing else applies.
///
/// **SWAP**: *Permissible when* 0 < i < j for the two top nodes i, j. *Does* move i back to the buffer. *Oracle
/// picks it when* j precedes i in the projective order and, if lazy, the swap is necessary.
///
/// **LEFT-ARC**, **RIGHT-ARC**: *Permissible when*, *Does*: as in stack-projective. *Oracle picks it when* the arc is
/// gold and the dependent has its outermost dependents; without SWAP, RIGHT-ARC requires only the right one and
/// LEFT-ARC none.
#[derive(Clone, Debug)]
pub struct MaltStack {
    options: Options,
    rule: Option<SwapRule>,
}

impl MaltStack {
    /// Creates the system that swaps by `rule`, or not at all.
    pub fn new(rule: Option<SwapRule>, root_label: Label) -> Self {
        Self { options: Options { root_label, ..Options::default() }, rule }
    }
}

/// Returns the topmost node above a node in the partial parse.
fn topmost(c: &Configuration, mut node: Node) -> Node {
    while c.has_head(node) {
        node = c.head(node);
    }
    node
}

/// Whether all nodes between two nodes in the projective order are below one of them.
fn is_interval(c: &Configuration, gold: &Gold, in_order: &[Node], a: Node, b: Node) -> bool {
    let (first, last) = (gold.order(a), gold.order(b));
    first < last
        && in_order[first as usize + 1..last as usize].iter().all(|node| {
            let top = topmost(c, *node);
            top == a || top == b
        })
}

/// Whether the lazy oracle must swap now: walks along the buffer as long as it continues the top's part of the
/// projective order.
fn is_necessary(c: &Configuration, gold: &Gold) -> bool {
    let x = c.stack(0);
    let mut in_order = vec![Node::ROOT; gold.n_tokens() + 1];
    for index in 0..in_order.len() {
        let node = Node::from_index(index);
        in_order[gold.order(node) as usize] = node;
    }
    let mut buffer = c.buffer_nodes().iter().copied();
    let (mut a, mut stop) = (x, Node::NONE);
    for b in &mut buffer {
        if !is_interval(c, gold, &in_order, a, b) {
            return true;
        }
        if b == stop {
            return false;
        }
        if gold.has_arc(b, x) {
            return !is_left_complete(c, gold, x);
        }
        if gold.has_arc(x, b) {
            if gold.rightmost(b).is_none() {
                return false;
            }
            stop = rightmost_descendant(gold, b);
        }
        a = b;
    }
    true
}

/// Returns the last node that a node dominates.
fn rightmost_descendant(gold: &Gold, node: Node) -> Node {
    let mut last = node;
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        last = last.max(node);
        todo.extend_from_slice(gold.children(node));
    }
    last
}

impl System for MaltStack {
    fn options(&self) -> &Options {
        &self.options
    }

    fn kinds(&self) -> KindSet {
        KindSet::of(&[Kind::Shift, Kind::LeftArc, Kind::RightArc]).with_if(Kind::Swap, self.rule.is_some())
    }

    fn bound(&self, n_tokens: usize) -> usize {
        2 * n_tokens + if self.rule.is_some() { n_tokens * n_tokens.saturating_sub(1) } else { 0 }
    }

    fn is_terminal(&self, c: &Configuration) -> bool {
        c.buffer_len() == 0 && c.stack_len() == 1
    }

    fn permissible(&self, c: &Configuration) -> KindSet {
        let (top, under) = (c.stack(0), c.stack(1));
        let token_under = under.is_some() && !under.is_root();
        KindSet::EMPTY
            .with_if(Kind::Shift, c.buffer_len() > 0)
            .with_if(Kind::LeftArc, token_under)
            .with_if(Kind::RightArc, under.is_some())
            .with_if(Kind::Swap, self.rule.is_some() && token_under && under < top)
    }

    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
        match kind {
            Kind::LeftArc => Some((c.stack(0), c.stack(1))),
            Kind::RightArc => Some((c.stack(1), c.stack(0))),
            _ => None,
        }
    }

    fn apply(&self, c: &mut Configuration, transition: Transition) {
        match transition.kind {
            Kind::LeftArc => {
                let under = c.pop_under_top();
                c.attach(c.stack(0), transition.label, under);
            }
            Kind::RightArc => {
                let top = c.pop();
                c.attach(c.stack(0), transition.label, top);
            }
            Kind::Swap => {
                let under = c.pop_under_top();
                c.unread(under);
                c.set_lookahead(c.lookahead() + 1);
            }
            _ if c.buffer_len() == 0 => {
                c.pop();
            }
            _ => {
                let front = c.advance();
                c.push(front);
                c.set_lookahead(c.lookahead().saturating_sub(1));
            }
        }
        c.record(transition.kind);
    }

    fn fallback(&self, c: &Configuration, _permissible: KindSet) -> Transition {
        if c.buffer_len() > 0 {
            Transition::plain(Kind::Shift)
        } else {
            Transition::arc(Kind::RightArc, self.options.root_label)
        }
    }

    fn trusts_oracle(&self) -> bool {
        true
    }

    fn prepare(&self, gold: &mut Gold) {
        if self.rule.is_some() {
            gold.compute_order();
        }
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        let (top, under) = (c.stack(0), c.stack(1));
        let shift = Some(Transition::plain(Kind::Shift));
        if under.is_none() {
            return shift;
        }
        if let Some(rule) = self.rule
            && gold.order(under) > gold.order(top)
            && (rule == SwapRule::Eager || is_necessary(c, gold))
        {
            return Some(Transition::plain(Kind::Swap));
        }
        let swaps = self.rule.is_some();
        let complete = |node| is_left_complete(c, gold, node) && is_right_complete(c, gold, node);
        if gold.has_arc(top, under) && (!swaps || complete(under)) {
            return Some(Transition::arc(Kind::LeftArc, gold.label(under)));
        }
        if gold.has_arc(under, top) && is_right_complete(c, gold, top) && (!swaps || complete(top)) {
            return Some(Transition::arc(Kind::RightArc, gold.label(top)));
        }
        shift
    }
}
