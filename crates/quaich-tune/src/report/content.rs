//! The content of the report.

use super::importance::importance;
use super::plots::{Point, front, scatter, steps};
use super::{Document, Section, Table};
use quaich_treebank::counted;

use crate::log::{BudgetRecord, DryRun, Log, Step, Tried};
use crate::measure::Measure;

pub(super) fn document(log: &Log, treebanks: &[String]) -> Document {
    let sections = vec![
        result(log),
        Section {
            title: "Configuration".to_owned(),
            paragraphs: vec!["For `quaich train --config`.".to_owned()],
            listing: Some(log.best.to_toml().unwrap_or_default()),
            ..Section::default()
        },
        treebank(log),
        path(log),
        important(log),
        pareto(log),
        all(log),
    ];
    Document { title: format!("Tuning on {}", treebanks.join(", ")), sections }
}

/// A message as a sentence.
fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(char::to_uppercase).into_iter().flatten();
    first.chain(characters).chain(['.']).collect()
}

/// A time for people.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time of less than a few years")]
fn time(seconds: f64) -> String {
    let (number, unit) = if seconds < 120.0 { (seconds, "second") } else { (seconds / 60.0, "minute") };
    counted(number.round() as usize, unit)
}

fn points(value: f64) -> String {
    format!("{value:+.2}")
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| "failed".to_owned(), |value| format!("{value:.2}"))
}

fn p(value: f64) -> String {
    if value < 0.001 { "< 0.001".to_owned() } else { format!("{value:.3}") }
}

fn result(log: &Log) -> Section {
    let budget = match log.budget {
        BudgetRecord::Trials(n) => counted(n, "trial"),
        BudgetRecord::Seconds(seconds) => time(seconds),
    };
    let n_accepted = log.accepted().count();
    let took = if log.seconds > 0.0 { format!(" in {}", time(log.seconds)) } else { String::new() };
    let mut paragraphs = vec![format!(
        "{}{took}, of a budget of {budget}; {n_accepted} of {} accepted; measure {}, seed {}.",
        counted(log.n_trials, "trial"),
        counted(log.steps.len(), "step"),
        log.measure,
        log.seed
    )];
    if log.shortage.is_some() {
        paragraphs.push(sentence(&log.shortage_in_words().join("; ")));
    }
    let verdict = match (log.kept_instead, log.dry_run("tuned")) {
        (Some(name), _) => {
            format!(
                "On the held-out sentences, the result of the search is not better than `{name}`, which is kept."
            )
        }
        (None, _) if n_accepted == 0 => {
            "No change was accepted: the configuration is that of the start.".to_owned()
        }
        (None, Some(_)) => "The result of the search is kept.".to_owned(),
        (None, None) => {
            "There was no dry run of the result: it is not known how it does on held-out sentences."
                .to_owned()
        }
    };
    paragraphs.push(verdict);
    paragraphs.push(format!(
        "Dry run: trained on nine tenths of the treebank{}, scored on the {} held-out sentences, which no other trial has seen.",
        if log.dry_fidelity.epochs < 1.0 {
            format!(" for {:.0} % of the epochs", 100.0 * log.dry_fidelity.epochs)
        } else {
            String::new()
        },
        log.held_out
    ));
    let row = |run: &DryRun| {
        let difference = run.difference.map_or_else(String::new, |difference| {
            let (low, high) = difference.interval;
            format!(
                "{} [{}, {}], p {}",
                points(difference.points),
                points(low),
                points(high),
                p(difference.p)
            )
        });
        vec![
            run.name.to_owned(),
            percent(run.score),
            difference,
            format!("{:.1}", run.training),
            format!("{:.0}", run.speed),
        ]
    };
    Section {
        title: "Result".to_owned(),
        paragraphs,
        table: Some(Table {
            head: vec![
                "dry run",
                log.measure.score_name(),
                "tuned compared with it",
                "training (s)",
                "words/s",
            ],
            rows: log.dry_runs.iter().map(row).collect(),
        }),
        ..Section::default()
    }
}

fn treebank(log: &Log) -> Section {
    let facts = &log.facts;
    let rows = vec![
        vec![
            "sentences that are tuned on".to_owned(),
            facts.sentences.to_string(),
            if log.folds == 1 { "a fixed split".to_owned() } else { format!("{} folds", log.folds) },
        ],
        vec!["tokens".to_owned(), facts.tokens.to_string(), String::new()],
        vec![
            "sentences with a single root".to_owned(),
            format!("{:.1} %", facts.single_rooted),
            "whether `single-root` is tried".to_owned(),
        ],
        vec![
            "labels of roots".to_owned(),
            facts.root_labels.to_string(),
            "which position of node 0 is tried first".to_owned(),
        ],
        vec![
            "non-projective sentences".to_owned(),
            format!("{:.1} %", facts.nonprojective),
            "which systems and transformations are tried".to_owned(),
        ],
        vec![
            "arcs to the token before, to the token after".to_owned(),
            format!("{:.1} %, {:.1} %", facts.left_neighbours, facts.right_neighbours),
            "which buffer transitions are tried".to_owned(),
        ],
    ];
    Section {
        title: "The treebank".to_owned(),
        table: Some(Table { head: vec!["property", "value", "decides"], rows }),
        ..Section::default()
    }
}

