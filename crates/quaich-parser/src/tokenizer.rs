//! Raw text → sentences of words: the segmenter, and the splitter of multiword tokens, as a part of a model.

use std::sync::Arc;

use quaich_text::multiword::{MultiwordSplitter, training_tokens};
use quaich_text::segmenter::{Segmenter, SegmenterOptions, TrainingProgress};
use quaich_text::surface::Spacing;
use quaich_treebank::Sentence;
use serde_json::Value;

use crate::error::Result;
use crate::observer::{Event, Observer};
use crate::part::{PartError, PartReader, PartWriter};

/// Finds tokens, sentences and words in text.
#[derive(Clone, Debug)]
pub(crate) struct Tokenizer {
    pub(crate) segmenter: Arc<Segmenter>,
    pub(crate) splitter: MultiwordSplitter,
}

/// Tells an observer of the training.
struct Progress<'o>(&'o dyn Observer);

impl TrainingProgress for Progress<'_> {
    fn begin(&mut self, _stage: &str, epochs: usize) {
        self.0.event(&Event::Work { steps: epochs });
        self.0.event(&Event::Stage { name: "training the tokenizer", steps: epochs });
    }

    fn epoch(&mut self, _done: usize, _of: usize, _loss: f64) {
        self.0.event(&Event::Step);
    }

    fn stops(&self) -> bool {
        self.0.stop()
    }
}

impl Tokenizer {
    /// Learns from the text of sentences; nothing if there is none. Fails only if the observer stops it.
    pub(crate) fn train(sentences: &[Sentence], seed: u64, observer: &dyn Observer) -> Result<Option<Self>> {
        let all: Vec<&Sentence> = sentences.iter().collect();
        let options = SegmenterOptions { seed, ..SegmenterOptions::default() };
        let Some(segmenter) = Segmenter::train(&all, &options, &mut Progress(observer)).map(Arc::new) else {
            observer.check()?;
            return Ok(None);
        };
        if segmenter.spacing() == Spacing::Assumed {
            observer.event(&Event::SpacingAssumed);
        }
        let mut tokens = Vec::new();
        for sentence in sentences {
            training_tokens(sentence, &mut tokens);
        }
        Ok(Some(Self { segmenter, splitter: MultiwordSplitter::learn(&tokens) }))
    }

    /// The words of a token, unless it is one word: then the list is left empty.
    pub(crate) fn split(&self, form: &str, is_flagged: bool, words: &mut Vec<String>) {
        if self.splitter.is_multiword(form, is_flagged)
            && let Some(split) = self.splitter.split(form)
        {
            words.extend(split);
        }
    }

    /// Writes it as a part of a model file.
    pub(crate) fn save(&self, part: &mut PartWriter<'_>) {
        part.describe(&self.splitter);
        part.arrays(SEGMENTER, |arrays| self.segmenter.save(arrays));
    }

    /// Reads it.
    pub(crate) fn load(part: &PartReader<'_>) -> Result<Self, PartError> {
        let splitter: MultiwordSplitter = part.description()?;
        let segmenter = Segmenter::load(&part.arrays(SEGMENTER)?)
            .map_err(|error| PartError(format!("in its tokenizer, {error}")))?;
        Ok(Self { segmenter: Arc::new(segmenter), splitter })
    }
}

/// The name of the segmenter's arrays.
const SEGMENTER: &str = "segmenter";
/// The prefix of the names of the tokenizer's arrays.
pub(crate) const PREFIX: &str = "tokenizer/";

/// The description of a tokenizer; null where there is none.
pub(crate) fn is_there(description: &Value) -> bool {
    !description.is_null()
}
