//! What is drawn: words and arcs, without any notion of how.

use quaich_treebank::layout::Role;
use quaich_treebank::{Node, Sentence};

/// A word and what is written with it; empty where there is nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Word {
    /// The form.
    pub form: String,
    /// The part of speech.
    pub tag: String,
    /// The number, as the file has it.
    pub number: String,
}

/// An arc from a head to its dependent. Node 0 is the root, words count from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arc {
    /// The head; 0 for a root.
    pub head: usize,
    /// The dependent, from 1.
    pub dependent: usize,
    /// The label; may be empty.
    pub label: String,
}

impl Arc {
    /// The leftmost and rightmost of its two words.
    pub fn span(&self) -> (usize, usize) {
        (self.head.min(self.dependent), self.head.max(self.dependent))
    }
}

/// A sentence to draw.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Picture {
    /// The words in order.
    pub words: Vec<Word>,
    /// The arcs in any order; at most one into a word.
    pub arcs: Vec<Arc>,
}

impl Picture {
    /// The words and heads of a sentence.
    pub fn of(sentence: &Sentence) -> Self {
        let shown = |value: &str| if value == "_" { String::new() } else { visible(value) };
        let layout = sentence.layout();
        let tag = layout.position(Role::CoarseTag).or(layout.position(Role::FineTag));
        let words = sentence
            .tokens()
            .map(|token| Word {
                form: visible(sentence.form(token)),
                tag: tag.map(|column| shown(sentence.cell(token, column))).unwrap_or_default(),
                number: token.to_string(),
            })
            .collect();
        let mut picture = Self { words, arcs: Vec::new() };
        for token in sentence.tokens() {
            let head = sentence.heads()[token.index()];
            if head.is_some() {
                picture.arc(head.index(), token.index(), &shown(sentence.label(token)));
            }
        }
        picture
    }

    /// Adds an arc.
    pub fn arc(&mut self, head: usize, dependent: usize, label: &str) {
        self.arcs.push(Arc { head, dependent, label: label.to_owned() });
    }

    /// The arc into a word.
    pub fn arc_into(&self, word: usize) -> Option<&Arc> {
        // Pictures of sentences have their arcs in the order of their dependents.
        match self.arcs.binary_search_by_key(&word, |arc| arc.dependent) {
            Ok(at) => Some(&self.arcs[at]),
            Err(_) => self.arcs.iter().find(|arc| arc.dependent == word),
        }
    }

    /// The words with the given node for each, from 1.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (Node, &Word)> {
        (1..).map(Node::from_index).zip(&self.words)
    }
}

/// Control characters would move the cursor; they are shown as what they are.
fn visible(text: &str) -> String {
    if text.chars().any(char::is_control) { text.escape_debug().to_string() } else { text.to_owned() }
}
