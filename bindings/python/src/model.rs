//! A model: loading, saving, and parsing of everything that is not Arrow.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyUnicodeEncodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyBytes;
use quaich::treebank::{ReadOptions, Reader, Role, Sink, Source, formats::conllu};
use quaich::{
    Flow, ParseOptions, RawTextOptions, Streamed, TextMode, Worker, check_layout, parse_raw_text,
    parse_stream,
};
use rayon::prelude::*;

use crate::arrow;
use crate::errors::{bad_data, detached, of_library, setting};
use crate::rows::{self, Rows};
use crate::sentence::{Sentence, read};
use crate::work::{Outcome, n_jobs, run, run_with_events};

/// A model, and the workers that are not in use.
#[pyclass(frozen, module = "quaich._quaich")]
pub(crate) struct Model {
    model: quaich::Model,
    /// The file that it was loaded from.
    path: Option<PathBuf>,
    idle: Mutex<Vec<Worker>>,
    /// Whether missing columns were reported; they are reported once per model.
    has_warned: AtomicBool,
    /// One bit per set of given columns that is known to be complete.
    complete: AtomicU32,
}

/// Words, or a sentence with other columns, to be parsed.
#[derive(FromPyObject)]
enum Words<'py> {
    Sentence(Bound<'py, Sentence>),
    Words(Bound<'py, PyAny>),
}

#[pymethods]
impl Model {
    /// Loads a model file; `member` is the number of a parser of an ensemble, from 1.
    #[staticmethod]
    #[pyo3(signature = (path, member=None))]
    fn load(py: Python<'_>, path: PathBuf, member: Option<usize>) -> PyResult<Self> {
        let model = detached(py, || quaich::Model::load(&path))?.map_err(of_library)?;
        let model = match member {
            None => model,
            Some(number) => model.only(number).ok_or_else(|| {
                let n_members = model.n_members();
                setting(&format!(
                    "the model has {n_members} parsers, expected a member from 1 to {n_members}"
                ))
            })?,
        };
        Ok(Self::new(model, Some(path)))
    }

    /// Reads a model from the bytes of a model file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, content: PyBackedBytes) -> PyResult<Self> {
        let model = detached(py, || quaich::Model::from_bytes(&content, "model"))?.map_err(of_library)?;
        Ok(Self::new(model, None))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detached(py, || self.model.to_bytes())?.map_err(of_library)?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        detached(py, || self.model.save(path))?.map_err(of_library)
    }

    /// The description as JSON.
    fn info(&self) -> String {
        serde_json::to_string(self.model.description()).unwrap_or_default()
    }

    fn labels(&self) -> Vec<&str> {
        self.model.labels().iter().map(|(_, label)| label).collect()
    }

    /// The names of the columns that the model was trained on.
    fn columns(&self) -> Vec<String> {
        let layout = conllu::layout();
        let position = |column: &&quaich::features::ColumnName| column.position(&layout);
        let positions = self.model.columns();
        let mut positions: Vec<usize> = positions.iter().filter_map(position).collect();
        positions.sort_unstable();
        positions.dedup();
        positions.into_iter().map(|position| layout.columns()[position].name.to_string()).collect()
    }

    /// The names of the columns that the model predicts for words without tags, besides heads and labels.
    fn predicted(&self) -> Vec<String> {
        let layout = conllu::layout();
        let untagged = self.model.untagged().map(quaich::Model::predicted_columns).unwrap_or_default();
        let positions = untagged.into_iter().filter_map(|role| layout.position(role));
        positions.map(|position| layout.columns()[position].name.to_string()).collect()
    }

    fn reads_text(&self) -> bool {
        self.model.reads_text()
    }

    fn n_members(&self) -> usize {
        self.model.n_members()
    }

    /// Parses plain text.
    fn parse_text(&self, py: Python<'_>, text: PyBackedStr, scores: bool) -> PyResult<Vec<Sentence>> {
        let parse = |stop: &AtomicBool| {
            self.with_worker(|worker| {
                let mut out = Vec::new();
                self.parse_text_to(
                    worker,
                    &text,
                    (scores, false),
                    &|| stop.load(Ordering::Relaxed),
                    &mut out,
                )?;
                Ok::<_, quaich::Error>(read(out, "parsed text")?)
            })
        };
        let parsed = if text.len() < SHORT {
            let never = AtomicBool::new(false);
            detached(py, || parse(&never))?
        } else {
            run(py, 1, parse)?
        };
        parsed.map_err(of_library)
    }

    /// Parses one sentence of words, with the columns that are given.
    #[pyo3(signature = (words, upos, xpos, lemmas, feats, scores))]
    fn parse_words<'py>(
        &self,
        py: Python<'py>,
        words: &Bound<'py, PyAny>,
        upos: Option<&Bound<'py, PyAny>>,
        xpos: Option<&Bound<'py, PyAny>>,
        lemmas: Option<&Bound<'py, PyAny>>,
        feats: Option<&Bound<'py, PyAny>>,
        scores: bool,
    ) -> PyResult<Sentence> {
        let given = [Some(words), lemmas, upos, xpos, feats];
        let sentence = build(given)?;
        self.check_given(py, &sentence, given.map(|column| column.is_some()))?;
        let parsed = detached(py, || self.with_worker(|worker| parse_one(worker, &sentence, scores)))?;
        Ok(Sentence { sentence: parsed.map_err(of_library)? })
    }

    /// Parses sentences, in order.
    fn parse_sentences(
        &self,
        py: Python<'_>,
        sentences: Vec<Words<'_>>,
        scores: bool,
        jobs: isize,
    ) -> PyResult<Vec<Sentence>> {
        let jobs = n_jobs(Some(jobs))?;
        let mut owned = Vec::new();
        for words in &sentences {
            owned.push(match words {
                Words::Sentence(_) => None,
                Words::Words(words) => Some(build([Some(words), None, None, None, None])?),
            });
        }
        let handles: Vec<Option<Py<Sentence>>> = sentences
            .into_iter()
            .map(|words| match words {
                Words::Sentence(sentence) => Some(sentence.unbind()),
                Words::Words(_) => None,
            })
            .collect();
        let given: Vec<&quaich::Sentence> = owned
            .iter()
            .zip(&handles)
            .filter_map(|(owned, handle)| {
                owned.as_ref().or_else(|| handle.as_ref().map(|handle| &handle.get().sentence))
            })
            .collect();
        if !self.has_warned.load(Ordering::Relaxed) {
            let tagged =
                given.iter().zip(&owned).filter(|(_, owned)| owned.is_none()).map(|(given, _)| *given);
            self.warn_of(py, &self.model.missing_columns(tagged))?;
        }
        let parse = |sentences: &[&quaich::Sentence], stop: &AtomicBool| {
            self.with_worker(|worker| {
                let all = sentences.iter().take_while(|_| !stop.load(Ordering::Relaxed));
                let parsed =
                    all.map(|sentence| Ok(Sentence { sentence: parse_one(worker, sentence, scores)? }));
                parsed.collect::<quaich::Result<Vec<Sentence>>>()
            })
        };
        if jobs == 1 && given.len() <= SHORT_BATCH {
            let never = AtomicBool::new(false);
            return detached(py, || parse(&given, &never))?.map_err(of_library);
        }
        let parts = run(py, jobs, |stop| {
            let size = given.len().div_ceil(jobs * PARTS_PER_JOB).max(1);
            given.par_chunks(size).map(|part| parse(part, stop)).collect::<quaich::Result<Vec<_>>>()
        })?;
        Ok(parts.map_err(of_library)?.into_iter().flatten().collect())
    }

    /// Parses a treebank in memory; the result is what the program writes.
    fn parse_conllu<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        scores: bool,
        jobs: Option<isize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let jobs = n_jobs(jobs)?;
        let (content, is_bytes) = match text.extract::<PyBackedBytes>() {
            Ok(bytes) => (Content::Bytes(bytes), true),
            Err(_) => (Content::Text(text.extract()?), false),
        };
        let mut out = Vec::with_capacity(content.as_ref().len() + content.as_ref().len() / 8);
        let parsed = run(py, jobs, |stop| {
            let source = Source::from_stream(std::io::Cursor::new(content), "text".to_owned(), None)?;
            let mut reader = Reader::new(source, &ReadOptions::default())?;
            check_layout(&self.model, &reader)?;
            let options = ParseOptions { scores, ..ParseOptions::default() };
            parse_stream(&self.model, &mut reader, &mut out, options, |_| flow(stop))
        })?;
        self.warn_of(py, &parsed.map_err(of_library)?.missing_columns)?;
        if is_bytes {
            return Ok(PyBytes::new(py, &out).into_any());
        }
        let text = String::from_utf8(out).map_err(|error| bad_data("not-utf8", &error.to_string()))?;
        Ok(text.into_pyobject(py)?.into_any())
    }

    /// Parses a file into another, like the program; returns the numbers of sentences and words. Calls `progress` with the number of
    /// sentences so far.
    fn parse_file(
        &self,
        py: Python<'_>,
        input: PathBuf,
        output: PathBuf,
        scores: bool,
        jobs: Option<isize>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<(u64, u64)> {
        let jobs = n_jobs(jobs)?;
        for read in [Some(&input), self.path.as_ref()].into_iter().flatten() {
            if is_same_file(read, &output) {
                let message = format!("{}: the output would replace a file that is read", output.display());
                return Err(PyValueError::new_err(message));
            }
        }
        let mut n_done = 0;
        let on_event = |new: u64| {
            n_done += new;
            progress.as_ref().map_or(Ok(()), |progress| progress.call1((n_done,)).map(drop))
        };
        let work = |stop: &AtomicBool, sender: Sender<u64>| {
            self.parse_files((&input, &output), scores, |new| {
                // Nobody listens only after the end.
                let _ = sender.send(new);
                flow(stop)
            })
        };
        let Outcome { result, stopped_by } = run_with_events(py, jobs, work, on_event);
        if let Some(error) = stopped_by {
            return Err(error);
        }
        let parsed = result?.map_err(of_library)?;
        self.warn_of(py, &parsed.missing_columns)?;
        Ok((parsed.sentences, parsed.tokens))
    }

    /// Parses a batch of Arrow.
    fn parse_batch(
        &self,
        py: Python<'_>,
        batch: &Bound<'_, PyAny>,
        options: arrow::Options,
    ) -> PyResult<arrow::RecordBatch> {
        arrow::parse_batch(py, self, batch, options)
    }

    /// Parses a stream of batches, each when it is asked for.
    fn parse_batches(
        slf: &Bound<'_, Self>,
        stream: &Bound<'_, PyAny>,
        options: arrow::Options,
    ) -> PyResult<arrow::RecordBatchReader> {
        arrow::parse_batches(slf, stream, options)
    }

    /// The columns that a batch with the schema of `input` gives.
    fn schema(&self, input: &Bound<'_, PyAny>, options: arrow::Options) -> PyResult<arrow::Schema> {
        arrow::schema(self, input, options)
    }

    /// The derivation of a sentence as JSON, as `quaich trace --json` prints it.
    fn trace(&self, py: Python<'_>, sentence: &Bound<'_, Sentence>) -> PyResult<String> {
        if self.model.n_members() > 1 {
            let message =
                "the model is an ensemble; load one of its parsers with quaich.load(path, member=1)";
            return Err(setting(message));
        }
        let sentence = &sentence.get().sentence;
        detached(py, || self.with_worker(|worker| crate::tracing::json(worker, sentence)))?
            .map_err(|error| bad_data("trace", &error.to_string()))
    }
}

