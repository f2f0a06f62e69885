//! Partial trees: what a parser learns from a part of the arcs of a treebank, and what given arcs do for the rest of a parse.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::figures::{heading, row};
use super::process::{build, checked};
use super::text::{part_of, percent_of};
use super::{Place, machine, record};
use crate::say;

pub(super) const USAGE: &str = "[--program FILE] [TREEBANK…]";

/// The page of the manual that this makes, and what was measured.
const PAGE: &str = "docs/results/partial-trees.md";
const RECORD: &str = "benchmarks/partial-trees.tsv";
/// The percentage of arcs, or of sentences, that are learned from.
const LEARNED: u32 = 30;
/// The percentage of arcs that are given to a parse.
const GIVEN: u32 = 50;
/// The parser: trained in seconds.
const SETTINGS: [&str; 2] = ["--preset", "fast"];

/// What came of a treebank.
#[derive(Clone, Default)]
struct Figures {
    treebank: String,
    /// UAS and LAS of parsers that learned from all arcs, from whole sentences, and from single arcs.
    learned: [[f64; 2]; 3],
    /// UAS and LAS of the arcs that are not given, without and with the given ones.
    given: [[f64; 2]; 2],
    /// Words per second of the parse with given arcs, as a part of those of the parse without.
    speed: f64,
}

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let mut program = None;
    let mut treebanks = Vec::new();
    let mut options = options.iter();
    while let Some(&option) = options.next() {
        match option {
            "--program" => program = options.next().map(PathBuf::from),
            treebank => treebanks.push(treebank),
        }
    }
    let path = place.root.join(RECORD);
    let mut all: Vec<Figures> = record::load(&path, read)?;
    if !treebanks.is_empty() {
        let folder = record::treebanks()?;
        let program = match program {
            Some(program) => program.canonicalize()?,
            None => build(&place.root)?,
        };
        for treebank in treebanks {
            let figures = measure(place, &program, treebank, &folder.join(treebank).canonicalize()?)?;
            all.retain(|known| known.treebank != treebank);
            all.push(figures);
            record::save(&path, &write(&all))?;
        }
    }
    if all.is_empty() {
        return Err(io::Error::other(format!("nothing was measured yet, expected {USAGE}")));
    }
    let page = page(&all);
    fs::write(place.root.join(PAGE), &page)?;
    Ok(page)
}

fn measure(place: &Place, program: &Path, treebank: &str, folder: &Path) -> io::Result<Figures> {
    let (train, test) = (part_of(folder, "train")?, part_of(folder, "test")?);
    let (train, gold) = (fs::read_to_string(train)?, fs::read_to_string(test)?);
    let mut figures = Figures { treebank: treebank.to_owned(), ..Figures::default() };
    let sentences = percent_of(&train, LEARNED as usize);
    let arcs = with_part(&train, LEARNED);
    let test = place.write("test.conllu", gold.as_bytes())?;
    let parsed = place.scratch.join("parsed.conllu");
    let model = |way: usize| place.scratch.join(format!("model-{way}"));
    for (way, text) in [&train, &sentences, &arcs].into_iter().enumerate() {
        let file = place.write("train.conllu", text.as_bytes())?;
        let mut command = Command::new(program);
        command.args(["train", "--quiet", "--parts", "parse"]).args(SETTINGS);
        checked(command.arg("-o").arg(model(way)).arg(&file))?;
        parse(program, &model(way), &test, &parsed, &[])?;
        figures.learned[way] = scores(&gold, &fs::read_to_string(&parsed)?, |_| true);
        say(&format!("{treebank}, {}: {:?}", WAYS[way], figures.learned[way]));
    }
    let given = place.write("given.conllu", with_part(&gold, GIVEN).as_bytes())?;
    let is_free = |number: usize| !is_kept(number, GIVEN);
    let mut times = [f64::INFINITY; 2];
    for _ in 0..5 {
        for (way, options) in [&[][..], &["--keep-given"]].into_iter().enumerate() {
            let start = std::time::Instant::now();
            parse(program, &model(0), &given, &parsed, options)?;
            times[way] = times[way].min(start.elapsed().as_secs_f64());
            figures.given[way] = scores(&gold, &fs::read_to_string(&parsed)?, is_free);
        }
    }
    figures.speed = times[0] / times[1];
    say(&format!("{treebank}, given: {:?}, speed {:.2}", figures.given, figures.speed));
    Ok(figures)
}

fn parse(program: &Path, model: &Path, text: &Path, out: &Path, options: &[&str]) -> io::Result<()> {
    let mut command = Command::new(program);
    command.args(["parse", "--quiet", "--jobs", "1", "-m"]).arg(model).arg(text).arg("-o").arg(out);
    checked(command.args(options))
}

/// Whether the arc of a word belongs to so many percent, given the number of the word in its file. The multiplier is that of
/// Knuth's MMIX generator.
fn is_kept(number: usize, percent: u32) -> bool {
    let mixed =
        (number as u64 + 1).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (mixed >> 33) % 100 < u64::from(percent)
}

/// The cells of a line if it is a word.
fn cells(line: &str) -> Option<Vec<&str>> {
    let cells: Vec<&str> = line.split('\t').collect();
    (cells.len() > 7 && cells[0].parse::<u32>().is_ok()).then_some(cells)
}

