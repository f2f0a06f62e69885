//! Consumers of an encoding other than parsers: word classes that are learned and predicted from the same encoder.
//!
//! The encoder does not see the columns that a consumer predicts. To add a consumer, add a file here and an entry in [`CONSUMERS`].

mod tags;

use std::fmt::Debug;
use std::sync::Arc;

use quaich_learn::encoder::{SlotExamples, SlotHead, SlotScratch, SlotShape, Slots};
use quaich_treebank::{Label, Node, Role, Sentence, Symbols};

use crate::error::{Result, unknown_name};

/// A property of every word that can be predicted in context.
pub(crate) trait Consumer: Debug + Sync {
    /// The name, as in settings and model files.
    fn name(&self) -> &'static str;

    /// One line of help.
    fn help(&self) -> &'static str;

    /// The column that it reads from and writes to.
    fn role(&self) -> Role;

    /// A word's class.
    fn class<'s>(&self, sentence: &'s Sentence, token: Node) -> &'s str {
        let column = sentence.layout().position(self.role());
        column.map_or("_", |column| sentence.cell(token, column))
    }
}

/// The consumers, in the order that help shows them.
pub(crate) static CONSUMERS: &[&dyn Consumer] = &[&tags::Tags];

/// The value that selects no consumer.
const NONE: &str = "none";

/// Looks up consumers: `none`, or names separated by commas.
pub(crate) fn by_names(names: &str) -> Result<Vec<&'static dyn Consumer>> {
    let by_name = |name: &str| {
        let found = CONSUMERS.iter().copied().find(|consumer| consumer.name() == name.trim());
        found
            .ok_or_else(|| unknown_name("prediction", name, CONSUMERS.iter().map(|consumer| consumer.name())))
    };
    if names == NONE { Ok(Vec::new()) } else { names.split(',').map(by_name).collect() }
}

/// Hidden units of the classifier.
const HIDDEN: usize = 128;

/// A consumer's training data.
#[derive(Clone, Debug)]
pub(crate) struct ClassData {
    consumer: &'static dyn Consumer,
    classes: Arc<Vec<String>>,
    examples: Arc<SlotExamples>,
}

impl ClassData {
    /// Collects the classes of all words of some sentences.
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

    /// The objective to predict them.
    pub(crate) fn objective(&self) -> Slots {
        let shape = SlotShape { slots: 1, marks: 0, width: HIDDEN, classes: self.classes.len().max(1) };
        Slots::new(shape, Arc::clone(&self.examples))
    }

    /// A trained consumer, given one head per network.
    pub(crate) fn trained(&self, heads: Vec<SlotHead>) -> WordClasses {
        WordClasses { consumer: self.consumer, classes: Arc::clone(&self.classes), heads }
    }
}

/// A trained consumer.
#[derive(Clone, Debug)]
pub(crate) struct WordClasses {
    pub(crate) consumer: &'static dyn Consumer,
    pub(crate) classes: Arc<Vec<String>>,
    /// One per network of the encoder.
    pub(crate) heads: Vec<SlotHead>,
}

impl WordClasses {
    /// Predicts the class of a word from the encodings of its sentence, one per network.
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
