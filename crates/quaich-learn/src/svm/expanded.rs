//! Explicit kernel expansion: a kernel that is a sum over shared values and shared pairs of values does not need to be computed with
//! every support vector; the vectors' weights can be summed per value and pair in advance.
//!
//! With one number per pair of values and each of n(n − 1)/2 duels, that would be far too many. But few pairs are frequent, and rare ones
//! concern few support vectors:
//!
//! ```text
//!   pairs with a rare value                     not stored; the few vectors with it are compared with the row
//!   pairs of common values, in few vectors      a list of these vectors
//!   pairs of common values, in many vectors     their weights summed, one number per duel
//! ```
//!
//! Vectors found in the first two ways are added to their duels once.

use super::kernel::{Expansion, Kernel};
use super::keys::{Keys, key};
use super::machine::Vectors;
use crate::kernels::add_rows;

/// Whether to expand kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Expand {
    /// If that is faster and takes little memory.
    Auto,
    Yes,
    No,
}

/// Their names.
pub(super) const EXPAND: [(&str, Expand); 3] =
    [("auto", Expand::Auto), ("yes", Expand::Yes), ("no", Expand::No)];

/// Values of at most this many support vectors are rare.
const RARE: usize = 48;

/// Adding a number to this many duels takes as long as one more vector.
const DUELS_PER_VECTOR: usize = 20;

/// The maximum number of all summed weights.
const MAX_SUMMED: usize = 8 << 20;

/// The minimum number of vectors and the maximum number of duels for `auto`: otherwise comparing a row with all vectors is as fast, or
/// there is no space for the sums.
const AUTO: (usize, usize) = (100, 1 << 16);

/// The maximum number of listed vectors for `auto`, and in general; each takes four bytes.
const MAX_LISTED: (usize, usize) = (16 << 20, 256 << 20);

/// Marks the numbers of summed weights among those of lists.
const SUMMED: u32 = 1 << 31;

/// Expanded kernels.
#[derive(Clone, Debug)]
pub(super) struct Expanded {
    expansion: Expansion,
    /// One per duel: the constant part.
    constants: Vec<f64>,
    /// One per value: whether it is frequent; rare ones have a list in `holders`.
    is_common: Vec<bool>,
    /// One per value: the start of its list, if it is rare; and the end of the last.
    starts: Vec<usize>,
    holders: Vec<u32>,
    keys: Keys,
    /// One per key: a row of `summed`, marked with [`SUMMED`], or a list.
    entries: Vec<u32>,
    /// One per list: its start; and the end of the last.
    list_starts: Vec<usize>,
    listed: Vec<u32>,
    /// Rows of weights, one number per duel.
    summed: Vec<f64>,
}

/// The buffers for a row.
#[derive(Debug, Default)]
pub(super) struct Space {
    /// The values of the row, ascending.
    row: Vec<u32>,
    common: Vec<u32>,
    /// One per vector: its matches so far; zero between rows.
    met: Vec<Met>,
    touched: Vec<u32>,
    /// Rows of summed weights.
    rows: Vec<u32>,
}

impl Space {
    /// The number of values that an ascending row shares with the last row.
    pub(super) fn shared(&self, other: &[u32]) -> usize {
        let (mut n, mut at) = (0, 0);
        for &value in other {
            while self.row.get(at).is_some_and(|&mine| mine < value) {
                at += 1;
            }
            n += usize::from(self.row.get(at) == Some(&value));
        }
        n
    }
}

/// The number of values and pairs that a vector shares with the row, except for summed ones.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Met {
    n_values: u32,
    n_pairs: u32,
    /// Whether rare values are included.
    is_compared: bool,
}

