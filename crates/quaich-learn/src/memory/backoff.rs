//! A back-off tree: looks up instances by their symbols at some positions, then at fewer, until they are known.
//!
//! ```text
//!   groups of positions   {2}    {0}       {1, 3}
//!                         ├ 7 ── ├ 4 ───── ├ 0 1   3 × A
//!                         │      │         └ 5 1   1 × B
//!                         │      └ 6 ───── …
//!                         └ 8 ── …
//! ```
//!
//! Dropping positions in a fixed order means going up in a tree that tests them in the opposite order. IGTree is such a tree with one
//! position per level; maximum conditional likelihood estimation with back-off drops positions in groups.

use super::classifier::float;
use super::distributions::{Counter, Distribution, Distributions, best, len, settle};
use super::rows::Rows;
use super::symbols::{Symbols, UNKNOWN};
use crate::arrays::{Arrays, LoadError};
use crate::instances::Instances;

/// The tree.
#[derive(Clone, Debug)]
pub(crate) struct BackOff {
    symbols: Symbols,
    levels: Vec<Level>,
    /// The total weight of each class, for rows that are unknown at the first level.
    overall: Vec<f64>,
}

/// The nodes at one depth; those with the same parent are adjacent and sorted.
#[derive(Clone, Debug)]
struct Level {
    /// The positions that this level tests.
    positions: Vec<u32>,
    /// Per node, its symbols at these positions.
    keys: Vec<u32>,
    /// One per node: the start of its children in the next level; and their total number.
    children: Vec<u32>,
    /// One per node: the classes of all instances below it.
    classes: Distributions,
}

/// Which leaves are pruned because their parent gives the same answer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Pruning {
    /// Those with the same winning class.
    SameClass,
    /// Those with the same class probabilities.
    SameProbabilities,
}

/// The buffers to look up a row: the nodes on its path, and the values of a symbol.
#[derive(Debug, Default)]
pub(crate) struct Path {
    nodes: Vec<usize>,
    key: Vec<u32>,
    values: Vec<u32>,
}

impl BackOff {
    /// Builds the tree of instances, whose symbols are in `columns`, with these groups of positions; the last groups are dropped first.
    pub(crate) fn of(
        instances: &Instances,
        symbols: Symbols,
        columns: &[Vec<u32>],
        groups: &[Vec<usize>],
        pruning: Pruning,
    ) -> Self {
        let rows = Rows::of(instances, columns, &groups.concat());
        let overall = rows.overall(instances.n_classes());
        let mut unpruned = Vec::new();
        let mut start = 0;
        for group in groups {
            unpruned.push(Unpruned::new(&rows, start, start + group.len(), overall.len()));
            start += group.len();
        }
        let levels = prune(&unpruned, groups, &overall, pruning);
        Self { symbols, levels, overall }
    }

    pub(crate) fn overall(&self) -> &[f64] {
        &self.overall
    }

    #[cfg(test)]
    pub(crate) fn n_nodes(&self) -> usize {
        self.levels.iter().map(|level| level.classes.len()).sum()
    }

    /// The relative frequencies of classes at the deepest node that matches a row. A class that did not occur there has its frequency at
    /// the nearest ancestor where it did, minus 1 per step.
    pub(crate) fn scores(&self, row: &[u32], path: &mut Path, scores: &mut [f32]) {
        assert_eq!(scores.len(), self.overall.len(), "one score per class");
        self.find(row, path);
        let n: f64 = self.overall.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let mut below = -count_as_float(path.nodes.len());
        for (score, count) in scores.iter_mut().zip(&self.overall) {
            *score = float(count / n + below);
        }
        for (level, &node) in self.levels.iter().zip(&path.nodes) {
            below += 1.0;
            let classes = level.classes.get(node);
            let n = classes.total();
            for (class, count) in classes.iter() {
                scores[class as usize] = float(count / n + below);
            }
        }
        let deepest = path.nodes.last().map(|&node| self.levels[path.nodes.len() - 1].classes.get(node));
        let winner = match deepest {
            Some(classes) => classes.best(&self.overall),
            None => best(seen(&self.overall), &self.overall),
        };
        if let Some((winner, _)) = winner {
            settle(scores, winner);
        }
    }

