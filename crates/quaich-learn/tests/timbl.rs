//! Agreement of `memory` with TiMBL: the same instances and options give the same classes as those recorded, and as those of TiMBL if it
//! is installed.

mod recorded;

use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use quaich_learn::{Assignments, Instances, Positions, Right, Scratch, learn, learner};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::recorded::Answers;

const SETTINGS: &[&str] = &[
    "-k1 -mO -w1 -dZ",
    "-k1 -mM -L2 -w0 -dZ",
    "-k5 -mM -L3 -w0 -dID",
    "-k5 -mO -w0 -dZ",
    "-k3 -mM -L1 -w1 -dZ",
    "-k4 -mM -L2 -w2 -dIL",
    "-k7 -mO -w2 -dED:1",
    "-k5 -mO -w3 -dID",
    "-k9 -mM -L5 -w4 -dED:2:2",
    "-a1 -w0",
    "-a1 -w1",
    "-a1 -w2",
    "-a1 -w3",
    "-a1 -w4",
];

const N_CLASSES: u32 = 8;
/// The maximum number of values per position. The first positions are like tags, the last like words.
const N_VALUES: [u32; 10] = [12, 12, 14, 14, 9, 11, 7, 400, 400, 300];

/// An instance: one value per position, and the class.
type Instance = (Vec<u32>, u32);

/// Synthetic instances similar to a parser's: few values are frequent and most are rare, words have tags, and the class depends on two of
/// these.
fn instances(n: usize, seed: u64) -> Vec<Instance> {
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    let mut instance = || {
        let mut value = |n: u32| {
            let power: f64 = generator.random();
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to n - 1")]
            let value = (f64::from(n + 1).powf(power) - 1.0) as u32;
            value
        };
        let mut row: Vec<u32> = N_VALUES.iter().map(|&n| value(n)).collect();
        for (tag, word) in [(0, 7), (1, 8), (2, 9)] {
            row[tag] = row[word] % N_VALUES[tag];
        }
        let class = match generator.random_range(0..10) {
            0 => generator.random_range(0..N_CLASSES),
            1 => (row[0] + row[4]) % N_CLASSES,
            _ => (row[0] / 2 + if row[1] > 4 { 3 } else { 0 }) % N_CLASSES,
        };
        (row, class)
    };
    (0..n).map(|_| instance()).collect()
}

fn write(path: &Path, instances: &[Instance]) {
    let line = |(row, class): &Instance| {
        let values: Vec<String> = row.iter().map(|value| format!("v{value}")).collect();
        format!("{}\tc{class}\n", values.join("\t"))
    };
    std::fs::write(path, instances.iter().map(line).collect::<Vec<_>>().concat())
        .expect("a file can be written");
}

/// TiMBL's answer for each row: the class as a digit, or as a letter if there was a tie. `None` if it is not installed.
fn timbl(folder: &Path, options: &str) -> Option<String> {
    let out = folder.join("out");
    // With two or more neighbours it can print all of them, including one more distance after a tie.
    let is_tree = options.contains("-a1");
    let k: usize =
        options.split_whitespace().find_map(|word| word.strip_prefix("-k")?.parse().ok()).unwrap_or(1);
    let tells = !is_tree && k > 1;
    let status = Command::new("timbl")
        .args(options.split_whitespace())
        .args(["-F", "Tabbed", if tells { "+vk" } else { "+vs" }])
        .arg("-f")
        .arg(folder.join("train"))
        .arg("-t")
        .arg(folder.join("test"))
        .arg("-o")
        .arg(&out)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match status {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        status => assert!(status.expect("timbl can be run").success(), "timbl {options}"),
    }
    let text = std::fs::read_to_string(out).expect("timbl writes what it finds");
    let mut found: Vec<(u32, usize)> = Vec::new();
    for line in text.lines() {
        match found.last_mut() {
            Some((_, n_distances)) if line.starts_with("# k=") => *n_distances += 1,
            _ => {
                // Votes may follow after a space.
                let class =
                    line.rsplit_once("\tc").and_then(|(_, class)| class.split(' ').next()?.parse().ok());
                found.push((class.expect("the class comes last"), 0));
            }
        }
    }
    let symbol = |(class, n_distances): (u32, usize)| {
        let symbols = if n_distances > k { TIED } else { UNTIED };
        symbols.chars().nth(class as usize).expect("there are as many classes")
    };
    Some(found.into_iter().map(symbol).collect())
}

/// One symbol per class: after a tie, and without one.
const TIED: &str = "abcdefgh";
const UNTIED: &str = "01234567";

