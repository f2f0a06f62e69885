//! Learns from a file in LIBSVM's format and says what it finds in another, to compare answers and times with
//! those of `svm-train` and `svm-predict`:
//!
//! ```text
//!   libsvm TRAIN TEST OUTPUT "svm -t 1 -d 2 -g 0.2 -c 0.5 -e 1.0" [trainer=smo expand=yes …]
//! ```
//!
//! Features are on whatever number they have; features and classes that training does not know are left out.

#![allow(clippy::print_stdout, reason = "that is what it is for")]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Instant;

use quaich_learn::svm::Machine;
use quaich_learn::{Instances, Parameters, Positions, Right, Scratch, learn, learner};

/// Rows with the names of their classes.
type Rows = Vec<(String, Vec<u32>)>;

fn read(path: &str) -> Rows {
    let text = std::fs::read_to_string(path).expect("the file can be read");
    let value = |word: &str| word.split(':').next().and_then(|number| number.parse().ok());
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let class = words.next()?.to_owned();
        Some((class, words.map(|word| value(word).expect("features are numbers")).collect()))
    };
    text.lines().filter_map(row).collect()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().expect("TRAIN TEST OUTPUT \"LEARNER -OPTIONS\"");
    let (train, test, output, spec) = (read(&next()), read(&next()), next(), next());
    let (name, options) = spec.split_once(' ').unwrap_or((&spec, ""));
    let learner = learner(name).expect("a learner of this name");
    let mut given = Parameters::from_options(options, learner.parameters()).expect("its options");
    for (name, text) in std::iter::from_fn(|| arguments.next())
        .filter_map(|word| word.split_once('=').map(|(name, text)| (name.to_owned(), text.to_owned())))
    {
        given.set(&name, &text);
    }
    let trainable = learner.check(&given).expect("valid parameters");

    let n_values = train.iter().flat_map(|(_, row)| row).max().map_or(0, |&value| value + 1);
    let mut classes: Vec<&str> = Vec::new();
    let mut number_of: HashMap<&str, u32> = HashMap::new();
    for (class, _) in &train {
        let number = u32::try_from(classes.len()).expect("classes have numbers of 32 bits");
        number_of.entry(class).or_insert_with(|| {
            classes.push(class);
            number
        });
    }
    let mut instances = Instances::new(Positions::one(n_values), classes.len());
    for (class, row) in &train {
        instances.push(row, Right::Class(number_of[class.as_str()]), 1.0);
    }
    let start = Instant::now();
    let classifier = learn(&*trainable, &instances, &());
    println!("training    {:10.3} s", start.elapsed().as_secs_f64());
    let mut arrays = quaich_learn::Arrays::default();
    classifier.save(&mut arrays);
    let n_bytes: usize = arrays.iter().map(|(_, bytes)| bytes.len()).sum();
    println!("saved       {n_bytes:10} bytes");
    if let Some(machine) = (&*classifier as &dyn std::any::Any).downcast_ref::<Machine>() {
        println!("{:?}", machine.sizes());
    }

    let (mut scratch, mut scores) = (Scratch::default(), vec![0.0; classes.len()]);
    let mut found = Vec::with_capacity(test.len());
    let start = Instant::now();
    for (_, row) in &test {
        classifier.scores(row, &mut scratch, &mut scores);
        let best =
            (0..classes.len()).fold(0, |best, class| if scores[class] > scores[best] { class } else { best });
        found.push(best);
    }
    println!("predicting  {:10.3} s", start.elapsed().as_secs_f64());
    let is_right = |&(best, row): &(&usize, &(String, Vec<u32>))| classes.get(*best) == Some(&row.0.as_str());
    let n_right = found.iter().zip(&test).filter(is_right).count();
    println!("right       {n_right:10} of {}", test.len());
    let mut text = String::new();
    for best in found {
        writeln!(text, "{}", classes.get(best).unwrap_or(&"")).expect("strings can be written to");
    }
    std::fs::write(output, text).expect("the output can be written");
}
