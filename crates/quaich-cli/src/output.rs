//! Everything the program says: data on standard output, the rest on standard error.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use quaich::transition::spec::SpecError;
use quaich::treebank::visible::visible;
use quaich::treebank::{Error, FlagError, Sink, UnknownName};
use serde::Serialize;

/// What pictures are drawn on.
#[derive(Clone, Copy)]
pub(crate) struct Screen {
    /// Columns; 0 is without end.
    pub(crate) width: usize,
    /// Whether escape sequences are understood and wanted.
    pub(crate) colour: bool,
}

impl Screen {
    /// A file: no colours, and lines of any length.
    pub(crate) fn file() -> Self {
        Self { width: 0, colour: false }
    }

    /// Standard output: the terminal it is, or a file. `NO_COLOR` is respected (no-color.org).
    pub(crate) fn stdout() -> Self {
        if !io::stdout().is_terminal() {
            return Self::file();
        }
        let width = terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let able = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Self { width, colour: wanted && able }
    }
}

/// Prints text for people on standard output.
pub(crate) fn text(text: &str) -> anyhow::Result<()> {
    print(Sink::for_people(None)?, text.as_bytes())
}

/// Prints what other programs read on standard output.
pub(crate) fn bytes(bytes: &[u8]) -> anyhow::Result<()> {
    print(Sink::create(None)?, bytes)
}

fn print(mut sink: Sink, bytes: &[u8]) -> anyhow::Result<()> {
    sink.write_all(bytes)?;
    sink.finish()?;
    Ok(())
}

/// Prints text with drawings in it, whose colours a terminal is to obey, on standard output.
pub(crate) fn drawing(text: &str) -> anyhow::Result<()> {
    print(Sink::for_drawing(None)?, text.as_bytes())
}

/// Prints a value as JSON on standard output.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    print(Sink::for_json(None)?, (serde_json::to_string_pretty(value)? + "\n").as_bytes())
}

/// Reports what made the program fail.
pub(crate) fn error(error: &anyhow::Error) {
    crate::progress::clear();
    let mut message = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Most messages already end with what the system said.
        if !message.ends_with(&cause) {
            message.extend([": ", &cause]);
        }
    }
    say(&format!("error: {message}"));
}

/// Prints what clap has to say: help and versions on standard output, errors on standard error.
pub(crate) fn told_by_clap(told: &clap::Error) -> ExitCode {
    let usage = told.use_stderr();
    let is_changed = |argument: OsString| {
        let argument = argument.to_string_lossy();
        argument.len() > LONGEST_QUOTED || visible(&argument) != argument
    };
    if usage && std::env::args_os().any(is_changed) {
        // Without colours, so that a terminal has nothing to obey.
        say(told.render().to_string().trim_end());
        return ExitCode::from(2);
    }
    match told.print() {
        // What cannot be said on standard error is dropped.
        _ if usage => ExitCode::from(2),
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            say(&format!("error: <stdout>: {error}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// A line on standard error. One that cannot be written is dropped, and work goes on.
fn say(line: &str) {
    crate::progress::aside(|| drop(writeln!(io::stderr(), "{}", visible(&bounded(line)))));
}

/// The longest text between backquotes, and the longest word, that is shown whole, in characters: longer ones come from
/// files and from users.
const LONGEST_QUOTED: usize = 300;
/// The longest message that is shown whole, longer than any list of names that we know.
const LONGEST: usize = 8000;

/// A message in which nothing from a file or a user goes on for screens.
pub(crate) fn bounded(message: &str) -> Cow<'_, str> {
    if message.len() <= LONGEST_QUOTED {
        return Cow::Borrowed(message);
    }
    let mut shown = String::new();
    for (number, part) in message.split('`').enumerate() {
        if number > 0 {
            shown.push('`');
        }
        if number % 2 == 1 {
            shown += &cut(part, LONGEST_QUOTED);
        } else {
            part.split_inclusive(char::is_whitespace).for_each(|word| shown += &cut(word, LONGEST_QUOTED));
        }
    }
    Cow::Owned(cut(&shown, LONGEST).into_owned())
}

/// The beginning and the end of a text that is longer than so many characters.
fn cut(text: &str, longest: usize) -> Cow<'_, str> {
    let length = text.chars().count();
    if length <= longest {
        return Cow::Borrowed(text);
    }
    let (first, last) = (longest * 3 / 4, longest / 8);
    let beginning: String = text.chars().take(first).collect();
    let end: String = text.chars().skip(length - last).collect();
    Cow::Owned(format!("{beginning}… ({} characters left out) …{end}", length - first - last))
}

/// Tells the user something that is not an error, unless `--quiet`.
pub(crate) fn note(message: &str) {
    if !crate::progress::is_quiet() {
        say(message);
    }
}

/// A mistake in what the program was asked for, not in the data.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

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

/// Whether an error only says that the user named something that there is not, such as a format, or asked for
/// what cannot be had, such as a modifier that a system cannot have.
pub(crate) fn is_usage(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.is::<UnknownName>()
            || cause.is::<Usage>()
            || cause.is::<SpecError>()
            || cause.is::<FlagError>()
            || cause.downcast_ref().is_some_and(quaich::transform::Error::is_usage)
            || cause
                .downcast_ref::<quaich::Error>()
                .is_some_and(|error| error.kind() == quaich::ErrorKind::Usage)
    })
}

/// Rows of text in aligned columns: the first to the left, the others to the right.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let rows = all_visible(rows);
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in &rows {
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

/// Rows of cells as people see them, to be aligned.
pub(crate) fn all_visible(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.iter().map(|cell| visible(cell).into_owned()).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_in_messages() {
        let known = "known: ".to_owned() + &"a name, ".repeat(100);
        for short in ["unknown name `x`; known: y", &known] {
            assert_eq!(bounded(short), short);
        }
        for long in
            ["ä".repeat(50_000), "s0:t ".repeat(10_000), "`s0:t` ".repeat(10_000), "a`".repeat(25_000)]
        {
            for message in
                [format!("f.toml:1:2: in `{long}`: why"), long.clone(), format!("1 | x = \"{long}\"\n  | ^")]
            {
                let shown = bounded(&message);
                assert!(shown.chars().count() < LONGEST, "{}", shown.chars().count());
                assert!(shown.contains("characters left out"));
            }
        }
        let shown = bounded(&format!("f.toml:1:2: in `{}`: why", "s0:t ".repeat(10_000))).into_owned();
        assert!(
            shown.starts_with("f.toml:1:2: in `s0:t s0:t ")
                && shown.ends_with("s0:t `: why")
                && shown.len() < 400
        );
    }
}
