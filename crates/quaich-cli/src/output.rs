//! Everything the program says: data on standard output, the rest on standard error.

#![allow(clippy::print_stderr, reason = "this module is where standard error is written")]

use std::io::{self, Write};

use quaich_treebank::{Error, Sink};
use serde::Serialize;

/// Prints text on standard output.
pub(crate) fn text(text: &str) -> anyhow::Result<()> {
    let mut sink = Sink::create(None)?;
    sink.write_all(text.as_bytes())?;
    sink.finish()?;
    Ok(())
}

/// Prints a value as JSON on standard output.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    text(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// Reports what made the program fail.
pub(crate) fn error(error: &anyhow::Error) {
    eprintln!("error: {error:#}");
}

/// Tells the user something that is not an error, unless `--quiet`.
pub(crate) fn note(message: &str) {
    if !crate::progress::is_quiet() {
        eprintln!("{message}");
    }
}

/// Whether an error only says that the reader of our output went away.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = match cause.downcast_ref::<Error>() {
            Some(Error::Io { source, .. }) => Some(source),
            _ => cause.downcast_ref::<io::Error>(),
        };
        io.is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe)
    })
}

/// Rows of text in aligned columns: the first to the left, the others to the right.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let padding = " ".repeat(widths[column] - cell.chars().count());
            if column == 0 {
                line.extend([cell, padding.as_str()]);
            } else {
                line.extend(["  ", padding.as_str(), cell]);
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
