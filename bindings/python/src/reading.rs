//! Reading treebanks sentence by sentence, and comparing two of them.

use std::io::Cursor;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use quaich::eval::scorers;
use quaich::eval::{Evaluator, PairReader, PunctuationRule};
use quaich::treebank::{self, ReadOptions, Source};

use crate::errors::{detached, of_library, of_treebank};
use crate::sentence::Sentence;
use crate::work::run;

/// A treebank file, read in order.
#[pyclass(frozen, module = "quaich._quaich")]
pub(crate) struct Reader {
    reader: Mutex<treebank::Reader>,
}

#[pymethods]
impl Reader {
    #[staticmethod]
    fn open(path: PathBuf, format: Option<&str>, encoding: Option<&str>) -> PyResult<Self> {
        let options = ReadOptions::parse(format, encoding).map_err(of_treebank)?;
        let reader = treebank::Reader::open(path, &options).map_err(of_treebank)?;
        Ok(Self { reader: Mutex::new(reader) })
    }

    /// The next sentences, at most `limit`; none at the end.
    fn read(&self, py: Python<'_>, limit: usize) -> PyResult<Vec<Sentence>> {
        let read = || -> treebank::Result<Vec<Sentence>> {
            let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
            let mut sentences = Vec::new();
            while sentences.len() < limit {
                let mut sentence = reader.sentence();
                if !reader.read(&mut sentence)? {
                    break;
                }
                // What follows the last sentence has no words.
                if sentence.n_tokens() > 0 {
                    sentences.push(Sentence { sentence });
                }
            }
            Ok(sentences)
        };
        detached(py, read)?.map_err(of_treebank)
    }
}

/// One side of a comparison.
#[derive(FromPyObject)]
pub(crate) enum Side<'py> {
    Path(PathBuf),
    Sentences(Vec<Bound<'py, Sentence>>),
}

impl Side<'_> {
    fn open(self, name: &str) -> PyResult<treebank::Reader> {
        let reader = match self {
            Self::Path(path) => treebank::Reader::open(path, &ReadOptions::default()),
            Self::Sentences(sentences) => {
                let text: String = sentences.iter().map(|sentence| sentence.get().sentence.text()).collect();
                Source::from_stream(Cursor::new(text), name.to_owned(), None)
                    .and_then(|source| treebank::Reader::new(source, &ReadOptions::default()))
            }
        };
        reader.map_err(of_treebank)
    }
}

/// Ends a comparison that is not wanted any more. Scorers cannot be asked to stop, so this unwinds, without a message; `run` then raises
/// what it was stopped by.
fn end_if(stop: &AtomicBool) {
    if stop.load(Ordering::Relaxed) {
        resume_unwind(Box::new("stopped"));
    }
}

/// Compares two treebanks; returns the results as JSON.
#[pyfunction]
pub(crate) fn evaluate(
    py: Python<'_>,
    gold: Side<'_>,
    system: Side<'_>,
    scorer: Option<&str>,
) -> PyResult<String> {
    let (gold, system) = (gold.open("gold")?, system.open("system")?);
    let scorer = scorer.map(scorers::by_name).transpose().map_err(of_treebank)?;
    let compared = run(py, 1, |stop| -> quaich::eval::Result<serde_json::Result<String>> {
        if let Some(scorer) = scorer {
            return Ok(serde_json::to_string(&scorer.score(gold, system, &mut || end_if(stop))?));
        }
        let mut pairs = PairReader::new(gold, system);
        let mut evaluator = Evaluator::new(PunctuationRule::default(), &[]);
        evaluator.add_all(&mut pairs, || end_if(stop))?;
        let evaluation = evaluator.evaluation();
        pairs.check_scored(evaluation.score.tokens, evaluation.score.scored.tokens)?;
        Ok(serde_json::to_string(&evaluation))
    })?;
    let json = compared.map_err(|error| of_library(error.into()))?;
    json.map_err(|error| crate::errors::bad_data("evaluation", &error.to_string()))
}
