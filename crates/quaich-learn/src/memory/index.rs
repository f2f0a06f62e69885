//! An index of instances that finds nearest neighbours without comparing all of them.
//!
//! ```text
//!   rows in ascending order         tree over their first symbols     query  7 3 9 0
//!     1 0 2 5                          root
//!     1 0 4 4                          ├─ 1 ── 0   rows 0..3          distances so far: d(7,1) + d(3,0)
//!     1 0 4 6                          └─ 2 ─┬ 1   rows 3..5          still to come, at least: least(9) + least(0)
//!     2 1 0 0                                └ 3   rows 5..9
//! ```
//!
//! The search goes down the tree, first along the query's own symbols, and prunes branches that are farther from the query than the k-th
//! distance so far, even with the smallest possible distance in the remaining positions. Positions with the largest spread of distances
//! come first; those with many symbols come after those with few. If a symbol is so rare that all others have the maximum distance from
//! it, its rows are visited first; after that, all remaining rows are known to differ there.
//!
//! The result is exactly that of comparing all rows: distances of rows that are not pruned are summed in TiMBL's order of positions.

use std::ops::Range;

use rayon::prelude::*;

use super::MemoryParameters;
use super::distributions::{Distributions, len};
use super::metric::{Metric, Place};
use super::nearest::Nearest;
use super::rows::{Rows, by_symbol};
use super::statistics::{Statistics, classes_by_symbol, descending};
use super::symbols::{Symbols, UNKNOWN};
use crate::instances::Instances;
use crate::lists::Lists;

/// Searchable rows.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) symbols: Symbols,
    pub(crate) rows: Rows,
    metric: Metric,
    /// One per slot of the rows.
    places: Vec<Place>,
    /// Slots in the order in which their distances are summed.
    summing: Vec<usize>,
    /// One per slot: the start of its distances in the query.
    starts: Vec<usize>,
    /// The total weight of each class.
    overall: Vec<f64>,
    /// The root comes first; the children of a node are adjacent.
    nodes: Vec<Node>,
    /// Indexed by slot and symbol, as in `starts`: the rows with a rare symbol; empty for others.
    rare: Lists<u32>,
}

#[derive(Clone, Debug)]
struct Node {
    /// The last symbol on the path to the node.
    symbol: u32,
    rows: Range<u32>,
    /// Empty if the rows are compared one by one.
    children: Range<u32>,
}

/// Nodes with at most this many rows are leaves.
const FEW_ROWS: usize = 8;
/// The maximum depth: malicious files must not overflow the stack.
const MAX_DEPTH: usize = 64;
/// Positions with at least this many symbols come after those with fewer, which prune whole branches.
const MANY_SYMBOLS: usize = 256;
/// A symbol is rare if it has at most this many rows.
const RARE: usize = 64;

/// A query, and buffers to search for its neighbours.
#[derive(Debug, Default)]
pub(crate) struct Query {
    /// One per slot.
    symbols: Vec<u32>,
    /// One list per slot: the known values of an unknown symbol.
    values: Vec<Vec<u32>>,
    /// Indexed by slot and symbol: the distance, once computed for this query; NaN before.
    distances: Vec<f64>,
    /// The distances that were computed one by one, and those that were copied from the table.
    worked_out: Vec<usize>,
    known: Vec<Range<usize>>,
    /// One per slot: the minimum distance over all slots from here on.
    floors: Vec<f64>,
    /// Slots whose rows with the query's symbol have been visited.
    done: Vec<usize>,
}

impl Index {
    pub(crate) fn of(instances: &Instances, settings: &MemoryParameters) -> Self {
        let (symbols, columns) = Symbols::of(instances);
        let n_classes = instances.n_classes();
        // First in the order of positions, to find the best order.
        let any: Vec<usize> = (0..symbols.n_positions()).collect();
        let rows = Rows::of(instances, &columns, &any);
        let overall = rows.overall(n_classes);
        let (places, _) = places(&symbols, &rows, &overall, settings);
        let rank = |place: &Place| (place.n_symbols() < MANY_SYMBOLS, place.spread(settings.metric));
        let ranks: Vec<(bool, f64)> = places.iter().map(rank).collect();
        let mut order = any;
        order.sort_by(|&a, &b| ranks[b].0.cmp(&ranks[a].0).then(ranks[b].1.total_cmp(&ranks[a].1)));
        let rows = Rows::of(instances, &columns, &order);
        Self::new(symbols, rows, overall, settings)
    }