/// The text with so many percent of its heads and labels.
fn with_part(text: &str, percent: u32) -> String {
    let mut number = 0;
    text.lines().fold(String::new(), |mut part, line| {
        match cells(line) {
            Some(mut cells) => {
                if !is_kept(number, percent) {
                    (cells[6], cells[7]) = ("_", "_");
                }
                number += 1;
                part += &cells.join("\t");
            }
            None => part += line,
        }
        part + "\n"
    })
}

/// UAS and LAS over the words of a file whose numbers are counted.
fn scores(gold: &str, parsed: &str, is_counted: impl Fn(usize) -> bool) -> [f64; 2] {
    let words = |text| str::lines(text).filter_map(cells);
    let pairs = words(gold).zip(words(parsed)).enumerate().filter(|(number, _)| is_counted(*number));
    let (mut n_heads, mut n_both, mut n) = (0_u32, 0_u32, 0_u32);
    for (_, (gold, parsed)) in pairs {
        let is_head = gold[6] == parsed[6];
        n += 1;
        n_heads += u32::from(is_head);
        n_both += u32::from(is_head && gold[7] == parsed[7]);
    }
    [n_heads, n_both].map(|right| 100.0 * f64::from(right) / f64::from(n.max(1)))
}

const WAYS: [&str; 3] = ["all arcs", "whole sentences", "single arcs"];

fn page(all: &[Figures]) -> String {
    let mut page = String::from("# Partial trees and given arcs\n\n");
    let _ = writeln!(
        page,
        "Made by `cargo xtask bench partial latin-perseus hungarian-szeged` on {}; the figures are kept in `{RECORD}`. \
         Parsers of the preset `fast`, gold tags, test files, one seed.\n",
        machine::cpu()
    );
    let _ = writeln!(
        page,
        "## Learning from a part of the arcs\n\n*Whole sentences*: {LEARNED} % of the training sentences, evenly spaced. *Single arcs*: \
         {LEARNED} % of the arcs, at random, over all sentences; the other heads are [unknown](../reference/partial-trees.md).\n"
    );
    page += &heading(&["treebank", "UAS", "", "", "LAS", "", ""]);
    page += &row(&["", WAYS[0], WAYS[1], WAYS[2], WAYS[0], WAYS[1], WAYS[2]]);
    for figures in all {
        let scores =
            [0, 1].into_iter().flat_map(|score| figures.learned.iter().map(move |of| points(of[score])));
        let cells: Vec<String> = std::iter::once(figures.treebank.clone()).chain(scores).collect();
        page += &row(&cells);
    }
    let _ = writeln!(
        page,
        "\n## Parsing with given arcs\n\n{GIVEN} % of the gold arcs of the test file, at random, with their labels, are given with \
         [`--keep-given`](../reference/parse.md#constrained-parsing). Scores of the other arcs, and speed from file to file on one \
         thread compared with the parse without given arcs (fastest of five runs each).\n"
    );
    page += &heading(&["treebank", "UAS without", "with", "LAS without", "with", "speed"]);
    for figures in all {
        let [free, constrained] = figures.given;
        page += &row(&[
            figures.treebank.clone(),
            points(free[0]),
            points(constrained[0]),
            points(free[1]),
            points(constrained[1]),
            format!("{:.2}", figures.speed),
        ]);
    }
    page
}

/// A score in percent.
fn points(score: f64) -> String {
    format!("{score:.2}")
}

/// The record: one line per treebank.
fn write(all: &[Figures]) -> String {
    let line = |figures: &Figures| {
        let numbers = figures.learned.iter().chain(&figures.given).flatten().chain([&figures.speed]);
        let numbers: Vec<String> = numbers.map(|number| format!("{number:.4}")).collect();
        format!("{}\t{}\n", figures.treebank, numbers.join("\t"))
    };
    all.iter().map(line).collect()
}

fn read(text: &str) -> io::Result<Vec<Figures>> {
    let line = |line: &str| {
        let mut cells = line.split('\t');
        let treebank = cells.next()?.to_owned();
        let numbers: Vec<f64> = cells.map(|cell| cell.parse().ok()).collect::<Option<_>>()?;
        let (pairs, [speed]) = numbers.as_chunks() else { return None };
        let [learned @ .., all, rest] = pairs else { return None };
        Some(Figures { treebank, learned: learned.try_into().ok()?, given: [*all, *rest], speed: *speed })
    };
    text.lines()
        .map(line)
        .collect::<Option<_>>()
        .ok_or_else(|| io::Error::other(format!("{RECORD} is malformed")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_arcs_is_kept() {
        let text = "1\ta\t_\tX\t_\t_\t2\tx\t_\t_\n".repeat(1000);
        let n_kept = with_part(&text, 30).lines().filter(|line| line.contains("\t2\tx")).count();
        assert!((250..350).contains(&n_kept), "{n_kept}");
        assert_eq!(with_part(&text, 100), text);
        let kept = |number: usize| is_kept(number, 30);
        let shown =
            |kept: &dyn Fn(usize) -> bool| format!("{:?}", scores(&text, &with_part(&text, 30), kept));
        assert_eq!(shown(&kept), "[100.0, 100.0]");
        assert_eq!(shown(&|number| !kept(number)), "[0.0, 0.0]");
    }

    #[test]
    fn records_go_both_ways() {
        let figures = Figures { treebank: "x".to_owned(), speed: 0.5, ..Figures::default() };
        let text = write(&[figures]);
        assert_eq!(write(&read(&text).unwrap()), text);
    }
}
