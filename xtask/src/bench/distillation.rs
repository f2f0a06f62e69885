//! Students against parsers that had no teacher: a part of a treebank has trees, the rest is text for the teacher. What was
//! measured is kept, so that one treebank can be measured at a time.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::asked::Asked;
use super::figures::{heading, known, row};
use super::measured::{Measured, Page};
use super::process::{checked, parse, side_by_side};
use super::score::scores;
use super::text::{self, at_least, count_tokens, part_of};
use super::{Place, machine};
use crate::say;

pub(super) const USAGE: &str = "[--program FILE] [--models FOLDER] [--one-in N] [--only PRESET] [TREEBANK…]";

const PAGE: Page = Page {
    file: "docs/results/distillation.md",
    record: "benchmarks/distillation.tsv",
    text: page,
    picture: None,
};
/// Of so many sentences one has its tree: what the page tells of, the first of them if nothing else is asked for.
const SHARES: [usize; 2] = [4, 8];
/// Words that speed is measured on, at least, and how often.
const SPEED_WORDS: usize = 100_000;
const RUNS: usize = 15;
/// Presets that students have.
const STUDENTS: [&str; 2] = ["balanced", "fast"];

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let asked = Asked::read(options, USAGE)?;
    let one_in = asked.one_in.unwrap_or(SHARES[0]);
    if !SHARES.contains(&one_in) {
        return Err(io::Error::other(format!("found one in {one_in}, expected one in {SHARES:?}")));
    }
    let students: Vec<&str> =
        STUDENTS.into_iter().filter(|preset| asked.only.is_none_or(|only| only == *preset)).collect();
    if students.is_empty() {
        return Err(io::Error::other(format!("found no such preset, expected one of {STUDENTS:?}")));
    }
    let program = asked.program(place)?;
    PAGE.renew(place, &asked.treebanks, |treebank, folder| {
        Bench::new(place, &program, asked.models(place), one_in, treebank, folder)?.measure(&students)
    })
}

struct Bench<'a> {
    place: &'a Place,
    program: &'a Path,
    models: &'a Path,
    one_in: usize,
    treebank: &'a str,
    /// The part of the training file that has trees, and the rest.
    gold: PathBuf,
    text: PathBuf,
    test: PathBuf,
    /// Words of both.
    words: [usize; 2],
}

impl<'a> Bench<'a> {
    fn new(
        place: &'a Place,
        program: &'a Path,
        models: &'a Path,
        one_in: usize,
        treebank: &'a str,
        folder: &Path,
    ) -> io::Result<Self> {
        let (train, test) = (part_of(folder, "train")?, part_of(folder, "test")?);
        let [gold, text] = text::one_in(one_in, &fs::read_to_string(&train)?);
        let words = [&gold, &text].map(|part| count_tokens(part.as_bytes()));
        let file = |name: &str| {
            Path::new(name).with_extension(train.extension().unwrap_or_default()).display().to_string()
        };
        let gold = place.write(&file("gold"), gold.as_bytes())?;
        let text = place.write(&file("text"), text.as_bytes())?;
        Ok(Self { place, program, models, one_in, treebank, gold, text, test, words })
    }

    fn measure(&self, students: &[&str]) -> io::Result<Measured> {
        let mut figures = Measured::default();
        #[allow(clippy::cast_precision_loss, reason = "some hundred thousands")]
        for (whose, words) in ["gold", "text"].into_iter().zip(self.words) {
            figures.push(self.treebank, &with_share(whose, self.one_in), "words", words as f64);
        }
        let teacher = self.trained("teacher", &["blend", "train"], |training| training.arg(&self.gold))?;
        self.score(&mut figures, "teacher", &teacher)?;
        for &preset in students {
            let alone =
                self.trained(preset, &["train", "--preset", preset], |training| training.arg(&self.gold))?;
            self.score(&mut figures, preset, &alone)?;
            let whose = format!("{preset} student");
            let student = self.trained(&whose, &["distill", "--preset", preset], |training| {
                training.arg(&teacher).arg("--on").arg(&self.text).arg("--gold").arg(&self.gold)
            })?;
            self.score(&mut figures, &whose, &student)?;
            let cost = self.cost(&alone, &student)?;
            figures.push(self.treebank, &with_share(&whose, self.one_in), "cost", cost);
        }
        Ok(figures)
    }

    /// The model that this command trains, unless it is there.
    fn trained(
        &self,
        name: &str,
        command: &[&str],
        from: impl FnOnce(&mut Command) -> &mut Command,
    ) -> io::Result<PathBuf> {
        let model =
            self.models.join(format!("{}.one-in-{}.{}", self.treebank, self.one_in, name.replace(' ', ".")));
        if !model.exists() {
            let mut training = Command::new(self.program);
            training.args(command).args(["--quiet", "-o"]).arg(&model);
            checked(from(&mut training))?;
        }
        Ok(model)
    }

