//! What every command takes, in time and memory, for one sentence of 100,000 tokens and for a long stream.
//!
//! The text is english-ewt's training data where `QUAICH_TREEBANKS` names a folder of treebanks; otherwise the sample
//! treebank. The sentence is as many of its sentences as it takes, glued to one tree; the stream is the text as often as
//! it takes to have so many megabytes (1000 if not given).

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::Command;

use super::figures::{grouped, heading, known, megabytes, row, seconds};
use super::process::{Run, build, checked, watched};
use super::text::{Treebank, count_tokens, one_sentence};
use super::{Place, machine};

pub(super) const USAGE: &str = "[MEGABYTES]";
/// The page of the manual.
pub(super) const PAGE: &str = "docs/results/sizes.md";

/// Tokens of the long sentence.
const LONG: usize = 100_000;

/// A command: its name in the table, its arguments with FILE and MODEL to be replaced, and whether it is run on the stream.
struct Measured {
    name: &'static str,
    arguments: &'static [&'static str],
    on_stream: bool,
}

const fn measured(name: &'static str, arguments: &'static [&'static str]) -> Measured {
    Measured { name, arguments, on_stream: true }
}

/// The setting for training runs whose size matters, but not their accuracy.
const ONE_EPOCH: &str = "encoder.epochs=1";

static COMMANDS: &[Measured] = &[
    measured("convert", &["convert", "FILE", "--to", "conllx"]),
    measured("validate", &["validate", "FILE"]),
    measured("stats", &["stats", "FILE"]),
    measured("eval", &["eval", "FILE", "FILE"]),
    measured("oracle, arc-eager", &["oracle", "--system", "arc-eager", "FILE"]),
    measured("oracle, swap-lazy", &["oracle", "--system", "swap-lazy", "FILE"]),
    measured("oracle, two-planar", &["oracle", "--system", "two-planar", "FILE"]),
    Measured {
        on_stream: false,
        ..measured("oracle, covington", &["oracle", "--system", "covington", "FILE"])
    },
    measured("trace", &["trace", "--system", "arc-eager", "FILE"]),
    measured(
        "trace --json --nodes 10",
        &["trace", "--system", "arc-eager", "--json", "--nodes", "10", "FILE"],
    ),
    Measured { on_stream: false, ..measured("trace -m", &["trace", "-m", "MODEL", "FILE"]) },
    measured("draw", &["draw", "FILE"]),
    measured("parse", &["parse", "-m", "MODEL", "FILE"]),
    measured("parse --scores", &["parse", "-m", "MODEL", "--scores", "FILE"]),
    Measured {
        on_stream: false,
        ..measured("train, one epoch", &["train", "FILE", "-o", "NEW", "--quiet", "--set", ONE_EPOCH])
    },
    Measured { on_stream: false, ..measured("info", &["info", "MODEL"]) },
];

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let n_megabytes: usize = match options {
        [] => 1000,
        [n] => n.parse().map_err(|_| io::Error::other(format!("found `{n}`, expected a number")))?,
        _ => return Err(io::Error::other(format!("expected {USAGE}"))),
    };
    let program = build(&place.root)?;
    let treebank = Treebank::find(&place.root, "english-ewt")?;
    let content = fs::read(&treebank.train)?;
    let long = place.write("long.conllu", &one_sentence(&content, LONG))?;
    let model = place.scratch.join("model.quaich");
    let mut train = Command::new(&program);
    checked(
        train.arg("train").arg(&treebank.train).arg("-o").arg(&model).args(["--set", ONE_EPOCH, "--quiet"]),
    )?;
    let times = (n_megabytes * 1_000_000).div_ceil(content.len());
    let stream = place.scratch.join("stream.conllu");
    let mut out = BufWriter::new(File::create(&stream)?);
    (0..times).try_for_each(|_| out.write_all(&content))?;
    out.flush()?;

    let measure = |measured: &Measured, file: &Path| {
        let new = place.scratch.join("new.quaich");
        let mut command = Command::new(&program);
        for argument in measured.arguments {
            match *argument {
                "FILE" => command.arg(file),
                "MODEL" => command.arg(&model),
                "NEW" => command.arg(&new),
                other => command.arg(other),
            };
        }
        watched(&mut command, b"", 0)
    };
    let shown = |run: &Run| [seconds(run.elapsed), known(run.peak, megabytes)];
    let n_tokens = count_tokens(&content) * times;
    let mut text = format!(
        "# Time and memory of every command\n\n\
         Elapsed time and peak resident memory of every command, for one sentence of {} tokens and for a stream of {} MB ({} tokens) of {}. Memory of commands that process a stream \
         sentence by sentence does not grow with the stream. Memory of commands that need a whole sentence is proportional to its length. The table is made by\n\n\
         \x20   cargo xtask bench sizes {n_megabytes}\n\n\
         {}, {}; load average before: {}.\n\n",
        grouped(LONG),
        grouped(times * content.len() / 1_000_000),
        grouped(n_tokens),
        treebank.name,
        machine::cpu(),
        machine::today(),
        known(machine::load(), |load| format!("{load:.1}")),
    );
    text += &heading(&["command", "s, one sentence", "memory", "s, stream", "memory"]);
    for command in COMMANDS {
        let mut cells = vec![format!("`{}`", command.name)];
        cells.extend(shown(&measure(command, &long)?));
        if command.on_stream {
            cells.extend(shown(&measure(command, &stream)?));
        } else {
            cells.extend(["–", "–"].map(str::to_owned));
        }
        text += &row(&cells);
    }
    text += "\nThe model has the default settings and is trained for one epoch on the same data, which does not change speed or memory. `train` and `trace -m` do not run on the stream: training keeps its sentences in memory, \
             and a trace is for reading. A drawing of more than 1000 tokens is an [indented tree](../reference/draw.md). Covington's systems compare all pairs of words, so their time grows with the \
             square of the sentence length; so does the length of SWAP derivations of random trees.\n";
    Ok(text)
}
