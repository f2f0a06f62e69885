//! The [`Model`], immutable and shared: encoders, the parsers that use them, and the vote if it is an ensemble.

use std::sync::Arc;

use quaich_features::ColumnName;
use quaich_transition::systems::System;
use quaich_treebank::symbols::FrozenSymbols;
use quaich_treebank::{Label, Role, Tree};

use crate::calibration::Calibration;
use crate::consumers::Tagger;
use crate::decoder::Decoder;
use crate::description::Description;
use crate::encoder::SentenceEncoder;
use crate::ensemble::voting::{Ensemble, Voter};
use crate::plan::Plan;
use crate::scheme::Scheme;
use crate::tokenizer::Tokenizer;

/// A trained model. Cloning is cheap, and threads can share it.
///
/// ```
/// use quaich_parser::{Model, Settings, Trainer};
///
/// # let text = "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n";
/// # let treebank = quaich_treebank::Treebank::from_text(&text.repeat(10))?;
/// let settings = Settings::default().with("learner=linear")?;
/// let model = Trainer::new(&settings).train(&treebank)?;
/// let again = Model::from_bytes(&model.to_bytes()?, "a copy")?;
/// assert_eq!(again.score(&treebank), model.score(&treebank));
/// assert_eq!(again.parse_all(&treebank).len(), 10);
/// # Ok::<(), quaich_parser::Error>(())
/// ```
#[derive(Clone)]
pub struct Model {
    parts: Arc<Parts>,
}

/// Omits the weights, which are megabytes of numbers.
impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("description", &self.parts.description).finish_non_exhaustive()
    }
}

/// The parts of a model.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) description: Description,
    pub(crate) encoders: Vec<Arc<SentenceEncoder>>,
    /// The parsers, at least one.
    pub(crate) members: Vec<Member>,
    /// The vote, if there are several parsers.
    pub(crate) ensemble: Option<Ensemble>,
    /// What parses untagged words.
    pub(crate) untagged: Option<Untagged>,
    /// What finds words in text.
    pub(crate) tokenizer: Option<Arc<Tokenizer>>,
}

/// A model for untagged words, which it predicts, as a part of a model for tagged words.
#[derive(Clone, Debug)]
pub(crate) struct Untagged {
    model: Model,
    /// The label of the other model for each label of this; none where it lacks one.
    labels: Vec<Label>,
}

/// One parser.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) scheme: Arc<Scheme>,
    pub(crate) decoder: Arc<dyn Decoder>,
    /// The number of the encoder that it uses.
    pub(crate) encoder: Option<usize>,
    /// Turns margins into probabilities.
    pub(crate) calibration: Calibration,
}

impl Model {
    pub(crate) fn new(parts: Parts) -> Self {
        Self { parts: Arc::new(parts) }
    }

    /// A model with one parser.
    pub(crate) fn single(
        description: Description,
        scheme: Arc<Scheme>,
        (encoder, decoder): (Option<Arc<SentenceEncoder>>, Box<dyn Decoder>),
        calibration: Calibration,
    ) -> Self {
        let member = Member { scheme, decoder: decoder.into(), encoder: None, calibration };
        Self::alone(description, encoder, member)
    }

