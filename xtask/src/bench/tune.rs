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

pub(super) const USAGE: &str = "[--program FILE] [--minutes N] [--only default|papers|bad-start] [TREEBANK…]";

const PAGE: Page =
    Page { file: "docs/results/tuning.md", record: "benchmarks/tuning.tsv", text: page, picture: None };
/// The minutes of every search.
const MINUTES: usize = 20;
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
        let minutes = asked.minutes.unwrap_or(MINUTES);
        Bench { place, program: &program, minutes, treebank, files }.measure(asked.only)
    })
}

struct Bench<'a> {
    place: &'a Place,
    program: &'a Path,
    minutes: usize,
    treebank: &'a str,
    files: (PathBuf, PathBuf),
}

impl Bench<'_> {
    fn measure(&self, only: Option<&str>) -> io::Result<Measured> {
        let mut figures = Measured::default();
        #[allow(clippy::cast_precision_loss, reason = "a number of minutes")]
        figures.push(self.treebank, "search", "minutes", self.minutes as f64);
        let is_wanted = |what: &str| only.is_none_or(|only| only == what);
        if is_wanted("default") || is_wanted("bad-start") {
            self.trained(&mut figures, DEFAULT, &[])?;
        }
        if is_wanted("default") {
            self.tuned(&mut figures, (DEFAULT, TUNED), &[])?;
        }
        if is_wanted("papers") {
            self.trained(&mut figures, PAPERS_DEFAULT, &PAPERS)?;
            let record = self.tuned(&mut figures, (PAPERS_DEFAULT, PAPERS_TUNED), &PAPERS)?;
            self.steps(&mut figures, &record)?;
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
        command.args(["train", "--quiet", "--parts", "parse", "-o"]).arg(&model).args(options);
        checked(command.arg(&self.files.0))?;
        let parsed = self.parsed(name);
        let mut command = Command::new(self.program);
        command.args(["parse", "--quiet", "-m"]).arg(&model).arg(&self.files.1);
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

    /// Searches, trains with the result, and compares it with another parser. Returns the record of the search.
    fn tuned(
        &self,
        figures: &mut Measured,
        (than, name): (&str, &str),
        start: &[&str],
    ) -> io::Result<String> {
        let config = self.file(name, "toml");
        let mut command = Command::new(self.program);
        command.args(["tune", "--quiet", "--json", "--budget", &format!("{}m", self.minutes), "-o"]);
        let record = output(command.arg(&config).args(start).arg(&self.files.0))?;
        self.trained(figures, name, &["--config", &config.display().to_string()])?;
        let p = significance(self.program, &self.files.1, [&self.parsed(than), &self.parsed(name)])?;
        figures.push(self.treebank, name, "p", p);
        Ok(String::from_utf8_lossy(&record).into_owned())
    }

    /// Cross-validates the start, the result of the algorithm's phases, and the final result.
    fn steps(&self, figures: &mut Measured, record: &str) -> io::Result<()> {
        let accepted = accepted(record);
        let is_algorithm = |phase: &str| ["root", "system", "modifiers", "transformation"].contains(&phase);
        let n_algorithm = accepted.iter().take_while(|(phase, _)| is_algorithm(phase)).count();
        let algorithm = n_algorithm.checked_sub(1).map(|last| &accepted[last].1);
        let result = fs::read_to_string(self.file(PAPERS_TUNED, "toml"))?;
        for (step, config) in STEPS.into_iter().zip([None, algorithm, Some(&result)]) {
            let mut command = Command::new(self.program);
            command.args(["crossval", "--quiet", "--json", "--folds", FOLDS]).arg(&self.files.0);
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
         [`quaich tune`](../reference/tune.md):\n\n\
         - default: the default learner\n\
         - papers: a linear support vector machine with MaltParser's default system and features (`--learner linear-svm --system \
         arc-eager:malt --features malt:nivreeager`)\n\
         - bad start: the default learner with poor values of five settings, compared with the default after tuning\n\
         - p: the significance of the difference (randomised comparator)\n\n\
         The page is generated from `benchmarks/tuning.tsv`, which is written by\n\n\
         \x20   QUAICH_TREEBANKS=… cargo xtask bench tune [--minutes N] [--only default|papers|bad-start] TREEBANK…\n\n",
    );
    let _ = writeln!(text, "{}, {}.\n", machine::cpu(), machine::today());
    let treebanks = all.treebanks();
    text += &heading(&["LAS", "minutes per search", "default", "tuned", "p", "papers", "tuned", "p"]);
    let mut gains = [Vec::new(), Vec::new()];
    for treebank in &treebanks {
        let value = |whose: &str, what: &str| all.find(treebank, whose, what);
        let shown = |whose: &str, what: &str, digits: usize| {
            value(whose, what).map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"))
        };
        for (gains, (before, after)) in
            gains.iter_mut().zip([(DEFAULT, TUNED), (PAPERS_DEFAULT, PAPERS_TUNED)])
        {
            gains.extend(value(after, "LAS").zip(value(before, "LAS")).map(|(after, before)| after - before));
        }
        text += &row(&[
            (*treebank).to_owned(),
            shown("search", "minutes", 0),
            shown(DEFAULT, "LAS", 2),
            shown(TUNED, "LAS", 2),
            shown(TUNED, "p", 4),
            shown(PAPERS_DEFAULT, "LAS", 2),
            shown(PAPERS_TUNED, "LAS", 2),
            shown(PAPERS_TUNED, "p", 4),
        ]);
    }
    for (whose, gains) in ["the default learner", "the papers' learner"].into_iter().zip(&gains) {
        if !gains.is_empty() {
            #[allow(clippy::cast_precision_loss, reason = "a handful of treebanks")]
            let mean = gains.iter().sum::<f64>() / gains.len() as f64;
            let _ = writeln!(text, "\nMean gain of {whose}: {mean:+.2}.");
        }
    }
    text += &bad_starts(all, &treebanks);
    text + &steps(all, &treebanks)
}

fn bad_starts(all: &Measured, treebanks: &[&str]) -> String {
    let rows = treebanks.iter().filter_map(|treebank| {
        let las = |whose: &str| all.find(treebank, whose, "LAS");
        let (default, bad, recovered) = (las(DEFAULT)?, las(BAD_START)?, las(RECOVERED)?);
        let difference = recovered - default;
        Some(row(&[
            (*treebank).to_owned(),
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
        heading(&["LAS", "default", "bad start", "tuned", "compared with the default"])
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
        all.push("a", "search", "minutes", 2.0);
        all.push("a", DEFAULT, "LAS", 70.0);
        all.push("a", TUNED, "LAS", 71.5);
        let text = page(&all);
        assert!(text.contains("| a | 2 | 70.00 | 71.50 | – | – | – | – |"), "{text}");
        assert!(text.contains("Mean gain of the default learner: +1.50."), "{text}");
        assert!(!text.contains("## "), "{text}");
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