    /// Follows a row down the tree.
    fn find(&self, row: &[u32], path: &mut Path) {
        let Path { nodes, key, values } = path;
        nodes.clear();
        let mut range = 0..self.levels.first().map_or(0, |level| level.classes.len());
        for level in &self.levels {
            key.clear();
            let symbols = &self.symbols;
            key.extend(level.positions.iter().map(|&at| symbols.read(row, at as usize, values)));
            let width = key.len();
            let of_node = |node: usize| &level.keys[node * width..][..width];
            if key.contains(&UNKNOWN) {
                return;
            }
            while !range.is_empty() {
                let middle = usize::midpoint(range.start, range.end);
                match of_node(middle).cmp(key) {
                    std::cmp::Ordering::Less => range.start = middle + 1,
                    std::cmp::Ordering::Greater => range.end = middle,
                    std::cmp::Ordering::Equal => {
                        nodes.push(middle);
                        break;
                    }
                }
            }
            if range.is_empty() {
                return;
            }
            let node = nodes[nodes.len() - 1];
            range = level.children[node] as usize..level.children[node + 1] as usize;
        }
    }

    pub(crate) fn save(&self, arrays: &mut Arrays) {
        let mut symbols = Arrays::default();
        self.symbols.save(&mut symbols);
        arrays.nest("symbols", symbols);
        arrays.set_one("n_levels", len(&self.levels));
        for (i, level) in self.levels.iter().enumerate() {
            let (mut part, mut classes) = (Arrays::default(), Arrays::default());
            part.set("positions", &level.positions);
            part.set("keys", &level.keys);
            part.set("children", &level.children);
            level.classes.save(&mut classes);
            part.nest("classes", classes);
            arrays.nest(&format!("level-{i}"), part);
        }
    }

    pub(crate) fn load(arrays: &Arrays, overall: Vec<f64>) -> Result<Self, LoadError> {
        let symbols = Symbols::load(&arrays.part("symbols"))?;
        let n_levels: u32 = arrays.one("n_levels")?;
        let mut levels: Vec<Level> = Vec::new();
        // From the last level to the first, because each one is checked against the next.
        for i in (0..n_levels).rev() {
            let part = arrays.part(&format!("level-{i}"));
            let positions: Vec<u32> = part.get("positions")?;
            let are_known = positions.iter().all(|&position| (position as usize) < symbols.n_positions());
            if positions.is_empty() || !are_known {
                return Err(LoadError::unfit("positions", "refers to unknown positions"));
            }
            let classes = Distributions::load(&part.part("classes"), overall.len())?;
            let keys = part.get_exactly("keys", classes.len().saturating_mul(positions.len()))?;
            let children: Vec<u32> = part.get_exactly("children", classes.len() + 1)?;
            let n_children = levels.last().map_or(0, |level| level.classes.len());
            if !children.is_sorted() || children[0] != 0 || children[classes.len()] as usize != n_children {
                return Err(LoadError::unfit("children", "does not divide the next level"));
            }
            levels.push(Level { positions, keys, children, classes });
        }
        levels.reverse();
        Ok(Self { symbols, levels, overall })
    }
}

/// All nodes at one depth, before pruning.
struct Unpruned {
    /// Per node, its symbols at the positions of the level.
    keys: Vec<u32>,
    /// One per node: its parent.
    parents: Vec<u32>,
    classes: Distributions,
}

impl Unpruned {
    /// Nodes differ in the symbols before `end`, parents in those before `start`.
    fn new(rows: &Rows, start: usize, end: usize, n_classes: usize) -> Self {
        let mut counter = Counter::new(n_classes);
        let (mut keys, mut parents, mut classes) = (Vec::new(), Vec::new(), Distributions::default());
        let mut parent = 0;
        for row in 0..rows.len() {
            counter.add_all(rows.distributions().get(row));
            let (symbols, next) = (rows.get(row), (row + 1 < rows.len()).then(|| rows.get(row + 1)));
            if next.is_none_or(|next| next[..end] != symbols[..end]) {
                keys.extend_from_slice(&symbols[start..end]);
                parents.push(parent);
                classes.push(&mut counter);
            }
            parent += u32::from(next.is_some_and(|next| next[..start] != symbols[..start]));
        }
        Self { keys, parents, classes }
    }
}

/// Prunes nodes from the leaves up.
fn prune(all: &[Unpruned], groups: &[Vec<usize>], overall: &[f64], pruning: Pruning) -> Vec<Level> {
    let (everything, counts): (Vec<u32>, Vec<f64>) = seen(overall).unzip();
    let root = Distribution { classes: &everything, counts: &counts };
    let mut levels: Vec<Level> = Vec::new();
    // One per node of the level below: whether it is kept.
    let mut kept_below: Vec<bool> = Vec::new();
    for (i, (level, group)) in all.iter().zip(groups).enumerate().rev() {
        let n = level.classes.len();
        let mut n_children = vec![0u32; n];
        if let Some(below) = all.get(i + 1) {
            for (&parent, _) in below.parents.iter().zip(&kept_below).filter(|&(_, &kept)| kept) {
                n_children[parent as usize] += 1;
            }
        }
        let above = |node: usize| match i.checked_sub(1) {
            Some(above) => all[above].classes.get(level.parents[node] as usize),
            None => root,
        };
        let is_kept = |node: usize| {
            n_children[node] > 0 || !pruning.says_the_same(level.classes.get(node), above(node), overall)
        };
        let kept: Vec<bool> = (0..n).map(is_kept).collect();
        let width = group.len();
        let (mut keys, mut children) = (Vec::new(), vec![0]);
        for node in (0..n).filter(|&node| kept[node]) {
            keys.extend_from_slice(&level.keys[node * width..][..width]);
            children.push(children.last().copied().unwrap_or(0) + n_children[node]);
        }
        let classes = level.classes.selected(|node| kept[node]);
        let positions = group.iter().map(|&position| u32::try_from(position).expect("few positions"));
        levels.push(Level { positions: positions.collect(), keys, children, classes });
        kept_below = kept;
    }
    levels.reverse();
    levels
}

