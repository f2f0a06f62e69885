//! How alike two trees over the same tokens are: brackets, leaf kinds and parents.
//!
//! Brackets are compared as evalb does: all nonterminals but the root, by span and kind. Tokens without text are not counted,
//! so a block has the same span whether or not its indentation was found.

use quaich_eval::brackets::{Bracket, BracketScore, without_tokens};
use serde::Serialize;

use crate::tree::{Kind, PhraseTree};

/// Tokens of which something is right.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Right {
    /// Those that are.
    pub right: u64,
    /// All of them.
    pub total: u64,
}

impl Right {
    fn add(&mut self, is_right: bool) {
        self.right += u64::from(is_right);
        self.total += 1;
    }

    /// Returns the percentage; 100 of no tokens.
    #[allow(clippy::cast_precision_loss, reason = "counts are below 2⁵³")]
    pub fn percent(&self) -> f64 {
        if self.total == 0 { 100.0 } else { 100.0 * self.right as f64 / self.total as f64 }
    }
}

/// The score of trees.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct TreeScore {
    /// The brackets.
    pub brackets: BracketScore,
    /// Of the tokens with a leaf kind in either tree, those with the same one.
    pub leaf_kinds: Right,
    /// The tokens whose parents have the same kind.
    pub parents: Right,
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
                self.leaf_kinds.add(leaves[0] == leaves[1]);
            }
            let parents = [gold, system].map(|tree| tree.kinds()[tree.token_parents()[token] as usize]);
            self.parents.add(parents[0] == parents[1]);
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
        assert_eq!((score.parents.right, score.parents.total), (3, 5));
        assert_eq!(score.leaf_kinds, Right::default());
        // The token without text makes a difference where it is counted.
        let mut score = TreeScore::default();
        score.add(&gold.tree, &system.tree, error, |_| true);
        assert_eq!((score.brackets.gold, score.brackets.system, score.brackets.matched), (3, 3, 2));
    }
}
