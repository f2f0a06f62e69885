//! The cost of parsing per word, component by component, on one thread.
//!
//! ```text
//! cargo bench --package quaich-parser --bench parsing -- MODEL FILE
//! ```
//!
//! Every component runs many times over the whole file. The figures are the fastest wall-clock time, which is the least disturbed by
//! other processes, and the mean CPU time, if the system provides it.

#![allow(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::time::Instant;

use quaich_parser::Model;
use quaich_treebank::{ReadOptions, Reader, Sentence};

const RUNS: u32 = 15;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [model, file] = &arguments[..] else {
        println!("skipped: give a model and a file to parse");
        return Ok(());
    };
    let start = Instant::now();
    let parser = Model::load(model)?;
    println!("{:<42} {:>9.2} ms", "loading the model", start.elapsed().as_secs_f64() * 1e3);

    let open = || Reader::open(file, &ReadOptions::default());
    let sentences: Vec<Sentence> = open()?.sentences().collect::<Result<_, _>>()?;
    let read = timed(|| {
        let mut reader = open().expect("it could be opened before");
        let mut sentence = reader.sentence();
        while reader.read(&mut sentence).expect("it could be read before") {}
    });
    let n_words: usize = sentences.iter().map(Sentence::n_tokens).sum();
    let mut worker = parser.worker();
    let parse = timed(|| {
        for sentence in &sentences {
            worker.parse(sentence);
        }
    });
    let mut text = Vec::new();
    let write = timed(|| {
        text.clear();
        for sentence in &sentences {
            worker.parse_text(sentence, false, &mut text);
        }
    });
    #[allow(clippy::cast_precision_loss, reason = "counts of words")]
    let words = n_words as f64;
    for (part, Time { fastest, on_core }) in [
        ("reading sentences", read),
        ("parsing in memory", parse),
        ("parsing in memory and writing text", write),
    ] {
        println!(
            "{part:<42} {:>9.0} ns per word {:>12.0} words per second {:>12.0} on the core",
            fastest / words * 1e9,
            words / fastest,
            words / on_core.unwrap_or(f64::NAN)
        );
    }
    Ok(())
}

/// The times of many runs in seconds.
struct Time {
    fastest: f64,
    on_core: Option<f64>,
}

fn timed(mut work: impl FnMut()) -> Time {
    let before = on_core();
    let fastest = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    let on_core = before.zip(on_core()).map(|(before, after)| (after - before) / f64::from(RUNS));
    Time { fastest, on_core }
}

/// The CPU time of this thread in seconds. The system updates it a few times per hundredth of a second: too coarse for one run, good
/// enough for all of them.
fn on_core() -> Option<f64> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = times.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}
