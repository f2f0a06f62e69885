//! A treebank as one parser learns it: trees with numbered labels, transformed, in the order in which the system reads them. Sentences
//! are borrowed.

use std::sync::Arc;

use quaich_features::{FeatureModel, TokenValue, morphology};
use quaich_transform::Inverse;
use quaich_transition::spec::SystemSpec;
use quaich_treebank::{Label, Sentence, Symbols, Tree, Underscore, counted};

use crate::corpus::Corpus;
use crate::decisions::Questions;
use crate::error::{Error, Result};
use crate::head_shares::HeadShares;
use crate::observer::{Event, Observer};
use crate::plan::Plan;
use crate::scheme::Scheme;
use crate::settings::Settings;

/// A sentence with the tree to be learned.
#[derive(Clone, Debug)]
pub(crate) struct Example<'t> {
    /// The words.
    pub sentence: &'t Sentence,
    /// The tree, after all transformations, in the order of reading.
    pub tree: Tree,
    /// What a teacher thinks of heads, in the order of the sentence; none where trees are transformed.
    pub head_shares: Option<&'t HeadShares>,
}

/// What a parser is to learn.
#[derive(Debug)]
pub(crate) struct Task<'t> {
    /// The parser without its model.
    pub scheme: Arc<Scheme>,
    /// The sentences to learn from.
    pub examples: Vec<Example<'t>>,
}

/// The name in feature models for what the treebank shows to be worth knowing of a token's morphology.
const MORPHOLOGY: &str = "m";
/// What is written for no label.
const NO_LABEL: &str = "_";

impl<'t> Task<'t> {
    /// Prepares a treebank, for this system if none is set; `bounded` says whether a part is enough of a large one.
    pub(crate) fn prepare(
        corpus: &Corpus<'t>,
        settings: &Settings,
        (usual_system, bounded): (SystemSpec, bool),
        observer: &dyn Observer,
    ) -> Result<Self> {
        let mut labels = Symbols::<Label>::new();
        let mut examples = read_examples(corpus, &mut labels, observer)?;
        if bounded {
            bound(&mut examples, settings.max_tokens(), observer);
        }
        let trees: Vec<&Tree> = examples.iter().map(|example| &example.tree).collect();
        let system = settings.system().unwrap_or(usual_system);
        let mut plan = Plan::make(&trees, &labels, system, settings)?;
        let transform = plan.transform()?;
        if let Some(transform) = &transform {
            let mut scratch = quaich_transform::Scratch::default();
            for example in &mut examples {
                example.head_shares = None;
                transform
                    .apply(example.sentence, &mut example.tree, &mut labels, &mut scratch)
                    .map_err(|error| Error::Treebank(error.to_string()))?;
            }
            let inverse = transform.inverse(&mut labels);
            labels = drop_rare_labels(&mut examples, &labels, &*inverse, settings.min_label_count());
        }
        if labels.is_empty() {
            // A treebank without labels gets the one that is written for none.
            let none = labels.intern(NO_LABEL);
            NO_LABEL.clone_into(&mut plan.root_label);
            for example in &mut examples {
                for token in example.tree.tokens() {
                    example.tree.set(token, example.tree.head(token), none);
                }
            }
        }
        let n_labels = labels.len();
        let inverse = transform.as_ref().map(|transform| transform.inverse(&mut labels));
        for example in &mut examples {
            example.tree = plan.in_reading_order(std::mem::take(&mut example.tree));
        }
        // Models know only of labels that are learned.
        let root_label = labels.get(&plan.root_label).filter(|label| label.index() < n_labels);
        let system = plan.system(root_label)?;
        let long = plan.count(examples.iter().map(|example| &example.tree), &*system);
        observer.event(&Event::Planned(&plan));
        if long > 0 {
            observer.event(&Event::LongDerivations { sentences: long, of: examples.len() });
        }
        let questions = Questions::new(settings.decision(), &*system, n_labels);
        let scheme = Scheme { plan, system, questions, labels: labels.freeze(), n_labels, inverse };
        Ok(Self { scheme: Arc::new(scheme), examples })
    }

    /// The number of tokens to learn from.
    pub(crate) fn n_tokens(&self) -> usize {
        self.examples.iter().map(|example| example.tree.n_tokens()).sum()
    }

    /// A feature model for this treebank: what the treebank shows to be worth knowing put in its place, and templates left out that
    /// would see nothing.
    pub(crate) fn fit(&self, mut features: FeatureModel) -> Result<FeatureModel> {
        if let Some(example) = self.examples.first() {
            features.check_columns(example.sentence.layout())?;
        }
        let mut labels = Symbols::<Label>::new();
        let sentences = || self.examples.iter().map(|example| example.sentence);
        let underscore = Underscore::of(sentences());
        // As they stand in the treebank, not as they are learned.
        let trees: Vec<Tree> =
            sentences().map(|sentence| sentence.tree_with(&mut labels, underscore)).collect();
        features.resolve(MORPHOLOGY, &morphology::choose(sentences().zip(&trees)));
        Ok(features.without(|value| is_constant(value, &self.examples)))
    }
}

/// Whether a column says nothing here because it is empty throughout.
fn is_constant(value: &TokenValue, examples: &[Example<'_>]) -> bool {
    examples.iter().all(|Example { sentence, .. }| {
        let column = value.column.position(sentence.layout());
        column.is_none_or(|column| sentence.tokens().all(|token| sentence.cell(token, column) == NO_LABEL))
    })
}

/// The sentences that have trees; what has none is left out, and it is said how many.
///
/// `_` is a label like any other where a treebank has others; a column of nothing else is no labels.
fn read_examples<'t>(
    corpus: &Corpus<'t>,
    labels: &mut Symbols<Label>,
    observer: &dyn Observer,
) -> Result<Vec<Example<'t>>> {
    let underscore = Underscore::of(corpus.sources.iter().map(|source| source.sentence));
    let mut examples: Vec<Example<'_>> = Vec::new();
    for source in &corpus.sources {
        let tree = source.sentence.tree_with(labels, underscore);
        if tree.n_tokens() > 0 && tree.is_well_formed() {
            examples.push(Example { sentence: source.sentence, tree, head_shares: source.head_shares });
        }
    }
    let of = corpus.sources.len();
    if examples.is_empty() {
        return Err(Error::Treebank(format!(
            "found {}, none with a tree to learn from; `quaich validate` tells what is wrong",
            counted(of, "sentence")
        )));
    }
    if examples.len() < of {
        observer.event(&Event::LeftOut { sentences: of - examples.len(), of });
    }
    Ok(examples)
}

/// Leaves out sentences, evenly, until there are no more tokens than these; at least one stays.
fn bound(examples: &mut Vec<Example<'_>>, max_tokens: usize, observer: &dyn Observer) {
    let n_tokens: usize = examples.iter().map(|example| example.tree.n_tokens()).sum();
    if n_tokens <= max_tokens {
        return;
    }
    // A sentence stays if its tokens are needed to keep up with the part that is wanted.
    let (mut seen, mut kept) = (0, 0);
    examples.retain(|example| {
        seen += example.tree.n_tokens();
        let stays = kept == 0 || (kept + example.tree.n_tokens()) * n_tokens <= seen * max_tokens;
        kept += if stays { example.tree.n_tokens() } else { 0 };
        stays
    });
    observer.event(&Event::Bounded { tokens: kept, of: n_tokens });
}

/// Gives labels that a transformation made, but too rarely to be learned, a form that says less, and
/// numbers those that are left anew.
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
                // Every step leaves something out, so this comes to an end.
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
