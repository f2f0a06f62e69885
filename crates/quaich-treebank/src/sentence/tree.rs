//! The tree of a sentence, and the meaning of `_` in its label column.
//!
//! A treebank without labels has `_` for all of them. Other treebanks have `_` as one of twenty labels; a parser has to
//! learn it like the others.

use super::Sentence;
use crate::symbols::{Label, Symbols};
use crate::tree::Tree;

/// The meaning of `_` as the label of an arc.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Underscore {
    /// No label: [`Label::NONE`].
    Absent,
    /// A label like any other, spelled `_`.
    Label,
}

impl Underscore {
    /// Detects the meaning in a treebank: a label if some arc has another label, otherwise none.
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
    /// Returns the tree, interning its labels in `labels`; `_` in the label column is no label. For a treebank that may
    /// use `_` as a label, see [`tree_with`](Self::tree_with).
    pub fn tree(&self, labels: &mut Symbols<Label>) -> Tree {
        self.tree_with(labels, Underscore::Absent)
    }

    /// Returns the tree, interning its labels in `labels`, with this meaning of `_`. A token without a head has no arc
    /// that `_` could label.
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

    /// Checks the labels of tokens with both meanings, `-` for none, and the detected meaning.
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
        // Labels of tokens without a head are no evidence that `_` is a label.
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
