//! Lists of what is most frequent.

use std::cmp::Reverse;

/// The `n` rows with the largest counts and all that have the same count as the last of them, the largest first; rows of equal count stay
/// in their order.
pub(super) fn most_frequent<T>(mut rows: Vec<T>, n: usize, count: impl Fn(&T) -> u64) -> Vec<T> {
    rows.sort_by_key(|row| Reverse(count(row)));
    if let Some(least) = rows.get(n.saturating_sub(1)).map(&count) {
        let end = rows.partition_point(|row| count(row) >= least);
        rows.truncate(end);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_with_the_last_are_in_the_list() {
        let top = |n: usize| most_frequent(vec![3, 1, 2, 2, 5, 1], n, |&count| count);
        assert_eq!(top(1), [5]);
        assert_eq!(top(3), [5, 3, 2, 2]);
        assert_eq!(top(5), [5, 3, 2, 2, 1, 1]);
        assert_eq!(top(9), [5, 3, 2, 2, 1, 1]);
        assert_eq!(most_frequent(Vec::new(), 3, |&count: &u64| count), [0; 0]);
    }
}
