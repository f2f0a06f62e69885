//! Arrow in and out, through the C data interface: batches of any library come as capsules and leave as capsules.
//!
//! ```text
//!   capsule ─▶ RecordBatch ─▶ Plan (which column is what) ─▶ Parts, in parallel ─▶ RecordBatch ─▶ capsule
//! ```

mod arrays;
mod capsule;
mod input;
mod parse;
mod plan;
mod sentences;
mod words;

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatchReader as _;
use arrow_schema::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::errors::setting;
use crate::model::Model;
use capsule::Input;
use parse::Lazy;
use plan::Plan;

pub(crate) use plan::Options;

/// A batch of rows, for any library that reads Arrow's capsules.
#[pyclass(frozen, module = "quaich._quaich")]
pub(crate) struct RecordBatch {
    batch: arrow_array::RecordBatch,
}

/// The names and types of columns, for any library that reads Arrow's capsules.
#[pyclass(frozen, module = "quaich._quaich")]
pub(crate) struct Schema {
    schema: Arc<arrow_schema::Schema>,
}

/// Batches that are made when they are asked for.
#[pyclass(frozen, module = "quaich._quaich")]
pub(crate) struct RecordBatchReader {
    /// Nothing while a batch is made, and after the stream has been handed over.
    batches: Mutex<Option<Lazy>>,
    schema: Arc<arrow_schema::Schema>,
}

#[pymethods]
impl RecordBatch {
    #[getter]
    fn num_rows(&self) -> usize {
        self.batch.num_rows()
    }

    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    #[getter]
    fn schema(&self) -> Schema {
        Schema { schema: self.batch.schema() }
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("<quaich.RecordBatch of {} rows: {}>", self.batch.num_rows(), self.column_names().join(", "))
    }

    /// The requested types are ignored, as the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        capsule::array(py, &self.batch)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, &self.batch.schema())
    }
}

#[pymethods]
impl Schema {
    #[getter]
    fn names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __repr__(&self) -> String {
        let fields =
            self.schema.fields().iter().map(|field| format!("{}: {}", field.name(), field.data_type()));
        format!("<quaich.Schema {}>", fields.collect::<Vec<_>>().join(", "))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, &self.schema)
    }
}

#[pymethods]
impl RecordBatchReader {
    #[getter]
    fn schema(&self) -> Schema {
        Schema { schema: Arc::clone(&self.schema) }
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        // The lock is not held while the batch is parsed: another thread may wait for it with the interpreter lock.
        let mut lazy = self.take()?;
        let next = lazy.next_batch(py);
        *self.batches.lock().unwrap_or_else(PoisonError::into_inner) = Some(lazy);
        Ok(next?.map(|batch| RecordBatch { batch }))
    }

    /// Hands the stream over; this reader cannot be used afterwards.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        capsule::stream(py, Box::new(self.take()?))
    }
}

impl RecordBatchReader {
    fn take(&self) -> PyResult<Lazy> {
        let lazy = self.batches.lock().unwrap_or_else(PoisonError::into_inner).take();
        lazy.ok_or_else(|| {
            PyValueError::new_err("another thread reads these batches, or they were handed over to a library")
        })
    }
}

/// Parses a batch.
pub(crate) fn parse_batch(
    py: Python<'_>,
    model: &Model,
    batch: &Bound<'_, PyAny>,
    options: Options,
) -> PyResult<RecordBatch> {
    let batch = Input::of(batch)?.one_batch(py)?;
    let plan = Plan::new(model.model(), &batch.schema(), options)?;
    Ok(RecordBatch { batch: parse::batch(py, model, &plan, &batch)? })
}

/// Parses a stream of batches, each when it is asked for.
pub(crate) fn parse_batches(
    model: &Bound<'_, Model>,
    stream: &Bound<'_, PyAny>,
    options: Options,
) -> PyResult<RecordBatchReader> {
    let batches = Input::of(stream)?.batches();
    let plan = Plan::new(model.get().model(), &batches.schema(), options)?;
    let schema = plan.schema();
    let lazy = Lazy { model: model.clone().unbind(), plan, batches };
    Ok(RecordBatchReader { batches: Mutex::new(Some(lazy)), schema })
}

/// The columns that a batch with this schema gives.
pub(crate) fn schema(model: &Model, input: &Bound<'_, PyAny>, options: Options) -> PyResult<Schema> {
    let plan = Plan::new(model.model(), &*capsule::schema_of(input)?, options)?;
    Ok(Schema { schema: plan.schema() })
}

/// The exception for an error of Arrow.
fn arrow_error(error: ArrowError) -> PyErr {
    match error {
        // Errors of a stream of ours carry the exception itself.
        ArrowError::ExternalError(inner) => match inner.downcast::<PyErr>() {
            Ok(error) => *error,
            Err(inner) => setting(&inner.to_string()),
        },
        error => crate::errors::bad_data("arrow", &error.to_string()),
    }
}
