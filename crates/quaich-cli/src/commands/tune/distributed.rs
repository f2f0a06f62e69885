//! `quaich tune plan`, `run` and `collect`: a search whose trials run on other machines.
//!
//! A folder has the search (`search.json`), one file per trial (`KEY.trial`) and one per finished trial (`KEY.result`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use anyhow::{Context, bail};
use clap::Args;
use quaich::TrainingConfig;
use quaich::tuning::{Budget, Candidate, Data, Journal, Measure, Options, Outcome, Trial, Tuner};
use serde::{Deserialize, Serialize};

use super::search_options::{SearchOptions, names, read};
use super::{Results, usage, write_file};
use crate::commands::{InputOptions, Threads, integer};
use crate::files_used::FilesUsed;
use crate::{interrupts, output, progress};

/// Print the trials that can be run next, one file per line; nothing if the search is finished
///
/// The first call names the treebanks and the options of the search, and makes the folder. Run all printed trials with `quaich tune run`,
/// on any machine that sees the folder and the treebanks under the same names, then call `quaich tune plan` again: what is tried next
/// depends on the results. The result is that of `quaich tune --trials N` with the same options.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich tune plan train.conllu --dir trials --trials 200
  quaich tune plan --dir trials")]
pub(super) struct Plan {
    /// The folder of the search
    #[arg(long, value_name = "FOLDER")]
    dir: PathBuf,

    /// Number of trials to use; a trial is one training run
    #[arg(long, value_name = "N", default_value = "200", value_parser = integer::<std::num::NonZeroUsize>, allow_negative_numbers = true)]
    trials: std::num::NonZeroUsize,

    /// Treebanks to tune on; only for the first call, as are the options of the search
    #[arg(value_name = "TREEBANK")]
    treebanks: Vec<PathBuf>,

    #[command(flatten)]
    search: SearchOptions,
}

