//! Tests of whole searches, on the sample treebank.

use std::sync::atomic::{AtomicUsize, Ordering};

use quaich_parser::{Settings, TrainingConfig};
use quaich_treebank::Treebank;

use crate::{Budget, Data, Event, Journal, Measure, Options, Outcome, Phase, Shortage, Tuned, Tuner, report};

/// A few sentences, with which a trial takes a moment.
const SAMPLE: &str = include_str!("../../../data/sample/dev.conllu");
/// Enough sentences to see differences.
const LARGER: &str = include_str!("../../../data/sample/train.conllu");

/// The sample treebank.
pub(crate) fn sample() -> Data {
    Data::new(Treebank::from_text(SAMPLE).unwrap().to_vec()).unwrap()
}

/// A linear model without exploration is trained on the sample in a moment.
fn start(assignments: &[&str]) -> TrainingConfig {
    let given = ["learner=linear", "linear.folds=0", "linear.epochs=2"];
    let with = |settings: Settings, assignment: &&str| settings.with(assignment).unwrap();
    let settings = given.iter().chain(assignments).fold(Settings::default(), with);
    TrainingConfig { settings, features: None }
}

fn options(trials: usize) -> Options {
    Options { measure: Measure::Las, budget: Budget::Trials(trials), seed: 1 }
}

/// What a search decided, without its times.
fn decisions(tuned: &Tuned) -> (String, Vec<String>, Vec<String>) {
    let steps = tuned.log.steps.iter().map(|step| format!("{:?} {} {:?}", step.phase, step.change, step.p));
    let tried = tuned.log.tried.iter().map(|tried| format!("{} {:?}", tried.change, tried.score));
    (tuned.config().unwrap(), steps.collect(), tried.collect())
}

#[test]
fn the_choice_does_not_depend_on_the_number_of_jobs() {
    let (data, start) = (sample(), start(&[]));
    let with = |jobs| {
        let tuner = Tuner::new(&data, &start, options(40)).unwrap().jobs(jobs);
        decisions(&tuner.run(&mut Journal::in_memory()).unwrap())
    };
    let one = with(1);
    assert!(one.1.len() >= 4, "{:?}", one.1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(3));
}

