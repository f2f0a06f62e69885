//! Coordinations whose conjuncts have their own label (`conj`), headed by the first conjunct (Universal Dependencies)
//! or by the previous conjunct (the Danish treebank), to Mel'čuk, Collins or Prague style and back.
//!
//! A *link* leads from a conjunct to the next one, over the separators between them. Under a variant with `+` the
//! inverse is tested: conjuncts that it would not restore get the mark `+` and are not changed, so every tree is
//! restored exactly.

use quaich_treebank::Node;

use super::Target;
use super::state::{Mark, State};
use crate::profile::Style;

/// The number of rounds in which conjuncts are excluded one by one, before all are.
const ROUNDS: usize = 6;

/// A link from a conjunct to the next.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) from: Node,
    pub(super) to: Node,
    pub(super) separators: Vec<Node>,
}

/// From the treebank's style to the target's; exact if labels can be marked.
pub(super) fn transform(state: &mut State, style: Style, target: Target, may_mark: bool) {
    if !may_mark {
        return there(state, style, target, false);
    }
    let mut gold = state.clone();
    let mut back = State::default();
    for round in 0..=ROUNDS {
        state.copy(&gold);
        there(state, style, target, true);
        back.copy(state);
        invert(&mut back, style, target);
        let wrong: Vec<Node> = gold.tokens().filter(|&token| gold.head(token) != back.head(token)).collect();
        if wrong.is_empty() {
            return;
        }
        let leave = |state: &mut State, token: Node| {
            let word = state.is_token(token).then(|| state.word(token));
            let leaves = word.is_some_and(|word| word.conjunct && word.mark == Mark::None);
            if leaves {
                state.mark(token, Mark::Plus);
            }
            leaves
        };
        let mut any = false;
        for &token in &wrong {
            for node in [token, gold.head(token), back.head(token)] {
                any |= leave(&mut gold, node);
            }
        }
        if !any || round + 1 == ROUNDS {
            for token in gold.tokens() {
                leave(&mut gold, token);
            }
        }
    }
    // An unchanged tree loses nothing.
    state.copy(&gold);
}

/// Returns the links of a tree in the treebank's style.
pub(super) fn links(state: &State, style: Style) -> Vec<Link> {
    let mut links = Vec::new();
    for to in state.tokens().filter(|&token| is_linked(state, token)) {
        let head = state.head(to);
        if style == Style::Chain {
            links.push(chain_link(state, to));
            continue;
        }
        let earlier = |child: &Node| *child < to && is_linked(state, *child);
        let from = state.children(head).filter(earlier).last().unwrap_or(head);
        let separators = state
            .children(to)
            .filter(|&child| from < child && child < to && state.word(child).separates())
            .collect();
        links.push(Link { from, to, separators });
    }
    links
}

/// Whether a conjunct is attached to a token to its left and may be changed.
fn is_linked(state: &State, token: Node) -> bool {
    let (head, word) = (state.head(token), state.word(token));
    word.conjunct && word.mark != Mark::Plus && state.is_token(head) && head < token
}

/// Returns the link into a conjunct of a chain: directly, or through a separator.
fn chain_link(state: &State, to: Node) -> Link {
    let head = state.head(to);
    let above = state.head(head);
    if state.word(head).separates() && state.is_token(above) && above < head {
        Link { from: above, to, separators: vec![head] }
    } else {
        Link { from: head, to, separators: Vec::new() }
    }
}

fn there(state: &mut State, style: Style, target: Target, may_mark: bool) {
    let links = links(state, style);
    if target == Target::Prague {
        return to_prague(state, &links, style);
    }
    // A conjunct below another conjunct would be read as the next one of the same coordination.
    for link in &links {
        if may_mark
            && style == Style::FirstConjunct
            && state.head(link.to) == link.from
            && is_linked(state, link.from)
        {
            state.mark(link.to, Mark::Nested);
        }
    }
    for Link { from, to, separators } in &links {
        match target {
            Target::Melcuk => {
                for &separator in separators {
                    state.attach(separator, *from);
                }
                state.attach(*to, separators.last().copied().unwrap_or(*from));
            }
            Target::Collins | Target::Prague => {
                state.attach(*to, *from);
                for &separator in separators {
                    state.attach(separator, *to);
                }
            }
        }
    }
}

/// From the target's style to the treebank's.
pub(super) fn invert(state: &mut State, style: Style, target: Target) {
    match target {
        Target::Prague => from_prague(state, style),
        Target::Collins if style == Style::Chain => {
            for to in state.tokens().filter(|&token| is_linked(state, token)).collect::<Vec<_>>() {
                let from = state.head(to);
                let between = |child: &Node| from < *child && *child < to && state.word(*child).separates();
                let separator = state.children(to).filter(between).last();
                if let Some(separator) = separator {
                    state.attach(separator, from);
                    state.attach(to, separator);
                }
            }
        }
        Target::Melcuk | Target::Collins => to_first_conjunct(state, target),
    }
    for word in &mut state.words {
        word.mark = Mark::None;
    }
}

