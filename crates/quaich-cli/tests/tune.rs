//! `quaich tune` as users and schedulers run it: interrupted, on several machines, with trials that crash.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use quaich_testkit::skipped;

/// A small treebank and a learner that is trained on it in a moment.
const SEARCH: &str = "t.conllu --learner linear --set linear.folds=0 --set linear.epochs=2";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/sample/dev.conllu");
    fs::copy(sample, folder.path().join("t.conllu")).unwrap();
    folder
}

fn quaich(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quaich"));
    command.current_dir(folder).args(arguments.split_whitespace()).stdin(Stdio::null());
    command
}

/// Runs a command that must succeed; returns what it prints.
fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The decisions in the record of a search: its lines without times.
fn decisions(record: &str) -> Vec<&str> {
    let keys =
        ["\"change\"", "\"score\"", "\"p\"", "\"tried\"", "\"is_accepted\"", "\"config\"", "\"n_trials\""];
    record.lines().map(str::trim).filter(|line| keys.iter().any(|key| line.starts_with(key))).collect()
}

#[test]
fn any_number_of_jobs_and_any_interruption_give_the_same() {
    let folder = folder();
    let folder = folder.path();
    let whole = printed(&mut quaich(folder, &format!("tune {SEARCH} --trials 30 --jobs 1 --json -q")));
    assert!(decisions(&whole).len() > 30, "{whole}");
    let two = printed(&mut quaich(folder, &format!("tune {SEARCH} --trials 30 --jobs 2 --json -q")));
    assert_eq!(decisions(&two), decisions(&whole));

    let search = format!("tune {SEARCH} --trials 30 --jobs 2 --json -q -o c.toml --resume");
    let n_finished = || {
        let trials = fs::read_to_string(folder.join("c.toml.trials")).unwrap_or_default();
        trials.lines().count().saturating_sub(1)
    };
    for n in [3, 9] {
        let mut child = quaich(folder, &search).stdout(Stdio::piped()).spawn().unwrap();
        let start = Instant::now();
        while n_finished() < n {
            assert!(start.elapsed() < Duration::from_mins(2));
            std::thread::yield_now();
        }
        // TERM is not ignored under `nohup`, and does not reach the processes of the trials.
        let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(folder.join("c.toml").is_file());
    }
    let n_before = n_finished();
    let resumed = printed(&mut quaich(folder, &search));
    assert!((9..30).contains(&n_before), "{n_before}");
    assert_eq!(decisions(&resumed), decisions(&whole));
    // The configuration can be trained.
    printed(&mut quaich(folder, "train t.conllu --config c.toml -o m -q"));
    let other = quaich(folder, &format!("{search} --seed 2")).output().unwrap();
    assert!(
        String::from_utf8_lossy(&other.stderr).contains("another treebank or other options"),
        "{other:?}"
    );
}

/// Plans, runs all trials with a command that reads their names, and collects.
fn distributed(folder: &Path, scheduler: &[&str]) -> String {
    let mut list = printed(&mut quaich(folder, &format!("tune plan {SEARCH} --trials 12 --dir trials")));
    let mut rounds = 0;
    while !list.is_empty() {
        fs::write(folder.join("list.txt"), &list).unwrap();
        let mut command = Command::new(scheduler[0]);
        command.args(&scheduler[1..]).args([env!("CARGO_BIN_EXE_quaich"), "tune", "run", "--jobs", "1"]);
        command.current_dir(folder).stdin(fs::File::open(folder.join("list.txt")).unwrap());
        printed(&mut command);
        list = printed(&mut quaich(folder, "tune plan --dir trials --trials 12"));
        rounds += 1;
    }
    assert!(rounds > 2, "{rounds}");
    printed(&mut quaich(folder, "tune collect trials -o c.toml --report r.md --report r.html -q"));
    let (markdown, html) = (folder.join("r.md"), folder.join("r.html"));
    assert!(fs::read_to_string(markdown).unwrap().starts_with("# Tuning on t.conllu\n"));
    assert!(fs::read_to_string(html).unwrap().contains("<svg"));
    fs::read_to_string(folder.join("c.toml")).unwrap()
}

#[test]
fn trials_on_other_machines_give_the_same() {
    let folder = folder();
    let folder = folder.path();
    let whole = printed(&mut quaich(folder, &format!("tune {SEARCH} --trials 12 -q")));
    assert_eq!(distributed(folder, &["xargs", "-n", "1", "-P", "2"]), whole);
    let error = quaich(folder, "tune plan t.conllu --dir trials").output().unwrap();
    assert!(String::from_utf8_lossy(&error.stderr).contains("found another search"), "{error:?}");
    if Command::new("parallel").arg("--version").output().is_ok_and(|output| output.status.success()) {
        fs::remove_dir_all(folder.join("trials")).unwrap();
        assert_eq!(distributed(folder, &["parallel", "--will-cite", "-j", "2"]), whole);
    } else {
        skipped("GNU parallel is not installed");
    }
}

/// A process that is killed takes no other trial down.
#[test]
fn a_crash_is_recorded_and_the_search_goes_on() {
    let folder = folder();
    let folder = folder.path();
    // Long enough that a process is not killed after its work is done.
    let search = "tune t.conllu --learner network --set network.epochs=100 --trials 5 --jobs 1 -o c.toml";
    let child = quaich(folder, search).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < Duration::from_mins(1));
        let script = format!("pid=$(pgrep -P {} | head -n 1) && kill -KILL $pid", child.id());
        match Command::new("sh").args(["-c", &script]).output() {
            Ok(output) if output.status.success() => break,
            _ => std::thread::yield_now(),
        }
    }
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    assert!(
        stderr.contains("a trial failed (") && stderr.contains("the process ended with signal: 9"),
        "{stderr}"
    );
    assert!(folder.join("c.toml").is_file());
}
