//! An allocator of blocks in an array: the buddy system (Knowlton 1965).
//!
//! A block has 2ᵏ places and starts at a multiple of 2ᵏ. The halves of a block are *buddies*: a block is split when a smaller one is
//! needed, and merged again when both halves are free.

use std::collections::BTreeSet;

/// The blocks of an array with a maximum length.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    /// Indexed by the logarithm of the size: the starts of free blocks.
    free: Vec<BTreeSet<u32>>,
    /// The end of the used part of the array.
    end: u32,
    limit: u32,
}

impl Blocks {
    pub(super) fn new(limit: u32) -> Self {
        Self { free: vec![BTreeSet::new(); 32], end: 0, limit }
    }

    /// The end of the used part of the array.
    pub(super) fn end(&self) -> usize {
        self.end as usize
    }

    /// Allocates a block of 2 to the power of `log` places; `None` if there is no space.
    pub(super) fn take(&mut self, log: u32) -> Option<u32> {
        let smallest = (log..32).find(|&log| !self.free[log as usize].is_empty());
        let Some(found) = smallest else { return self.extend(log) };
        let start = self.free[found as usize].pop_first()?;
        for half in (log..found).rev() {
            self.free[half as usize].insert(start + (1 << half));
        }
        Some(start)
    }

    /// Frees a block.
    pub(super) fn give(&mut self, mut start: u32, mut log: u32) {
        while log < 31 && self.free[log as usize].remove(&(start ^ 1 << log)) {
            start &= !(1 << log);
            log += 1;
        }
        self.free[log as usize].insert(start);
    }

    /// Allocates a block at the end.
    fn extend(&mut self, log: u32) -> Option<u32> {
        let start = self.end.checked_next_multiple_of(1 << log)?;
        let end = start.checked_add(1 << log).filter(|&end| end <= self.limit)?;
        // Skipped places become free blocks.
        let mut skipped = self.end;
        while skipped < start {
            let log = skipped.trailing_zeros();
            self.give(skipped, log);
            skipped += 1 << log;
        }
        self.end = end;
        Some(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_cut_and_joined() {
        let mut blocks = Blocks::new(16);
        assert_eq!(blocks.take(1), Some(0));
        // Places 2 and 3 are skipped and used later.
        assert_eq!(blocks.take(2), Some(4));
        assert_eq!(blocks.take(0), Some(2));
        assert_eq!(blocks.take(0), Some(3));
        assert_eq!(blocks.take(3), Some(8));
        assert_eq!((blocks.take(0), blocks.end()), (None, 16));
        for (start, log) in [(3, 0), (0, 1), (4, 2), (2, 0), (8, 3)] {
            blocks.give(start, log);
        }
        assert_eq!(blocks.take(4), Some(0));
        assert_eq!(blocks.take(0), None);
    }

    #[test]
    fn no_place_is_given_twice() {
        let mut blocks = Blocks::new(1000);
        let mut owner = vec![None; 1000];
        let mut taken = Vec::new();
        let mut state = 5u32;
        for number in 0..20_000u32 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if (state >> 16).is_multiple_of(2) && !taken.is_empty() {
                let (start, log, number) = taken.swap_remove((state >> 20) as usize % taken.len());
                let places = &mut owner[start as usize..][..1usize << log];
                assert!(places.iter().all(|&owner| owner == Some(number)));
                places.fill(None);
                blocks.give(start, log);
            } else {
                let log = (state >> 18) % 6;
                let Some(start) = blocks.take(log) else { continue };
                let places = &mut owner[start as usize..][..1usize << log];
                assert!(places.iter().all(Option::is_none));
                places.fill(Some(number));
                taken.push((start, log, number));
            }
        }
        for (start, log, _) in taken {
            blocks.give(start, log);
        }
        assert_eq!(blocks.take(9), Some(0));
    }
}
