//! The sentences with the most errors; in a tie, the first.

use quaich_treebank::{Node, Sentence};
use serde::Serialize;

use super::ErrorCounts;
use crate::attachment::Attachment;

/// The errors of a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct SentenceErrors {
    /// Its number, from 1.
    pub sentence: u64,
    /// The line of its first token in the gold standard.
    pub line: u64,
    /// Tokens with a wrong head.
    pub head_errors: u64,
    /// Tokens with a wrong label.
    pub label_errors: u64,
    /// Tokens with either.
    pub word_errors: u64,
}

/// The sentences with the most errors of each kind; `None` if there are no errors.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct WorstSentences {
    /// The most wrong tokens.
    pub word_errors: Option<SentenceErrors>,
    /// The most wrong heads.
    pub head_errors: Option<SentenceErrors>,
    /// The most wrong labels.
    pub label_errors: Option<SentenceErrors>,
}

#[derive(Default, Debug)]
pub(super) struct Worst {
    sentences: u64,
    found: WorstSentences,
}

impl Worst {
    /// Counts a sentence.
    pub(super) fn add(&mut self, gold: &Sentence, errors: Attachment) {
        self.sentences += 1;
        let ErrorCounts { any, head, label, .. } = errors.into();
        let this = SentenceErrors {
            sentence: self.sentences,
            line: gold.line_of(Node(1)),
            head_errors: head,
            label_errors: label,
            word_errors: any,
        };
        keep(&mut self.found.word_errors, this, |errors| errors.word_errors);
        keep(&mut self.found.head_errors, this, |errors| errors.head_errors);
        keep(&mut self.found.label_errors, this, |errors| errors.label_errors);
    }

    pub(super) fn found(self) -> WorstSentences {
        self.found
    }
}

fn keep(worst: &mut Option<SentenceErrors>, this: SentenceErrors, count: fn(&SentenceErrors) -> u64) {
    if count(&this) > worst.as_ref().map_or(0, count) {
        *worst = Some(this);
    }
}
