//! The grammar's tree and another one → a tree with the sound parts of the first and the others of the second.
//!
//! Nodes of the grammar's tree are *dropped*: those for errors, or all nodes of a part of the file. Nodes of the other tree are
//! taken where they fit between the nodes that are kept: below a dropped node, around whole kept nodes.

use crate::tree::{Kind, NONE, PhraseTree, TreeBuilder};

/// The items of a tree: the root, and the nonterminal children of lists, such as the members of a class. A list is the root, or a node
/// with a child token that opens a block. Each token belongs to the smallest item that it is in.
#[derive(Clone, Debug)]
pub struct Items {
    error: Kind,
    /// By nonterminal.
    is_list: Vec<bool>,
    /// By nonterminal: the smallest item that it is, or is in.
    item_of: Vec<u32>,
}

/// An item with errors that are in no smaller item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    /// The nonterminal of the item.
    pub node: u32,
    /// The number of tokens that are in no smaller item.
    pub n_tokens: u32,
    /// The number of those whose parent is a node for errors, and of tokens that are missing.
    pub n_errors: u32,
}

impl Items {
    /// Finds the items of a tree.
    pub fn new(tree: &PhraseTree, error: Kind, opens_block: impl Fn(usize) -> bool) -> Self {
        let mut is_list = vec![false; tree.n_nonterminals()];
        for (token, &parent) in tree.token_parents().iter().enumerate() {
            let parent = parent as usize;
            is_list[parent] = is_list[parent] || (tree.kinds()[parent] != error && opens_block(token));
        }
        let mut item_of: Vec<u32> = Vec::with_capacity(is_list.len());
        for (node, &parent) in (0..).zip(tree.parents()) {
            let is_item = parent == NONE || parent == 0 || is_list[parent as usize];
            item_of.push(if is_item { node } else { item_of[parent as usize] });
        }
        Self { error, is_list, item_of }
    }

    /// Returns the items with errors, in preorder; one may be inside another. `incomplete` are tokens of nodes that lack one.
    pub fn regions(&self, tree: &PhraseTree, incomplete: &[u32]) -> Vec<Region> {
        let mut has_errors = vec![false; self.item_of.len()];
        let (mut tokens, mut errors) = (vec![0; has_errors.len()], vec![0; has_errors.len()]);
        for (&kind, &item) in tree.kinds().iter().zip(&self.item_of) {
            has_errors[item as usize] |= kind == self.error;
        }
        for &parent in tree.token_parents() {
            let item = self.item_of[parent as usize] as usize;
            tokens[item] += 1;
            errors[item] += u32::from(tree.kinds()[parent as usize] == self.error);
        }
        for &token in incomplete {
            let item = self.item_of[tree.token_parents()[token as usize] as usize] as usize;
            has_errors[item] = true;
            errors[item] += 1;
        }
        let region = |node: u32| {
            let (n_tokens, n_errors) = (tokens[node as usize], errors[node as usize]);
            Region { node, n_tokens, n_errors }
        };
        (0..).zip(has_errors).filter(|(_, has_errors)| *has_errors).map(|(node, _)| region(node)).collect()
    }

