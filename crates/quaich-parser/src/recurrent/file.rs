//! The recurrent network as a part of a model file.

use std::sync::Arc;

use quaich_features::{ColumnName, Seen, TokenValues};
use quaich_learn::Arrays;
use quaich_learn::recurrent::{Encoder, MAX_MARKS, MAX_ROLES};
use quaich_treebank::Role;
use serde::{Deserialize, Serialize};

use super::lexicon::{Column, Lexicon};
use super::model::{MOST_NETWORKS, RecurrentModel};
use super::roles::View;
use crate::decider::{Decider, Keepable, ModelDecider};
use crate::decisions::Questions;
use crate::dictionary::Dictionary;
use crate::part::{PartError, PartReader, PartWriter};

/// The kind's name in model files.
pub(crate) const NAME: &str = "recurrent";

/// What a description says; the rest is arrays.
#[derive(Serialize, Deserialize)]
struct Description {
    /// By question: words and marks.
    seen: Vec<Vec<String>>,
    /// The number of the first question among those of all parsers that share the networks.
    first_question: usize,
    /// Whether the networks read sentences in the other direction than the parser.
    is_turned: bool,
    networks: Networks,
}

/// Where the networks are.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Networks {
    /// Here: how many there are, and the columns that they read.
    Own { number: usize, columns: Vec<String> },
    /// In the part of an earlier member.
    OfMember(usize),
}

/// The columns that have roles, by the names that files give them; all others are known by their own.
const ROLES: [(&str, Role); 5] = [
    ("form", Role::Form),
    ("lemma", Role::Lemma),
    ("coarse-tag", Role::CoarseTag),
    ("fine-tag", Role::FineTag),
    ("feats", Role::Feats),
];
/// Stands before the names of other columns.
const OTHER: &str = "column:";

impl Keepable for RecurrentModel {
    const KIND: &'static str = NAME;

    fn about(&self) -> Vec<(String, String)> {
        let shape = self.encoders[0].shape();
        let networks = match self.encoders.len() {
            1 => String::new(),
            n => format!("{n} networks of "),
        };
        let strings = self.lexicon.strings.len();
        let seen: Vec<String> = self.views.iter().map(|view| view.seen().written().join(" ")).collect();
        vec![
            (
                "recurrent".to_owned(),
                format!("{networks}{} × {} units a direction", shape.layers, shape.units),
            ),
            ("columns".to_owned(), names(&self.lexicon).join(", ")),
            ("strings".to_owned(), format!("{strings} strings of characters")),
            ("sees".to_owned(), seen.join("; ")),
        ]
    }

    fn save(&self, part: &mut PartWriter<'_>) {
        let networks = match part.shared_with() {
            Some(member) => Networks::OfMember(member),
            None => Networks::Own { number: self.encoders.len(), columns: names(&self.lexicon) },
        };
        let is_own = matches!(networks, Networks::Own { .. });
        part.describe(&Description {
            seen: self.views.iter().map(|view| view.seen().written()).collect(),
            first_question: self.first_question,
            is_turned: self.is_turned,
            networks,
        });
        if is_own {
            self.save_networks(part);
        }
    }
}

impl RecurrentModel {
    fn save_networks(&self, part: &mut PartWriter<'_>) {
        let keys =
            |dictionary: &Dictionary| dictionary.keys().iter().flat_map(|key| key.to_le_bytes()).collect();
        for (at, column) in self.lexicon.columns.iter().enumerate() {
            part.plain(&format!("values.{at}"), keys(&column.values));
            part.plain(&format!("elements.{at}"), keys(&column.elements));
        }
        part.plain("strings", keys(&self.lexicon.strings));
        for (place, encoder) in self.encoders.iter().enumerate() {
            let mut arrays = Arrays::default();
            encoder.save(&mut arrays);
            for (name, bytes) in arrays.iter() {
                part.plain(&format!("{}{name}", prefix(place)), bytes.to_vec());
            }
        }
    }
}

