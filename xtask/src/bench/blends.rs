//! Blends against the best of their parsers: equal votes and weighted ones, what they gain on arcs of every length, and what they cost. What was
//! measured is kept, so that one treebank can be measured at a time.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::asked::Asked;
use super::figures::{heading, row};
use super::measured::{Measured, Page};
use super::process::{checked, output, side_by_side};
use super::score::{scores, significance};
use super::text::{at_least, count_tokens, part_of};
use super::{Place, machine};
use crate::say;

pub(super) const USAGE: &str = "[--program FILE] [--words N] [--models FOLDER] [TREEBANK…]";

const PAGE: Page =
    Page { file: "docs/results/ensembles.md", record: "benchmarks/blends.tsv", text: page, picture: None };
/// Words that speed is measured on, at least, and how often.
const SPEED_WORDS: usize = 50_000;
const RUNS: usize = 5;
/// The default of the setting `seed`.
const DEFAULT_SEED: f64 = 1.0;
/// Classes of arc lengths, as in the paper.
const LENGTHS: [&str; 5] = ["root", "1", "2", "3-6", "7+"];

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let asked = Asked::read(options, USAGE)?;
    let program = asked.program(place)?;
    PAGE.renew(place, &asked.treebanks, |treebank, folder| {
        let files = (part_of(folder, "train")?, part_of(folder, "test")?);
        let (words, models) = (asked.words, asked.models(place));
        Bench { place, program: &program, words, models, treebank, files }.measure()
    })
}

struct Bench<'a> {
    place: &'a Place,
    program: &'a Path,
    words: Option<usize>,
    models: &'a Path,
    treebank: &'a str,
    files: (PathBuf, PathBuf),
}

impl Bench<'_> {
    fn measure(&self) -> io::Result<Measured> {
        let test = &self.files.1;
        let model = self.trained(&["blend", "train"], ".blend.quaich")?;
        let alone = self.trained(&["train"], ".quaich")?;
        let info = self.info(&model)?;
        let n_parsers = info.matches("\"label_classes\"").count();
        let mut figures = Measured::default();
        let mut parsed = Vec::new();
        let of_one = self.parsed("alone");
        checked(&mut self.parse(&alone, test, &of_one))?;
        self.score(&mut figures, "the default", &of_one)?;
        for (whose, seed) in [("the default", seed(&self.info(&alone)?)), ("blend", seed(&info))] {
            self.push(&mut figures, whose, "seed", seed.unwrap_or(f64::NAN));
        }
        for number in 1..=n_parsers {
            let file = self.parsed(&number.to_string());
            checked(self.parse(&model, test, &file).args(["--parser", &number.to_string()]))?;
            self.score(&mut figures, &format!("parser {number}"), &file)?;
            parsed.push(file);
        }
        let equal = self.parsed("equal");
        let mut vote = Command::new(self.program);
        vote.args(["blend", "vote", "--quiet", "-o"]).arg(&equal).args(&parsed);
        if info.contains("\"single_root\": true") {
            vote.arg("--single-root");
        }
        checked(&mut vote)?;
        self.score(&mut figures, "equal votes", &equal)?;
        let weighted = self.parsed("weighted");
        checked(&mut self.parse(&model, test, &weighted))?;
        self.score(&mut figures, "blend", &weighted)?;
        let best = best(&figures, self.treebank);
        let of_best = &parsed[best - 1];
        self.push(
            &mut figures,
            "blend",
            "p",
            significance(self.program, &self.files.1, [of_best, &weighted])?,
        );
        self.lengths(&mut figures, "best parser", of_best)?;
        self.lengths(&mut figures, "blend", &weighted)?;
        let cost = self.cost(&model, &alone)?;
        self.push(&mut figures, "blend", "cost", cost);
        Ok(figures)
    }

    /// The model that this command trains, unless it is there.
    fn trained(&self, command: &[&str], extension: &str) -> io::Result<PathBuf> {
        let model = self.models.join(format!("{}{extension}", self.treebank));
        if model.exists() {
            return Ok(model);
        }
        let mut training = Command::new(self.program);
        training.args(command).args(["--quiet", "-o"]).arg(&model).arg(&self.files.0);
        if let Some(words) = self.words {
            let epochs = (words / count_tokens(&fs::read(&self.files.0)?).max(1)).max(1);
            training.args(["--set", "encoder.networks=1", "--set", &format!("encoder.epochs={epochs}")]);
        }
        checked(&mut training)?;
        Ok(model)
    }

    fn info(&self, model: &Path) -> io::Result<String> {
        let info = output(Command::new(self.program).args(["info", "--json"]).arg(model))?;
        Ok(String::from_utf8_lossy(&info).into_owned())
    }

    fn parsed(&self, name: &str) -> PathBuf {
        let extension = self.files.1.extension().unwrap_or_default();
        self.place.scratch.join(format!("parsed-{name}")).with_extension(extension)
    }

    fn parse(&self, model: &Path, text: &Path, parsed: &Path) -> Command {
        let mut command = Command::new(self.program);
        command.args(["parse", "--quiet", "-m"]).arg(model).arg(text).arg("-o").arg(parsed);
        command
    }

    fn push(&self, figures: &mut Measured, whose: &str, what: &str, value: f64) {
        figures.push(self.treebank, whose, what, value);
    }

    fn score(&self, figures: &mut Measured, whose: &str, parsed: &Path) -> io::Result<()> {
        let [las, uas] = scores(self.program, &self.files.1, parsed, ["las", "uas"])?;
        say(&format!("{}, {whose}: {las:.2}", self.treebank));
        self.push(figures, whose, "LAS", las);
        self.push(figures, whose, "UAS", uas);
        Ok(())
    }

    /// Recall and precision by the length of arcs.
    fn lengths(&self, figures: &mut Measured, whose: &str, parsed: &Path) -> io::Result<()> {
        let mut command = Command::new(self.program);
        command.args(["eval", "--quiet", "--by", "length", "--to", "md"]).arg(&self.files.1).arg(parsed);
        let text = output(&mut command)?;
        let text = String::from_utf8_lossy(&text);
        for length in LENGTHS {
            let line = text.lines().find_map(|line| line.strip_prefix(&format!("| {length} | ")));
            let mut cells = line.into_iter().flat_map(|line| line.split(" | "));
            for what in ["P", "R"] {
                let value = cells.next().and_then(|cell| cell.trim().parse().ok());
                self.push(figures, whose, &format!("{length} {what}"), value.unwrap_or(f64::NAN));
            }
        }
        Ok(())
    }

    /// How many times as long the blend takes as the default, on all cores.
    fn cost(&self, model: &Path, alone: &Path) -> io::Result<f64> {
        let many = self.parsed("many");
        fs::write(&many, at_least(&fs::read(&self.files.1)?, SPEED_WORDS))?;
        let out = self.parsed("out");
        let both = [self.parse(alone, &many, &out), self.parse(model, &many, &out)];
        let [one, all] = side_by_side(RUNS, &self.parsed("nothing"), both)?;
        Ok(all.fastest().as_secs_f64() / one.fastest().as_secs_f64())
    }
}

