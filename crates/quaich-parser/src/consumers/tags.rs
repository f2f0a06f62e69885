//! Part-of-speech tags: coarse tags (UPOS) and fine tags (XPOS).

use quaich_treebank::Role;

use super::Consumer;

/// The coarse tag.
#[derive(Debug)]
pub(super) struct CoarseTags;

/// The fine tag.
#[derive(Debug)]
pub(super) struct FineTags;

impl Consumer for CoarseTags {
    fn name(&self) -> &'static str {
        "upos"
    }

    fn help(&self) -> &'static str {
        "coarse part-of-speech tags (UPOS)"
    }

    fn role(&self) -> Role {
        Role::CoarseTag
    }
}

impl Consumer for FineTags {
    fn name(&self) -> &'static str {
        "xpos"
    }

    fn help(&self) -> &'static str {
        "fine part-of-speech tags (XPOS)"
    }

    fn role(&self) -> Role {
        Role::FineTag
    }
}
