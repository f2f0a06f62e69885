//! A model with what it knows about source code: its language, what its sentences look like, and when it is to be preferred to the
//! grammar.

use std::path::Path;

use quaich_code::Language;
use quaich_code::language::by_name;
use quaich_parser::Model;

use crate::choice::Choice;
use crate::code_parser::CodeParser;
use crate::error::{Error, Result};

/// The names of the attributes in the description of a model.
const LANGUAGE: &str = "language";
const HEAD_RULE: &str = "head-rule";
const COLUMNS: &str = "grammar-columns";
const REPLACE_FROM: &str = "replace-from";
const FILLS: &str = "fill-errors";

/// A model for files of a programming language.
#[derive(Clone, Debug)]
pub struct CodeModel {
    model: Model,
    language: &'static Language,
    has_columns: bool,
    choice: Choice,
}

/// What a model was trained on.
#[derive(Clone, Copy, Debug)]
pub struct TrainedOn<'a> {
    /// The language.
    pub language: &'static Language,
    /// The name of the head rule.
    pub head_rule: &'a str,
    /// Whether sentences have the grammar's analysis as columns.
    pub has_columns: bool,
}

impl CodeModel {
    /// Stores with a model what it was trained on.
    pub fn new(model: Model, trained_on: TrainedOn<'_>) -> Self {
        let TrainedOn { language, head_rule, has_columns } = trained_on;
        let model = model
            .with_attribute(LANGUAGE, language.name)
            .with_attribute(HEAD_RULE, head_rule)
            .with_attribute(COLUMNS, yes_or_no(has_columns));
        Self { model, language, has_columns, choice: Choice::default() }
    }

    /// Stores with the model when it is preferred to the grammar.
    #[must_use]
    pub fn with_choice(self, choice: Choice) -> Self {
        let model = self
            .model
            .with_attribute(REPLACE_FROM, choice.replace_from.to_string())
            .with_attribute(FILLS, yes_or_no(choice.fills));
        Self { model, choice, ..self }
    }

    /// Loads a model file.
    ///
    /// # Errors
    /// As [`of`](Self::of), and if the file cannot be read or is no model.
    pub fn load(path: impl AsRef<Path>, language: Option<&'static Language>) -> Result<Self> {
        let file = path.as_ref().display().to_string();
        Self::of(Model::load(path)?, &file, language)
    }

    /// Reads what is stored with a model. A model trained on a treebank of source files says nothing; `language` is then its language.
    ///
    /// # Errors
    /// If neither says the language.
    pub fn of(model: Model, file: &str, language: Option<&'static Language>) -> Result<Self> {
        let attributes = &model.description().attributes;
        let wrong = |name, value: &str, expected| Error::Attribute {
            file: file.to_owned(),
            name,
            value: value.to_owned(),
            expected,
        };
        let flag = |name| match attributes.get(name).map(String::as_str) {
            None => Ok(None),
            Some("yes") => Ok(Some(true)),
            Some("no") => Ok(Some(false)),
            Some(other) => Err(wrong(name, other, "yes or no")),
        };
        let named = attributes.get(LANGUAGE).map(|name| by_name(name)).transpose()?;
        let language = named.or(language).ok_or_else(|| Error::NotOfCode { file: file.to_owned() })?;
        let has_columns = flag(COLUMNS)?.unwrap_or(false);
        let mut choice = Choice::default();
        choice.fills = flag(FILLS)?.unwrap_or(choice.fills);
        if let Some(text) = attributes.get(REPLACE_FROM) {
            let value = text.parse().ok().filter(|value: &f64| !value.is_nan());
            choice.replace_from = value.ok_or_else(|| wrong(REPLACE_FROM, text, "a number"))?;
        }
        Ok(Self { model, language, has_columns, choice })
    }

    /// The model, whose description has all of this.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The language.
    pub fn language(&self) -> &'static Language {
        self.language
    }

    /// Whether sentences need the grammar's analysis as columns.
    pub fn has_columns(&self) -> bool {
        self.has_columns
    }

    /// When it is preferred to the grammar.
    pub fn choice(&self) -> Choice {
        self.choice
    }

    /// Returns what a thread needs to parse.
    ///
    /// # Errors
    /// If the model needs the grammar's columns and this build does not have the grammar.
    pub fn parser(&self) -> Result<CodeParser> {
        CodeParser::with_model(self)
    }
}

fn yes_or_no(flag: bool) -> &'static str {
    if flag { "yes" } else { "no" }
}
