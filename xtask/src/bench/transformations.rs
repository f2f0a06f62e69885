//! Pseudo-projective parsing against systems that build non-projective trees themselves: a projective system with every encoding, and three others
//! without. What was measured is kept, so that it can be taken up where it was left.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::figures::{heading, rounded, row};
use super::process::{build, checked, parse, words_per_second};
use super::score::scores;
use super::text::{at_least, count_tokens, part_of};
use super::{Place, machine, record};
use crate::say;

pub(super) const USAGE: &str = "[--learner LEARNER] [--program FILE] [TREEBANK…]";

/// The page of the manual that this makes, and what was measured.
const PAGE: &str = "docs/results/transformations.md";
const RECORD: &str = "benchmarks/transformations.tsv";
/// Stands for the learner that training takes where none is named.
const DEFAULT: &str = "default";
/// Words that trainings of the default learner go through, with one network: as much as shows which way is better, in a tenth of the time.
const WORDS: usize = 1_000_000;
/// Words that speed is measured on, at least.
const SPEED_WORDS: usize = 50_000;

/// A system, and the transformation it is used with.
const WAYS: [(&str, &str); 8] = [
    ("arc-hybrid", "none"),
    ("arc-hybrid", "pseudo-projective:baseline"),
    ("arc-hybrid", "pseudo-projective:head"),
    ("arc-hybrid", "pseudo-projective:path"),
    ("arc-hybrid", "pseudo-projective:head+path"),
    ("swap-lazy", "none"),
    ("two-planar", "none"),
    ("covington", "none"),
];

/// What came of a way on a treebank.
#[derive(Clone)]
struct Figures {
    learner: String,
    treebank: String,
    system: String,
    transform: String,
    las: f64,
    uas: f64,
    /// Of non-projective arcs.
    precision: f64,
    recall: f64,
    /// From file to file on one thread.
    words_per_second: f64,
}

/// What is asked for.
struct Asked<'a> {
    learner: &'a str,
    program: Option<PathBuf>,
    treebanks: Vec<&'a str>,
}

impl<'a> Asked<'a> {
    fn read(options: &[&'a str]) -> io::Result<Self> {
        let mut asked = Self { learner: DEFAULT, program: None, treebanks: Vec::new() };
        let mut options = options.iter();
        while let Some(&option) = options.next() {
            let mut value = || {
                options
                    .next()
                    .ok_or_else(|| io::Error::other(format!("`{option}` has no value, expected {USAGE}")))
            };
            match option {
                "--learner" => asked.learner = value()?,
                "--program" => asked.program = Some(PathBuf::from(value()?)),
                treebank => asked.treebanks.push(treebank),
            }
        }
        Ok(asked)
    }
}

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let asked = Asked::read(options)?;
    let path = place.root.join(RECORD);
    let mut all = record::load(&path, read)?;
    if !asked.treebanks.is_empty() {
        let folder = record::treebanks()?;
        let program = match asked.program {
            Some(program) => program.canonicalize()?,
            None => build(&place.root)?,
        };
        for treebank in asked.treebanks {
            let folder = folder.join(treebank).canonicalize()?;
            let files = (part_of(&folder, "train")?, part_of(&folder, "test")?);
            let bench = Bench { place, program: &program, learner: asked.learner, treebank, files };
            bench.measure_missing(&mut all, &path)?;
        }
    }
    if all.is_empty() {
        return Err(io::Error::other(format!("nothing was measured yet, expected {USAGE}")));
    }
    let page = page(&all);
    fs::write(place.root.join(PAGE), &page)?;
    Ok(page)
}

struct Bench<'a> {
    place: &'a Place,
    program: &'a Path,
    learner: &'a str,
    treebank: &'a str,
    files: (PathBuf, PathBuf),
}

