//! `quaich validate`: checks treebanks before training.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use quaich::treebank::validate::Inventory;
use quaich::treebank::{Error, Level, Problem, ReadOptions, Sentence, Sink, Validator, counted};
use serde::Serialize;

use super::{InputOptions, open, or_stdin};
use crate::files_used::FilesUsed;
use crate::{output, progress};

/// The number of problems of one kind to show without `--all`.
const SHOWN: u64 = 10;

/// Check treebanks and show how to fix them
///
/// Shows every problem with its file, line and column. The first file is the training data: labels, tags and features
/// of the other files that it does not have are warnings. The exit code is 1 if there are errors, and 0 if there are only
/// warnings.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich validate train.conllu dev.conllu
  quaich validate train.conllu --all")]
pub(crate) struct Validate {
    /// Treebanks, training data first [default: standard input]
    files: Vec<PathBuf>,

    /// Show all problems, not only the first ten of each kind per file
    #[arg(long)]
    all: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    input_options: InputOptions,
}

/// The problems of all files; `--json` prints this.
#[derive(Serialize)]
struct Report {
    errors: u64,
    warnings: u64,
    files: Vec<FileReport>,
}

/// The problems of a file.
#[derive(Serialize)]
struct FileReport {
    file: String,
    format: Option<String>,
    sentences: u64,
    tokens: u64,
    errors: u64,
    warnings: u64,
    /// The number of problems of each kind, shown or not.
    codes: BTreeMap<&'static str, u64>,
    problems: Vec<Shown>,
}

/// A problem and its sentence, with the token in brackets.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    problem: Problem,
    context: Option<String>,
}

impl Validate {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        self.input_options.files(or_stdin(&self.files))
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let files = or_stdin(&self.files);
        let options = self.input_options.options_for(&files)?;
        let mut stdout = Sink::for_people(None)?;
        let mut report = Report { errors: 0, warnings: 0, files: Vec::new() };
        let mut train: Option<(String, Inventory)> = None;
        for (path, options) in files.iter().zip(&options) {
            let limit = if self.all { u64::MAX } else { SHOWN };
            // The same help is shown once, not under every problem of its kind.
            let mut shown_help: BTreeMap<&'static str, String> = BTreeMap::new();
            let mut show = |file: &str, shown: &Shown| -> anyhow::Result<()> {
                if !self.json {
                    let Problem { code, help, .. } = &shown.problem;
                    let repeated = shown_help.insert(code, help.clone()).as_ref() == Some(help);
                    stdout.write_all(output::bounded(&render(file, shown, !repeated)).as_bytes())?;
                }
                Ok(())
            };
            let mut checked = Checked::new(path, limit, self.json, &mut show);
            let inventory = checked.check_file(path, options, train.as_ref())?;
            let file = checked.report;
            if !self.json {
                stdout.write_all(summary(&file, limit).as_bytes())?;
            }
            report.errors += file.errors;
            report.warnings += file.warnings;
            train = train.or(inventory.map(|inventory| (file.file.clone(), inventory)));
            report.files.push(file);
        }
        stdout.finish()?;
        if self.json {
            output::json(&report)?;
        }
        Ok(if report.errors > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

/// A file being checked.
struct Checked<'a> {
    report: FileReport,
    limit: u64,
    keep: bool,
    show: &'a mut dyn FnMut(&str, &Shown) -> anyhow::Result<()>,
}

impl<'a> Checked<'a> {
    fn new(
        path: &Path,
        limit: u64,
        keep: bool,
        show: &'a mut dyn FnMut(&str, &Shown) -> anyhow::Result<()>,
    ) -> Self {
        let file = if path.as_os_str() == "-" { "<stdin>".to_owned() } else { path.display().to_string() };
        let report = FileReport {
            file,
            format: None,
            sentences: 0,
            tokens: 0,
            errors: 0,
            warnings: 0,
            codes: BTreeMap::new(),
            problems: Vec::new(),
        };
        Self { report, limit, keep, show }
    }

