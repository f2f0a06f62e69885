//! Universal part-of-speech tags.

use quaich_treebank::Role;

use super::Consumer;

/// The coarse tag of every word.
#[derive(Debug)]
pub(super) struct Tags;

impl Consumer for Tags {
    fn name(&self) -> &'static str {
        "tags"
    }

    fn help(&self) -> &'static str {
        "part-of-speech tags (UPOS)"
    }

    fn role(&self) -> Role {
        Role::CoarseTag
    }
}
