//! What domain adaptation gains: a treebank's genres, each in turn the target of a parser that is trained on the others.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::asked::Asked;
use super::figures::{heading, row};
use super::measured::{Measured, Page};
use super::process::{checked, output};
use super::text::part_of;
use super::{Place, machine};
use crate::say;

pub(super) const USAGE: &str =
    "[--program FILE] [--models FOLDER] [--only GENRE] [--words N] [--set NAME=VALUE]… [TREEBANK…]";

const PAGE: Page = Page {
    file: "docs/results/adaptation.md",
    record: "benchmarks/adaptation.tsv",
    text: page,
    picture: None,
};
/// All methods are measured on so many genres, the default on all of them.
const COMPARED: usize = 2;
/// The method that is measured on all genres.
const DEFAULT: &str = "combined";
/// What is kept of a comparison with the source model, by its place in the report.
const SCORES: [(&str, &str); 2] = [("held_out", "held-out"), ("gold", "target")];

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let asked = Asked::read(options, USAGE)?;
    let program = asked.program(place)?;
    PAGE.renew(place, &asked.treebanks, |treebank, folder| {
        let read = |part: &str| fs::read_to_string(part_of(folder, part)?);
        let bench = Bench {
            place,
            program: &program,
            models: asked.models(place),
            treebank,
            train: read("train")?,
            dev: read("dev")?,
            test: read("test")?,
            words: asked.words.unwrap_or(usize::MAX),
            settings: &asked.settings,
        };
        let genres = genres(&bench.test);
        if genres.len() < 2 {
            return Err(io::Error::other(format!("{treebank} has no genres: `newdoc id = GENRE-…`")));
        }
        let mut all = Measured::default();
        all.push_settings(treebank, bench.settings)?;
        for (number, genre) in genres.iter().enumerate() {
            if asked.only.is_none_or(|only| only == *genre) {
                bench.measure(&mut all, genre, number < COMPARED)?;
            }
        }
        Ok(all)
    })
}

struct Bench<'a> {
    place: &'a Place,
    program: &'a Path,
    models: &'a Path,
    treebank: &'a str,
    train: String,
    dev: String,
    test: String,
    /// The maximum number of words of the source and of the target.
    words: usize,
    settings: &'a [&'a str],
}

impl Bench<'_> {
    /// Adapts a parser of the other genres to one.
    fn measure(&self, all: &mut Measured, genre: &str, is_compared: bool) -> io::Result<()> {
        let others = |text: &str| of_genres(text, |of| of != genre);
        let own = |text: &str| of_genres(text, |of| of == genre);
        let write = |name: &str, text: String| self.place.write(name, text.as_bytes());
        let train = sample(&others(&self.train), self.words);
        let text = without_trees(&sample(&own(&self.train), self.words));
        for (what, text) in [("source words", &train), ("target words", &text)] {
            #[allow(clippy::cast_precision_loss, reason = "some hundred thousand")]
            all.push(self.treebank, genre, what, n_words(text) as f64);
        }
        let source = write("source.conllu", train)?;
        let target = write("target.conllu", text)?;
        let dev = write("dev.conllu", others(&self.dev))?;
        let gold = write("gold.conllu", own(&self.test))?;
        let model = self.models.join(format!("{}.all-but-{genre}.quaich", self.treebank));
        let settings = || self.settings.iter().flat_map(|setting| ["--set", setting]);
        if !model.exists() {
            let mut train = Command::new(self.program);
            train.args(["train", "--quiet", "--jobs", "1", "--parts", "parse"]).args(settings());
            checked(train.arg("-o").arg(&model).arg(&source))?;
        }
        let mut adapt = Command::new(self.program);
        adapt.args(["adapt", "--quiet", "--jobs", "1", "--json"]);
        adapt.args(["--method", if is_compared { "all" } else { DEFAULT }]);
        adapt.arg(&model).arg("--source").arg(&source).arg("--dev").arg(&dev);
        adapt.arg("--text").arg(&target).arg("--gold").arg(&gold);
        adapt.arg("-o").arg(self.adapted(genre));
        let json = output(&mut adapt)?;
        let json = String::from_utf8_lossy(&json);
        for method in json.split("\"method\": \"").skip(1) {
            self.read(all, genre, method)?;
        }
        Ok(())
    }

    fn adapted(&self, genre: &str) -> PathBuf {
        self.place.scratch.join(format!("{genre}.quaich"))
    }

    /// Reads what the report says about a method.
    fn read(&self, all: &mut Measured, genre: &str, report: &str) -> io::Result<()> {
        let wrong = || io::Error::other("a report that cannot be read");
        let (method, report) = report.split_once('"').ok_or_else(wrong)?;
        let whose = format!("{genre}, {method}");
        let mut push = |what: &str, value: f64| all.push(self.treebank, &whose, what, value);
        let is_refused = report.contains("\"verdict\": \"harmed\"");
        push("refused", f64::from(u8::from(is_refused)));
        push("added", number(report, "sentences").ok_or_else(wrong)?);
        for (key, name) in SCORES {
            let Some((_, scores)) = report.split_once(&format!("\"{key}\": {{")) else { continue };
            for (measure, shown) in [("las", "LAS"), ("uas", "UAS")] {
                let (_, scores) = scores.split_once(&format!("\"{measure}\": {{")).ok_or_else(wrong)?;
                for field in ["before", "after", "p"] {
                    push(&format!("{name} {shown} {field}"), number(scores, field).ok_or_else(wrong)?);
                }
            }
            if let Some(gain) = gain(scores) {
                say(&format!("{}, {whose}: {name} LAS {gain:+.2}", self.treebank));
            }
        }
        Ok(())
    }
}

