//! What pretraining on text gains: the part of a model for untagged words with and without text, from raw text, for growing amounts of text.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::asked::Asked;
use super::figures::{grouped, heading, row};
use super::measured::{Measured, Page};
use super::process::{checked, measured, output, parse};
use super::text::part_of;
use super::{Place, machine};
use crate::say;

pub(super) const USAGE: &str =
    "--text FILE [--program FILE] [--models FOLDER] [--words N] [--set NAME=VALUE]… [TREEBANK…]";

const PAGE: Page = Page {
    file: "docs/results/pretraining.md",
    record: "benchmarks/pretraining.tsv",
    text: page,
    picture: None,
};
/// Words of the text that are used: none, then more and more, then all.
const AMOUNTS: [usize; 5] = [0, 100_000, 300_000, 1_000_000, usize::MAX];
/// The measures from raw text.
const MEASURES: [&str; 5] = ["UPOS", "UFeats", "Lemmas", "UAS", "LAS"];

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let asked = Asked::read(options, USAGE)?;
    PAGE.renew(place, &asked.treebanks, |treebank, folder| {
        let file = asked
            .text
            .as_ref()
            .ok_or_else(|| io::Error::other(format!("found no text, expected {USAGE}")))?;
        let text = fs::read_to_string(file)?;
        let (program, models) = (&asked.program(place)?, asked.models(place));
        let bench = Bench { place, program, models, treebank, folder, settings: &asked.settings };
        let mut all = Measured::default();
        all.push_settings(treebank, &asked.settings)?;
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
    settings: &'a [&'a str],
}

