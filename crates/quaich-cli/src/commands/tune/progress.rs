//! What a search shows: the best so far, what is tried, the time left.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use quaich::treebank::counted;
use quaich::tuning::{Budget, Event, Facts, Step, Tuned};

use crate::{output, progress};

/// Shows the events of a search.
pub(super) struct SearchProgress {
    bar: ProgressBar,
    budget: Budget,
    jobs: usize,
    started: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    best: Option<f64>,
    n_trials: u64,
}

/// The longest description of a candidate in the bar.
const LONGEST: usize = 50;

impl SearchProgress {
    pub(super) fn new(budget: Budget, jobs: usize) -> Self {
        let bar = progress::step_bar("tuning");
        bar.set_length(match budget {
            Budget::Trials(n) => n as u64,
            Budget::Time(time) => time.as_secs().max(1),
        });
        Self { bar, budget, jobs, started: Instant::now(), state: Mutex::default() }
    }

    /// Prints what is about to be done.
    pub(super) fn start(&self, facts: &Facts) {
        let budget = match self.budget {
            Budget::Trials(n) => counted(n, "trial"),
            Budget::Time(time) => minutes(time),
        };
        output::note(&format!(
            "tuning on {} ({}), budget {budget}, {}",
            counted(facts.sentences, "sentence"),
            counted(facts.tokens, "token"),
            counted(self.jobs, "job")
        ));
    }

    /// Shows an event.
    pub(super) fn event(&self, event: &Event<'_>) {
        match event {
            Event::Phase { phase, candidates, .. } => {
                output::note(&format!("{}: {}", phase.name(), counted(*candidates, "candidate")));
            }
            Event::Trial { change, outcome, .. } => {
                let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                state.n_trials += 1;
                let best = state.best.map_or_else(String::new, |best| format!("best {best:.2}, "));
                let shown: String = change.chars().take(LONGEST).collect();
                self.bar.set_message(format!("{best}trying {shown}"));
                self.bar.set_position(match self.budget {
                    Budget::Trials(_) => state.n_trials,
                    Budget::Time(_) => self.started.elapsed().as_secs(),
                });
                if let Err(reason) = &outcome.result {
                    output::note(&format!("a trial failed ({change}): {reason}"));
                }
            }
            Event::Step(step) => {
                if step.is_accepted {
                    let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    state.best = Some(step.score);
                }
                output::note(&step_line(step));
            }
            Event::Tried(_) | Event::DryRun(_) => {}
        }
    }
}

/// A decision, in one line.
fn step_line(step: &Step) -> String {
    let phase = step.phase.name();
    let verdict = step.verdict();
    let before = step.before.map_or_else(|| "failed".to_owned(), |before| format!("{before:.2}"));
    let p = step.p.map_or_else(String::new, |p| format!(", p {p:.3}"));
    let folds = counted(step.folds, "fold");
    format!("{phase}: {verdict}: {} ({before} → {:.2} on {folds}{p})", step.change, step.score)
}

/// A time for people.
fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 120 {
        counted(usize::try_from(seconds).unwrap_or(0), "second")
    } else {
        format!("{} minutes", seconds / 60)
    }
}

/// The result, in a few lines.
pub(super) fn summary(tuned: &Tuned) -> Vec<String> {
    let log = &tuned.log;
    // Nothing is known of the time of trials on other machines.
    let time = match log.seconds {
        seconds if seconds > 0.0 => format!(" in {}", minutes(Duration::from_secs_f64(seconds))),
        _ => String::new(),
    };
    let (trials, changes) =
        (counted(log.n_trials, "trial"), counted(log.accepted().count(), "accepted change"));
    let mut lines = vec![format!("{trials}{time}: {changes}")];
    lines.extend(log.shortage_in_words());
    let runs = log.dry_runs.iter().map(|run| {
        let score = run.score.map_or_else(|| "failed".to_owned(), |score| format!("{score:.2}"));
        format!("{} {score}", run.name)
    });
    let runs: Vec<String> = runs.collect();
    if !runs.is_empty() {
        let held_out = counted(log.held_out, "held-out sentence");
        lines.push(format!("dry run, {} on {held_out}: {}", log.measure.score_name(), runs.join(", ")));
    }
    if let Some(name) = log.kept_instead {
        lines.push(format!("the result is not better on the held-out sentences: `{name}` is kept"));
    }
    lines
}
