//! Training states → instances: numbers all features that are frequent enough.

use quaich_features::{Program, Sets};
use quaich_learn::{Instances, Positions};
use rayon::prelude::*;

use super::states::States;
use crate::error::Result;
use crate::observer::Observer;

/// Instances with the hashes of their features.
#[derive(Debug)]
pub(crate) struct Indexed {
    /// The instances.
    pub(crate) instances: Instances,
    /// Indexed by feature number.
    pub(crate) hashes: Vec<u64>,
}

/// Marks a rare feature.
const DROPPED: u32 = u32::MAX;
/// Templates per round, which bounds the memory for columns.
const BATCH: usize = 8;

/// Numbers the features that occur at least `min_count` times. Templates are independent of each other, so the numbers do not depend on
/// the number of threads. Fails only if the observer stops it.
pub(crate) fn index(
    program: &Program,
    states: &States,
    sets: &Sets,
    min_count: u32,
    observer: &dyn Observer,
) -> Result<Indexed> {
    let (n_plain, n_templates) = (program.n_plain(), program.n_templates());
    let number = |template: usize| {
        observer.check()?;
        Ok(index_template(program, states, sets, template, min_count))
    };
    // The number of features of a set differs between states, so they are computed before the rows.
    let of_sets: Vec<Column> = (n_plain..n_templates).into_par_iter().map(number).collect::<Result<_>>()?;
    let mut ends = Vec::with_capacity(states.len());
    let mut end = 0;
    for state in 0..states.len() {
        end += n_plain + of_sets.iter().map(|column| column.numbers(state).len()).sum::<usize>();
        ends.push(end);
    }
    let mut rows = vec![DROPPED; end];
    let mut features = Features { hashes: Vec::new(), offsets: vec![0] };
    for first in (0..n_plain).step_by(BATCH) {
        let last = (first + BATCH).min(n_plain);
        let columns: Vec<Column> = (first..last).into_par_iter().map(number).collect::<Result<_>>()?;
        let offsets: Vec<u32> = columns.iter().map(|column| features.take(column)).collect();
        for_rows(&mut rows, &ends, |state, row| {
            for (cell, (column, offset)) in row[first..last].iter_mut().zip(columns.iter().zip(&offsets)) {
                if let [number] = column.numbers(state)
                    && *number != DROPPED
                {
                    *cell = number + offset;
                }
            }
        });
    }
    let offsets: Vec<u32> = of_sets.iter().map(|column| features.take(column)).collect();
    for_rows(&mut rows, &ends, |state, row| {
        let columns = of_sets.iter().zip(&offsets);
        let numbers =
            columns.flat_map(|(column, offset)| column.numbers(state).iter().map(move |n| (n, offset)));
        for (cell, (number, offset)) in row[n_plain..].iter_mut().zip(numbers) {
            if *number != DROPPED {
                *cell = number + offset;
            }
        }
    });
    let positions = Positions::new(features.offsets);
    let instances = Instances::from_rows(rows, ends, DROPPED, positions, states.targets.clone());
    Ok(Indexed { instances, hashes: features.hashes })
}

/// The features of all templates so far.
struct Features {
    hashes: Vec<u64>,
    /// One per template: the number of its first feature; and the end.
    offsets: Vec<u32>,
}

impl Features {
    /// Adds the features of a template; returns the number of the first.
    fn take(&mut self, column: &Column) -> u32 {
        let number = |n: usize| u32::try_from(n).expect("fewer than 2³² features");
        let first = number(self.hashes.len());
        self.hashes.extend_from_slice(&column.hashes);
        self.offsets.push(number(self.hashes.len()));
        first
    }
}

/// Processes all rows in parallel.
fn for_rows(rows: &mut [u32], ends: &[usize], work: impl Fn(usize, &mut [u32]) + Sync) {
    /// Rows per parallel task.
    const CHUNK: usize = 4096;
    let mut parts = Vec::new();
    let (mut rest, mut start) = (rows, 0);
    for (part, chunk) in ends.chunks(CHUNK).enumerate() {
        let end = *chunk.last().expect("chunks are not empty");
        let (mine, others) = rest.split_at_mut(end - start);
        parts.push((part * CHUNK, start, chunk, mine));
        (rest, start) = (others, end);
    }
    parts.into_par_iter().for_each(|(first, start, ends, mut rows)| {
        let mut at = start;
        for (state, &end) in (first..).zip(ends) {
            let (row, others) = std::mem::take(&mut rows).split_at_mut(end - at);
            work(state, row);
            (rows, at) = (others, end);
        }
    });
}

/// The features of one template.
struct Column {
    /// The feature numbers of all states; `DROPPED` for rare features.
    numbers: Vec<u32>,
    /// The end of each state's numbers; empty if each state has exactly one.
    ends: Vec<u32>,
    /// Indexed by feature number.
    hashes: Vec<u64>,
}

impl Column {
    #[inline]
    fn numbers(&self, state: usize) -> &[u32] {
        if self.ends.is_empty() {
            return &self.numbers[state..=state];
        }
        let start = if state == 0 { 0 } else { self.ends[state - 1] };
        &self.numbers[start as usize..self.ends[state] as usize]
    }
}

fn index_template(
    program: &Program,
    states: &States,
    sets: &Sets,
    template: usize,
    min_count: u32,
) -> Column {
    let is_plain = template < program.n_plain();
    let (mut hashes, mut ends) = (Vec::with_capacity(states.len()), Vec::new());
    for state in 0..states.len() {
        program.expand(template, states.fingerprints(state), sets, &mut hashes);
        if !is_plain {
            ends.push(u32::try_from(hashes.len()).expect("fewer than 2³² features"));
        }
    }
    let capacity = (hashes.len() * 2).next_power_of_two().max(2);
    let mask = capacity - 1;
    // Open addressing: hash, count, number.
    let mut table: Vec<(u64, u32, u32)> = vec![(0, 0, DROPPED); capacity];
    let mut slots = Vec::with_capacity(hashes.len());
    for &hash in &hashes {
        #[allow(clippy::cast_possible_truncation, reason = "the bits chosen pick the slot")]
        let mut slot = (hash >> 20) as usize & mask;
        while table[slot].1 > 0 && table[slot].0 != hash {
            slot = (slot + 1) & mask;
        }
        table[slot].0 = hash;
        table[slot].1 += 1;
        slots.push(u32::try_from(slot).expect("fewer than 2³¹ features"));
    }
    hashes.clear();
    let numbers = slots
        .into_iter()
        .map(|slot| {
            let (hash, count, number) = &mut table[slot as usize];
            if *count < min_count {
                return DROPPED;
            }
            if *number == DROPPED {
                *number = u32::try_from(hashes.len()).expect("fewer than 2³² features");
                hashes.push(*hash);
            }
            *number
        })
        .collect();
    Column { numbers, ends, hashes }
}
