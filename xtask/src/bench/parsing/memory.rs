//! Parsing in memory, on one thread: what the library's own benchmark measures.

use std::io;
use std::path::Path;

use super::super::figures::{heading, rounded, row};
use super::super::process::{cargo, output};
use super::{Bench, Model};

/// What the parts of parsing cost on one thread.
pub(super) struct InMemory {
    /// Milliseconds.
    pub(super) load: f64,
    pub(super) read: Speed,
    pub(super) parse: Speed,
    /// Parsing and writing text.
    pub(super) write: Speed,
}

/// Words per second.
pub(super) struct Speed {
    /// By the clock, in the fastest run.
    pub(super) fastest: f64,
    /// By the time on the core, in all runs; not a number where the system does not tell.
    pub(super) on_core: f64,
}

impl Speed {
    fn shown(&self) -> String {
        format!("{} / {}", rounded(self.fastest), rounded(self.on_core))
    }
}

/// Runs `benches/parsing.rs` of quaich-parser.
pub(super) fn measure(bench: &Bench<'_>, model: &Path, file: &Path) -> io::Result<InMemory> {
    let mut command = cargo(&bench.place.root);
    command.args(["bench", "--quiet", "--package", "quaich-parser", "--bench", "parsing", "--"]);
    let text = output(command.arg(model).arg(file))?;
    let text = String::from_utf8_lossy(&text);
    let figures = |part: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(part)).unwrap_or_default();
        line.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<f64>>()
    };
    let unknown = |part: &str| io::Error::other(format!("the library's benchmark says nothing of {part}"));
    let speed = |part: &str| match figures(part)[..] {
        [_nanoseconds, fastest, on_core] => Ok(Speed { fastest, on_core }),
        _ => Err(unknown(part)),
    };
    let loading = "loading the model";
    Ok(InMemory {
        load: *figures(loading).first().ok_or_else(|| unknown(loading))?,
        read: speed("reading sentences")?,
        parse: speed("parsing in memory (hashing counted)")?,
        write: speed("parsing in memory and writing text")?,
    })
}

pub(super) fn section(bench: &Bench<'_>, models: &[Model]) -> io::Result<String> {
    let mut text = String::from(
        "## In memory, one thread\n\n\
         Words per second: by the clock, the fastest of 15 runs / by the time on the core, all 15 \
         (`cargo bench --package quaich-parser --bench parsing`).\n\n",
    );
    text += &heading(&["model", "text", "parsing", "parsing and writing", "reading", "loading the model"]);
    for model in models {
        for (name, file) in [("test, unseen", &bench.treebank.test), ("train", &bench.treebank.train)] {
            let figures = measure(bench, &model.file, file)?;
            text += &row(&[
                model.name(),
                name,
                &figures.parse.shown(),
                &figures.write.shown(),
                &figures.read.shown(),
                &format!("{:.1} ms", figures.load),
            ]);
        }
    }
    text.push('\n');
    Ok(text)
}
