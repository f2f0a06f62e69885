//! Lemmas, predicted as edit rules of forms.

use std::borrow::Cow;

use quaich_text::edit_rules::EditRule;
use quaich_treebank::{Node, Role, Sentence};

use super::{Consumer, Kind};

/// The lemma.
#[derive(Debug)]
pub(super) struct Lemmas;

impl Consumer for Lemmas {
    fn name(&self) -> &'static str {
        "lemmas"
    }

    fn help(&self) -> &'static str {
        "lemmas"
    }

    fn role(&self) -> Role {
        Role::Lemma
    }

    fn kind(&self) -> Kind {
        Kind::EditRule
    }

    fn class<'s>(&self, sentence: &'s Sentence, token: Node) -> Option<Cow<'s, str>> {
        let lemma = sentence.cell(token, sentence.layout().position(Role::Lemma)?);
        let form = sentence.form(token);
        // An underscore means that there is no lemma, except if the form is an underscore.
        let has_lemma = lemma != "_" || form == "_";
        has_lemma.then(|| Cow::Owned(EditRule::between(form, lemma).to_string()))
    }
}
