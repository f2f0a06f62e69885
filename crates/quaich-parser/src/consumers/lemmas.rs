//! Lemmas, made from forms by edit rules.

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
        // Without a lemma there is no rule, unless it is the lemma of an underscore.
        let is_there = lemma != "_" || form == "_";
        is_there.then(|| Cow::Owned(EditRule::between(form, lemma).to_string()))
    }
}
