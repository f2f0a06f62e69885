//! The engine as flat arrays, for the model file.

use quaich_features::Template;
use quaich_learn::network::Frozen;
use quaich_transition::transition::Kind;

use super::dictionary::{Dictionaries, Dictionary, N_ATTRIBUTES};
use super::slots::{SlotError, Slots};
use super::{MAX_KINDS, NetworkEngine, Part};
use crate::memory::Lines;

/// Everything an engine consists of.
#[derive(Clone, Debug)]
pub struct NetworkParts {
    /// What the transition network sees, in the notation of templates, separated by blanks.
    pub transition_slots: String,
    /// What the label network sees.
    pub label_slots: String,
    /// By attribute of tokens: the hashes of its values in the order of their numbers.
    pub keys: [Vec<u64>; N_ATTRIBUTES],
    /// Chooses transitions; the rows come with it.
    pub transitions: (Frozen, Lines),
    /// Chooses labels.
    pub labels: (Frozen, Lines),
    /// The kind of transition behind each class.
    pub kinds: Vec<Kind>,
}

/// Why parts do not make an engine.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PartsError {
    /// The notation of a list of slots is wrong.
    #[error(transparent)]
    Notation(#[from] quaich_features::template::TemplateError),
    /// A list of slots cannot be used.
    #[error(transparent)]
    Slots(#[from] SlotError),
    /// Arrays that do not fit each other.
    #[error("the arrays of the {0} network do not fit each other")]
    Sizes(&'static str),
}

impl NetworkEngine {
    /// The engine as flat arrays.
    pub fn parts(&self) -> NetworkParts {
        let text =
            |slots: &Slots| slots.attributes().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        NetworkParts {
            transition_slots: text(&self.transitions.slots),
            label_slots: text(&self.labels.slots),
            keys: self.dictionaries.attributes.each_ref().map(|dictionary| dictionary.keys().to_vec()),
            transitions: (self.transitions.frozen.clone(), self.transitions.rows.clone()),
            labels: (self.labels.frozen.clone(), self.labels.rows.clone()),
            kinds: self.kinds.clone(),
        }
    }

    /// An engine from flat arrays.
    pub fn from_parts(parts: NetworkParts) -> Result<Self, PartsError> {
        let slots = |text: &str| -> Result<Slots, PartsError> {
            let mut attributes = Vec::new();
            for word in text.split_whitespace() {
                attributes.extend(Template::parse(word)?.attributes);
            }
            Ok(Slots::compile(&attributes)?)
        };
        let dictionaries =
            Dictionaries { attributes: parts.keys.each_ref().map(|keys| Dictionary::from_keys(keys)) };
        let n_labels = parts.labels.0.classes;
        let sizes: Vec<usize> = dictionaries
            .attributes
            .iter()
            .map(Dictionary::size)
            .chain(Slots::other_vocabularies(n_labels).map(|(size, _)| size))
            .collect();
        let part = |name: &'static str, slots: Slots, (frozen, rows): (Frozen, Lines)| {
            let sizes: Vec<usize> =
                slots.vocabularies().iter().map(|&vocabulary| sizes[vocabulary]).collect();
            let part = Part { slots, frozen, rows };
            if part.frozen.fits(part.rows(), &sizes) { Ok(part) } else { Err(PartsError::Sizes(name)) }
        };
        if parts.kinds.len() != parts.transitions.0.classes || parts.kinds.len() > MAX_KINDS {
            return Err(PartsError::Sizes("transition"));
        }
        let transitions = part("transition", slots(&parts.transition_slots)?, parts.transitions)?;
        let labels = part("label", slots(&parts.label_slots)?, parts.labels)?;
        Ok(Self::new(dictionaries, transitions, labels, parts.kinds))
    }
}
