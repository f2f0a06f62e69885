//! The papers' systems over the same recurrent encoder: what a system is worth when words are seen in context.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::asked::Asked;
use super::figures::{heading, known, rounded, row};
use super::measured::{Measured, Page};
use super::process::{checked, output, parse, words_per_second};
use super::score::scores;
use super::text::{at_least, count_tokens, part_of};
use super::{Place, machine};
use crate::say;

pub(super) const USAGE: &str = "[--program FILE] [TREEBANK…]";

const PAGE: Page =
    Page { file: "docs/results/systems.md", record: "benchmarks/encoder.tsv", text: page, picture: None };

/// A system, and the transformation it is used with; `auto` leaves that to training.
const WAYS: [(&str, &str); 13] = [
    ("arc-eager", "pseudo-projective:baseline"),
    ("arc-eager", "pseudo-projective:head"),
    ("arc-eager", "pseudo-projective:path"),
    ("arc-standard", "pseudo-projective:head"),
    ("arc-hybrid", "pseudo-projective:head"),
    ("arc-eager+lba", "pseudo-projective:head"),
    ("swap-eager", "none"),
    ("swap-lazy", "none"),
    ("planar", "pseudo-projective:head"),
    ("two-planar", "auto"),
    ("covington", "none"),
    ("undirected-planar", "pseudo-projective:head"),
    ("undirected-two-planar", "auto"),
];

/// Words that every training goes through.
const WORDS: usize = 1_500_000;
/// Words that speed is measured on, at least.
const SPEED_WORDS: usize = 200_000;
/// The reported metrics, each with its number of decimal places.
const FIGURES: [(&str, usize); 4] =
    [("LAS", 2), ("UAS", 2), ("non-projective F", 1), ("transitions per word", 2)];
const SPEED: &str = "words per second";

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let asked = Asked::read(options, USAGE)?;
    let program = asked.program(place)?;
    PAGE.renew(place, &asked.treebanks, |treebank, folder| {
        let (train, test) = (part_of(folder, "train")?, part_of(folder, "test")?);
        Bench { place, program: &program, treebank, train, test }.measure_all()
    })
}

struct Bench<'a> {
    place: &'a Place,
    program: &'a Path,
    treebank: &'a str,
    train: PathBuf,
    test: PathBuf,
}

impl Bench<'_> {
    fn measure_all(&self) -> io::Result<Measured> {
        self.train_all()?;
        let mut figures = Measured::default();
        for way in 0..WAYS.len() {
            self.measure(way, &mut figures)?;
        }
        Ok(figures)
    }

    /// Where the model of a way is.
    fn model(&self, way: usize) -> PathBuf {
        self.place.scratch.join(format!("model-{way}"))
    }

    /// Trains all ways, one on each processor: that takes less time than one after the other on all of them.
    fn train_all(&self) -> io::Result<()> {
        let epochs = (WORDS / count_tokens(&fs::read(&self.train)?).max(1)).max(1);
        let train = |way: usize| {
            let (system, transform) = WAYS[way];
            checked(
                Command::new(self.program)
                    .args(["train", "--quiet", "--jobs", "1", "--learner", "recurrent", "--system", system])
                    .args(["--transform", transform, "--set", &format!("encoder.epochs={epochs}")])
                    .args(["--set", "encoder.networks=1", "--set", "encoder.units=128"])
                    .args(["--set", "held-out=no", "-o"])
                    .arg(self.model(way))
                    .arg(&self.train),
            )
        };
        let next = AtomicUsize::new(0);
        let work = || loop {
            let way = next.fetch_add(1, Ordering::Relaxed);
            if way >= WAYS.len() {
                return Ok(());
            }
            train(way)?;
        };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().expect("a training does not panic"))
        })
    }

    fn measure(&self, way: usize, figures: &mut Measured) -> io::Result<()> {
        let extension = self.test.extension().unwrap_or_default();
        let file = |name: &str| self.place.scratch.join(name).with_extension(extension);
        let (model, parsed, many) = (self.model(way), file("parsed"), file("many"));
        parse(self.program, &model, &self.test, &parsed)?;
        let [las, uas, crossing] = scores(self.program, &self.test, &parsed, ["las", "uas", "f1"])?;
        let text = at_least(&fs::read(&self.test)?, SPEED_WORDS);
        fs::write(&many, &text)?;
        let speed = words_per_second(self.program, &model, (&many, count_tokens(&text)), &parsed)?;
        let (system, transform) = WAYS[way];
        say(&format!("{}, {system}, {transform}: {las:.2}", self.treebank));
        let values = [las, uas, crossing, self.transitions(system)?];
        for ((what, _), value) in FIGURES.into_iter().zip(values) {
            figures.push(self.treebank, &name(WAYS[way]), what, value);
        }
        figures.push(self.treebank, &name(WAYS[way]), SPEED, speed);
        Ok(())
    }

    /// Transitions a word in what the static oracle says.
    fn transitions(&self, system: &str) -> io::Result<f64> {
        let derivations = output(
            Command::new(self.program).args(["oracle", "--quiet", "--system", system]).arg(&self.test),
        )?;
        let text = fs::read_to_string(&self.test)?;
        let sentences = text.split("\n\n").filter(|sentence| count_tokens(sentence.as_bytes()) > 0);
        let (mut n_transitions, mut n_words) = (0u32, 0u32);
        for (derivation, sentence) in String::from_utf8_lossy(&derivations).lines().zip(sentences) {
            if !derivation.starts_with('!') {
                n_transitions += u32::try_from(derivation.split_whitespace().count()).unwrap_or(0);
                n_words += u32::try_from(count_tokens(sentence.as_bytes())).unwrap_or(0);
            }
        }
        Ok(f64::from(n_transitions) / f64::from(n_words.max(1)))
    }
}

/// What the page calls a way.
fn name((system, transform): (&str, &str)) -> String {
    match transform {
        "none" | "auto" => format!("`{system}`"),
        _ => format!("`{system}`, `{transform}`"),
    }
}

fn page(all: &Measured) -> String {
    let mut text = format!(
        "# Transition systems over the same encoder\n\n\
         The [transition systems](../reference/systems.md) of the papers, all with the [learner](../reference/learners.md) `recurrent`. [Notes on systems](../notes/systems.md) compare these results with the papers' findings.\n\n\
         - training: one network of 128 units, {} million words over all epochs, fewer than by default, without held-out sentences; one seed\n\
         - LAS, UAS and non-projective F: test files, all tokens\n\
         - transitions per word: of the static oracle, for the trees that the system derives\n\
         - words per second: from file to file on one thread, including startup. Other programs ran on the machine at the same time, so speeds vary by up to a third\n\n\
         The page is generated from `{}`, which is written by\n\n\
         \x20   QUAICH_TREEBANKS=… cargo xtask bench encoder [--program FILE] TREEBANK…\n\n\
         {}, {}.\n",
        f64::from(u32::try_from(WORDS).unwrap_or(u32::MAX)) / 1e6,
        PAGE.record,
        machine::cpu(),
        machine::today(),
    );
    let columns: Vec<&str> = [""].into_iter().chain(FIGURES.map(|(what, _)| what)).chain([SPEED]).collect();
    for treebank in all.treebanks() {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## {treebank}\n\n{}", heading(&columns));
        for way in WAYS.map(name) {
            let value = |what: &str| all.find(treebank, &way, what);
            let mut cells = vec![way.clone()];
            cells.extend(
                FIGURES.map(|(what, digits)| known(value(what), |value| format!("{value:.digits$}"))),
            );
            cells.push(known(value(SPEED), rounded));
            text += &row(&cells);
        }
    }
    text
}
