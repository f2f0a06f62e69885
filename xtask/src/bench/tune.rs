//! `quaich tune`: the default parser and the learner of the papers, before and after tuning, and the steps of table 1 of Hall et al.
//! (2007).

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::asked::Asked;
use super::figures::{heading, row};
use super::measured::{Measured, Page};
use super::process::{checked, output};
use super::score::{scores, significance};
use super::text::part_of;
use super::{Place, machine};
use crate::say;

pub(super) const USAGE: &str = "[--program FILE] [--minutes N] [--trials N] [--jobs N] [--only default|papers|steps|bad-start] [TREEBANK…]";

const PAGE: Page =
    Page { file: "docs/results/tune.md", record: "benchmarks/tune.tsv", text: page, picture: None };
/// The minutes of every search, and its jobs.
const MINUTES: usize = 20;
const JOBS: usize = 2;
/// The learner of the papers with `MaltParser`'s default system and features.
const PAPERS: [&str; 6] =
    ["--learner", "linear-svm", "--system", "arc-eager:malt", "--features", "malt:nivreeager"];
/// Poor values of five settings.
const BAD: [&str; 10] = [
    "--set",
    "encoder.units=16",
    "--set",
    "encoder.layers=1",
    "--set",
    "encoder.hidden=8",
    "--set",
    "encoder.dropout=0.8",
    "--set",
    "encoder.epochs=2",
];
/// Parsers: the name in the record, and whether a search has made it.
const DEFAULT: &str = "default";
const TUNED: &str = "default tuned";
const PAPERS_DEFAULT: &str = "papers";
const PAPERS_TUNED: &str = "papers tuned";
const BAD_START: &str = "bad start";
const RECOVERED: &str = "bad start tuned";
/// Folds of the steps, as in 2007.
const FOLDS: &str = "9";
/// Table 1 of Hall et al. (2007): cross-validation or a split of the training data.
const PUBLISHED: [(&str, [f64; 3]); 11] = [
    ("Arabic", [70.31, 70.31, 71.67]),
    ("Basque", [73.86, 74.44, 76.99]),
    ("Catalan", [85.43, 85.51, 86.88]),
    ("Chinese", [83.85, 84.39, 87.64]),
    ("Czech", [75.00, 75.83, 77.74]),
    ("English", [85.44, 85.44, 86.35]),
    ("Greek", [72.67, 73.04, 74.42]),
    ("Hungarian", [74.62, 74.64, 77.40]),
    ("Italian", [81.42, 81.64, 82.50]),
    ("Turkish", [75.12, 75.80, 76.49]),
    ("Average", [77.78, 78.10, 79.81]),
];
/// The steps: baseline, parsing algorithm, features and learner.
const STEPS: [&str; 3] = ["Base", "PA", "F+L"];

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let asked = Asked::read(options, USAGE)?;
    let program = asked.program(place)?;
    PAGE.renew(place, &asked.treebanks, |treebank, folder| {
        let files = (part_of(folder, "train")?, part_of(folder, "test")?);
        let minutes = Budget::Minutes(asked.minutes.unwrap_or(MINUTES));
        let budget = asked.trials.map_or(minutes, Budget::Trials);
        let jobs = asked.jobs.unwrap_or(JOBS);
        Bench { place, program: &program, budget, jobs, treebank, files }.measure(asked.only)
    })
}

/// What a search may use.
#[derive(Clone, Copy)]
enum Budget {
    Minutes(usize),
    Trials(usize),
}

struct Bench<'a> {
    place: &'a Place,
    program: &'a Path,
    budget: Budget,
    jobs: usize,
    treebank: &'a str,
    files: (PathBuf, PathBuf),
}

