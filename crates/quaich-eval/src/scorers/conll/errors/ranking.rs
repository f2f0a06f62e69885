//! Lists of the most frequent entries.

use std::cmp::Reverse;

use super::ErrorAt;
use crate::attachment::Attachment;

/// Counts the errors of every key, sorted by key.
pub(super) fn tally<K: Ord>(errors: &[ErrorAt], key: impl Fn(&ErrorAt) -> Option<K>) -> Vec<(K, Attachment)> {
    let mut keyed: Vec<_> =
        errors.iter().filter_map(|error| key(error).map(|key| (key, error.token_match))).collect();
    keyed.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    let mut tallied: Vec<(K, Attachment)> = Vec::new();
    for (key, token_match) in keyed {
        match tallied.last_mut() {
            Some((last, counts)) if *last == key => counts.add(token_match),
            _ => {
                let mut counts = Attachment::default();
                counts.add(token_match);
                tallied.push((key, counts));
            }
        }
    }
    tallied
}

/// Returns the `n` rows with the largest counts and all that tie with the last of them, the largest first; ties by
/// name.
pub(super) fn most_frequent<T, R, N: Ord>(
    mut rows: Vec<T>,
    n: usize,
    count: impl Fn(&T) -> u64,
    named: impl Fn(T) -> (N, R),
) -> Vec<(N, R)> {
    rows.sort_by_key(|row| Reverse(count(row)));
    if let Some(least) = rows.get(n.saturating_sub(1)).map(&count) {
        let end = rows.partition_point(|row| count(row) >= least);
        rows.truncate(end);
    }
    let mut named: Vec<_> = rows.into_iter().map(|row| (count(&row), named(row))).collect();
    named.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.0.cmp(&other.1.0)));
    named.into_iter().map(|(_, row)| row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_with_the_last_are_in_the_list() {
        let rows = [("c", 3), ("f", 1), ("b", 2), ("d", 2), ("e", 5), ("a", 1)];
        let top = |n: usize| -> String {
            most_frequent(rows.to_vec(), n, |row| row.1, |row| row).into_iter().map(|row| row.0).collect()
        };
        assert_eq!(top(1), "e");
        assert_eq!(top(3), "ecbd");
        assert_eq!(top(5), "ecbdaf");
        assert_eq!(top(9), "ecbdaf");
    }
}