/// Texts of fewer bytes are parsed on the calling thread: it takes a few milliseconds.
const SHORT: usize = 1 << 12;
/// Batches of at most this many sentences, for the same reason.
const SHORT_BATCH: usize = 1 << 9;
/// Parts of a batch per thread, so that threads end at about the same time.
const PARTS_PER_JOB: usize = 4;

impl Model {
    pub(crate) fn new(model: quaich::Model, path: Option<PathBuf>) -> Self {
        let (idle, has_warned, complete) = (Mutex::default(), AtomicBool::new(false), AtomicU32::new(0));
        Self { model, path, idle, has_warned, complete }
    }

    /// The model of the library.
    pub(crate) fn model(&self) -> &quaich::Model {
        &self.model
    }

    /// Works with a worker that nobody else uses. A new one is slow at first: it has to allocate its buffers.
    pub(crate) fn with_worker<T>(&self, work: impl FnOnce(&mut Worker) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let own = idle().pop();
        let mut worker = own.unwrap_or_else(|| self.model.worker());
        let result = work(&mut worker);
        idle().push(worker);
        result
    }

    /// Parses a text and appends it as CoNLL-U, with scores and the places of tokens if asked for.
    pub(crate) fn parse_text_to(
        &self,
        worker: &mut Worker,
        text: &str,
        (scores, token_ranges): (bool, bool),
        stops: &dyn Fn() -> bool,
        out: &mut Vec<u8>,
    ) -> quaich::Result<()> {
        let sentences = self.model.text_sentences((text.as_bytes(), "text"), TextMode::Text)?;
        let mut sentences = if token_ranges { sentences.with_token_ranges() } else { sentences };
        let mut sentence = sentences.sentence();
        while sentences.read(&mut sentence)? {
            if stops() {
                return Err(quaich::Error::Stopped);
            }
            worker.parse_text(&sentence, scores, out);
        }
        Ok(())
    }

