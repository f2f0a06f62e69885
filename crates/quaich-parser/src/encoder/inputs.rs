//! What an encoder reads of a word: the setting `encoder.inputs`.

use std::fmt;

use quaich_features::ColumnName;
use quaich_treebank::layout::Column;
use quaich_treebank::{Role, Sentence};

use super::Lexicon;
use crate::error::{Result, unknown_name};

/// What an encoder reads of a word, besides its form.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Inputs {
    /// Names of columns; none for all that have values.
    names: Option<Vec<String>>,
}

/// Columns by their names in the setting.
const COLUMNS: [(&str, Role); 5] = [
    (FORMS, Role::Form),
    ("lemmas", Role::Lemma),
    ("upos", Role::CoarseTag),
    ("xpos", Role::FineTag),
    ("feats", Role::Feats),
];
/// Word forms, which every encoder reads.
const FORMS: &str = "forms";
/// The character n-grams of forms.
const CHARACTERS: &str = "characters";
/// The separator of names.
const SEPARATOR: char = ',';

impl Inputs {
    /// Parses names separated by commas; `auto` is not among them.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut names = vec![FORMS.to_owned()];
        for name in text.split(SEPARATOR).map(str::trim) {
            if name.is_empty() {
                return Err(format!(
                    "found `{text}`, expected names separated by commas, such as upos,characters"
                ));
            }
            let known = COLUMNS.iter().map(|(known, _)| *known).chain([CHARACTERS]);
            let known = known.into_iter().find(|known| known.eq_ignore_ascii_case(name));
            let name = known.unwrap_or(name).to_owned();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(Self { names: Some(names) })
    }

    /// Whether a column is read.
    pub(super) fn reads(&self, column: &Column) -> bool {
        name_of(column).is_some_and(|name| self.has(name))
    }

    /// Whether the character n-grams of forms are read.
    pub(crate) fn reads_characters(&self) -> bool {
        self.has(CHARACTERS)
    }

    fn has(&self, name: &str) -> bool {
        self.names.as_ref().is_none_or(|names| names.iter().any(|known| known.eq_ignore_ascii_case(name)))
    }

    /// Checks that sentences with these columns can have everything that is named. A column without values is no error.
    pub(crate) fn check(&self, columns: &[Column]) -> Result<()> {
        let standard = COLUMNS.iter().map(|(name, _)| *name).chain([CHARACTERS]);
        let others = columns.iter().filter(|column| column.role == Role::Other).filter_map(name_of);
        let known: Vec<&str> = standard.chain(others).collect();
        let is_unknown = |name: &&String| !known.iter().any(|known| known.eq_ignore_ascii_case(name));
        match self.names.iter().flatten().find(is_unknown) {
            None => Ok(()),
            Some(name) => Err(unknown_name("input of the encoder", name, known)),
        }
    }
}

impl fmt::Display for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.names {
            None => f.write_str("auto"),
            Some(names) => f.write_str(&names.join(",")),
        }
    }
}

/// What an encoder reads of these sentences unless the setting `encoder.inputs` chooses, by the names of that setting: every column that
/// has values, and characters.
pub fn encoder_inputs(sentences: &[&Sentence]) -> Vec<String> {
    let lexicon = Lexicon::of(sentences, &Inputs::default(), &[], None);
    let name = |column: &ColumnName| match column {
        ColumnName::Role(role) => {
            COLUMNS.iter().find(|(_, known)| known == role).map(|(name, _)| (*name).to_owned())
        }
        ColumnName::Named(name) => Some(name.clone()),
        ColumnName::MainTag => None,
    };
    lexicon.columns().filter_map(name).chain([CHARACTERS.to_owned()]).collect()
}

/// The name of a column in the setting; none if it contains heads, labels or anything derived from them.
fn name_of(column: &Column) -> Option<&str> {
    match column.role {
        Role::Id | Role::Head | Role::Label | Role::Misc => None,
        Role::Other => (!tells_of_heads(&column.name)).then_some(&*column.name),
        role => COLUMNS.iter().find(|(_, known)| *known == role).map(|(name, _)| *name),
    }
}

/// Whether a column contains heads, labels or anything derived from them, which the encoder must not see.
fn tells_of_heads(column: &str) -> bool {
    ["DEPS", "PHEAD", "PDEPREL", "FILLPRED", "PRED"].contains(&column) || column.starts_with("APRED")
}

#[cfg(test)]
mod tests {
    use quaich_treebank::Treebank;

    use super::*;

    const SAMPLE: &str = include_str!("../../../../data/sample/dev.conllu");

    fn sentences() -> Vec<Sentence> {
        Treebank::from_text(SAMPLE).unwrap().to_vec()
    }

    #[test]
    fn names_choose_columns() {
        let sentences = sentences();
        let sentences: Vec<&Sentence> = sentences.iter().collect();
        let all = encoder_inputs(&sentences);
        assert_eq!(all, ["forms", "lemmas", "upos", "xpos", "feats", "characters"]);
        let columns = |text: &str| {
            let inputs = if text == "auto" { Inputs::default() } else { Inputs::parse(text).unwrap() };
            let lexicon = Lexicon::of(&sentences, &inputs, &[], None);
            (lexicon.columns().cloned().collect::<Vec<_>>(), lexicon.sizes().1 > 0)
        };
        assert_eq!(columns("auto"), columns(&all.join(",")));
        let roles = |roles: &[Role]| roles.iter().map(|role| ColumnName::Role(*role)).collect::<Vec<_>>();
        assert_eq!(columns("UPOS"), (roles(&[Role::Form, Role::CoarseTag]), false));
        assert_eq!(columns("characters, feats"), (roles(&[Role::Form, Role::Feats]), true));
        assert_eq!(columns("forms"), (roles(&[Role::Form]), false));
        // Heads are never read.
        assert_eq!(columns("HEAD,DEPREL,DEPS"), columns("forms"));
    }

    #[test]
    fn unknown_names_are_errors() {
        let sentences = sentences();
        let columns = sentences[0].layout().columns();
        Inputs::parse("xpos,lemmas").unwrap().check(columns).unwrap();
        for unknown in ["tags", "upos,DEPS", "HEAD"] {
            let error = Inputs::parse(unknown).unwrap().check(columns).unwrap_err().to_string();
            assert!(
                error.starts_with("unknown input of the encoder `") && error.contains("characters"),
                "{error}"
            );
        }
        assert!(Inputs::parse("upos,,xpos").unwrap_err().contains("separated by commas"));
        assert_eq!(Inputs::parse(" Upos , upos,COLUMN").unwrap().to_string(), "forms,upos,COLUMN");
    }
}
