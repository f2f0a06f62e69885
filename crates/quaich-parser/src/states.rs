//! Training states: what a feature program saw, and what was right.

use quaich_features::Program;
use quaich_learn::Instances;
use rayon::prelude::*;

/// The values of a program in many states, with the class that was right in each.
#[derive(Clone, Debug, Default)]
pub struct States {
    width: usize,
    values: Vec<u64>,
    classes: Vec<u32>,
}

impl States {
    /// No states yet, for a program with this many values.
    pub fn new(width: usize) -> Self {
        Self { width, values: Vec::new(), classes: Vec::new() }
    }

    /// Adds a state.
    pub fn push(&mut self, values: &[u64], class: u32) {
        debug_assert_eq!(values.len(), self.width);
        self.values.extend_from_slice(values);
        self.classes.push(class);
    }

    /// Adds all states of another collection.
    pub fn append(&mut self, other: &Self) {
        self.values.extend_from_slice(&other.values);
        self.classes.extend_from_slice(&other.classes);
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    fn values(&self, state: usize) -> &[u64] {
        &self.values[state * self.width..][..self.width]
    }
}

/// Instances with the hash of every feature.
#[derive(Debug)]
pub struct Indexed {
    /// The instances.
    pub instances: Instances,
    /// By feature id.
    pub hashes: Vec<u64>,
}

/// A feature that is not kept.
const DROPPED: u32 = u32::MAX;
/// Templates worked on at a time, which bounds the memory for columns.
const BATCH: usize = 16;

/// Numbers the features that occur at least `min_count` times. Templates are independent of each
/// other, so the numbers do not depend on the number of threads.
pub fn index(program: &Program, states: &States, n_classes: usize, min_count: u32) -> Indexed {
    let n_templates = program.n_templates();
    let mut rows = vec![DROPPED; states.len() * n_templates];
    let mut hashes = Vec::new();
    for first in (0..n_templates).step_by(BATCH) {
        let last = (first + BATCH).min(n_templates);
        let columns: Vec<(Vec<u32>, Vec<u64>)> = (first..last)
            .into_par_iter()
            .map(|template| index_template(program, states, template, min_count))
            .collect();
        let offsets: Vec<u32> = columns
            .iter()
            .map(|(_, keys)| {
                let offset = u32::try_from(hashes.len()).expect("fewer than 2³² features");
                hashes.extend_from_slice(keys);
                offset
            })
            .collect();
        rows.par_chunks_mut(n_templates).enumerate().for_each(|(state, row)| {
            for (at, ((column, _), offset)) in (first..last).zip(columns.iter().zip(&offsets)) {
                if column[state] != DROPPED {
                    row[at] = column[state] + offset;
                }
            }
        });
    }
    let mut instances = Instances::new(hashes.len(), n_classes);
    instances.reserve(states.len(), n_templates / 2);
    for (row, &class) in rows.chunks(n_templates.max(1)).zip(&states.classes) {
        instances.push(row.iter().copied().filter(|&id| id != DROPPED), class);
    }
    Indexed { instances, hashes }
}

/// The numbers of one template's features by state, and their hashes.
fn index_template(
    program: &Program,
    states: &States,
    template: usize,
    min_count: u32,
) -> (Vec<u32>, Vec<u64>) {
    let capacity = (states.len() * 2).next_power_of_two().max(2);
    let mask = capacity - 1;
    // Open addressing: hash, how often seen, number given.
    let mut table: Vec<(u64, u32, u32)> = vec![(0, 0, DROPPED); capacity];
    #[allow(clippy::cast_possible_truncation, reason = "the low bits choose the slot")]
    let find = |table: &[(u64, u32, u32)], hash: u64| {
        let mut slot = (hash >> 20) as usize & mask;
        while table[slot].1 > 0 && table[slot].0 != hash {
            slot = (slot + 1) & mask;
        }
        slot
    };
    let mut slots = Vec::with_capacity(states.len());
    for state in 0..states.len() {
        let hash = program.join_one(template, states.values(state));
        let slot = find(&table, hash);
        table[slot].0 = hash;
        table[slot].1 += 1;
        slots.push(u32::try_from(slot).expect("fewer than 2³² states"));
    }
    let mut hashes = Vec::new();
    let column = slots
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
    (column, hashes)
}