    /// Warns of columns that the model was trained on and that the input lacks, once per model.
    pub(crate) fn warn_of(&self, py: Python<'_>, missing: &[String]) -> PyResult<()> {
        if missing.is_empty() || self.has_warned.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        py.import("quaich._errors")?.getattr("warn_of_missing_columns")?.call1((missing.to_vec(),))?;
        Ok(())
    }

    /// Warns if a column was not given that the model was trained on. A given column may well be empty in one sentence.
    pub(crate) fn check_given(
        &self,
        py: Python<'_>,
        sentence: &quaich::Sentence,
        given: [bool; 5],
    ) -> PyResult<()> {
        let bit = given.iter().rev().fold(0, |bits, &is_given| bits << 1 | u32::from(is_given));
        // Words alone are tagged by the model, if it can.
        if self.has_warned.load(Ordering::Relaxed) || self.complete.load(Ordering::Relaxed) >> bit & 1 == 1 {
            return Ok(());
        }
        let names = rows::COLUMNS.into_iter().zip(given).filter(|(_, is_given)| *is_given);
        let names: Vec<&str> = names.map(|(name, _)| name).collect();
        let mut missing = self.model.missing_columns([sentence]);
        missing.retain(|column| !names.contains(&&*column.to_lowercase()));
        if missing.is_empty() {
            self.complete.fetch_or(1 << bit, Ordering::Relaxed);
        }
        self.warn_of(py, &missing)
    }

