//! A sentence as Python sees it: Rust's, from which Python objects are made when they are asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use quaich::draw::{Picture, svg, terminal, tree_view};
use quaich::treebank::convert::Converter;
use quaich::treebank::formats::conllu;
use quaich::treebank::{Line, Node, ReadOptions, Reader, Role, Source};

use crate::errors::{bad_data, detached, of_treebank};
use crate::work::run;

/// Texts of fewer bytes are read on the calling thread: it takes a few milliseconds.
const SHORT: usize = 1 << 16;

/// A sentence, with heads and labels if it has been parsed or was read with them.
#[pyclass(frozen, module = "quaich._quaich")]
pub(crate) struct Sentence {
    pub(crate) sentence: quaich::Sentence,
}

/// The columns of words, by their names in CoNLL-U.
const COLUMNS: [(&str, Role); 7] = [
    ("form", Role::Form),
    ("lemma", Role::Lemma),
    ("upos", Role::CoarseTag),
    ("xpos", Role::FineTag),
    ("feats", Role::Feats),
    ("deprel", Role::Label),
    ("misc", Role::Misc),
];

#[pymethods]
impl Sentence {
    /// Reads the sentences of a text in CoNLL-U or another known format.
    #[staticmethod]
    fn read_all(py: Python<'_>, text: &str) -> PyResult<Vec<Self>> {
        if text.len() < SHORT {
            return detached(py, || read(text.to_owned(), "text"))?.map_err(of_treebank);
        }
        run(py, 1, |stop| read_until(text.to_owned(), "text", stop))?.map_err(of_treebank)
    }

    fn __len__(&self) -> usize {
        self.sentence.n_tokens()
    }

    /// The cells of a column, one per word.
    fn column(&self, name: &str) -> PyResult<Vec<&str>> {
        let column = self.position(name)?;
        let cell = |token| column.map_or("_", |column| self.sentence.cell(token, column));
        Ok(self.sentence.tokens().map(cell).collect())
    }

    /// A cell of a word, counted from 0.
    fn cell(&self, word: usize, name: &str) -> PyResult<&str> {
        let (node, column) = (self.node(word)?, self.position(name)?);
        Ok(column.map_or("_", |column| self.sentence.cell(node, column)))
    }

    /// The number of the head of a word, counted from 0; -1 if it has none.
    fn head(&self, word: usize) -> PyResult<i64> {
        Ok(number(self.sentence.heads()[self.node(word)?.index()]))
    }

    /// The heads, one per word.
    fn heads(&self) -> Vec<i64> {
        self.sentence.heads()[1..].iter().copied().map(number).collect()
    }

    /// The comments in order: `key = value` as both, anything else as the text and nothing.
    fn comments(&self) -> Vec<(&str, Option<&str>)> {
        let comment = |line| match line {
            Line::Comment(text) => Some(text.trim_start_matches('\u{feff}').trim_start_matches('#').trim()),
            _ => None,
        };
        let pair = |text: &'_ str| text.split_once('=').map(|(key, _)| key.trim().len());
        let split = |text| match pair(text) {
            Some(end) => (&text[..end], Some(text[end..].trim_start().trim_start_matches('=').trim())),
            None => (text, None),
        };
        self.sentence.lines().filter_map(comment).map(split).collect()
    }

    /// The lines of multiword tokens and empty nodes, each after the number of words before it.
    fn extra_rows(&self) -> Vec<(usize, &str)> {
        let mut n_words = 0;
        let row = |line| match line {
            Line::Token(token) => {
                n_words = token.index();
                None
            }
            Line::Extra(row) => Some((n_words, row)),
            _ => None,
        };
        self.sentence.lines().filter_map(row).collect()
    }

