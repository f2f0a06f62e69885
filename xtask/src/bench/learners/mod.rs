//! The learners of the papers: a reproduction of their table of 2006 on danish-ddt, and their cost compared with the original
//! programs. The report is a page of the manual; all its figures are stored with the runs.

mod growth;
mod kernels;
mod published;
mod search;
mod table;

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::process::{Run, build, measured};
use super::{Place, machine, record};
use crate::say;

pub(super) const USAGE: &str = "[--limit SECONDS]";

/// The page of the manual that this generates.
const PAGE: &str = "docs/results/learners.md";

/// The default time limit of the other programs, in seconds.
const LIMIT: u64 = 300;

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let limit = match options {
        [] => Some(LIMIT),
        ["--limit", seconds] => seconds.parse().ok(),
        _ => None,
    };
    let limit =
        limit.ok_or_else(|| io::Error::other(format!("found `{}`, expected {USAGE}", options.join(" "))))?;
    let folder = record::treebanks()?;
    let folder = folder.canonicalize()?;
    let mut bench = Bench {
        place,
        program: build(&place.root)?,
        danish: folder.join("danish-ddt"),
        hungarian: folder.join("hungarian-szeged"),
        limit: Duration::from_secs(limit),
        record: String::from("what\tseconds\tKiB\tresult\n"),
    };
    let called: String = options.iter().flat_map(|option| [" ", option]).collect();
    let mut page = introduction(&called);
    page += &table::report(&mut bench)?;
    page += &growth::report(&mut bench)?;
    page += &kernels::report(&mut bench)?;
    fs::write(place.root.join(PAGE), &page)?;
    let run = place.root.join("benchmarks/runs").join(format!("{}-learners", machine::today()));
    fs::create_dir_all(&run)?;
    fs::write(run.join("raw.tsv"), &bench.record)?;
    fs::write(run.join("README.md"), readme(&called))?;
    Ok(page)
}

/// What every measurement needs.
struct Bench<'a> {
    place: &'a Place,
    program: PathBuf,
    danish: PathBuf,
    hungarian: PathBuf,
    /// For programs that others are compared with.
    limit: Duration,
    /// Every measurement: what, seconds on the core, memory, and what came of it.
    record: String,
}

impl Bench<'_> {
    /// A place for something that is made on the way.
    fn file(&self, name: &str) -> PathBuf {
        self.place.scratch.join(name)
    }

    fn note(&mut self, what: &str, run: Option<&Run>, result: &str) {
        let seconds = run.map_or_else(|| "stopped".to_owned(), |run| format!("{:.2}", run.seconds()));
        let peak = run.and_then(|run| run.peak).map_or_else(String::new, |peak| peak.to_string());
        say(&format!("{what}: {seconds} s {result}"));
        // Writing to a string cannot fail.
        let _ = writeln!(self.record, "{what}\t{seconds}\t{peak}\t{result}");
    }

    /// Trains on one thread, as the papers did: arc-eager, roots implicit, one class for transition and label.
    fn train(&self, options: &[&str], treebank: &Path, model: &Path) -> io::Result<Run> {
        let mut command = Command::new(&self.program);
        command.args(["train", "--quiet", "--jobs", "1", "--system", "arc-eager", "--set", "root=none"]);
        command.args(["--decision", "joint"]).args(options).arg("-o").arg(model).arg(treebank);
        ended(measured(&mut command, None)?)
    }

    /// Parses on one thread.
    fn parse(&self, model: &Path, text: &Path, parsed: &Path) -> io::Result<Run> {
        let mut command = Command::new(&self.program);
        command.args(["parse", "--quiet", "--jobs", "1", "-m"]).arg(model).arg(text).arg("-o").arg(parsed);
        ended(measured(&mut command, None)?)
    }

    /// Writes the instances of a treebank as a model sees them, or what the model makes of them.
    fn instances(
        &self,
        model: &Path,
        treebank: &Path,
        format: &str,
        predict: bool,
        out: &Path,
    ) -> io::Result<Run> {
        let mut command = Command::new(&self.program);
        command.args(["instances", "--to", format, "-m"]).arg(model).arg(treebank).arg("-o").arg(out);
        if predict {
            command.arg("--predict");
        }
        ended(measured(&mut command, None)?)
    }
}

/// A run without a limit comes to an end.
fn ended(run: Option<Run>) -> io::Result<Run> {
    run.ok_or_else(|| io::Error::other("a program was stopped"))
}

/// Whether a program is installed.
fn is_installed(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

fn introduction(options: &str) -> String {
    format!(
        "# The papers' learners\n\n\
         Accuracy and speed of [`memory`](../reference/memory-based-learning.md) and [`svm`](../reference/svm.md), the learners of 2004 to 2007: which findings of the papers hold, and how the learners compare with TiMBL, LIBSVM and LIBLINEAR. The page is generated by\n\n\
         \x20   QUAICH_TREEBANKS=… cargo xtask bench learners{options}\n\n\
         on {}, {}. Other programs ran on the machine at the same time. Times are seconds of processor time, including reading and writing files; ratios are more reliable\n\
         than seconds. All programs ran on one thread. Every measurement is in `benchmarks/runs/{}-learners/raw.tsv`.\n\n",
        machine::cpu(),
        machine::today(),
        machine::today(),
    )
}

fn readme(options: &str) -> String {
    format!(
        "# The papers' learners\n\n\
         `raw.tsv` has every measurement of `QUAICH_TREEBANKS=… cargo xtask bench learners{options}`, {}, on {}{}: what was run, its seconds on the\n\
         core, the most memory it had, in KiB, and what came of it: scores in percent without punctuation (UAS, LAS, UEM, LEM or, held out, LAS), lines, or answers that are the\n\
         same as the other program's. The report is `docs/results/learners.md`.\n",
        machine::today(),
        machine::cpu(),
        machine::load().map_or_else(String::new, |load| format!(" (load average at the end {load:.1})")),
    )
}
