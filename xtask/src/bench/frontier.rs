//! What accuracy costs: configurations from the fastest to the most accurate, on held-out fifths of treebanks, and the
//! frontier of accuracy and speed as a plot. What was measured is kept, so that one treebank can be measured at a time.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use super::asked::Asked;
use super::figures::{heading, rounded, row};
use super::measured::{Measured, Page};
use super::process::{checked, parse, words_per_second};
use super::score::las;
use super::text::{at_least, count_tokens, split};
use super::{Place, machine};
use crate::say;

pub(super) const USAGE: &str = "[--program FILE] [--only CONFIGURATION] [TREEBANK…]";

const PAGE: Page = Page {
    file: "docs/results/presets.md",
    record: "benchmarks/frontier.tsv",
    text: page,
    picture: Some(("docs/results/presets.svg", plot)),
};

/// A configuration: its name, and the options of `train` that make it.
const CONFIGURATIONS: [(&str, &[&str]); 6] = [
    ("fast", &["--preset", "fast"]),
    ("linear+network", &["--learner", "linear+network"]),
    ("64 units", &["--set", "encoder.units=64", "--set", "encoder.networks=1"]),
    ("128 units", &["--set", "encoder.units=128", "--set", "encoder.networks=1"]),
    ("balanced", &["--preset", "balanced"]),
    ("best", &["--preset", "best"]),
];
/// Words that speed is measured on, at least.
const SPEED_WORDS: usize = 200_000;
/// What is measured.
const LAS: &str = "LAS";
/// From file to file on one thread, starting counted.
const SPEED: &str = "words per second";
/// On one thread.
const TRAINING: &str = "seconds of training";

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let asked = Asked::read(options, USAGE)?;
    let is_asked = |&(name, _): &(&str, &[&str])| asked.only.is_none_or(|only| only == name);
    if !CONFIGURATIONS.iter().any(is_asked) {
        let names = CONFIGURATIONS.map(|(name, _)| name).join(", ");
        return Err(io::Error::other(format!("found no such configuration, expected one of: {names}")));
    }
    let program = asked.program(place)?;
    PAGE.renew(place, &asked.treebanks, |treebank, folder| {
        let (train, held_out) = split(place, folder)?;
        let mut figures = Measured::default();
        for (configuration, options) in CONFIGURATIONS.into_iter().filter(is_asked) {
            for (what, value) in measure(place, &program, (&train, &held_out), options)? {
                say(&format!("{treebank}, {configuration}, {what}: {value:.2}"));
                figures.push(treebank, configuration, what, value);
            }
        }
        Ok(figures)
    })
}