    /// The sentence in CoNLL-U: what was read, byte for byte, if it was CoNLL-U.
    fn to_conllu(&self) -> PyResult<String> {
        if self.sentence.layout().name() == conllu::layout().name() {
            return Ok(self.sentence.text().to_owned());
        }
        let mut text = Vec::new();
        Converter::new(conllu::layout()).write(&self.sentence, &mut text);
        String::from_utf8(text).map_err(|error| bad_data("not-utf8", &error.to_string()))
    }

    /// The arcs as a page of SVG, or as a fragment of an HTML page.
    fn svg(&self, title: &str, is_fragment: bool) -> PyResult<String> {
        let n_words = self.sentence.n_tokens();
        if n_words > svg::MAX_WORDS {
            let message = format!("found {n_words} words, expected at most {} in a drawing", svg::MAX_WORDS);
            return Err(PyValueError::new_err(message));
        }
        let picture = Picture::of(&self.sentence);
        Ok(if is_fragment {
            svg::fragment(title, &picture)
        } else {
            svg::page(&[(title.to_owned(), picture)])
        })
    }

    /// The arcs drawn with characters, or an indented tree if they are wider than this.
    fn tree(&self, width: Option<usize>) -> String {
        let (picture, options) = (Picture::of(&self.sentence), terminal::Options::default());
        match width {
            Some(width) if terminal::width(&picture) > width => tree_view::draw(&picture, options),
            _ => terminal::draw(&picture, options),
        }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let one = slf.get_type().getattr("read_one")?;
        Ok((one, PyTuple::new(slf.py(), [slf.get().to_conllu()?])?))
    }

    /// Reads a text of one sentence.
    #[staticmethod]
    fn read_one(py: Python<'_>, text: &str) -> PyResult<Self> {
        let mut sentences = Self::read_all(py, text)?.into_iter();
        match (sentences.next(), sentences.next()) {
            (Some(one), None) => Ok(one),
            (None, _) => Ok(Self { sentence: quaich::Sentence::empty(Arc::new(conllu::layout())) }),
            _ => Err(bad_data("sentences", "found several sentences, expected one")),
        }
    }
}

impl Sentence {
    /// The position of a column; none if the format lacks it.
    fn position(&self, name: &str) -> PyResult<Option<usize>> {
        let layout = self.sentence.layout();
        match COLUMNS.iter().find(|(known, _)| *known == name) {
            Some(&(_, role)) => Ok(layout.position(role)),
            None if name == "deps" => Ok(layout.columns().iter().position(|column| column.name == "DEPS")),
            None => Err(PyValueError::new_err(format!("unknown column {name:?}"))),
        }
    }

    fn node(&self, word: usize) -> PyResult<Node> {
        if word < self.sentence.n_tokens() {
            Ok(Node::from_index(word + 1))
        } else {
            Err(PyIndexError::new_err("no such word"))
        }
    }
}

fn number(head: Node) -> i64 {
    if head.is_some() { i64::from(head.0) } else { -1 }
}

/// Reads all sentences of a text; the text after the last one, which has no words, is left out.
pub(crate) fn read(
    text: impl AsRef<[u8]> + Send + 'static,
    name: &str,
) -> quaich::treebank::Result<Vec<Sentence>> {
    read_until(text, name, &AtomicBool::new(false))
}

/// Reads sentences until the flag is set.
fn read_until(
    text: impl AsRef<[u8]> + Send + 'static,
    name: &str,
    stop: &AtomicBool,
) -> quaich::treebank::Result<Vec<Sentence>> {
    let source = Source::from_stream(std::io::Cursor::new(text), name.to_owned(), None)?;
    let conllu = ReadOptions::parse(Some("conllu"), None)?;
    let sentences = Reader::new(source, &conllu)?.sentences();
    sentences
        .take_while(|_| !stop.load(Ordering::Relaxed))
        .filter(|sentence| sentence.as_ref().map_or(true, |sentence| sentence.n_tokens() > 0))
        .map(|sentence| Ok(Sentence { sentence: sentence? }))
        .collect()
}
