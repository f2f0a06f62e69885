//! The subcommands, one per file.

mod adapt;
mod adaptation_report;
mod blend;
#[cfg(feature = "code")]
mod code;
mod completions;
mod convert;
mod crossval;
mod demo;
mod diff;
mod distill;
mod draw;
mod eval;
mod features;
mod info;
mod instances;
mod list;
mod man;
mod oracle;
mod parse;
mod pretrain;
mod save_options;
mod stats;
mod text_options;
mod trace;
mod train;
mod training_options;
mod training_run;
mod transform;
mod tune;
mod validate;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Once;

use anyhow::Context;
use clap::{Args, Subcommand};
use quaich::Model;
use quaich::treebank::encoding::Undecodable;
use quaich::treebank::flags::{self, FlagOwner};
use quaich::treebank::{Error, FormatChoice, ReadOptions, Reader};

use crate::files_used::FilesUsed;
use crate::{output, progress};

/// The subcommands.
#[derive(Subcommand)]
pub(crate) enum Command {
    Demo(demo::Demo),
    Train(Box<train::Train>),
    Parse(parse::Parse),
    Eval(Box<eval::Eval>),
    Crossval(Box<crossval::Crossval>),
    Tune(Box<tune::Tune>),
    Blend(blend::Blend),
    Distill(Box<distill::Distill>),
    Pretrain(Box<pretrain::Pretrain>),
    Adapt(Box<adapt::Adapt>),
    Info(info::Info),
    Stats(stats::Stats),
    Validate(validate::Validate),
    Convert(convert::Convert),
    Diff(diff::Diff),
    Draw(draw::Draw),
    #[cfg(feature = "code")]
    Code(code::Code),
    Oracle(oracle::Oracle),
    Trace(trace::Trace),
    Transform(transform::Transform),
    Features(features::Features),
    Instances(Box<instances::Instances>),
    List(list::List),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    /// Runs the command, unless it would overwrite a file that it reads.
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.files().check()?;
        match self {
            Self::Demo(command) => command.run(),
            Self::Train(command) => command.run(),
            Self::Parse(command) => command.run(),
            Self::Eval(command) => command.run(),
            Self::Crossval(command) => command.run(),
            Self::Tune(command) => command.run(),
            Self::Blend(command) => command.run(),
            Self::Distill(command) => command.run(),
            Self::Pretrain(command) => command.run(),
            Self::Adapt(command) => command.run(),
            Self::Info(command) => command.run(),
            Self::Stats(command) => command.run(),
            Self::Validate(command) => command.run(),
            Self::Convert(command) => command.run(),
            Self::Diff(command) => command.run(),
            Self::Draw(command) => command.run(),
            #[cfg(feature = "code")]
            Self::Code(command) => command.run(),
            Self::Oracle(command) => command.run(),
            Self::Trace(command) => command.run(),
            Self::Transform(command) => command.run(),
            Self::Features(command) => command.run(),
            Self::Instances(command) => command.run(),
            Self::List(command) => command.run(),
            Self::Completions(command) => command.run(),
            Self::Man(command) => command.run(),
        }
    }

    /// The files that the command reads and writes, as far as the command line names them.
    pub(crate) fn files(&self) -> FilesUsed {
        match self {
            Self::Train(command) => command.files(),
            Self::Parse(command) => command.files(),
            Self::Eval(command) => command.files(),
            Self::Crossval(command) => command.files(),
            Self::Tune(command) => command.files(),
            Self::Blend(command) => command.files(),
            Self::Distill(command) => command.files(),
            Self::Pretrain(command) => command.files(),
            Self::Adapt(command) => command.files(),
            Self::Info(command) => command.files(),
            Self::Stats(command) => command.files(),
            Self::Validate(command) => command.files(),
            Self::Convert(command) => command.files(),
            Self::Diff(command) => command.files(),
            Self::Draw(command) => command.files(),
            #[cfg(feature = "code")]
            Self::Code(command) => command.files(),
            Self::Oracle(command) => command.files(),
            Self::Trace(command) => command.files(),
            Self::Transform(command) => command.files(),
            Self::Features(command) => command.files(),
            Self::Instances(command) => command.files(),
            // These read no files. Manual pages have fixed names in a folder.
            Self::Demo(_) | Self::List(_) | Self::Completions(_) | Self::Man(_) => FilesUsed::default(),
        }
    }
}

/// How to read the input files of a command.
#[derive(Args)]
#[command(next_help_heading = "Input options")]
pub(crate) struct InputOptions {
    /// The input format instead of detecting it: conllu, conllx, conll09, malttab, conllup, a format file (.toml), or auto. Give
    /// it once for all files, or once per file
    #[arg(long, value_name = "FORMAT")]
    format: Vec<String>,

    /// The input encoding, e.g. latin1 [default: UTF-8]. Give it once for all files, or once per file
    #[arg(long, value_name = "NAME")]
    encoding: Vec<String>,

    /// Replace invalid bytes with U+FFFD instead of failing
    #[arg(long)]
    lossy: bool,
}

impl InputOptions {
    /// Whether an input format is given.
    pub(crate) fn has_format(&self) -> bool {
        !self.format.is_empty()
    }

