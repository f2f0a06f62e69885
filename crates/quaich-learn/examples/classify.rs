//! Any learner on tables of symbols as other programs read them: tab-separated values, the class last.
//!
//! ```text
//!   cargo run --release -p quaich-learn --example classify -- memory "-k 5 -m M" train.tsv test.tsv > classes
//! ```
//!
//! Prints the winning class for each line of the second file. Options are those of the program that the learner reimplements; other
//! settings are given as `NAME=VALUE`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program")]

use std::collections::HashMap;
use std::time::Instant;

use quaich_learn::{Assignments, Instances, Positions, Right, Scratch, learn, learner};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, options, train, test] = &arguments[..] else {
        return Err("usage: classify LEARNER OPTIONS TRAIN TEST".into());
    };
    let learner = learner(name).ok_or("unknown learner")?;
    let is_parameter = |word: &&str| word.contains('=');
    let (parameters, options): (Vec<&str>, Vec<&str>) = options.split_whitespace().partition(is_parameter);
    let mut given = Assignments::from_options(&options.join(" "), learner.settings())?;
    for (name, text) in parameters.iter().filter_map(|parameter| parameter.split_once('=')) {
        given.set(name, text);
    }
    let trainable = learner.check(&given)?;

    let (train, test) = (std::fs::read_to_string(train)?, std::fs::read_to_string(test)?);
    let mut names = Names::default();
    for line in train.lines() {
        names.add(line);
    }
    let offsets: Vec<u32> = names.offsets();
    let mut instances = Instances::new(Positions::new(offsets.clone()), names.classes.len());
    for line in train.lines() {
        let (row, class) = names.row(line, &offsets);
        instances.push(&row, Right::Class(class.ok_or("a line has no class")?), 1.0);
    }

    let started = Instant::now();
    let classifier = learn(&*trainable, &instances, &mut ()).expect("nobody stops it");
    let learned = started.elapsed();
    let rows: Vec<Vec<u32>> = test.lines().map(|line| names.row(line, &offsets).0).collect();
    let mut scores = vec![0.0; classifier.n_classes()];
    let mut scratch = Scratch::default();
    let mut found = Vec::new();
    let started = Instant::now();
    for row in &rows {
        classifier.scores(row, &mut scratch, &mut scores);
        found.push((0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).ok_or("no classes")?);
    }
    let classified = started.elapsed();
    let mut words: Vec<&str> = vec![""; names.classes.len()];
    for (word, &class) in names.classes.iter().collect::<Vec<_>>() {
        words[class as usize] = word;
    }
    let classes: Vec<&str> = found.iter().map(|&class| words[class]).collect();
    println!("{}", classes.join("\n"));
    let right =
        test.lines().zip(&classes).filter(|(line, class)| line.split('\t').next_back() == Some(class));
    eprintln!(
        "{} of {} right; learned in {learned:.2?}, classified in {classified:.2?}",
        right.count(),
        rows.len()
    );
    Ok(())
}

/// Numbers of values and classes, in the order of first occurrence.
#[derive(Default)]
struct Names<'a> {
    /// One per position.
    values: Vec<HashMap<&'a str, u32>>,
    classes: HashMap<&'a str, u32>,
}

impl<'a> Names<'a> {
    fn add(&mut self, line: &'a str) {
        let (values, class) = line.rsplit_once('\t').unwrap_or(("", line));
        let n = u32::try_from(self.classes.len()).expect("few classes");
        self.classes.entry(class).or_insert(n);
        for (position, value) in values.split('\t').enumerate() {
            if position == self.values.len() {
                self.values.push(HashMap::new());
            }
            let n = u32::try_from(self.values[position].len()).expect("few values");
            self.values[position].entry(value).or_insert(n);
        }
    }

    fn offsets(&self) -> Vec<u32> {
        let sum = |sum: &mut u32, values: &HashMap<&str, u32>| {
            *sum += u32::try_from(values.len()).expect("few values");
            Some(*sum)
        };
        std::iter::once(0).chain(self.values.iter().scan(0, sum)).collect()
    }

    /// The known values of a line.
    fn row(&self, line: &str, offsets: &[u32]) -> (Vec<u32>, Option<u32>) {
        let (values, class) = line.rsplit_once('\t').unwrap_or(("", line));
        let known = values.split('\t').zip(&self.values).zip(offsets);
        let row = known.filter_map(|((value, known), offset)| known.get(value).map(|number| offset + number));
        (row.collect(), self.classes.get(class).copied())
    }
}
