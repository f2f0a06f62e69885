//! Errors of the library and panics, as Python's exceptions. The exceptions themselves are defined in `quaich/_errors.py`.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use quaich::{Error, ErrorKind, Position, treebank};

/// Creates an exception of `quaich._errors`.
fn exception(name: &str, message: &str) -> PyErr {
    made(name, |class| class.call1((message,)))
}

fn made(name: &str, call: impl for<'py> FnOnce(Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>) -> PyErr {
    Python::attach(|py| {
        let class = py.import("quaich._errors").and_then(|module| module.getattr(name));
        class.and_then(call).map_or_else(|error| error, PyErr::from_value)
    })
}

/// An invalid setting or name.
pub(crate) fn setting(message: &str) -> PyErr {
    exception("SettingError", message)
}

/// Data that are not what was expected, with the place in a treebank or a batch.
pub(crate) struct BadData<'a> {
    pub(crate) message: &'a str,
    pub(crate) position: Option<Position>,
    pub(crate) code: &'a str,
    pub(crate) hint: Option<&'a str>,
}

impl BadData<'_> {
    pub(crate) fn into_error(self) -> PyErr {
        let Self { message, position, code, hint } = self;
        made("TreebankError", |class| match position {
            Some(Position { file, line, column }) => class.call1((message, file, line, column, code, hint)),
            None => class.call1((message, None::<&str>, 0, 0, code, hint)),
        })
    }
}

/// Data that are not what was expected; `code` is the stable name of this kind of problem.
pub(crate) fn bad_data(code: &str, message: &str) -> PyErr {
    BadData { message, position: None, code, hint: None }.into_error()
}

/// The exception for an error of the operating system; Python chooses the subclass, such as `FileNotFoundError`.
pub(crate) fn os_error(file: &str, source: &io::Error) -> PyErr {
    match source.raw_os_error() {
        Some(number) => {
            // Without the number that Rust adds.
            let text = source.to_string();
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, text, file.to_owned()))
        }
        None => PyOSError::new_err(format!("{file}: {source}")),
    }
}

/// The exception for an error of the library.
pub(crate) fn of_library(error: Error) -> PyErr {
    match &error {
        Error::Io { file, source } | Error::Read(treebank::Error::Io { file, source }) => {
            return os_error(file, source);
        }
        Error::Output(source) => return os_error("output", source),
        Error::NotUtf8 { file, line, column, byte } => {
            let message =
                format!("{file}:{line}:{column}: found a byte that is not UTF-8 (byte {byte} of the text)");
            let hint = Some("convert the text to UTF-8");
            let bad = BadData { message: &message, position: error.position(), code: "not-utf8", hint };
            return bad.into_error();
        }
        _ => {}
    }
    let message = error.to_string();
    let (message, hint) = match message.split_once("\n  help: ") {
        Some((message, hint)) => (message, Some(hint)),
        None => (&message[..], None),
    };
    match error.kind() {
        ErrorKind::Usage => setting(message),
        ErrorKind::Model => exception("ModelError", message),
        ErrorKind::Input => {
            let problem = match &error {
                Error::Read(treebank::Error::Malformed { problem, .. }) => Some(&**problem),
                _ => None,
            };
            let help = problem.map(|problem| &problem.help[..]).filter(|help| !help.is_empty());
            let code = problem.map_or("input", |problem| problem.code);
            BadData { message, position: error.position(), code, hint: help.or(hint) }.into_error()
        }
        _ => exception("QuaichError", message),
    }
}

/// The exception for an error of the treebank crate.
pub(crate) fn of_treebank(error: treebank::Error) -> PyErr {
    of_library(error.into())
}

/// The exception for a panic, which is a defect of the library.
pub(crate) fn of_panic(panic: &(dyn Any + Send)) -> PyErr {
    exception("QuaichError", &panic_message(panic))
}

/// What a user reads of a panic.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown");
    format!("internal error, please report it: {message}")
}

/// Runs something short without the interpreter lock; a panic becomes an exception.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(|panic| of_panic(&*panic))
}

/// The exception for a thread pool that could not be started.
pub(crate) fn no_threads(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(format!("threads could not be started: {error}"))
}
