//! Everything the program prints: data on standard output, messages on standard error.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use quaich::transition::spec::SpecError;
use quaich::treebank::visible::visible;
use quaich::treebank::{Error, FlagError, Sink, UnknownName};
use serde::Serialize;

/// What drawings are made for: a terminal or a file.
#[derive(Clone, Copy)]
pub(crate) struct Screen {
    /// Columns; 0 means unlimited.
    pub(crate) width: usize,
    /// Whether to write escape sequences for colours.
    pub(crate) colour: bool,
}

impl Screen {
    /// A file: no colours, lines of any length.
    pub(crate) fn file() -> Self {
        Self { width: 0, colour: false }
    }

    /// Standard output: a terminal or a file. Respects `NO_COLOR` (no-color.org).
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

/// Prints human-readable text on standard output.
pub(crate) fn text(text: &str) -> anyhow::Result<()> {
    print(Sink::for_people(None)?, text.as_bytes())
}

/// Prints machine-readable data on standard output.
pub(crate) fn bytes(bytes: &[u8]) -> anyhow::Result<()> {
    print(Sink::create(None)?, bytes)
}

fn print(mut sink: Sink, bytes: &[u8]) -> anyhow::Result<()> {
    sink.write_all(bytes)?;
    sink.finish()?;
    Ok(())
}

/// Prints text with drawings, whose colour escapes are kept, on standard output.
pub(crate) fn drawing(text: &str) -> anyhow::Result<()> {
    print(Sink::for_drawing(None)?, text.as_bytes())
}

/// Prints a value as JSON on standard output.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    print(Sink::for_json(None)?, (serde_json::to_string_pretty(value)? + "\n").as_bytes())
}

/// Reports the error that made the program fail.
pub(crate) fn error(error: &anyhow::Error) {
    crate::progress::clear();
    let mut message = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Most messages already end with the system's message.
        if !message.ends_with(&cause) {
            message.extend([": ", &cause]);
        }
    }
    print_line(&format!("error: {message}"));
}

/// Prints clap's messages: help and versions on standard output, errors on standard error.
pub(crate) fn print_clap_error(error: &clap::Error) -> ExitCode {
    let usage = error.use_stderr();
    let is_changed = |argument: OsString| {
        let argument = argument.to_string_lossy();
        argument.len() > LONGEST_QUOTED || visible(&argument) != argument
    };
    if usage && std::env::args_os().any(is_changed) {
        // Without colours: arguments must not reach the terminal as escape sequences.
        print_line(error.render().to_string().trim_end());
        return ExitCode::from(2);
    }
    match error.print() {
        // A message that cannot be written to standard error is dropped.
        _ if usage => ExitCode::from(2),
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            print_line(&format!("error: <stdout>: {error}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Prints a line on standard error. If it cannot be written, it is dropped and work continues.
fn print_line(line: &str) {
    crate::progress::suspend_bar(|| drop(writeln!(io::stderr(), "{}", visible(&bounded(line)))));
}

/// The longest text between backquotes, and the longest word, that is printed in full, in characters: longer ones come from
/// files and from users.
const LONGEST_QUOTED: usize = 300;
/// The longest message that is printed in full, longer than any list of known names.
const LONGEST: usize = 8000;

/// The message with overlong texts from files and users cut.
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

/// A text of at most `longest` characters, or the beginning and the end of a longer one.
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

/// Prints a message that is not an error, unless `--quiet` is given.
pub(crate) fn note(message: &str) {
    if !crate::progress::is_quiet() {
        print_line(message);
    }
}

/// An argument as it is typed in a shell.
pub(crate) fn shell_word(argument: &Path) -> String {
    let argument = argument.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:@%+=,".contains(c);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        argument
    } else {
        format!("'{}'", argument.replace('\'', "'\\''"))
    }
}

/// An error in the command line, not in the data; the exit code is 2.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Whether an error only means that the reader of our output closed the pipe.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = match cause.downcast_ref::<Error>() {
            Some(Error::Io { source, .. }) => Some(source),
            _ => cause.downcast_ref::<io::Error>(),
        };
        io.is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe)
    })
}

/// Whether an error is bad usage: an unknown name, such as that of a format, or an impossible combination, such as a
/// modifier that a system does not support.
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

/// Whether a command was interrupted before it had anything to write.
pub(crate) fn is_interruption(error: &anyhow::Error) -> bool {
    let is_stopped = |error: &quaich::Error| error.kind() == quaich::ErrorKind::Stopped;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(is_stopped))
}

/// Rows of text in aligned columns: the first left-aligned, the others right-aligned.
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

/// The cells as they are displayed, for alignment.
pub(crate) fn all_visible(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.iter().map(|cell| visible(cell).into_owned()).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_cut_long_texts() {
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