/// The first number of this name in a JSON text.
fn number(json: &str, name: &str) -> Option<f64> {
    let (_, rest) = json.split_once(&format!("\"{name}\": "))?;
    rest.split([',', '\n', '}']).next()?.trim().parse().ok()
}

fn gain(scores: &str) -> Option<f64> {
    Some(number(scores, "after")? - number(scores, "before")?)
}

/// The sentences of a treebank with the genres of their documents.
fn by_genre(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut genre = "";
    text.split("\n\n").filter(|sentence| !sentence.trim().is_empty()).map(move |sentence| {
        let id = sentence.lines().find_map(|line| line.strip_prefix("# newdoc id = "));
        if let Some(id) = id {
            genre = id.split('-').next().unwrap_or(id);
        }
        (genre, sentence)
    })
}

/// The genres, in alphabetical order.
fn genres(text: &str) -> Vec<&str> {
    let mut genres: Vec<&str> = by_genre(text).map(|(genre, _)| genre).collect();
    genres.sort_unstable();
    genres.dedup();
    genres
}

/// The sentences of some genres.
fn of_genres(text: &str, is_wanted: impl Fn(&str) -> bool) -> String {
    let wanted = by_genre(text).filter(|(genre, _)| is_wanted(genre));
    wanted.flat_map(|(_, sentence)| [sentence.trim_end(), "\n\n"]).collect()
}

/// Evenly spaced sentences with about so many words.
fn sample(text: &str, words: usize) -> String {
    let all = n_words(text);
    let mut sample = String::new();
    // The number of words that belong to the sample so far, times the number of all words.
    let mut owed = 0_u128;
    for sentence in text.split_inclusive("\n\n") {
        let n = n_words(sentence) as u128;
        owed += n * words.min(all) as u128;
        if owed >= n * all as u128 {
            owed -= n * all as u128;
            sample += sentence;
        }
    }
    sample
}

fn is_word(line: &str) -> bool {
    line.split('\t').next().is_some_and(|id| id.parse::<u32>().is_ok())
}

fn n_words(text: &str) -> usize {
    text.lines().filter(|line| is_word(line)).count()
}

/// The text with tags, but without heads and labels.
fn without_trees(text: &str) -> String {
    let line = |line: &str| {
        let mut cells: Vec<&str> = line.split('\t').collect();
        if is_word(line) && cells.len() == 10 {
            (cells[6], cells[7], cells[8]) = ("_", "_", "_");
        }
        cells.join("\t") + "\n"
    };
    text.lines().map(line).collect()
}