    fn score(&self, figures: &mut Measured, whose: &str, model: &Path) -> io::Result<()> {
        let parsed =
            self.place.scratch.join("parsed").with_extension(self.test.extension().unwrap_or_default());
        parse(self.program, model, &self.test, &parsed)?;
        let [las, uas] = scores(self.program, &self.test, &parsed, ["las", "uas"])?;
        let whose = with_share(whose, self.one_in);
        say(&format!("{}, {whose}: {las:.2}", self.treebank));
        figures.push(self.treebank, &whose, "LAS", las);
        figures.push(self.treebank, &whose, "UAS", uas);
        Ok(())
    }

    /// How many times as long a student takes as a parser that had no teacher, on one thread.
    fn cost(&self, alone: &Path, student: &Path) -> io::Result<f64> {
        let extension = self.test.extension().unwrap_or_default();
        let file = |name: &str| self.place.scratch.join(name).with_extension(extension);
        let many = file("many");
        fs::write(&many, at_least(&fs::read(&self.test)?, SPEED_WORDS))?;
        let parse = |model: &Path| {
            let mut command = Command::new(self.program);
            command
                .args(["parse", "--quiet", "--jobs", "1", "-m"])
                .arg(model)
                .arg(&many)
                .arg("-o")
                .arg(file("out"));
            command
        };
        let [one, other] = side_by_side(RUNS, &file("nothing"), [parse(alone), parse(student)])?;
        Ok(other.fastest().as_secs_f64() / one.fastest().as_secs_f64())
    }
}

/// Whose figures they are, with the share of sentences that had their trees.
fn with_share(whose: &str, one_in: usize) -> String {
    format!("{whose}, one in {one_in}")
}

fn page(all: &Measured) -> String {
    let mut text = format!(
        "# Accuracy and speed of students\n\n\
         How much of a teacher's gain a student of [`quaich distill`](../reference/distill.md) keeps. One in {} sentences of each training file, or one in {}, has its gold tree; of the others \
         only tokens and tags are used. The teacher is the default [ensemble](../reference/ensembles.md), trained on the gold trees. The student is trained on the gold trees and on the teacher's trees for the other sentences. LAS on test files, all tokens, one seed, default settings otherwise.\n\n\
         - alone: a parser with the same preset, trained on the gold trees only\n\
         - gained: LAS of the student minus LAS of the parser alone; in brackets, LAS of the teacher minus LAS of the parser alone\n\
         - kept: the student's share of the teacher's gain\n\
         - time: parsing time of the student relative to the parser alone, from file to file on one thread (fastest of {RUNS} alternating runs)\n\n\
         The page is generated from `{}`, which is written by\n\n\
         \x20   QUAICH_TREEBANKS=… cargo xtask bench distillation {USAGE}\n\n",
        SHARES[0], SHARES[1], PAGE.record
    );
    let _ = writeln!(text, "{}, {}.", machine::cpu(), machine::today());
    for preset in STUDENTS {
        for one_in in SHARES {
            text += &table(all, preset, one_in);
        }
    }
    text
}

/// What students with a preset keep on all treebanks where that was measured; nothing if there are none.
fn table(all: &Measured, preset: &str, one_in: usize) -> String {
    let mut rows = String::new();
    let mut kept_parts = Vec::new();
    for treebank in all.treebanks() {
        let value = |whose: &str, what: &str| all.find(treebank, &with_share(whose, one_in), what);
        let las = |whose: &str| value(whose, "LAS");
        let student = format!("{preset} student");
        let (Some(alone), Some(teacher), Some(taught)) = (las(preset), las("teacher"), las(&student)) else {
            continue;
        };
        let kept = (taught - alone) / (teacher - alone);
        kept_parts.push(kept);
        let shown = |value: Option<f64>, digits: usize| known(value, |value| format!("{value:.digits$}"));
        rows += &row(&[
            treebank.to_owned(),
            shown(value("gold", "words"), 0),
            shown(value("text", "words"), 0),
            format!("{alone:.2}"),
            format!("{teacher:.2}"),
            format!("{taught:.2}"),
            format!("{:+.2} ({:+.2})", taught - alone, teacher - alone),
            format!("{:.0} %", 100.0 * kept),
            shown(value(&student, "cost"), 2),
        ]);
    }
    if kept_parts.is_empty() {
        return String::new();
    }
    let columns = ["", "gold words", "text words", "alone", "teacher", "student", "gained", "kept", "time"];
    #[allow(clippy::cast_precision_loss, reason = "a handful of treebanks")]
    let mean = 100.0 * kept_parts.iter().sum::<f64>() / kept_parts.len() as f64;
    format!(
        "\n## `--preset {preset}`, one gold tree in {one_in} sentences\n\n{}{rows}\nMean kept: {mean:.0} %.\n",
        heading(&columns)
    )
}
