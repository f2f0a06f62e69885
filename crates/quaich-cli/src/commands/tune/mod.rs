//! `quaich tune`: the best configuration for a treebank, within a budget.

mod distributed;
mod processes;
mod progress;
mod search_options;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context;
use clap::{Args, Subcommand};
use quaich::treebank::Sink;
use quaich::tuning::{Budget, Journal, Tuned, Tuner, report};
use serde::Serialize;

use super::Threads;
use crate::files_used::FilesUsed;
use crate::{interrupts, output};
use progress::SearchProgress;
use search_options::{SearchOptions, names, read};

/// Find the best settings, transition system and feature model for a treebank by trials
///
/// Tries, in phases: the position of node 0, transition systems and their modifiers, transformations, feature models (by backward and
/// forward selection; learners with templates), sizes and input columns (learners with an encoder), and the other settings of the learner.
/// A change is accepted if cross-validation shows that it is better beyond noise. At the end, the result and the defaults are compared on held-out sentences, and the better one is
/// written as a file for `quaich train --config`.
///
/// Finished trials are saved in CONFIG.trials. Ctrl-C keeps the best so far and exits with code 130; `--resume` continues.
///
/// For several machines: `plan` prints trials, `run` runs one, `collect` gathers the results.
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:
  quaich tune train.conllu -o tuned.toml --report report.html
  quaich tune train.conllu -o tuned.toml --budget 2h --measure CLAS
  quaich tune train.conllu -o svm.toml --learner linear-svm --features base --trials 300
  quaich tune train.conllu -o tuned.toml --resume --budget 1h
  quaich tune plan train.conllu --dir trials --trials 200 > list.txt
  quaich tune run trials/0123456789abcdef.trial
  quaich tune collect trials -o tuned.toml --report report.md"
)]
pub(crate) struct Tune {
    #[command(subcommand)]
    command: Option<Distributed>,

    /// Treebanks to tune on; `-` for standard input
    #[arg(value_name = "TREEBANK", required = true)]
    treebanks: Vec<PathBuf>,

    #[command(flatten)]
    search: SearchOptions,

    /// Wall-clock time to use, e.g. 90s, 30m or 2h
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "30m", conflicts_with = "trials")]
    budget: Duration,

    /// Number of trials to use instead of a time; a trial is one training run. The result then depends only on the treebank, the options
    /// and the seed
    #[arg(long, value_name = "N", value_parser = super::integer::<std::num::NonZeroUsize>, allow_negative_numbers = true)]
    trials: Option<std::num::NonZeroUsize>,

    /// Continue with the trials of an earlier run, which are in CONFIG.trials
    #[arg(long, requires = "output")]
    resume: bool,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    results: Results,
}

/// Trials on other machines.
#[derive(Subcommand)]
enum Distributed {
    Plan(Box<distributed::Plan>),
    Run(distributed::Run),
    Collect(distributed::Collect),
}

/// Where the results go.
#[derive(Args)]
struct Results {
    /// Write the configuration to this file [default: standard output]
    #[arg(long, short, value_name = "CONFIG")]
    output: Option<PathBuf>,

    /// Write a report: HTML with plots if the name ends in .html, otherwise Markdown; repeatable
    #[arg(long, value_name = "FILE")]
    report: Vec<PathBuf>,

    /// Print the record of the search as JSON
    #[arg(long)]
    json: bool,
}

/// Parses a time such as `30m`.
fn duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let (number, unit) = match text.char_indices().last() {
        Some((end, 's')) => (&text[..end], 1.0),
        Some((end, 'm')) => (&text[..end], 60.0),
        Some((end, 'h')) => (&text[..end], 3600.0),
        _ => ("", 0.0),
    };
    let seconds = number.trim().parse::<f64>().ok().map(|number| number * unit);
    let is_sensible = |seconds: &f64| (1.0..=1e8).contains(seconds);
    seconds.filter(is_sensible).map(Duration::from_secs_f64).ok_or_else(|| {
        "expected a number with a unit, such as 90s, 30m or 2h, of at least a second".to_owned()
    })
}

