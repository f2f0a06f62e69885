//! What parsing costs a word, part by part, on one thread.
//!
//! ```text
//! cargo bench --package quaich-parser --bench parsing -- MODEL FILE
//! ```
//!
//! Every part is run many times over the whole file and the fastest run counts, because on a busy
//! machine only that one was left alone.

#![allow(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::path::Path;
use std::time::Instant;

use quaich_features::Tokens;
use quaich_parser::{Parser, Worker};
use quaich_treebank::{ReadOptions, Reader, Sentence};

const RUNS: usize = 15;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [model, file] = &arguments[..] else {
        println!("skipped: give a model and a file to parse");
        return Ok(());
    };
    let start = Instant::now();
    let parser = Parser::load(Path::new(model))?;
    println!("{:<42} {:>9.2} ms", "loading the model", start.elapsed().as_secs_f64() * 1e3);

    let open = || Reader::open(file, &ReadOptions::default());
    let sentences: Vec<Sentence> = open()?.sentences().collect::<Result<_, _>>()?;
    let read = fastest(|| {
        let mut reader = open().expect("it could be opened before");
        let mut sentence = reader.sentence();
        while reader.read(&mut sentence).expect("it could be read before") {}
    });
    let n_words: usize = sentences.iter().map(Sentence::n_tokens).sum();
    let mut tokens = Tokens::default();
    let hash = fastest(|| {
        for sentence in &sentences {
            tokens.read(sentence);
        }
    });
    let mut worker = Worker::default();
    let parse = fastest(|| {
        for sentence in &sentences {
            parser.parse(sentence, &mut worker);
        }
    });
    let mut text = Vec::new();
    let write = fastest(|| {
        text.clear();
        for sentence in &sentences {
            parser.parse_text(sentence, &mut worker, false, &mut text);
        }
    });
    #[allow(clippy::cast_precision_loss, reason = "counts of words")]
    let words = n_words as f64;
    for (part, seconds) in [
        ("reading sentences", read),
        ("hashing tokens", hash),
        ("parsing in memory (hashing counted)", parse),
        ("parsing in memory and writing text", write),
    ] {
        println!(
            "{part:<42} {:>9.0} ns a word {:>12.0} words a second",
            seconds / words * 1e9,
            words / seconds
        );
    }
    Ok(())
}

/// The seconds of the fastest of many runs.
fn fastest(mut work: impl FnMut()) -> f64 {
    (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}
