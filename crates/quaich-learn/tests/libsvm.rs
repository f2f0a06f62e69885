//! Agreement of `svm` with LIBSVM: the same data and parameters give the same answers as those recorded, and as those of `svm-train` and
//! `svm-predict` if they are installed.

mod recorded;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use quaich_learn::{Assignments, Instances, Positions, Right, Scratch, learn, learner};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

use crate::recorded::Answers;

const N_CLASSES: u32 = 8;
const N_POSITIONS: u32 = 15;

/// A directory that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("quaich-libsvm-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("temporary folders can be made");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // It does no harm if it remains.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Rows similar to a parser's: one value per position, few frequent and many rare; the class depends on conjunctions of values, and
/// occasionally on nothing.
fn parser_shaped(n: usize) -> Vec<(u32, Vec<u32>)> {
    let mut random = Pcg32::seed_from_u64(2005);
    // Later positions have more values: tags, labels, then words.
    let n_values = |position: u32| 8 + position * position * 4;
    let offset = |position: u32| (0..position).map(n_values).sum::<u32>();
    let mut instance = || {
        let values: Vec<u32> = (0..N_POSITIONS)
            .map(|position| {
                // Zipf's law: the value of rank r has a share of about 1/r.
                let uniform: f64 = random.random();
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
                let rank = f64::from(n_values(position)).powf(uniform) as u32 - 1;
                rank.min(n_values(position) - 1)
            })
            .collect();
        let mut class = (values[0] + values[1] * values[2] + values[3] % 3) % N_CLASSES;
        if random.random_range(0..12) == 0 {
            class = random.random_range(0..N_CLASSES);
        }
        let row = (0..N_POSITIONS).zip(&values).map(|(position, value)| offset(position) + value).collect();
        (class, row)
    };
    (0..n).map(|_| instance()).collect()
}

fn write(path: &Path, rows: &[(u32, Vec<u32>)]) {
    let mut text = String::new();
    for (class, row) in rows {
        // LIBSVM counts features from 1, and treats a class of -1 specially.
        write!(text, "{}", class + 1).expect("strings can be written to");
        for value in row {
            write!(text, " {}:1", value + 1).expect("strings can be written to");
        }
        text.push('\n');
    }
    std::fs::write(path, text).expect("temporary files can be written");
}

fn is_installed(program: &str) -> bool {
    Command::new(program).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// LIBSVM's answers: one digit per row.
fn theirs(folder: &Path, options: &str) -> String {
    let run = |program: &str, options: &str, files: [&str; 3]| {
        let files = files.iter().filter(|file| !file.is_empty()).map(|file| folder.join(file));
        let mut command = Command::new(program);
        let status = command.args(options.split_whitespace()).args(files).stdout(Stdio::null()).status();
        assert!(status.is_ok_and(|status| status.success()), "{program} {options}");
    };
    run("svm-train", &format!("-q {options}"), ["train", "model", ""]);
    run("svm-predict", "", ["test", "model", "output"]);
    let text = std::fs::read_to_string(folder.join("output")).expect("svm-predict has answers");
    text.lines().collect()
}

/// Our answers, in the same form.
fn ours(train: &[(u32, Vec<u32>)], test: &[(u32, Vec<u32>)], options: &str, expand: &str) -> String {
    let svm = learner("svm").expect("the learner is there");
    let given = Assignments::from_options(options, svm.settings()).expect("it knows LIBSVM's options");
    let trainable = svm.check(&given.with("expand", expand)).expect("they are valid");
    // Like LIBSVM, which counts features up to the highest in training.
    let n_values = train.iter().flat_map(|(_, row)| row).max().map_or(0, |&value| value + 1);
    let mut instances = Instances::new(Positions::one(n_values), N_CLASSES as usize);
    for (class, row) in train {
        instances.push(row, Right::Class(*class), 1.0);
    }
    let classifier = learn(&*trainable, &instances, &mut ()).unwrap();
    let mut scratch = Scratch::default();
    let mut answer = |row: &[u32]| {
        let mut scores = [0.0; N_CLASSES as usize];
        classifier.scores(row, &mut scratch, &mut scores);
        let best = (0..N_CLASSES).max_by(|&a, &b| scores[a as usize].total_cmp(&scores[b as usize]));
        (best.expect("there are classes") + 1).to_string()
    };
    test.iter().map(|(_, row)| answer(row)).collect()
}

#[test]
fn answers_are_those_of_libsvm() {
    let is_installed = is_installed("svm-train") && is_installed("svm-predict");
    let folder = Folder::new();
    let rows = parser_shaped(3000);
    let (train, test) = rows.split_at(2000);
    let n_values = train.iter().flat_map(|(_, row)| row).max().map_or(0, |&value| value + 1);
    let known = |row: &Vec<u32>| row.iter().copied().filter(|&value| value < n_values).collect();
    let test: Vec<(u32, Vec<u32>)> = test.iter().map(|(class, row)| (*class, known(row))).collect();
    write(&folder.0.join("train"), train);
    write(&folder.0.join("test"), &test);
    let mut answers = Answers::read("libsvm", &[&folder.0.join("train"), &folder.0.join("test")]);
    // Numbers that differ between double and single precision, in which the programs of Debian read them; and some that are the same in
    // both.
    for options in [
        "-t 0 -c 0.1 -e 0.1",
        "-t 1 -d 2 -g 0.2 -r 0 -c 0.5 -e 1.0",
        "-t 1 -d 2 -g 0.25 -r 0.3 -c 0.1 -e 0.01 -h 0",
        "-t 1 -d 3 -g 0.125 -r 1 -c 0.25 -e 0.5",
        "-t 2 -g 0 -c 8 -e 0.1",
        "-t 2 -g 0.07 -c 2 -e 0.001 -m 1",
    ] {
        let live = is_installed.then(|| theirs(&folder.0, options));
        let recorded = answers.under(options, live.as_deref());
        for expand in ["yes", "no"] {
            let ours = ours(train, &test, options, expand);
            for theirs in [Some(recorded), live.as_deref()].into_iter().flatten() {
                assert_eq!(theirs.len(), test.len());
                let n_same = ours.bytes().zip(theirs.bytes()).filter(|(ours, theirs)| ours == theirs).count();
                assert!(
                    n_same * 1000 >= test.len() * 999,
                    "{options}, expand {expand}: {n_same} of {}",
                    test.len()
                );
            }
        }
    }
    answers.finish();
}
