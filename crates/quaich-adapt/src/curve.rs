//! How accuracy depends on confidence: agreement curves.

use serde::Serialize;

/// A sentence that was parsed with some confidence.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Graded {
    /// The confidence, from 0 to 1: a mean probability, or the share of arcs that two parsers agree on.
    pub(crate) confidence: f32,
    /// The number of words; of those with a gold head if they are known.
    pub(crate) tokens: usize,
    /// The number of them with the correct head and label; 0 without gold heads.
    pub(crate) right: usize,
}

/// The sentences at and above some levels of confidence.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Curve {
    /// What confidence is.
    pub confidence: &'static str,
    /// By rising confidence.
    pub points: Vec<Point>,
}

/// The sentences with at least this confidence.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Point {
    /// The confidence.
    pub min_confidence: f32,
    /// The share of target words in such sentences, in percent.
    pub target_percent: f64,
    /// The LAS of the source model on the held-out source sentences with this confidence; `None` if there are none.
    pub held_out_las: Option<f64>,
    /// The same on gold trees of the target, if they are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gold_las: Option<f64>,
}

/// The levels of a curve.
const LEVELS: [f32; 8] = [0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0];

impl Curve {
    pub(crate) fn new(
        confidence: &'static str,
        target: &[Graded],
        held_out: &[Graded],
        gold: &[Graded],
    ) -> Self {
        let point = |&min_confidence: &f32| Point {
            min_confidence,
            target_percent: percent(tokens(target, min_confidence), tokens(target, 0.0)).unwrap_or(0.0),
            held_out_las: las(held_out, min_confidence),
            gold_las: las(gold, min_confidence),
        };
        Self { confidence, points: LEVELS.iter().map(point).collect() }
    }
}

fn from(graded: &[Graded], min: f32) -> impl Iterator<Item = &Graded> {
    graded.iter().filter(move |graded| graded.confidence >= min)
}

fn tokens(graded: &[Graded], min: f32) -> usize {
    from(graded, min).map(|graded| graded.tokens).sum()
}

fn las(graded: &[Graded], min: f32) -> Option<f64> {
    percent(from(graded, min).map(|graded| graded.right).sum(), tokens(graded, min))
}

#[allow(clippy::cast_precision_loss, reason = "numbers of words")]
fn percent(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_counts_words_from_each_level_on() {
        let graded = |confidence, tokens, right| Graded { confidence, tokens, right };
        let target = [graded(1.0, 2, 0), graded(0.75, 6, 0)];
        let held_out = [graded(0.95, 4, 4), graded(0.2, 4, 1)];
        let curve = Curve::new("agreement", &target, &held_out, &[]);
        let at = |level: f32| *curve.points.iter().find(|point| point.min_confidence >= level).unwrap();
        assert_eq!((at(0.0).target_percent, at(0.0).held_out_las), (100.0, Some(62.5)));
        assert_eq!((at(0.8).target_percent, at(0.8).held_out_las), (25.0, Some(100.0)));
        assert_eq!((at(1.0).target_percent, at(1.0).held_out_las, at(1.0).gold_las), (25.0, None, None));
    }
}
