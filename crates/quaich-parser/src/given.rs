//! The heads and labels that a sentence already has, and that its parse must keep.

use quaich_transform::Inverse;
use quaich_treebank::tree::TreeProblem;
use quaich_treebank::{Label, Level, Node, Problem, Role, Sentence, Symbols, Tree};

use crate::scheme::Scheme;

/// The given heads of a sentence, with labels where these are given too. In sentence order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// Indexed by node; `Node::NONE` if unknown.
    heads: Vec<Node>,
    /// Indexed by node: whether the label of the sentence is given.
    is_labelled: Vec<bool>,
    n_heads: usize,
}

impl Given {
    /// Reads the heads of a sentence. `_` as the label of a head is no given label.
    pub(crate) fn read(&mut self, sentence: &Sentence) {
        self.heads.clear();
        self.heads.extend_from_slice(sentence.heads());
        self.is_labelled.clear();
        self.is_labelled.push(false);
        let is_labelled =
            |token: Node| self.heads[token.index()].is_some() && sentence.label(token) != NO_LABEL;
        self.is_labelled.extend(sentence.tokens().map(is_labelled));
        self.n_heads = self.heads.iter().filter(|head| head.is_some()).count();
    }

    /// Forgets all heads, for a sentence of `n_tokens` tokens.
    pub(crate) fn clear(&mut self, n_tokens: usize) {
        self.heads.clear();
        self.heads.resize(n_tokens + 1, Node::NONE);
        self.is_labelled.clear();
        self.is_labelled.resize(n_tokens + 1, false);
        self.n_heads = 0;
    }

    /// Adds a head without a label, if the token has none.
    pub(crate) fn add(&mut self, token: Node, head: Node) {
        if self.heads[token.index()].is_none() {
            self.heads[token.index()] = head;
            self.n_heads += 1;
        }
    }

    /// Whether no head is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.n_heads == 0
    }

    /// The given head of a token.
    pub(crate) fn head(&self, token: Node) -> Node {
        self.heads[token.index()]
    }

    /// Whether the label of a token is given.
    pub(crate) fn is_labelled(&self, token: Node) -> bool {
        self.is_labelled.get(token.index()).is_some_and(|is_labelled| *is_labelled)
    }

    /// The given arcs with the numbers of their labels; labels without a number are unknown.
    pub(crate) fn write_tree(
        &self,
        sentence: &Sentence,
        number: impl Fn(&str) -> Option<Label>,
        tree: &mut Tree,
    ) {
        tree.reset(sentence.n_tokens());
        for token in sentence.tokens() {
            let label = self.is_labelled(token).then(|| number(sentence.label(token))).flatten();
            tree.set(token, self.head(token), label.unwrap_or(Label::NONE));
        }
    }

    /// The arcs that a parser can be told to build, in sentence order: none if a transformation may change their heads.
    pub(crate) fn write_constraint(&self, sentence: &Sentence, scheme: &Scheme, tree: &mut Tree) -> bool {
        let inverse = scheme.inverse.as_deref();
        let is_usable = inverse.is_none_or(Inverse::keeps_heads);
        if is_usable {
            let is_kept = |label| inverse.is_none_or(|inverse| inverse.keeps(label));
            let number = |text: &str| {
                scheme.labels.get(text).filter(|label| label.index() < scheme.n_labels && is_kept(*label))
            };
            self.write_tree(sentence, number, tree);
        }
        is_usable
    }
}

impl Scheme {
    /// Removes the marks of a transformation from the labels of given arcs, so that its inverse does not move them.
    pub(crate) fn unmark(&self, given: &Given, tree: &mut Tree) {
        let Some(inverse) = self.inverse.as_deref().filter(|inverse| inverse.keeps_heads()) else { return };
        for token in tree.tokens().filter(|token| given.head(*token).is_some()) {
            let (head, mut label) = (tree.head(token), tree.label(token));
            while !label.is_none() && inverse.unmarked(label) != label {
                label = inverse.unmarked(label);
            }
            tree.set(token, head, label);
        }
    }
}

/// A label that is not given.
const NO_LABEL: &str = "_";

/// The reason why the heads of a sentence are not part of a tree: the cycle that they form.
pub(crate) fn cycle(sentence: &Sentence) -> Option<Problem> {
    let problems = sentence.tree(&mut Symbols::new()).problems();
    let tokens = problems.into_iter().find_map(|problem| match problem {
        TreeProblem::Cycle { tokens } => Some(tokens),
        _ => None,
    })?;
    let column = sentence.layout().position(Role::Head)?;
    let path: Vec<String> = tokens.iter().chain(tokens.first()).map(ToString::to_string).collect();
    Some(Problem {
        line: sentence.line_of(tokens[0]),
        column: sentence.column_of(tokens[0], column),
        level: Level::Error,
        code: "cycle",
        message: format!("the given heads form a cycle: {}", path.join(" → ")),
        help: "write _ for the head of one of these tokens".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use quaich_treebank::Treebank;

    use super::*;

    fn sentence(heads: &[(&str, &str)]) -> Sentence {
        let row = |(number, (head, label)): (usize, &(&str, &str))| {
            format!("{}\tw\t_\tX\t_\t_\t{head}\t{label}\t_\t_\n", number + 1)
        };
        let text: String = heads.iter().enumerate().map(row).collect();
        Treebank::from_text(&(text + "\n")).unwrap()[0].clone()
    }

    #[test]
    fn heads_and_labels_are_given_or_not() {
        let sentence = sentence(&[("2", "a"), ("_", "b"), ("2", "_")]);
        let mut given = Given::default();
        given.read(&sentence);
        let (mut labels, mut tree) = (Symbols::new(), Tree::default());
        let a = labels.intern("a");
        given.write_tree(&sentence, |text| labels.get(text), &mut tree);
        assert_eq!(tree.heads()[1..], [Node(2), Node::NONE, Node(2)]);
        assert_eq!(tree.labels()[1..], [a, Label::NONE, Label::NONE]);
        assert!(!given.is_empty());
        given.clear(3);
        assert!(given.is_empty());
    }

    #[test]
    fn cycles_are_found_in_partial_trees() {
        assert!(cycle(&sentence(&[("2", "a"), ("_", "b"), ("2", "_")])).is_none());
        let problem = cycle(&sentence(&[("2", "a"), ("1", "b"), ("_", "_")])).unwrap();
        assert_eq!(problem.message, "the given heads form a cycle: 1 → 2 → 1");
        assert_eq!((problem.line, problem.column), (1, 13));
    }
}
