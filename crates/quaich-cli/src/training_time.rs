//! How long training takes, estimated from its first steps.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Steps to measure before the first estimate; fewer if they are slow.
const MEASURED_STEPS: usize = 4;
/// The shortest time to measure.
const MIN_MEASURED: Duration = Duration::from_secs(2);
/// After this time a single step is enough.
const SLOW: Duration = Duration::from_mins(1);
/// Steps that follow the previous one faster than this come from a checkpoint.
const RESTORED: Duration = Duration::from_millis(2);
/// Shorter training needs no estimate.
const WORTH_REPORTING: Duration = Duration::from_secs(20);

/// Measures steps and estimates the total time.
pub(crate) struct TrainingTime {
    n_parsers: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Parsers of an ensemble whose steps are known.
    planned: BTreeSet<usize>,
    known_steps: usize,
    n_done: usize,
    n_measured: usize,
    start: Option<Instant>,
    last_step: Option<Instant>,
    is_estimated: bool,
}

impl TrainingTime {
    /// The time to train this number of parsers.
    pub(crate) fn new(n_parsers: usize) -> Self {
        Self { n_parsers, state: Mutex::default() }
    }

    /// Starts again, for the next part of a model.
    pub(crate) fn restart(&self) {
        *self.state() = State::default();
    }

    /// Records that training of a parser of an ensemble begins.
    pub(crate) fn add_parser(&self, number: usize) {
        self.state().planned.insert(number);
    }

    /// Records steps to do. Returns the number of all steps; an estimate as long as some parsers have not begun.
    pub(crate) fn add_work(&self, now: Instant, steps: usize) -> usize {
        let mut state = self.state();
        state.start.get_or_insert(now);
        state.known_steps += steps;
        state.total_steps(self.n_parsers)
    }

    /// Records that a step is done. Returns the estimated total time once, when enough steps are measured, unless it is short.
    pub(crate) fn add_step(&self, now: Instant) -> Option<Duration> {
        let mut state = self.state();
        let start = state.start?;
        state.n_done += 1;
        let since_last = now.saturating_duration_since(state.last_step.unwrap_or(start));
        state.last_step = Some(now);
        if since_last >= RESTORED {
            state.n_measured += 1;
        }
        let elapsed = now.saturating_duration_since(start);
        let is_enough = state.n_measured >= MEASURED_STEPS && elapsed >= MIN_MEASURED;
        if state.is_estimated || state.n_measured == 0 || !(is_enough || elapsed >= SLOW) {
            return None;
        }
        state.is_estimated = true;
        let n_left = state.total_steps(self.n_parsers).saturating_sub(state.n_done);
        #[allow(clippy::cast_precision_loss, reason = "numbers of steps")]
        let total = elapsed.mul_f64(1.0 + n_left as f64 / state.n_measured as f64);
        (total >= WORTH_REPORTING).then_some(total)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The steps of all parsers: those of an ensemble that have not begun are taken to be like the others.
    fn total_steps(&self, n_parsers: usize) -> usize {
        let n_planned = self.planned.len();
        // A part of the model that is not an ensemble announces all of its steps at once.
        (self.known_steps * n_parsers.max(n_planned)).checked_div(n_planned).unwrap_or(self.known_steps)
    }
}

/// A duration as a person would say it: `about 2 minutes`.
pub(crate) fn about(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 90.0 {
        format!("about {:.0} seconds", (seconds / 10.0).round().max(1.0) * 10.0)
    } else if seconds < 90.0 * 60.0 {
        format!("about {:.0} minutes", seconds / 60.0)
    } else {
        format!("about {:.1} hours", seconds / 3600.0)
    }
}

/// A number with thousands separators.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    /// The first estimate, and after how many steps it comes, if steps are done at these times.
    fn estimate(
        time: &TrainingTime,
        start: Instant,
        steps: impl IntoIterator<Item = f64>,
    ) -> Option<(usize, f64)> {
        (1..).zip(steps).find_map(|(number, at)| {
            let total = time.add_step(start + seconds(at))?;
            Some((number, total.as_secs_f64()))
        })
    }

    #[test]
    fn a_few_steps_are_measured() {
        let (time, start) = (TrainingTime::new(1), Instant::now());
        assert_eq!(time.add_work(start, 40), 40);
        let (number, total) = estimate(&time, start, (1..).map(f64::from)).unwrap();
        assert_eq!(number, 4);
        assert!((total - 40.0).abs() < 1e-6, "{total}");
        assert_eq!(time.add_step(start + seconds(5.0)), None);
    }

    #[test]
    fn one_slow_step_is_enough_and_short_training_is_not_reported() {
        let (time, start) = (TrainingTime::new(1), Instant::now());
        time.add_work(start, 10);
        assert_eq!(estimate(&time, start, [100.0]), Some((1, 1000.0)));
        let (time, start) = (TrainingTime::new(1), Instant::now());
        time.add_work(start, 10);
        assert_eq!(estimate(&time, start, (1..=10).map(f64::from)), None);
    }

    #[test]
    fn steps_from_a_checkpoint_are_not_measured() {
        let (time, start) = (TrainingTime::new(1), Instant::now());
        time.add_work(start, 40);
        // With the first epoch that is trained, twenty come from the checkpoint.
        let steps = std::iter::repeat_n(2.0, 21).chain([4.0, 6.0, 8.0]);
        let (number, total) = estimate(&time, start, steps).unwrap();
        assert_eq!(number, 24);
        assert!((total - 40.0).abs() < 1e-6, "{total}");
    }

    #[test]
    fn parsers_that_have_not_begun_are_like_the_others() {
        let (time, start) = (TrainingTime::new(6), Instant::now());
        (1..=3).for_each(|number| time.add_parser(number));
        assert_eq!(time.add_work(start, 20), 40);
        (4..=6).for_each(|number| time.add_parser(number));
        assert_eq!(time.add_work(start, 20), 40);
    }

    #[test]
    fn durations_and_numbers_are_readable() {
        for (number, text) in [
            (3.0, "about 10 seconds"),
            (44.0, "about 40 seconds"),
            (100.0, "about 2 minutes"),
            (3000.0, "about 50 minutes"),
            (5400.0, "about 1.5 hours"),
        ] {
            assert_eq!(about(seconds(number)), text);
        }
        assert_eq!(
            [7, 999, 1000, 204_577, 1_000_000].map(grouped).join(" "),
            "7 999 1,000 204,577 1,000,000"
        );
    }
}
