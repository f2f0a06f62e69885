//! Sentences without their tags, as the target may be.

use std::sync::Arc;

use quaich_treebank::{Role, Sentence};

/// What a model for untagged words predicts.
const PREDICTED: [Role; 4] = [Role::CoarseTag, Role::FineTag, Role::Feats, Role::Lemma];

/// Whether a word has a tag.
pub(crate) fn has_tags(sentence: &Sentence) -> bool {
    let is_tagged = |role: &Role| sentence.tokens().any(|token| sentence.value(token, *role) != "_");
    PREDICTED[..2].iter().any(is_tagged)
}

/// The sentence with `_` in these columns.
pub(crate) fn without(sentence: &Sentence, roles: &[Role]) -> Sentence {
    let layout = sentence.layout();
    let mut columns: Vec<usize> = roles.iter().filter_map(|&role| layout.position(role)).collect();
    columns.sort_unstable();
    let mut text = Vec::new();
    sentence.write_replacing(&mut text, &columns, |_, _, out| out.push(b'_'));
    read(sentence, &text)
}

/// The sentences without tags, features and lemmas.
pub(crate) fn without_tags(sentences: &[Sentence]) -> Vec<Sentence> {
    sentences.iter().map(|sentence| without(sentence, &PREDICTED)).collect()
}

/// Reads the text of a sentence that was made from another.
pub(crate) fn read(from: &Sentence, text: &[u8]) -> Sentence {
    let mut sentence = Sentence::empty(Arc::clone(from.layout()));
    sentence.read_block(from.layout(), text, from.first_line(), &mut Vec::new());
    sentence
}
