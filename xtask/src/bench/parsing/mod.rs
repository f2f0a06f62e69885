//! How fast the default and the `fast` model parse, in memory and from file to file; what starting
//! costs; whether time and memory grow with sentences and files; UDPipe 1 for comparison; and whether the
//! output is the same for every way of running the parser.
//!
//! The models are trained on english-ewt where `QUAICH_TREEBANKS` names a folder of treebanks that
//! has it, otherwise on the sample treebank. Most is measured on text that the models have not seen:
//! on what it learned from, a model is surer, and may be faster for it.

mod files;
mod growth;
mod memory;
mod sameness;
mod start;
mod udpipe;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::figures::{grouped, heading, known, megabytes, row, seconds};
use super::process::{Run, build, checked, watched};
use super::score::las;
use super::text::{Treebank, at_least, count_tokens};
use super::{Place, machine};
use crate::say;

pub(super) const USAGE: &str = "[--model FILE] [--fast FILE] [--udpipe FILE] [--megabytes N]";

/// Tokens in a text to parse, at least, so that starting the program counts for little.
const N_TOKENS: usize = 200_000;

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let load = machine::load();
    let options = Options::read(options)?;
    let bench = Bench {
        place,
        program: build(&place.root)?,
        treebank: Treebank::find(&place.root, "english-ewt")?,
        out: place.scratch.join("output.conllu"),
    };
    let text = at_least(&bench.treebank.unseen, N_TOKENS);
    let unseen = place.write("unseen.conllu", &text)?;
    let train = place.write("train.conllu", &at_least(&fs::read(&bench.treebank.train)?, N_TOKENS))?;

    say("== training");
    let given = [options.model.clone(), options.fast.clone()];
    let models = bench.models(&bench.treebank, given)?;
    let mut report = format!(
        "# Parsing\n\n\
         Made by `cargo xtask bench parsing{}`. {}; {} threads wanted to run when it began.\n\n\
         Models of {}. Unseen text is its development and test file, again and again until there are {} words. Words are \
         counted without multiword ranges and empty nodes. Time on the cores is user and system time of all threads.\n\n",
        options.shown(),
        machine::cpu(),
        known(load, |load| format!("{load:.1}")),
        bench.treebank.name,
        grouped(count_tokens(&text)),
    );
    report += &bench.describe(&models)?;
    say("== in memory");
    report += &memory::section(&bench, &models)?;
    say("== from file to file");
    report += &files::section(&bench, &models, [("unseen", &unseen), ("train", &train)])?;
    say("== one sentence");
    let (section, start) = start::section(&bench, &models)?;
    report += &section;
    say("== growth");
    report += &growth::section(&bench, &models[0], start, &text, options.megabytes)?;
    say("== UDPipe");
    report += &udpipe::section(&bench, options.udpipe.as_deref())?;
    say("== sameness");
    report += &sameness::section(&bench, &models, &unseen)?;
    Ok(report)
}

/// What is the same for all measurements.
struct Bench<'a> {
    place: &'a Place,
    program: PathBuf,
    treebank: Treebank,
    /// Where output goes.
    out: PathBuf,
}

/// A preset, the model it gave, and what training took where it was trained here.
struct Model {
    preset: &'static str,
    file: PathBuf,
    training: Option<Run>,
}

impl Model {
    fn name(&self) -> &str {
        if self.preset == "balanced" { "default" } else { self.preset }
    }
}

impl Bench<'_> {
    /// The default and the fast model: given, or trained on all cores.
    fn models(&self, treebank: &Treebank, given: [Option<PathBuf>; 2]) -> io::Result<[Model; 2]> {
        let [default, fast] = given;
        Ok([self.model(treebank, "balanced", default)?, self.model(treebank, "fast", fast)?])
    }

    fn model(&self, treebank: &Treebank, preset: &'static str, given: Option<PathBuf>) -> io::Result<Model> {
        if let Some(file) = given {
            return Ok(Model { preset, file, training: None });
        }
        let file = self.place.scratch.join(format!("{}.{preset}.quaich", treebank.name));
        let training = watched(&mut self.train(treebank, preset, &file), b"", 0)?;
        Ok(Model { preset, file, training: Some(training) })
    }

    fn train(&self, treebank: &Treebank, preset: &str, file: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["train", "--quiet", "--preset", preset, "-o"]).arg(file).arg(&treebank.train);
        command
    }

    fn parse(&self, model: &Model, jobs: usize, file: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["parse", "--quiet", "-j", &jobs.to_string(), "-m"]).arg(&model.file).arg(file);
        command
    }

    /// The labelled attachment score of a model on a treebank's test file.
    fn las(&self, model: &Model, treebank: &Treebank) -> io::Result<f64> {
        checked(self.parse(model, 1, &treebank.test).stdout(File::create(&self.out)?))?;
        self.las_of_output(treebank)
    }

    /// The labelled attachment score of what is in the output file.
    fn las_of_output(&self, treebank: &Treebank) -> io::Result<f64> {
        las(&self.program, &treebank.test, &self.out)
    }

    /// What the models are and what training them took.
    fn describe(&self, models: &[Model]) -> io::Result<String> {
        let mut text = String::from("## Models\n\n");
        text += &heading(&["model", "LAS, test", "size", "training, all cores", "on the cores", "memory"]);
        for model in models {
            let (elapsed, on_core, peak) = match &model.training {
                Some(run) => (
                    format!("{} s", seconds(run.elapsed)),
                    known(run.on_core, |time| format!("{} s", seconds(time))),
                    known(run.peak, megabytes),
                ),
                None => ("given".to_owned(), "–".to_owned(), "–".to_owned()),
            };
            let las = self.las(model, &self.treebank)?;
            let size = megabytes(fs::metadata(&model.file)?.len() / 1024);
            text += &row(&[model.name(), &format!("{las:.2}"), &size, &elapsed, &on_core, &peak]);
        }
        text.push('\n');
        Ok(text)
    }
}

/// What the command line asks for.
struct Options {
    model: Option<PathBuf>,
    fast: Option<PathBuf>,
    udpipe: Option<PathBuf>,
    /// The longest input.
    megabytes: usize,
}

impl Options {
    fn read(options: &[&str]) -> io::Result<Self> {
        let mut read = Self { model: None, fast: None, udpipe: None, megabytes: 100 };
        for option in options.chunks(2) {
            // Some programs are run in other folders than this one.
            let file = |file: &str| {
                let path = Path::new(file).canonicalize();
                path.map(Some).map_err(|error| io::Error::other(format!("{file}: {error}")))
            };
            match *option {
                ["--model", name] => read.model = file(name)?,
                ["--fast", name] => read.fast = file(name)?,
                ["--udpipe", name] => read.udpipe = file(name)?,
                ["--megabytes", n] => {
                    read.megabytes =
                        n.parse().map_err(|_| io::Error::other(format!("found `{n}`, expected a number")))?;
                }
                _ => return Err(io::Error::other(format!("found `{}`, expected {USAGE}", option.join(" ")))),
            }
        }
        Ok(read)
    }

    /// As a report shows them: where files are is nobody's business.
    fn shown(&self) -> String {
        let files = [("--model", &self.model), ("--fast", &self.fast), ("--udpipe", &self.udpipe)];
        let given: String = files
            .iter()
            .filter(|(_, file)| file.is_some())
            .fold(String::new(), |all, (name, _)| all + " " + name + " FILE");
        format!("{given} --megabytes {}", self.megabytes)
    }
}
