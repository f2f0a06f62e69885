//! The inner loop of table lookups, with SSE2 instructions on x86-64 and in portable Rust elsewhere. Both give the same sums.
//!
//! This is the crate's only module with `unsafe` code.

#![allow(unsafe_code, reason = "the processor's own instructions have no safe form")]

use crate::huge_pages::Line;

/// Entries per bucket: eight tags, then eight cells for each of three weights.
pub(crate) const LANES: usize = 8;

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Sums, find};

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use portable::{Sums, find};

/// Prefetches a value into the cache.
#[inline]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the pointer comes from a reference, and a prefetch does not change memory.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// SSE2 is part of x86-64, so it needs no detection.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m128i, _mm_add_epi32, _mm_and_si128, _mm_cmpeq_epi16, _mm_madd_epi16, _mm_movemask_epi8,
        _mm_set1_epi16, _mm_setzero_si128,
    };

    use super::{LANES, Line};

    /// Sums of `N` weights.
    pub(crate) struct Sums<const N: usize>([__m128i; N]);

    impl<const N: usize> Sums<N> {
        #[inline]
        pub(crate) fn zero() -> Self {
            // SAFETY: SSE2 is part of x86-64.
            Self([unsafe { _mm_setzero_si128() }; N])
        }

        /// Adds the weights of the entry of `tags` with this tag; they are in `weights`, starting at quarter `FIRST`.
        #[inline]
        pub(crate) fn add<const FIRST: usize>(&mut self, tags: &Line, weights: &Line, tag: u16) {
            let tags: &[__m128i; 4] = bytemuck::cast_ref(tags);
            let weights: &[__m128i; 4] = bytemuck::cast_ref(weights);
            // SAFETY: SSE2 is part of x86-64.
            unsafe {
                let found = _mm_cmpeq_epi16(tags[0], _mm_set1_epi16(tag.cast_signed()));
                let ones = _mm_set1_epi16(1);
                for (i, sum) in self.0.iter_mut().enumerate() {
                    // At most one lane is not zero; adding neighbours widens 16 bits to 32.
                    let weight = _mm_madd_epi16(_mm_and_si128(found, weights[FIRST + i]), ones);
                    *sum = _mm_add_epi32(*sum, weight);
                }
            }
        }

        #[inline]
        pub(crate) fn totals(&self) -> [i32; N] {
            self.0.map(|sum| bytemuck::cast::<_, [i32; 4]>(sum).iter().sum())
        }
    }

    /// The lane of the entry with this tag.
    #[inline]
    pub(crate) fn find(tags: &Line, tag: u16) -> Option<usize> {
        let tags: &[__m128i; 4] = bytemuck::cast_ref(tags);
        // SAFETY: SSE2 is part of x86-64.
        let found = unsafe { _mm_movemask_epi8(_mm_cmpeq_epi16(tags[0], _mm_set1_epi16(tag.cast_signed()))) };
        let lane = found.trailing_zeros() as usize / 2;
        (lane < LANES).then_some(lane)
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    use super::{LANES, Line};

    /// Sums of `N` weights.
    pub(crate) struct Sums<const N: usize>([i32; N]);

    impl<const N: usize> Sums<N> {
        pub(crate) fn zero() -> Self {
            Self([0; N])
        }

        /// Adds the weights of the entry of `tags` with this tag; they are in `weights`, starting at quarter `FIRST`.
        #[inline]
        pub(crate) fn add<const FIRST: usize>(&mut self, tags: &Line, weights: &Line, tag: u16) {
            if let Some(lane) = find(tags, tag) {
                for (i, sum) in self.0.iter_mut().enumerate() {
                    *sum += i32::from(weights.0[(FIRST + i) * LANES + lane].cast_signed());
                }
            }
        }

        pub(crate) fn totals(&self) -> [i32; N] {
            self.0
        }
    }

    /// The lane of the entry with this tag.
    #[inline]
    pub(crate) fn find(tags: &Line, tag: u16) -> Option<usize> {
        tags.0[..LANES].iter().position(|&held| held == tag)
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn both_ways_give_the_same() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 48) as u16
        };
        let lines: Vec<Line> = (0..200)
            .map(|i| {
                let mut cells = [0; 32].map(|_: i32| next());
                for (lane, tag) in (0u16..).zip(&mut cells[..LANES]) {
                    *tag = i % 3 + 1 + lane * 7;
                }
                Line(cells)
            })
            .collect();
        let (mut fast, mut slow) = (x86::Sums::<3>::zero(), portable::Sums::<3>::zero());
        for line in &lines {
            for tag in 0..60 {
                assert_eq!(x86::find(line, tag), portable::find(line, tag));
                fast.add::<1>(line, line, tag);
                slow.add::<1>(line, line, tag);
            }
        }
        assert_eq!(fast.totals(), slow.totals());
    }
}