fn path(log: &Log) -> Section {
    let row = |(number, step): (usize, &Step)| {
        let difference = step.difference.map_or_else(String::new, |difference| {
            let (low, high) = difference.interval;
            format!("{} [{}, {}]", points(difference.points), points(low), points(high))
        });
        vec![
            (number + 1).to_string(),
            step.phase.name().to_owned(),
            step.change.clone(),
            percent(step.before),
            percent(Some(step.score)),
            difference,
            step.p.map(p).unwrap_or_default(),
            step.folds.to_string(),
            step.tried.to_string(),
            step.verdict().to_owned(),
        ]
    };
    let accepted: Vec<(String, f64, (f64, f64))> = log
        .accepted()
        .filter_map(|step| {
            let difference = step.difference?;
            Some((step.change.clone(), difference.points, difference.interval))
        })
        .collect();
    let rule = match log.measure {
        Measure::SpeedAtLas => {
            "A change is accepted if it makes parsing at least 5 % faster, and LAS is at most 0.3 points below that of the start and not \
             significantly lower."
        }
        _ => {
            "A change is accepted if it is better on the same sentences and the probability p of the difference by chance (randomised \
             comparator, corrected for the number of candidates in the last round) is at most 0.05. Intervals have 95 % of the differences \
             (bootstrap). A rejected change without p was dropped in an earlier round."
        }
    };
    Section {
        title: "Path".to_owned(),
        paragraphs: vec![rule.to_owned()],
        drawings: vec![steps(&accepted, "gain")],
        table: Some(Table {
            head: vec![
                "",
                "phase",
                "best change",
                "before",
                "after",
                "difference",
                "p",
                "folds",
                "tried",
                "",
            ],
            rows: log.steps.iter().enumerate().map(row).collect(),
        }),
        ..Section::default()
    }
}

fn important(log: &Log) -> Section {
    let rows = importance(log).into_iter().map(|setting| {
        vec![
            setting.name,
            format!("{:.2}", setting.range),
            setting.best,
            setting.values.to_string(),
            setting.trials.to_string(),
        ]
    });
    Section {
        title: "Importance of settings".to_owned(),
        paragraphs: vec![
            "How much the mean gain differs between the values of a setting, from the lowest to the highest, over all candidates in the \
             first round. Numbers with many values are compared in three ranges."
                .to_owned(),
        ],
        table: Some(Table { head: vec!["setting", "range", "best", "values", "candidates"], rows: rows.collect() }),
        ..Section::default()
    }
}

/// Candidates in the first round that were trained like the start, and scored on the same sentences.
fn comparable(log: &Log) -> Vec<(&Tried, f64)> {
    let first = log.tried.first().map(|first| (first.folds, first.fidelity));
    log.tried
        .iter()
        .filter(|tried| Some((tried.folds, tried.fidelity)) == first)
        .filter_map(|tried| Some((tried, tried.score?)))
        .collect()
}

fn pareto(log: &Log) -> Section {
    let candidates = comparable(log);
    let by = |cost: fn(&Tried) -> f64| {
        let costs: Vec<(f64, f64)> = candidates.iter().map(|(tried, score)| (cost(tried), *score)).collect();
        front(&costs)
    };
    // Parsing time is the inverse of speed.
    let (by_training, by_speed) = (by(|tried| tried.training), by(|tried| -tried.speed));
    let plot = |is_on_front: &[bool], x: fn(&Tried) -> f64, label: &str| {
        let points: Vec<Point> = candidates
            .iter()
            .zip(is_on_front)
            .map(|((tried, score), &is_on_front)| {
                let text = format!("{}: {score:.2}", tried.change);
                Point { x: x(tried), y: *score, text, is_on_front }
            })
            .collect();
        scatter(&points, (label, log.measure.score_name()))
    };
    let drawings = vec![
        plot(&by_training, |tried| tried.training, "training time in seconds"),
        plot(&by_speed, |tried| 1e6 / tried.speed.max(1e-9), "parsing time in microseconds per word"),
    ];
    let rows = candidates.iter().enumerate().filter(|(index, _)| by_training[*index] || by_speed[*index]);
    let rows = rows.map(|(index, (tried, score))| {
        let fronts = [(by_training[index], "training"), (by_speed[index], "parsing")];
        let fronts: Vec<&str> = fronts.iter().filter(|(is_on, _)| *is_on).map(|(_, name)| *name).collect();
        vec![
            tried.change.clone(),
            format!("{score:.2}"),
            format!("{:.2}", tried.training),
            format!("{:.0}", tried.speed),
            fronts.join(", "),
        ]
    });
    Section {
        title: "Accuracy and time".to_owned(),
        paragraphs: vec![
            "Candidates in the first round that no other beats in both score and time: the Pareto front. Times are those of trials, \
             several of which may share the machine."
                .to_owned(),
        ],
        drawings,
        table: Some(Table {
            head: vec!["candidate", log.measure.score_name(), "training (s)", "words/s", "on the front of"],
            rows: rows.collect(),
        }),
        ..Section::default()
    }
}

fn all(log: &Log) -> Section {
    let row = |(number, tried): (usize, &Tried)| {
        vec![
            (number + 1).to_string(),
            tried.phase.name().to_owned(),
            tried.change.clone(),
            tried.folds.to_string(),
            tried.fidelity.to_string(),
            percent(tried.score),
            tried.gain.map(points).unwrap_or_default(),
            format!("{:.2}", tried.training),
            format!("{:.0}", tried.speed),
            tried.error.clone().unwrap_or_default(),
        ]
    };
    Section {
        title: "All candidates".to_owned(),
        paragraphs: vec![
            "One row per candidate and round of successive halving. The gain is that over the best so far on the same sentences, trained \
             in the same way."
                .to_owned(),
        ],
        table: Some(Table {
            head: vec![
                "",
                "phase",
                "change",
                "folds",
                "trained",
                log.measure.score_name(),
                "gain",
                "training (s)",
                "words/s",
                "error",
            ],
            rows: log.tried.iter().enumerate().map(row).collect(),
        }),
        ..Section::default()
    }
}
