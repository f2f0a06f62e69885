//! `cargo xtask bench NAME`: measures the program as users run it. Results go to
//! `benchmarks/runs/DATE-NAME/`, or are a page of the manual.

mod adapt;
mod asked;
mod blends;
mod code;
mod combinations;
mod distillation;
mod encoder;
mod figures;
mod frontier;
mod learners;
mod machine;
mod measured;
mod parsing;
mod partial;
mod pretraining;
mod process;
mod python;
mod raw_text;
mod reading;
mod record;
mod score;
mod sizes;
mod text;
mod transformations;
mod tune;

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::say;

/// One benchmark: takes its options and gives its report.
struct Benchmark {
    name: &'static str,
    usage: &'static str,
    run: fn(&Place, &[&str]) -> io::Result<String>,
    /// Where its report goes.
    kept: Kept,
}

/// Where a report goes.
#[derive(Clone, Copy)]
enum Kept {
    /// Among the runs.
    AsRun,
    /// It is this page of the manual, when nothing was left out by an option.
    AsPage(&'static str),
    /// The benchmark sees to it.
    ByItself,
}

static BENCHMARKS: &[Benchmark] = &[
    Benchmark { name: "reading", usage: reading::USAGE, run: reading::run, kept: Kept::AsRun },
    Benchmark { name: "parsing", usage: parsing::USAGE, run: parsing::run, kept: Kept::AsRun },
    Benchmark {
        name: "combinations",
        usage: combinations::USAGE,
        run: combinations::run,
        kept: Kept::AsPage(combinations::PAGE),
    },
    Benchmark { name: "encoder", usage: encoder::USAGE, run: encoder::run, kept: Kept::ByItself },
    Benchmark { name: "blends", usage: blends::USAGE, run: blends::run, kept: Kept::ByItself },
    Benchmark {
        name: "distillation",
        usage: distillation::USAGE,
        run: distillation::run,
        kept: Kept::ByItself,
    },
    Benchmark { name: "frontier", usage: frontier::USAGE, run: frontier::run, kept: Kept::ByItself },
    Benchmark { name: "learners", usage: learners::USAGE, run: learners::run, kept: Kept::ByItself },
    Benchmark {
        name: "transformations",
        usage: transformations::USAGE,
        run: transformations::run,
        kept: Kept::ByItself,
    },
    Benchmark { name: "partial", usage: partial::USAGE, run: partial::run, kept: Kept::ByItself },
    Benchmark { name: "raw-text", usage: raw_text::USAGE, run: raw_text::run, kept: Kept::ByItself },
    Benchmark { name: "text", usage: pretraining::USAGE, run: pretraining::run, kept: Kept::ByItself },
    Benchmark { name: "adapt", usage: adapt::USAGE, run: adapt::run, kept: Kept::ByItself },
    Benchmark { name: "tune", usage: tune::USAGE, run: tune::run, kept: Kept::ByItself },
    Benchmark { name: "code", usage: code::USAGE, run: code::run, kept: Kept::ByItself },
    Benchmark { name: "python", usage: python::USAGE, run: python::run, kept: Kept::AsPage(python::PAGE) },
    Benchmark { name: "sizes", usage: sizes::USAGE, run: sizes::run, kept: Kept::AsPage(sizes::PAGE) },
];

/// Runs the benchmark of that name; writes and shows its report.
pub(crate) fn run(name: &str, options: &[&str]) -> ExitCode {
    let Some(benchmark) = BENCHMARKS.iter().find(|benchmark| benchmark.name == name) else {
        let names: Vec<&str> = BENCHMARKS.iter().map(|benchmark| benchmark.name).collect();
        say(&format!("found benchmark `{name}`, expected one of: {}", names.join(", ")));
        return ExitCode::from(2);
    };
    match report(benchmark, options) {
        Ok(report) => {
            say(&report);
            ExitCode::SUCCESS
        }
        Err(error) => {
            say(&format!("bench {name} failed: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// How the benchmarks are called.
pub(crate) fn usage() -> String {
    BENCHMARKS.iter().fold(String::new(), |mut text, benchmark| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "       cargo xtask bench {} {}", benchmark.name, benchmark.usage);
        text
    })
}

fn report(benchmark: &Benchmark, options: &[&str]) -> io::Result<String> {
    let place = Place::new()?;
    let report = (benchmark.run)(&place, options)?;
    match benchmark.kept {
        Kept::AsRun => {
            let run = format!("{}-{}", machine::today(), benchmark.name);
            let folder = place.root.join("benchmarks/runs").join(run);
            fs::create_dir_all(&folder)?;
            fs::write(folder.join("README.md"), &report)?;
        }
        Kept::AsPage(page) if options.is_empty() => fs::write(place.root.join(page), &report)?,
        // A part of a page is only printed.
        Kept::AsPage(_) | Kept::ByItself => {}
    }
    Ok(report)
}

/// Where the workspace is, and a folder for what is made on the way; it goes when this goes.
struct Place {
    root: PathBuf,
    scratch: PathBuf,
}

impl Place {
    fn new() -> io::Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
        let scratch = std::env::temp_dir().join(format!("quaich-bench-{}", std::process::id()));
        fs::create_dir_all(&scratch)?;
        Ok(Self { root, scratch })
    }

    /// Writes a file into the scratch folder.
    fn write(&self, name: &str, content: &[u8]) -> io::Result<PathBuf> {
        let file = self.scratch.join(name);
        fs::write(&file, content)?;
        Ok(file)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What cannot be removed stays in the system's folder for such files.
        let _ = fs::remove_dir_all(&self.scratch);
    }
}