/// Run trials and write their results next to them
#[derive(Args)]
#[command(after_help = "Examples:
  quaich tune run trials/0123456789abcdef.trial
  quaich tune run trials/*.trial --jobs 1")]
pub(super) struct Run {
    /// Files that `quaich tune plan` printed; finished ones are skipped
    #[arg(value_name = "TRIAL", required_unless_present = "piped")]
    trials: Vec<PathBuf>,

    /// Read a search and a trial from standard input, and print the outcome: how `quaich tune` keeps trials apart
    #[arg(long, hide = true, conflicts_with = "trials")]
    piped: bool,

    #[command(flatten)]
    threads: Threads,
}

/// Gather the results of trials: write the configuration and the report
#[derive(Args)]
#[command(after_help = "Examples:
  quaich tune collect trials -o tuned.toml
  quaich tune collect trials -o tuned.toml --report report.html --report report.md")]
pub(super) struct Collect {
    /// The folder of the search
    #[arg(value_name = "FOLDER")]
    dir: PathBuf,

    #[command(flatten)]
    results: Results,
}

/// The search, as it is stored in the folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Search {
    treebanks: Vec<PathBuf>,
    format: Vec<String>,
    encoding: Vec<String>,
    lossy: bool,
    start: Candidate,
    measure: Measure,
    seed: u64,
    trials: usize,
}

const SEARCH: &str = "search.json";
const TRIAL: &str = "trial";
const RESULT: &str = "result";

impl Search {
    /// The search with these options.
    pub(super) fn new(
        treebanks: &[PathBuf],
        options: &SearchOptions,
        config: &TrainingConfig,
        trials: usize,
    ) -> Self {
        let InputOptions { format, encoding, lossy } = &options.input_options;
        Self {
            treebanks: treebanks.to_vec(),
            format: format.clone(),
            encoding: encoding.clone(),
            lossy: *lossy,
            start: Candidate::of(config),
            measure: options.measure,
            seed: config.settings.seed(),
            trials,
        }
    }

    fn read(folder: &Path) -> anyhow::Result<Self> {
        let file = folder.join(SEARCH);
        let text = fs::read_to_string(&file)
            .with_context(|| format!("{}: no search, which `quaich tune plan` makes", file.display()))?;
        serde_json::from_str(&text).with_context(|| file.display().to_string())
    }

    fn data(&self) -> anyhow::Result<Data> {
        let (format, encoding) = (self.format.clone(), self.encoding.clone());
        read(&self.treebanks, &InputOptions { format, encoding, lossy: self.lossy })
    }

    /// Calls something with the search.
    fn with_tuner<T>(
        &self,
        jobs: usize,
        work: impl FnOnce(&Tuner<'_>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let data = self.data()?;
        let options = Options { measure: self.measure, budget: Budget::Trials(self.trials), seed: self.seed };
        let stop = interrupts::stop_flag();
        let stop = || stop.load(Ordering::Relaxed);
        let tuner =
            Tuner::new(&data, &self.start.config()?, options).map_err(usage)?.jobs(jobs).stop_if(&stop);
        work(&tuner)
    }
}

/// The results in a folder.
fn results(folder: &Path) -> anyhow::Result<Journal> {
    let named = || folder.display().to_string();
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(named)? {
        let file = entry.with_context(named)?.path();
        if file.extension().is_some_and(|end| end == RESULT) {
            files.push(file);
        }
    }
    files.sort();
    let read = |file: &PathBuf| {
        let outcome: Outcome = serde_json::from_str(&fs::read_to_string(file)?)?;
        anyhow::Ok(outcome)
    };
    let outcomes = files.iter().map(|file| read(file).with_context(|| file.display().to_string()));
    Ok(Journal::of(outcomes.collect::<anyhow::Result<Vec<_>>>()?))
}

impl Plan {
    pub(super) fn files(&self) -> FilesUsed {
        self.search.files(&self.treebanks).reading([&self.dir])
    }

    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let search = self.search()?;
        let journal = results(&self.dir)?;
        let _bar = progress::step_bar("planning");
        let mut list = String::new();
        search.with_tuner(1, |tuner| {
            for trial in tuner.plan(&journal)? {
                let file = self.dir.join(tuner.key(&trial)).with_extension(TRIAL);
                write_file(&file, &(serde_json::to_string(&trial)? + "\n"))?;
                list.extend([file.display().to_string().as_str(), "\n"]);
            }
            Ok(())
        })?;
        output::bytes(list.as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }

    /// The search in the folder, or a new one.
    fn search(&self) -> anyhow::Result<Search> {
        let options = &self.search;
        if self.treebanks.is_empty() {
            return Search::read(&self.dir);
        }
        if self.treebanks.iter().any(|path| path.as_os_str() == "-") {
            let message = "every trial reads the treebanks again, so they cannot be standard input";
            return Err(output::Usage(message.to_owned()).into());
        }
        let config = options.config(&self.files())?;
        let search = Search::new(&self.treebanks, options, &config, self.trials.get());
        fs::create_dir_all(&self.dir).with_context(|| self.dir.display().to_string())?;
        let file = self.dir.join(SEARCH);
        // A search can be continued with more trials.
        if file.exists() && (Search { trials: search.trials, ..Search::read(&self.dir)? }) != search {
            bail!("{}: found another search, expected the same one or an empty folder", file.display());
        }
        write_file(&file, &(serde_json::to_string_pretty(&search)? + "\n"))?;
        Ok(search)
    }
}

impl Run {
    pub(super) fn files(&self) -> FilesUsed {
        FilesUsed::default().reading(&self.trials)
    }

    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        if self.piped {
            let (search, trial): (Search, Trial) = serde_json::from_reader(std::io::stdin().lock())?;
            let outcome = search.with_tuner(self.threads.number(), |tuner| Ok(tuner.run_trial(&trial)))?;
            let Some(outcome) = outcome else { return Ok(ExitCode::from(interrupts::INTERRUPTED)) };
            output::bytes(serde_json::to_string(&outcome)?.as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        for file in &self.trials {
            let result = file.with_extension(RESULT);
            if result.exists() {
                continue;
            }
            let named = || file.display().to_string();
            let trial: Trial =
                serde_json::from_str(&fs::read_to_string(file).with_context(named)?).with_context(named)?;
            let folder =
                file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let search = Search::read(folder)?;
            let outcome = search.with_tuner(self.threads.number(), |tuner| {
                if file.file_stem().is_none_or(|stem| stem != tuner.key(&trial).as_str()) {
                    bail!("{}: the trial is of another treebank or another search", file.display());
                }
                Ok(tuner.run_trial(&trial))
            })?;
            let Some(outcome) = outcome else { return Ok(ExitCode::from(interrupts::INTERRUPTED)) };
            if let Err(reason) = &outcome.result {
                output::note(&format!("{}: the trial failed: {reason}", file.display()));
            }
            write_file(&result, &(serde_json::to_string(&outcome)? + "\n"))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Collect {
    pub(super) fn files(&self) -> FilesUsed {
        self.results.files().reading([&self.dir])
    }

    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let search = Search::read(&self.dir)?;
        self.files().reading(&search.treebanks).check()?;
        let journal = results(&self.dir)?;
        let mut tuned = search.with_tuner(1, |tuner| Ok(tuner.collect(&journal)))?;
        progress::clear();
        if std::mem::take(&mut tuned.is_interrupted) {
            let folder = output::shell_word(&self.dir);
            output::note(&format!(
                "the search is not finished: `quaich tune plan --dir {folder}` prints the next trials"
            ));
        }
        self.results.write(&tuned, &names(&search.treebanks))
    }
}