impl Bench<'_> {
    fn measure(&self, only: Option<&str>) -> io::Result<Measured> {
        let mut figures = Measured::default();
        let is_wanted = |what: &str| only.is_none_or(|only| only == what);
        if is_wanted("default") || is_wanted("bad-start") {
            self.trained(&mut figures, DEFAULT, &[])?;
        }
        if is_wanted("default") {
            self.tuned(&mut figures, (DEFAULT, TUNED), &[])?;
        }
        if is_wanted("papers") {
            self.trained(&mut figures, PAPERS_DEFAULT, &PAPERS)?;
            self.tuned(&mut figures, (PAPERS_DEFAULT, PAPERS_TUNED), &PAPERS)?;
        }
        if is_wanted("steps") {
            self.steps(&mut figures)?;
        }
        if is_wanted("bad-start") {
            self.trained(&mut figures, BAD_START, &BAD)?;
            self.tuned(&mut figures, (DEFAULT, RECOVERED), &BAD)?;
        }
        Ok(figures)
    }

    fn file(&self, name: &str, extension: &str) -> PathBuf {
        self.place
            .scratch
            .join(format!("{}-{}", self.treebank, name.replace(' ', "-")))
            .with_extension(extension)
    }

    /// Trains on the training file and scores on the test file.
    fn trained(&self, figures: &mut Measured, name: &str, options: &[&str]) -> io::Result<()> {
        let model = self.file(name, "quaich");
        let mut command = Command::new(self.program);
        let jobs = self.jobs.to_string();
        command
            .args(["train", "--quiet", "--jobs", &jobs, "--parts", "parse", "-o"])
            .arg(&model)
            .args(options);
        checked(command.arg(&self.files.0))?;
        let parsed = self.parsed(name);
        let mut command = Command::new(self.program);
        command.args(["parse", "--quiet", "--jobs", &jobs, "-m"]).arg(&model).arg(&self.files.1);
        checked(command.arg("-o").arg(&parsed))?;
        fs::remove_file(&model)?;
        let [las] = scores(self.program, &self.files.1, &parsed, ["las"])?;
        say(&format!("{}, {name}: {las:.2}", self.treebank));
        figures.push(self.treebank, name, "LAS", las);
        Ok(())
    }

    fn parsed(&self, name: &str) -> PathBuf {
        let extension = self.files.1.extension().and_then(|end| end.to_str()).unwrap_or("conllu");
        self.file(name, extension)
    }

    /// Searches, trains with the result, and compares it with another parser. Keeps the record of the search.
    fn tuned(&self, figures: &mut Measured, (than, name): (&str, &str), start: &[&str]) -> io::Result<()> {
        let config = self.file(name, "toml");
        let mut command = Command::new(self.program);
        let ((option, value), (unit, number)) = match self.budget {
            Budget::Minutes(n) => (("--budget", format!("{n}m")), ("minutes", n)),
            Budget::Trials(n) => (("--trials", n.to_string()), ("trials", n)),
        };
        let jobs = self.jobs.to_string();
        command.args(["tune", "--quiet", "--json", option, &value, "--jobs", &jobs, "-o"]);
        command.arg(&config).arg("--report").arg(self.file(name, "md")).args(start).arg(&self.files.0);
        let record = output(&mut command)?;
        let record = String::from_utf8_lossy(&record).into_owned();
        fs::write(self.file(name, "json"), &record)?;
        // No budget of an earlier run stays in the record.
        let other = ["minutes", "trials"].into_iter().find(|other| *other != unit).map(|other| (other, 0));
        let all = [(unit, number), ("jobs", self.jobs), ("accepted", accepted(&record).len())];
        for (what, value) in all.into_iter().chain(other) {
            #[allow(clippy::cast_precision_loss, reason = "small numbers")]
            figures.push(self.treebank, name, what, value as f64);
        }
        self.trained(figures, name, &["--config", &config.display().to_string()])?;
        let p = significance(self.program, &self.files.1, [&self.parsed(than), &self.parsed(name)])?;
        figures.push(self.treebank, name, "p", p);
        Ok(())
    }

    /// Cross-validates the start of the search for the papers' learner, the result of the algorithm's phases, and the final result.
    fn steps(&self, figures: &mut Measured) -> io::Result<()> {
        let record = fs::read_to_string(self.file(PAPERS_TUNED, "json"));
        let record =
            record.map_err(|_| io::Error::other("no search yet: expected `--only papers` before"))?;
        let accepted = accepted(&record);
        let is_algorithm = |phase: &str| ["root", "system", "modifiers", "transformation"].contains(&phase);
        let n_algorithm = accepted.iter().take_while(|(phase, _)| is_algorithm(phase)).count();
        let algorithm = n_algorithm.checked_sub(1).map(|last| &accepted[last].1);
        let result = fs::read_to_string(self.file(PAPERS_TUNED, "toml"))?;
        let mut before: Option<f64> = None;
        for (step, config) in STEPS.into_iter().zip([None, algorithm, Some(&result)]) {
            if let (None, Some(las)) = (config, before) {
                // Nothing was accepted.
                figures.push(self.treebank, "steps", step, las);
                continue;
            }
            let mut command = Command::new(self.program);
            let jobs = self.jobs.to_string();
            command
                .args(["crossval", "--quiet", "--json", "--jobs", &jobs, "--folds", FOLDS])
                .arg(&self.files.0);
            match config {
                None => command.args(PAPERS),
                Some(config) => {
                    let file = self.file(&format!("step {step}"), "toml");
                    fs::write(&file, config)?;
                    command.arg("--config").arg(file)
                }
            };
            let json = output(&mut command)?;
            let json = String::from_utf8_lossy(&json);
            // The first measure is LAS.
            let las = json.lines().find_map(|line| line.trim().strip_prefix("\"all\": "));
            let las = las.and_then(|las| las.trim_end_matches(',').parse().ok());
            let las: f64 = las.ok_or_else(|| io::Error::other("no LAS in the cross-validation"))?;
            say(&format!("{}, {step}: {las:.2}", self.treebank));
            figures.push(self.treebank, "steps", step, las);
            before = Some(las);
        }
        Ok(())
    }
}