    fn parse_files<F: Flow>(
        &self,
        (input, output): (&Path, &Path),
        scores: bool,
        progress: impl Fn(u64) -> F + Sync + Send,
    ) -> quaich::Result<Streamed> {
        let options = ReadOptions::default();
        let opened = if self.model.reads_text() {
            Reader::open_any(input, &options)?
        } else {
            quaich::treebank::Opened::Treebank(Reader::open(input, &options)?)
        };
        let mut sink = Sink::create(Some(output))?;
        let parsed = match opened {
            quaich::treebank::Opened::Treebank(mut reader) => {
                check_layout(&self.model, &reader)?;
                let options = ParseOptions { scores, ..ParseOptions::default() };
                parse_stream(&self.model, &mut reader, &mut sink, options, progress)?
            }
            quaich::treebank::Opened::Text(source) => {
                let name = source.name().to_owned();
                let options = RawTextOptions { scores, ..RawTextOptions::default() };
                parse_raw_text(&self.model, (source, &name), options, &mut sink, progress)?
            }
        };
        sink.finish()?;
        Ok(parsed)
    }
}

/// The content of a treebank in memory.
enum Content {
    Bytes(PyBackedBytes),
    Text(PyBackedStr),
}

impl AsRef<[u8]> for Content {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Text(text) => text.as_bytes(),
        }
    }
}

