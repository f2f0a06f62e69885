//! Networks as a part of a model file.

use std::sync::Arc;

use quaich_features::{Template, TokenValues, Value};
use quaich_learn::network::Frozen;
use quaich_learn::network::frozen::{LANES, Output, Pairs};
use serde::{Deserialize, Serialize};

use super::attributes::Attributes;
use super::model::{NetworkModel, QuestionNetwork};
use super::slots::Slots;
use crate::decisions::Questions;
use crate::decoder::{Decoder, Persist, ScorerDecoder};
use crate::dictionary::Dictionary;
use crate::part::{PartError, PartReader, PartWriter};

/// The kind's name in model files.
pub(crate) const NAME: &str = "network";

/// The header, with one entry per question; the rest is arrays.
#[derive(Serialize, Deserialize)]
struct NetworkHeader {
    networks: Vec<NetworkDescription>,
}

#[derive(Serialize, Deserialize)]
struct NetworkDescription {
    /// Its inputs, in the notation of templates.
    slots: Vec<String>,
    hidden: usize,
    classes: usize,
    /// The scale of scores to log-probabilities.
    scale: f32,
}

impl Persist for NetworkModel {
    fn kind(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> Vec<(String, String)> {
        let hidden: Vec<String> =
            self.by_question.iter().map(|entry| entry.frozen.hidden.to_string()).collect();
        vec![("network".to_owned(), format!("{} hidden units", hidden.join(" + ")))]
    }

    fn save(&self, part: &mut PartWriter<'_>) {
        let networks =
            self.by_question.iter().map(|QuestionNetwork { slots, frozen, .. }| NetworkDescription {
                slots: slots.values().iter().map(ToString::to_string).collect(),
                hidden: frozen.hidden,
                classes: frozen.output.classes,
                scale: frozen.output.scale,
            });
        part.describe(&NetworkHeader { networks: networks.collect() });
        for (at, attribute) in self.attributes.list.iter().enumerate() {
            let keys = |dictionary: &Dictionary| {
                dictionary.keys().iter().flat_map(|key| key.to_le_bytes()).collect()
            };
            part.plain(&format!("values.{at}"), keys(&attribute.values));
            part.plain(&format!("elements.{at}"), keys(&attribute.elements));
        }
        for (at, QuestionNetwork { frozen, rows, .. }) in self.by_question.iter().enumerate() {
            part.lines(&format!("{at}.rows"), bytemuck::cast_slice(rows.as_slice()).to_vec());
            let mut plain = |array: &str, bytes: Vec<u8>| part.plain(&format!("{at}.{array}"), bytes);
            plain("first_row", frozen.first_row.iter().flat_map(|n| n.to_le_bytes()).collect());
            plain("stride", frozen.stride.iter().flat_map(|n| n.to_le_bytes()).collect());
            plain("bias", frozen.bias.iter().flat_map(|n| n.to_le_bytes()).collect());
            let output = frozen.output.weights.as_flattened().as_flattened();
            plain("output", output.iter().flat_map(|n| n.to_le_bytes()).collect());
            plain("output_bias", frozen.output.bias.iter().flat_map(|n| n.to_le_bytes()).collect());
        }
    }
}

/// Reads a decoder.
pub(crate) fn load(part: PartReader<'_>, questions: &Questions) -> Result<Box<dyn Decoder>, PartError> {
    let mut token_values = TokenValues::default();
    let model = read(part, questions, &mut token_values)?;
    Ok(ScorerDecoder::boxed(Arc::new(model), token_values))
}

/// Reads a model.
pub(crate) fn read(
    part: PartReader<'_>,
    questions: &Questions,
    token_values: &mut TokenValues,
) -> Result<NetworkModel, PartError> {
    let NetworkHeader { networks } = part.description()?;
    let sizes = questions.list().iter().map(|question| question.n_classes);
    if !networks.iter().map(|network| network.classes).eq(sizes) {
        return Err(PartError::broken("list of questions"));
    }
    let mut attributes = Attributes::default();
    let mut slots = Vec::new();
    let parse = |network: &NetworkDescription| -> Result<Vec<Template>, _> {
        network.slots.iter().map(|text| Template::parse(text)).collect()
    };
    let seen: Result<Vec<Vec<Template>>, _> = networks.iter().map(parse).collect();
    let seen = seen.map_err(|_| PartError::broken("list of slots"))?;
    quaich_features::limits::check(seen.iter().flatten()).map_err(|error| PartError(error.to_string()))?;
    for network in seen {
        let values: Vec<Value> = network.into_iter().flat_map(|template| template.values).collect();
        let compiled = Slots::compile(&values, &mut attributes, token_values);
        slots.push(compiled.map_err(|_| PartError::broken("list of slots"))?);
    }
    for (at, attribute) in attributes.list.iter_mut().enumerate() {
        let keys = |name: &str| part.numbers(&format!("{name}.{at}"), u64::from_le_bytes);
        let dictionary =
            |keys: Vec<u64>| Dictionary::read(&keys).ok_or_else(|| PartError::broken("dictionary"));
        attribute.values = dictionary(keys("values")?)?;
        attribute.elements = dictionary(keys("elements")?)?;
    }
    let sizes: Vec<usize> = attributes
        .list
        .iter()
        .map(super::attributes::Attribute::n_rows)
        .chain(Slots::shared_vocabularies(questions.n_labels()).map(|(size, _)| size))
        .collect();
    let mut by_question = Vec::new();
    for ((at, network), slots) in networks.iter().enumerate().zip(slots) {
        let name = |array: &str| format!("{at}.{array}");
        let frozen = Frozen {
            hidden: network.hidden,
            first_row: part.numbers(&name("first_row"), u32::from_le_bytes)?,
            stride: part.numbers(&name("stride"), u32::from_le_bytes)?,
            bias: part.numbers(&name("bias"), i16::from_le_bytes)?,
            output: Output::from_parts(
                (network.hidden, network.classes),
                part.numbers(&name("output"), pairs)?,
                part.numbers(&name("output_bias"), i32::from_le_bytes)?,
                network.scale,
            ),
        };
        let entry = QuestionNetwork { slots, frozen, rows: part.lines(&name("rows"))? };
        let vocabularies = entry.slots.vocabularies(attributes.len());
        let sizes: Vec<usize> = vocabularies.iter().map(|&vocabulary| sizes[vocabulary]).collect();
        if !entry.frozen.fits(entry.rows(), &sizes) {
            return Err(PartError::broken("network"));
        }
        by_question.push(entry);
    }
    Ok(NetworkModel::new(attributes, by_question))
}

/// The weights of a pair of hidden units from their bytes.
fn pairs(bytes: [u8; size_of::<Pairs>()]) -> Pairs {
    bytemuck::cast::<_, [[[u8; 2]; 2]; LANES]>(bytes).map(|pair| pair.map(i16::from_le_bytes))
}
