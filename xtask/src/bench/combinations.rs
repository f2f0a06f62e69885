//! Every transition system with every learner and every decision, trained on the sample treebank: a page of the
//! manual that shows that all of them learn.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::Place;
use super::figures::{grouped, heading, row};
use super::process::{build, checked, output};
use super::score::las;
use super::text::{Treebank, count_tokens};
use crate::say;

pub(super) const USAGE: &str = "[--systems NAME,NAME…]";

/// The page of the manual that this makes.
pub(super) const PAGE: &str = "docs/results/combinations.md";

/// How many trainings run side by side, each on one thread.
const AT_A_TIME: usize = 2;

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let given = match options {
        [] => None,
        ["--systems", systems] => Some(systems.split(',').map(str::to_owned).collect()),
        _ => return Err(io::Error::other(format!("found `{}`, expected {USAGE}", options.join(" ")))),
    };
    let program = build(&place.root)?;
    let table = Table {
        systems: given.map_or_else(|| names(&program, "systems"), Ok)?,
        learners: names(&program, "learners")?,
        decisions: names(&program, "decisions")?,
    };
    let bench = Bench { place, program, treebank: Treebank::sample(&place.root)? };
    let scores = bench.scores(&table.combinations())?;
    let called: String = options.iter().flat_map(|option| [" ", option]).collect();
    Ok(bench.introduction(&called)? + &table.shown(&scores))
}

/// Learners with this in their names take minutes where the others take seconds, unless they are small.
const SLOW: &str = "recurrent";
const SMALL: [&str; 6] =
    ["--set", "encoder.networks=1", "--set", "encoder.units=64", "--set", "encoder.epochs=60"];

/// What is combined.
struct Table {
    systems: Vec<String>,
    learners: Vec<String>,
    decisions: Vec<String>,
}

/// One way of training.
struct Combination<'a> {
    system: &'a str,
    learner: &'a str,
    decision: &'a str,
}

impl Table {
    /// All combinations, row by row.
    fn combinations(&self) -> Vec<Combination<'_>> {
        let mut all = Vec::new();
        for system in &self.systems {
            for learner in &self.learners {
                for decision in &self.decisions {
                    all.push(Combination { system, learner, decision });
                }
            }
        }
        all
    }

    /// One table per decision, with one row per system and one column per learner.
    fn shown(&self, scores: &[f64]) -> String {
        let learners = self.learners.iter().map(String::as_str);
        let columns: Vec<&str> = std::iter::once("").chain(learners).collect();
        let (mut text, n_decisions) = (String::new(), self.decisions.len());
        for (number, decision) in self.decisions.iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n## `--decision {decision}`\n\n{}", heading(&columns));
            let rows = scores.chunks(self.learners.len() * n_decisions);
            for (system, scores) in self.systems.iter().zip(rows) {
                let scores = scores.iter().skip(number).step_by(n_decisions).map(|las| format!("{las:.1}"));
                text += &row(&std::iter::once(format!("`{system}`")).chain(scores).collect::<Vec<_>>());
            }
        }
        text
    }
}

/// What every training needs.
struct Bench<'a> {
    place: &'a Place,
    program: PathBuf,
    treebank: Treebank,
}

