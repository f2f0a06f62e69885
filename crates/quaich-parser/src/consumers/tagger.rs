//! A trained tagger: scores of classes → the cells of a word.
//!
//! Tags and features are predicted jointly, among the combinations in the training data. The score of a combination is the sum of the
//! log-probabilities of its classes and of its individual features. If the individual features strongly favour a set of features that does
//! not occur in the training data, that set is predicted. The lemma is looked up by form and tags if they are unambiguous in the training
//! data; otherwise, it is the result of the most probable edit rule that applies to the form.

use std::ops::Range;

use quaich_learn::encoder::{ABSENT, ClassHead, ClassScores, Encoder, Encoding};
use quaich_text::edit_rules::EditRule;
use quaich_treebank::{Node, Role, Sentence};
use serde::{Deserialize, Serialize};

use super::features::Inventory;
use super::tagging::lemma_key;
use super::{Consumer, Kind, by_name};
use crate::dictionary::Dictionary;
use crate::part::{PartError, PartReader, PartWriter};

/// The weight of the individual features, relative to that of the whole set.
const FEATURES_WEIGHT: f32 = 0.5;
/// Combinations are skipped if the log-probability of the first tag is lower than the best one by more than this.
const FIRST_TAG_MARGIN: f32 = 8.0;
/// The log-probability of an unseen set of features, as a whole, is that of the best known set minus this penalty.
const UNSEEN_SET_PENALTY: f32 = 6.0;
/// The number of rules that are tried before the form itself becomes the lemma.
const MAX_RULES_TRIED: usize = 8;

/// A predicted column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(super) consumer: &'static dyn Consumer,
    /// The number of scored classes. The rules after them are only used by the lookup.
    pub(super) n_scored: usize,
    pub(super) classes: Vec<String>,
}

/// The lemma rules of unambiguous pairs of form and tags.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookup {
    keys: Dictionary,
    /// One rule per key.
    rules: Vec<u32>,
}

impl Lookup {
    pub(super) fn new(mut pairs: Vec<(u64, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup_by_key(|(key, _)| *key);
        let (keys, rules): (Vec<u64>, Vec<u32>) = pairs.into_iter().unzip();
        Self { keys: Dictionary::from_keys(keys), rules }
    }

    fn get(&self, key: u64) -> Option<u32> {
        Some(self.rules[self.keys.place(key)? as usize])
    }
}

/// A trained tagger.
#[derive(Clone, Debug)]
pub(crate) struct Tagger {
    columns: Vec<Column>,
    inventory: Inventory,
    analyses: Vec<Vec<u32>>,
    lookup: Lookup,
    /// One per network of the encoder.
    heads: Vec<ClassHead>,
    /// The columns of tags, and the one that contains sets of features.
    tags: Vec<usize>,
    features: Option<usize>,
    /// One per class of the first tag: its combinations with other tags, and the batches of classes in them.
    of_first_tag: Vec<FirstTag>,
    sets: FeatureSets,
    /// The column of lemmas and its rules. `None` for invalid rules.
    lemmas: Option<usize>,
    rules: Vec<Option<EditRule>>,
    /// The offset of the scores of each group.
    starts: Vec<usize>,
}

/// The combinations of tags with a certain first tag.
#[derive(Clone, Debug, Default)]
struct FirstTag {
    /// Numbers of combinations.
    analyses: Vec<usize>,
    /// Batches of classes that must be scored to compare them.
    batches: Vec<usize>,
}

/// The sets of features in the training data, as individual features.
#[derive(Clone, Debug, Default)]
struct FeatureSets {
    /// One per set: the value of each feature.
    values: Vec<Vec<u32>>,
    /// One per set: the classes of the features that it has, each with the class for not having the feature.
    present: Vec<Vec<(u32, u32)>>,
    /// The numbers of sets, in the order of their values.
    sorted: Vec<usize>,
}

impl FeatureSets {
    /// `starts`: the first class of each feature.
    fn new(values: Vec<Vec<u32>>, starts: &[usize]) -> Self {
        let present = |values: &Vec<u32>| {
            let classes = starts.iter().zip(values).filter(|(_, value)| **value > 0);
            #[allow(clippy::cast_possible_truncation, reason = "numbers of classes")]
            classes.map(|(&start, &value)| (start as u32 + value, start as u32)).collect()
        };
        let present = values.iter().map(present).collect();
        let mut sorted: Vec<usize> = (0..values.len()).collect();
        sorted.sort_by(|&a, &b| values[a].cmp(&values[b]));
        Self { values, present, sorted }
    }