/// Trials that run on other machines, in rounds, give the same result, and so does a search that was interrupted.
#[test]
fn resumed_and_distributed_searches_find_the_same() {
    let (data, start) = (sample(), start(&[]));
    let tuner = Tuner::new(&data, &start, options(30)).unwrap();
    let whole = tuner.run(&mut Journal::in_memory()).unwrap();
    assert!(!whole.is_interrupted);

    let folder = std::env::temp_dir().join(format!("quaich-tune-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("trials.jsonl");
    let n_done = AtomicUsize::new(0);
    let count = |event: &Event<'_>| {
        if matches!(event, Event::Trial { .. }) {
            n_done.fetch_add(1, Ordering::Relaxed);
        }
    };
    for (resumes, n) in [(false, 5), (true, 7), (true, 100)] {
        n_done.store(0, Ordering::Relaxed);
        let stop = || n_done.load(Ordering::Relaxed) >= n;
        let tuner = Tuner::new(&data, &start, options(30)).unwrap().jobs(2).stop_if(&stop).report(&count);
        let mut journal = tuner.journal(&path, resumes).unwrap();
        let part = tuner.run(&mut journal).unwrap();
        assert_eq!(part.is_interrupted, n < 100);
        if n == 100 {
            assert_eq!(decisions(&part), decisions(&whole));
            assert!(n_done.load(Ordering::Relaxed) <= 20, "trials are not run twice");
        }
        // A killed run leaves an incomplete line.
        let mut text = std::fs::read_to_string(&path).unwrap();
        text += "{\"key\":\"0";
        std::fs::write(&path, text).unwrap();
    }
    let other = Tuner::new(&data, &start, Options { seed: 2, ..options(30) }).unwrap();
    assert!(
        other.journal(&path, true).unwrap_err().to_string().contains("another treebank or other options")
    );
    std::fs::remove_dir_all(&folder).unwrap();

    let mut outcomes: Vec<Outcome> = Vec::new();
    for _ in 0..100 {
        let planned = tuner.plan(&Journal::of(outcomes.clone())).unwrap();
        if planned.is_empty() {
            break;
        }
        outcomes.extend(planned.iter().map(|trial| {
            // As written to a file and read again.
            let trial = serde_json::from_str(&serde_json::to_string(trial).unwrap()).unwrap();
            tuner.run_trial(&trial).unwrap()
        }));
    }
    assert_eq!(decisions(&tuner.collect(&Journal::of(outcomes))), decisions(&whole));
}

#[test]
fn a_bad_start_is_left_behind() {
    let data = Data::new(Treebank::from_text(LARGER).unwrap().to_vec()).unwrap();
    let bad = start(&[
        "linear.c=1e-8",
        "linear.label-c=1e-8",
        "linear.epochs=1",
        "linear.min-count=500",
        "decision=joint",
    ]);
    let tuned = Tuner::new(&data, &bad, options(40)).unwrap().run(&mut Journal::in_memory()).unwrap();
    let score = |name| tuned.log.dry_run(name).unwrap().score.unwrap();
    assert!(score("start") + 5.0 < score("default"), "{:?}", tuned.log.dry_runs);
    let kept = tuned.log.kept_instead.unwrap_or("tuned");
    assert!(score(kept) >= score("default"), "{:?}", tuned.log.dry_runs);
    assert!(tuned.log.steps[0].is_accepted && tuned.log.steps[0].phase == Phase::Start);

    let report = report::markdown(&tuned.log, &["sample".to_owned()]);
    assert!(report.contains("| start | ") && report.contains("accepted"), "{report}");
    let html = report::html(&tuned.log, &["<sample>".to_owned()]);
    assert!(html.contains("&lt;sample&gt;") && html.matches("<svg").count() == 3, "{html}");
    assert!(!html.contains("NaN"));
}

/// A candidate that cannot be trained is recorded, and the others are compared.
#[test]
fn a_failing_trial_does_not_end_the_search() {
    let data = sample();
    // The start itself fails: a feature model for a column that the treebank does not have.
    let model = quaich_features::FeatureModel::parse("transition = ['s0:ABSENT']\nlabel = ['d:p']").unwrap();
    let bad = TrainingConfig { features: Some(model), ..start(&[]) };
    let tuned = Tuner::new(&data, &bad, options(60)).unwrap().run(&mut Journal::in_memory()).unwrap();
    let failed = tuned.log.tried.iter().filter(|tried| tried.error.is_some()).count();
    assert!(failed >= 1, "{:?}", tuned.log.tried);
    let first = tuned.log.accepted().next().map(|step| step.phase);
    assert_eq!(first, Some(Phase::Features), "{:?}", tuned.log.steps);
    assert!(tuned.log.dry_run("start").unwrap().score.is_none());
    assert!(tuned.log.dry_run("default").unwrap().score.is_some());
}

/// The settings that only encoders have are searched, in trials that leave out nothing that they are about.
#[test]
fn encoders_are_searched() {
    // The effort keeps the default small, with which the result is compared.
    let given = [
        "encoder.effort=0.01",
        "encoder.units=8",
        "encoder.hidden=8",
        "encoder.layers=1",
        "encoder.epochs=4",
    ];
    let with = |settings: Settings, assignment: &&str| settings.with(assignment).unwrap();
    let start = TrainingConfig { settings: given.iter().fold(Settings::default(), with), features: None };
    let data = sample();
    let tuned = Tuner::new(&data, &start, options(60)).unwrap().run(&mut Journal::in_memory()).unwrap();
    let tried = |phase: Phase, change: &str| {
        let mut all = tuned.log.tried.iter().filter(|tried| tried.phase == phase);
        all.find(|tried| tried.change.starts_with(change))
            .unwrap_or_else(|| panic!("{change}: {:?}", tuned.log.tried))
    };
    assert!(tried(Phase::Sizes, "encoder.networks = 2").fidelity.all_networks);
    assert_eq!(
        tried(Phase::Inputs, "encoder.inputs = forms,upos,xpos").fidelity.to_string(),
        "one network, 30 % of the epochs"
    );
    for name in ["encoder.epochs", "encoder.dropout", "encoder.learning-rate = 0.004"] {
        assert_eq!(tried(Phase::Learner, name).fidelity.to_string(), "one network");
    }
    assert!(tuned.log.tried.iter().all(|tried| tried.error.is_none()), "{:?}", tuned.log.tried);
    let report = report::markdown(&tuned.log, &["sample".to_owned()]);
    assert!(report.contains("one network, 30 % of the epochs"), "{report}");
}

/// A budget that is too small is said to be too small, and what is said to be enough is.
#[test]
fn small_budgets_are_explained() {
    let (data, start) = (sample(), start(&[]));
    let with = |budget| {
        let tuner = Tuner::new(&data, &start, Options { budget, ..options(0) }).unwrap();
        tuner.run(&mut Journal::in_memory()).unwrap()
    };
    let tuned = with(Budget::Trials(5));
    let Some(Shortage::Trials(enough)) = tuned.log.shortage else { panic!("{:?}", tuned.log.shortage) };
    assert!(tuned.log.steps.is_empty());
    let report = report::markdown(&tuned.log, &["sample".to_owned()]);
    assert!(
        report.contains("Nothing could be compared within the budget") && report.contains("needs 9 trials."),
        "{report}"
    );
    assert!(with(Budget::Trials(enough - 1)).log.shortage.is_some());
    let tuned = with(Budget::Trials(enough));
    assert!(tuned.log.shortage.is_none() && !tuned.log.steps.is_empty(), "{:?}", tuned.log);
    let tuned = with(Budget::Time(std::time::Duration::from_nanos(1)));
    assert_eq!(tuned.log.shortage, Some(Shortage::Unknown));
}

#[test]
fn measures_need_what_they_count() {
    let text = SAMPLE.lines().map(|line| {
        let mut cells: Vec<&str> = line.split('\t').collect();
        if cells.len() == 10 {
            cells[7] = "Atr";
        }
        cells.join("\t") + "\n"
    });
    let text: String = text.collect();
    let data = Data::new(Treebank::from_text(&text).unwrap().to_vec()).unwrap();
    for measure in [Measure::Clas, Measure::Mlas] {
        let error = Tuner::new(&data, &start(&[]), Options { measure, ..options(5) }).unwrap_err();
        assert!(error.is_usage() && error.to_string().contains("no relation of function words"), "{error}");
    }
    let data = sample();
    for measure in [Measure::Uas, Measure::Mlas, Measure::SpeedAtLas] {
        let tuner = Tuner::new(&data, &start(&[]), Options { measure, ..options(12) }).unwrap();
        let tuned = tuner.run(&mut Journal::in_memory()).unwrap();
        assert!(tuned.log.dry_run("default").unwrap().score.unwrap() > 30.0);
    }
}
