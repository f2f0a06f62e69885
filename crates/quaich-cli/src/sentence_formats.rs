//! Output formats that are not columns: JSON, and text with one sentence per line.

use std::collections::BTreeMap;
use std::path::Path;

use quaich::treebank::{FormatChoice, Layout, Line, Role, Sentence, SentenceWriter, convert::Converter};
use serde::Serialize;
use serde_json::Value;

/// An output format.
pub(crate) enum OutputFormat {
    /// Columns.
    Columns(Layout),
    /// One JSON object per sentence, one per line.
    Json,
    /// One sentence per line.
    Text,
}

impl OutputFormat {
    /// The format with this name.
    pub(crate) fn parse(name: &str) -> anyhow::Result<Self> {
        Ok(match name {
            "json" => Self::Json,
            "text" => Self::Text,
            _ => Self::Columns((*FormatChoice::parse(name)?.layout()).clone()),
        })
    }

    /// The file that the name of a format refers to, if any.
    pub(crate) fn file(name: &str) -> Option<&Path> {
        if matches!(name, "json" | "text") { None } else { FormatChoice::file(name) }
    }

    /// What writes sentences in this format.
    pub(crate) fn writer(&self) -> Box<dyn SentenceWriter> {
        match self {
            Self::Columns(layout) => Box::new(Converter::new(layout.clone())),
            Self::Json => Box::new(JsonWriter),
            Self::Text => Box::new(LineWriter),
        }
    }

    /// Whether scores can be written.
    pub(crate) fn has_scores(&self) -> bool {
        match self {
            Self::Columns(layout) => layout.position(Role::Misc).is_some(),
            Self::Json => true,
            Self::Text => false,
        }
    }
}

/// Writes one JSON object per sentence.
#[derive(Debug)]
struct JsonWriter;

/// A sentence.
#[derive(Serialize)]
struct JsonSentence<'s> {
    #[serde(skip_serializing_if = "Option::is_none")]
    sent_id: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'s str>,
    /// The other comments without `#`, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comments: Vec<&'s str>,
    words: Vec<BTreeMap<String, Value>>,
    /// Multiword tokens and empty nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_rows: Vec<BTreeMap<String, Value>>,
}

impl SentenceWriter for JsonWriter {
    fn separates_files(&self) -> bool {
        false
    }

    fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>) {
        let (mut comments, mut words, mut other_rows) = (Vec::new(), Vec::new(), Vec::new());
        for line in sentence.lines() {
            match line {
                Line::Comment(comment) => {
                    let comment = comment.trim_start_matches(['\u{feff}', '#']).trim();
                    let name = comment.split('=').next().unwrap_or_default().trim();
                    if !matches!(name, "sent_id" | "text") {
                        comments.push(comment);
                    }
                }
                Line::Token(token) => {
                    let cells =
                        (0..sentence.layout().columns().len()).map(|column| sentence.cell(token, column));
                    let mut word = row(sentence.layout(), cells);
                    word.insert("id".to_owned(), token.index().into());
                    if let Some(head) = sentence.heads().get(token.index()).filter(|head| head.is_some()) {
                        word.insert("head".to_owned(), head.index().into());
                    }
                    words.push(word);
                }
                Line::Extra(extra) => other_rows.push(row(sentence.layout(), extra.split('\t'))),
                Line::Blank => {}
            }
        }
        if words.is_empty() {
            return;
        }
        let (sent_id, text) = (sentence.comment("sent_id"), sentence.comment("text"));
        let object = JsonSentence { sent_id, text, comments, words, other_rows };
        // Writing to memory cannot fail.
        let _ = serde_json::to_writer(&mut *out, &object);
        out.push(b'\n');
    }
}

/// The values of a row by the names of their columns; empty ones are left out, except for the form, which can be an underscore.
fn row<'c>(layout: &Layout, cells: impl Iterator<Item = &'c str>) -> BTreeMap<String, Value> {
    let is_there = |role: Role, cell: &str| cell != "_" || role == Role::Form;
    let named = layout.columns().iter().zip(cells).filter(|(column, cell)| is_there(column.role, cell));
    named.map(|(column, cell)| (column.name.to_lowercase(), Value::from(cell))).collect()
}

/// Writes the text of each sentence on a line.
#[derive(Debug)]
struct LineWriter;

impl SentenceWriter for LineWriter {
    fn separates_files(&self) -> bool {
        false
    }

    fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>) {
        if sentence.n_tokens() == 0 {
            return;
        }
        match sentence.comment("text") {
            Some(text) => out.extend_from_slice(text.as_bytes()),
            None => {
                for token in sentence.tokens() {
                    if token.index() > 1 {
                        out.push(b' ');
                    }
                    out.extend_from_slice(sentence.form(token).as_bytes());
                }
            }
        }
        out.push(b'\n');
    }
}