/// The accepted steps in the record of a search: the phase, and the configuration after it.
fn accepted(record: &str) -> Vec<(String, String)> {
    let mut phase = None;
    let mut found = Vec::new();
    for line in record.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("\"phase\": \"") {
            phase = Some(name.trim_end_matches([',', '"']).to_owned());
        } else if let (Some(config), Some(phase)) = (line.strip_prefix("\"config\": \""), &phase) {
            let config = config.strip_suffix(',').unwrap_or(config);
            found.push((phase.clone(), unescaped(config.strip_suffix('"').unwrap_or(config))));
        }
    }
    found
}

/// The text of a string in JSON, with the escapes that TOML files need.
fn unescaped(text: &str) -> String {
    let mut characters = text.chars();
    let mut result = String::new();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n') => result.push('\n'),
                Some('t') => result.push('\t'),
                Some(other) => result.push(other),
                None => {}
            },
            other => result.push(other),
        }
    }
    result
}

fn page(all: &Measured) -> String {
    let mut text = String::from(
        "# Tuning\n\n\
         LAS on test files, gold tags, all tokens, of parsers trained on the whole training file before and after \
         [`quaich tune`](../reference/tune.md). Nothing of the test files was used for tuning. The budget of every search is in the tables: \
         trials, or minutes of wall-clock time × jobs.",
    );
    let treebanks = all.treebanks();
    let searches = treebanks.iter().flat_map(|treebank| {
        [TUNED, PAPERS_TUNED, RECOVERED].map(|name| {
            let figure = |what| all.find(treebank, name, what);
            figure("accepted").map(|_| (figure("minutes"), figure("jobs")))
        })
    });
    #[allow(clippy::cast_precision_loss, reason = "small numbers")]
    let is_other = |(minutes, jobs): (Option<f64>, Option<f64>)| {
        (minutes, jobs) != (Some(MINUTES as f64), Some(JOBS as f64))
    };
    if searches.flatten().any(is_other) {
        let _ = write!(
            text,
            " **Not all searches had the {MINUTES} minutes × {JOBS} jobs that the benchmark gives a search by default.**"
        );
    }
    text += "\n\n\
         - default: the default learner\n\
         - papers: a linear support vector machine with MaltParser's default system and features (`--learner linear-svm --system \
         arc-eager:malt --features malt:nivreeager`)\n\
         - accepted: the number of accepted changes\n\
         - p: the significance of the difference between before and after (randomised comparator)\n\n\
         The page is generated from `benchmarks/tune.tsv`, which is written by\n\n\
         \x20   QUAICH_TREEBANKS=… cargo xtask bench tune [--minutes N] [--trials N] [--jobs N] [--only default|papers|steps|bad-start] TREEBANK…\n\n";
    let _ = writeln!(text, "{}, {}.", machine::cpu(), machine::today());
    text += &learner(all, &treebanks, "The papers' learner", (PAPERS_DEFAULT, PAPERS_TUNED));
    text += &learner(all, &treebanks, "The default learner", (DEFAULT, TUNED));
    text += &bad_starts(all, &treebanks);
    text + &steps(all, &treebanks)
}

/// A figure as text, with this many digits.
fn shown(all: &Measured, treebank: &str, (whose, what): (&str, &str), digits: usize) -> String {
    all.find(treebank, whose, what).map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"))
}

fn budget(all: &Measured, treebank: &str, name: &str) -> String {
    let shown = |what| shown(all, treebank, (name, what), 0);
    if all.find(treebank, name, "trials").is_some_and(|trials| trials > 0.0) {
        format!("{} trials", shown("trials"))
    } else {
        format!("{} min × {}", shown("minutes"), shown("jobs"))
    }
}

/// The scores of a learner before and after tuning.
fn learner(all: &Measured, treebanks: &[&str], title: &str, (before, after): (&str, &str)) -> String {
    let mut gains = Vec::new();
    let mut rows = String::new();
    for treebank in treebanks {
        let las = |whose: &str| all.find(treebank, whose, "LAS");
        let Some((from, to)) = las(before).zip(las(after)) else { continue };
        gains.push(to - from);
        rows += &row(&[
            (*treebank).to_owned(),
            budget(all, treebank, after),
            shown(all, treebank, (after, "accepted"), 0),
            format!("{from:.2}"),
            format!("{to:.2}"),
            format!("{:+.2}", to - from),
            shown(all, treebank, (after, "p"), 4),
        ]);
    }
    if rows.is_empty() {
        return rows;
    }
    #[allow(clippy::cast_precision_loss, reason = "a handful of treebanks")]
    let mean = gains.iter().sum::<f64>() / gains.len() as f64;
    let heading = heading(&["LAS", "budget", "accepted", "before", "tuned", "gain", "p"]);
    format!("\n## {title}\n\n{heading}{rows}\nMean gain: {mean:+.2}.\n")
}

