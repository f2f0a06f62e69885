//! Settings of the learners, looked for as the papers did: by labelled attachment on held-out sentences, within the
//! intervals that the 2006 papers give.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::super::score::scores_by;
use super::super::text::split;
use super::Bench;

/// What was found, so that nothing is looked for twice: features, learner with options, LAS on the held-out sentences.
const RECORD: &str = "benchmarks/learners-search.tsv";

/// What a parser of the table is made of.
pub(super) struct Combination {
    pub(super) features: &'static str,
    pub(super) learner: &'static str,
    /// Further options of `train`.
    pub(super) options: &'static [&'static str],
}

impl Combination {
    /// The options of `train`, with those of the learner.
    pub(super) fn options<'a>(&'a self, learner: &'a str) -> Vec<&'a str> {
        let mut options = vec!["--features", self.features, "--learner", learner];
        options.extend(self.options);
        options
    }
}

/// A treebank, four fifths to learn from and a fifth to judge by.
pub(super) struct Search {
    train: PathBuf,
    held_out: PathBuf,
}

impl Search {
    pub(super) fn new(bench: &Bench<'_>) -> io::Result<Self> {
        let (train, held_out) = split(bench.place, &bench.danish)?;
        Ok(Self { train, held_out })
    }

    /// The learner with the options that did best: for `memory` all combinations of *k* and *l*, for `svm` first all of γ
    /// and r, then, with the best of them, all of C and ε.
    pub(super) fn best(&self, bench: &mut Bench<'_>, combination: &Combination) -> io::Result<String> {
        if combination.learner == "memory" {
            let grid = pairs(&["3", "5", "10"], &["1", "3", "8"]);
            let options = grid.iter().map(|(k, l)| format!("memory -k {k} -m M -L {l} -w 0 -d ID"));
            return self.best_of(bench, combination, options.collect());
        }
        let kernel = |(gamma, coef0): &(&str, &str), c: &str, epsilon: &str| {
            format!("svm -t 1 -d 2 -g {gamma} -r {coef0} -c {c} -e {epsilon}")
        };
        let grid = pairs(&["0.16", "0.2", "0.28", "0.4"], &["0", "0.3", "0.6"]);
        let options: Vec<String> = grid.iter().map(|pair| kernel(pair, "0.5", "1.0")).collect();
        let best = self.best_of(bench, combination, options.clone())?;
        let pair = options.iter().position(|option| *option == best).map_or(grid[0], |at| grid[at]);
        let rest = pairs(&["0.5", "1.0"], &["1.0", "0.1"]);
        let options = rest.iter().map(|(c, epsilon)| kernel(&pair, c, epsilon));
        self.best_of(bench, combination, options.collect())
    }

    /// The first of those with the highest score.
    fn best_of(
        &self,
        bench: &mut Bench<'_>,
        combination: &Combination,
        options: Vec<String>,
    ) -> io::Result<String> {
        let mut best = (f64::NEG_INFINITY, String::new());
        for option in options {
            let las = self.score(bench, combination, &option)?;
            if las > best.0 {
                best = (las, option);
            }
        }
        Ok(best.1)
    }

    /// LAS on the held-out sentences: what was measured before counts.
    fn score(&self, bench: &mut Bench<'_>, combination: &Combination, learner: &str) -> io::Result<f64> {
        let record = bench.place.root.join(RECORD);
        let known = match fs::read_to_string(&record) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let name = format!("{}\t{learner}\t", combination.features);
        if let Some(las) = known.lines().find_map(|line| line.strip_prefix(&name)?.parse().ok()) {
            return Ok(las);
        }
        let las = self.measure(bench, combination, learner)?;
        fs::write(&record, format!("{known}{name}{las:.2}\n"))?;
        Ok(las)
    }

    fn measure(&self, bench: &mut Bench<'_>, combination: &Combination, learner: &str) -> io::Result<f64> {
        let (model, parsed) = (bench.file("search"), bench.file("searched.conll"));
        let run = bench.train(&combination.options(learner), &self.train, &model)?;
        bench.parse(&model, &self.held_out, &parsed)?;
        let files = (self.held_out.as_path(), parsed.as_path());
        let [las] = scores_by(&bench.program, &["--punct", "skip"], files, ["las"])?;
        bench.note(&format!("search, {}, {learner}", combination.features), Some(&run), &format!("{las:.2}"));
        Ok(las)
    }
}

/// Each of the first with each of the second.
fn pairs<'a>(first: &[&'a str], second: &[&'a str]) -> Vec<(&'a str, &'a str)> {
    first.iter().flat_map(|&a| second.iter().map(move |&b| (a, b))).collect()
}
