//! Holm's correction for multiple comparisons: it bounds the probability of any false positive by the level, whatever
//! the dependence of the comparisons.

/// Returns the probabilities corrected for their number, in the same order; undefined ones do not count.
pub fn holm(probabilities: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut known: Vec<(usize, f64)> =
        probabilities.iter().enumerate().filter_map(|(index, p)| p.map(|p| (index, p))).collect();
    known.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let mut corrected = vec![None; probabilities.len()];
    let mut least: f64 = 0.0;
    for (factor, (index, p)) in (1..=known.len()).rev().zip(known) {
        #[allow(clippy::cast_precision_loss, reason = "a number of pairs of systems")]
        let raised = (p * factor as f64).min(1.0);
        // A corrected probability is at least that of every pair with a smaller one.
        least = least.max(raised);
        corrected[index] = Some(least);
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_examples() {
        let check = |given: &[Option<f64>], expected: &[Option<f64>]| {
            for (found, expected) in holm(given).into_iter().zip(expected) {
                match (found, expected) {
                    (Some(found), Some(expected)) => assert!((found - expected).abs() < 1e-12, "{given:?}"),
                    (found, expected) => assert_eq!(found, *expected),
                }
            }
        };
        check(&[], &[]);
        check(&[Some(0.03)], &[Some(0.03)]);
        check(
            &[Some(0.01), Some(0.04), Some(0.03), Some(0.005)],
            &[Some(0.03), Some(0.06), Some(0.06), Some(0.02)],
        );
        check(&[Some(0.4), None, Some(0.6)], &[Some(0.8), None, Some(0.8)]);
        check(&[Some(0.7), Some(0.9)], &[Some(1.0), Some(1.0)]);
    }
}