fn bad_starts(all: &Measured, treebanks: &[&str]) -> String {
    let rows = treebanks.iter().filter_map(|treebank| {
        let las = |whose: &str| all.find(treebank, whose, "LAS");
        let (default, bad, recovered) = (las(DEFAULT)?, las(BAD_START)?, las(RECOVERED)?);
        let difference = recovered - default;
        Some(row(&[
            (*treebank).to_owned(),
            budget(all, treebank, RECOVERED),
            format!("{default:.2}"),
            format!("{bad:.2}"),
            format!("{recovered:.2}"),
            format!("{difference:+.2}"),
        ]))
    });
    let rows: String = rows.collect();
    if rows.is_empty() {
        return rows;
    }
    let settings: Vec<&str> = BAD.iter().copied().filter(|word| *word != "--set").collect();
    format!(
        "\n## Bad starts\n\nThe search starts from `{}`.\n\n{}{rows}",
        settings.join("`, `"),
        heading(&["LAS", "budget", "default", "bad start", "tuned", "compared with the default"])
    )
}

fn steps(all: &Measured, treebanks: &[&str]) -> String {
    let cells = |name: &str, [base, algorithm, result]: [f64; 3]| {
        let gains = [algorithm - base, result - algorithm].map(|gain| format!("{gain:+.2}"));
        let [first, second] = gains;
        row(&[
            name.to_owned(),
            format!("{base:.2}"),
            format!("{algorithm:.2}"),
            format!("{result:.2}"),
            first,
            second,
        ])
    };
    let rows = treebanks.iter().filter_map(|treebank| {
        let step = |step: &str| all.find(treebank, "steps", step);
        Some(cells(treebank, [step(STEPS[0])?, step(STEPS[1])?, step(STEPS[2])?]))
    });
    let rows: String = rows.collect();
    if rows.is_empty() {
        return rows;
    }
    let published: String =
        PUBLISHED.iter().map(|(name, scores)| cells(&format!("{name} (2007)"), *scores)).collect();
    format!(
        "\n## The steps of table 1 of Hall et al. (2007)\n\nLAS of the papers' learner in nine-fold cross-validation on the training \
         file: baseline (Base), after parsing algorithm and transformation (PA), after features and learner (F+L). The rows of 2007 are \
         the published figures, of other treebanks and of a support vector machine with a quadratic kernel.\n\n{}{rows}{published}",
        heading(&["LAS", STEPS[0], STEPS[1], STEPS[2], "gain of PA", "gain of F+L"])
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_are_found_in_the_record() {
        let record = "{\n  \"config\": \"seed = 1\\n\",\n  \"steps\": [\n    {\n      \"phase\": \"system\",\n      \"config\": \"system = \\\"x\\\"\\n\"\n    },\n    {\n      \"phase\": \"features\",\n      \"tried\": 3\n    }\n  ]\n}";
        assert_eq!(accepted(record), [("system".to_owned(), "system = \"x\"\n".to_owned())]);
    }

    #[test]
    fn the_page_has_what_was_measured() {
        let mut all = Measured::default();
        for (what, value) in [("LAS", 71.5), ("minutes", 3.0), ("jobs", 1.0), ("accepted", 2.0)] {
            all.push("a", TUNED, what, value);
        }
        all.push("a", DEFAULT, "LAS", 70.0);
        let text = page(&all);
        assert!(text.contains("| a | 3 min × 1 | 2 | 70.00 | 71.50 | +1.50 | – |"), "{text}");
        assert!(text.contains("Mean gain: +1.50."), "{text}");
        assert!(text.contains("had the 20 minutes × 2 jobs") && text.matches("## ").count() == 1, "{text}");
        for (step, las) in STEPS.into_iter().zip([70.0, 70.5, 73.0]) {
            all.push("a", "steps", step, las);
        }
        assert!(page(&all).contains("| a | 70.00 | 70.50 | 73.00 | +0.50 | +2.50 |"));
        // The means that the paper gives.
        let average = PUBLISHED[10].1;
        for column in 0..3 {
            let mean = PUBLISHED[..10].iter().map(|(_, scores)| scores[column]).sum::<f64>() / 10.0;
            assert!((mean - average[column]).abs() < 0.01, "{mean}");
        }
    }
}