    /// Reads the file to its end, or to the first unreadable line. Returns its inventory.
    fn check_file(
        &mut self,
        path: &Path,
        options: &ReadOptions,
        train: Option<&(String, Inventory)>,
    ) -> anyhow::Result<Option<Inventory>> {
        let mut reader = match open(path, options) {
            Ok(reader) => reader,
            Err(error) => {
                self.add(unreadable(&error, 1), None)?;
                return Ok(None);
            }
        };
        self.report.format = Some(reader.layout().name().to_owned());
        let mut validator = Validator::new(reader.format().known());
        let (mut sentence, mut problems) = (reader.sentence(), Vec::new());
        let bar = progress::counter("checked");
        let mut next_line = 1;
        loop {
            match reader.read_with_problems(&mut sentence, &mut problems) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    self.add(unreadable(&error, next_line), None)?;
                    break;
                }
            }
            next_line = sentence.first_line() + sentence.text().lines().count() as u64;
            validator.check(&sentence, &mut problems);
            for problem in problems.drain(..) {
                self.add(problem, Some(&sentence))?;
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        self.report.sentences = validator.n_sentences();
        self.report.tokens = validator.n_tokens();
        let inventory = validator.finish(&mut problems);
        if let Some((train_file, train)) = train {
            inventory.compare(train, train_file, &mut problems);
        }
        for problem in problems {
            self.add(problem, None)?;
        }
        Ok(Some(inventory))
    }

    /// Counts a problem and shows it, unless the limit for its kind is reached.
    fn add(&mut self, problem: Problem, sentence: Option<&Sentence>) -> anyhow::Result<()> {
        match problem.level {
            Level::Error => self.report.errors += 1,
            Level::Warning => self.report.warnings += 1,
        }
        let count = self.report.codes.entry(problem.code).or_default();
        *count += 1;
        if *count > self.limit {
            return Ok(());
        }
        let context = sentence.and_then(|sentence| sentence.context_of(problem.line));
        let shown = Shown { problem, context };
        (self.show)(&self.report.file, &shown)?;
        if self.keep {
            self.report.problems.push(shown);
        }
        Ok(())
    }
}

/// A file that could not be opened, detected or read as a problem.
fn unreadable(error: &Error, line: u64) -> Problem {
    let (code, message, help) = match error {
        Error::Io { source, .. } => (
            "unreadable",
            format!("cannot be read{}: {source}", if line > 1 { " from here on" } else { "" }),
            "check that the file exists, is complete and readable",
        ),
        Error::UnrecognisedFormat { reason, known, .. } => match reason.split_once("; ") {
            // The reason says what to do, unless the semicolon is in quoted data.
            Some((what, help)) if !what.contains('`') => {
                ("unrecognised-format", format!("cannot detect the format: {what}"), help)
            }
            _ => (
                "unrecognised-format",
                format!("cannot detect the format: {reason}, expected one of {known}"),
                "give the format with --format, or describe it in a format file",
            ),
        },
        Error::Malformed { problem, .. } => return (**problem).clone(),
        other => ("unreadable", other.to_string(), "check that this is a treebank"),
    };
    Problem { line, column: 1, level: Level::Error, code, message, help: help.to_owned() }
}

fn render(file: &str, shown: &Shown, with_help: bool) -> String {
    let Shown { problem, context } = shown;
    let level = match problem.level {
        Level::Error => "error",
        Level::Warning => "warning",
    };
    let mut text = format!(
        "{file}:{}:{}: {level}[{}]: {}\n",
        problem.line, problem.column, problem.code, problem.message
    );
    let help = if with_help { problem.help.as_str() } else { "" };
    for (name, line) in [("in", context.as_deref().unwrap_or_default()), ("help", help)] {
        if !line.is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "    {name}: {line}");
        }
    }
    text
}

fn summary(report: &FileReport, limit: u64) -> String {
    let mut text = String::new();
    let FileReport { file, sentences, tokens, errors, warnings, .. } = report;
    for (code, count) in report.codes.iter().filter(|(_, count)| **count > limit) {
        let hidden = count - limit;
        let _ = writeln!(text, "{file}: {hidden} more [{code}]; show them with --all");
    }
    let format = report.format.as_deref().unwrap_or("unknown format");
    let _ = writeln!(
        text,
        "{file}: {format}, {}, {}: {}, {}",
        counted(*sentences, "sentence"),
        counted(*tokens, "token"),
        counted(*errors, "error"),
        counted(*warnings, "warning")
    );
    text
}
