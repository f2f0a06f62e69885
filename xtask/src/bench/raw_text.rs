//! Raw text to trees: Quaich and UDPipe 1, trained on the same files, on the same test text, scored by the scorer of CoNLL 2018.
//!
//! UDPipe takes up to an hour to train. Its models are kept in the folder of models, and trained only where the Python package is
//! installed.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::asked::Asked;
use super::figures::{heading, rounded, row};
use super::measured::{Measured, Page};
use super::process::{checked, measured, output};
use super::text::part_of;
use super::{Place, machine};
use crate::say;

pub(super) const USAGE: &str = "[--program FILE] [--models FOLDER] [--only PRESET] [TREEBANK…]";

const PAGE: Page =
    Page { file: "docs/results/raw-text.md", record: "benchmarks/raw-text.tsv", text: page, picture: None };
/// The measures of CoNLL 2018.
const MEASURES: [&str; 13] = [
    "Tokens",
    "Sentences",
    "Words",
    "UPOS",
    "XPOS",
    "UFeats",
    "AllTags",
    "Lemmas",
    "UAS",
    "LAS",
    "CLAS",
    "MLAS",
    "BLEX",
];
const UDPIPE: &str = "UDPipe 1";
/// Copies of the test text for measuring speed.
const COPIES: usize = 10;

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let asked = Asked::read(options, USAGE)?;
    let program = asked.program(place)?;
    let preset = asked.only.unwrap_or("balanced");
    PAGE.renew(place, &asked.treebanks, |treebank, folder| {
        Bench { place, program: &program, models: asked.models(place), treebank, folder, preset }.measure()
    })
}

struct Bench<'a> {
    place: &'a Place,
    program: &'a Path,
    models: &'a Path,
    treebank: &'a str,
    folder: &'a Path,
    preset: &'a str,
}

impl Bench<'_> {
    fn measure(&self) -> io::Result<Measured> {
        let (text, parsed) = (self.scratch("test.txt"), self.scratch("parsed.conllu"));
        let test = part_of(self.folder, "test")?;
        let convert = ["convert", "--quiet", "--to", "text", "--fold", "80", "-o"];
        checked(Command::new(self.program).args(convert).arg(&text).arg(&test))?;
        let mut all = Measured::default();
        let model = self.trained(&mut all)?;
        let mut parse = self.parse(&model, &text, &parsed);
        checked(&mut parse)?;
        self.score(&mut all, self.preset, &test, &parsed)?;
        self.speed(&mut all, self.preset, &text, |text| self.parse(&model, text, &parsed))?;
        if has_udpipe()? {
            let model = self.trained_udpipe()?;
            let udpipe = |text: &Path| {
                let mut command = self.udpipe("text");
                command.arg(&model).arg(text).arg(&parsed);
                command
            };
            checked(&mut udpipe(&text))?;
            self.score(&mut all, UDPIPE, &test, &parsed)?;
            self.speed(&mut all, UDPIPE, &text, udpipe)?;
            self.size(&mut all, UDPIPE, &model)?;
        }
        self.size(&mut all, self.preset, &model)?;
        Ok(all)
    }

    fn scratch(&self, name: &str) -> PathBuf {
        self.place.scratch.join(name)
    }

    /// The model, trained unless it exists.
    fn trained(&self, all: &mut Measured) -> io::Result<PathBuf> {
        let model = self.models.join(format!("{}.{}.quaich", self.treebank, self.preset));
        if !model.exists() {
            let start = Instant::now();
            let mut train = Command::new(self.program);
            train.args(["train", "--quiet", "--preset", self.preset, "-o"]).arg(&model);
            checked(train.arg(part_of(self.folder, "train")?))?;
            all.push(self.treebank, self.preset, "training", start.elapsed().as_secs_f64());
        }
        Ok(model)
    }

    fn trained_udpipe(&self) -> io::Result<PathBuf> {
        let model = self.models.join(format!("{}.udpipe", self.treebank));
        if !model.exists() {
            say("== training UDPipe: up to an hour");
            let mut train = self.udpipe("train-all");
            train.arg(part_of(self.folder, "train")?).arg(&model).args(part_of(self.folder, "dev").ok());
            checked(&mut train)?;
        }
        Ok(model)
    }

    /// Parses on one thread.
    fn parse(&self, model: &Path, text: &Path, parsed: &Path) -> Command {
        let mut command = Command::new(self.program);
        command.args(["parse", "--quiet", "--jobs", "1", "--input", "text", "-m"]);
        command.arg(model).arg(text).arg("-o").arg(parsed);
        command
    }

    fn udpipe(&self, action: &str) -> Command {
        let mut command = Command::new(python());
        command.arg(self.place.root.join("benchmarks/udpipe.py")).arg(action);
        command
    }

    fn score(&self, all: &mut Measured, whose: &str, gold: &Path, parsed: &Path) -> io::Result<()> {
        let mut eval = Command::new(self.program);
        let json = output(eval.args(["eval", "--quiet", "--scorer", "ud", "--json"]).arg(gold).arg(parsed))?;
        let json = String::from_utf8_lossy(&json);
        for measure in MEASURES {
            let f1 = json
                .split_once(&format!("\"{measure}\""))
                .and_then(|(_, rest)| rest.split_once("\"f1\": "))
                .and_then(|(_, rest)| rest.split([',', '\n', '}']).next()?.trim().parse().ok());
            let f1: f64 = f1.ok_or_else(|| io::Error::other(format!("no {measure}")))?;
            all.push(self.treebank, whose, measure, f1);
        }
        Ok(())
    }

    /// Words per second of processor time, with starting, on copies of the test text.
    fn speed(
        &self,
        all: &mut Measured,
        whose: &str,
        text: &Path,
        command: impl Fn(&Path) -> Command,
    ) -> io::Result<()> {
        let many = self.scratch("many.txt");
        let copies = if whose == UDPIPE { 1 } else { COPIES };
        fs::write(&many, format!("{}\n\n", fs::read_to_string(text)?).repeat(copies))?;
        let gold = fs::read_to_string(part_of(self.folder, "test")?)?;
        let is_word = |line: &&str| line.split('\t').next().is_some_and(|id| id.parse::<usize>().is_ok());
        let n_words = copies * gold.lines().filter(is_word).count();
        if let Some(run) = measured(&mut command(&many), None)? {
            #[allow(clippy::cast_precision_loss, reason = "a number of words")]
            all.push(self.treebank, whose, "words per second", n_words as f64 / run.seconds());
        }
        Ok(())
    }

    fn size(&self, all: &mut Measured, whose: &str, model: &Path) -> io::Result<()> {
        #[allow(clippy::cast_precision_loss, reason = "some megabytes")]
        all.push(self.treebank, whose, "megabytes", fs::metadata(model)?.len() as f64 / 1e6);
        Ok(())
    }
}