    /// A model with one parser and its encoder, if it uses one.
    fn alone(description: Description, encoder: Option<Arc<SentenceEncoder>>, member: Member) -> Self {
        let member = Member { encoder: encoder.is_some().then_some(0), ..member };
        let encoders = encoder.into_iter().collect();
        Self::new(Parts {
            description,
            encoders,
            members: vec![member],
            ensemble: None,
            untagged: None,
            tokenizer: None,
        })
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The same model with another description.
    #[must_use]
    pub(crate) fn with_description(self, description: Description) -> Self {
        let parts = Arc::try_unwrap(self.parts).expect("the only owner");
        Self::new(Parts { description, ..parts })
    }

    /// The same model with one more of its description's attributes, or with another value of it.
    #[must_use]
    pub fn with_attribute(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let mut parts = Arc::unwrap_or_clone(self.parts);
        parts.description.attributes.insert(name.into(), value.into());
        Self::new(parts)
    }

    /// The same model with another one for untagged words.
    #[must_use]
    pub(crate) fn with_untagged(self, untagged: Option<Self>) -> Self {
        let untagged = untagged.map(|model| Untagged::new(model, self.labels()));
        let parts = Arc::try_unwrap(self.parts).expect("the only owner");
        Self::new(Parts { untagged, ..parts })
    }

    /// The same model with a tokenizer.
    #[must_use]
    pub(crate) fn with_tokenizer(self, tokenizer: Option<Arc<Tokenizer>>) -> Self {
        let parts = Arc::try_unwrap(self.parts).expect("the only owner");
        Self::new(Parts { tokenizer, ..parts })
    }

    /// The model for untagged words, if there is one: it predicts tags, features and lemmas as well.
    pub fn untagged(&self) -> Option<&Self> {
        self.parts.untagged.as_ref().map(|untagged| &untagged.model)
    }

    /// The columns that the model predicts besides heads and labels.
    pub fn predicted_columns(&self) -> Vec<Role> {
        self.parts.predicted_roles().collect()
    }

    /// The model's metadata: training data, settings and scores.
    pub fn description(&self) -> &Description {
        &self.parts.description
    }

    /// The number of parsers: more than one if the model is an ensemble.
    pub fn n_members(&self) -> usize {
        self.parts.members.len()
    }

    /// One parser of an ensemble by its number, starting at 1; for a single parser, the model itself. `None` if there is no such parser.
    #[must_use]
    pub fn only(&self, number: usize) -> Option<Self> {
        let Parts { description, encoders, members, ensemble, untagged, tokenizer } = self.parts();
        let place = number.checked_sub(1)?;
        let member = members.get(place)?.clone();
        let mut description = description.clone();
        if let Some(ensemble) = ensemble {
            description.settings = ensemble.description().settings.get(place)?.clone();
            description.dev = None;
        }
        let encoder = member.encoder.map(|encoder| Arc::clone(&encoders[encoder]));
        let untagged = untagged.as_ref().map(|untagged| {
            let model = &untagged.model;
            model.only(number).unwrap_or_else(|| model.clone())
        });
        Some(
            Self::alone(description, encoder, member)
                .with_untagged(untagged)
                .with_tokenizer(tokenizer.clone()),
        )
    }

    /// The parsing plan, as detected from the treebank; for an ensemble, that of its first parser.
    pub fn plan(&self) -> &Plan {
        &self.parts.members[0].scheme.plan
    }

    /// The transition system; for an ensemble, that of its first parser.
    pub fn system(&self) -> &dyn System {
        &*self.parts.members[0].scheme.system
    }

    /// The labels that the model can assign.
    pub fn labels(&self) -> &FrozenSymbols<Label> {
        self.parts.labels()
    }

    /// Converts margins to probabilities; for an ensemble, that of its first parser.
    pub(crate) fn calibration(&self) -> Calibration {
        self.parts.members[0].calibration
    }

    /// The columns that the model reads.
    pub fn columns(&self) -> Vec<&ColumnName> {
        let of_encoders = self.parts.encoders.iter().flat_map(|encoder| encoder.columns());
        let of_members = self.parts.members.iter().flat_map(|member| member.decoder.columns());
        let mut columns = Vec::new();
        for column in of_encoders.chain(of_members) {
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        columns
    }
}

impl Parts {
    /// The tagger over the first encoder.
    pub(crate) fn tagger(&self) -> Option<&Tagger> {
        self.encoders.first()?.tagger()
    }

    /// The columns that the model predicts in addition to heads and labels.
    pub(crate) fn predicted_roles(&self) -> impl Iterator<Item = Role> {
        self.tagger().into_iter().flat_map(Tagger::roles)
    }

    /// The labels of its trees.
    pub(crate) fn labels(&self) -> &FrozenSymbols<Label> {
        self.ensemble.as_ref().map_or(&self.members[0].scheme.labels, Ensemble::labels)
    }
}

impl Member {
    /// What the vote needs to know about the parser.
    pub(crate) fn voter(&self) -> Voter<'_> {
        Voter { encoder: self.encoder, labels: &self.scheme.labels }
    }
}

impl Untagged {
    /// Makes it a part of a model with these labels.
    pub(crate) fn new(model: Model, others: &FrozenSymbols<Label>) -> Self {
        let labels =
            model.labels().iter().map(|(_, label)| others.get(label).unwrap_or(Label::NONE)).collect();
        Self { model, labels }
    }

    /// The model.
    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// A tree of this model with the labels of the other.
    pub(crate) fn relabel(&self, tree: &Tree, into: &mut Tree) {
        into.clone_from(tree);
        for token in tree.tokens() {
            let label = tree.label(token);
            if !label.is_none() {
                into.set(token, tree.head(token), self.labels[label.0 as usize]);
            }
        }
    }
}