/// The class and whether there was a tie.
fn class_of(symbol: char) -> (u32, bool) {
    let class = TIED.find(symbol).or(UNTIED.find(symbol)).expect("a symbol of a class");
    (u32::try_from(class).expect("few"), TIED.contains(symbol))
}

/// Our answer for each row.
fn ours(options: &str, train: &[Instance], test: &[Instance]) -> Vec<u32> {
    // Classes and values are numbered by first occurrence, as in TiMBL.
    let mut classes: Vec<u32> = Vec::new();
    let mut values: Vec<Vec<u32>> = vec![Vec::new(); N_VALUES.len()];
    let number = |known: &mut Vec<u32>, item: u32| {
        let at = known.iter().position(|&other| other == item).unwrap_or_else(|| {
            known.push(item);
            known.len() - 1
        });
        u32::try_from(at).expect("few")
    };
    for (row, class) in train {
        number(&mut classes, *class);
        row.iter().zip(&mut values).for_each(|(&value, known)| {
            number(known, value);
        });
    }
    let mut offsets = vec![0];
    for known in &values {
        offsets.push(offsets[offsets.len() - 1] + u32::try_from(known.len()).expect("few"));
    }
    let numbered = |row: &[u32]| {
        let known = row.iter().zip(&values).zip(&offsets);
        let number = |((value, known), offset): ((&u32, &Vec<u32>), &u32)| {
            let at = known.iter().position(|other| other == value)?;
            Some(offset + u32::try_from(at).expect("few"))
        };
        known.filter_map(number).collect::<Vec<u32>>()
    };
    let mut instances = Instances::new(Positions::new(offsets.clone()), classes.len());
    for (row, class) in train {
        instances.push(&numbered(row), Right::Class(number(&mut classes, *class)), 1.0);
    }
    let memory = learner("memory").expect("there is such a learner");
    let given = Assignments::from_options(options, memory.settings()).expect("options of TiMBL");
    let classifier = learn(&*memory.check(&given).expect("in range"), &instances, &mut ()).unwrap();
    let mut scratch = Scratch::default();
    let mut scores = vec![0.0; classifier.n_classes()];
    let mut winner = |row: &[u32]| {
        classifier.scores(&numbered(row), &mut scratch, &mut scores);
        let best = (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        classes[best.expect("there are classes")]
    };
    test.iter().map(|(row, _)| winner(row)).collect()
}

#[test]
fn classes_are_those_of_timbl() {
    let folder = std::env::temp_dir().join(format!("quaich-timbl-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let (train, test) = (instances(2000, 1), instances(300, 2));
    write(&folder.join("train"), &train);
    write(&folder.join("test"), &test);
    let mut answers = Answers::read("timbl", &[&folder.join("train"), &folder.join("test")]);
    for options in SETTINGS {
        let live = timbl(&folder, options);
        let recorded = answers.under(options, live.as_deref());
        for theirs in [Some(recorded), live.as_deref()].into_iter().flatten() {
            compare(options, &train, &test, &theirs.chars().map(class_of).collect::<Vec<_>>());
        }
    }
    answers.finish();
    std::fs::remove_dir_all(&folder).expect("what was made can be removed");
}

/// Compares our answers with TiMBL's.
fn compare(options: &str, train: &[Instance], test: &[Instance], theirs: &[(u32, bool)]) {
    let ours_found = ours(options, train, test);
    assert_eq!(ours_found.len(), theirs.len());
    let mut pairs: Vec<(u32, u32)> =
        ours_found.iter().copied().zip(theirs.iter().map(|&(class, _)| class)).collect();
    // After its first tie, TiMBL 6.5 treats the farthest distance of all later instances as infinite, so that inverse linear votes are
    // all equal.
    if let (true, Some(tie)) = (options.contains("IL"), theirs.iter().position(|&(_, is_tied)| is_tied)) {
        let equal = ours(&options.replace("IL", "Z"), train, test);
        pairs.truncate(tie + 1);
        let later = equal.iter().copied().zip(theirs.iter().copied()).skip(tie + 1);
        pairs.extend(later.filter(|(_, (_, is_tied))| !is_tied).map(|(ours, (class, _))| (ours, class)));
    }
    let n_different = pairs.iter().filter(|(ours, theirs)| ours != theirs).count();
    assert!(n_different * 1000 <= pairs.len(), "{options}: {n_different} of {} differ", pairs.len());
    // Something was learned, and there is something to disagree about.
    let n_right = ours_found.iter().zip(test).filter(|(found, (_, class))| *found == class).count();
    assert!((60..300).contains(&n_right), "{options}: {n_right} right");
}