    /// Returns which nonterminals are dropped with some items: these and the nodes below them, except those of lists that another
    /// analysis has, too.
    pub fn drop_items(
        &self,
        tree: &PhraseTree,
        items: impl IntoIterator<Item = u32>,
        is_agreed: impl Fn(usize) -> bool,
    ) -> Vec<bool> {
        let mut dropped = vec![false; tree.n_nonterminals()];
        for item in items {
            dropped[item as usize] = true;
        }
        // Parents are before their children.
        for (node, &parent) in tree.parents().iter().enumerate().skip(1) {
            if dropped[parent as usize] && !(self.is_list[node] && is_agreed(node)) {
                dropped[node] = true;
            }
        }
        dropped
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
        // By node: the lowest kept one that it is or is below.
        let mut kept: Vec<u32> = Vec::with_capacity(tree.n_nonterminals());
        for (node, &parent) in (0..).zip(tree.parents()) {
            kept.push(if node != 0 && dropped[node as usize] { kept[parent as usize] } else { node });
        }
        // A node is passed only by its first token, and by its last one.
        let climb = |token: u32, passes: &dyn Fn(usize) -> bool| {
            let mut node = kept[tree.token_parents()[token as usize] as usize];
            while node != 0 && passes(node as usize) {
                node = kept[tree.parents()[node as usize] as usize];
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

    /// Combines two bracketed trees; nodes of the first whose names are in capitals are dropped. `(w a)` is a word with a tag.
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
        check("(m (ERROR a b) (s (w c)))", "(m (s (e (w a)) b) (t (w c)))", "(m (s (e a) b) (s c))");
        // Kept nodes below the error stay whole.
        check("(m (ERROR a (s b c) d))", "(m (e (f a b) c d))", "(m (e a (s b c) d))");
        // A node beyond the error does not fit.
        check("(m (ERROR a b) (s (w c)))", "(m (e a (f b c)))", "(m a b (s c))");
        // Nor does a node within a kept one, even if an error is below that.
        check("(m (s a (ERROR b c) d))", "(m (t a (u b c d)))", "(m (s a b c d))");
        check("(m (s a (ERROR b c) d))", "(m (t a (u b c) d))", "(m (s a (u b c) d))");
        // Errors within errors.
        check("(m (ERROR a (s b (ERROR c d)) e))", "(m (t a b (v c d)) e)", "(m (t a (s b (v c d))) e)");
        // A dropped root has the kind of the other root.
        check("(ERROR a (s (w b)) c)", "(m (t a b) c)", "(m (t a (s b)) c)");
        check("(m a b)", "(n (t a b))", "(m a b)");
    }

    #[test]
    fn deep_trees_are_combined_in_linear_time() {
        const DEPTH: u32 = 200_000;
        let mut kinds = Kinds::new();
        let (error, kind) = (kinds.intern("ERROR"), kinds.intern("s"));
        // Each node starts or ends with a token and has the next node: the climb from a token to a kept node passes all others.
        let nested = |kind| {
            let mut builder = TreeBuilder::default();
            for node in 0..DEPTH {
                builder.nonterminal(kind, if node == 0 { NONE } else { node - 1 });
                builder.token(node, Kind::NONE);
            }
            builder.finish()
        };
        let (tree, other) = (nested(error), nested(kind));
        let items = Items::new(&tree, error, |_| true);
        let dropped = items.drop_items(&tree, 0..DEPTH, |_| false);
        let combined = combine(&tree, &dropped, &other);
        assert_eq!(combined.n_nonterminals(), DEPTH as usize);
        assert!(combined.kinds().iter().all(|&found| found == kind));
    }

    #[test]
    fn items_are_found_and_dropped() {
        let mut kinds = Kinds::new();
        let text = "(m (class c (body { (field (type x (ERROR (w y))) ;) (ERROR z z) (field (w w)) })) (ERROR (w v)) (ERROR (f { (s (w u)) })))";
        let mut reader = BracketReader::new(text.as_bytes(), "trees", BracketOptions::default());
        let read = reader.next(&mut kinds).unwrap().unwrap();
        let (tree, error) = (read.tree, kinds.intern("ERROR"));
        let items = Items::new(&tree, error, |token| read.words[token] == "{");
        let found = items.regions(&tree, &[7]);
        let shown: Vec<_> =
            found.iter().map(|region| (region.node, region.n_tokens, region.n_errors)).collect();
        assert_eq!(shown, [(3, 3, 1), (6, 2, 2), (7, 1, 1), (8, 1, 1), (9, 2, 0)]);
        let names = |item: u32, agrees: bool| {
            let dropped = items.drop_items(&tree, [item], |_| agrees);
            let names = tree.kinds().iter().zip(dropped).filter(|(_, dropped)| *dropped);
            names.map(|(kind, _)| kinds.text(*kind)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(3, false), "field type ERROR");
        assert_eq!(names(9, false), "ERROR f s");
        assert_eq!(names(9, true), "ERROR");
        assert_eq!(names(1, true), "class");
    }
}
