//! How fast treebanks are read and written, compared with copying the bytes, and how much memory a
//! long file takes.
//!
//! The file is english-ewt's training data where `QUAICH_TREEBANKS` names a folder of treebanks;
//! otherwise the sample treebank, repeated. The long file is that file TIMES times (100 if not
//! given), through a pipe.

use std::fs;
use std::io;
use std::process::Command;

use super::figures::{grouped, heading, known, list, rate, row, seconds};
use super::process::{build, output, side_by_side, watched};
use super::text::{Treebank, at_least, count_tokens};
use super::{Place, machine};

pub(super) const USAGE: &str = "[TIMES]";

/// How often everything is run; the fastest counts.
const N_RUNS: usize = 9;

/// Tokens in the file, at least, so that starting the program counts for little.
const N_TOKENS: usize = 200_000;

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let times: usize = match options {
        [] => 100,
        [times] => {
            times.parse().map_err(|_| io::Error::other(format!("found `{times}`, expected a number")))?
        }
        _ => return Err(io::Error::other(format!("expected {USAGE}"))),
    };
    let program = build(&place.root)?;
    let treebank = Treebank::find(&place.root, "english-ewt")?;
    let content = at_least(&fs::read(&treebank.train)?, N_TOKENS);
    let file = place.write("input.conllu", &content)?;
    let n_tokens = count_tokens(&content);

    let convert = |from: &str| {
        let mut command = Command::new(&program);
        command.args(["convert", from, "--to", "conllu"]);
        command
    };
    let from = file.to_string_lossy();
    let mut cat = Command::new("cat");
    cat.arg(&file);
    let out = place.scratch.join("output.conllu");
    let [quaich, cat] = side_by_side(N_RUNS, &out, [convert(&from), cat])?;
    if output(&mut convert(&from))? != content {
        return Err(io::Error::other("the output is not the input"));
    }
    let long = watched(&mut convert("-"), &content, times)?;

    let speed = |name: &str, time| {
        row(&[name, &seconds(time), &rate(n_tokens, time), &rate(content.len() / 1000, time)])
    };
    Ok(format!(
        "# Reading and writing\n\n\
         Made by `cargo xtask bench reading {times}`. {}.\n\n\
         Input: {} train.conllu, as often as it takes to have {} tokens; {} bytes. Output to a file.\n\n\
         {}{}{}\n\
         The input {times} times through a pipe ({} MB, {} tokens): {} s, {} tokens/s; {}; {} of memory at most.\n\n\
         All times in seconds, fastest first:\n\n- quaich: {}\n- cat: {}\n",
        machine::cpu(),
        treebank.name,
        grouped(n_tokens),
        grouped(content.len()),
        heading(&["", &format!("best of {N_RUNS}, s"), "tokens/s", "kB/s"]),
        speed("`quaich convert FILE --to conllu`", quaich.fastest()),
        speed("`cat FILE`", cat.fastest()),
        grouped(content.len() * times / 1_000_000),
        grouped(n_tokens * times),
        seconds(long.elapsed),
        rate(n_tokens * times, long.elapsed),
        known(long.on_core, |time| format!(
            "{} s on its core, {} tokens/s",
            seconds(time),
            rate(n_tokens * times, time)
        )),
        known(long.peak, |kib| format!("{kib} KiB")),
        list(&quaich.elapsed),
        list(&cat.elapsed),
    ))
}
