//! The tree of a sentence, and what `_` in its label column stands for.
//!
//! A treebank without labels writes `_` for every one. There are others that write `_` beside twenty labels: it is
//! one of them then, and a parser has to learn it as it learns the others.

use super::Sentence;
use crate::symbols::{Label, Symbols};
use crate::tree::Tree;

/// What `_` stands for where an arc should have a label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Underscore {
    /// No label: [`Label::NONE`].
    Absent,
    /// A label like any other, written `_`.
    Label,
}

impl Underscore {
    /// What it stands for in a treebank: a label if there is an arc with another one, else none.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use quaich_treebank::{Role, SentenceBuilder, Underscore, formats::conllu};
    ///
    /// let mut builder = SentenceBuilder::new(&Arc::new(conllu::layout()));
    /// builder.token([(Role::Form, "Cats"), (Role::Head, "2")])?;
    /// builder.token([(Role::Form, "sleep"), (Role::Head, "0")])?;
    /// assert_eq!(Underscore::of([&builder.clone().finish()?]), Underscore::Absent);
    /// builder.token([(Role::Form, "."), (Role::Head, "2"), (Role::Label, "punct")])?;
    /// assert_eq!(Underscore::of([&builder.finish()?]), Underscore::Label);
    /// # Ok::<(), quaich_treebank::Error>(())
    /// ```
    pub fn of<'a>(sentences: impl IntoIterator<Item = &'a Sentence>) -> Self {
        let is_labelled = |sentence: &Sentence| {
            let mut arcs = sentence.tokens().filter(|token| sentence.heads[token.index()].is_some());
            arcs.any(|token| sentence.label(token) != "_")
        };
        if sentences.into_iter().any(is_labelled) { Self::Label } else { Self::Absent }
    }
}

impl Sentence {
    /// The tree, its labels interned in `labels`; `_` in the label column is no label. For a treebank that may use
    /// `_` as a label, see [`tree_with`](Self::tree_with).
    pub fn tree(&self, labels: &mut Symbols<Label>) -> Tree {
        self.tree_with(labels, Underscore::Absent)
    }

    /// The tree, its labels interned in `labels`, with this reading of `_`. A token without a head has no arc that `_`
    /// could be the label of.
    pub fn tree_with(&self, labels: &mut Symbols<Label>, underscore: Underscore) -> Tree {
        let mut tree = Tree::new(self.n_tokens());
        for token in self.tokens() {
            let head = self.heads[token.index()];
            let label = match self.label(token) {
                "_" if head.is_none() || underscore == Underscore::Absent => Label::NONE,
                label => labels.intern(label),
            };
            tree.set(token, head, label);
        }
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentence::tests::{read, rows};

    /// The labels that tokens have under both readings, `-` for none, and the reading that fits.
    fn check(short: &[&str], absent: &str, label: &str, fitting: Underscore) {
        let (sentence, _) = read(&rows(short));
        for (underscore, expected) in [(Underscore::Absent, absent), (Underscore::Label, label)] {
            let mut labels = Symbols::new();
            let tree = sentence.tree_with(&mut labels, underscore);
            let shown = tree.labels()[1..]
                .iter()
                .map(|&label| if label.is_none() { "-" } else { labels.text(label) });
            assert_eq!(shown.collect::<Vec<_>>().join(" "), expected);
            assert_eq!(tree.heads(), sentence.heads());
        }
        assert_eq!(
            sentence.tree(&mut Symbols::new()),
            sentence.tree_with(&mut Symbols::new(), Underscore::Absent)
        );
        assert_eq!(Underscore::of([&sentence]), fitting);
    }

    #[test]
    fn an_underscore_is_a_label_beside_others() {
        check(&["1 a 2 _", "2 b 0 root", "3 c 2 _"], "- root -", "_ root _", Underscore::Label);
        check(&["1 a 2 _", "2 b 0 _"], "- -", "_ _", Underscore::Absent);
        check(&["1 a 2 x", "2 b 0 root"], "x root", "x root", Underscore::Label);
    }

    #[test]
    fn where_no_arc_is_there_is_no_label() {
        check(&["1 a _ _", "2 b 0 _"], "- -", "- _", Underscore::Absent);
        // What is written beside no head is not a reason to take `_` for a label.
        check(&["1 a _ x", "2 b 0 _"], "x -", "x _", Underscore::Absent);
    }

    #[test]
    fn one_labelled_sentence_speaks_for_all() {
        let (bare, _) = read(&rows(&["1 a 0 _"]));
        let (labelled, _) = read(&rows(&["1 a 0 root"]));
        assert_eq!(Underscore::of([&bare, &labelled]), Underscore::Label);
        assert_eq!(Underscore::of([]), Underscore::Absent);
    }
}
