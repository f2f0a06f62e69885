//! A batch in, a batch out; and streams of them.

use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use rayon::prelude::*;

use super::arrays::{concat, ranges, take};
use super::capsule::as_arrow;
use super::input::Strings;
use super::plan::{Plan, RowKind};
use super::{arrow_error, sentences, words};
use crate::errors::{bad_data, detached};
use crate::model::Model;
use crate::rows::Rows;
use crate::work::{n_jobs, run};

/// Parts of a batch per thread, so that threads end at about the same time.
const PARTS_PER_JOB: usize = 4;
/// Batches of at most this many rows are parsed on the calling thread: it takes a few milliseconds.
const SHORT: usize = 256;

/// The results of some rows: the row of each, if that is not its own, and the columns.
type Columns = (Option<Vec<usize>>, Vec<ArrayRef>);

/// Parses a batch.
pub(super) fn batch(
    py: Python<'_>,
    model: &Model,
    plan: &Plan,
    batch: &RecordBatch,
) -> PyResult<RecordBatch> {
    let jobs = n_jobs(Some(plan.options.jobs))?;
    warn(py, model, plan, batch)?;
    let n_rows = batch.num_rows();
    let parts = if jobs == 1 && n_rows <= SHORT && matches!(plan.rows, RowKind::Words(_)) {
        let never = AtomicBool::new(false);
        vec![detached(py, || part(model, plan, batch, 0..n_rows, &never))?]
    } else if jobs == 1 {
        vec![run(py, 1, |stop| part(model, plan, batch, 0..n_rows, stop))?]
    } else {
        run(py, jobs, |stop| {
            let ranges = ranges(n_rows, jobs * PARTS_PER_JOB);
            ranges.into_par_iter().map(|range| part(model, plan, batch, range, stop)).collect::<Vec<_>>()
        })?
    };
    let parts = parts.into_iter().collect::<Result<Vec<Columns>, String>>();
    let parts = parts.map_err(|message| bad_data("row", &message))?;
    assemble(plan, batch, &parts).map_err(arrow_error)
}

fn part(
    model: &Model,
    plan: &Plan,
    batch: &RecordBatch,
    range: std::ops::Range<usize>,
    stop: &AtomicBool,
) -> Result<Columns, String> {
    let (has_scores, has_errors) = (plan.options.scores, plan.nulls_for_errors);
    model.with_worker(|worker| match &plan.rows {
        RowKind::Words(numbers) => {
            let mut part = words::Part::new(has_scores, has_errors);
            let stops = || stop.load(Ordering::Relaxed);
            part.parse(&words::columns(batch, numbers), range, (model.model(), worker), &stops)?;
            Ok((None, part.finish(model.model(), plan.has_dictionary)?))
        }
        RowKind::Text(number) => {
            let mut part = sentences::Part::new(has_scores, has_errors);
            let texts = Strings::new(batch.column(*number)).unwrap_or(Strings::Null);
            part.parse(&texts, range, (model, worker), stop)?;
            Ok((Some(std::mem::take(&mut part.rows)), part.finish()))
        }
    })
}

/// Puts the columns that are kept before the new ones.
fn assemble(plan: &Plan, batch: &RecordBatch, parts: &[Columns]) -> Result<RecordBatch, ArrowError> {
    let rows: Option<Vec<usize>> = parts[0]
        .0
        .is_some()
        .then(|| parts.iter().filter_map(|(rows, _)| rows.as_ref()).flatten().copied().collect());
    let kept = plan.kept.iter().map(|&number| match &rows {
        None => Ok(batch.column(number).clone()),
        Some(rows) => take(batch.column(number), rows),
    });
    let new = (0..parts[0].1.len())
        .map(|number| concat(&parts.iter().map(|(_, columns)| columns[number].clone()).collect::<Vec<_>>()));
    let n_rows = rows.as_ref().map_or(batch.num_rows(), Vec::len);
    let options = RecordBatchOptions::new().with_row_count(Some(n_rows));
    RecordBatch::try_new_with_options(plan.schema(), kept.chain(new).collect::<Result<_, _>>()?, &options)
}

/// Warns of columns that the model was trained on and that the batch lacks; one row with words shows it.
fn warn(py: Python<'_>, model: &Model, plan: &Plan, batch: &RecordBatch) -> PyResult<()> {
    let RowKind::Words(numbers) = &plan.rows else { return Ok(()) };
    let columns = words::columns(batch, numbers);
    let mut rows = Rows::new();
    let mut sentence = rows.sentence();
    let is_read = |row| matches!(words::read(&columns, row, &mut rows, &mut sentence), Ok(true));
    if (0..batch.num_rows()).any(is_read) {
        model.check_given(py, &sentence, numbers.map(|number| number.is_some()))?;
    }
    Ok(())
}

/// Batches that are parsed when they are asked for.
pub(super) struct Lazy {
    pub(super) model: Py<Model>,
    pub(super) plan: Plan,
    pub(super) batches: Box<dyn RecordBatchReader + Send>,
}

impl Lazy {
    pub(super) fn next_batch(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let batches = &mut self.batches;
        // The batches may come from another thread that needs the interpreter lock.
        match py.detach(|| batches.next()) {
            None => Ok(None),
            Some(Err(error)) => Err(arrow_error(error)),
            Some(Ok(next)) => batch(py, self.model.get(), &self.plan, &next).map(Some),
        }
    }
}

impl Iterator for Lazy {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        Python::attach(|py| self.next_batch(py)).map_err(as_arrow).transpose()
    }
}

impl RecordBatchReader for Lazy {
    fn schema(&self) -> SchemaRef {
        self.plan.schema()
    }
}
