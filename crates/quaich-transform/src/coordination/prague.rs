//! Coordinations between Prague style, where the conjunction heads the conjuncts, and chains (Nilsson, Nivre and Hall
//! 2006, section 3.1).
//!
//! ```text
//! Prague style    h ─▶ and ─▶ C₁, C₂, C₃, the comma, others D
//! Mel'čuk style   h ─▶ C₁ ─▶ comma ─▶ C₂ ─▶ and ─▶ C₃;  every D on the conjunct to its left, else on C₁
//! Collins style   h ─▶ C₁ ─▶ C₂ ─▶ C₃;  comma and conjunction on the conjunct to their right
//! ```
//!
//! A conjunction is not changed if it lies outside its conjuncts, has one conjunct, or has two with nothing in between:
//! its conjuncts keep their suffix, which identifies it for the inverse. Conjuncts that are coordinations themselves
//! are converted first, so their first conjunct represents them; the inverse visits conjunctions from right to left.

use quaich_treebank::Node;

use super::state::{Mark, State};
use super::{Target, Variant};

/// From Prague style to chains. `order` has every token after all tokens below it.
pub(super) fn to_chains(state: &mut State, order: &[Node], target: Target, variant: Variant) {
    for &base in order {
        if state.word(base).conjunction {
            to_chain(state, base, target, variant);
        }
    }
}

/// Returns the conjuncts of a base conjunction, its separators including itself, and its other dependents; `None` if it
/// is not changed.
pub(super) fn members(state: &State, base: Node) -> Option<(Vec<Node>, Vec<Node>, Vec<Node>)> {
    let conjuncts: Vec<Node> =
        state.children(base).filter(|&child| carrier(state, child, |word| word.suffix).is_some()).collect();
    let (&first, &last) = (conjuncts.first()?, conjuncts.last()?);
    let (mut separators, mut others) = (Vec::new(), Vec::new());
    for child in state.children(base).filter(|child| !conjuncts.contains(child)) {
        let between = first < child && child < last && state.word(child).separator;
        if between { separators.push(child) } else { others.push(child) }
    }
    separators.push(base);
    separators.sort_unstable();
    let stands_between = |pair: &[Node]| separators.iter().any(|&one| pair[0] < one && one < pair[1]);
    let sound = first < base && base < last && conjuncts.windows(2).all(stands_between);
    sound.then_some((conjuncts, separators, others))
}

fn to_chain(state: &mut State, base: Node, target: Target, variant: Variant) {
    let Some((conjuncts, separators, others)) = members(state, base) else { return };
    for &conjunct in &conjuncts {
        set_suffix(state, conjunct, false);
    }
    let above = state.head(base);
    let is_conjunct = state.word(base).suffix;
    state.words[base.index()].suffix = false;
    state.attach(conjuncts[0], above);
    if is_conjunct {
        add_suffix(state, conjuncts[0]);
    }
    for pair in conjuncts.windows(2) {
        let (left, right) = (pair[0], pair[1]);
        let between: Vec<Node> =
            separators.iter().copied().filter(|&separator| left < separator && separator < right).collect();
        match target {
            Target::Melcuk => {
                for &separator in &between {
                    state.attach(separator, left);
                }
                state.attach(right, between.last().copied().unwrap_or(left));
            }
            Target::Collins | Target::Prague => {
                state.attach(right, left);
                for &separator in &between {
                    state.attach(separator, right);
                }
            }
        }
    }
    for other in others {
        let left = conjuncts.iter().rev().find(|&&conjunct| conjunct < other);
        state.attach(other, left.copied().unwrap_or(conjuncts[0]));
        if variant.plus && !(variant.star && state.word(other).shared) {
            state.mark(other, Mark::Plus);
        }
    }
}

/// From chains to Prague style.
pub(super) fn from_chains(state: &mut State, target: Target, variant: Variant) {
    for base in state.tokens().rev() {
        let in_prague_style = state.children(base).any(|child| state.word(child).suffix);
        if !state.word(base).conjunction || in_prague_style {
            continue;
        }
        let Some(conjuncts) = chain_of(state, base, target) else { continue };
        let separators = separators_of(state, &conjuncts, base, target);
        rebuild(state, base, &conjuncts, &separators, variant);
    }
    for word in &mut state.words {
        word.mark = Mark::None;
    }
}

