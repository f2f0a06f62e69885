//! The grammar's tree and another one → a tree with the sound parts of the first and the others of the second.
//!
//! Nodes of the grammar's tree are *dropped*: those for errors, or all nodes of a part of the file. Nodes of the other tree are
//! taken where they fit between the nodes that are kept: below a dropped node, around whole kept nodes.

use crate::tree::{Kind, NONE, PhraseTree, TreeBuilder};

/// A part of a file that the grammar does not accept: an item of a list, such as a member of a class, or a node for errors in such
/// a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    /// The nonterminal of the grammar's tree.
    pub node: u32,
    /// Its first token.
    pub first: u32,
    /// The token after its last.
    pub end: u32,
    /// The number of its tokens whose parent is a node for errors.
    pub n_errors: u32,
}

impl Region {
    /// Returns the number of tokens.
    pub fn n_tokens(&self) -> u32 {
        self.end - self.first
    }
}

/// Returns the smallest items with nodes for errors, in preorder; one may be inside another. An item is a child of the root or of
/// a node with a child token that opens a block.
pub fn regions(tree: &PhraseTree, error: Kind, opens_block: impl Fn(usize) -> bool) -> Vec<Region> {
    let mut is_list = vec![false; tree.n_nonterminals()];
    for (token, &parent) in tree.token_parents().iter().enumerate() {
        let parent = parent as usize;
        is_list[parent] = is_list[parent] || (tree.kinds()[parent] != error && opens_block(token));
    }
    let mut is_region = vec![false; tree.n_nonterminals()];
    for node in (0..tree.n_nonterminals()).filter(|&node| tree.kinds()[node] == error) {
        let mut item = node;
        loop {
            let parent = tree.parents()[item];
            if parent == NONE || parent == 0 || is_list[parent as usize] {
                break;
            }
            item = parent as usize;
        }
        is_region[item] = true;
    }
    let (first, last) = (tree.first_tokens(), tree.last_tokens());
    // The number of tokens below nodes for errors before each token.
    let mut errors = vec![0; tree.n_tokens() + 1];
    for (token, &parent) in tree.token_parents().iter().enumerate() {
        errors[token + 1] = errors[token] + u32::from(tree.kinds()[parent as usize] == error);
    }
    (0..)
        .zip(is_region)
        .filter(|(_, is_region)| *is_region)
        .map(|(node, _): (u32, bool)| {
            let (first, end) = (first[node as usize], last[node as usize] + 1);
            Region { node, first, end, n_errors: errors[end as usize] - errors[first as usize] }
        })
        .collect()
}

/// Marks a nonterminal of a tree and all below it.
pub fn drop_all(tree: &PhraseTree, node: u32, dropped: &mut [bool]) {
    dropped[node as usize] = true;
    // In preorder, those below follow.
    for below in node as usize + 1..tree.n_nonterminals() {
        let parent = tree.parents()[below];
        if parent < node || !dropped[parent as usize] {
            break;
        }
        dropped[below] = true;
    }
}

