//! Longest common subsequences.

/// Returns the indices of a longest common subsequence. If there are several, the one that matches as early as
/// possible; if that is ambiguous, the one that skips more of the first sequence before the next match.
pub(super) fn longest_common_subsequence<T: PartialEq>(one: &[T], other: &[T]) -> Vec<(usize, usize)> {
    let rest = Rests::of(one, other);
    let mut matches = Vec::with_capacity(rest.longest(0, 0));
    let (mut i, mut j) = (0, 0);
    while rest.longest(i, j) > 0 {
        if one[i] == other[j] {
            matches.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if rest.longest(i + 1, j) == rest.longest(i, j) {
            i += 1;
        } else {
            j += 1;
        }
    }
    matches
}

/// The lengths of the longest common subsequences of all pairs of suffixes.
struct Rests {
    longest: Vec<u32>,
    width: usize,
}

impl Rests {
    fn of<T: PartialEq>(one: &[T], other: &[T]) -> Self {
        let width = other.len() + 1;
        let mut rests = Self { longest: vec![0; (one.len() + 1) * width], width };
        for (i, first) in one.iter().enumerate().rev() {
            for (j, second) in other.iter().enumerate().rev() {
                let here = i * width + j;
                let (below, right, diagonal) = (here + width, here + 1, here + width + 1);
                rests.longest[here] = if first == second {
                    // A common first element is in a longest subsequence.
                    rests.longest[diagonal] + 1
                } else {
                    rests.longest[below].max(rests.longest[right])
                };
            }
        }
        rests
    }

    fn longest(&self, i: usize, j: usize) -> usize {
        self.longest[i * self.width + j] as usize
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(one: &str, other: &str, expected: &[(usize, usize)]) {
        let found = longest_common_subsequence(one.as_bytes(), other.as_bytes());
        assert_eq!(found, expected, "{one} and {other}");
    }

    #[test]
    fn as_early_as_can_be() {
        check("", "a", &[]);
        check("abc", "abc", &[(0, 0), (1, 1), (2, 2)]);
        check("abc", "xbz", &[(1, 1)]);
        check("ab", "ba", &[(1, 0)]);
        check("aba", "a", &[(0, 0)]);
        check("xaby", "ybax", &[(3, 0)]);
    }

    /// Returns the longest subsequence of one that is also in the other, by brute force.
    fn slow(one: &[u8], other: &[u8]) -> usize {
        let subsequences = (0..1_u32 << one.len()).filter(|chosen| {
            let mut left = other.iter();
            (0..one.len()).filter(|at| chosen >> at & 1 == 1).all(|at| left.any(|item| *item == one[at]))
        });
        subsequences.map(u32::count_ones).max().unwrap_or(0) as usize
    }

    proptest! {
        #[test]
        fn common_increasing_and_longest(one in "[abc]{0,8}", other in "[abc]{0,8}") {
            let (one, other) = (one.as_bytes(), other.as_bytes());
            let found = longest_common_subsequence(one, other);
            prop_assert!(found.iter().all(|&(i, j)| one[i] == other[j]));
            prop_assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
            prop_assert_eq!(found.len(), slow(one, other));
        }
    }
}
