//! The extension module of the Python package `quaich`: Rust's models and sentences as Python objects.
//!
//! ```text
//!   quaich/*.py, typed and documented  ─▶  _quaich (this crate)  ─▶  the library `quaich`
//! ```
//!
//! Users never import `_quaich`; names, defaults and documentation are in the Python files. Everything that takes more than a moment runs
//! without the interpreter lock, can be interrupted (`work.rs`), and turns panics into exceptions (`errors.rs`).

mod arrow;
mod errors;
mod model;
mod reading;
mod rows;
mod sentence;
mod tracing;
mod training;
mod work;

use pyo3::prelude::*;

/// The extension module.
#[pymodule(gil_used = false)]
mod _quaich {
    #[pymodule_export]
    use crate::arrow::{RecordBatch, RecordBatchReader, Schema};
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::reading::{Reader, evaluate};
    #[pymodule_export]
    use crate::sentence::Sentence;
    #[pymodule_export]
    use crate::training::train;

    #[allow(non_upper_case_globals, reason = "a name of Python")]
    #[pymodule_export]
    const version: &str = env!("CARGO_PKG_VERSION");
}
