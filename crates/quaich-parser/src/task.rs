//! A treebank prepared for one parser: trees with numbered labels, transformed, in the reading order of the system. Sentences are
//! borrowed.

use std::sync::Arc;

use quaich_features::{FeatureModel, TokenValue, morphology};
use quaich_transform::Inverse;
use quaich_transition::spec::SystemSpec;
use quaich_treebank::{Label, Sentence, Symbols, Tree, Underscore, counted};

use crate::corpus::Corpus;
use crate::decisions::Questions;
use crate::error::{Error, Result};
use crate::head_distribution::HeadDistribution;
use crate::likely_labels::LikelyLabels;
use crate::observer::{Event, Observer};
use crate::partial;
use crate::plan::Plan;
use crate::scheme::Scheme;
use crate::settings::Settings;

/// A sentence with its training tree.
#[derive(Clone, Debug)]
pub(crate) struct Example<'t> {
    /// The words.
    pub sentence: &'t Sentence,
    /// The tree after all transformations, in reading order.
    pub tree: Tree,
    /// The teacher's head distributions, in sentence order; `None` if trees are transformed.
    pub head_distribution: Option<&'t HeadDistribution>,
    /// For a tree with unknown labels: labels that stand in for them, by node, in reading order.
    pub likely_labels: Option<Vec<Label>>,
}

/// The training task of one parser.
#[derive(Debug)]
pub(crate) struct Task<'t> {
    /// The parser without its trained model.
    pub scheme: Arc<Scheme>,
    /// The training sentences.
    pub examples: Vec<Example<'t>>,
}

/// In feature models, the placeholder for the morphological values chosen from the treebank.
const MORPHOLOGY: &str = "m";
/// Stands for a missing label.
const NO_LABEL: &str = "_";

impl<'t> Task<'t> {
    /// Prepares a treebank. `default_system` is used if the settings name none; `bounded` says whether to sample a large treebank.
    pub(crate) fn prepare(
        corpus: &Corpus<'t>,
        settings: &Settings,
        (default_system, bounded): (SystemSpec, bool),
        observer: &dyn Observer,
    ) -> Result<Self> {
        let mut labels = Symbols::<Label>::new();
        let mut examples = read_examples(corpus, &mut labels, observer)?;
        if bounded {
            bound(&mut examples, settings.max_tokens(), observer);
        }
        observer.check()?;
        let trees: Vec<&Tree> = examples.iter().map(|example| &example.tree).collect();
        let system = settings.system().unwrap_or(default_system);
        let mut plan = Plan::make(&trees, &labels, system, settings)?;
        let transform = plan.transform()?;
        if let Some(transform) = &transform {
            let mut scratch = quaich_transform::Scratch::default();
            for example in &mut examples {
                observer.check()?;
                example.head_distribution = None;
                transform
                    .apply(example.sentence, &mut example.tree, &mut labels, &mut scratch)
                    .map_err(|error| Error::Treebank(error.to_string()))?;
            }
            let inverse = transform.inverse(&mut labels);
            labels = drop_rare_labels(&mut examples, &labels, &*inverse, settings.min_label_count());
        }
        if labels.is_empty() {
            // A treebank without labels gets the placeholder as its only label.
            let none = labels.intern(NO_LABEL);
            NO_LABEL.clone_into(&mut plan.root_label);
            for example in &mut examples {
                for token in example.tree.tokens() {
                    example.tree.set(token, example.tree.head(token), none);
                }
            }
        }
        if corpus.sources.iter().any(|source| source.completed.is_some()) {
            stand_in(&mut examples);
        }
        let n_labels = labels.len();
        let inverse = transform.as_ref().map(|transform| transform.inverse(&mut labels));
        for example in &mut examples {
            example.tree = plan.in_reading_order(std::mem::take(&mut example.tree));
            if let Some(labels) = example.likely_labels.as_mut().filter(|_| plan.is_right_to_left()) {
                labels[1..].reverse();
            }
        }
        // Models know only the labels that they learn.
        let root_label = labels.get(&plan.root_label).filter(|label| label.index() < n_labels);
        let system = plan.system(root_label)?;
        observer.check()?;
        let long = plan.count(examples.iter().map(|example| &example.tree), &*system);
        observer.event(&Event::Planned(&plan));
        if long > 0 {
            observer.event(&Event::LongDerivations { sentences: long, of: examples.len() });
        }
        let questions = Questions::new(settings.decision(), &*system, n_labels);
        let scheme = Scheme { plan, system, questions, labels: labels.freeze(), n_labels, inverse };
        Ok(Self { scheme: Arc::new(scheme), examples })
    }

    /// The number of training tokens.
    pub(crate) fn n_tokens(&self) -> usize {
        self.examples.iter().map(|example| example.tree.n_tokens()).sum()
    }

