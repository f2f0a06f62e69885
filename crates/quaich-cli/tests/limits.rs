//! Little memory and many threads.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn sample(part: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/sample").join(part)
}

const QUICK: &str = "--learner network --set network.epochs=1";

/// With little memory, the program either succeeds or prints an error, and leaves no incomplete files.
#[test]
#[cfg(target_os = "linux")]
fn low_memory_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (train, dev) = (sample("train.conllu"), sample("dev.conllu"));
    let (train, dev, quaich) = (train.display(), dev.display(), env!("CARGO_BIN_EXE_quaich"));
    let sh = |script: &str| {
        let mut command = Command::new("sh");
        command
            .current_dir(folder.path())
            .args(["-c", script])
            .env("RUST_BACKTRACE", "1")
            .stdin(Stdio::null());
        command.output().unwrap()
    };
    assert!(sh(&format!("{quaich} train {train} -o m -q {QUICK}")).status.success());
    let mut n_failed = 0;
    for megabytes in (30..120).step_by(10) {
        let limit = format!("ulimit -v {megabytes}000; exec {quaich}");
        for work in [
            format!("{limit} parse -m m {dev} -o parsed --jobs 2"),
            format!("{limit} train {train} -o trained --jobs 2 {QUICK}"),
        ] {
            let output = sh(&work);
            let stderr = String::from_utf8_lossy(&output.stderr);
            if output.status.success() || stderr.contains("error while loading shared libraries") {
                continue;
            }
            n_failed += 1;
            assert_eq!(output.status.code(), Some(1), "{work}: {stderr}");
            let errors: Vec<&str> = stderr.lines().filter(|line| line.starts_with("error: ")).collect();
            assert_eq!(errors.len(), 1, "{work}: {stderr}");
            let messages = ["out of memory", "Cannot allocate memory", "could not be started"];
            assert!(messages.iter().any(|message| errors[0].contains(message)), "{work}: {stderr}");
            let left = std::fs::read_dir(folder.path()).unwrap();
            assert!(left.flatten().all(|entry| entry.path().extension().is_none_or(|end| end != "part")));
        }
    }
    assert!(n_failed > 0, "the limits are too high to show anything");
}

#[test]
fn the_number_of_threads_is_limited() {
    let folder = tempfile::tempdir().unwrap();
    let train = |jobs: &str, model: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_quaich"))
            .current_dir(folder.path())
            .arg("train")
            .arg(sample("dev.conllu"))
            .args(["-o", model, "--jobs", jobs])
            .args(QUICK.split(' '))
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, stderr) = train("100000", "many");
    assert_eq!(code, Some(0));
    assert!(stderr.contains("--jobs 100000: this machine has"), "{stderr}");
    let (code, stderr) = train("1", "one");
    assert_eq!(code, Some(0));
    assert!(!stderr.contains("--jobs"), "{stderr}");
    let bytes = |model| std::fs::read(folder.path().join(model)).unwrap();
    assert_eq!(bytes("many"), bytes("one"));
    for jobs in ["0", "-1", "many"] {
        let (code, stderr) = train(jobs, "never");
        assert_eq!(code, Some(2));
        assert!(jobs == "-1" || stderr.contains("expected an integer of at least 1"), "{stderr}");
    }
}

