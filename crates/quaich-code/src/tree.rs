//! A constituency tree over tokens, in flat arrays.
//!
//! Tokens are counted from 0. Nonterminals are numbered in preorder, and each has a token below it, so the numbering is
//! unique: two trees are the same if their arrays are. Nothing here is recursive, because source code nests deeply.

use quaich_treebank::symbols::{Symbol, Symbols};

/// The kind of a nonterminal or of a leaf: `if_statement`, `NP`, `identifier`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct Kind(pub u32);

impl Kind {
    /// No kind.
    pub const NONE: Self = Self(u32::MAX);

    /// Whether this is [`Self::NONE`].
    pub const fn is_none(self) -> bool {
        self.0 == u32::MAX
    }

    /// Whether this is a kind.
    pub const fn is_some(self) -> bool {
        self.0 != u32::MAX
    }
}

impl Symbol for Kind {
    fn from_id(id: u32) -> Self {
        Self(id)
    }
    fn id(self) -> u32 {
        self.0
    }
}

/// The names of kinds.
pub type Kinds = Symbols<Kind>;

/// No nonterminal: the parent of the root.
pub const NONE: u32 = u32::MAX;

/// A child of a nonterminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Child {
    /// A token, counted from 0.
    Token(u32),
    /// A nonterminal.
    Nonterminal(u32),
}

/// An ordered tree with one root over tokens, all of whose nonterminals cover tokens without gaps. A tree without tokens
/// has no root.
///
/// A token may have a *leaf kind*: what a grammar calls the token, where its tag does not say so (`type_identifier` of an
/// identifier).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PhraseTree {
    /// By nonterminal.
    kinds: Vec<Kind>,
    /// By nonterminal; `NONE` for the root, which is nonterminal 0.
    parents: Vec<u32>,
    /// By token.
    token_parents: Vec<u32>,
    /// By token; [`Kind::NONE`] where there is none.
    leaf_kinds: Vec<Kind>,
}

/// Collects the nonterminals and tokens of a tree, in any order that numbers nonterminals as they come.
#[derive(Clone, Debug, Default)]
pub struct TreeBuilder {
    /// The kinds of nonterminals.
    pub kinds: Vec<Kind>,
    /// Their parents; [`NONE`] for exactly one.
    pub parents: Vec<u32>,
    /// The parents of tokens, in order.
    pub token_parents: Vec<u32>,
    /// Their leaf kinds, or [`Kind::NONE`].
    pub leaf_kinds: Vec<Kind>,
}

impl TreeBuilder {
    /// Adds a nonterminal and returns its number.
    ///
    /// # Panics
    /// With more than 2³² − 2 nonterminals.
    pub fn nonterminal(&mut self, kind: Kind, parent: u32) -> u32 {
        let number = u32::try_from(self.kinds.len()).ok().filter(|&n| n != NONE).expect("fewer than 2³²");
        self.kinds.push(kind);
        self.parents.push(parent);
        number
    }

    /// Adds the next token.
    pub fn token(&mut self, parent: u32, leaf_kind: Kind) {
        self.token_parents.push(parent);
        self.leaf_kinds.push(leaf_kind);
    }

    /// Returns the tree: nonterminals without tokens are dropped, the others are numbered in preorder.
    ///
    /// # Panics
    /// If a parent is missing or does not come before its child in the chain to the root.
    pub fn finish(self) -> PhraseTree {
        let Self { kinds, parents, mut token_parents, leaf_kinds } = self;
        let mut numbers = vec![NONE; kinds.len()];
        let mut tree = PhraseTree { leaf_kinds, ..PhraseTree::default() };
        let mut path = Vec::new();
        // The nonterminals that start at a token are those above it that no token before has.
        for parent in &mut token_parents {
            let mut above = *parent;
            while above != NONE && numbers[above as usize] == NONE {
                path.push(above);
                above = parents[above as usize];
            }
            while let Some(old) = path.pop() {
                let new = u32::try_from(tree.kinds.len()).expect("no more than before");
                numbers[old as usize] = new;
                let above = parents[old as usize];
                tree.kinds.push(kinds[old as usize]);
                tree.parents.push(if above == NONE { NONE } else { numbers[above as usize] });
            }
            *parent = numbers[*parent as usize];
        }
        tree.token_parents = token_parents;
        debug_assert_eq!(
            tree.parents.iter().filter(|&&parent| parent == NONE).count(),
            tree.kinds.len().min(1)
        );
        tree
    }
}

impl PhraseTree {
    /// Returns the number of tokens.
    pub fn n_tokens(&self) -> usize {
        self.token_parents.len()
    }

    /// Returns the number of nonterminals.
    pub fn n_nonterminals(&self) -> usize {
        self.kinds.len()
    }

