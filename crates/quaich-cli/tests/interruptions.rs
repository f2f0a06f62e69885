//! Signals at any moment: no incomplete files are left, and training saves its model.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The signals that end a program, except those that the parent process of the tests ignores (as `nohup` does): these stay
/// ignored.
fn signals() -> Vec<(&'static str, i32)> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let all = [("HUP", 1), ("INT", 2), ("TERM", 15)];
    all.into_iter().filter(|(_, number)| ignored >> (number - 1) & 1 == 0).collect()
}

fn sample(part: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/sample").join(part)
}

fn quaich(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quaich"));
    command.current_dir(folder).args(arguments.split(' ')).stdin(Stdio::null());
    command
}

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

fn signal(name: &str, child: &Child) {
    let stderr = Command::new("kill").args([format!("-{name}"), child.id().to_string()]).status().unwrap();
    assert!(stderr.success());
}

fn n_named(folder: &Path, end: &str) -> usize {
    names(folder).iter().filter(|name| name.ends_with(end)).count()
}

/// Waits for a file whose name ends like this.
fn wait_for(folder: &Path, end: &str) {
    let start = Instant::now();
    while n_named(folder, end) == 0 {
        assert!(start.elapsed() < Duration::from_mins(1), "{:?}", names(folder));
        std::thread::yield_now();
    }
}

/// A folder with a small treebank and a model trained on it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(sample("dev.conllu"), folder.path().join("t.conllu")).unwrap();
    let train =
        quaich(folder.path(), "train t.conllu -o m --learner network --set network.epochs=1 -q").status();
    assert!(train.unwrap().success());
    folder
}

#[test]
fn parse_and_convert_leave_no_parts() {
    let folder = folder();
    let before = names(folder.path());
    for command in ["convert --to conllx -o out", "parse -m m -o out", "parse -m m -o out.gz"] {
        for (name, number) in signals() {
            let mut child = quaich(folder.path(), command).stdin(Stdio::piped()).spawn().unwrap();
            // Standard input stays open: the command waits for more, with its output incomplete.
            let mut stdin = child.stdin.take().unwrap();
            stdin.write_all(&fs::read(sample("train.conllu")).unwrap()).unwrap();
            wait_for(folder.path(), ".part");
            signal(name, &child);
            let status = child.wait().unwrap();
            assert_eq!(status.signal(), Some(number), "{command}, {name}: {status:?}");
            assert_eq!(names(folder.path()), before, "{command}, {name}");
        }
    }
}

/// Prints the finished folds, without waiting for the current one.
#[test]
fn interrupted_cross_validation_prints_the_finished_folds() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(sample("train.conllu"), folder.path().join("t.conllu")).unwrap();
    let mut child = quaich(folder.path(), "crossval t.conllu --folds 50 --learner linear")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = stderr.find(|line| line.as_ref().unwrap().starts_with("fold 1 of 50")).unwrap().unwrap();
    assert!(first.contains("LAS"), "{first}");
    // A signal that is not ignored.
    signal(signals().last().unwrap().0, &child);
    let rest: Vec<String> = stderr.map(Result::unwrap).collect();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{rest:?}");
    assert!(rest.iter().any(|line| line.starts_with("interrupted: ")), "{rest:?}");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("trained on 100 %"), "{shown}");
    assert_eq!(names(folder.path()), ["t.conllu"]);
}

#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("trap '' HUP; exec {} convert --to conllu -o out", env!("CARGO_BIN_EXE_quaich"));
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&fs::read(sample("train.conllu")).unwrap()).unwrap();
    wait_for(folder.path(), ".part");
    if cfg!(target_os = "linux") {
        signal("HUP", &child);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert_eq!(fs::read(folder.path().join("out")).unwrap(), fs::read(sample("train.conllu")).unwrap());
}

/// Starts a long training run and interrupts it after its first epoch; returns its exit code and the last lines.
fn interrupt(folder: &Path, arguments: &str, name: &str) -> (Option<i32>, String) {
    interrupt_command(folder, &format!("train t.conllu --dev t.conllu {arguments}"), name)
}

fn interrupt_command(folder: &Path, command: &str, name: &str) -> (Option<i32>, String) {
    let stores = command.contains("--resume");
    interrupt_at(folder, command, name, if stores { "arc-eager" } else { "epoch 1 of" }, stores)
}

/// Interrupts a training run when it prints a line with this text, and has stored a checkpoint if asked for.
fn interrupt_at(folder: &Path, command: &str, name: &str, text: &str, stores: bool) -> (Option<i32>, String) {
    let arguments = format!("{command} --learner network --set network.epochs=1000");
    let mut child = quaich(folder, &arguments).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(stderr.any(|line| line.unwrap().contains(text)), "{command}");
    if stores {
        wait_for(folder, ".part");
    }
    signal(name, &child);
    let rest: Vec<String> = stderr.map(Result::unwrap).collect();
    (child.wait().unwrap().code(), rest.join("\n"))
}

