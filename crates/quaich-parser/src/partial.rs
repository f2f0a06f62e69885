//! Partial trees: sentences in which some heads are unknown (`_`), and what `_` means as a label there.

use quaich_treebank::tree::TreeProblem;
use quaich_treebank::{Node, Sentence, Symbols, Underscore};

/// The completed heads of sentences with partial trees, by the number of the sentence; `None` for other sentences.
#[derive(Clone, Debug, Default)]
pub(crate) struct Completed {
    pub(crate) heads: Vec<Option<Vec<Node>>>,
}

impl Completed {
    /// The completed heads of a sentence, by node.
    pub(crate) fn heads(&self, number: usize) -> Option<&[Node]> {
        self.heads.get(number)?.as_deref()
    }
}

/// What a sentence has of its tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    /// No head, or heads that are not part of a tree.
    Nothing,
    /// Some heads.
    Part,
    /// All heads.
    All,
}

/// Tells what a sentence has of its tree.
pub(crate) fn known(sentence: &Sentence) -> Known {
    let n_known = sentence.heads()[1..].iter().filter(|head| head.is_some()).count();
    if n_known == 0 {
        return Known::Nothing;
    }
    if n_known == sentence.n_tokens() {
        return Known::All;
    }
    let is_wrong = |problem: &TreeProblem| !matches!(problem, TreeProblem::NoHead { .. });
    let problems = sentence.tree(&mut Symbols::new()).problems();
    if problems.iter().any(is_wrong) { Known::Nothing } else { Known::Part }
}

/// The meaning of `_` as the label of a word with a head. In a treebank with partial trees it is an unknown label, unless
/// complete trees have it beside other labels.
pub(crate) fn underscore<'s>(sentences: impl Iterator<Item = &'s Sentence> + Clone) -> Underscore {
    if !sentences.clone().any(|sentence| known(sentence) == Known::Part) {
        return Underscore::of(sentences);
    }
    let complete = || sentences.clone().filter(|sentence| known(sentence) == Known::All);
    let has_underscore =
        complete().any(|sentence| sentence.tokens().any(|token| sentence.label(token) == "_"));
    if has_underscore { Underscore::of(complete()) } else { Underscore::Absent }
}

#[cfg(test)]
mod tests {
    use quaich_treebank::Treebank;

    use super::*;

    fn treebank(rows: &[&[(&str, &str)]]) -> Treebank {
        let row = |(number, (head, label)): (usize, &(&str, &str))| {
            format!("{number}\tw{number}\t_\tX\t_\t_\t{head}\t{label}\t_\t_\n")
        };
        let text =
            |sentence: &&[(&str, &str)]| (1..).zip(*sentence).map(row).collect::<Vec<_>>().concat() + "\n";
        Treebank::from_text(&rows.iter().map(text).collect::<Vec<_>>().concat()).unwrap()
    }

    #[test]
    fn an_underscore_is_unknown_in_partial_trees() {
        let part: &[(&str, &str)] = &[("2", "_"), ("_", "_")];
        let whole: &[(&str, &str)] = &[("2", "a"), ("0", "b")];
        let mixed: &[(&str, &str)] = &[("2", "_"), ("0", "b")];
        let of = |rows: &[&[(&str, &str)]]| underscore(treebank(rows).iter());
        assert_eq!(of(&[part, whole]), Underscore::Absent);
        assert_eq!(of(&[part, mixed]), Underscore::Label);
        assert_eq!(of(&[whole, mixed]), Underscore::Label);
    }
}
