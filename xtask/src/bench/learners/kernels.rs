//! Parsing with a kernel of degree 2, compared with LIBSVM on the same number of decisions.

use std::fs;
use std::io;
use std::process::Command;

use super::super::figures::{grouped, heading, rounded, row};
use super::super::process::measured;
use super::super::text::{at_least, count_tokens, part_of};
use super::growth::count_lines;
use super::published::MALTPARSER_WITH_LIBSVM;
use super::{Bench, is_installed};

/// Words that speed is measured on, at least.
const SPEED_WORDS: usize = 50_000;

pub(super) fn report(bench: &mut Bench<'_>) -> io::Result<String> {
    let mut text = format!(
        "## Parsing with a kernel\n\n\
         On hungarian-szeged, `svm` (`-t 1 -d 2 -g 0.2 -r 0 -c 0.5 -e 1.0`, data not split) parses the test file, repeated to {} words, from file to file. `svm-predict` classifies the instances of the test file with the model that `svm-train`\n\
         trains on the same instances. The last column is relative to MaltParser 1.9.2 with LIBSVM, which parses {MALTPARSER_WITH_LIBSVM} tokens per second on one core, measured on another day.\n\n",
        grouped(SPEED_WORDS),
    ) + &heading(&[
        "features",
        "LAS",
        "classifications",
        "`svm-predict`, tokens per second",
        "`svm`, tokens per second",
        "speed-up",
        "speed-up over MaltParser",
    ]);
    for features in ["phi5", "malt:nivreeager"] {
        text += &measure(bench, features)?;
    }
    Ok(text)
}

fn measure(bench: &mut Bench<'_>, features: &str) -> io::Result<String> {
    let (train, test) = (part_of(&bench.hungarian, "train")?, part_of(&bench.hungarian, "test")?);
    let names = ["kernel", "kernel-parsed.conllu", "kernel-train", "kernel-test", "kernel-theirs"];
    let [model, parsed, instances, rows, theirs] = names.map(|name| bench.file(name));
    let options = ["--features", features, "--learner", "svm -t 1 -d 2 -g 0.2 -r 0 -c 0.5 -e 1.0"];
    let run = bench.train(&options, &train, &model)?;
    bench.note(&format!("hungarian-szeged, quaich train, {features}"), Some(&run), "");
    let once = fs::read(&test)?;
    bench.parse(&model, &test, &parsed)?;
    let las = super::super::score::las(&bench.program, &test, &parsed)?;
    let many = at_least(&once, SPEED_WORDS);
    let text = bench.place.write("many.conllu", &many)?;
    let run = bench.parse(&model, &text, &parsed)?;
    bench.note(
        &format!("hungarian-szeged, quaich parse, {features}"),
        Some(&run),
        &format!("{las:.2} {} tokens", count_tokens(&many)),
    );
    let ours = rate(count_tokens(&many), run.seconds());
    bench.instances(&model, &train, "libsvm", false, &instances)?;
    bench.instances(&model, &test, "libsvm", false, &rows)?;
    let mut rate_of_theirs = None;
    if is_installed("svm-train") {
        let mut command = Command::new("svm-train");
        command.args(["-q", "-t", "1", "-d", "2", "-g", "0.2", "-r", "0", "-c", "0.5", "-e", "1.0"]);
        let training = measured(command.arg(&instances).arg(&theirs), Some(bench.limit))?;
        bench.note(&format!("hungarian-szeged, svm-train, {features}"), training.as_ref(), "");
        if training.is_some() {
            let mut command = Command::new("svm-predict");
            command.arg(&rows).arg(&theirs).arg(bench.file("kernel-answers"));
            let run = measured(&mut command, Some(bench.limit))?;
            bench.note(&format!("hungarian-szeged, svm-predict, {features}"), run.as_ref(), "");
            rate_of_theirs = run.map(|run| rate(count_tokens(&once), run.seconds()));
        }
    }
    let dash = || "–".to_owned();
    Ok(row(&[
        format!("`{features}`"),
        format!("{las:.1}"),
        grouped(count_lines(&rows)?),
        rate_of_theirs.map_or_else(dash, rounded),
        rounded(ours),
        rate_of_theirs.map_or_else(dash, |theirs| rounded(ours / theirs)),
        rounded(ours / MALTPARSER_WITH_LIBSVM),
    ]))
}

fn rate(n_tokens: usize, seconds: f64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "some thousands")]
    let n_tokens = n_tokens as f64;
    n_tokens / seconds
}
