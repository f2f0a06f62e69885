//! No command overwrites a file that it reads, also under another name.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use file_arguments::{PRINTING, WRITING, file_of, words};

mod file_arguments;

/// Files that are read because another file names them.
const NAMED_ELSEWHERE: [(&str, &str); 2] = [("RELABEL.toml", "MAP.txt"), ("RELABELLERS.toml", "MAP.txt")];

fn sample() -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/sample/dev.conllu")).unwrap()
}

/// The content of the file with this name.
fn content(name: &str) -> Vec<u8> {
    match name {
        "MAP.txt" => b"det determiner\n".to_vec(),
        "RELABEL.toml" => b"transform = 'relabel:MAP.txt'\n".to_vec(),
        "CONFIG.toml" => b"seed = 2\n".to_vec(),
        "FORMAT.toml" | "TO.toml" => b"name = 'mine'\ncolumns = ['form']\n".to_vec(),
        "FEATURES.toml" => b"transition = ['s0:t']\nlabel = ['s0:t']\n".to_vec(),
        "PARSERS.toml" => b"[[parser]]\nsystem = 'arc-eager'\n[[parser]]\nsystem = 'swap-lazy'\n".to_vec(),
        "RELABELLERS.toml" => {
            b"[[parser]]\nsystem = 'arc-eager'\n[[parser]]\ntransform = 'relabel:MAP.txt'\n".to_vec()
        }
        // Overwriting is checked before formats and models are read.
        name => [format!("# {name}\n").as_bytes(), &sample()].concat(),
    }
}

fn quaich(folder: &Path, arguments: &[String], stdout: Stdio) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quaich"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(stdout)
        .output()
        .unwrap()
}

#[test]
fn no_command_overwrites_its_input() {
    for line in WRITING {
        let named: Vec<&str> = line.split_whitespace().filter_map(file_of).collect();
        let elsewhere = NAMED_ELSEWHERE.iter().filter(|(by, _)| named.contains(by)).map(|&(_, file)| file);
        let files: Vec<&str> = named.iter().copied().chain(elsewhere).collect();
        assert!(!files.is_empty(), "{line}");
        for &input in &files {
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            for file in &files {
                fs::write(folder.join(file), content(file)).unwrap();
            }
            let draws = line.starts_with("draw");
            let (hard, soft) = if draws { ("hard.svg", "soft.svg") } else { ("hard", "soft") };
            fs::hard_link(folder.join(input), folder.join(hard)).unwrap();
            let mut outs = vec![hard];
            #[cfg(unix)]
            {
                std::os::unix::fs::symlink(input, folder.join(soft)).unwrap();
                outs.push(soft);
            }
            if !draws || !input.contains('.') {
                outs.push(input);
            }
            for out in outs {
                let run = quaich(folder, &words(line, out), Stdio::piped());
                let stderr = String::from_utf8(run.stderr).unwrap();
                assert_eq!(run.status.code(), Some(2), "{line}, {out} for {input}: {stderr}");
                assert!(
                    stderr.contains(out) && stderr.contains(input),
                    "{line}, {out} for {input}: {stderr}"
                );
                assert!(stderr.contains("the output would overwrite the input"), "{line}: {stderr}");
                assert!(run.stdout.is_empty());
                for file in &files {
                    assert!(fs::read(folder.join(file)).unwrap() == content(file), "{line}, {out}: {file}");
                }
            }
        }
    }
}

#[test]
fn checkpoints_do_not_overwrite_inputs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (treebank, options) in
        [("m.interrupted", &[][..]), ("m.linear.part", &["--resume"]), ("m.4711.part", &["--resume"])]
    {
        fs::write(folder.join(treebank), sample()).unwrap();
        let arguments = [&["train", treebank, "-o", "m"], options].concat();
        let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
        let run = quaich(folder, &arguments, Stdio::piped());
        assert_eq!(run.status.code(), Some(2), "{treebank}: {run:?}");
        assert_eq!(fs::read(folder.join(treebank)).unwrap(), sample());
    }
}

#[test]
fn files_of_several_classifiers_do_not_overwrite_treebanks() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["x.trans", "x.label-LA"] {
        fs::write(folder.join(name), sample()).unwrap();
        for options in [&["--decision", "branch"][..], &["--malt=-gds T.TRANS#A.DEPREL"]] {
            let arguments = [&["instances", name, "--to", "libsvm", "-o", "x"], options].concat();
            let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
            let run = quaich(folder, &arguments, Stdio::piped());
            assert_eq!(run.status.code(), Some(2), "{name}: {run:?}");
            let stderr = String::from_utf8(run.stderr).unwrap();
            assert!(
                stderr.contains(&format!("{name}: the output would overwrite the input {name}")),
                "{stderr}"
            );
        }
        assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
        assert_eq!(fs::read(folder.join(name)).unwrap(), sample());
        fs::remove_file(folder.join(name)).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn no_command_prints_into_what_it_reads() {
    for line in PRINTING {
        let files: Vec<&str> = line.split_whitespace().filter_map(file_of).collect();
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for file in &files {
            fs::write(folder.join(file), content(file)).unwrap();
        }
        for input in &files {
            let appending = File::options().append(true).open(folder.join(input)).unwrap();
            let run = quaich(folder, &words(line, ""), appending.into());
            let stderr = String::from_utf8(run.stderr).unwrap();
            assert_eq!(run.status.code(), Some(2), "{line}, {input}: {stderr}");
            let message = format!("<stdout>: the output would overwrite the input {input}");
            assert!(stderr.contains(&message), "{line}: {stderr}");
            assert!(fs::read(folder.join(input)).unwrap() == content(input), "{line}: {input}");
        }
    }
}

#[test]
fn other_files_are_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("in"), sample()).unwrap();
    fs::write(folder.join("out"), "old").unwrap();
    // The same content, and a name of a feature model, do not make a file an input.
    fs::write(folder.join("default"), sample()).unwrap();
    for line in [
        "convert in --to conllu -o out",
        "convert in --to conllu -o default",
        "instances in --features default --decision joint --to libsvm -o default",
        "transform verb-groups in -o out",
        // This prints settings, and neither reads a treebank nor writes a model.
        "train in -o in --settings",
    ] {
        let run = quaich(folder, &words(line, ""), Stdio::piped());
        assert!(run.status.success(), "{line}: {run:?}");
    }
    assert_eq!(fs::read(folder.join("in")).unwrap(), sample());
}