/// What random choices were fixed by, as `quaich info --json` tells it.
fn seed(info: &str) -> Option<f64> {
    let Some(seed) = info.lines().find_map(|line| line.trim().strip_prefix("\"seed\": ")) else {
        return Some(DEFAULT_SEED);
    };
    seed.trim_end_matches(',').trim_matches('"').parse().ok()
}

/// The number of the parser with the highest LAS.
fn best(all: &Measured, treebank: &str) -> usize {
    let las = |number: usize| all.find(treebank, &format!("parser {number}"), "LAS");
    let mut best = (1, f64::MIN);
    for (number, las) in (1..).map_while(|number| Some((number, las(number)?))) {
        if las > best.1 {
            best = (number, las);
        }
    }
    best.0
}

fn page(all: &Measured) -> String {
    let mut text = String::from(
        "# Accuracy and cost of ensembles\n\n\
         The default ensemble of [`quaich train --ensemble`](../reference/ensembles.md) on test files, all tokens:\n\n\
         - default: a parser with the default settings\n\
         - best parser: the best parser of the ensemble, chosen on the test file itself\n\
         - equal votes: the trees of the ensemble's parsers, combined by `quaich blend vote` with equal votes\n\
         - ensemble: votes weighted by scores on held-out sentences, and the votes of the encoders\n\
         - seeds: the seed of the default parser, and that of the ensemble\n\
         - gain: LAS of the ensemble minus LAS of its best parser\n\
         - p: the significance of the gain (randomised comparator)\n\
         - cost: parsing time of the ensemble relative to the default, from file to file on all cores, including startup\n\n\
         The page is generated from `benchmarks/blends.tsv`, which is written by\n\n\
         \x20   QUAICH_TREEBANKS=… cargo xtask bench blends [--words N] [--models FOLDER] TREEBANK…\n\n",
    );
    let _ = writeln!(text, "{}, {}.\n", machine::cpu(), machine::today());
    let treebanks = all.treebanks();
    text += &heading(&[
        "LAS / UAS",
        "default",
        "best parser",
        "equal votes",
        "ensemble",
        "seeds",
        "gain",
        "p",
        "cost",
    ]);
    let mut gains = Vec::new();
    for treebank in &treebanks {
        let value = |whose: &str, what: &str| all.find(treebank, whose, what).unwrap_or(f64::NAN);
        let both = |whose: &str| format!("{:.2} / {:.2}", value(whose, "LAS"), value(whose, "UAS"));
        let best = format!("parser {}", best(all, treebank));
        let gain = value("blend", "LAS") - value(&best, "LAS");
        gains.push(gain);
        text += &row(&[
            (*treebank).to_owned(),
            both("the default"),
            both(&best),
            both("equal votes"),
            both("blend"),
            format!("{:.0}, {:.0}", value("the default", "seed"), value("blend", "seed")),
            format!("{gain:+.2}"),
            format!("{:.4}", value("blend", "p")),
            format!("{:.2}", value("blend", "cost")),
        ]);
    }
    #[allow(clippy::cast_precision_loss, reason = "a handful of treebanks")]
    let mean = gains.iter().sum::<f64>() / gains.len().max(1) as f64;
    let _ = writeln!(text, "\nMean gain {mean:+.2} (Hall et al. 2007: +1.40).\n");
    text +=
        "## By arc length\n\nLabelled recall (R) and precision (P), as in table 2 of Hall et al. (2007).\n";
    for treebank in &treebanks {
        let _ = write!(text, "\n### {treebank}\n\n");
        let heads: Vec<String> =
            LENGTHS.iter().flat_map(|length| [format!("{length} R"), format!("{length} P")]).collect();
        let mut cells = vec![""];
        cells.extend(heads.iter().map(String::as_str));
        text += &heading(&cells);
        for (whose, shown) in [("best parser", "best parser"), ("blend", "ensemble")] {
            let value = |what: &String| format!("{:.2}", all.find(treebank, whose, what).unwrap_or(f64::NAN));
            let mut cells = vec![shown.to_owned()];
            cells.extend(heads.iter().map(value));
            text += &row(&cells);
        }
    }
    text
}
