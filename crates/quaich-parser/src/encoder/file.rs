//! An encoder as a part of a model file.

use quaich_features::ColumnName;
use quaich_learn::encoder::{Encoder, PointerHead};
use quaich_treebank::Role;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::lexicon::{Column, Lexicon};
use super::{MAX_NETWORKS, SentenceEncoder};
use crate::consumers::Tagger;
use crate::dictionary::Dictionary;
use crate::part::{PartError, PartReader, PartWriter};

/// The header; the rest is arrays.
#[derive(Serialize, Deserialize)]
struct EncoderHeader {
    networks: usize,
    columns: Vec<String>,
    /// Whether its forms and n-grams are those of an encoder that was pretrained on text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pretrained: bool,
    /// The tagger over it, if there is one.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    tagger: Value,
}

/// The name of the part that holds the tagger.
const TAGGER: &str = "tagger";

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
        if let Some(tagger) = &self.tagger {
            about.push(("predicts".to_owned(), tagger.about()));
        }
        about
    }

    /// Writes it as a part of a model file.
    pub(crate) fn save(&self, part: &mut PartWriter<'_>) {
        part.describe(&EncoderHeader {
            networks: self.networks.len(),
            columns: names(&self.lexicon),
            pretrained: self.lexicon.is_wide && self.tagger.is_none(),
            tagger: Value::Null,
        });
        self.lexicon.save(part);
        for (number, (network, pointers)) in self.networks.iter().zip(&self.pointers).enumerate() {
            part.arrays(&format!("network.{number}"), |arrays| network.save(arrays));
            part.arrays(&format!("pointers.{number}"), |arrays| pointers.save(arrays));
        }
        if let Some(tagger) = &self.tagger {
            tagger.save(&mut part.part(TAGGER));
        }
    }

    /// Reads it.
    pub(crate) fn load(part: PartReader<'_>) -> Result<Self, PartError> {
        let description: EncoderHeader = part.description()?;
        let has_tagger = !description.tagger.is_null();
        let is_wide = has_tagger || description.pretrained;
        let lexicon = Lexicon::load(&part, &description.columns, is_wide)?;
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
        let tagger =
            has_tagger.then(|| part.part(TAGGER, |part| Tagger::load(&part, &networks))).transpose()?;
        Ok(Self::new(lexicon, networks, pointers, tagger))
    }
}

impl Lexicon {
    /// Writes its dictionaries.
    pub(crate) fn save(&self, part: &mut PartWriter<'_>) {
        let keys =
            |dictionary: &Dictionary| dictionary.keys().iter().flat_map(|key| key.to_le_bytes()).collect();
        for (at, column) in self.columns.iter().enumerate() {
            part.plain(&format!("values.{at}"), keys(&column.values));
            part.plain(&format!("elements.{at}"), keys(&column.elements));
        }
        part.plain("strings", keys(&self.strings));
    }

    /// Reads the dictionaries of these columns.
    fn load(part: &PartReader<'_>, columns: &[String], is_wide: bool) -> Result<Self, PartError> {
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
        let columns = columns.iter().enumerate().map(column).collect::<Result<_, _>>()?;
        Ok(Self { columns, strings: dictionary("strings")?, is_wide })
    }

    /// Reads the dictionaries of a pretrained encoder, which knows only forms.
    pub(crate) fn load_pretrained(part: &PartReader<'_>) -> Result<Self, PartError> {
        Self::load(part, &[ROLES[0].0.to_owned()], true)
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
