//! The kinds of deciders that a model file can hold, by the name it gives them.

use crate::decider::Decider;
use crate::decisions::Questions;
use crate::part::{PartError, PartReader};
use crate::{classifiers, linear, mixed, network, recurrent};

type Load = fn(PartReader<'_>, &Questions) -> Result<Box<dyn Decider>, PartError>;

/// How each kind of decider is put together again.
static DECIDERS: &[(&str, Load)] = &[
    (linear::NAME, linear::load),
    (network::NAME, network::load),
    (mixed::WITH_NETWORK, mixed::load_with_network),
    (mixed::WITH_RECURRENT, mixed::load_with_recurrent),
    (recurrent::NAME, recurrent::load),
    (classifiers::NAME, classifiers::load),
];

/// Puts a decider together from its part of a model file.
pub(crate) fn load(
    name: &str,
    part: PartReader<'_>,
    questions: &Questions,
) -> Result<Box<dyn Decider>, PartError> {
    let (_, load) = DECIDERS
        .iter()
        .find(|(known, _)| *known == name)
        .ok_or_else(|| PartError::broken("kind of model"))?;
    load(part, questions)
}
