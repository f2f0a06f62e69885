//! An encoder as a part of a model file.

use std::sync::Arc;

use quaich_features::ColumnName;
use quaich_learn::encoder::{Encoder, PointerHead, SlotHead};
use quaich_treebank::Role;
use serde::{Deserialize, Serialize};

use super::lexicon::{Column, Lexicon};
use super::{MAX_NETWORKS, SentenceEncoder};
use crate::consumers::{self, WordClasses};
use crate::dictionary::Dictionary;
use crate::part::{PartError, PartReader, PartWriter};

/// The header; the rest is arrays.
#[derive(Serialize, Deserialize)]
struct EncoderHeader {
    networks: usize,
    columns: Vec<String>,
    /// The consumers with their classes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    predicts: Vec<(String, Vec<String>)>,
}

/// The names of columns with roles, as in model files.
const ROLES: [(&str, Role); 5] = [
    ("form", Role::Form),
    ("lemma", Role::Lemma),
    ("coarse-tag", Role::CoarseTag),
    ("fine-tag", Role::FineTag),
    ("feats", Role::Feats),
];
/// The prefix of the names of other columns.
const OTHER: &str = "column:";

impl SentenceEncoder {
    /// Human-readable properties: names and values.
    pub(crate) fn about(&self) -> Vec<(String, String)> {
        let shape = self.networks[0].shape();
        let networks = match self.networks.len() {
            1 => String::new(),
            n => format!("{n} networks of "),
        };
        let strings = self.lexicon.strings.len();
        let mut about = vec![
            (
                "encoder".to_owned(),
                format!("{networks}{} × {} units per direction", shape.layers, shape.units),
            ),
            ("columns".to_owned(), names(&self.lexicon).join(", ")),
            ("strings".to_owned(), format!("{strings} character n-grams")),
        ];
        if !self.classes.is_empty() {
            let predicted: Vec<&str> = self.classes.iter().map(|classes| classes.consumer.help()).collect();
            about.push(("predicts".to_owned(), predicted.join(", ")));
        }
        about
    }

    /// Writes it as a part of a model file.
    pub(crate) fn save(&self, part: &mut PartWriter<'_>) {
        let predicts =
            self.classes.iter().map(|classes| (classes.consumer.name().to_owned(), classes.classes.to_vec()));
        part.describe(&EncoderHeader {
            networks: self.networks.len(),
            columns: names(&self.lexicon),
            predicts: predicts.collect(),
        });
        let keys =
            |dictionary: &Dictionary| dictionary.keys().iter().flat_map(|key| key.to_le_bytes()).collect();
        for (at, column) in self.lexicon.columns.iter().enumerate() {
            part.plain(&format!("values.{at}"), keys(&column.values));
            part.plain(&format!("elements.{at}"), keys(&column.elements));
        }
        part.plain("strings", keys(&self.lexicon.strings));
        for (number, (network, pointers)) in self.networks.iter().zip(&self.pointers).enumerate() {
            part.arrays(&format!("network.{number}"), |arrays| network.save(arrays));
            part.arrays(&format!("pointers.{number}"), |arrays| pointers.save(arrays));
        }
        for classes in &self.classes {
            for (number, head) in classes.heads.iter().enumerate() {
                part.arrays(&format!("{}.{number}", classes.consumer.name()), |arrays| head.save(arrays));
            }
        }
    }

    /// Reads it.
    pub(crate) fn load(part: PartReader<'_>) -> Result<Self, PartError> {
        let description: EncoderHeader = part.description()?;
        let dictionary = |name: &str| -> Result<Dictionary, PartError> {
            let keys = part.numbers(name, u64::from_le_bytes)?;
            Dictionary::read(&keys).ok_or_else(|| PartError::broken("dictionary"))
        };
        let column = |(at, name): (usize, &String)| -> Result<Column, PartError> {
            let role = ROLES.iter().find(|(known, _)| known == name).map(|(_, role)| ColumnName::Role(*role));
            let named = || name.strip_prefix(OTHER).map(|name| ColumnName::Named(name.to_owned()));
            Ok(Column {
                name: role.or_else(named).ok_or_else(|| PartError::broken("list of columns"))?,
                values: dictionary(&format!("values.{at}"))?,
                elements: dictionary(&format!("elements.{at}"))?,
            })
        };
        let columns = description.columns.iter().enumerate().map(column).collect::<Result<_, _>>()?;
        let lexicon = Lexicon { columns, strings: dictionary("strings")? };
        if !(1..=MAX_NETWORKS).contains(&description.networks) {
            return Err(PartError::broken("number of networks"));
        }
        let broken = |error| PartError(format!("in its encoder, {error}"));
        let numbers = || 0..description.networks;
        let network = |number| Encoder::load(&part.arrays(&format!("network.{number}"))?).map_err(broken);
        let networks: Vec<Encoder> = numbers().map(network).collect::<Result<_, _>>()?;
        let shape = networks[0].shape();
        if shape.attributes != lexicon.attributes() || networks.iter().any(|network| network.shape() != shape)
        {
            return Err(PartError::broken("encoder"));
        }
        let pointers = |number| {
            PointerHead::load(shape.output_width(), &part.arrays(&format!("pointers.{number}"))?)
                .map_err(broken)
        };
        let pointers = numbers().map(pointers).collect::<Result<_, _>>()?;
        let mut predicted = Vec::new();
        for (name, classes) in description.predicts {
            let consumer = match &consumers::by_names(&name) {
                Ok(found) if found.len() == 1 => found[0],
                _ => return Err(PartError::broken("list of predictions")),
            };
            let mut heads = Vec::new();
            for (number, network) in networks.iter().enumerate() {
                let head = SlotHead::load(&part.arrays(&format!("{name}.{number}"))?).map_err(broken)?;
                let shape = head.shape();
                if !head.fits(network) || (shape.slots, shape.marks, shape.classes) != (1, 0, classes.len()) {
                    return Err(PartError::broken("list of predictions"));
                }
                heads.push(head);
            }
            if classes.iter().any(|class| class.contains(['\t', '\n'])) {
                return Err(PartError::broken("list of predictions"));
            }
            predicted.push(WordClasses { consumer, classes: Arc::new(classes), heads });
        }
        Ok(Self::new(lexicon, networks, pointers, predicted))
    }
}

fn names(lexicon: &Lexicon) -> Vec<String> {
    let name = |column: &Column| match &column.name {
        ColumnName::Role(role) => {
            ROLES.iter().find(|(_, known)| known == role).map_or("", |(name, _)| name).to_owned()
        }
        // Lexicons name columns by role or by name only.
        ColumnName::MainTag => String::new(),
        ColumnName::Named(name) => format!("{OTHER}{name}"),
    };
    lexicon.columns.iter().map(name).collect()
}
