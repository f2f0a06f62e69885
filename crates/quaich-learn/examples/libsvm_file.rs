//! Trains any learner from a file in LIBSVM's format and prints the classes of the rows of another.
//!
//! ```text
//! cargo run --release -p quaich-learn --example libsvm_file -- "linear-svm -s 4 -c 0.1" TRAIN TEST
//! ```
//!
//! Lines are `CLASS FEATURE:VALUE …`, all values 1, as in files of LIBSVM and LIBLINEAR with binary features. Prints time and accuracy on
//! standard error. Without TEST, prints nothing.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints its results")]

use std::collections::BTreeMap;
use std::time::Instant;

use quaich_learn::{Assignments, Instances, Positions, Right, Scratch, learn, learner};

type Error = Box<dyn std::error::Error>;

/// The classes and features of the lines of a file.
fn read(path: &str) -> Result<Vec<(i64, Vec<u32>)>, Error> {
    let text = std::fs::read_to_string(path)?;
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let class = words.next().ok_or("an empty line")?.parse()?;
        let feature = |word: &str| match word.split_once(':') {
            Some((feature, "1")) => Ok(feature.parse()?),
            _ => Err(format!("`{word}` is not `FEATURE:1`").into()),
        };
        Ok((class, words.map(feature).collect::<Result<_, Error>>()?))
    };
    text.lines().map(line).collect()
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let (Some(spec), Some(train)) = (arguments.next(), arguments.next()) else {
        return Err("usage: libsvm_file 'LEARNER OPTIONS' TRAIN [TEST]".into());
    };
    let (name, options) = spec.split_once(' ').unwrap_or((&spec, ""));
    let learner = learner(name).ok_or_else(|| format!("unknown learner `{name}`"))?;
    let trainable = learner.check(&Assignments::from_options(options, learner.settings())?)?;

    let lines = read(&train)?;
    let n_features = lines.iter().flat_map(|(_, row)| row).max().map_or(0, |highest| highest + 1);
    let mut numbers = BTreeMap::new();
    let mut names = Vec::new();
    for (class, _) in &lines {
        numbers.entry(*class).or_insert_with(|| {
            names.push(*class);
            names.len() - 1
        });
    }
    let mut instances = Instances::new(Positions::one(n_features), names.len());
    for (class, row) in &lines {
        instances.push(row, Right::Class(u32::try_from(numbers[class])?), 1.0);
    }
    let start = Instant::now();
    let classifier = learn(&*trainable, &instances, &mut ()).expect("nobody stops it");
    eprintln!("{} instances, {:.2} s", instances.len(), start.elapsed().as_secs_f64());

    let Some(test) = arguments.next() else { return Ok(()) };
    let (mut scratch, mut scores) = (Scratch::default(), vec![0.0; names.len()]);
    let rows = read(&test)?;
    let mut n_right = 0;
    for (class, row) in &rows {
        classifier.scores(row, &mut scratch, &mut scores);
        let best = (0..scores.len()).reduce(|best, i| if scores[i] > scores[best] { i } else { best });
        let found = best.map_or(0, |best| names[best]);
        n_right += usize::from(found == *class);
        println!("{found}");
    }
    eprintln!("{n_right} of {} correct", rows.len());
    Ok(())
}
