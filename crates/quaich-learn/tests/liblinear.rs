//! Agreement of `linear-svm` with LIBLINEAR: the same instances and parameters give the same answers as those recorded, and as those of
//! its programs if they are installed.

mod recorded;

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use quaich_learn::{Assignments, Classifier, Instances, Positions, Right, Scratch, learn, learner};

use crate::recorded::Answers;

const N_TRAIN: usize = 4000;
const N_TEST: usize = 4000;
const N_POSITIONS: u32 = 15;
const N_VALUES: u32 = 400;
const N_CLASSES: u32 = 10;

/// Synthetic instances, always the same and similar to a parser's: higher values are rarer. Five positions vote for the class, and
/// occasionally it is another.
fn made_up(n: usize) -> Vec<(u32, Vec<u32>)> {
    let mut state = 5u64;
    let mut random = move |below: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(((state >> 33) * u64::from(below)) >> 31).expect("below a number of 32 bits")
    };
    let mut instance = || {
        // The product of three is close to Zipf's law.
        let values: Vec<u32> = (0..N_POSITIONS)
            .map(|_| random(N_VALUES) * random(N_VALUES) / N_VALUES * random(N_VALUES) / N_VALUES)
            .collect();
        let mut votes = [0; N_CLASSES as usize];
        for (position, &value) in values.iter().enumerate().take(5) {
            // The class that a value votes for is independent of its frequency.
            let class = (value.wrapping_mul(2_654_435_761) >> 16) as usize % votes.len();
            votes[(class + position) % votes.len()] += 9 - position;
        }
        let most = (0u32..).zip(votes).max_by_key(|&(class, votes)| (votes, class)).unwrap().0;
        let class = if random(8) == 0 { random(N_CLASSES) } else { most };
        // Some positions have no value.
        let row = (0u32..).zip(values).filter(|(position, _)| *position < 2 || random(8) > 0);
        (class, row.map(|(position, value)| position * N_VALUES + value).collect())
    };
    (0..n).map(|_| instance()).collect()
}

fn write(path: &Path, instances: &[(u32, Vec<u32>)]) {
    let mut text = String::new();
    for (class, row) in instances {
        write!(text, "{class}").unwrap();
        for value in row {
            // LIBLINEAR counts from 1.
            write!(text, " {}:1", value + 1).unwrap();
        }
        text.push('\n');
    }
    std::fs::write(path, text).unwrap();
}

fn is_installed(program: &str) -> bool {
    // Both print their usage and fail; it only matters that they start.
    Command::new(program).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

fn run(program: &str, arguments: &[&str], files: &[&Path]) {
    let output = Command::new(program).args(arguments).args(files).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {output:?}");
}

fn best(classifier: &dyn Classifier, row: &[u32]) -> usize {
    let mut scores = vec![0.0; classifier.n_classes()];
    classifier.scores(row, &mut Scratch::default(), &mut scores);
    (0..scores.len()).reduce(|best, i| if scores[i] > scores[best] { i } else { best }).unwrap()
}

#[test]
fn answers_are_those_of_liblinear() {
    let is_installed = ["liblinear-train", "liblinear-predict"].into_iter().all(is_installed);
    let folder = std::env::temp_dir().join(format!("quaich-liblinear-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name);
    let (train, test) = (path("train"), path("test"));
    let all = made_up(N_TRAIN + N_TEST);
    write(&train, &all[..N_TRAIN]);
    write(&test, &all[N_TRAIN..]);
    let mut instances = Instances::new(Positions::one(N_POSITIONS * N_VALUES), N_CLASSES as usize);
    for (class, row) in &all[..N_TRAIN] {
        instances.push(row, Right::Class(*class), 1.0);
    }
    let learner = learner("linear-svm").unwrap();
    let mut answers = Answers::read("liblinear", &[&train, &test]);
    for options in [
        "-s 0 -c 0.1 -e 0.01",
        "-s 1 -c 0.1 -e 0.01",
        "-s 2 -c 0.1 -e 0.001",
        "-s 3 -c 0.1 -e 0.01",
        "-s 4 -c 0.1 -e 0.01",
        "-s 4 -c 0.1 -e 0.1",
        "-s 4 -c 1 -e 0.1",
        "-s 7 -c 0.1 -e 0.01",
        "-s 1 -c 1 -e 0.01 -B 1",
        "-s 4 -c 0.02 -e 0.01 -B 2",
        "-s 7 -c 2 -e 0.01 -B 1",
    ] {
        let live = is_installed.then(|| {
            let words: Vec<&str> = options.split(' ').chain(["-q"]).collect();
            run("liblinear-train", &words, &[&train, &path("model")]);
            run("liblinear-predict", &[], &[&test, &path("model"), &path("found")]);
            // Classes have one digit.
            std::fs::read_to_string(path("found")).unwrap().lines().collect::<String>()
        });
        let recorded = answers.under(options, live.as_deref());

        let given = Assignments::from_options(options, learner.settings()).unwrap();
        let classifier = learn(&*learner.check(&given).unwrap(), &instances, &mut ()).unwrap();
        let ours: String =
            all[N_TRAIN..].iter().map(|(_, row)| best(&*classifier, row).to_string()).collect();
        // If the path to the optimum is the same, it matters less where it ends.
        let least = if options.starts_with("-s 4") { 999 } else { 995 };
        for theirs in [Some(recorded), live.as_deref()].into_iter().flatten() {
            assert_eq!(theirs.len(), N_TEST);
            let n_equal = ours.bytes().zip(theirs.bytes()).filter(|(ours, theirs)| ours == theirs).count();
            assert!(n_equal * 1000 >= N_TEST * least, "{options}: {n_equal} of {N_TEST} equal");
        }
    }
    answers.finish();
    std::fs::remove_dir_all(&folder).unwrap();
}