impl Pruning {
    fn says_the_same(self, node: Distribution<'_>, above: Distribution<'_>, overall: &[f64]) -> bool {
        match self {
            Self::SameClass => {
                let winner = |classes: Distribution<'_>| classes.best(overall).map(|(class, _)| class);
                winner(node) == winner(above)
            }
            Self::SameProbabilities => {
                let (n, n_above) = (node.total(), above.total());
                let is_same =
                    |(count, above): (&f64, &f64)| (count * n_above - above * n).abs() <= f64::EPSILON;
                node.classes == above.classes && node.counts.iter().zip(above.counts).all(is_same)
            }
        }
    }
}

/// The classes with nonzero weight, and their weights.
fn seen(overall: &[f64]) -> impl Iterator<Item = (u32, f64)> + '_ {
    (0u32..).zip(overall.iter().copied()).filter(|&(_, count)| count > 0.0)
}

#[allow(clippy::cast_precision_loss, reason = "few levels")]
fn count_as_float(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Positions, Right};

    /// Three positions; at the last one, value 6 always has class 0.
    fn tree(groups: &[Vec<usize>], pruning: Pruning) -> BackOff {
        let mut instances = Instances::new(Positions::new(vec![0, 3, 6, 9]), 3);
        let rows =
            [([0, 3, 6], 0), ([0, 4, 6], 0), ([0, 3, 7], 1), ([0, 4, 7], 2), ([1, 4, 7], 2), ([1, 5, 6], 0)];
        for (row, class) in rows {
            instances.push(&row, Right::Class(class), 1.0);
        }
        let (symbols, columns) = Symbols::of(&instances);
        BackOff::of(&instances, symbols, &columns, groups, pruning)
    }

    fn check(tree: &BackOff, row: &[u32], expected: [f32; 3]) {
        let mut scores = [f32::NAN; 3];
        tree.scores(row, &mut Path::default(), &mut scores);
        for (found, expected) in scores.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{scores:?} {expected}");
        }
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let groups = [vec![2], vec![0], vec![1]];
        for pruning in [Pruning::SameClass, Pruning::SameProbabilities] {
            let tree = tree(&groups, pruning);
            // One instance is equal; above it, class 2 is as frequent; above that, two of three.
            check(&tree, &[0, 3, 7], [0.5 - 3.0, 1.0, 0.5 - 1.0]);
            // Value 8 is unknown, and so are 2 and no value at position 0.
            check(&tree, &[0, 3, 8], [0.5, 1.0 / 6.0, 1.0 / 3.0]);
            check(&tree, &[2, 3, 7], [0.5 - 1.0, 1.0 / 3.0, 2.0 / 3.0]);
            check(&tree, &[3, 7], [0.5 - 1.0, 1.0 / 3.0, 2.0 / 3.0]);
        }
    }

    #[test]
    fn what_says_nothing_new_is_not_kept() {
        let groups = [vec![2], vec![0], vec![1]];
        // Value 6: class 0 wins as it does overall, and in all nodes below; its probability differs from the overall one.
        // 7 ─┬─ 0 ─┬─ 3        7: class 2 of 1, 2, 2
        //    │     └─ 4        0: classes 1 and 2, the latter is right more often
        //    └─ 1 ─── 4
        assert_eq!(tree(&groups, Pruning::SameClass).n_nodes(), 3);
        assert_eq!(tree(&groups, Pruning::SameProbabilities).n_nodes(), 6);
    }

    #[test]
    fn positions_are_left_out_in_groups() {
        let tree = tree(&[vec![2], vec![0, 1]], Pruning::SameProbabilities);
        check(&tree, &[0, 3, 7], [0.5 - 2.0, 1.0, 2.0 / 3.0 - 1.0]);
        check(&tree, &[1, 3, 7], [0.5 - 1.0, 1.0 / 3.0, 2.0 / 3.0]);
    }
}
