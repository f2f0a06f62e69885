//! Bracketed trees as sentences of CoNLL-U, and back.
//!
//! FORM is the word, UPOS and XPOS are its tag, and the label restores the tree.

use std::fmt::Write;

use quaich_treebank::symbols::Symbols;
use quaich_treebank::{Label, Node, Role, Sentence, Tree};

use crate::brackets::{BracketedTree, write_brackets};
use crate::sentence_decoder::SentenceDecoder;
use crate::tree::{Kind, Kinds};

impl BracketedTree {
    /// Writes the sentence with the heads and labels of a tree.
    pub fn write_sentence(&self, tree: &Tree, labels: &Symbols<Label>, kinds: &Kinds, out: &mut String) {
        for (token, (word, &tag)) in (1..).map(Node).zip(self.words.iter().zip(&self.tags)) {
            let tag = if tag.is_some() { kinds.text(tag) } else { "_" };
            let (head, label) = (tree.head(token), labels.text(tree.label(token)));
            writeln!(out, "{token}\t{word}\t_\t{tag}\t{tag}\t_\t{head}\t{label}\t_\t_")
                .expect("writing to a string cannot fail");
        }
        out.push('\n');
    }

    /// Returns the names of the tokens, for head rules: their tags.
    pub fn names(&self, kinds: &mut Kinds) -> Vec<Kind> {
        let untagged = kinds.intern("_");
        self.tags.iter().map(|&tag| if tag.is_some() { tag } else { untagged }).collect()
    }
}

/// Writes the tree of a sentence in brackets, on one line.
pub fn write_sentence_brackets(sentence: &Sentence, decoder: &mut SentenceDecoder, out: &mut String) {
    let tree = decoder.decode(sentence);
    let leaf = |token: usize| {
        let node = Node::from_index(token + 1);
        let tags = [Role::FineTag, Role::CoarseTag].map(|role| sentence.value(node, role));
        let leaf_kind = tree.leaf_kinds()[token];
        let tag = match tags.into_iter().find(|tag| *tag != "_") {
            _ if leaf_kind.is_some() => Some(decoder.kinds().text(leaf_kind)),
            tag => tag,
        };
        (tag, sentence.form(node))
    };
    write_brackets(&tree, decoder.kinds(), leaf, out);
    out.push('\n');
}
