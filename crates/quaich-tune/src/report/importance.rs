//! The importance of settings: how much the mean gain of trials over the best so far differs between the values of a setting.

use std::collections::{BTreeMap, BTreeSet};

use crate::log::{Log, Tried};

/// A setting and what it changes.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Importance {
    pub(super) name: String,
    /// The difference between the highest and the lowest mean gain, in points.
    pub(super) range: f64,
    /// The value with the highest mean gain.
    pub(super) best: String,
    /// The number of values, or of ranges of numbers.
    pub(super) values: usize,
    /// The number of trials.
    pub(super) trials: usize,
}

/// More values than this are put into as many ranges.
const RANGES: usize = 3;

/// The settings that were varied, most important first. Trials in the first round are compared, because all candidates
/// were there.
pub(super) fn importance(log: &Log) -> Vec<Importance> {
    let first = log.tried.iter().map(|tried| tried.folds).min().unwrap_or(0);
    let tried: Vec<&Tried> =
        log.tried.iter().filter(|tried| tried.folds == first && tried.score.is_some()).collect();
    let names: BTreeSet<&String> = tried.iter().flat_map(|tried| tried.candidate.settings.keys()).collect();
    let mut found: Vec<Importance> = names.into_iter().filter_map(|name| of_setting(name, &tried)).collect();
    found.sort_by(|a, b| b.range.total_cmp(&a.range).then_with(|| a.name.cmp(&b.name)));
    found
}

fn of_setting(name: &str, tried: &[&Tried]) -> Option<Importance> {
    let value = |tried: &Tried| tried.candidate.get(name).unwrap_or("default").to_owned();
    let distinct: BTreeSet<String> = tried.iter().map(|tried| value(tried)).collect();
    let mut numbers: Vec<f64> = tried.iter().filter_map(|tried| value(tried).parse().ok()).collect();
    numbers.sort_by(f64::total_cmp);
    let is_numeric = distinct.len() > RANGES && numbers.len() > RANGES;
    let group = |tried: &Tried| {
        let value = value(tried);
        let number: Option<f64> = value.parse().ok().filter(|_| is_numeric);
        let Some(number) = number else { return value };
        let third = |n: usize| numbers[(n * numbers.len() / RANGES).min(numbers.len() - 1)];
        let range = (1..RANGES).filter(|&n| number >= third(n)).count();
        let end = if range + 1 == RANGES { numbers[numbers.len() - 1] } else { third(range + 1) };
        format!("{} to {end}", third(range))
    };
    let mut scores: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for tried in tried {
        scores.entry(group(tried)).or_default().extend(tried.score.map(|score| score - tried.base));
    }
    #[allow(clippy::cast_precision_loss, reason = "a number of trials")]
    let means: BTreeMap<&String, f64> =
        scores.iter().map(|(value, of)| (value, of.iter().sum::<f64>() / of.len() as f64)).collect();
    if means.len() < 2 {
        return None;
    }
    let (best, high) = means.iter().max_by(|a, b| a.1.total_cmp(b.1))?;
    let low = means.values().copied().fold(f64::INFINITY, f64::min);
    let trials = scores.values().map(Vec::len).sum();
    Some(Importance {
        name: name.to_owned(),
        range: high - low,
        best: (*best).clone(),
        values: means.len(),
        trials,
    })
}