/// Returns the conjuncts around a conjunction, with all conjuncts linked to them by separators.
fn chain_of(state: &State, base: Node, target: Target) -> Option<Vec<Node>> {
    let separates =
        |node: Node| node == base || (state.word(node).separator && !state.word(node).conjunction);
    // The previous conjunct and the next one.
    let before = |conjunct: Node| match target {
        Target::Melcuk => {
            let separator = state.head(conjunct);
            let found = state.is_token(separator) && separator < conjunct && separates(separator);
            let left = if found { state.head(separator) } else { Node::NONE };
            (found && state.is_token(left) && left < separator).then_some(left)
        }
        Target::Collins | Target::Prague => {
            let left = state.head(conjunct);
            let found = state.is_token(left) && left < conjunct;
            let separated =
                || state.children(conjunct).any(|child| left < child && child < conjunct && separates(child));
            (found && separated()).then_some(left)
        }
    };
    let after = |conjunct: Node| match target {
        Target::Melcuk => state
            .children(conjunct)
            .filter(|&child| child > conjunct && separates(child))
            .find_map(|separator| state.children(separator).find(|&right| right > separator)),
        Target::Collins | Target::Prague => {
            state.children(conjunct).filter(|&right| right > conjunct).find(|&right| {
                state.children(right).any(|child| conjunct < child && child < right && separates(child))
            })
        }
    };
    let start = state.head(base);
    if !state.is_token(start) {
        return None;
    }
    let start = match target {
        Target::Melcuk => Some(start).filter(|&left| left < base)?,
        Target::Collins | Target::Prague => before(start).filter(|&left| start > base && left < base)?,
    };
    let mut conjuncts = vec![start];
    let mut first = start;
    while let Some(left) = before(first) {
        conjuncts.insert(0, left);
        first = left;
    }
    let mut last = start;
    while let Some(right) = after(last) {
        conjuncts.push(right);
        last = right;
    }
    let encloses = conjuncts.len() > 1 && first < base && base < last;
    encloses.then_some(conjuncts)
}

/// Returns the separators between conjuncts, except the conjunction.
fn separators_of(state: &State, conjuncts: &[Node], base: Node, target: Target) -> Vec<Node> {
    let mut separators = Vec::new();
    for pair in conjuncts.windows(2) {
        let head = if target == Target::Melcuk { pair[0] } else { pair[1] };
        let between =
            state.children(head).filter(|&child| pair[0] < child && child < pair[1] && child != base);
        separators.extend(between.filter(|&child| {
            let word = state.word(child);
            word.separator && word.mark == Mark::None && !conjuncts.contains(&child)
        }));
    }
    separators
}

/// Attaches a coordination to its conjunction: the conjunction gets the head of the first conjunct, and everything else
/// is attached below the conjunction, which preserves the tree.
fn rebuild(state: &mut State, base: Node, conjuncts: &[Node], separators: &[Node], variant: Variant) {
    let above = state.head(conjuncts[0]);
    if let Some(carrier) = carrier(state, conjuncts[0], |word| word.suffix) {
        state.words[carrier.index()].suffix = false;
        state.words[base.index()].suffix = true;
    }
    let mut others = Vec::new();
    for &conjunct in conjuncts {
        others.extend(state.children(conjunct).filter(|&child| {
            let word = state.word(child);
            let goes_back = word.mark == Mark::Plus || (variant.star && word.shared);
            goes_back && child != base && !conjuncts.contains(&child) && !separators.contains(&child)
        }));
    }
    state.attach(base, above);
    for &token in conjuncts.iter().chain(separators).chain(&others) {
        state.attach(token, base);
    }
    for &other in &others {
        state.mark(other, Mark::None);
    }
    for &conjunct in conjuncts {
        add_suffix(state, conjunct);
    }
}

/// Returns the node whose label carries the conjunct's suffix: the conjunct itself, or its dependent if it passes the
/// suffix on.
fn carrier(state: &State, conjunct: Node, has: impl Fn(super::state::Word) -> bool) -> Option<Node> {
    let mut node = conjunct;
    // The depth of a tree is bounded by this; other heads may form cycles.
    for _ in 0..state.heads.len() {
        let word = state.word(node);
        if has(word) {
            return Some(node);
        }
        if !word.through {
            return None;
        }
        node = state.children(node).find(|&child| has(state.word(child)) || state.word(child).through)?;
    }
    None
}

fn set_suffix(state: &mut State, conjunct: Node, suffix: bool) {
    if let Some(carrier) = carrier(state, conjunct, |word| word.suffix != suffix) {
        state.words[carrier.index()].suffix = suffix;
    }
}

/// Adds the suffix to a conjunct, or to its first dependent that is not a separator if it passes the suffix on.
fn add_suffix(state: &mut State, conjunct: Node) {
    let fits = |word: super::state::Word| !word.through && !word.separator;
    let carrier = if state.word(conjunct).through { carrier(state, conjunct, fits) } else { None };
    state.words[carrier.unwrap_or(conjunct).index()].suffix = true;
}
