//! Whether output and models are the same bytes at any number of jobs and on any processor.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use super::super::figures::{heading, row};
use super::super::process::{checked, output};
use super::super::text::Treebank;
use super::{Bench, Model};

/// The way that all others are compared with comes first.
const WAYS: [(usize, bool); 4] = [(1, false), (2, false), (4, false), (1, true)];

/// Settings of trainings that are compared, by preset: without vector instructions whole ones of recurrent networks take hours.
fn short(preset: &str) -> &'static [&'static str] {
    match preset {
        "balanced" => &["--set", "encoder.epochs=2", "--set", "encoder.units=32"],
        _ => &[],
    }
}

pub(super) fn section(bench: &Bench<'_>, models: &[Model], file: &Path) -> io::Result<String> {
    let mut text = String::from(
        "## Same bytes\n\n\
         Compared with `-j 1`, byte for byte; `QUAICH_PORTABLE=1` leaves the vector instructions of the processor alone.\n\n",
    );
    text += &heading(&["", "-j 2", "-j 4", "-j 1, portable"]);
    for model in models {
        let outputs = WAYS
            .map(|(jobs, is_portable)| output(portable(&mut bench.parse(model, jobs, file), is_portable)));
        text += &compared(&format!("`parse` of the unseen text, {}", model.name()), outputs)?;
    }
    let sample = Treebank::sample(&bench.place.root)?;
    for model in models {
        let trained = WAYS.map(|(jobs, is_portable)| {
            let file = bench.place.scratch.join("same.quaich");
            let mut train = bench.train(&sample, model.preset, &file);
            train.args(["-j", &jobs.to_string()]).args(short(model.preset));
            checked(portable(&mut train, is_portable))?;
            fs::read(&file)
        });
        text += &compared(&format!("model of the sample, cut short, {}", model.name()), trained)?;
    }
    text.push('\n');
    Ok(text)
}

fn portable(command: &mut Command, is_portable: bool) -> &mut Command {
    if is_portable { command.env("QUAICH_PORTABLE", "1") } else { command }
}

fn compared(name: &str, made: [io::Result<Vec<u8>>; 4]) -> io::Result<String> {
    let [first, others @ ..] = made;
    let first = first?;
    let mut cells = vec![name];
    for other in others {
        cells.push(if other? == first { "same" } else { "**different**" });
    }
    Ok(row(&cells))
}