impl Bench<'_> {
    /// The score of every combination, several at a time; the first that fails ends it.
    fn scores(&self, combinations: &[Combination<'_>]) -> io::Result<Vec<f64>> {
        let next = AtomicUsize::new(0);
        let scores = Mutex::new(vec![0.0; combinations.len()]);
        thread::scope(|scope| {
            let work = || -> io::Result<()> {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(combination) = combinations.get(at) else { return Ok(()) };
                    let score = self.score(combination, at).inspect_err(|_| {
                        // Nobody takes up another.
                        next.store(combinations.len(), Ordering::Relaxed);
                    })?;
                    let Combination { system, learner, decision } = combination;
                    say(&format!(
                        "{} of {}: {system}, {learner}, {decision}: {score:.1}",
                        at + 1,
                        combinations.len()
                    ));
                    scores.lock().map_err(|_| io::Error::other("another training panicked"))?[at] = score;
                }
            };
            let workers: Vec<_> = (0..AT_A_TIME).map(|_| scope.spawn(work)).collect();
            workers
                .into_iter()
                .try_for_each(|worker| worker.join().map_err(|_| io::Error::other("a training panicked"))?)
        })?;
        scores.into_inner().map_err(|_| io::Error::other("a training panicked"))
    }

    /// Trains, parses and scores.
    fn score(&self, combination: &Combination<'_>, number: usize) -> io::Result<f64> {
        let Combination { system, learner, decision } = *combination;
        let file = |extension: &str| self.place.scratch.join(format!("{number}.{extension}"));
        let (model, parsed) = (file("quaich"), file("conllu"));
        checked(
            Command::new(&self.program)
                .args(["train", "--quiet", "--jobs", "1", "--system", system, "--learner", learner])
                .args(["--decision", decision])
                .args(if learner.contains(SLOW) { &SMALL[..] } else { &[] })
                .arg("-o")
                .arg(&model)
                .arg(&self.treebank.train),
        )?;
        checked(
            Command::new(&self.program)
                .args(["parse", "--quiet", "--jobs", "1", "-m"])
                .args([&model, &self.treebank.test])
                .arg("-o")
                .arg(&parsed),
        )?;
        fs::remove_file(model)?;
        las(&self.program, &self.treebank.test, &parsed)
    }

    fn introduction(&self, options: &str) -> io::Result<String> {
        let n_tokens = |file: &Path| fs::read(file).map(|text| count_tokens(&text));
        let n_test = n_tokens(&self.treebank.test)?;
        Ok(format!(
            "# Every system, learner and decision\n\n\
             Every [transition system](../reference/systems.md) works with every [learner](../reference/learners.md) and every [decision](../reference/train.md#decisions).\n\
             This page shows the labelled attachment score (LAS, in percent) of each combination on the test part of the sample treebank ({} tokens), trained\n\
             with default settings on its training part ({} tokens). It is generated by\n\n\
             \x20   cargo xtask bench combinations{options}\n\n\
             The treebank is so small that the tables only show that every combination learns, not which one is best: one token is {:.1} points, and\n\
             another seed changes a score by two or three. Systems that derive only projective trees use the transformation that training selects by default.\n\
             To compare combinations, train them on your own treebank with `--dev`. Learners with a recurrent network take minutes where others take seconds,\n\
             so they are smaller here than by default:\n\
             `{}`.\n",
            grouped(n_test),
            grouped(n_tokens(&self.treebank.train)?),
            100.0 / f64::from(u32::try_from(n_test.max(1)).unwrap_or(u32::MAX)),
            SMALL.join(" "),
        ))
    }
}

/// The names that `quaich list` gives.
fn names(program: &Path, what: &str) -> io::Result<Vec<String>> {
    let json = output(Command::new(program).args(["list", what, "--json"]))?;
    let json = String::from_utf8_lossy(&json);
    let name = |line: &str| Some(line.trim().strip_prefix("\"name\": \"")?.strip_suffix("\",")?.to_owned());
    Ok(json.lines().filter_map(name).collect())
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn a_row_is_a_system() {
        let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let table = Table {
            systems: list(&["arc-eager", "planar"]),
            learners: list(&["linear", "memory"]),
            decisions: list(&["sequence", "joint"]),
        };
        assert_eq!(table.combinations()[4].system, "planar");
        assert_eq!(
            table.shown(&[80.0, 81.25, 60.0, 61.0, 70.0, 71.04, 50.0, 51.0]),
            "\n## `--decision sequence`\n\n|  | linear | memory |\n| --- | --- | --- |\n\
             | `arc-eager` | 80.0 | 60.0 |\n| `planar` | 70.0 | 50.0 |\n\
             \n## `--decision joint`\n\n|  | linear | memory |\n| --- | --- | --- |\n\
             | `arc-eager` | 81.2 | 61.0 |\n| `planar` | 71.0 | 51.0 |\n"
        );
    }
}
