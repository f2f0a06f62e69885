//! Arrow's C data interface: structs of C in Python capsules.
//!
//! The interface passes raw pointers, so this is the only file with unsafe code. A capsule owns its struct; code that takes the struct leaves
//! an empty one behind, which the capsule's destructor ignores.
#![allow(unsafe_code, reason = "the C data interface consists of raw pointers")]

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, RecordBatch, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use super::{arrays, arrow_error};
use crate::errors::bad_data;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// What another library gives: one batch, or a stream of batches.
pub(super) enum Input {
    Batch(RecordBatch),
    Stream(RecordBatchStreamReader),
}

impl Input {
    /// Takes the batch or the stream of an object.
    pub(super) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if object.hasattr("__arrow_c_array__")? {
            let pair = object.call_method0("__arrow_c_array__")?;
            let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            return Ok(Self::Batch(take_batch(&schema, &array)?));
        }
        if object.hasattr("__arrow_c_stream__")? {
            let capsule = object.call_method0("__arrow_c_stream__")?;
            let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(STREAM))?;
            // SAFETY: a capsule of this name contains such a struct; `from_raw` leaves an empty one behind.
            let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.cast().as_ptr()) };
            return Ok(Self::Stream(RecordBatchStreamReader::try_new(stream).map_err(arrow_error)?));
        }
        Err(PyTypeError::new_err(format!(
            "found {}, expected a record batch, table or data frame with __arrow_c_array__ or __arrow_c_stream__",
            object.get_type().name()?
        )))
    }

    /// Everything in one batch.
    pub(super) fn one_batch(self, py: Python<'_>) -> PyResult<RecordBatch> {
        let stream = match self {
            Self::Batch(batch) => return Ok(batch),
            Self::Stream(stream) => stream,
        };
        let schema = stream.schema();
        let batches = py.detach(|| stream.collect::<Result<Vec<_>, _>>()).map_err(arrow_error)?;
        arrays::concat_batches(&schema, &batches).map_err(arrow_error)
    }

    /// The batches, one after the other.
    pub(super) fn batches(self) -> Box<dyn RecordBatchReader + Send> {
        match self {
            Self::Batch(batch) => {
                let schema = batch.schema();
                Box::new(arrow_array::RecordBatchIterator::new([Ok(batch)], schema))
            }
            Self::Stream(stream) => Box::new(stream),
        }
    }
}

fn take_batch(schema: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let array = array.cast::<PyCapsule>()?.pointer_checked(Some(ARRAY))?;
    let schema_pointer = schema.cast::<PyCapsule>()?.pointer_checked(Some(SCHEMA))?;
    // SAFETY: capsules of these names contain such structs. The array is moved out; the schema is borrowed while its capsule is alive.
    let data = unsafe {
        let array = FFI_ArrowArray::from_raw(array.cast().as_ptr());
        from_ffi(array, schema_pointer.cast::<FFI_ArrowSchema>().as_ref())
    };
    let data = data.map_err(arrow_error)?;
    if !matches!(data.data_type(), DataType::Struct(_)) {
        let message = format!("found an array of {}, expected a batch with named columns", data.data_type());
        return Err(bad_data("columns", &message));
    }
    let rows = StructArray::from(data);
    if rows.null_count() > 0 {
        return Err(bad_data("columns", "found a struct with null rows, expected a batch"));
    }
    let n_rows = rows.len();
    let (_, columns, _) = rows.into_parts();
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(n_rows));
    RecordBatch::try_new_with_options(take_schema(schema)?, columns, &options).map_err(arrow_error)
}

fn take_schema(capsule: &Bound<'_, PyAny>) -> PyResult<SchemaRef> {
    let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(SCHEMA))?;
    // SAFETY: a capsule of this name contains such a struct, which lives as long as the capsule.
    let schema = Schema::try_from(unsafe { pointer.cast::<FFI_ArrowSchema>().as_ref() });
    Ok(Arc::new(schema.map_err(arrow_error)?))
}

/// The schema of an object with columns.
pub(super) fn schema_of(object: &Bound<'_, PyAny>) -> PyResult<SchemaRef> {
    if object.hasattr("__arrow_c_schema__")? {
        return take_schema(&object.call_method0("__arrow_c_schema__")?);
    }
    Ok(Input::of(object)?.batches().schema())
}

/// Capsules of the schema and the columns of a batch.
pub(super) fn array<'py>(py: Python<'py>, batch: &RecordBatch) -> PyResult<Bound<'py, PyTuple>> {
    let data = StructArray::from(batch.clone()).into_data();
    let array = PyCapsule::new_with_value(py, FFI_ArrowArray::new(&data), ARRAY)?;
    PyTuple::new(py, [schema(py, &batch.schema())?, array])
}

/// A capsule of a schema.
pub(super) fn schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowSchema::try_from(schema).map_err(arrow_error)?, SCHEMA)
}

/// A capsule of a stream.
pub(super) fn stream(
    py: Python<'_>,
    batches: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(batches), STREAM)
}

/// An error of Python as one of Arrow.
pub(super) fn as_arrow(error: PyErr) -> ArrowError {
    ArrowError::ExternalError(Box::new(error))
}