impl Expanded {
    /// Expands the kernels of a machine with this many duels; `None` if it is not wanted or not possible.
    pub(super) fn new(kernel: Kernel, vectors: &Vectors, n_duels: usize, expand: Expand) -> Option<Self> {
        let expansion = kernel.expansion().filter(|_| expand != Expand::No)?;
        if expand == Expand::Auto && (vectors.len() < AUTO.0 || n_duels > AUTO.1) {
            return None;
        }
        let rows = || (0..vectors.len()).map(|vector| vectors.rows.get(vector));
        let n_values = rows().flatten().max().map_or(0, |&value| value as usize + 1);
        let mut n_of = vec![0usize; n_values];
        rows().flatten().for_each(|&value| n_of[value as usize] += 1);
        let is_common: Vec<bool> = n_of.iter().map(|&n| n > RARE).collect();
        let commons = |row: &[u32]| row.iter().filter(|&&value| is_common[value as usize]).count();
        let n_listed: usize = rows().map(commons).map(|n| n * (n + 1) / 2).sum();
        if n_listed > if expand == Expand::Auto { MAX_LISTED.0 } else { MAX_LISTED.1 } {
            return None;
        }

        let mut starts = vec![0; n_values + 1];
        for value in 0..n_values {
            starts[value + 1] = starts[value] + if is_common[value] { 0 } else { n_of[value] };
        }
        let (mut holders, mut filled) = (vec![0; starts[n_values]], starts.clone());
        let mut keys = Keys::new();
        let mut n_of_key: Vec<usize> = Vec::new();
        let mut common = Vec::new();
        for (row, vector) in rows().zip(0u32..) {
            for &value in row.iter().filter(|&&value| !is_common[value as usize]) {
                holders[filled[value as usize]] = vector;
                filled[value as usize] += 1;
            }
            common.clear();
            common.extend(row.iter().copied().filter(|&value| is_common[value as usize]));
            for key in terms(&common, &expansion) {
                let number = keys.insert(key) as usize;
                n_of_key.resize(keys.len(), 0);
                n_of_key[number] += 1;
            }
        }

        // The most frequent pairs are summed, as far as that is faster and fits.
        let mut by_number: Vec<usize> = (0..keys.len()).collect();
        by_number.sort_by_key(|&number| std::cmp::Reverse(n_of_key[number]));
        let pays = |&number: &usize| n_of_key[number] > n_duels / DUELS_PER_VECTOR;
        let n_summed = by_number.iter().copied().filter(pays).take(MAX_SUMMED / n_duels.max(1)).count();
        let mut entries = vec![0u32; keys.len()];
        for (entry, &number) in (SUMMED..).zip(&by_number[..n_summed]) {
            entries[number] = entry;
        }
        let mut list_starts = vec![0];
        let mut end = 0;
        for (entry, list) in entries.iter_mut().filter(|entry| **entry < SUMMED).zip(0u32..) {
            *entry = list;
            list_starts.push(0);
        }
        for (&entry, &n) in entries.iter().zip(&n_of_key).filter(|&(&entry, _)| entry < SUMMED) {
            end += n;
            list_starts[entry as usize + 1] = end;
        }
        let (mut listed, mut filled) = (vec![0u32; end], list_starts.clone());
        let mut summed = vec![0.0; n_summed * n_duels];
        let mut constants = vec![0.0; n_duels];
        for (at, vector) in (0..vectors.len()).zip(0u32..) {
            common.clear();
            common.extend(vectors.rows.get(at).iter().copied().filter(|&value| is_common[value as usize]));
            for &(duel, weight) in vectors.weights.get(at) {
                constants[duel as usize] += expansion.constant * weight;
            }
            for key in terms(&common, &expansion) {
                let Some(number) = keys.get(key) else { continue };
                let entry = entries[number as usize];
                if entry < SUMMED {
                    let place = &mut filled[entry as usize];
                    listed[*place] = vector;
                    *place += 1;
                } else {
                    let row = (entry - SUMMED) as usize * n_duels;
                    let worth = if is_single(key) { expansion.single } else { expansion.pair };
                    for &(duel, weight) in vectors.weights.get(at) {
                        summed[row + duel as usize] += worth * weight;
                    }
                }
            }
        }
        Some(Self {
            expansion,
            constants,
            is_common,
            starts,
            holders,
            keys,
            entries,
            list_starts,
            listed,
            summed,
        })
    }