/// Files other than treebanks are read up to a limit, by every command.
#[test]
#[cfg(target_os = "linux")]
fn infinite_files_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let (quaich, dev) = (env!("CARGO_BIN_EXE_quaich"), sample("dev.conllu"));
    let dev = dev.display();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("zero.toml")).unwrap();
    std::fs::write(folder.path().join("config.toml"), "transform = 'relabel:/dev/zero'").unwrap();
    for arguments in [
        format!("train {dev} -o m --config /dev/zero"),
        format!("train {dev} -o m --features /dev/zero"),
        format!("train {dev} -o m --transform relabel:/dev/zero"),
        format!("train {dev} -o m --config config.toml"),
        format!("train {dev} -o m --format zero.toml"),
        format!("crossval {dev} --config /dev/zero"),
        format!("distill m --on {dev} -o s --config /dev/zero"),
        format!("blend train {dev} -o m --parsers /dev/zero"),
        format!("transform relabel:/dev/zero {dev}"),
        format!("transform coordination:c:/dev/zero {dev}"),
        format!("convert {dev} --to zero.toml"),
        format!("instances {dev} --to libsvm --decision joint --features /dev/zero"),
        format!("instances {dev} --to libsvm --malt '-F /dev/zero'"),
        "features show /dev/zero".to_owned(),
        "features check /dev/zero".to_owned(),
    ] {
        let script = format!("ulimit -v 1000000; exec timeout 60 {quaich} {arguments}");
        let output = Command::new("bash")
            .current_dir(folder.path())
            .args(["-c", &script])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments}: {stderr}");
        let message = "found more than 1048576 bytes, expected a text file of at most 1048576 bytes";
        assert!(stderr.contains(message), "{arguments}: {stderr}");
    }
}

/// A sentence with a random tree, in which nearly every arc crosses others.
fn random_tree(n_tokens: u64) -> String {
    let mut state = 1u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let mut order: Vec<u64> = (1..=n_tokens).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, usize::try_from(below(last as u64 + 1)).unwrap());
    }
    let mut heads = vec![0; order.len()];
    for (rank, token) in order.iter().enumerate().skip(1) {
        heads[usize::try_from(token - 1).unwrap()] = order[usize::try_from(below(rank as u64)).unwrap()];
    }
    let row = |(token, head): (u64, &u64)| {
        let label = if *head == 0 { "root" } else { "dep" };
        format!("{token}\tw{token}\t_\tX\t_\t_\t{head}\t{label}\t_\t_\n")
    };
    (1..).zip(&heads).map(row).collect::<String>() + "\n"
}

/// SWAP derives such a sentence in about as many transitions as pairs of tokens; training uses a part of them.
#[test]
#[cfg(target_os = "linux")]
fn training_on_long_derivations_needs_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("random.conllu"), random_tree(2000)).unwrap();
    let quaich = env!("CARGO_BIN_EXE_quaich");
    let train = format!(
        "ulimit -v 700000; exec {quaich} train random.conllu -o m --jobs 1 --set system=swap-lazy \
         --set transform=none --learner linear --set linear.folds=0 --set linear.epochs=1"
    );
    let output = Command::new("sh").current_dir(folder.path()).args(["-c", &train]).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    assert!(stderr.contains("1 of 1 sentences takes more than 100 transitions per token"), "{stderr}");
}

/// Limits processor time rather than time, so that a busy machine changes nothing. Quadratic time would be minutes in each case.
#[test]
#[cfg(target_os = "linux")]
fn long_sentences_take_linear_time() {
    const TOKENS: u64 = 200_000;
    const HALF: u64 = TOKENS / 2;
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, n_tokens: u64, head: &dyn Fn(u64) -> u64| {
        let row = |token| format!("{token}\tw\t_\tX\t_\t_\t{}\tdep\t_\t_\n", head(token));
        let text: String = (1..=n_tokens).map(row).collect();
        std::fs::write(folder.path().join(name), text + "\n").unwrap();
    };
    // Every head is out of range.
    write("problems.conllu", TOKENS, &|_| TOKENS + 1);
    // A chain with one dependent per token in the second half.
    write("comb.conllu", TOKENS, &|token| if token <= HALF { token - 1 } else { token - HALF });
    for (arguments, code) in [
        ("validate problems.conllu", 1),
        ("validate --all problems.conllu", 1),
        ("stats comb.conllu", 0),
        ("transform pseudo-projective:head comb.conllu -o transformed.conllu", 0),
    ] {
        let script = format!("ulimit -t 30; exec {} {arguments}", env!("CARGO_BIN_EXE_quaich"));
        let mut command = Command::new("bash");
        let output = command.current_dir(folder.path()).args(["-c", &script]).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        let shown: String = stderr.chars().take(500).collect();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {shown}");
    }
}
