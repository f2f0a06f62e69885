//! Symbols: the content of a position as one number, for a single value, several values or none.
//!
//! TiMBL's instances have exactly one value per position. These instances may have several, such as the parts of FEATS, which form a set
//! with a symbol of its own, or none, which has a symbol as well. Content that did not occur in training is [`UNKNOWN`]; unknown values
//! are first removed from sets.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;

use super::distributions::len;
use crate::arrays::{Arrays, LoadError};
use crate::instances::Instances;
use crate::lists::Lists;
use crate::positions::Positions;

/// Not a symbol of the training data.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// The symbols of all positions. Each position numbers them from 0, the most frequent first.
#[derive(Clone, Debug)]
pub(crate) struct Symbols {
    positions: Positions,
    places: Vec<Place>,
}

/// The symbols of one position.
#[derive(Clone, Debug)]
struct Place {
    range: Range<u32>,
    /// One set per symbol: its values, ascending.
    sets: Lists<u32>,
    /// Indexed by value, from the first of the position: the symbol of the value alone, [`WITHIN`] if it only occurs together with
    /// others, or [`UNKNOWN`].
    single: Vec<u32>,
    /// The symbols of no value and of several.
    compound: HashMap<Vec<u32>, u32>,
}

/// A value that occurs in training, but not alone.
const WITHIN: u32 = u32::MAX - 1;

impl Symbols {
    /// The symbols of instances with nonzero weight, and one column of symbols per position.
    pub(crate) fn of(instances: &Instances) -> (Self, Vec<Vec<u32>>) {
        let positions = instances.positions().clone();
        let of_position = |position: usize| Place::of(instances, position);
        let (places, columns) = (0..positions.len()).into_par_iter().map(of_position).unzip();
        (Self { positions, places }, columns)
    }

    /// The number of positions.
    pub(crate) fn n_positions(&self) -> usize {
        self.places.len()
    }

    /// The number of symbols at a position.
    pub(crate) fn n_symbols(&self, position: usize) -> usize {
        self.places[position].sets.len()
    }

    /// The values of a symbol.
    pub(crate) fn set(&self, position: usize, symbol: u32) -> &[u32] {
        self.places[position].sets.get(symbol as usize)
    }

    /// Whether symbols of a position may share values.
    pub(crate) fn may_overlap(&self, position: usize) -> bool {
        self.places[position].compound.keys().any(|set| set.len() > 1)
    }

    /// The symbol of a row at a position. If that is [`UNKNOWN`], `values` has the known values there.
    #[inline]
    pub(crate) fn read(&self, row: &[u32], position: usize, values: &mut Vec<u32>) -> u32 {
        self.places[position].symbol(self.positions.at(row, position), values)
    }

    pub(crate) fn save(&self, arrays: &mut Arrays) {
        let sets = |place: &Place| (0..place.sets.len()).map(|i| place.sets.get(i).to_vec()).collect();
        let sets: Vec<Vec<Vec<u32>>> = self.places.iter().map(sets).collect();
        let lengths: Vec<u32> = sets.iter().flatten().map(|set| len(set)).collect();
        arrays.set("offsets", self.positions.offsets());
        arrays.set("n_symbols", &sets.iter().map(|sets| len(sets)).collect::<Vec<u32>>());
        arrays.set("lengths", &lengths);
        arrays.set("values", &sets.concat().concat());
    }

    pub(crate) fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let offsets: Vec<u32> = arrays.get("offsets")?;
        if offsets.first() != Some(&0) || !offsets.is_sorted() {
            return Err(LoadError::unfit("offsets", "does not start at 0 and increase"));
        }
        let positions = Positions::new(offsets);
        let n_symbols: Vec<u32> = arrays.get_exactly("n_symbols", positions.len())?;
        let lengths: Vec<u32> = arrays.get("lengths")?;
        let values: Vec<u32> = arrays.get("values")?;
        let (mut lengths, mut values) = (lengths.into_iter(), values.into_iter());
        let mut places = Vec::new();
        for (position, &n) in n_symbols.iter().enumerate() {
            let range = positions.range(position);
            let mut sets = Lists::default();
            for _ in 0..n {
                let length = lengths.next().ok_or_else(|| LoadError::unfit("lengths", "is too short"))?;
                let set: Vec<u32> = values.by_ref().take(length as usize).collect();
                let is_set = set.is_sorted_by(|a, b| a < b) && set.iter().all(|value| range.contains(value));
                if !is_set || set.len() != length as usize {
                    return Err(LoadError::unfit("values", "has no sets of values"));
                }
                sets.push(&set);
            }
            places.push(Place::new(range, sets));
        }
        if lengths.next().is_some() || values.next().is_some() {
            return Err(LoadError::unfit("lengths", "is too long"));
        }
        Ok(Self { positions, places })
    }
}