    /// `overall` is the total weight of each class.
    pub(crate) fn new(symbols: Symbols, rows: Rows, overall: Vec<f64>, settings: &MemoryParameters) -> Self {
        let (places, summing) = places(&symbols, &rows, &overall, settings);
        let mut starts = vec![0];
        for place in &places {
            starts.push(starts.last().copied().unwrap_or(0) + place.n_symbols());
        }
        let rare = rare(&rows, &places);
        let nodes = nodes(&rows);
        Self { symbols, rows, metric: settings.metric, places, summing, starts, overall, nodes, rare }
    }

    /// The total weight of each class.
    pub(crate) fn overall(&self) -> &[f64] {
        &self.overall
    }

    /// Reads a row as the query.
    pub(crate) fn read(&self, row: &[u32], query: &mut Query) {
        query.symbols.clear();
        query.values.resize_with(self.places.len().max(query.values.len()), Vec::new);
        for (place, values) in self.places.iter().zip(&mut query.values) {
            query.symbols.push(self.symbols.read(row, place.position, values));
        }
        // There are far more distances than a query needs, so only those of the last query are reset.
        for at in query.worked_out.drain(..) {
            query.distances[at] = f64::NAN;
        }
        for range in query.known.drain(..) {
            query.distances[range].fill(f64::NAN);
        }
        let n_distances = self.starts.last().copied().unwrap_or(0);
        query.distances.resize(n_distances.max(query.distances.len()), f64::NAN);
        for (slot, place) in self.places.iter().enumerate() {
            let known = place.known(query.symbols[slot]);
            let range = self.starts[slot]..self.starts[slot] + known.len();
            query.distances[range.clone()].copy_from_slice(known);
            query.known.push(range);
        }
    }

    /// The row that equals the query.
    pub(crate) fn same(&self, query: &Query) -> Option<usize> {
        self.rows.find(&query.symbols)
    }

    /// Finds the rows at the nearest distances.
    pub(crate) fn search(&self, query: &mut Query, nearest: &mut Nearest) {
        let mut search = Search { index: self, query, nearest, limit: f64::INFINITY };
        search.look_at_rare_symbols();
        search.set_floors();
        search.visit(&self.nodes[0], 0, 0.0);
    }
}

struct Search<'a> {
    index: &'a Index,
    query: &'a mut Query,
    nearest: &'a mut Nearest,
    /// Rows beyond this distance are pruned.
    limit: f64,
}

impl Search<'_> {
    /// Visits all rows that share a rare symbol with the query, if all other symbols have the maximum distance.
    fn look_at_rare_symbols(&mut self) {
        let index = self.index;
        self.query.done.clear();
        for (slot, place) in index.places.iter().enumerate() {
            let symbol = self.query.symbols[slot];
            if symbol == UNKNOWN || place.least(index.metric, symbol) == 0.0 {
                continue;
            }
            let rows = index.rare.get(index.starts[slot] + symbol as usize);
            if !rows.is_empty() {
                for &row in rows {
                    self.offer(row);
                }
                // From now on they are skipped, so that no row is visited twice.
                self.query.done.push(slot);
            }
        }
    }

    fn set_floors(&mut self) {
        let floors = &mut self.query.floors;
        floors.clear();
        floors.resize(self.index.places.len() + 1, 0.0);
        for (slot, place) in self.index.places.iter().enumerate().rev() {
            let symbol = self.query.symbols[slot];
            let is_elsewhere = symbol == UNKNOWN || self.query.done.contains(&slot);
            let least = if is_elsewhere { place.least(self.index.metric, symbol) } else { 0.0 };
            floors[slot] = floors[slot + 1] + least;
        }
    }

    /// Visits the rows below a node, whose symbols before `slot` have this distance.
    fn visit(&mut self, node: &Node, slot: usize, distance: f64) {
        if node.children.is_empty() {
            for row in node.rows.clone() {
                self.consider(row, slot, distance);
            }
            return;
        }
        let index = self.index;
        let children = &index.nodes[node.children.start as usize..node.children.end as usize];
        // The query's own symbol comes first, because it is nearest.
        let same = children.binary_search_by_key(&self.query.symbols[slot], |child| child.symbol).ok();
        if let Some(same) = same
            && distance + self.query.floors[slot + 1] <= self.limit
        {
            self.visit(&children[same], slot + 1, distance);
        }
        let start = index.starts[slot];
        let floor = self.query.floors[slot + 1];
        for (i, child) in children.iter().enumerate() {
            let sum = distance + self.distance(start, slot, child.symbol);
            if sum + floor <= self.limit && Some(i) != same {
                self.visit(child, slot + 1, sum);
            }
        }
    }

    #[inline]
    fn consider(&mut self, row: u32, slot: usize, mut distance: f64) {
        let index = self.index;
        for (slot, &symbol) in index.rows.get(row as usize).iter().enumerate().skip(slot) {
            distance += self.distance(index.starts[slot], slot, symbol);
            if distance + self.query.floors[slot + 1] > self.limit {
                return;
            }
        }
        self.offer(row);
    }

    /// Adds a row to the nearest ones if it is near enough and has not been visited.
    fn offer(&mut self, row: u32) {
        let index = self.index;
        let symbols = index.rows.get(row as usize);
        if self.query.done.iter().any(|&slot| symbols[slot] == self.query.symbols[slot]) {
            return;
        }
        let mut distance = 0.0;
        for &slot in &index.summing {
            distance += self.distance(index.starts[slot], slot, symbols[slot]);
        }
        let farthest = self.nearest.add(distance, row);
        // Sums in another order may differ in the last digits.
        self.limit = farthest + farthest * 1e-12 + 1e-12;
    }

    /// The distance of the query's symbol from another, computed once.
    #[inline]
    fn distance(&mut self, start: usize, slot: usize, symbol: u32) -> f64 {
        let at = start + symbol as usize;
        let distance = self.query.distances[at];
        if distance.is_nan() { self.work_out(at, slot, symbol) } else { distance }
    }

    #[cold]
    fn work_out(&mut self, at: usize, slot: usize, symbol: u32) -> f64 {
        let index = self.index;
        let query = (self.query.symbols[slot], self.query.values[slot].as_slice());
        let distance = index.places[slot].distance(index.metric, &index.symbols, query, symbol);
        self.query.distances[at] = distance;
        self.query.worked_out.push(at);
        distance
    }
}

