//! What pretraining on text gains: models with and without text, from raw text and with gold tags, for growing amounts of text.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::asked::Asked;
use super::figures::{heading, row};
use super::measured::{Measured, Page};
use super::process::{checked, output, parse};
use super::score::las;
use super::text::part_of;
use super::{Place, machine};
use crate::say;

pub(super) const USAGE: &str = "--text FILE [--program FILE] [--models FOLDER] [--words N] [TREEBANK…]";

const PAGE: Page =
    Page { file: "docs/results/text.md", record: "benchmarks/text.tsv", text: page, picture: None };
/// Words of the text that are used: none, then more and more, then all.
const AMOUNTS: [usize; 5] = [0, 100_000, 300_000, 1_000_000, usize::MAX];
/// The measures from raw text.
const MEASURES: [&str; 4] = ["UPOS", "UFeats", "Lemmas", "LAS"];
/// The measure with gold tags.
const GOLD_LAS: &str = "LAS, gold tags";

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let asked = Asked::read(options, USAGE)?;
    let (program, models) = (asked.program(place)?, asked.models(place));
    let file =
        asked.text.clone().ok_or_else(|| io::Error::other(format!("found no text, expected {USAGE}")))?;
    let text = fs::read_to_string(&file)?;
    PAGE.renew(place, &asked.treebanks, |treebank, folder| {
        let bench = Bench { place, program: &program, models, treebank, folder };
        let mut all = Measured::default();
        for amount in AMOUNTS.into_iter().filter(|amount| asked.words.is_none_or(|only| only == *amount)) {
            bench.measure(&mut all, &text, amount)?;
        }
        Ok(all)
    })
}

struct Bench<'a> {
    place: &'a Place,
    program: &'a Path,
    models: &'a Path,
    treebank: &'a str,
    folder: &'a Path,
}

impl Bench<'_> {
    fn measure(&self, all: &mut Measured, text: &str, amount: usize) -> io::Result<()> {
        let text = first_words(text, amount);
        let (whose, n_words) = (name_of(amount), text.split_whitespace().count());
        let model = self.models.join(format!("{}.text-{n_words}.quaich", self.treebank));
        if !model.exists() {
            let start = Instant::now();
            let mut train = Command::new(self.program);
            train.args(["train", "--quiet", "-o"]).arg(&model).arg(part_of(self.folder, "train")?);
            if amount > 0 {
                train.arg("--text").arg(self.place.write("text.txt", text.as_bytes())?);
            }
            checked(&mut train)?;
            all.push(self.treebank, &whose, "seconds", start.elapsed().as_secs_f64());
        }
        #[allow(clippy::cast_precision_loss, reason = "some millions")]
        all.push(self.treebank, &whose, "words", n_words as f64);
        self.score(all, &whose, &model)
    }

    fn score(&self, all: &mut Measured, whose: &str, model: &Path) -> io::Result<()> {
        let test = part_of(self.folder, "test")?;
        let scratch = |name: &str| -> PathBuf { self.place.scratch.join(name) };
        let parsed = scratch("parsed").with_extension(test.extension().unwrap_or_default());
        parse(self.program, model, &test, &parsed)?;
        all.push(self.treebank, whose, GOLD_LAS, las(self.program, &test, &parsed)?);
        let (raw, parsed) = (scratch("test.txt"), scratch("from-text.conllu"));
        let convert = ["convert", "--quiet", "--to", "text", "--fold", "80", "-o"];
        checked(Command::new(self.program).args(convert).arg(&raw).arg(&test))?;
        let mut parse = Command::new(self.program);
        parse.args(["parse", "--quiet", "--input", "text", "-m"]).arg(model).arg(&raw);
        checked(parse.arg("-o").arg(&parsed))?;
        let mut eval = Command::new(self.program);
        let json =
            output(eval.args(["eval", "--quiet", "--scorer", "ud", "--json"]).arg(&test).arg(&parsed))?;
        let json = String::from_utf8_lossy(&json);
        for measure in MEASURES {
            let f1 = json
                .split_once(&format!("\"{measure}\""))
                .and_then(|(_, rest)| rest.split_once("\"f1\": "))
                .and_then(|(_, rest)| rest.split([',', '\n', '}']).next()?.trim().parse().ok());
            let f1: f64 = f1.ok_or_else(|| io::Error::other(format!("no {measure}")))?;
            say(&format!("{}, {whose}: {measure} {f1:.2}", self.treebank));
            all.push(self.treebank, whose, measure, f1);
        }
        Ok(())
    }
}

/// The beginning of a text, up to a number of words.
fn first_words(text: &str, n_words: usize) -> &str {
    let next = text.split_whitespace().nth(n_words);
    // Slices of one text: the distance of their addresses is the place.
    next.map_or(text, |next| &text[..next.as_ptr().addr() - text.as_ptr().addr()])
}

/// How an amount of text is called in the record.
fn name_of(amount: usize) -> String {
    match amount {
        0 => "none".to_owned(),
        usize::MAX => "all".to_owned(),
        amount => amount.to_string(),
    }
}

fn page(all: &Measured) -> String {
    let mut text = String::from(
        "# Pretraining on text\n\n\
         Models of the default settings, trained on the training file of a treebank and on a growing part of a text \
         ([`quaich train --text`](../reference/pretraining.md)), scored on the test file: F1 of the scorer of CoNLL 2018 from raw text \
         (lines folded at 80 characters), and LAS of the parser for words with gold tags.\n\n\
         The page is generated from `benchmarks/text.tsv`, which is written by\n\n\
         \x20   QUAICH_TREEBANKS=… cargo xtask bench text --text FILE [--models FOLDER] TREEBANK\n\n",
    );
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}, {}.\n", machine::cpu(), machine::today());
    for treebank in all.treebanks() {
        let _ = write!(text, "## {treebank}\n\n");
        let mut head = vec!["words of text"];
        head.extend(MEASURES);
        head.extend([GOLD_LAS, "training, s"]);
        text += &heading(&head);
        for whose in AMOUNTS.map(name_of) {
            let value = |what: &str| all.find(treebank, &whose, what);
            let Some(words) = value("words") else { continue };
            let shown = |what: &str, digits: usize| {
                value(what).map_or_else(String::new, |value| format!("{value:.digits$}"))
            };
            let mut cells = vec![format!("{words:.0}")];
            cells.extend(MEASURES.iter().map(|measure| shown(measure, 2)));
            cells.extend([shown(GOLD_LAS, 2), shown("seconds", 0)]);
            text += &row(&cells);
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::first_words;

    #[test]
    fn a_part_of_a_text_has_whole_words() {
        let text = " one two\n\nthree ";
        let parts: Vec<&str> = (0..5).map(|n| first_words(text, n)).collect();
        assert_eq!(parts, [" ", " one ", " one two\n\n", text, text]);
    }
}
