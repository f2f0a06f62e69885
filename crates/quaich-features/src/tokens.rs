//! A sentence's words as hashes: computed once a sentence, looked up in every state.

use quaich_treebank::{Node, Role, Sentence};

use crate::hash;

/// A property of a token that is known before parsing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum TokenAttribute {
    /// The word form.
    Form,
    /// The lemma.
    Lemma,
    /// The coarse tag.
    CoarseTag,
    /// The fine tag.
    FineTag,
    /// All morphological features together.
    Feats,
    /// The last three characters of the form.
    Suffix,
}

impl TokenAttribute {
    /// Every attribute, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::Form, Self::Lemma, Self::CoarseTag, Self::FineTag, Self::Feats, Self::Suffix];

    /// The name in the notation of templates.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Form => "w",
            Self::Lemma => "l",
            Self::CoarseTag => "p",
            Self::FineTag => "t",
            Self::Feats => "f",
            Self::Suffix => "x",
        }
    }

    /// The attribute with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|attribute| attribute.name() == name)
    }

    /// The column it is read from.
    pub const fn role(self) -> Role {
        match self {
            Self::Form | Self::Suffix => Role::Form,
            Self::Lemma => Role::Lemma,
            Self::CoarseTag => Role::CoarseTag,
            Self::FineTag => Role::FineTag,
            Self::Feats => Role::Feats,
        }
    }
}

/// How many attributes a token has room for: a cache line of them.
const WIDTH: usize = 8;

/// The attributes of every token of a sentence, of the root, and of no node at all.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// By node; the last entry stands for `Node::NONE`.
    rows: Vec<[u64; WIDTH]>,
}

impl Tokens {
    /// Computes the attributes of a sentence, reusing the memory of the last.
    pub fn read(&mut self, sentence: &Sentence) {
        self.rows.clear();
        self.rows.resize(sentence.n_tokens() + 2, [0; WIDTH]);
        for attribute in TokenAttribute::ALL {
            let column = attribute as usize;
            self.rows[0][column] = hash::number(column as u64, 1);
            if let Some(none) = self.rows.last_mut() {
                none[column] = hash::number(column as u64, 2);
            }
        }
        let columns = TokenAttribute::ALL.map(|attribute| sentence.layout().position(attribute.role()));
        for token in sentence.tokens() {
            let row = &mut self.rows[token.index()];
            for (attribute, column) in TokenAttribute::ALL.into_iter().zip(columns) {
                let mut text = column.map_or("_", |column| sentence.cell(token, column));
                if attribute == TokenAttribute::Suffix {
                    text = last_three(text);
                }
                row[attribute as usize] = hash::bytes(attribute as u64, text.as_bytes());
            }
        }
    }

    /// An attribute of a node; `Node::NONE` has attributes of its own.
    #[inline]
    pub fn get(&self, node: Node, attribute: TokenAttribute) -> u64 {
        self.rows[node.index().min(self.rows.len() - 1)][attribute as usize]
    }

    /// The number of tokens.
    pub fn n_tokens(&self) -> usize {
        self.rows.len().saturating_sub(2)
    }
}

fn last_three(text: &str) -> &str {
    text.char_indices().rev().nth(2).map_or(text, |(at, _)| &text[at..])
}