    /// Adapts a feature model to this treebank: fills in the morphological values and removes templates over empty columns.
    pub(crate) fn fit(&self, mut features: FeatureModel) -> Result<FeatureModel> {
        if let Some(example) = self.examples.first() {
            features.check_columns(example.sentence.layout())?;
        }
        let mut labels = Symbols::<Label>::new();
        let sentences = || self.examples.iter().map(|example| example.sentence);
        let underscore = Underscore::of(sentences());
        // The trees as they stand in the treebank, not transformed.
        let trees: Vec<Tree> =
            sentences().map(|sentence| sentence.tree_with(&mut labels, underscore)).collect();
        features.resolve(MORPHOLOGY, &morphology::choose(sentences().zip(&trees)));
        Ok(features.without(|value| is_constant(value, &self.examples)))
    }
}

/// Whether a column is empty in all sentences.
fn is_constant(value: &TokenValue, examples: &[Example<'_>]) -> bool {
    examples.iter().all(|Example { sentence, .. }| {
        let column = value.column.position(sentence.layout());
        column.is_none_or(|column| sentence.tokens().all(|token| sentence.cell(token, column) == NO_LABEL))
    })
}

/// Reads the sentences that have trees; reports how many have none and are skipped.
///
/// `_` is an ordinary label if the treebank also has others; a column with only `_` means no labels. With partial trees, see
/// [`partial::underscore`].
fn read_examples<'t>(
    corpus: &Corpus<'t>,
    labels: &mut Symbols<Label>,
    observer: &dyn Observer,
) -> Result<Vec<Example<'t>>> {
    let underscore = partial::underscore(corpus.sources.iter().map(|source| source.sentence));
    let mut examples: Vec<Example<'_>> = Vec::new();
    for source in &corpus.sources {
        observer.check()?;
        let mut tree = source.sentence.tree_with(labels, underscore);
        for (token, &head) in tree.tokens().zip(source.completed.unwrap_or_default().iter().skip(1)) {
            tree.set(token, head, tree.label(token));
        }
        if tree.n_tokens() > 0 && tree.is_well_formed() {
            examples.push(Example {
                sentence: source.sentence,
                tree,
                head_distribution: source.head_distribution,
                likely_labels: None,
            });
        }
    }
    let of = corpus.sources.len();
    if examples.is_empty() {
        let found = match of {
            0 => "found no sentences".to_owned(),
            _ => format!("found {}, none of them with a tree", counted(of, "sentence")),
        };
        return Err(Error::Treebank(format!("{found}; run `quaich validate` to see why")));
    }
    if examples.len() < of {
        observer.event(&Event::LeftOut { sentences: of - examples.len(), of });
    }
    Ok(examples)
}

/// Finds likely labels for the arcs of completed trees.
fn stand_in(examples: &mut [Example<'_>]) {
    let mut likely = LikelyLabels::default();
    for example in &*examples {
        likely.add(example.sentence, &example.tree);
    }
    for example in examples {
        if example.tree.labels()[1..].iter().any(|label| label.is_none()) {
            example.likely_labels = Some(likely.of(example.sentence, &example.tree));
        }
    }
}

/// Samples evenly spaced sentences until at most `max_tokens` tokens remain; keeps at least one sentence.
fn bound(examples: &mut Vec<Example<'_>>, max_tokens: usize, observer: &dyn Observer) {
    let n_tokens: usize = examples.iter().map(|example| example.tree.n_tokens()).sum();
    if n_tokens <= max_tokens {
        return;
    }
    // Keeps a sentence if the sample would otherwise fall behind its share of the tokens.
    let (mut seen, mut kept) = (0, 0);
    examples.retain(|example| {
        seen += example.tree.n_tokens();
        let stays = kept == 0 || (kept + example.tree.n_tokens()) * n_tokens <= seen * max_tokens;
        kept += if stays { example.tree.n_tokens() } else { 0 };
        stays
    });
    observer.event(&Event::Bounded { tokens: kept, of: n_tokens });
}

/// Replaces transformed labels that are too rare to learn by less specific ones, and renumbers the remaining labels.
fn drop_rare_labels(
    examples: &mut [Example<'_>],
    labels: &Symbols<Label>,
    inverse: &dyn Inverse,
    min_count: u32,
) -> Symbols<Label> {
    let mut counts = vec![0; labels.len()];
    for arc in examples.iter().flat_map(|example| example.tree.arcs()).filter(|arc| !arc.label.is_none()) {
        counts[arc.label.index()] += 1;
    }
    let mut kept = Symbols::new();
    for example in examples {
        for token in example.tree.tokens() {
            let (head, mut label) = (example.tree.head(token), example.tree.label(token));
            while !label.is_none() && counts[label.index()] < min_count {
                // Every step removes a part of the label, so the loop ends.
                let unmarked = inverse.unmarked(label);
                if unmarked == label {
                    break;
                }
                label = unmarked;
            }
            if !label.is_none() {
                label = kept.intern(labels.text(label));
            }
            example.tree.set(token, head, label);
        }
    }
    kept
}