    /// Returns the kinds of nonterminals, in preorder.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// Returns the parents of nonterminals; [`NONE`] for the root.
    pub fn parents(&self) -> &[u32] {
        &self.parents
    }

    /// Returns the parents of tokens.
    pub fn token_parents(&self) -> &[u32] {
        &self.token_parents
    }

    /// Returns the leaf kinds of tokens; [`Kind::NONE`] where a token has none.
    pub fn leaf_kinds(&self) -> &[Kind] {
        &self.leaf_kinds
    }

    /// Returns the first token of each nonterminal.
    pub fn first_tokens(&self) -> Vec<u32> {
        self.fold(NONE, u32::min)
    }

    /// Returns the last token of each nonterminal.
    pub fn last_tokens(&self) -> Vec<u32> {
        self.fold(0, u32::max)
    }

    /// Combines the tokens below each nonterminal.
    fn fold(&self, start: u32, combine: impl Fn(u32, u32) -> u32) -> Vec<u32> {
        let mut found = vec![start; self.kinds.len()];
        for (token, &parent) in (0..).zip(&self.token_parents) {
            found[parent as usize] = combine(found[parent as usize], token);
        }
        for (node, &parent) in self.parents.iter().enumerate().skip(1).rev() {
            found[parent as usize] = combine(found[parent as usize], found[node]);
        }
        found
    }

    /// Returns the number of nonterminals above each nonterminal.
    pub fn depths(&self) -> Vec<u32> {
        let mut depths = Vec::with_capacity(self.kinds.len());
        for &parent in &self.parents {
            depths.push(if parent == NONE { 0 } else { depths[parent as usize] + 1 });
        }
        depths
    }

    /// Iterates over all nodes but the root in preorder, tokens included, each with its parent. So the children of every
    /// nonterminal come from left to right.
    pub fn children(&self) -> impl Iterator<Item = (u32, Child)> + '_ {
        let first = self.first_tokens();
        let (mut token, mut nonterminal) = (0, 1);
        std::iter::from_fn(move || {
            let parent = *self.token_parents.get(token as usize)?;
            if first.get(nonterminal as usize) == Some(&token) {
                nonterminal += 1;
                return Some((self.parents[nonterminal as usize - 1], Child::Nonterminal(nonterminal - 1)));
            }
            token += 1;
            Some((parent, Child::Token(token - 1)))
        })
    }

    /// Whether no nonterminal has a gap. Trees with gaps can be built, but neither encoded nor written.
    pub fn is_continuous(&self) -> bool {
        let mut covered = vec![0; self.kinds.len()];
        for &parent in &self.token_parents {
            covered[parent as usize] += 1;
        }
        for (node, &parent) in self.parents.iter().enumerate().skip(1).rev() {
            covered[parent as usize] += covered[node];
        }
        let spans = self.first_tokens().into_iter().zip(self.last_tokens());
        spans.zip(covered).all(|((first, last), covered)| last - first + 1 == covered)
    }
}

#[cfg(test)]
mod tests {
    use super::Child::{Nonterminal, Token};
    use super::*;

    fn tree(parents: &[u32], token_parents: &[u32]) -> PhraseTree {
        let mut builder = TreeBuilder::default();
        for (kind, &parent) in (0..).zip(parents) {
            builder.nonterminal(Kind(kind), parent);
        }
        for &parent in token_parents {
            builder.token(parent, Kind::NONE);
        }
        builder.finish()
    }

    #[test]
    fn nonterminals_are_numbered_in_preorder_and_empty_ones_dropped() {
        // Root 3 over (2 over token 0), (0 over token 1, 4 over token 2); 1 is empty.
        let tree = tree(&[3, 3, 3, NONE, 0], &[2, 0, 4]);
        assert_eq!(tree.kinds(), [Kind(3), Kind(2), Kind(0), Kind(4)]);
        assert_eq!(tree.parents(), [NONE, 0, 0, 2]);
        assert_eq!(tree.token_parents(), [1, 2, 3]);
        assert_eq!(tree.first_tokens(), [0, 0, 1, 2]);
        assert_eq!(tree.last_tokens(), [2, 0, 2, 2]);
        assert_eq!(tree.depths(), [0, 1, 1, 2]);
        let children: Vec<_> = tree.children().collect();
        let expected = [
            (0, Nonterminal(1)),
            (1, Token(0)),
            (0, Nonterminal(2)),
            (2, Token(1)),
            (2, Nonterminal(3)),
            (3, Token(2)),
        ];
        assert_eq!(children, expected);
        assert!(tree.is_continuous());
    }

    #[test]
    fn gaps_are_seen() {
        assert!(tree(&[NONE, 0], &[1, 1, 0]).is_continuous());
        assert!(!tree(&[NONE, 0], &[1, 0, 1]).is_continuous());
        assert!(PhraseTree::default().is_continuous());
    }
}