    fn contains(&self, values: &[u32]) -> bool {
        self.sorted.binary_search_by(|&set| self.values[set][..].cmp(values)).is_ok()
    }
}

/// The buffers of one thread, and the predicted cells of the last word.
#[derive(Debug, Default)]
pub(crate) struct TagScratch {
    scores: ClassScores,
    /// The score of each set of features, or NaN if it is not computed yet.
    sets: Vec<f32>,
    values: Vec<u32>,
    cells: Vec<String>,
}

impl Tagger {
    pub(super) fn new(
        columns: Vec<Column>,
        inventory: Inventory,
        analyses: Vec<Vec<u32>>,
        lookup: Lookup,
        heads: Vec<ClassHead>,
    ) -> Self {
        let kind = |column: &Column| column.consumer.kind();
        let tags: Vec<usize> =
            (0..columns.len()).filter(|&at| kind(&columns[at]) != Kind::EditRule).collect();
        let features = columns.iter().position(|column| kind(column) == Kind::Features);
        let lemmas = columns.iter().position(|column| kind(column) == Kind::EditRule);
        let cells = features.iter().flat_map(|&at| &columns[at].classes);
        let values = cells.map(|cell| inventory.values_of(cell)).collect();
        let rules =
            lemmas.iter().flat_map(|&at| &columns[at].classes).map(|rule| rule.parse().ok()).collect();
        let sizes = columns.iter().map(|column| column.n_scored).chain(inventory.sizes());
        let mut end = 0;
        let start_of = |size: usize| {
            end += size;
            end - size
        };
        let starts: Vec<usize> = sizes.map(start_of).collect();
        let sets = FeatureSets::new(values, &starts[columns.len()..]);
        let of_first_tag = by_first_tag(&columns, &tags, &analyses, &starts);
        Self {
            columns,
            inventory,
            analyses,
            lookup,
            heads,
            tags,
            features,
            of_first_tag,
            sets,
            lemmas,
            rules,
            starts,
        }
    }

    /// The predicted columns.
    pub(crate) fn roles(&self) -> impl Iterator<Item = Role> {
        self.columns.iter().map(|column| column.consumer.role())
    }

    /// A description of the predicted columns for users.
    pub(crate) fn about(&self) -> String {
        let counts = self
            .columns
            .iter()
            .map(|column| format!("{}, {} classes", column.consumer.help(), column.classes.len()));
        counts.collect::<Vec<_>>().join("; ")
    }

    /// Predicts the cells of a word, given one encoding of its sentence per network.
    pub(crate) fn tag(
        &self,
        encodings: &[Encoding],
        sentence: &Sentence,
        token: Node,
        scratch: &mut TagScratch,
    ) {
        let form = sentence.form(token);
        let TagScratch { scores, sets, values, cells } = scratch;
        scores.start(&self.heads, encodings, token.0);
        cells.resize_with(self.columns.len(), String::new);
        let best = self.best_analysis(scores, sets);
        for (&column, &class) in self.tags.iter().zip(best) {
            cells[column].clear();
            cells[column].push_str(&self.columns[column].classes[class as usize]);
        }
        let mut is_unseen = false;
        if let Some(features) = self.features {
            let at = self.tags.iter().position(|&column| column == features).unwrap_or(0);
            if self.unseen_set(scores.scores(), sets, best[at], values) {
                self.inventory.write(values, &mut cells[features]);
                is_unseen = true;
            }
        }
        if let Some(lemmas) = self.lemmas {
            let features = self.features;
            let class = |(&column, &class): (&usize, &u32)| {
                if is_unseen && Some(column) == features { ABSENT } else { class }
            };
            let key = lemma_key(form, self.tags.iter().zip(best).map(class));
            let known = self.lookup.get(key).and_then(|rule| self.lemma(rule as usize, form));
            let lemma = known.or_else(|| {
                scores.need(&self.heads, self.classes(lemmas));
                self.best_lemma(lemmas, scores.scores(), form)
            });
            cells[lemmas].clear();
            cells[lemmas].push_str(lemma.as_deref().unwrap_or(form));
        }
    }

    /// The classes of a group.
    fn classes(&self, group: usize) -> Range<usize> {
        let n_classes = || self.heads.first().map_or(0, |head| head.groups().iter().sum());
        self.starts[group]..self.starts.get(group + 1).copied().unwrap_or_else(n_classes)
    }