/// Puts a decider together.
pub(crate) fn load(part: PartReader<'_>, questions: &Questions) -> Result<Box<dyn Decider>, PartError> {
    Ok(ModelDecider::boxed(read(part, questions)?, TokenValues::default()))
}

/// Puts a model together.
pub(crate) fn read(part: PartReader<'_>, questions: &Questions) -> Result<RecurrentModel, PartError> {
    let description: Description = part.description()?;
    let compile = |list: &Vec<String>| {
        if list.len() > MAX_ROLES + MAX_MARKS {
            return None;
        }
        View::compile(&Seen::parse(list).ok()?, questions.n_labels())
    };
    let views: Option<Vec<View>> = description.seen.iter().map(compile).collect();
    let views = views.ok_or_else(|| PartError::broken("list of what it sees"))?;
    let (lexicon, encoders) = match &description.networks {
        Networks::Own { number, columns } => read_networks(part, *number, columns)?,
        Networks::OfMember(member) => {
            let shared = part.earlier::<RecurrentModel>(*member);
            let shared = shared.ok_or_else(|| PartError::broken("shared encoder"))?;
            (Arc::clone(&shared.lexicon), Arc::clone(&shared.encoders))
        }
    };
    let Description { first_question, is_turned, .. } = description;
    let of_questions = encoders[0].shape().questions.iter().skip(first_question);
    let of_questions = of_questions.map(|question| (question.roles, question.marks, question.classes));
    let asked = questions.list().iter().zip(&views);
    let asked = asked.map(|(question, view)| (view.n_roles(), view.n_values(), question.n_classes));
    if views.len() != questions.list().len() || !of_questions.take(views.len()).eq(asked) {
        return Err(PartError::broken("encoder"));
    }
    Ok(RecurrentModel { lexicon, encoders, views, first_question, is_turned })
}

/// Puts networks together, and what feeds them.
fn read_networks(
    part: PartReader<'_>,
    number: usize,
    columns: &[String],
) -> Result<(Arc<Lexicon>, Arc<[Encoder]>), PartError> {
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
    let lexicon = Lexicon { columns, strings: dictionary("strings")? };
    if !(1..=MOST_NETWORKS).contains(&number) {
        return Err(PartError::broken("number of networks"));
    }
    let mut all_arrays = vec![Arrays::default(); number];
    for name in part.names().into_iter().filter(|name| name.starts_with(ENCODER)) {
        let place = (0..number).find(|place| name.starts_with(&prefix(*place)));
        let place = place.ok_or_else(|| PartError::broken("list of networks"))?;
        all_arrays[place].set_bytes(&name[prefix(place).len()..], part.bytes(name)?.to_vec());
    }
    let broken = |error| PartError(format!("in its encoder, {error}"));
    let encoders = all_arrays.iter().map(|arrays| Encoder::load(arrays).map_err(broken));
    let encoders: Arc<[Encoder]> = encoders.collect::<Result<_, _>>()?;
    let shape = encoders[0].shape();
    let fits =
        shape.attributes == lexicon.attributes() && encoders.iter().all(|encoder| encoder.shape() == shape);
    if !fits {
        return Err(PartError::broken("encoder"));
    }
    Ok((Arc::new(lexicon), encoders))
}

/// What the names of all encoders' arrays begin with.
const ENCODER: &str = "encoder";

/// What the names of one encoder's arrays begin with.
fn prefix(place: usize) -> String {
    if place == 0 { format!("{ENCODER}.") } else { format!("{ENCODER}{}.", place + 1) }
}

fn names(lexicon: &Lexicon) -> Vec<String> {
    let name = |column: &Column| match &column.name {
        ColumnName::Role(role) => {
            ROLES.iter().find(|(_, known)| known == role).map_or("", |(name, _)| name).to_owned()
        }
        // Lexicons name columns by role and by name only.
        ColumnName::MainTag => String::new(),
        ColumnName::Named(name) => format!("{OTHER}{name}"),
    };
    lexicon.columns.iter().map(name).collect()
}