impl Bench<'_> {
    fn measure(&self, all: &mut Measured, text: &str, amount: usize) -> io::Result<()> {
        let (text, whose) = (first_words(text, amount), name_of(amount));
        let n_words = text.split_whitespace().count();
        #[allow(clippy::cast_precision_loss, reason = "some millions")]
        all.push(self.treebank, &whose, "words", n_words as f64);
        let base = self.base()?;
        let parsed = self.place.scratch.join("from-text.conllu");
        self.parse_text(&base, &parsed)?;
        if amount > 0 {
            let model = self.model(all, &whose, (text, n_words), &base)?;
            // The words are those that the model without text finds.
            let words = without_values(&fs::read_to_string(&parsed)?);
            let words = self.place.write("words.conllu", words.as_bytes())?;
            parse(self.program, &model, &words, &parsed)?;
        }
        self.score(all, &whose, &parsed)
    }

    /// The settings with these names, as options.
    fn settings(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<&str> {
        let name = |setting: &&&str| setting.split('=').next().is_some_and(&is_wanted);
        self.settings.iter().filter(name).flat_map(|setting| ["--set", setting]).collect()
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.program);
        command.args([name, "--quiet", "--jobs", "1"]);
        command
    }

    /// The model without text, trained if it is not there.
    fn base(&self) -> io::Result<PathBuf> {
        let model = self.models.join(format!("{}.no-text.quaich", self.treebank));
        if !model.exists() {
            let mut train = self.command("train");
            train.args(self.settings(|name| name.starts_with("encoder."))).arg("-o").arg(&model);
            checked(train.arg(part_of(self.folder, "train")?))?;
        }
        Ok(model)
    }

    /// A parser for untagged words from an encoder that was pretrained on the text, trained if it is not there.
    fn model(
        &self,
        all: &mut Measured,
        whose: &str,
        (text, n_words): (&str, usize),
        base: &Path,
    ) -> io::Result<PathBuf> {
        let [model, encoder] = ["quaich", "encoder"]
            .map(|extension| self.models.join(format!("{}.text-{n_words}.{extension}", self.treebank)));
        let train_file = part_of(self.folder, "train")?;
        if !encoder.exists() {
            let mut pretrain = self.command("pretrain");
            pretrain.args(self.settings(|name| name.starts_with("text.") || name == UNITS));
            pretrain.arg("--model").arg(base).arg("--drop-overlap").arg(part_of(self.folder, "test")?);
            pretrain.arg("-o").arg(&encoder).arg(self.place.write("text.txt", text.as_bytes())?);
            let run = measured(pretrain.arg(&train_file), None)?
                .ok_or_else(|| io::Error::other("the pretraining was stopped"))?;
            all.push(self.treebank, whose, "seconds", run.seconds());
            #[allow(clippy::cast_precision_loss, reason = "some millions")]
            if let Some(peak) = run.peak {
                all.push(self.treebank, whose, "peak", peak as f64);
            }
        }
        if !model.exists() {
            let mut train = self.command("train");
            train.args(["--parts", "parse", "--set", "encoder.predict=all"]);
            train.args(self.settings(|name| name.starts_with("encoder.") && name != UNITS));
            checked(train.arg("--encoder").arg(&encoder).arg("-o").arg(&model).arg(&train_file))?;
        }
        Ok(model)
    }

    /// Parses the raw text of the test file.
    fn parse_text(&self, model: &Path, parsed: &Path) -> io::Result<()> {
        let raw = self.place.scratch.join("test.txt");
        let mut convert = Command::new(self.program);
        convert.args(["convert", "--quiet", "--to", "text", "--fold", "80", "-o"]).arg(&raw);
        checked(convert.arg(part_of(self.folder, "test")?))?;
        let mut parse = self.command("parse");
        checked(parse.args(["--input", "text", "-m"]).arg(model).arg(&raw).arg("-o").arg(parsed))
    }

    fn score(&self, all: &mut Measured, whose: &str, parsed: &Path) -> io::Result<()> {
        let mut eval = Command::new(self.program);
        eval.args(["eval", "--quiet", "--scorer", "ud", "--json"]).arg(part_of(self.folder, "test")?);
        let json = output(eval.arg(parsed))?;
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

/// The setting that encoders hand down to the parsers that start from them.
const UNITS: &str = "encoder.units";

/// CoNLL-U without tags, lemmas, heads and labels.
fn without_values(text: &str) -> String {
    let line = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        match cells[..] {
            [id, form, .., misc] => format!("{id}\t{form}{}\t{misc}\n", "\t_".repeat(7)),
            _ => format!("{line}\n"),
        }
    };
    text.lines().map(line).collect()
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
    let mut text = format!(
        "# Pretraining on text\n\n\
         What [`quaich pretrain`](../reference/pretraining.md) gains for untagged words. A model is trained on the training file of a \
         treebank, without text; its tokenizer splits a growing part of a text into words, and an encoder is pretrained on them and on \
         the words of the training file. The parser, tagger and lemmatizer for untagged words starts from that encoder. Sentences of the \
         text that share four words in a row with the test file are left out.\n\n\
         F1 of the scorer of CoNLL 2018 on the raw text of the test file (lines folded at 80 characters). All rows of a table have the \
         same tokens and sentences, those of the model without text. One seed. Pretraining: processor seconds on one thread, \
         reading included, and the most memory.\n\n\
         The page is generated from `{}`, which is written by\n\n\
         \x20   QUAICH_TREEBANKS=… cargo xtask bench text {USAGE}\n\n",
        PAGE.record
    );
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}, {}.\n", machine::cpu(), machine::today());
    for treebank in all.treebanks() {
        let _ = write!(text, "## {treebank}\n\n{}", all.settings(treebank));
        let mut head = vec!["words of text"];
        head.extend(MEASURES);
        head.extend(["pretraining, s", "MB"]);
        text += &heading(&head);
        for whose in AMOUNTS.map(name_of) {
            let value = |what: &str| all.find(treebank, &whose, what);
            let Some(words) = value("words") else { continue };
            let shown = |what: &str, digits: usize| {
                value(what).map_or_else(String::new, |value| format!("{value:.digits$}"))
            };
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of words")]
            let mut cells = vec![grouped(words as usize)];
            cells.extend(MEASURES.iter().map(|measure| shown(measure, 2)));
            let megabytes = value("peak").map_or_else(String::new, |peak| format!("{:.0}", peak * 1.024e-3));
            cells.extend([shown("seconds", 0), megabytes]);
            text += &row(&cells);
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{first_words, without_values};

    #[test]
    fn a_part_of_a_text_has_whole_words() {
        let text = " one two\n\nthree ";
        let parts: Vec<&str> = (0..5).map(|n| first_words(text, n)).collect();
        assert_eq!(parts, [" ", " one ", " one two\n\n", text, text]);
    }

    #[test]
    fn words_keep_their_form_alone() {
        let text = "# c\n1\tA\ta\tX\tx\tF=1\t0\troot\t_\tSpaceAfter=No\n\n";
        assert_eq!(without_values(text), "# c\n1\tA\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n\n");
    }
}
