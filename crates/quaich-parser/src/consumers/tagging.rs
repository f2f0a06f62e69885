//! The training data of a tagger: the classes of every word of the training sentences.

use std::collections::HashMap;
use std::sync::Arc;

use quaich_features::hash;
use quaich_learn::encoder::{ABSENT, ClassExamples, ClassHead, ClassShape, Classes};
use quaich_treebank::{Label, Node, Sentence, Symbols};

use super::features::Inventory;
use super::tagger::{Column, Lookup, Tagger};
use super::{Consumer, Kind};

/// The size of the hidden layer that all columns share.
const HIDDEN_UNITS: usize = 256;
/// The minimum training frequency of edit rules that are predicted.
const MIN_RULE_FREQUENCY: usize = 2;

/// The classes of the training words.
#[derive(Clone, Debug)]
pub(crate) struct Tagging {
    pub(super) columns: Vec<Column>,
    pub(super) inventory: Inventory,
    /// The combinations of tags that occur in training: one class per column of tags.
    pub(super) analyses: Vec<Vec<u32>>,
    pub(super) lookup: Lookup,
    examples: Arc<ClassExamples>,
}

/// The classes of a column.
struct Classified {
    classes: Vec<String>,
    /// One class per word.
    words: Vec<Option<u32>>,
}

impl Tagging {
    /// Collects the classes of all words in these columns. Columns without values are omitted.
    pub(crate) fn of(consumers: &[&'static dyn Consumer], sentences: &[&Sentence]) -> Option<Self> {
        let words =
            || sentences.iter().flat_map(|sentence| sentence.tokens().map(move |token| (*sentence, token)));
        let classified = consumers.iter().map(|&consumer| (consumer, Classified::of(consumer, words())));
        let mut classified: Vec<_> = classified.filter(|(_, classified)| !classified.is_empty()).collect();
        if classified.is_empty() {
            return None;
        }
        let is_tag = |(consumer, _): &(&'static dyn Consumer, Classified)| consumer.kind() != Kind::EditRule;
        if let Some(first) = classified.iter().position(is_tag) {
            let (before, after) = classified.split_at_mut(first + 1);
            for (consumer, classified) in after.iter_mut() {
                if consumer.kind() != Kind::EditRule {
                    classified.sort_by(&before[first].1);
                }
            }
        }
        let features = classified.iter().find(|(consumer, _)| consumer.kind() == Kind::Features);
        let cells = features.iter().flat_map(|(_, classified)| classified.classes.iter().map(String::as_str));
        let inventory = Inventory::of(cells);
        let values: Vec<Vec<u32>> = features.map_or_else(Vec::new, |(_, classified)| {
            classified.classes.iter().map(|cell| inventory.values_of(cell)).collect()
        });
        let analyses = analyses(&classified);
        let lookup = Lookup::new(lemma_keys(&classified, words()));
        // Groups of classes: the columns, then the individual features.
        let n_features = inventory.features.len();
        let mut examples = ClassExamples::new(classified.len() + n_features);
        let (mut word, mut right) = (0, Vec::new());
        let n_kept: Vec<usize> =
            classified.iter().map(|(consumer, classified)| classified.n_frequent(*consumer)).collect();
        for sentence in sentences {
            examples.push(&vec![ABSENT; classified.len() + n_features]);
            for _ in sentence.tokens() {
                right.clear();
                for ((_, classified), &n_kept) in classified.iter().zip(&n_kept) {
                    let class = classified.words[word].filter(|&class| (class as usize) < n_kept);
                    right.push(class.unwrap_or(ABSENT));
                }
                let cell = features.and_then(|(_, classified)| classified.words[word]);
                match cell {
                    Some(cell) => right.extend_from_slice(&values[cell as usize]),
                    None => right.resize(classified.len() + n_features, ABSENT),
                }
                examples.push(&right);
                word += 1;
            }
            examples.end_sequence();
        }
        let columns = classified.into_iter().zip(n_kept).map(|((consumer, classified), n_scored)| Column {
            consumer,
            n_scored,
            classes: classified.classes,
        });
        Some(Self { columns: columns.collect(), inventory, analyses, lookup, examples: Arc::new(examples) })
    }

    /// The training objective, on top of this number of encoder layers.
    pub(crate) fn objective(&self, layers: usize) -> Classes {
        let groups: Vec<usize> =
            self.columns.iter().map(|column| column.n_scored).chain(self.inventory.sizes()).collect();
        let n_features = groups.len() - self.columns.len();
        #[allow(clippy::cast_precision_loss, reason = "a few dozen")]
        let weight = |group: usize| if group < self.columns.len() { 1.0 } else { 1.0 / n_features as f32 };
        let weights = (0..groups.len()).map(weight).collect();
        Classes::new(ClassShape { layers, width: HIDDEN_UNITS, groups }, weights, Arc::clone(&self.examples))
    }

    /// The trained tagger, given one head per network.
    pub(crate) fn trained(&self, heads: Vec<ClassHead>) -> Tagger {
        let Self { columns, inventory, analyses, lookup, .. } = self.clone();
        Tagger::new(columns, inventory, analyses, lookup, heads)
    }
}

impl Classified {
    fn of<'s>(consumer: &dyn Consumer, words: impl Iterator<Item = (&'s Sentence, Node)>) -> Self {
        let mut symbols = Symbols::<Label>::new();
        let mut counts: Vec<usize> = Vec::new();
        let mut found: Vec<Option<u32>> = Vec::new();
        for (sentence, token) in words {
            let class = consumer.class(sentence, token).map(|class| symbols.intern(&class).0);
            if let Some(class) = class {
                counts.resize(counts.len().max(class as usize + 1), 0);
                counts[class as usize] += 1;
            }
            found.push(class);
        }
        // Sort by frequency, so that the classes that are not predicted come last.
        let mut order: Vec<u32> = (0..).take(counts.len()).collect();
        order.sort_by_key(|&class| std::cmp::Reverse(counts[class as usize]));
        let text = |&class: &u32| symbols.text(Label(class)).to_owned();
        let classes = order.iter().map(text).collect();
        let mut classified = Self { classes, words: found };
        classified.renumber(&order);
        classified
    }