    /// The best combination of tags; empty if no tags are predicted. Computes the scores of the sets of features that were considered.
    fn best_analysis(&self, scores: &mut ClassScores, sets: &mut Vec<f32>) -> &[u32] {
        sets.clear();
        sets.resize(self.sets.values.len(), f32::NAN);
        let Some(&first) = self.tags.first() else { return &[] };
        scores.need(&self.heads, self.classes(first));
        if let Some(&features) = self.starts.get(self.columns.len()) {
            scores.need(&self.heads, features..self.classes(self.starts.len() - 1).end);
        }
        let of_first = self.classes(first);
        let highest = scores.scores()[of_first.clone()].iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut best = (f32::NEG_INFINITY, &self.analyses[0][..]);
        for (class, FirstTag { analyses, batches }) in of_first.zip(&self.of_first_tag) {
            if scores.scores()[class] < highest - FIRST_TAG_MARGIN {
                continue;
            }
            for &batch in batches {
                scores.need_batch(&self.heads, batch);
            }
            let scores = scores.scores();
            for analysis in analyses.iter().map(|&number| &self.analyses[number]) {
                let mut score = 0.0;
                for (&column, &class) in self.tags.iter().zip(analysis) {
                    score += if Some(column) == self.features {
                        let set = &mut sets[class as usize];
                        if set.is_nan() {
                            *set = self.set_score(column, class as usize, scores);
                        }
                        *set
                    } else {
                        scores[self.starts[column] + class as usize]
                    };
                }
                if score > best.0 {
                    best = (score, analysis);
                }
            }
        }
        best.1
    }

    /// The score of a set of features, as a whole and as individual features, relative to a word without features.
    fn set_score(&self, column: usize, class: usize, scores: &[f32]) -> f32 {
        let present = self.sets.present[class].iter();
        let features: f32 = present.map(|&(has, lacks)| scores[has as usize] - scores[lacks as usize]).sum();
        scores[self.starts[column] + class] + FEATURES_WEIGHT * features
    }

    /// Computes the most probable value of each feature. Returns whether they form an unseen set that scores higher than the best known
    /// one.
    fn unseen_set(&self, scores: &[f32], sets: &[f32], best: u32, values: &mut Vec<u32>) -> bool {
        let Some(column) = self.features else { return false };
        values.clear();
        let mut features = 0.0;
        for group in self.columns.len()..self.starts.len() {
            let scores = &scores[self.classes(group)];
            let best =
                (0..scores.len()).reduce(|a, b| if scores[b] > scores[a] { b } else { a }).unwrap_or(0);
            features += scores[best] - scores[0];
            #[allow(clippy::cast_possible_truncation, reason = "a number of values")]
            values.push(best as u32);
        }
        if *values == self.sets.values[best as usize] || self.sets.contains(values) {
            return false;
        }
        let considered = scores[self.classes(column)].iter().zip(sets).filter(|(_, set)| !set.is_nan());
        let highest = considered.map(|(&score, _)| score).fold(f32::NEG_INFINITY, f32::max);
        highest - UNSEEN_SET_PENALTY + FEATURES_WEIGHT * features > sets[best as usize]
    }

    /// Applies a rule to a form.
    fn lemma(&self, rule: usize, form: &str) -> Option<String> {
        self.rules[rule].as_ref()?.apply(form).filter(|lemma| !lemma.is_empty())
    }

    /// The result of the most probable rule that applies.
    fn best_lemma(&self, column: usize, scores: &[f32], form: &str) -> Option<String> {
        let scores = &scores[self.classes(column)];
        let mut highest = f32::INFINITY;
        for _ in 0..MAX_RULES_TRIED {
            let below = (0..scores.len()).filter(|&rule| scores[rule] < highest);
            let rule = below.reduce(|a, b| if scores[b] > scores[a] { b } else { a })?;
            if let Some(lemma) = self.lemma(rule, form) {
                return Some(lemma);
            }
            highest = scores[rule];
        }
        None
    }
}

/// The combinations by the class of their first tag.
fn by_first_tag(
    columns: &[Column],
    tags: &[usize],
    analyses: &[Vec<u32>],
    starts: &[usize],
) -> Vec<FirstTag> {
    let Some(&first) = tags.first() else { return Vec::new() };
    let mut of_first_tag = vec![FirstTag::default(); columns[first].classes.len()];
    for (number, analysis) in analyses.iter().enumerate() {
        let FirstTag { analyses, batches } = &mut of_first_tag[analysis[0] as usize];
        analyses.push(number);
        let classes = tags.iter().zip(analysis).map(|(&column, &class)| starts[column] + class as usize);
        batches.extend(classes.map(|class| class / ClassScores::BATCH));
    }
    for FirstTag { batches, .. } in &mut of_first_tag {
        batches.sort_unstable();
        batches.dedup();
    }
    of_first_tag
}

impl Tagger {
    /// The predicted cell of the last word; `None` for columns that are not predicted.
    pub(crate) fn cell<'s>(&self, role: Role, scratch: &'s TagScratch) -> Option<&'s str> {
        let column = self.columns.iter().position(|column| column.consumer.role() == role)?;
        scratch.cells.get(column).map(String::as_str)
    }
}

