//! Sentences with convertible labels → trees.

use quaich_treebank::symbols::Symbols;
use quaich_treebank::{Label, Node, Role, Sentence};

use crate::decode::Decoder;
use crate::language::by_name;
use crate::tree::{Kinds, PhraseTree};
use crate::treebank::{LANGUAGE, has_text};

/// The kind of a root that has none, in sentences that are no source files.
const ROOT: &str = "ROOT";

/// Decodes sentences one after the other.
#[derive(Debug)]
pub struct SentenceDecoder {
    labels: Symbols<Label>,
    kinds: Kinds,
    decoder: Decoder,
}

impl Default for SentenceDecoder {
    fn default() -> Self {
        let mut kinds = Kinds::new();
        let root = kinds.intern(ROOT);
        Self { labels: Symbols::new(), kinds, decoder: Decoder::new(root) }
    }
}

impl SentenceDecoder {
    /// Returns the tree of a sentence.
    pub fn decode(&mut self, sentence: &Sentence) -> PhraseTree {
        let language = sentence.comment(LANGUAGE).and_then(|name| by_name(name).ok());
        self.decoder.set_root_kind(self.kinds.intern(language.map_or(ROOT, |language| language.root)));
        let tree = sentence.tree(&mut self.labels);
        self.decoder.decode(&tree, |label| self.labels.text(label), &mut self.kinds)
    }

    /// Returns the kinds of all trees so far.
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// Returns the kinds, to add some.
    pub fn kinds_mut(&mut self) -> &mut Kinds {
        &mut self.kinds
    }

    /// Returns what a tree shows of each token with text: its leaf kind or else its tag, and its form.
    pub fn leaf<'s>(&'s self, sentence: &'s Sentence, tree: &PhraseTree, token: usize) -> (&'s str, &'s str) {
        let node = Node::from_index(token + 1);
        let leaf = tree.leaf_kinds()[token];
        let tag = match sentence.value(node, Role::CoarseTag) {
            "_" => sentence.value(node, Role::FineTag),
            tag => tag,
        };
        (if leaf.is_some() { self.kinds.text(leaf) } else { tag }, sentence.form(node))
    }
}

/// Whether a token of a sentence, counted from 0, has text: ends of lines and indentation have none.
pub fn token_has_text(sentence: &Sentence, token: usize) -> bool {
    has_text(sentence.value(Node::from_index(token + 1), Role::Misc))
}