fn measure(
    place: &Place,
    program: &Path,
    (train, held_out): (&Path, &Path),
    options: &[&str],
) -> io::Result<[(&'static str, f64); 3]> {
    let extension = held_out.extension().unwrap_or_default();
    let file = |name: &str| place.scratch.join(name).with_extension(extension);
    let (model, parsed, many) = (place.scratch.join("model"), file("parsed"), file("many"));
    let start = Instant::now();
    let mut command = Command::new(program);
    checked(
        command.args(["train", "--quiet", "--jobs", "1"]).args(options).arg("-o").arg(&model).arg(train),
    )?;
    let training = start.elapsed().as_secs_f64();
    let text = at_least(&fs::read(held_out)?, SPEED_WORDS);
    fs::write(&many, &text)?;
    let speed = words_per_second(program, &model, (&many, count_tokens(&text)), &parsed)?;
    parse(program, &model, held_out, &parsed)?;
    Ok([(LAS, las(program, held_out, &parsed)?), (SPEED, speed), (TRAINING, training)])
}

/// The treebanks that all configurations were tried on.
fn complete_treebanks(all: &Measured) -> Vec<&str> {
    let mut names = all.treebanks();
    names.sort_unstable();
    names.retain(|name| {
        CONFIGURATIONS.iter().all(|(configuration, _)| all.find(name, configuration, TRAINING).is_some())
    });
    names
}

/// A configuration over all those treebanks.
struct Mean {
    configuration: &'static str,
    las: f64,
    words_per_second: f64,
    training: f64,
}

fn means(all: &Measured) -> Vec<Mean> {
    let treebanks = complete_treebanks(all);
    let mean = |(configuration, _): (&'static str, &[&str])| {
        let mean = |what: &str, scale: fn(f64) -> f64| {
            let values = treebanks.iter().filter_map(|treebank| all.find(treebank, configuration, what));
            #[allow(clippy::cast_precision_loss, reason = "a handful")]
            let n = treebanks.len() as f64;
            values.map(scale).sum::<f64>() / n
        };
        Mean {
            configuration,
            las: mean(LAS, |las| las),
            words_per_second: mean(SPEED, f64::ln).exp(),
            training: mean(TRAINING, |seconds| seconds),
        }
    };
    if treebanks.is_empty() { Vec::new() } else { CONFIGURATIONS.into_iter().map(mean).collect() }
}

fn page(all: &Measured) -> String {
    let mut text = format!(
        "# Accuracy and speed of the presets\n\n\
         Each [preset](../reference/train.md#presets) is a point on the frontier of accuracy and speed. Every configuration is trained on four fifths of each training file below and parses \
         the held-out fifth: sentences 3, 8, 13 …. Settings were chosen on such fifths of some of these treebanks, never on test files. \
         All figures are for the parser for tagged words alone (`--parts parse`). It is the part that `fast` makes fast: with all parts, tagger and tokenizer take most of the training time, and plain text is parsed several times more slowly.\n\n\
         - LAS: all tokens, full labels, one seed\n\
         - words per second: from file to file on one thread, including startup; means are geometric\n\
         - seconds of training: on one thread\n\
         - *64 units* and *128 units*: single networks, with `--set encoder.units=64 --set encoder.networks=1`, or 128\n\n\
         Other programs ran on the machine at the same time, so times vary by up to a third. [Parsing speed](speed.md) has speeds on an idle machine. The page is generated from `{}`, which is written by\n\n\
         \x20   QUAICH_TREEBANKS=… cargo xtask bench frontier {USAGE}\n\n\
         ![Mean LAS by words per second](presets.svg)\n\n{}, {}.\n\n",
        PAGE.record,
        machine::cpu(),
        machine::today(),
    );
    text += &heading(&["mean", LAS, SPEED, TRAINING]);
    for Mean { configuration, las, words_per_second, training } in means(all) {
        text += &row(&[
            configuration.to_owned(),
            format!("{las:.2}"),
            rounded(words_per_second),
            rounded(training),
        ]);
    }
    for treebank in complete_treebanks(all) {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## {treebank}\n\n{}", heading(&["", LAS, SPEED, TRAINING]));
        for (configuration, _) in CONFIGURATIONS {
            let value = |what: &str| all.find(treebank, configuration, what).unwrap_or(f64::NAN);
            text += &row(&[
                configuration.to_owned(),
                format!("{:.2}", value(LAS)),
                rounded(value(SPEED)),
                rounded(value(TRAINING)),
            ]);
        }
    }
    text
}

/// Mean LAS by words per second, which run on a logarithmic scale; nothing as long as no treebank is complete.
fn plot(all: &Measured) -> String {
    const WIDTH: f64 = 640.0;
    const HEIGHT: f64 = 360.0;
    const LEFT: f64 = 60.0;
    const BOTTOM: f64 = 50.0;
    let means = means(all);
    if means.is_empty() {
        return String::from("<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n");
    }
    let lowest = means.iter().map(|mean| mean.las).fold(f64::INFINITY, f64::min).floor();
    let highest =
        means.iter().map(|mean| mean.las).fold(f64::NEG_INFINITY, f64::max).ceil().max(lowest + 1.0);
    let x = |speed: f64| LEFT + (speed.log10() - 4.0) / 2.2 * (WIDTH - LEFT - 20.0);
    let y = |las: f64| (HEIGHT - BOTTOM) - (las - lowest) / (highest - lowest) * (HEIGHT - BOTTOM - 20.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\">\n\
         <style>text {{ font: 12px sans-serif; fill: #1b1f24 }} .axis {{ stroke: #c5ccd3 }} .frontier {{ fill: none; stroke: #0b6b7a; stroke-width: 2 }} circle {{ fill: #0b6b7a }}</style>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n"
    );
    let mut line = |x1: f64, y1: f64, x2: f64, y2: f64, name: &str, anchor: &str| {
        let (tx, ty) = if anchor == "end" { (x1 - 8.0, y1 + 4.0) } else { (x1, y1 + 18.0) };
        let _ = writeln!(
            svg,
            "<line class=\"axis\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/><text x=\"{tx:.1}\" y=\"{ty:.1}\" text-anchor=\"{anchor}\">{name}</text>"
        );
    };
    for (speed, name) in
        [(1e4, "10,000"), (3e4, "30,000"), (1e5, "100,000"), (3e5, "300,000"), (1e6, "1,000,000")]
    {
        line(x(speed), HEIGHT - BOTTOM, x(speed), 20.0, name, "middle");
    }
    let mut las = lowest;
    while las <= highest {
        line(LEFT, y(las), WIDTH - 20.0, y(las), &format!("{las:.0}"), "end");
        las += 1.0;
    }
    // What nothing else is both faster and better than.
    let is_beaten = |mean: &Mean| {
        means
            .iter()
            .any(|other: &Mean| other.words_per_second > mean.words_per_second && other.las > mean.las)
    };
    let mut frontier: Vec<&Mean> = means.iter().filter(|mean| !is_beaten(mean)).collect();
    frontier.sort_by(|a, b| a.words_per_second.total_cmp(&b.words_per_second));
    let points: Vec<String> =
        frontier.iter().map(|mean| format!("{:.1},{:.1}", x(mean.words_per_second), y(mean.las))).collect();
    let _ = writeln!(svg, "<polyline class=\"frontier\" points=\"{}\"/>", points.join(" "));
    for mean in &means {
        let (x, y) = (x(mean.words_per_second), y(mean.las));
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x + 8.0,
            y - 6.0,
            mean.configuration
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">words per second, one thread</text>\n<text x=\"14\" y=\"{:.1}\" transform=\"rotate(-90 14 {:.1})\" text-anchor=\"middle\">LAS, mean over treebanks</text>\n</svg>",
        f64::midpoint(LEFT, WIDTH - 20.0),
        HEIGHT - 10.0,
        HEIGHT / 2.0,
        HEIGHT / 2.0
    );
    svg
}