/// Whether to continue.
fn flow(stop: &AtomicBool) -> ControlFlow<()> {
    if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Whether two paths name the same existing file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// A sentence of words with their columns: sequences of strings, of equal length.
fn build(given: [Option<&Bound<'_, PyAny>>; 5]) -> PyResult<quaich::Sentence> {
    let mut columns: [Vec<Option<PyBackedStr>>; 5] = Default::default();
    for ((cells, given), name) in columns.iter_mut().zip(given).zip(rows::COLUMNS) {
        let Some(given) = given else { continue };
        if given.is_instance_of::<pyo3::types::PyString>() {
            let message =
                format!("{name} is one string, expected a sequence of strings; for plain text use parse()");
            return Err(pyo3::exceptions::PyTypeError::new_err(message));
        }
        for (at, item) in given.try_iter()?.enumerate() {
            let item = item?;
            let cell = if item.is_none() {
                None
            } else {
                Some(item.extract().map_err(|error| named(given.py(), error, name, at))?)
            };
            cells.push(cell);
        }
    }
    let n_words = columns[0].len();
    for ((cells, given), name) in columns.iter().zip(given).zip(rows::COLUMNS) {
        if given.is_some() && cells.len() != n_words {
            let message = format!("found {} values of {name}, expected {n_words}, one per word", cells.len());
            return Err(bad_data("length", &message));
        }
    }
    let mut rows = Rows::new();
    let mut sentence = rows.sentence();
    for word in 0..n_words {
        let cells = [0, 1, 2, 3, 4].map(|column: usize| columns[column].get(word).and_then(Option::as_deref));
        rows.push(cells).map_err(|message| bad_data("word", &message))?;
    }
    rows.finish(&mut sentence).map_err(|message| bad_data("word", &message))?;
    Ok(sentence)
}

/// An error in a cell; a lone surrogate is an error in the data and names its word.
fn named(py: Python<'_>, error: PyErr, name: &str, at: usize) -> PyErr {
    if error.is_instance_of::<PyUnicodeEncodeError>(py) {
        return bad_data(
            "surrogate",
            &format!("word {} has a lone surrogate in its {name}, expected text", at + 1),
        );
    }
    error
}

/// Parses a sentence into a new one.
fn parse_one(
    worker: &mut Worker,
    sentence: &quaich::Sentence,
    scores: bool,
) -> quaich::Result<quaich::Sentence> {
    let layout = sentence.layout();
    if scores && layout.position(Role::Misc).is_none() {
        let message = format!("{} has no column for scores; convert the sentence to CoNLL-U", layout.name());
        return Err(quaich::Error::Treebank(message));
    }
    let (mut out, mut problems) = (Vec::with_capacity(sentence.text().len() + 64), Vec::new());
    worker.parse_text(sentence, scores, &mut out);
    let mut parsed = quaich::Sentence::empty(std::sync::Arc::clone(layout));
    parsed.read_block(layout, &out, sentence.first_line(), &mut problems);
    match problems.into_iter().find(|problem| problem.level == quaich::treebank::Level::Error) {
        Some(problem) => {
            Err(quaich::treebank::reader::malformed("a parsed sentence", &parsed, problem).into())
        }
        None => Ok(parsed),
    }
}