    /// The given treebanks and the format files.
    pub(crate) fn files(&self, treebanks: impl IntoIterator<Item = impl AsRef<Path>>) -> FilesUsed {
        let formats = self.format.iter().filter_map(|name| FormatChoice::file(name));
        FilesUsed::default().reading(treebanks).reading(formats)
    }

    /// The options for a single input file.
    pub(crate) fn options(&self, file: &Path) -> anyhow::Result<ReadOptions> {
        self.options_for([file])?.pop().context("one entry per file")
    }

    /// The options for each of several files, in the order of `--format` and `--encoding`.
    pub(crate) fn options_for(
        &self,
        files: impl IntoIterator<Item = impl AsRef<Path>>,
    ) -> anyhow::Result<Vec<ReadOptions>> {
        let files: Vec<_> = files.into_iter().collect();
        let is_stdin: Vec<bool> = files.iter().map(|path| path.as_ref().as_os_str() == "-").collect();
        let meter = progress::track_bytes_read(&files);
        if is_stdin.iter().filter(|is_stdin| **is_stdin).count() > 1 {
            let message = "standard input (`-`) is given more than once, but can be read only once";
            return Err(output::Usage(message.to_owned()).into());
        }
        let formats = per_file("--format", &self.format, is_stdin.len())?;
        let encodings = per_file("--encoding", &self.encoding, is_stdin.len())?;
        let options = formats.into_iter().zip(encodings);
        let options = options.map(|(format, encoding)| {
            let format = format.filter(|&name| name != DETECT);
            let undecodable = if self.lossy { Undecodable::Replace } else { Undecodable::Refuse };
            Ok(ReadOptions { undecodable, meter: meter.clone(), ..ReadOptions::parse(format, encoding)? })
        });
        options.collect()
    }
}

/// Opens a file; prints the detected format or encoding if it is uncertain.
pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<Reader, Error> {
    let reader = Reader::open(path, options)?;
    if let Some(doubt) = reader.doubt() {
        output::note(doubt);
    }
    Ok(reader)
}

/// The help text of an option that takes MaltParser's flags.
pub(crate) fn malt_help(about: &str, owners: &[&dyn FlagOwner]) -> String {
    format!("{about}\n{}", flags::help(owners))
}

/// Loads a model of a single parser: an ensemble has no derivation.
pub(crate) fn load_single_parser(model: &Path) -> anyhow::Result<Model> {
    let parser = Model::load(model)?;
    let (file, n) = (model.display(), parser.n_members());
    anyhow::ensure!(
        n == 1,
        "{file}: found an ensemble of {n} parsers, expected a single parser: an ensemble has no derivation"
    );
    Ok(parser)
}

/// The `--format` that detects the format.
const DETECT: &str = "auto";

/// The value of an option for each file: a single value is for all files.
fn per_file<'a>(option: &str, given: &'a [String], n_files: usize) -> anyhow::Result<Vec<Option<&'a str>>> {
    match given {
        [] => Ok(vec![None; n_files]),
        [all] => Ok(vec![Some(all.as_str()); n_files]),
        _ if given.len() == n_files => Ok(given.iter().map(|one| Some(one.as_str())).collect()),
        _ => {
            let (n, files) = (given.len(), if n_files == 1 { "file" } else { "files" });
            let message = format!(
                "found `{option}` {n} times for {n_files} {files}, expected it once, or once per file"
            );
            Err(output::Usage(message).into())
        }
    }
}

/// The given files; standard input if there are none.
pub(crate) fn or_stdin(files: &[PathBuf]) -> Vec<PathBuf> {
    if files.is_empty() { vec![PathBuf::from("-")] } else { files.to_vec() }
}

/// The number of threads.
#[derive(Args)]
pub(crate) struct Threads {
    /// Number of threads [default: all cores]; the output does not depend on it
    #[arg(long, short, value_name = "N", value_parser = integer::<NonZeroUsize>, allow_negative_numbers = true)]
    jobs: Option<NonZeroUsize>,
}

impl Threads {
    /// Runs `work` in a thread pool of this size.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
        let n = self.number();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .build()
            .with_context(|| format!("{n} threads could not be started"))?;
        Ok(pool.install(work))
    }

    /// The number of threads. Far more threads than cores would only slow each other down.
    pub(crate) fn number(&self) -> usize {
        static REPORTED: Once = Once::new();
        let n_cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let max = (2 * n_cores).max(8);
        match self.jobs.map(NonZeroUsize::get) {
            None => n_cores,
            Some(wanted) if wanted <= max => wanted,
            Some(wanted) => {
                REPORTED.call_once(|| {
                    output::note(&format!(
                        "--jobs {wanted}: this machine has {n_cores} cores, using {max} threads"
                    ));
                });
                max
            }
        }
    }
}

/// Parses an integer.
pub(crate) fn integer<T: FromStr>(text: &str) -> Result<T, String> {
    let min = u8::from("0".parse::<T>().is_err());
    let text = text.trim().replace('_', "");
    text.parse().map_err(|_| {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && !text.trim_start_matches('0').is_empty() {
            "the number is too large".to_owned()
        } else {
            format!("expected an integer of at least {min}")
        }
    })
}
