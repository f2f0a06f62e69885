//! The papers' systems over the same recurrent encoder: what a system is worth when words are seen in context.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::figures::{heading, rounded, row};
use super::process::{build, checked, output, parse, words_a_second};
use super::score::scores;
use super::text::{at_least, count_tokens, part_of};
use super::{Place, record};
use crate::say;

pub(super) const USAGE: &str = "[--words N]";

/// The page of the manual that this makes.
pub(super) const PAGE: &str = "docs/encoder.md";

/// Treebanks with many non-projective trees and with few, small ones and one of middling size.
const TREEBANKS: [&str; 5] =
    ["latin-perseus", "basque-3lb", "hungarian-szeged", "sanskrit-vedic", "danish-ddt"];

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

/// Words that every training goes through, unless more or fewer are asked for.
const WORDS: usize = 600_000;

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let words = match options {
        [] => WORDS,
        ["--words", words] => {
            words.parse().map_err(|_| io::Error::other(format!("found `{words}`, expected a number")))?
        }
        _ => return Err(io::Error::other(format!("found `{}`, expected {USAGE}", options.join(" ")))),
    };
    let folder = record::treebanks()?;
    let bench = Bench { place, program: build(&place.root)?, words };
    let mut text = introduction(words);
    for name in TREEBANKS {
        let files = Files::find(&folder.join(name).canonicalize()?)?;
        let _ = write!(text, "\n## {name}\n\n");
        text += &heading(&["", "LAS", "UAS", "non-projective F", "transitions a word", "words a second"]);
        bench.train_all(&files)?;
        for (way, (system, transform)) in WAYS.into_iter().enumerate() {
            let Figures { las, uas, crossing, transitions, speed } = bench.measure(&files, way, system)?;
            say(&format!("{name}, {system}, {transform}: {las:.2}"));
            let way = match transform {
                "none" | "auto" => format!("`{system}`"),
                _ => format!("`{system}`, `{transform}`"),
            };
            text += &row(&[
                way,
                format!("{las:.2}"),
                format!("{uas:.2}"),
                format!("{crossing:.1}"),
                format!("{transitions:.2}"),
                rounded(speed),
            ]);
        }
    }
    Ok(text)
}

/// The files of a treebank.
struct Files {
    train: PathBuf,
    test: PathBuf,
}

impl Files {
    fn find(folder: &Path) -> io::Result<Self> {
        Ok(Self { train: part_of(folder, "train")?, test: part_of(folder, "test")? })
    }
}

/// What came of a way.
struct Figures {
    las: f64,
    uas: f64,
    /// The F score of non-projective arcs.
    crossing: f64,
    /// Of the static oracle, for the trees that the system derives.
    transitions: f64,
    /// From file to file, one thread.
    speed: f64,
}

struct Bench<'a> {
    place: &'a Place,
    program: PathBuf,
    words: usize,
}

impl Bench<'_> {
    /// Where the model of a way is.
    fn model(&self, way: usize) -> PathBuf {
        self.place.scratch.join(format!("model-{way}"))
    }

    /// Trains all ways, one on each processor: that takes less time than one after the other on all of them.
    fn train_all(&self, files: &Files) -> io::Result<()> {
        let passes = (self.words / count_tokens(&fs::read(&files.train)?).max(1)).max(1);
        let train = |way: usize| {
            let (system, transform) = WAYS[way];
            checked(
                Command::new(&self.program)
                    .args(["train", "--quiet", "--jobs", "1", "--learner", "recurrent", "--system", system])
                    .args(["--transform", transform, "--set", &format!("recurrent-passes={passes}")])
                    .args(["--set", "folds=0", "-o"])
                    .arg(self.model(way))
                    .arg(&files.train),
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

    fn measure(&self, files: &Files, way: usize, system: &str) -> io::Result<Figures> {
        let extension = files.test.extension().unwrap_or_default();
        let file = |name: &str| self.place.scratch.join(name).with_extension(extension);
        let (model, parsed, many) = (self.model(way), file("parsed"), file("many"));
        parse(&self.program, &model, &files.test, &parsed)?;
        let [las, uas, crossing] = scores(&self.program, &files.test, &parsed, ["las", "uas", "f1"])?;
        let text = at_least(&fs::read(&files.test)?, 50_000);
        fs::write(&many, &text)?;
        let speed = words_a_second(&self.program, &model, (&many, count_tokens(&text)), &parsed)?;
        Ok(Figures { las, uas, crossing, transitions: self.transitions(files, system)?, speed })
    }

    /// Transitions a word in what the static oracle says.
    fn transitions(&self, files: &Files, system: &str) -> io::Result<f64> {
        let derivations = output(
            Command::new(&self.program).args(["oracle", "--quiet", "--system", system]).arg(&files.test),
        )?;
        let text = fs::read_to_string(&files.test)?;
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

fn introduction(words: usize) -> String {
    format!(
        "# The papers' systems over one encoder\n\n\
         Every system with the learner `recurrent` and default settings, but trained on {} million words, a part of what a training\n\
         goes through by default, and without folds; scores on the test files, all tokens. Transitions are those of the static oracle for the trees that a system\n\
         derives; words a second are from file to file on one thread, starting counted. The table is made by\n\n\
         \x20   QUAICH_TREEBANKS=… cargo xtask bench encoder\n",
        f64::from(u32::try_from(words).unwrap_or(u32::MAX)) / 1e6,
    )
}
