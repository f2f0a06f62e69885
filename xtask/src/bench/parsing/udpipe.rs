//! UDPipe 1 compared with the default and the fast model: the same treebank, the same gold tags, one thread. Both are timed inside
//! the process, which excludes startup and loading.
//!
//! The treebank is hungarian-szeged, as training UDPipe on english-ewt takes hours.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::super::figures::{grouped, heading, milliseconds, rate, row, times_as_fast};
use super::super::process::{checked, output};
use super::super::text::{Treebank, count_tokens};
use super::{Bench, memory};
use crate::say;

/// Epochs of UDPipe's training; more would make it more accurate, not faster.
const EPOCHS: &str = "3";

pub(super) fn section(bench: &Bench<'_>, given: Option<&Path>) -> io::Result<String> {
    let mut text = String::from("## Comparison with UDPipe 1\n\n");
    let script = bench.place.root.join("benchmarks/udpipe.py");
    let mut has_package = Command::new(python());
    has_package.args(["-c", "import ufal.udpipe"]).stderr(Stdio::null());
    if !has_package.status().is_ok_and(|status| status.success()) {
        text += "Left out: the Python package `ufal.udpipe` is not installed.\n\n";
        return Ok(text);
    }
    let treebank = Treebank::find(&bench.place.root, "hungarian-szeged")?;
    let (udpipe, trained) = match given {
        Some(file) => (file.to_owned(), "made before".to_owned()),
        None => {
            (train(bench, &script, &treebank)?, format!("trained in {EPOCHS} epochs with its own settings"))
        }
    };
    let n_tokens = count_tokens(&std::fs::read(&treebank.test)?);
    let mut rows = Vec::new();
    for (name, beam) in [("UDPipe 1, greedy", "1"), ("UDPipe 1, its default: beam of 5", "5")] {
        let mut command = Command::new(python());
        command.arg(&script).arg("parse").arg(&udpipe).args([&treebank.test, &bench.out]).arg(beam);
        let parts = output(&mut command)?;
        let parts = String::from_utf8_lossy(&parts);
        let took = |part: &str| {
            let line = parts.lines().find_map(|line| line.strip_prefix(part)?.trim().parse().ok());
            let time = line.map(Duration::from_secs_f64);
            time.ok_or_else(|| io::Error::other(format!("udpipe.py says nothing of {part}")))
        };
        let parse = took("parse")?;
        let whole = took("read")? + parse + took("write")?;
        rows.push(Row { name: name.to_owned(), las: bench.las_of_output(&treebank)?, parse, whole });
    }
    for model in bench.models(&treebank, [None, None])? {
        let figures = memory::measure(bench, &model.file, &treebank.test)?;
        #[allow(clippy::cast_precision_loss, reason = "a count of words")]
        let n = n_tokens as f64;
        rows.push(Row {
            name: format!("quaich, {}", model.name()),
            las: bench.las(&model, &treebank)?,
            parse: Duration::from_secs_f64(n / figures.parse.fastest),
            whole: Duration::from_secs_f64(n / figures.read.fastest + n / figures.write.fastest),
        });
    }
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "{}, test, {} words, gold tags, one thread. UDPipe's model was {trained}. The fastest run counts: of UDPipe's 5 by the time \
         on the core, of quaich's 15 by the clock, which is never less. Starting and loading are not in them.\n\n",
        treebank.name,
        grouped(n_tokens),
    );
    text += &heading(&[
        "",
        "LAS",
        "parsing",
        "words/s",
        "times as fast as UDPipe greedy",
        "reading, parsing and writing",
        "words/s",
        "times as fast as UDPipe greedy",
    ]);
    let greedy = (rows[0].parse, rows[0].whole);
    for Row { name, las, parse, whole } in rows {
        text += &row(&[
            name,
            format!("{las:.2}"),
            milliseconds(parse),
            rate(n_tokens, parse),
            times_as_fast(greedy.0, parse),
            milliseconds(whole),
            rate(n_tokens, whole),
            times_as_fast(greedy.1, whole),
        ]);
    }
    text.push('\n');
    Ok(text)
}

/// A parser's score and its times for the test file.
struct Row {
    name: String,
    las: f64,
    parse: Duration,
    /// Reading, parsing and writing.
    whole: Duration,
}

fn train(bench: &Bench<'_>, script: &Path, treebank: &Treebank) -> io::Result<PathBuf> {
    say("== training UDPipe: minutes");
    let model = bench.place.scratch.join("udpipe.model");
    checked(Command::new(python()).arg(script).arg("train").args([&treebank.train, &model]).arg(EPOCHS))?;
    Ok(model)
}

/// The Python that has the package may be another than the system's.
fn python() -> OsString {
    std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into())
}