/// Attaches the conjuncts of chains to the first one, and separators to the conjunct after them.
fn to_first_conjunct(state: &mut State, target: Target) {
    let mut tops = vec![Node::NONE; state.heads.len()];
    let mut moves = Vec::new();
    for to in state.tokens().filter(|&token| is_linked(state, token)) {
        let link = match target {
            Target::Melcuk => chain_link(state, to),
            Target::Collins | Target::Prague => Link { from: state.head(to), to, separators: Vec::new() },
        };
        // Earlier tokens are in place already, since links lead to the right.
        let top = match tops[link.from.index()] {
            top if top.is_some() && state.word(to).mark != Mark::Nested => top,
            _ => link.from,
        };
        tops[to.index()] = top;
        moves.push((to, top));
        if !link.separators.is_empty() {
            let between = |child: &Node| link.from < *child && *child < to && state.word(*child).separates();
            moves.extend(state.children(link.from).filter(between).map(|separator| (separator, to)));
        }
    }
    let mut moved = vec![false; state.heads.len()];
    for (token, head) in moves {
        // A separator between two conjuncts belongs to the nearer one, which is visited first.
        if !std::mem::replace(&mut moved[token.index()], true) {
            state.attach(token, head);
        }
    }
}

/// Attaches coordinations to their last conjunction, or to their last separator if there is none.
fn to_prague(state: &mut State, links: &[Link], style: Style) {
    let mut tops = vec![Node::NONE; state.heads.len()];
    let mut groups: Vec<(Node, Vec<Node>, Vec<Node>)> = Vec::new();
    for Link { from, to, separators } in links {
        let top = match style {
            Style::Chain => Some(tops[from.index()]).filter(|top| top.is_some()).unwrap_or(*from),
            Style::FirstConjunct | Style::Prague => state.head(*to),
        };
        tops[to.index()] = top;
        match groups.iter_mut().find(|(first, ..)| *first == top) {
            Some((_, conjuncts, all)) => {
                conjuncts.push(*to);
                all.extend(separators);
            }
            None => groups.push((top, vec![*to], separators.clone())),
        }
    }
    let mut stand_ins: Vec<Node> = (0..state.heads.len()).map(Node::from_index).collect();
    groups.sort_by_key(|(first, ..)| std::cmp::Reverse(*first));
    for (first, conjuncts, separators) in groups {
        let conjunction = separators.iter().filter(|&&one| state.word(one).conjunction).max();
        let Some(&base) = conjunction.or(separators.iter().max()) else { continue };
        let above = state.head(first);
        state.attach(base, above);
        for &separator in separators.iter().filter(|&&separator| separator != base) {
            state.attach(separator, base);
        }
        for conjunct in std::iter::once(first).chain(conjuncts) {
            // The first conjunct represents itself: the coordination it begins is this one.
            let token = if conjunct == first { first } else { stand_ins[conjunct.index()] };
            state.attach(token, base);
            state.mark(token, Mark::Suffix);
        }
        stand_ins[first.index()] = base;
    }
}

/// Attaches coordinations under their conjunctions to their first conjuncts.
fn from_prague(state: &mut State, style: Style) {
    for base in state.bottom_up() {
        let is_conjunct = |child: &Node| state.word(*child).mark == Mark::Suffix;
        let conjuncts: Vec<Node> = state.children(base).filter(is_conjunct).collect();
        if conjuncts.len() < 2 {
            continue;
        }
        let mark = state.word(base).mark;
        let mut separators: Vec<Node> = state
            .children(base)
            .filter(|child| state.word(*child).separates() && !conjuncts.contains(child))
            .chain([base])
            .collect();
        separators.sort_unstable();
        let above = state.head(base);
        for &conjunct in &conjuncts {
            state.mark(conjunct, Mark::None);
        }
        state.mark(base, Mark::None);
        state.attach(conjuncts[0], above);
        state.mark(conjuncts[0], mark);
        state.attach(base, conjuncts[0]);
        for pair in conjuncts.windows(2) {
            let (left, right) = (pair[0], pair[1]);
            let between: Vec<Node> =
                separators.iter().copied().filter(|&one| left < one && one < right).collect();
            match style {
                Style::Chain => {
                    for &separator in &between {
                        state.attach(separator, left);
                    }
                    state.attach(right, between.last().copied().unwrap_or(left));
                }
                Style::FirstConjunct | Style::Prague => {
                    state.attach(right, conjuncts[0]);
                    for &separator in &between {
                        state.attach(separator, right);
                    }
                }
            }
        }
    }
}