fn page(all: &Measured) -> String {
    let mut text = format!(
        "# Domain adaptation\n\n\
         What [`quaich adapt`](../reference/adapt.md) gains, with the genres of a treebank as domains. A parser for words with gold tags \
         is trained on all genres but one, and adapted to that one: the target is the tagged text of its training sentences, without \
         their trees. Gains are scored on the test sentences of that genre, on which no choice depends; the guard looks at the dev sentences of \
         the other genres. p: the probability of a difference at least this large if both are equally good (randomised comparator). One \
         seed.\n\n\
         The page is generated from `{}`, which is written by\n\n\
         \x20   QUAICH_TREEBANKS=… cargo xtask bench adapt {USAGE}\n\n",
        PAGE.record
    );
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}, {}.\n", machine::cpu(), machine::today());
    for treebank in all.treebanks() {
        let _ = write!(text, "## {treebank}\n\n{}", all.settings(treebank));
        text += &heading(&[
            "target",
            "source words",
            "target words",
            "method",
            "added",
            "LAS",
            "gain",
            "p",
            "UAS gain",
            "p",
            "held-out LAS gain",
        ]);
        let mut gains = Vec::new();
        for (whose, what, refused) in all.starting(treebank, "") {
            let (Some((genre, method)), "refused") = (whose.split_once(", "), what) else { continue };
            let value = |what: &str| all.find(treebank, whose, what);
            let score =
                |name: &str| Some([value(&format!("{name} before"))?, value(&format!("{name} after"))?]);
            let gain = |name: &str| {
                score(name).map_or_else(String::new, |[before, after]| format!("{:+.2}", after - before))
            };
            let p = |name: &str| value(&format!("{name} p")).map_or_else(String::new, |p| format!("{p:.3}"));
            let words =
                |what: &str| all.find(treebank, genre, what).map_or_else(String::new, |n| format!("{n:.0}"));
            let shown = |[before, after]: [f64; 2]| format!("{before:.2} → {after:.2}");
            let las = score("target LAS");
            if let (Some([before, after]), DEFAULT) = (las, method) {
                gains.push(after - before);
            }
            let method = if refused > 0.0 { format!("{method} (refused)") } else { method.to_owned() };
            text += &row(&[
                genre.to_owned(),
                words("source words"),
                words("target words"),
                method,
                value("added").map_or_else(String::new, |n| format!("{n:.0}")),
                las.map_or_else(|| "nothing to learn from".to_owned(), shown),
                gain("target LAS"),
                p("target LAS"),
                gain("target UAS"),
                p("target UAS"),
                gain("held-out LAS"),
            ]);
        }
        if !gains.is_empty() {
            #[allow(clippy::cast_precision_loss, reason = "a handful")]
            let mean = gains.iter().sum::<f64>() / gains.len() as f64;
            let _ = writeln!(
                text,
                "\nMean gain of `{DEFAULT}` on {} targets: {mean:+.2} points of LAS.\n",
                gains.len()
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(start: &str, n: usize) -> String {
        let row = |number: usize| format!("{number}\tw\tw\tX\t_\t_\t0\troot\t0:root\t_\n");
        start.to_owned() + &(1..=n).map(row).collect::<String>() + "\n"
    }

    #[test]
    fn sentences_belong_to_the_genre_of_their_document() {
        let text = [
            sentence("# newdoc id = email-a-1\n# sent_id = 1\n", 1),
            sentence("", 2),
            sentence("# newdoc id = answers-b\n", 3),
        ]
        .concat();
        assert_eq!(genres(&text), ["answers", "email"]);
        assert_eq!(n_words(&of_genres(&text, |genre| genre == "email")), 3);
        assert!(without_trees(&text).contains("3\tw\tw\tX\t_\t_\t_\t_\t_\t_\n"));
        assert_eq!(n_words(&without_trees(&text)), 6);
    }

    #[test]
    fn a_sample_has_about_as_many_words_as_asked_for() {
        let text = sentence("", 5).repeat(100);
        assert_eq!(sample(&text, 1000), text);
        assert_eq!(n_words(&sample(&text, 100)), 100);
    }

    #[test]
    fn numbers_are_found_by_name() {
        let json = "\"las\": {\n  \"before\": 80.5,\n  \"after\": 81,\n  \"p\": 0.01\n}";
        assert_eq!(
            (number(json, "before"), number(json, "p"), number(json, "x")),
            (Some(80.5), Some(0.01), None)
        );
        assert_eq!(gain(json), Some(0.5));
    }
}
