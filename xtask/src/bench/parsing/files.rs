//! Parsing from file to file, starting and loading counted, on one thread and on two.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use super::super::figures::{heading, known, list, rate, row, seconds, times_as_fast};
use super::super::process::{side_by_side, together};
use super::super::text::count_tokens;
use super::{Bench, Model};

/// How often everything is run; the fastest counts.
const N_RUNS: usize = 9;

pub(super) fn section(bench: &Bench<'_>, models: &[Model], texts: [(&str, &Path); 2]) -> io::Result<String> {
    let mut text = format!(
        "## From file to file\n\n\
         `quaich parse -m MODEL -j JOBS FILE > OUTPUT`, starting and loading counted, best of {N_RUNS}.\n\n"
    );
    text += &heading(&[
        "model",
        "text",
        "jobs",
        "s",
        "words/s",
        "s on the cores",
        "words/s on the cores",
        "times as fast as -j 1",
    ]);
    let mut all = String::new();
    let mut control = String::new();
    for model in models {
        for (name, file) in texts {
            let n_tokens = count_tokens(&fs::read(file)?);
            let commands = [bench.parse(model, 1, file), bench.parse(model, 2, file)];
            let both = side_by_side(N_RUNS, &bench.out, commands)?;
            let two = together(N_RUNS, [bench.parse(model, 1, file), bench.parse(model, 1, file)])?;
            let gain = times_as_fast(both[0].fastest() * 2, two);
            // Writing to a string cannot fail.
            let _ = writeln!(control, "- {}, {name}: {} s, {gain} times", model.name(), seconds(two));
            for (jobs, times) in (1..).zip(&both) {
                text += &row(&[
                    model.name(),
                    name,
                    &jobs.to_string(),
                    &seconds(times.fastest()),
                    &rate(n_tokens, times.fastest()),
                    &known(times.on_core, seconds),
                    &known(times.on_core, |time| rate(n_tokens, time)),
                    &times_as_fast(both[0].fastest(), times.fastest()),
                ]);
                let _ = writeln!(all, "- {}, {name}, -j{jobs}: {}", model.name(), list(&times.elapsed));
            }
        }
    }
    Ok(format!(
        "{text}\nWhat the machine had to give: two programs with `-j 1` at the same time, and how much more they did together \
         than one alone. On a busy machine this stays below 2, and so does `-j 2`.\n\n{control}\n\
         All times in seconds, fastest first:\n\n{all}\n"
    ))
}
