//! Consumers of an encoding besides the decisions of parsers: classes of words, learned and predicted over the same encoder.
//!
//! What a consumer predicts, the encoder does not see. A new consumer is a file here and its entry in [`CONSUMERS`].

mod tags;

use std::fmt::Debug;
use std::sync::Arc;

use quaich_learn::encoder::{SlotExamples, SlotHead, SlotScratch, SlotShape, Slots};
use quaich_treebank::{Label, Node, Role, Sentence, Symbols};

use crate::error::{Result, unknown_name};

/// Something that every word has and that can be predicted in context.
pub(crate) trait Consumer: Debug + Sync {
    /// The name, as in settings and model files.
    fn name(&self) -> &'static str;

    /// One line of help.
    fn help(&self) -> &'static str;

    /// The column that it is read from and written to.
    fn role(&self) -> Role;

    /// What a word has.
    fn class<'s>(&self, sentence: &'s Sentence, token: Node) -> &'s str {
        let column = sentence.layout().position(self.role());
        column.map_or("_", |column| sentence.cell(token, column))
    }
}

/// The consumers, in the order help shows them.
pub(crate) static CONSUMERS: &[&dyn Consumer] = &[&tags::Tags];

/// The setting that asks for no consumer.
const NONE: &str = "none";

/// Consumers by name: `none`, or names with commas between them.
pub(crate) fn by_names(names: &str) -> Result<Vec<&'static dyn Consumer>> {
    let by_name = |name: &str| {
        let found = CONSUMERS.iter().copied().find(|consumer| consumer.name() == name.trim());
        found
            .ok_or_else(|| unknown_name("prediction", name, CONSUMERS.iter().map(|consumer| consumer.name())))
    };
    if names == NONE { Ok(Vec::new()) } else { names.split(',').map(by_name).collect() }
}

/// Hidden units that choose a class.
const HIDDEN: usize = 128;

/// What a consumer learns from.
#[derive(Clone, Debug)]
pub(crate) struct ClassData {
    consumer: &'static dyn Consumer,
    classes: Arc<Vec<String>>,
    examples: Arc<SlotExamples>,
}

impl ClassData {
    /// The classes of all words of some sentences.
    pub(crate) fn of(consumer: &'static dyn Consumer, sentences: &[&Sentence]) -> Self {
        let mut classes = Symbols::<Label>::new();
        let mut examples = SlotExamples::new(1, 0);
        for sentence in sentences {
            for token in sentence.tokens() {
                let class = classes.intern(consumer.class(sentence, token));
                examples.push(&[token.0], &[], class.0);
            }
            examples.end_sequence();
        }
        let classes = classes.iter().map(|(_, text)| text.to_owned()).collect();
        Self { consumer, classes: Arc::new(classes), examples: Arc::new(examples) }
    }

    /// The objective to find them.
    pub(crate) fn objective(&self) -> Slots {
        let shape = SlotShape { slots: 1, marks: 0, width: HIDDEN, classes: self.classes.len().max(1) };
        Slots::new(shape, Arc::clone(&self.examples))
    }

    /// What was learned, given what scores the classes by network.
    pub(crate) fn trained(&self, heads: Vec<SlotHead>) -> WordClasses {
        WordClasses { consumer: self.consumer, classes: Arc::clone(&self.classes), heads }
    }
}

/// A trained consumer.
#[derive(Clone, Debug)]
pub(crate) struct WordClasses {
    pub(crate) consumer: &'static dyn Consumer,
    pub(crate) classes: Arc<Vec<String>>,
    /// By network of the encoder.
    pub(crate) heads: Vec<SlotHead>,
}

impl WordClasses {
    /// The class of a word, given the encodings of its sentence by network.
    pub(crate) fn predict(
        &self,
        encodings: &[quaich_learn::encoder::Encoding],
        token: Node,
        scratch: &mut SlotScratch,
    ) -> &str {
        let mut sums = vec![0.0; self.classes.len()];
        for (head, encoding) in self.heads.iter().zip(encodings) {
            for (sum, score) in sums.iter_mut().zip(head.scores(encoding, &[token.0], &[], scratch)) {
                *sum += score;
            }
        }
        let best = (0..sums.len()).rev().max_by(|&one, &other| sums[one].total_cmp(&sums[other]));
        best.map_or("_", |best| &self.classes[best])
    }
}
