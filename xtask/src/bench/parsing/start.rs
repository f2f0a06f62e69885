//! What it costs to parse one sentence: starting the program and loading the model above all.

use std::fs;
use std::io;
use std::time::Duration;

use super::super::figures::{heading, known, megabytes, milliseconds, row};
use super::super::process::{side_by_side, watched};
use super::super::text::first_bytes;
use super::{Bench, Model};

const N_RUNS: usize = 20;

/// The report, and the time of the fastest run of the default model.
pub(super) fn section(bench: &Bench<'_>, models: &[Model; 2]) -> io::Result<(String, Duration)> {
    let test = fs::read(&bench.treebank.test)?;
    let sentence = first_bytes(&test, 0);
    let file = bench.place.write("sentence.conllu", sentence)?;
    let times =
        side_by_side(N_RUNS, &bench.out, models.each_ref().map(|model| bench.parse(model, 1, &file)))?;
    let mut text = format!(
        "## One sentence\n\n\
         The first sentence of test from file to file, starting and loading counted; {N_RUNS} runs.\n\n"
    );
    text += &heading(&["model", "fastest", "median", "memory"]);
    for (model, times) in models.iter().zip(&times) {
        let run = watched(&mut bench.parse(model, 1, "-".as_ref()), sentence, 1)?;
        text += &row(&[
            model.name(),
            &milliseconds(times.fastest()),
            &milliseconds(times.median()),
            &known(run.peak, megabytes),
        ]);
    }
    text +=
        "\nMemory is the most that was resident, the part of the mapped model that was touched included.\n\n";
    Ok((text, times[0].fastest()))
}
