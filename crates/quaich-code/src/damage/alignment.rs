//! The tokens of a damaged copy that are tokens of the original.

use super::Damaged;
use crate::lexer::Token;
use crate::placement::{Placed, place};
use crate::tree::{Kind, PhraseTree};

/// Which tokens of a copy are whole tokens of the original.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alignment {
    /// The tokens of the copy.
    placed: Vec<Placed>,
}

impl Alignment {
    /// Aligns the tokens of a copy with those of the original: they are the same if they have the same place, length and tag.
    ///
    /// # Panics
    /// With 2³² tokens, which a file cannot have.
    pub fn new(damaged: &Damaged, original: &[Token], copy: &[Token]) -> Self {
        let mut next = 0;
        let placed = copy.iter().map(|token| {
            if let Some(layout) = Placed::of_layout(token.tag) {
                return layout;
            }
            let Some((start, end)) = damaged.old_span(token.start as usize, token.end as usize) else {
                return Placed::Inserted;
            };
            while original.get(next).is_some_and(|old| (old.start as usize) < start || old.tag.is_layout()) {
                next += 1;
            }
            let is_same =
                |old: &&Token| (old.start as usize, old.end as usize, old.tag) == (start, end, token.tag);
            match original.get(next).filter(is_same) {
                Some(_) => Placed::Token(u32::try_from(next).expect("numbers of tokens fit")),
                None => Placed::Inserted,
            }
        });
        Self { placed: placed.collect() }
    }

    /// Returns the pairs of tokens that are the same: in the original, and in the copy.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..).zip(&self.placed).filter_map(|(new, placed)| match placed {
            Placed::Token(old) => Some((*old, new)),
            _ => None,
        })
    }

    /// Returns the tree of the original over the tokens of the copy. Tokens that are new go between their neighbours.
    pub fn carry_over(&self, tree: &PhraseTree, root: Kind) -> PhraseTree {
        place(tree, &self.placed, root)
    }

    /// Returns the trees of the original and of the copy over the tokens that are the same.
    pub fn common(&self, original: &PhraseTree, copy: &PhraseTree, root: Kind) -> (PhraseTree, PhraseTree) {
        let old: Vec<Placed> = self.pairs().map(|(old, _)| Placed::Token(old)).collect();
        let new: Vec<Placed> = self.pairs().map(|(_, new)| Placed::Token(new)).collect();
        (place(original, &old, root), place(copy, &new, root))
    }
}
