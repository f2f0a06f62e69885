//! States → instances: every feature that is seen often enough gets a number.

use quaich_features::Program;
use quaich_learn::Instances;
use rayon::prelude::*;

use crate::states::States;

/// Instances with the hash of every feature.
#[derive(Debug)]
pub(crate) struct Indexed {
    /// The instances.
    pub(crate) instances: Instances,
    /// By feature number.
    pub(crate) hashes: Vec<u64>,
}

/// A feature that is not kept.
const DROPPED: u32 = u32::MAX;
/// Templates worked on at a time, which bounds the memory for columns.
const BATCH: usize = 8;

/// Numbers the features that occur at least `min_count` times. Templates are independent of each
/// other, so the numbers do not depend on the number of threads.
pub(crate) fn index(program: &Program, states: &States, n_classes: usize, min_count: u32) -> Indexed {
    let n_templates = program.n_templates();
    let mut rows = vec![DROPPED; states.len() * n_templates];
    let mut hashes = Vec::new();
    for first in (0..n_templates).step_by(BATCH) {
        let last = (first + BATCH).min(n_templates);
        let columns: Vec<Column> = (first..last)
            .into_par_iter()
            .map(|template| index_template(program, states, template, min_count))
            .collect();
        let offsets: Vec<u32> = columns
            .iter()
            .map(|column| {
                let offset = u32::try_from(hashes.len()).expect("fewer than 2³² features");
                hashes.extend_from_slice(&column.hashes);
                offset
            })
            .collect();
        rows.par_chunks_mut(n_templates).enumerate().for_each(|(state, row)| {
            for (cell, (column, offset)) in row[first..last].iter_mut().zip(columns.iter().zip(&offsets)) {
                if column.numbers[state] != DROPPED {
                    *cell = column.numbers[state] + offset;
                }
            }
        });
    }
    let instances =
        Instances::from_rows(rows, n_templates, DROPPED, states.classes(), hashes.len(), n_classes);
    Indexed { instances, hashes }
}

/// The features of one template.
struct Column {
    /// By state; `DROPPED` for a feature that is too rare.
    numbers: Vec<u32>,
    /// By number.
    hashes: Vec<u64>,
}

fn index_template(program: &Program, states: &States, template: usize, min_count: u32) -> Column {
    let capacity = (states.len() * 2).next_power_of_two().max(2);
    let mask = capacity - 1;
    // Open addressing: hash, how often seen, number given.
    let mut table: Vec<(u64, u32, u32)> = vec![(0, 0, DROPPED); capacity];
    let mut slots = Vec::with_capacity(states.len());
    for state in 0..states.len() {
        let hash = program.join_fingerprints(template, states.fingerprints(state));
        #[allow(clippy::cast_possible_truncation, reason = "the bits chosen pick the slot")]
        let mut slot = (hash >> 20) as usize & mask;
        while table[slot].1 > 0 && table[slot].0 != hash {
            slot = (slot + 1) & mask;
        }
        table[slot].0 = hash;
        table[slot].1 += 1;
        slots.push(u32::try_from(slot).expect("fewer than 2³¹ states"));
    }
    let mut hashes = Vec::new();
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
    Column { numbers, hashes }
}
