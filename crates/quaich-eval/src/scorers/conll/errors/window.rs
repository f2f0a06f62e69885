//! The words around an error, as symbols.

use quaich_treebank::symbols::{Form, Symbols, Tag};
use quaich_treebank::{Node, Sentence};

/// A token's tag and form; outside a sentence a marker, and no form.
pub(super) type Word = (Tag, Form);

/// A token with the two words before and after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window([Word; 5]);

impl Window {
    /// Returns the words at these offsets from the token.
    pub(super) fn words<const N: usize>(&self, offsets: [isize; N]) -> [Word; N] {
        offsets.map(|offset| self.0[offset.saturating_add(2).clamp(0, 4).unsigned_abs()])
    }
}

/// The names of words.
#[derive(Default, Debug)]
pub(super) struct Vocabulary {
    tags: Symbols<Tag>,
    forms: Symbols<Form>,
}

impl Vocabulary {
    /// Returns the window of a token.
    pub(super) fn window(&mut self, sentence: &Sentence, tag_column: Option<usize>, token: Node) -> Window {
        let n_tokens = sentence.n_tokens();
        // Offset by two, so that positions before the first word are valid.
        let places = [0, 1, 2, 3, 4].map(|offset| token.index() + offset);
        Window(places.map(|place| match place.checked_sub(2) {
            Some(index) if index > 0 && index <= n_tokens => {
                let node = Node::from_index(index);
                let tag = tag_column.map_or("_", |column| sentence.cell(node, column));
                (self.tags.intern(tag), self.forms.intern(sentence.form(node)))
            }
            Some(index) if index > n_tokens => (self.tags.intern(".E"), Form::NONE),
            _ => (self.tags.intern(".S"), Form::NONE),
        }))
    }

    pub(super) fn tag(&self, tag: Tag) -> &str {
        self.tags.text(tag)
    }

    /// Returns the form; outside a sentence the marker.
    pub(super) fn form(&self, (tag, form): Word) -> &str {
        if form.is_none() { self.tags.text(tag) } else { self.forms.text(form) }
    }

    /// Returns the name of a word in lists: `form / tag`, or the marker.
    pub(super) fn name(&self, (tag, form): Word) -> String {
        if form.is_none() {
            self.tags.text(tag).to_owned()
        } else {
            format!("{} / {}", self.forms.text(form), self.tags.text(tag))
        }
    }
}
