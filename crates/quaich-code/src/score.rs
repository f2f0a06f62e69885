//! How alike two trees over the same tokens are: brackets, leaf kinds and parents.
//!
//! Brackets are compared as evalb does: all nonterminals but the root, by span and kind. Tokens without text are not counted,
//! so a block has the same span whether or not its indentation was found.

use quaich_eval::brackets::{Bracket, BracketScore, without_tokens};
use quaich_eval::percent::Share;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::tree::{Kind, PhraseTree};

/// The score of trees.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TreeScore {
    /// The brackets.
    pub brackets: BracketScore,
    /// Of the tokens with a leaf kind in either tree, those with the same one.
    pub leaf_kinds: Share,
    /// The tokens whose parents have the same kind.
    pub parents: Share,
}

impl Serialize for TreeScore {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("brackets", &self.brackets)?;
        map.serialize_entry("leaf_kinds", &self.leaf_kinds.percent())?;
        map.serialize_entry("parents", &self.parents.percent())?;
        map.end()
    }
}

fn add(share: &mut Share, is_right: bool) {
    share.part += u64::from(is_right);
    share.whole += 1;
}

impl TreeScore {
    /// Compares two trees over the same tokens. Tokens are counted if `is_counted`; brackets of the kind `error` claim
    /// nothing and are skipped.
    ///
    /// # Panics
    /// If the trees do not have the same number of tokens.
    pub fn add(
        &mut self,
        gold: &PhraseTree,
        system: &PhraseTree,
        error: Kind,
        is_counted: impl Fn(usize) -> bool,
    ) {
        assert_eq!(gold.n_tokens(), system.n_tokens(), "the trees are over the same tokens");
        let n = gold.n_tokens();
        let is_left_out = |token| token < n && !is_counted(token);
        let brackets = |tree| without_tokens(&brackets_of(tree, error), is_left_out);
        self.brackets.add(&brackets(gold), &brackets(system));
        for token in (0..n).filter(|&token| is_counted(token)) {
            let leaves = [gold, system].map(|tree| tree.leaf_kinds()[token]);
            if leaves.iter().any(|kind| kind.is_some()) {
                add(&mut self.leaf_kinds, leaves[0] == leaves[1]);
            }
            let parents = [gold, system].map(|tree| tree.kinds()[tree.token_parents()[token] as usize]);
            add(&mut self.parents, parents[0] == parents[1]);
        }
    }

    /// Adds the counts of other trees.
    pub fn absorb(&mut self, other: &Self) {
        self.brackets.absorb(&other.brackets);
        for (share, other) in [(&mut self.leaf_kinds, other.leaf_kinds), (&mut self.parents, other.parents)] {
            share.part += other.part;
            share.whole += other.whole;
        }
    }
}

/// Returns the brackets of a tree: all nonterminals but the root and those of the kind `error`.
pub fn brackets_of(tree: &PhraseTree, error: Kind) -> Vec<Bracket<Kind>> {
    let spans = tree.first_tokens().into_iter().zip(tree.last_tokens());
    let nodes = tree.kinds().iter().zip(spans).skip(1).filter(|&(&kind, _)| kind != error);
    nodes.map(|(&kind, (first, last))| Bracket::new(kind, first as usize, last as usize + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brackets::{BracketOptions, BracketReader};
    use crate::tree::Kinds;

    #[test]
    fn brackets_parents_and_tokens_without_text() {
        let mut kinds = Kinds::new();
        let text = "(m (a x y) (b L z (c w v)))\n(m (a x y) L (b z (c (ERROR w v))))";
        let mut reader = BracketReader::new(text.as_bytes(), "trees", BracketOptions::default());
        let mut next = || reader.next(&mut kinds).unwrap().unwrap();
        let (gold, system) = (next(), next());
        let error = kinds.intern("ERROR");
        let mut score = TreeScore::default();
        score.add(&gold.tree, &system.tree, error, |token| gold.words[token] != "L");
        assert_eq!((score.brackets.gold, score.brackets.system, score.brackets.matched), (3, 3, 3));
        assert_eq!(score.parents, Share::new(3, 5));
        assert_eq!(score.leaf_kinds, Share::default());
        // The token without text makes a difference where it is counted.
        let mut score = TreeScore::default();
        score.add(&gold.tree, &system.tree, error, |_| true);
        assert_eq!((score.brackets.gold, score.brackets.system, score.brackets.matched), (3, 3, 2));
    }
}
