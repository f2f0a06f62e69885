//! Whether time and memory grow with the length of sentences and of the input.

use std::io;
use std::time::Duration;

use super::super::figures::{grouped, heading, known, megabytes, rate, row, seconds};
use super::super::process::{Run, watched};
use super::super::text::{count_tokens, first_bytes, in_sentences_of};
use super::{Bench, Model};

const LENGTHS: [usize; 4] = [10, 100, 1_000, 10_000];

/// How often an input of up to ten megabytes is parsed; the fastest counts. Longer ones are parsed
/// less often, as little else can disturb all of such a run.
const N_RUNS: usize = 5;

pub(super) fn section(
    bench: &Bench<'_>,
    model: &Model,
    start: Duration,
    text: &[u8],
    most: usize,
) -> io::Result<String> {
    let measured = |name: String, content: &[u8], times: usize| {
        let n_runs = if times > 10 { 1 } else { N_RUNS };
        let run = fastest(bench, model, content, times, n_runs)?;
        let n_tokens = count_tokens(content) * times;
        Ok::<_, io::Error>(row(&[
            name,
            grouped(n_tokens),
            seconds(run.elapsed),
            rate(n_tokens, run.elapsed.saturating_sub(start)),
            known(run.on_core, |time| rate(n_tokens, time.saturating_sub(start))),
            known(run.peak, megabytes),
        ]))
    };
    let mut report = String::from(
        "## Growth\n\n\
         The default model, `-j 1`, through a pipe, output thrown away. From the rates, the time of one sentence (above) has \
         been taken off, as starting and loading do not grow; time on the cores is counted in hundredths of a second, too \
         coarse for the shortest input.\n\n\
         The words of the unseen text in sentences of one length:\n\n",
    );
    report += &heading(&["words a sentence", "words", "s", "words/s", "words/s on the cores", "memory"]);
    // Whole sentences of every length.
    let n_tokens = count_tokens(text) / LENGTHS[3] * LENGTHS[3];
    let words = in_sentences_of(text, n_tokens);
    for length in LENGTHS {
        report += &measured(grouped(length), &in_sentences_of(&words, length), 1)?;
    }
    report += "\nThe first megabyte of the unseen text, again and again:\n\n";
    report += &heading(&["MB", "words", "s", "words/s", "words/s on the cores", "memory"]);
    let megabyte = first_bytes(text, 1_000_000);
    for times in [1, 10, 100, 1_000].into_iter().filter(|&times| times <= most) {
        report += &measured(grouped(times), megabyte, times)?;
    }
    report.push('\n');
    Ok(report)
}

/// The least time, and the most memory.
fn fastest(bench: &Bench<'_>, model: &Model, content: &[u8], times: usize, n_runs: usize) -> io::Result<Run> {
    let mut command = bench.parse(model, 1, "-".as_ref());
    let mut best = watched(&mut command, content, times)?;
    for _ in 1..n_runs {
        let run = watched(&mut command, content, times)?;
        best = Run {
            elapsed: best.elapsed.min(run.elapsed),
            on_core: best.on_core.min(run.on_core),
            peak: best.peak.max(run.peak),
        };
    }
    Ok(best)
}
