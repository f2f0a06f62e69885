//! Arrays put together from parts of others, of any type.

use std::ops::Range;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, SchemaRef};

/// Several arrays of one type as one; an error if their offsets do not fit into the type.
pub(super) fn concat(arrays: &[ArrayRef]) -> Result<ArrayRef, ArrowError> {
    if let [one] = arrays {
        return Ok(one.clone());
    }
    let data: Vec<ArrayData> = arrays.iter().map(Array::to_data).collect();
    let n_rows = data.iter().map(ArrayData::len).sum();
    let mut all = MutableArrayData::new(data.iter().collect(), false, n_rows);
    for (number, part) in data.iter().enumerate() {
        all.try_extend(number, 0, part.len())?;
    }
    Ok(make_array(all.freeze()))
}

/// The rows with these numbers, in this order.
pub(super) fn take(array: &ArrayRef, rows: &[usize]) -> Result<ArrayRef, ArrowError> {
    let data = array.to_data();
    let mut taken = MutableArrayData::new(vec![&data], false, rows.len());
    for &row in rows {
        taken.try_extend(0, row, row + 1)?;
    }
    Ok(make_array(taken.freeze()))
}

/// Several batches of one schema as one.
pub(super) fn concat_batches(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<RecordBatch, ArrowError> {
    let Some(first) = batches.first() else { return Ok(RecordBatch::new_empty(schema.clone())) };
    let n_rows = batches.iter().map(RecordBatch::num_rows).sum();
    let column =
        |number: usize| concat(&batches.iter().map(|batch| batch.column(number).clone()).collect::<Vec<_>>());
    let columns = (0..first.num_columns()).map(column).collect::<Result<_, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(n_rows));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options)
}

/// At most `n` ranges of equal length, up to one.
pub(super) fn ranges(n_rows: usize, n: usize) -> Vec<Range<usize>> {
    let size = n_rows.div_ceil(n.max(1)).max(1);
    let mut ranges: Vec<_> =
        (0..n_rows).step_by(size).map(|start| start..(start + size).min(n_rows)).collect();
    if ranges.is_empty() {
        ranges.push(0..0);
    }
    ranges
}