    /// Sorts the classes by the class that most of their words have in another column, so that the classes of nouns, for example, are
    /// neighbours and can be scored without the others.
    fn sort_by(&mut self, other: &Self) {
        let mut counts: HashMap<(u32, u32), usize> = HashMap::new();
        for (class, other) in self.words.iter().zip(&other.words) {
            if let (Some(class), Some(other)) = (class, other) {
                *counts.entry((*class, *other)).or_default() += 1;
            }
        }
        let n_others = 0..u32::try_from(other.classes.len()).unwrap_or(u32::MAX);
        let main = |class: u32| {
            let count = |other: u32| counts.get(&(class, other)).copied().unwrap_or(0);
            n_others.clone().max_by_key(|&other| (count(other), std::cmp::Reverse(other)))
        };
        let mut order: Vec<u32> = (0..).take(self.classes.len()).collect();
        order.sort_by_cached_key(|&class| main(class));
        self.classes = order.iter().map(|&class| std::mem::take(&mut self.classes[class as usize])).collect();
        self.renumber(&order);
    }

    /// Replaces the classes of words by their places in an order.
    fn renumber(&mut self, order: &[u32]) {
        let mut places = vec![0; order.len()];
        for (place, &class) in (0u32..).zip(order) {
            places[class as usize] = place;
        }
        for class in self.words.iter_mut().flatten() {
            *class = places[*class as usize];
        }
    }

    /// Whether no word has a value.
    fn is_empty(&self) -> bool {
        match &self.classes[..] {
            [] => true,
            [only] => only == "_",
            _ => false,
        }
    }

    /// The number of predicted classes.
    fn n_frequent(&self, consumer: &dyn Consumer) -> usize {
        if consumer.kind() != Kind::EditRule {
            return self.classes.len();
        }
        let mut counts = vec![0; self.classes.len()];
        for &class in self.words.iter().flatten() {
            counts[class as usize] += 1;
        }
        counts.iter().take_while(|&&count| count >= MIN_RULE_FREQUENCY).count().max(1)
    }
}

/// The distinct combinations of tags, sorted by class.
fn analyses(classified: &[(&'static dyn Consumer, Classified)]) -> Vec<Vec<u32>> {
    let tags: Vec<&Classified> = classified
        .iter()
        .filter(|(consumer, _)| consumer.kind() != Kind::EditRule)
        .map(|(_, tags)| tags)
        .collect();
    let n_words = tags.first().map_or(0, |tags| tags.words.len());
    let of_word = |word: usize| tags.iter().map(|tags| tags.words[word]).collect::<Option<Vec<u32>>>();
    let mut analyses: Vec<Vec<u32>> = (0..n_words).filter_map(of_word).collect();
    analyses.sort_unstable();
    analyses.dedup();
    analyses
}

/// The lemma rules of all unambiguous pairs of form and tags.
fn lemma_keys<'s>(
    classified: &[(&'static dyn Consumer, Classified)],
    words: impl Iterator<Item = (&'s Sentence, Node)>,
) -> Vec<(u64, u32)> {
    let Some((_, rules)) = classified.iter().find(|(consumer, _)| consumer.kind() == Kind::EditRule) else {
        return Vec::new();
    };
    let tags = || classified.iter().filter(|(consumer, _)| consumer.kind() != Kind::EditRule);
    let mut found: HashMap<u64, Option<u32>> = HashMap::new();
    let mut keys = Vec::new();
    for (word, (sentence, token)) in words.enumerate() {
        let Some(rule) = rules.words[word] else { continue };
        let of_tags = tags().map(|(_, tags)| tags.words[word].unwrap_or(ABSENT));
        let key = lemma_key(sentence.form(token), of_tags);
        let known = found.entry(key).or_insert_with(|| {
            keys.push(key);
            Some(rule)
        });
        if *known != Some(rule) {
            *known = None;
        }
    }
    keys.into_iter().filter_map(|key| Some((key, found[&key]?))).collect()
}

/// The hash of a form and its tags.
pub(super) fn lemma_key(form: &str, tags: impl Iterator<Item = u32>) -> u64 {
    tags.fold(hash::bytes(7, form.as_bytes()), |key, tag| hash::bytes(key.rotate_left(9), &tag.to_le_bytes()))
}