/// The distance data of each slot, and the slots in TiMBL's order.
fn places(
    symbols: &Symbols,
    rows: &Rows,
    overall: &[f64],
    settings: &MemoryParameters,
) -> (Vec<Place>, Vec<usize>) {
    let of_slot = |slot: usize| {
        let position = rows.position(slot);
        let classes: Distributions = classes_by_symbol(rows, slot, symbols.n_symbols(position), overall);
        let statistics = Statistics::new(&classes, overall);
        let weight = settings.weighting.of(&statistics);
        (Place::new(position, weight, settings.metric, &classes, symbols), statistics.rank())
    };
    let (places, ranks): (Vec<Place>, Vec<f64>) = (0..rows.width()).into_par_iter().map(of_slot).unzip();
    // Ties are in the order of positions, not of slots.
    let mut slots: Vec<usize> = (0..rows.width()).collect();
    slots.sort_by_key(|&slot| rows.position(slot));
    let by_position: Vec<f64> = slots.iter().map(|&slot| ranks[slot]).collect();
    let summing = descending(&by_position).into_iter().map(|position| slots[position]).collect();
    (places, summing)
}

fn rare(rows: &Rows, places: &[Place]) -> Lists<u32> {
    let mut rare = Lists::default();
    for (slot, place) in places.iter().enumerate() {
        let list = std::cell::RefCell::new(Vec::new());
        let count = |row: usize| list.borrow_mut().push(u32::try_from(row).expect("fewer than 2³² rows"));
        by_symbol(
            rows.len(),
            place.n_symbols(),
            |row| rows.get(row)[slot],
            count,
            || {
                let mut list = list.borrow_mut();
                rare.push(if list.len() <= RARE { &list } else { &[] });
                list.clear();
            },
        );
    }
    rare
}

fn nodes(rows: &Rows) -> Vec<Node> {
    let n_rows = u32::try_from(rows.len()).expect("fewer than 2³² rows");
    let mut nodes = vec![Node { symbol: UNKNOWN, rows: 0..n_rows, children: 0..0 }];
    // Nodes from here on are on the level to be split.
    let mut level = 0..1;
    for slot in 0..rows.width().min(MAX_DEPTH) {
        for node in level.clone() {
            let of_node = nodes[node].rows.clone();
            if of_node.len() <= FEW_ROWS {
                continue;
            }
            let first = len(&nodes);
            let mut from = of_node.start;
            while from < of_node.end {
                let symbol = rows.get(from as usize)[slot];
                let is_same = |&row: &u32| rows.get(row as usize)[slot] == symbol;
                let to = (from..of_node.end).take_while(is_same).last().unwrap_or(from) + 1;
                nodes.push(Node { symbol, rows: from..to, children: 0..0 });
                from = to;
            }
            nodes[node].children = first..len(&nodes);
        }
        level = level.end..nodes.len();
    }
    nodes
}