impl Tune {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        match &self.command {
            Some(Distributed::Plan(command)) => command.files(),
            Some(Distributed::Run(command)) => command.files(),
            Some(Distributed::Collect(command)) => command.files(),
            None => self.search.files(&self.treebanks).and(self.results.files()).writing(self.journal()),
        }
    }

    /// The file of finished trials.
    fn journal(&self) -> Option<PathBuf> {
        let mut name =
            self.results.output.as_ref().filter(|output| output.as_os_str() != "-")?.clone().into_os_string();
        name.push(".trials");
        Some(name.into())
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            Some(Distributed::Plan(command)) => return command.run(),
            Some(Distributed::Run(command)) => return command.run(),
            Some(Distributed::Collect(command)) => return command.run(),
            None => {}
        }
        let config = self.search.config(&self.files())?;
        let budget = self.trials.map_or(Budget::Time(self.budget), |trials| Budget::Trials(trials.get()));
        let data = read(&self.treebanks, &self.search.input_options)?;
        let jobs = self.threads.number();
        let stop = interrupts::stop_flag();
        let stop = || stop.load(Ordering::Relaxed);
        let shown = SearchProgress::new(budget, jobs);
        let report = |event: &quaich::tuning::Event<'_>| shown.event(event);
        let options = self.search.options(budget, &config.settings);
        let tuner =
            Tuner::new(&data, &config, options).map_err(usage)?.jobs(jobs).stop_if(&stop).report(&report);
        let search = distributed::Search::new(&self.treebanks, &self.search, &config, 0);
        let runner = processes::Processes::new(&search, &data, self.search.measure)?;
        let is_repeatable =
            self.treebanks.iter().all(|path| std::fs::metadata(path).is_ok_and(|file| file.is_file()));
        // What is read from a pipe can be read only once, so that its trials run in this process.
        let tuner = if is_repeatable { tuner.runner(&runner) } else { tuner };
        let mut journal = match self.journal() {
            Some(path) => tuner.journal(&path, self.resume)?,
            None => Journal::in_memory(),
        };
        shown.start(data.facts());
        let tuned = tuner.run(&mut journal)?;
        crate::progress::clear();
        self.results.write(&tuned, &names(&self.treebanks))
    }
}

/// An error in the options has the exit code 2.
fn usage(error: quaich::tuning::Error) -> anyhow::Error {
    if error.is_usage() { output::Usage(error.to_string()).into() } else { error.into() }
}

impl Results {
    fn files(&self) -> FilesUsed {
        FilesUsed::default().writing(&self.output).writing(&self.report)
    }

    /// Writes configuration and reports, and prints a summary.
    fn write(&self, tuned: &Tuned, treebanks: &[String]) -> anyhow::Result<ExitCode> {
        #[derive(Serialize)]
        struct Record<'a> {
            config: &'a str,
            interrupted: bool,
            #[serde(flatten)]
            log: &'a quaich::tuning::Log,
        }
        let config = tuned.config()?;
        for file in &self.report {
            let is_html = file.extension().is_some_and(|end| end.eq_ignore_ascii_case("html"));
            let write = if is_html { report::html } else { report::markdown };
            write_file(file, &write(&tuned.log, treebanks))?;
        }
        if let Some(file) = &self.output {
            write_file(file, &config)?;
        }
        for line in progress::summary(tuned) {
            output::note(&line);
        }
        if self.json {
            output::json(&Record { config: &config, interrupted: tuned.is_interrupted, log: &tuned.log })?;
        } else if self.output.is_none() {
            output::bytes(config.as_bytes())?;
        }
        if tuned.is_interrupted {
            let resume = if self.output.is_some() { "; --resume continues" } else { "" };
            output::note(&format!("interrupted: the configuration is the best so far{resume}"));
            return Ok(ExitCode::from(interrupts::INTERRUPTED));
        }
        if let Some(file) = self.output.as_ref().filter(|file| file.as_os_str() != "-") {
            let (file, treebanks) =
                (output::shell_word(file), treebanks.iter().map(|name| output::shell_word(Path::new(name))));
            let treebanks = treebanks.collect::<Vec<_>>().join(" ");
            output::note(&format!("next: quaich train {treebanks} --config {file} -o MODEL"));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn write_file(file: &Path, text: &str) -> anyhow::Result<()> {
    use std::io::Write;
    let mut sink = Sink::create(Some(file))?;
    sink.write_all(text.as_bytes()).with_context(|| file.display().to_string())?;
    sink.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        for (text, seconds) in [("90s", 90), ("30m", 1800), (" 1.5h ", 5400)] {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)));
        }
        for text in ["", "30", "m", "-1m", "0s", "1d", "infm", "1e99h", "é"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