    /// Adds the weighted kernels of a row with all support vectors to the sums of duels.
    pub(super) fn add_to(&self, vectors: &Vectors, row: &[u32], space: &mut Space, sums: &mut [f64]) {
        space.row.clear();
        space.row.extend(row.iter().copied().filter(|&value| (value as usize) < self.is_common.len()));
        space.row.sort_unstable();
        space.row.dedup();
        space.common.clear();
        space.common.extend(space.row.iter().copied().filter(|&value| self.is_common[value as usize]));
        // Other machines may have used these buffers.
        space.met.resize(vectors.len().max(space.met.len()), Met::default());
        for (sum, constant) in sums.iter_mut().zip(&self.constants) {
            *sum += constant;
        }
        for key in terms(&space.common, &self.expansion) {
            let Some(number) = self.keys.get(key) else { continue };
            let entry = self.entries[number as usize];
            if entry >= SUMMED {
                space.rows.push(entry - SUMMED);
                continue;
            }
            let list = &self.listed[self.list_starts[entry as usize]..self.list_starts[entry as usize + 1]];
            for &vector in list {
                let met = &mut space.met[vector as usize];
                if *met == Met::default() {
                    space.touched.push(vector);
                }
                if is_single(key) {
                    met.n_values += 1;
                } else {
                    met.n_pairs += 1;
                }
            }
        }
        add_rows(sums, &self.summed, &space.rows);
        space.rows.clear();
        for &value in space.row.iter().filter(|&&value| !self.is_common[value as usize]) {
            for &vector in &self.holders[self.starts[value as usize]..self.starts[value as usize + 1]] {
                let met = &mut space.met[vector as usize];
                if met.is_compared {
                    continue;
                }
                if *met == Met::default() {
                    space.touched.push(vector);
                }
                let (n_rare, n_common) = self.shared(vectors.rows.get(vector as usize), &space.row);
                met.is_compared = true;
                met.n_values += n_rare;
                // Pairs of two rare values, and of a rare with a frequent one.
                let with_common = n_rare.saturating_mul(n_common);
                let of_rare = n_rare.saturating_mul(n_rare.saturating_sub(1)) / 2;
                met.n_pairs = met.n_pairs.saturating_add(of_rare.saturating_add(with_common));
            }
        }
        for &vector in &space.touched {
            let met = std::mem::take(&mut space.met[vector as usize]);
            let kernel = self.expansion.single * f64::from(met.n_values)
                + self.expansion.pair * f64::from(met.n_pairs);
            for &(duel, weight) in vectors.weights.get(vector as usize) {
                sums[duel as usize] += kernel * weight;
            }
        }
        space.touched.clear();
    }

    /// The number of rare and of frequent values that two ascending rows share.
    fn shared(&self, a: &[u32], b: &[u32]) -> (u32, u32) {
        let (mut n_rare, mut n_common, mut at) = (0, 0, 0);
        for &value in a {
            while b.get(at).is_some_and(|&other| other < value) {
                at += 1;
            }
            if b.get(at) == Some(&value) {
                let is_common = self.is_common[value as usize];
                n_common += u32::from(is_common);
                n_rare += u32::from(!is_common);
            }
        }
        (n_rare, n_common)
    }

    /// The size in bytes: of the sums, and of the rest.
    pub(super) fn n_bytes(&self) -> (usize, usize) {
        let numbers = 4 * (self.holders.len() + self.listed.len() + self.entries.len());
        let places = 8 * (self.starts.len() + self.list_starts.len() + self.constants.len());
        (8 * self.summed.len(), numbers + places + self.is_common.len() + self.keys.n_bytes())
    }
}

/// The keys of all values of an ascending row and, if they count, of its pairs.
fn terms<'a>(row: &'a [u32], expansion: &Expansion) -> impl Iterator<Item = u64> + use<'a> {
    let has_pairs = expansion.pair != 0.0;
    row.iter().enumerate().flat_map(move |(at, &low)| {
        let others = if has_pairs { &row[at..] } else { &row[at..=at] };
        others.iter().map(move |&high| key(low, high))
    })
}

/// Whether a key is that of a single value.
#[inline]
fn is_single(key: u64) -> bool {
    key >> 32 == key & 0xffff_ffff
}
