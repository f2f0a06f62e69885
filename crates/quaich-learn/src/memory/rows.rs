//! The instance base: the distinct rows of symbols, each with its class distribution.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::distributions::{Counter, Distributions};
use super::symbols::Symbols;
use crate::arrays::{Arrays, LoadError};
use crate::instances::Instances;

/// Distinct rows in ascending order, with one symbol per position.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Rows {
    /// The position of each slot of the rows.
    order: Vec<u32>,
    /// The symbols of all rows.
    symbols: Vec<u32>,
    distributions: Distributions,
}

impl Rows {
    /// The rows of instances with nonzero weight. `columns` has the symbols of each position, one per instance.
    ///
    /// # Panics
    /// If there are 2³² instances or more.
    pub(crate) fn of(instances: &Instances, columns: &[Vec<u32>], order: &[usize]) -> Self {
        let width = order.len();
        let mut all = vec![0; instances.len() * width];
        for (slot, &position) in order.iter().enumerate() {
            for (row, &symbol) in columns[position].iter().enumerate() {
                all[row * width + slot] = symbol;
            }
        }
        let row = |i: u32| &all[i as usize * width..][..width];
        let mut sorted: Vec<u32> =
            (0u32..).take(instances.len()).filter(|&i| instances.weight(i as usize) > 0.0).collect();
        sorted.par_sort_unstable_by(|&a, &b| row(a).cmp(row(b)).then(a.cmp(&b)));
        let mut counter = Counter::new(instances.n_classes());
        let (mut symbols, mut distributions) = (Vec::new(), Distributions::default());
        for same in sorted.chunk_by(|&a, &b| row(a) == row(b)) {
            for &i in same {
                count(instances, i as usize, &mut counter);
            }
            symbols.extend_from_slice(row(same[0]));
            distributions.push(&mut counter);
        }
        let order = order.iter().map(|&position| u32::try_from(position).expect("few positions")).collect();
        Self { order, symbols, distributions }
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.distributions.len()
    }

    /// The number of symbols per row.
    pub(crate) fn width(&self) -> usize {
        self.order.len()
    }

    /// The position of a slot.
    pub(crate) fn position(&self, slot: usize) -> usize {
        self.order[slot] as usize
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> &[u32] {
        let width = self.width();
        &self.symbols[row * width..][..width]
    }

    pub(crate) fn distributions(&self) -> &Distributions {
        &self.distributions
    }

    /// The total weight of each class.
    pub(crate) fn overall(&self, n_classes: usize) -> Vec<f64> {
        let mut overall = vec![0.0; n_classes];
        for row in 0..self.len() {
            for (class, count) in self.distributions.get(row).iter() {
                overall[class as usize] += count;
            }
        }
        overall
    }

    /// The index of a row.
    pub(crate) fn find(&self, symbols: &[u32]) -> Option<usize> {
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            match self.get(middle).cmp(symbols) {
                Ordering::Less => from = middle + 1,
                Ordering::Greater => to = middle,
                Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    pub(crate) fn save(&self, arrays: &mut Arrays) {
        arrays.set("order", &self.order);
        arrays.set("symbols", &self.symbols);
        let mut part = Arrays::default();
        self.distributions.save(&mut part);
        arrays.nest("classes", part);
    }

    pub(crate) fn load(arrays: &Arrays, symbols: &Symbols, n_classes: usize) -> Result<Self, LoadError> {
        let order: Vec<u32> = arrays.get("order")?;
        let mut positions = order.clone();
        positions.sort_unstable();
        if !positions.iter().map(|&position| position as usize).eq(0..symbols.n_positions()) {
            return Err(LoadError::unfit("order", "is not a permutation of the positions"));
        }
        let distributions = Distributions::load(&arrays.part("classes"), n_classes)?;
        let n = distributions.len().saturating_mul(order.len());
        let rows = Self { order, symbols: arrays.get_exactly("symbols", n)?, distributions };
        let is_known =
            |(slot, &symbol): (usize, &u32)| (symbol as usize) < symbols.n_symbols(rows.position(slot));
        if !(0..rows.len()).all(|row| rows.get(row).iter().enumerate().all(is_known)) {
            return Err(LoadError::unfit("symbols", "contains unknown symbols"));
        }
        if !(1..rows.len()).all(|row| rows.get(row - 1) < rows.get(row)) {
            return Err(LoadError::unfit("symbols", "is not sorted"));
        }
        Ok(rows)
    }
}

/// Counts the target classes of an instance.
pub(crate) fn count(instances: &Instances, instance: usize, counter: &mut Counter) {
    let weight = f64::from(instances.weight(instance));
    for (class, share) in instances.right(instance).shares() {
        counter.add(class, weight * f64::from(share));
    }
}

/// Collects the class distribution of each symbol: item `i` of `n` has the symbol `of(i)`, and `count` counts its classes.
pub(crate) fn by_symbol(
    n: usize,
    n_symbols: usize,
    of: impl Fn(usize) -> u32,
    mut count: impl FnMut(usize),
    mut next: impl FnMut(),
) {
    // Items are processed symbol by symbol, so that one counter is enough.
    let mut starts = vec![0u32; n_symbols + 1];
    let known = |&i: &usize| (of(i) as usize) < n_symbols;
    for i in (0..n).filter(known) {
        starts[of(i) as usize + 1] += 1;
    }
    for symbol in 0..n_symbols {
        starts[symbol + 1] += starts[symbol];
    }
    let mut things = vec![0; starts[n_symbols] as usize];
    let mut filled = starts.clone();
    for i in (0..n).filter(known) {
        let at = &mut filled[of(i) as usize];
        things[*at as usize] = i;
        *at += 1;
    }
    for symbol in 0..n_symbols {
        for &i in &things[starts[symbol] as usize..starts[symbol + 1] as usize] {
            count(i);
        }
        next();
    }
}
