//! Training: on a thread of its own, with events for the caller, who can stop it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quaich::treebank::{ReadOptions, Reader, Sentence as Words};
use quaich::{Event, Observer, Settings, Trainer};

use crate::errors::of_library;
use crate::model::Model;
use crate::sentence::Sentence;
use crate::work::{Outcome, n_jobs, run_with_events};

/// What to train on.
#[derive(FromPyObject)]
pub(crate) enum Data<'py> {
    Paths(Vec<PathBuf>),
    Sentences(Vec<Bound<'py, Sentence>>),
}

/// Sends events as JSON, and stops when the flag is set.
struct Watch<'a> {
    stop: &'a AtomicBool,
    /// The channel can be used by one thread at a time.
    events: std::sync::Mutex<Sender<String>>,
}

impl Observer for Watch<'_> {
    fn event(&self, event: &Event<'_>) {
        let (Ok(json), Ok(events)) = (serde_json::to_string(event), self.events.lock()) else { return };
        // Nobody listens only after the end.
        let _ = events.send(json);
    }

    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl Watch<'_> {
    /// Reads the sentences of a file.
    fn read(&self, path: &Path, sentences: &mut Vec<Words>) -> quaich::Result<()> {
        for sentence in Reader::open(path, &ReadOptions::default())?.sentences() {
            if self.stop() {
                return Err(quaich::Error::Stopped);
            }
            sentences.push(sentence?);
        }
        Ok(())
    }
}

/// Trains a model; `settings` are assignments such as `seed=2`. Returns the model, if something was learned, and the exception that stopped
/// the training early, if any.
#[pyfunction]
pub(crate) fn train<'py>(
    py: Python<'py>,
    data: Data<'py>,
    dev: Option<PathBuf>,
    preset: &str,
    settings: Vec<String>,
    notes: Vec<(String, String)>,
    jobs: Option<isize>,
    on_event: &Bound<'py, PyAny>,
) -> PyResult<(Option<Model>, Option<Bound<'py, PyAny>>)> {
    let jobs = n_jobs(jobs)?;
    let mut all = Settings::preset(preset).map_err(of_library)?;
    for assignment in &settings {
        all = all.with(assignment).map_err(of_library)?;
    }
    let (paths, mut sentences) = match data {
        Data::Paths(paths) => (paths, Vec::new()),
        Data::Sentences(given) => {
            (Vec::new(), given.iter().map(|sentence| sentence.get().sentence.clone()).collect())
        }
    };
    let work = |stop: &AtomicBool, sender: Sender<String>| {
        let watch = Watch { stop, events: std::sync::Mutex::new(sender) };
        for path in &paths {
            watch.read(path, &mut sentences)?;
        }
        if sentences.iter().all(|sentence| sentence.n_tokens() == 0) {
            return Ok(None);
        }
        let mut held_out = Vec::new();
        if let Some(path) = dev {
            watch.read(&path, &mut held_out)?;
        }
        let dev = held_out;
        let mut trainer = Trainer::new(&all).dev(&dev).observer(&watch);
        for (name, text) in notes {
            trainer = trainer.note(name, text);
        }
        trainer.train(&sentences).map(Some)
    };
    let Outcome { result, stopped_by } =
        run_with_events(py, jobs, work, |json| on_event.call1((json,)).map(drop));
    let model = match result? {
        Ok(Some(model)) => Some(Model::new(model, None)),
        Ok(None) => {
            return Err(PyValueError::new_err("found no sentences to train on, expected at least one"));
        }
        // Less than an epoch.
        Err(quaich::Error::Stopped) => None,
        Err(error) => return Err(of_library(error)),
    };
    Ok((model, stopped_by.map(|error| error.into_value(py).into_bound(py).into_any())))
}