/// Returns the kept nodes of a tree with those nodes of another one, over the same tokens, that fit. The root is kept, with the kind of
/// the other's root if it is dropped.
///
/// # Panics
/// If the trees do not have the same number of tokens.
pub fn combine(tree: &PhraseTree, dropped: &[bool], other: &PhraseTree) -> PhraseTree {
    assert_eq!(tree.n_tokens(), other.n_tokens(), "the trees are over the same tokens");
    if tree.n_tokens() == 0 || !dropped.contains(&true) {
        return tree.clone();
    }
    let fitting = Fit::new(tree, dropped).of(other);
    let spans = |tree: &PhraseTree| -> Vec<(u32, u32)> {
        tree.first_tokens().into_iter().zip(tree.last_tokens()).collect()
    };
    // Both lists are in preorder: by first token, the longer one first. Of two nodes with the same tokens, the kept one is above.
    let (own, others) = (spans(tree), spans(other));
    let mut own = (1..own.len()).filter(|&node| !dropped[node]).map(|node| (own[node], node)).peekable();
    let mut others =
        (1..others.len()).filter(|&node| fitting[node]).map(|node| (others[node], node)).peekable();
    let mut builder = TreeBuilder::default();
    let root = if dropped[0] { other.kinds()[0] } else { tree.kinds()[0] };
    let last_token = u32::try_from(tree.n_tokens()).expect("numbers of tokens fit") - 1;
    let mut open = vec![(builder.nonterminal(root, NONE), last_token)];
    for token in 0..=last_token {
        loop {
            let rank = |next: Option<&((u32, u32), usize)>| {
                next.filter(|((first, _), _)| *first == token).map(|((_, last), _)| *last)
            };
            let (kind, last) = match (rank(own.peek()), rank(others.peek())) {
                (None, None) => break,
                (own_last, other_last) if own_last >= other_last => {
                    let ((_, last), node) = own.next().expect("there is one");
                    (tree.kinds()[node], last)
                }
                _ => {
                    let ((_, last), node) = others.next().expect("there is one");
                    (other.kinds()[node], last)
                }
            };
            let above = open.last().expect("the root is open").0;
            open.push((builder.nonterminal(kind, above), last));
        }
        let from = if dropped[tree.token_parents()[token as usize] as usize] { other } else { tree };
        builder.token(open.last().expect("the root is open").0, from.leaf_kinds()[token as usize]);
        while open.len() > 1 && open.last().is_some_and(|(_, last)| *last == token) {
            open.pop();
        }
    }
    builder.finish()
}

/// Which nodes of another tree fit between the kept nodes of a tree.
struct Fit<'t> {
    tree: &'t PhraseTree,
    dropped: &'t [bool],
    depths: Vec<u32>,
    /// By token: the lowest node above it that is kept and does not start, or end, there. What starts, or ends, at the token and
    /// fits is below it.
    starts: Vec<u32>,
    ends: Vec<u32>,
    /// By token: the lowest node that has it and the next one below it.
    joins: Vec<u32>,
}

impl<'t> Fit<'t> {
    fn new(tree: &'t PhraseTree, dropped: &'t [bool]) -> Self {
        let (first, last, depths) = (tree.first_tokens(), tree.last_tokens(), tree.depths());
        let n = u32::try_from(tree.n_tokens()).expect("numbers of tokens fit");
        let climb = |token: u32, passes: &dyn Fn(usize) -> bool| {
            let mut node = tree.token_parents()[token as usize];
            while node != 0 && (dropped[node as usize] || passes(node as usize)) {
                node = tree.parents()[node as usize];
            }
            node
        };
        let starts = (0..n).map(|token| climb(token, &|node| first[node] == token)).collect();
        let ends = (0..n).map(|token| climb(token, &|node| last[node] == token)).collect();
        let join = |token: u32| {
            let mut node = tree.token_parents()[token as usize];
            while last[node as usize] <= token {
                node = tree.parents()[node as usize];
            }
            node
        };
        let joins = (0..n.saturating_sub(1)).map(join).collect();
        Self { tree, dropped, depths, starts, ends, joins }
    }

    fn higher(&self, one: u32, other: u32) -> u32 {
        if self.depths[one as usize] <= self.depths[other as usize] { one } else { other }
    }