/// The header of a tagger in a model file.
#[derive(Serialize, Deserialize)]
struct TaggerHeader {
    columns: Vec<ColumnHeader>,
}

#[derive(Serialize, Deserialize)]
struct ColumnHeader {
    name: String,
    scored: usize,
    classes: Vec<String>,
}

/// The maximum number of classes of a loaded column.
const MAX_CLASSES: usize = 1 << 24;

impl Tagger {
    /// Saves the tagger as a part of a model file.
    pub(crate) fn save(&self, part: &mut PartWriter<'_>) {
        let column = |column: &Column| ColumnHeader {
            name: column.consumer.name().to_owned(),
            scored: column.n_scored,
            classes: column.classes.clone(),
        };
        part.describe(&TaggerHeader { columns: self.columns.iter().map(column).collect() });
        let analyses = self.analyses.iter().flatten().flat_map(|class| class.to_le_bytes());
        part.plain("analyses", analyses.collect());
        part.plain("lemma-keys", self.lookup.keys.keys().iter().flat_map(|key| key.to_le_bytes()).collect());
        part.plain("lemma-rules", self.lookup.rules.iter().flat_map(|rule| rule.to_le_bytes()).collect());
        for (number, head) in self.heads.iter().enumerate() {
            part.arrays(&format!("classes.{number}"), |arrays| head.save(arrays));
        }
    }

    /// Loads a tagger for these networks. All values are checked, because files may be malicious.
    pub(crate) fn load(part: &PartReader<'_>, networks: &[Encoder]) -> Result<Self, PartError> {
        let broken = || PartError::broken("tagger");
        let header: TaggerHeader = part.description()?;
        let mut columns: Vec<Column> = Vec::new();
        for ColumnHeader { name, scored, classes } in header.columns {
            let consumer = by_name(&name).map_err(|_| broken())?;
            let is_duplicate = columns.iter().any(|column| column.consumer.name() == name);
            if is_duplicate || !(1..=classes.len()).contains(&scored) || classes.len() > MAX_CLASSES {
                return Err(broken());
            }
            if consumer.kind() != Kind::EditRule
                && (scored < classes.len() || classes.iter().any(|class| class.contains(['\t', '\n', '\r'])))
            {
                return Err(broken());
            }
            columns.push(Column { consumer, n_scored: scored, classes });
        }
        if columns.is_empty() {
            return Err(broken());
        }
        let features = columns.iter().find(|column| column.consumer.kind() == Kind::Features);
        let inventory =
            Inventory::of(features.iter().flat_map(|column| column.classes.iter().map(String::as_str)));
        let tags: Vec<&Column> =
            columns.iter().filter(|column| column.consumer.kind() != Kind::EditRule).collect();
        let analyses = part.numbers("analyses", u32::from_le_bytes)?;
        let is_known = |analysis: &[u32]| {
            analysis.len() == tags.len()
                && analysis.iter().zip(&tags).all(|(&class, column)| (class as usize) < column.classes.len())
        };
        if !tags.is_empty() && (analyses.is_empty() || !analyses.chunks(tags.len()).all(is_known)) {
            return Err(broken());
        }
        let analyses = analyses.chunks(tags.len().max(1)).map(<[u32]>::to_vec).collect();
        let keys = part.numbers("lemma-keys", u64::from_le_bytes)?;
        let rules = part.numbers("lemma-rules", u32::from_le_bytes)?;
        let lemmas = columns.iter().find(|column| column.consumer.kind() == Kind::EditRule);
        let n_rules = lemmas.map_or(0, |column| column.classes.len());
        if keys.len() != rules.len() || rules.iter().any(|&rule| rule as usize >= n_rules) {
            return Err(broken());
        }
        let lookup = Lookup { keys: Dictionary::read(&keys).ok_or_else(broken)?, rules };
        let groups: Vec<usize> =
            columns.iter().map(|column| column.n_scored).chain(inventory.sizes()).collect();
        let mut heads = Vec::new();
        for (number, network) in networks.iter().enumerate() {
            let head = ClassHead::load(&part.arrays(&format!("classes.{number}"))?)
                .map_err(|error| PartError(format!("in its tagger, {error}")))?;
            if !head.fits(network) || head.groups() != groups {
                return Err(broken());
            }
            heads.push(head);
        }
        Ok(Self::new(columns, inventory, analyses, lookup, heads))
    }
}
