//! The grammar's analysis as columns of a sentence, so that a parser can learn where to trust it.
//!
//! LEMMA is the label that the grammar's tree gives the token, XPOS the tag of the head in that tree with its direction and
//! distance, and FEATS says whether the token is in a part that the grammar does not accept. In code without errors these are
//! right; a parser that also sees damaged copies learns what they are worth in code with errors.

use std::fmt::Write;

use quaich_treebank::symbols::Symbols;
use quaich_treebank::{Label, Node, Tree};

use crate::encode::{Encoder, Labels};
use crate::head_rules::HeadRule;
use crate::language::Language;
use crate::lexer::Token;
use crate::tree::{Kind, Kinds, NONE, PhraseTree};

/// Makes the columns of files, one after the other.
#[derive(Clone, Debug)]
pub struct GrammarColumns {
    encoder: Encoder,
}

/// The columns of a file.
#[derive(Clone, Debug)]
pub struct Columns {
    tree: Tree,
    /// By token.
    errors: Vec<Near>,
}

/// Where a token is, seen from the nodes that the grammar does not accept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Near {
    /// In none.
    None,
    /// Somewhere below one.
    Below,
    /// The child of one.
    Child,
}

impl Default for GrammarColumns {
    fn default() -> Self {
        Self { encoder: Encoder::new(HeadRule::Term, Labels::Convertible) }
    }
}

impl GrammarColumns {
    /// Returns the columns of a file with this analysis by the grammar. `names` are those of the tokens' tags, `error` is the
    /// kind of nodes that the grammar does not accept.
    pub fn of(&mut self, analysis: &PhraseTree, names: &[Kind], kinds: &Kinds, error: Kind) -> Columns {
        let mut is_below: Vec<bool> = Vec::with_capacity(analysis.n_nonterminals());
        for (&kind, &parent) in analysis.kinds().iter().zip(analysis.parents()) {
            is_below.push(kind == error || (parent != NONE && is_below[parent as usize]));
        }
        let near = |&parent: &u32| match parent as usize {
            parent if analysis.kinds()[parent] == error => Near::Child,
            parent if is_below[parent] => Near::Below,
            _ => Near::None,
        };
        let errors = analysis.token_parents().iter().map(near).collect();
        Columns { tree: self.encoder.encode(analysis, names, kinds), errors }
    }

    /// Returns the labels of all columns so far.
    pub fn labels(&self) -> &Symbols<Label> {
        self.encoder.label_symbols()
    }
}

impl Columns {
    /// Returns LEMMA.
    pub(crate) fn lemma<'l>(&self, node: Node, labels: &'l Symbols<Label>) -> &'l str {
        let label = self.tree.label(node);
        if label.is_none() { "_" } else { labels.text(label) }
    }

    /// Writes XPOS.
    pub(crate) fn write_head(&self, node: Node, language: &Language, tokens: &[Token], out: &mut String) {
        let head = self.tree.head(node);
        let Some(token) = head.index().checked_sub(1).and_then(|head| tokens.get(head)) else {
            out.push_str("ROOT");
            return;
        };
        let sign = if head < node { '-' } else { '+' };
        let distance = distance_class(head.index().abs_diff(node.index()));
        write!(out, "{}{sign}{distance}", language.tag_name(token.tag))
            .expect("writing to a string cannot fail");
    }

    /// Returns FEATS.
    pub(crate) fn feats(&self, node: Node) -> &'static str {
        match self.errors[node.index() - 1] {
            Near::None => "_",
            Near::Below => "Error=Above",
            Near::Child => "Error=Parent",
        }
    }
}

/// Returns the smallest distance that is not distinguished from this one.
fn distance_class(distance: usize) -> usize {
    const CLASSES: [usize; 4] = [6, 11, 21, 51];
    let class = CLASSES.iter().rev().find(|&&class| distance >= class);
    class.copied().unwrap_or(distance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brackets::{BracketOptions, BracketReader};
    use crate::language::by_name;
    use crate::lexer::Lexer;

    #[test]
    fn columns_tell_labels_heads_and_errors() {
        let mut kinds = Kinds::new();
        let brackets = "(module (call f (arguments \"(\" (ERROR = (x y)) \")\")) LINE)";
        let text = brackets.replace("\"(\"", "-LRB-").replace("\")\"", "-RRB-");
        let mut reader = BracketReader::new(text.as_bytes(), "trees", BracketOptions::default());
        let tree = reader.next(&mut kinds).unwrap().unwrap().tree;
        let language = by_name("python").unwrap();
        let tokens = Lexer::new(language).tokens(b"f(=y)\n").unwrap();
        let names: Vec<Kind> =
            tokens.iter().map(|token| kinds.intern(language.tag_name(token.tag))).collect();
        let mut columns = GrammarColumns::default();
        let error = kinds.intern("ERROR");
        let of = columns.of(&tree, &names, &kinds, error);
        let cells: Vec<String> = (1..=tokens.len())
            .map(|number| {
                let node = Node::from_index(number);
                let mut head = String::new();
                of.write_head(node, language, &tokens, &mut head);
                format!("{} {head} {}", of.lemma(node, columns.labels()), of.feats(node))
            })
            .collect();
        let expected = [
            "call@0 LINE+5 _",
            "arguments@0 IDENT-1 _",
            "ERROR@0 (-1 Error=Parent",
            "*@0 =-1 Error=Parent",
            "*@0 (-3 _",
            "module ROOT _",
        ];
        assert_eq!(cells, expected);
        assert_eq!([1, 5, 6, 10, 11, 400].map(distance_class), [1, 5, 6, 6, 11, 51]);
    }
}