    /// Returns which nonterminals of the other tree fit.
    fn of(&self, other: &PhraseTree) -> Vec<bool> {
        let (first, last) = (other.first_tokens(), other.last_tokens());
        // The lowest node of the tree above all tokens of a nonterminal: the highest join within it.
        let mut above: Vec<u32> =
            first.iter().map(|&first| self.tree.token_parents()[first as usize]).collect();
        let mut previous = vec![NONE; other.n_nonterminals()];
        for (parent, child) in other.children() {
            use crate::tree::Child;
            let parent = parent as usize;
            let (start, end) = match child {
                Child::Token(token) => (token, token),
                Child::Nonterminal(node) => (first[node as usize], last[node as usize]),
            };
            if previous[parent] != NONE {
                above[parent] = self.higher(above[parent], self.joins[start as usize - 1]);
            }
            previous[parent] = end;
        }
        for node in (1..other.n_nonterminals()).rev() {
            let parent = other.parents()[node] as usize;
            above[parent] = self.higher(above[parent], above[node]);
        }
        let fits = |node: usize| {
            let above = above[node] as usize;
            let (start, end) = (self.starts[first[node] as usize], self.ends[last[node] as usize]);
            let limit = self.depths[start as usize].max(self.depths[end as usize]);
            self.dropped[above] && self.depths[above] >= limit
        };
        (0..other.n_nonterminals()).map(fits).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brackets::{BracketOptions, BracketReader, write_brackets};
    use crate::tree::Kinds;

    /// Combines two bracketed trees; nodes of the first whose names are in capitals are dropped.
    fn check(tree: &str, other: &str, expected: &str) {
        let mut kinds = Kinds::new();
        let text = format!("{tree}\n{other}");
        let mut reader = BracketReader::new(text.as_bytes(), "trees", BracketOptions::default());
        let mut next = || reader.next(&mut kinds).unwrap().unwrap();
        let (tree, other) = (next(), next());
        let dropped: Vec<bool> = tree
            .tree
            .kinds()
            .iter()
            .map(|&kind| kinds.text(kind).bytes().all(|byte| byte.is_ascii_uppercase()))
            .collect();
        let combined = combine(&tree.tree, &dropped, &other.tree);
        assert!(combined.is_continuous());
        let mut shown = String::new();
        write_brackets(&combined, &kinds, |token| (None, tree.words[token].as_str()), &mut shown);
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_is_kept_stays_and_what_fits_is_added() {
        // Below the error, the nodes of the other tree are taken.
        check("(m (ERROR a b) (s c))", "(m (s (e a) b) (t c))", "(m (s (e a) b) (s c))");
        // Kept nodes below the error stay whole.
        check("(m (ERROR a (s b c) d))", "(m (e (f a b) c d))", "(m (e a (s b c) d))");
        // A node beyond the error does not fit.
        check("(m (ERROR a b) (s c))", "(m (e a (f b c)))", "(m a b (s c))");
        // Nor does a node within a kept one, even if an error is below that.
        check("(m (s a (ERROR b c) d))", "(m (t a (u b c d)))", "(m (s a b c d))");
        check("(m (s a (ERROR b c) d))", "(m (t a (u b c) d))", "(m (s a (u b c) d))");
        // Errors within errors.
        check("(m (ERROR a (s b (ERROR c d)) e))", "(m (t a b (v c d)) e)", "(m (t a (s b (v c d))) e)");
        // A dropped root has the kind of the other root.
        check("(ERROR a (s b) c)", "(m (t a b) c)", "(m (t a (s b)) c)");
        check("(m a b)", "(n (t a b))", "(m a b)");
    }

    #[test]
    fn regions_are_the_smallest_items() {
        let mut kinds = Kinds::new();
        let text = "(m (class c (body { (field (type x (ERROR y)) ;) (ERROR z z) (field w) })) (ERROR v))";
        let mut reader = BracketReader::new(text.as_bytes(), "trees", BracketOptions::default());
        let tree = reader.next(&mut kinds).unwrap().unwrap();
        let error = kinds.intern("ERROR");
        let found = regions(&tree.tree, error, |token| tree.words[token] == "{");
        let found: Vec<_> = found.iter().map(|region| (region.first, region.end, region.n_errors)).collect();
        assert_eq!(found, [(2, 5, 1), (5, 7, 2), (9, 10, 1)]);
        let mut dropped = vec![false; tree.tree.n_nonterminals()];
        drop_all(&tree.tree, 3, &mut dropped);
        let names: Vec<&str> =
            tree.tree.kinds().iter().zip(&dropped).filter(|(_, d)| **d).map(|(k, _)| kinds.text(*k)).collect();
        assert_eq!(names, ["field", "type", "ERROR"]);
    }
}