#[test]
fn interrupted_training_saves_its_model_and_says_so() {
    let folder = folder();
    let path = folder.path();
    let complete = fs::read(path.join("m")).unwrap();
    let info = |model: &str| {
        let output = quaich(path, &format!("info {model}")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(!info("m").contains("interrupted"));
    for (name, _) in signals() {
        let new = format!("new-{name}");
        let (code, stderr) = interrupt(path, &format!("-o {new}"), name);
        assert_eq!(code, Some(130), "{stderr}");
        assert!(
            stderr.contains(&format!("interrupted: {new} contains the model trained so far")),
            "{stderr}"
        );
        assert!(info(&new).contains("interrupted"), "{}", info(&new));
        let parsed = quaich(path, &format!("parse -m {new} t.conllu")).output().unwrap();
        assert!(parsed.status.success());
    }
    // An existing model stays.
    let (code, stderr) = interrupt(path, "-o m", "TERM");
    assert_eq!(code, Some(130), "{stderr}");
    assert!(stderr.contains("interrupted: m is unchanged; m.interrupted contains"), "{stderr}");
    assert_eq!(fs::read(path.join("m")).unwrap(), complete);
    assert!(info("m.interrupted").contains("interrupted"));
    // Unless `--replace` is given.
    let (code, stderr) = interrupt(path, "-o m --replace", "TERM");
    assert_eq!(code, Some(130), "{stderr}");
    assert!(info("m").contains("interrupted"));
    assert_eq!(n_named(path, ".part"), 0, "{:?}", names(path));
}

/// Less than an epoch is no model.
#[test]
fn training_that_is_interrupted_in_its_first_epoch_writes_nothing() {
    let folder = folder();
    let path = folder.path();
    // The first epoch takes many seconds.
    fs::write(path.join("large.conllu"), fs::read_to_string(sample("train.conllu")).unwrap().repeat(200))
        .unwrap();
    let before = names(path);
    for (name, _) in signals() {
        let (code, stderr) = interrupt_at(path, "train large.conllu -o new", name, "arc-eager", false);
        assert_eq!(code, Some(130), "{stderr}");
        assert_eq!(stderr, "interrupted: less than an epoch was trained, so no model was written");
        assert_eq!(names(path), before);
    }
}

#[test]
fn resumed_training_removes_checkpoints() {
    let folder = folder();
    let path = folder.path();
    let resume = "--dev t.conllu --learner network --set network.epochs=2 --resume -q";
    assert!(quaich(path, &format!("train t.conllu -o whole {resume}")).status().unwrap().success());
    let (code, _) = interrupt(path, "-o m --resume", "TERM");
    assert_eq!(code, Some(130));
    assert!(n_named(path, ".part") > 0, "{:?}", names(path));
    // Left by a killed process: no process has this number.
    fs::write(path.join(format!("m.{}.part", u32::MAX)), "").unwrap();
    assert!(quaich(path, &format!("train t.conllu -o m {resume}")).status().unwrap().success());
    assert_eq!(names(path), ["m", "t.conllu", "whole"]);
    assert_eq!(fs::read(path.join("m")).unwrap(), fs::read(path.join("whole")).unwrap());
}

/// Interrupted ensembles and students are saved, and the same command completes them.
#[test]
fn interrupted_ensembles_and_students_can_be_resumed() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("p"), "[[parser]]\nsystem = 'arc-eager'\n[[parser]]\nsystem = 'arc-hybrid'\n")
        .unwrap();
    for command in ["train t.conllu --ensemble p", "distill m --on t.conllu"] {
        let (code, stderr) = interrupt_command(path, &format!("{command} -o new --resume"), "TERM");
        assert_eq!(code, Some(130), "{command}: {stderr}");
        assert!(stderr.contains("interrupted: new contains the model trained so far"), "{command}: {stderr}");
        let info = String::from_utf8(quaich(path, "info new").output().unwrap().stdout).unwrap();
        assert!(info.contains("interrupted") && info.contains("network"), "{command}: {info}");
        assert!(quaich(path, "parse -q -m new t.conllu").stdout(Stdio::null()).status().unwrap().success());
        let resume = format!("{command} -o new --resume --learner network --set network.epochs=1 -q");
        assert!(quaich(path, &resume).stdout(Stdio::null()).status().unwrap().success());
        assert_eq!(names(path), ["m", "new", "p", "t.conllu"], "{command}");
        fs::remove_file(path.join("new")).unwrap();
    }
}