impl Bench<'_> {
    /// Measures what was not measured before.
    fn measure_missing(&self, all: &mut Vec<Figures>, path: &Path) -> io::Result<()> {
        let is_missing = |&(system, transform): &(&str, &str)| {
            find(all, self.learner, self.treebank, system, transform).is_none()
        };
        let missing: Vec<(&str, &str)> = WAYS.into_iter().filter(is_missing).collect();
        self.train_all(&missing)?;
        // Speed is measured when nothing else runs.
        for (way, (system, transform)) in missing.into_iter().enumerate() {
            let figures = self.measure(way, system, transform)?;
            say(&format!("{}, {system}, {transform}: {:.2}", self.treebank, figures.las));
            all.push(figures);
            record::save(path, &write(all))?;
        }
        Ok(())
    }

    fn model(&self, way: usize) -> PathBuf {
        self.place.scratch.join(format!("model-{way}"))
    }

    /// Trains all ways, one on each processor: that takes less time than one after the other on all of them.
    fn train_all(&self, ways: &[(&str, &str)]) -> io::Result<()> {
        let epochs = (WORDS / count_tokens(&fs::read(&self.files.0)?).max(1)).max(1);
        let train = |way: usize, (system, transform): (&str, &str)| {
            let mut command = Command::new(self.program);
            command.args(["train", "--quiet", "--jobs", "1", "--system", system, "--transform", transform]);
            if self.learner == DEFAULT {
                command.args(["--set", "encoder.networks=1", "--set", &format!("encoder.epochs={epochs}")]);
            } else {
                command.args(["--learner", self.learner]);
            }
            checked(command.arg("-o").arg(self.model(way)).arg(&self.files.0))
        };
        let next = AtomicUsize::new(0);
        let failure = Mutex::new(Ok(()));
        let work = || {
            while let Some(&chosen) = ways.get(next.load(Ordering::Relaxed)) {
                let way = next.fetch_add(1, Ordering::Relaxed);
                let trained = ways.get(way).map_or(Ok(()), |&way_of| train(way, way_of));
                if let (Err(error), Ok(mut failure)) = (trained, failure.lock()) {
                    say(&format!("{}, {}, {}: {error}", self.treebank, chosen.0, chosen.1));
                    *failure = Err(error);
                }
            }
        };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..processors {
                scope.spawn(work);
            }
        });
        failure.into_inner().unwrap_or(Ok(()))
    }

    fn measure(&self, way: usize, system: &str, transform: &str) -> io::Result<Figures> {
        let (_, test) = &self.files;
        let extension = test.extension().unwrap_or_default();
        let file = |name: &str| self.place.scratch.join(name).with_extension(extension);
        let (model, parsed, many) = (self.model(way), file("parsed"), file("many"));
        parse(self.program, &model, test, &parsed)?;
        let [las, uas, precision, recall] =
            scores(self.program, test, &parsed, ["las", "uas", "precision", "recall"])?;
        let text = at_least(&fs::read(test)?, SPEED_WORDS);
        fs::write(&many, &text)?;
        let words_per_second = words_per_second(self.program, &model, (&many, count_tokens(&text)), &parsed)?;
        Ok(Figures {
            learner: self.learner.to_owned(),
            treebank: self.treebank.to_owned(),
            system: system.to_owned(),
            transform: transform.to_owned(),
            las,
            uas,
            precision,
            recall,
            words_per_second,
        })
    }
}

fn find<'a>(
    all: &'a [Figures],
    learner: &str,
    treebank: &str,
    system: &str,
    transform: &str,
) -> Option<&'a Figures> {
    all.iter().find(|figures| {
        figures.learner == learner
            && figures.treebank == treebank
            && figures.system == system
            && figures.transform == transform
    })
}

fn write(all: &[Figures]) -> String {
    let mut text = String::from(
        "learner\ttreebank\tsystem\ttransformation\tLAS\tUAS\tprecision\trecall\twords a second\n",
    );
    for figures in all {
        let Figures { learner, treebank, system, transform, las, uas, precision, recall, words_per_second } =
            figures;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{learner}\t{treebank}\t{system}\t{transform}\t{las:.2}\t{uas:.2}\t{precision:.2}\t{recall:.2}\t{words_per_second:.0}"
        );
    }
    text
}

fn read(text: &str) -> io::Result<Vec<Figures>> {
    let line = |line: &str| {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().unwrap_or_default().to_owned();
        let (learner, treebank, system, transform) = (cell(), cell(), cell(), cell());
        let mut number = || cell().parse::<f64>().ok();
        Some(Figures {
            learner,
            treebank,
            system,
            transform,
            las: number()?,
            uas: number()?,
            precision: number()?,
            recall: number()?,
            words_per_second: number()?,
        })
    };
    let all: Option<Vec<Figures>> = text.lines().skip(1).map(line).collect();
    all.ok_or_else(|| io::Error::other(format!("{RECORD} has a line that is not a measurement")))
}

fn page(all: &[Figures]) -> String {
    let mut text = String::from(
        "# Pseudo-projective parsing and non-projective systems\n\n\
         A projective system without a [transformation](../reference/transform.md) and with each pseudo-projective one, compared with systems that build non-projective trees. Settings are the default except those named, and except that the default learner trains one network on one million words over all epochs. [Notes on systems](../notes/systems.md#transformations) summarise the results.\n\n\
         - LAS and UAS: test files, all tokens\n\
         - precision and recall: of non-projective arcs, unlabelled\n\
         - words per second: from file to file on one thread, including startup\n\n\
         The page is generated from `benchmarks/transformations.tsv`, which is written by\n\n\
         \x20   QUAICH_TREEBANKS=… cargo xtask bench transformations [--learner LEARNER] [--program FILE] TREEBANK…\n\n",
    );
    let _ = writeln!(text, "{}, {}.", machine::cpu(), machine::today());
    let mut tables: Vec<(&str, &str)> = Vec::new();
    for figures in all {
        let table = (&figures.learner[..], &figures.treebank[..]);
        if !tables.contains(&table) {
            tables.push(table);
        }
    }
    tables.sort_by_key(|(learner, _)| *learner != DEFAULT);
    for (learner, treebank) in tables {
        let with = if learner == DEFAULT { "the default learner".to_owned() } else { format!("`{learner}`") };
        let _ = write!(text, "\n## {treebank}, {with}\n\n");
        text += &heading(&["", "LAS", "UAS", "precision", "recall", "words per second"]);
        for (system, transform) in WAYS {
            let Some(figures) = find(all, learner, treebank, system, transform) else { continue };
            let name = if transform == "none" {
                format!("`{system}`")
            } else {
                format!("`{system}`, `{transform}`")
            };
            text += &row(&[
                name,
                format!("{:.2}", figures.las),
                format!("{:.2}", figures.uas),
                format!("{:.1}", figures.precision),
                format!("{:.1}", figures.recall),
                rounded(figures.words_per_second),
            ]);
        }
    }
    text
}
