//! A set of small integers with fast neighbour search: one bit per member, and one bit per 64 bits below that says
//! whether any is set. Three levels hold 262,144 members, so each operation reads a few words.

/// A set of integers below the length passed to `clear`.
#[derive(Clone, Default, Debug)]
pub(super) struct PositionSet {
    /// `levels[0]` has one bit per member; a bit of `levels[i + 1]` covers a word of `levels[i]`.
    levels: Vec<Vec<u64>>,
    n_levels: usize,
}

impl PositionSet {
    /// Empties the set and allocates space for members below `len`.
    pub(super) fn clear(&mut self, len: usize) {
        self.n_levels = 0;
        let mut n_words = len;
        loop {
            n_words = n_words.div_ceil(64).max(1);
            if self.levels.len() == self.n_levels {
                self.levels.push(Vec::new());
            }
            let level = &mut self.levels[self.n_levels];
            level.clear();
            level.resize(n_words, 0);
            self.n_levels += 1;
            if n_words == 1 {
                break;
            }
        }
    }

    pub(super) fn insert(&mut self, mut member: usize) {
        for level in &mut self.levels[..self.n_levels] {
            let word = &mut level[member / 64];
            let was_empty = *word == 0;
            *word |= 1 << (member % 64);
            if !was_empty {
                break;
            }
            member /= 64;
        }
    }

    pub(super) fn remove(&mut self, mut member: usize) {
        for level in &mut self.levels[..self.n_levels] {
            let word = &mut level[member / 64];
            *word &= !(1 << (member % 64));
            if *word != 0 {
                break;
            }
            member /= 64;
        }
    }

    /// Returns the smallest member that is at least `from`.
    pub(super) fn at_or_after(&self, from: usize) -> Option<usize> {
        let mut at = from;
        for (height, level) in self.levels[..self.n_levels].iter().enumerate() {
            let word = level.get(at / 64)? >> (at % 64);
            if word != 0 {
                let found = at + word.trailing_zeros() as usize;
                return Some(self.descend(height, found, u64::trailing_zeros));
            }
            at = at / 64 + 1;
        }
        None
    }

    /// Returns the largest member below `below`.
    pub(super) fn before(&self, below: usize) -> Option<usize> {
        let mut at = below.checked_sub(1)?;
        for (height, level) in self.levels[..self.n_levels].iter().enumerate() {
            let word = level[at / 64] & (u64::MAX >> (63 - at % 64));
            if word != 0 {
                let found = at / 64 * 64 + word.ilog2() as usize;
                return Some(self.descend(height, found, u64::ilog2));
            }
            at = (at / 64).checked_sub(1)?;
        }
        None
    }

    fn descend(&self, height: usize, mut found: usize, pick: impl Fn(u64) -> u32) -> usize {
        for level in self.levels[..height].iter().rev() {
            found = found * 64 + pick(level[found]) as usize;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn agrees_with_an_ordered_set() {
        for len in [1usize, 63, 64, 65, 4096, 4097, 300_000] {
            let mut fast = PositionSet::default();
            fast.clear(len);
            let mut slow = BTreeSet::new();
            let mut state = 1usize;
            for step in 0..3000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let member = (state >> 20) % len;
                if step % 3 == 2 {
                    fast.remove(member);
                    slow.remove(&member);
                } else {
                    fast.insert(member);
                    slow.insert(member);
                }
                let probe = (state >> 33) % (len + 1);
                assert_eq!(fast.at_or_after(probe), slow.range(probe..).next().copied());
                assert_eq!(fast.before(probe), slow.range(..probe).next_back().copied());
            }
        }
    }
}