/// Whether UDPipe can be measured.
fn has_udpipe() -> io::Result<bool> {
    let mut command = Command::new(python());
    command.args(["-c", "import ufal.udpipe"]).stderr(Stdio::null());
    Ok(command.status()?.success())
}

/// The Python that has the package.
fn python() -> OsString {
    std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into())
}

fn page(all: &Measured) -> String {
    let mut text = String::from(
        "# From raw text\n\n\
         F1 of the scorer of CoNLL 2018 ([`quaich eval --scorer ud`](../reference/scorers.md)) on the text of test files: lines folded at 80 \
         characters, a blank line between paragraphs (`quaich convert --to text --fold 80`). Quaich and, where it has a row, UDPipe 1 (`ufal.udpipe`) were trained on \
         the same files, UDPipe with its own settings and with the dev set, or the last tenth of the training set, for choosing epochs. Quaich had the \
         training set alone.\n\n\
         Words per second: processor time of one thread, including startup and loading; other work on the machine makes it slower. \
         Training: seconds on two cores.\n\n\
         The page is generated from `benchmarks/raw-text.tsv`, which is written by\n\n\
         \x20   QUAICH_TREEBANKS=… cargo xtask bench raw-text [--only PRESET] [--models FOLDER] TREEBANK…\n\n",
    );
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}, {}.\n", machine::cpu(), machine::today());
    let systems = [UDPIPE, "fast", "balanced", "best"];
    for treebank in all.treebanks() {
        let _ = write!(text, "## {treebank}\n\n");
        let mut head = vec![""];
        head.extend(MEASURES);
        text += &heading(&head);
        for system in systems {
            if all.find(treebank, system, "LAS").is_none() {
                continue;
            }
            let mut cells = vec![system.to_owned()];
            let value = |measure: &&str| all.find(treebank, system, measure);
            cells.extend(
                MEASURES
                    .iter()
                    .map(|measure| value(measure).map_or_else(String::new, |f1| format!("{f1:.2}"))),
            );
            text += &row(&cells);
        }
        text.push('\n');
    }
    text += "## Speed and size\n\n";
    text += &heading(&["", "system", "words per second", "model, MB", "training, s"]);
    for treebank in all.treebanks() {
        for system in systems {
            let value = |what: &str| all.find(treebank, system, what);
            if value("LAS").is_none() {
                continue;
            }
            let shown = |what: &str, digits: usize| {
                value(what).map_or_else(String::new, |value| format!("{value:.digits$}"))
            };
            text += &row(&[
                treebank.to_owned(),
                system.to_owned(),
                value("words per second").map_or_else(String::new, rounded),
                shown("megabytes", 1),
                shown("training", 0),
            ]);
        }
    }
    text
}