impl Place {
    fn new(range: Range<u32>, sets: Lists<u32>) -> Self {
        let mut single = vec![UNKNOWN; range.len()];
        let mut compound = HashMap::new();
        for (symbol, i) in (0u32..).zip(0..sets.len()) {
            match sets.get(i) {
                &[value] => single[(value - range.start) as usize] = symbol,
                set => {
                    compound.insert(set.to_vec(), symbol);
                    for &value in set {
                        let alone = &mut single[(value - range.start) as usize];
                        *alone = if *alone == UNKNOWN { WITHIN } else { *alone };
                    }
                }
            }
        }
        Self { range, sets, single, compound }
    }

    /// The symbols of a position, and a column with the symbol of each instance.
    fn of(instances: &Instances, position: usize) -> (Self, Vec<u32>) {
        let positions = instances.positions();
        let range = positions.range(position);
        let mut single = vec![UNKNOWN; range.len()];
        let mut compound: HashMap<Vec<u32>, u32> = HashMap::new();
        let (mut sets, mut totals): (Lists<u32>, Vec<f64>) = (Lists::default(), Vec::new());
        let mut column = Vec::with_capacity(instances.len());
        for i in 0..instances.len() {
            let weight = instances.weight(i);
            if weight == 0.0 {
                column.push(UNKNOWN);
                continue;
            }
            let mut add = |set: &[u32]| {
                totals.push(0.0);
                u32::try_from(sets.push(set)).expect("fewer symbols than instances, which are fewer than 2³⁰")
            };
            let symbol = match positions.at(instances.row(i), position) {
                &[value] => {
                    let symbol = &mut single[(value - range.start) as usize];
                    if *symbol == UNKNOWN {
                        *symbol = add(&[value]);
                    }
                    *symbol
                }
                values => {
                    let mut set = values.to_vec();
                    set.sort_unstable();
                    *compound.entry(set).or_insert_with_key(|set| add(set))
                }
            };
            totals[symbol as usize] += f64::from(weight);
            column.push(symbol);
        }
        // The most frequent first, then by first occurrence.
        let mut order: Vec<usize> = (0..totals.len()).collect();
        order.sort_by(|&a, &b| totals[b].total_cmp(&totals[a]));
        let (mut renumbered, mut ordered) = (vec![UNKNOWN; order.len()], Lists::default());
        for (number, &symbol) in (0u32..).zip(&order) {
            renumbered[symbol] = number;
            ordered.push(sets.get(symbol));
        }
        for symbol in column.iter_mut().filter(|symbol| **symbol != UNKNOWN) {
            *symbol = renumbered[*symbol as usize];
        }
        (Self::new(range, ordered), column)
    }

    #[inline]
    fn symbol(&self, found: &[u32], values: &mut Vec<u32>) -> u32 {
        let alone = |value: u32| {
            let index = value.checked_sub(self.range.start).map(|index| index as usize);
            index.and_then(|index| self.single.get(index)).copied().unwrap_or(UNKNOWN)
        };
        if let &[value] = found {
            let symbol = alone(value);
            if symbol < WITHIN {
                return symbol;
            }
        }
        values.clear();
        values.extend(found.iter().copied().filter(|&value| alone(value) != UNKNOWN));
        values.sort_unstable();
        values.dedup();
        match values[..] {
            [value] if alone(value) < WITHIN => alone(value),
            _ => self.compound.get(values.as_slice()).copied().unwrap_or(UNKNOWN),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::Right;

    #[test]
    fn values_sets_and_nothing_are_symbols() {
        let mut instances = Instances::new(Positions::new(vec![0, 3, 8]), 1);
        for row in [&[0, 4, 3][..], &[1, 3, 4], &[1], &[1, 5], &[0, 5]] {
            instances.push(row, Right::Class(0), 1.0);
        }
        instances.push(&[2, 7], Right::Class(0), 0.0);
        let (symbols, columns) = Symbols::of(&instances);
        assert_eq!(columns, [[1, 0, 0, 0, 1, UNKNOWN], [0, 0, 2, 1, 1, UNKNOWN]]);
        let mut arrays = Arrays::default();
        symbols.save(&mut arrays);
        for symbols in [symbols, Symbols::load(&arrays).unwrap()] {
            let mut values = Vec::new();
            let mut read = |row: &[u32]| (symbols.read(row, 1, &mut values), values.clone());
            assert_eq!(read(&[0, 3, 4]).0, 0);
            assert_eq!(read(&[0]).0, 2);
            assert_eq!(read(&[0, 5]).0, 1);
            // Values of instances with zero weight are unknown, and 9 does not exist.
            assert_eq!(read(&[0, 3, 4, 7, 9]).0, 0);
            assert_eq!(read(&[0, 7]).0, 2);
            assert_eq!(read(&[0, 3]), (UNKNOWN, vec![3]));
            assert_eq!(read(&[0, 5, 3]), (UNKNOWN, vec![3, 5]));
            assert_eq!((symbols.n_symbols(1), symbols.set(1, 0)), (3, &[3, 4][..]));
            assert!(symbols.may_overlap(1) && !symbols.may_overlap(0));
            assert_eq!(symbols.read(&[2], 0, &mut values), UNKNOWN);
        }
    }
}
