//! The content of a drawing: words and arcs, independent of the renderer.

use std::borrow::Cow;

use quaich_treebank::layout::Role;
use quaich_treebank::{Node, Sentence};

/// A word and its annotation; empty strings for missing values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Word {
    /// The form.
    pub form: String,
    /// The part-of-speech tag.
    pub tag: String,
    /// The number as in the file.
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
    /// Returns the leftmost and rightmost of its two words.
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
    /// Creates a picture with the words and heads of a sentence.
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

    /// Returns the arc into a word.
    pub fn arc_into(&self, word: usize) -> Option<&Arc> {
        // Pictures of sentences have their arcs sorted by dependent.
        match self.arcs.binary_search_by_key(&word, |arc| arc.dependent) {
            Ok(at) => Some(&self.arcs[at]),
            Err(_) => self.arcs.iter().find(|arc| arc.dependent == word),
        }
    }

    /// Whether most letters are of right-to-left scripts.
    pub fn is_right_to_left(&self) -> bool {
        let mut balance = 0i64;
        for letter in self.words.iter().flat_map(|word| word.form.chars()).filter(|c| c.is_alphabetic()) {
            balance += if is_of_right_to_left_script(letter) { 1 } else { -1 };
        }
        balance > 0
    }

    /// Iterates over the words with their nodes, from 1.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (Node, &Word)> {
        (1..).map(Node::from_index).zip(&self.words)
    }
}

/// Letters of the Unicode blocks reserved for right-to-left scripts.
fn is_of_right_to_left_script(letter: char) -> bool {
    matches!(letter,
        '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// Isolates text within a line: if it contains right-to-left letters, viewers would reorder the neighbouring text
/// otherwise. U+2068 and U+2069 have no width.
pub fn isolated(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_of_right_to_left_script) {
        Cow::Owned(format!("\u{2068}{text}\u{2069}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Escapes characters that would move the cursor or the words behind it.
fn visible(text: &str) -> String {
    quaich_treebank::visible::visible(text).replace('\t', "\\t")
}
