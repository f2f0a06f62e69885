//! How training time and memory grow with the data, compared with the programs that introduced the learners, and whether their
//! predictions agree.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::figures::{grouped, heading, known, megabytes, row};
use super::super::process::{Run, measured};
use super::super::text::{part_of, percent_of};
use super::{Bench, is_installed};

const PARTS: [usize; 4] = [10, 20, 50, 100];

/// TiMBL classifies so many rows: it takes milliseconds for each.
const ROWS_OF_TIMBL: usize = 1000;

/// A learner and the program it is known from.
struct Rival {
    learner: &'static str,
    format: &'static str,
    trainer: &'static str,
    classifier: &'static str,
    options: &'static [&'static str],
}

static RIVALS: [Rival; 3] = [
    Rival {
        learner: "svm -t 1 -d 2 -g 0.2 -r 0 -c 0.5 -e 1.0",
        format: "libsvm",
        trainer: "svm-train",
        classifier: "svm-predict",
        options: &["-q", "-t", "1", "-d", "2", "-g", "0.2", "-r", "0", "-c", "0.5", "-e", "1.0"],
    },
    Rival {
        learner: "linear-svm -s 4 -c 0.1 -e 0.1 -B -1",
        format: "liblinear",
        trainer: "liblinear-train",
        classifier: "liblinear-predict",
        options: &["-q", "-s", "4", "-c", "0.1", "-e", "0.1", "-B", "-1"],
    },
    Rival {
        learner: "memory -k 5 -m M -L 3 -w 0 -d ID",
        format: "timbl",
        trainer: "timbl",
        classifier: "timbl",
        options: &["-F", "Tabbed", "-k5", "-mM", "-L3", "-w0", "-dID", "+v", "s"],
    },
];

/// One learner on one part.
struct Line {
    percent: usize,
    n_instances: usize,
    ours: Run,
    theirs: Option<Run>,
    /// Milliseconds a row, ours and theirs.
    answers: Option<(f64, f64)>,
    /// Equal answers, of how many.
    equal: Option<(usize, usize)>,
}

pub(super) fn report(bench: &mut Bench<'_>) -> io::Result<String> {
    let mut text = format!(
        "## Training time by treebank size\n\n\
         Evenly spaced sentences of danish-ddt, features Φ5, one class for transition and label, data not split. `quaich train` reads a treebank, extracts the instances, trains, trains again on half of them to calibrate probabilities, and writes a model; the other\n\
         programs read the same instances from a file (`quaich instances`). Programs were stopped after {} seconds; programs that are not installed are left out. Classification times are for the instances of the test file,\n\
         with `quaich instances --predict` and the other program; for TiMBL for the first {}, minus the time for one.\n\n",
        bench.limit.as_secs(),
        grouped(ROWS_OF_TIMBL),
    );
    for rival in &RIVALS {
        let lines =
            PARTS.iter().map(|&percent| line(bench, rival, percent)).collect::<io::Result<Vec<_>>>()?;
        text += &shown(rival, &lines);
    }
    Ok(text)
}

fn line(bench: &mut Bench<'_>, rival: &Rival, percent: usize) -> io::Result<Line> {
    let all = fs::read_to_string(part_of(&bench.danish, "train")?)?;
    let test = part_of(&bench.danish, "test")?;
    let part = bench.place.write("part.conll", percent_of(&all, percent).as_bytes())?;
    let model = bench.file("grown");
    let options = ["--features", "phi5", "--learner", rival.learner];
    let ours = bench.train(&options, &part, &model)?;
    let what = |name: &str| format!("{percent} %, {name}");
    bench.note(&what(&format!("quaich train {}", rival.learner)), Some(&ours), "");
    let files = ["train.instances", "test.instances", "answers"].map(|name| bench.file(name));
    let [instances, rows, answers] = &files;
    bench.instances(&model, &part, rival.format, false, instances)?;
    bench.instances(&model, &test, rival.format, false, rows)?;
    let n_instances = count_lines(instances)?;
    let mut line = Line { percent, n_instances, ours, theirs: None, answers: None, equal: None };
    if !is_installed(rival.trainer) {
        return Ok(line);
    }
    let predicting = bench.instances(&model, &test, rival.format, true, answers)?;
    let n_rows = count_lines(rows)?;
    bench.note(&what("quaich instances --predict"), Some(&predicting), &format!("{n_rows} rows"));
    let judged =
        if rival.format == "timbl" { timbl(bench, rival, &files)? } else { numbers(bench, rival, &files)? };
    bench.note(&what(rival.trainer), judged.training.as_ref(), &format!("{n_instances} rows"));
    if let Some((run, equal, of)) = judged.answers {
        bench.note(&what(rival.classifier), Some(&run), &format!("{equal} of {of} the same"));
        let of_theirs = run.seconds() - judged.learning_again;
        line.answers = Some((a_row(predicting.seconds(), n_rows), a_row(of_theirs, of)));
        line.equal = Some((equal, of));
    }
    line.theirs = judged.training;
    Ok(line)
}

/// What the other program did.
struct Judged {
    training: Option<Run>,
    /// Classifying, how many answers were the same, and of how many.
    answers: Option<(Run, usize, usize)>,
    /// Seconds of it that went into learning once more.
    learning_again: f64,
}

/// LIBSVM and LIBLINEAR: a model, then answers, a line each.
fn numbers(bench: &Bench<'_>, rival: &Rival, files: &[PathBuf; 3]) -> io::Result<Judged> {
    let [instances, rows, answers] = files;
    let (model, theirs) = (bench.file("their-model"), bench.file("their-answers"));
    let mut command = Command::new(rival.trainer);
    let training = measured(command.args(rival.options).arg(instances).arg(&model), Some(bench.limit))?;
    let mut judged = Judged { training, answers: None, learning_again: 0.0 };
    if judged.training.is_some() {
        let mut command = Command::new(rival.classifier);
        let run = measured(command.arg(rows).arg(&model).arg(&theirs), Some(bench.limit))?;
        let (ours, theirs) = (fs::read_to_string(answers)?, fs::read_to_string(theirs)?);
        let equal = ours.lines().zip(theirs.lines()).filter(|(a, b)| a.trim() == b.trim()).count();
        judged.answers = run.map(|run| (run, equal, ours.lines().count()));
    }
    Ok(judged)
}

/// TiMBL learns and classifies in one run, and adds its answer to each line.
fn timbl(bench: &Bench<'_>, rival: &Rival, files: &[PathBuf; 3]) -> io::Result<Judged> {
    let [instances, rows, answers] = files;
    let run = |n_rows: usize, out: &Path| {
        let text = fs::read_to_string(rows)?;
        let first: String = text.split_inclusive('\n').take(n_rows).collect();
        let first = bench.place.write("first.instances", first.as_bytes())?;
        let mut command = Command::new(rival.trainer);
        command.args(rival.options).arg("-f").arg(instances).arg("-t").arg(first).arg("-o").arg(out);
        measured(command.stderr(std::process::Stdio::null()), Some(bench.limit))
    };
    let theirs = bench.file("their-answers");
    let training = run(1, &theirs)?;
    let learning_again = training.as_ref().map_or(0.0, Run::seconds);
    let whole = run(ROWS_OF_TIMBL, &theirs)?;
    let (ours, theirs) = (fs::read_to_string(answers)?, fs::read_to_string(theirs)?);
    let same = |(ours, theirs): &(&str, &str)| theirs.trim_end().rsplit('\t').next() == Some(ours.trim());
    let equal = ours.lines().zip(theirs.lines()).filter(same).count();
    let n = ours.lines().count().min(ROWS_OF_TIMBL);
    Ok(Judged { training, answers: whole.map(|run| (run, equal, n)), learning_again })
}

fn shown(rival: &Rival, lines: &[Line]) -> String {
    let (ours, theirs) = (rival.learner.split(' ').next().unwrap_or_default(), rival.trainer);
    let mut text = format!("`{}`:\n\n", rival.learner);
    let columns = [
        "part",
        "instances",
        &format!("`{theirs}`, training"),
        &format!("`{ours}`"),
        "speed-up",
        &format!("`{theirs}`, memory"),
        &format!("`{ours}`"),
        &format!("`{}`, ms per row", rival.classifier),
        &format!("`{ours}`"),
        "speed-up",
        "equal answers",
    ];
    text += &heading(&columns);
    for line in lines {
        let memory = |run: Option<&Run>| run.map_or_else(|| "–".to_owned(), |run| known(run.peak, megabytes));
        let of_theirs = |show: &dyn Fn(&Run) -> String| {
            line.theirs.as_ref().map_or_else(|| "did not finish".to_owned(), show)
        };
        let dash = || "–".to_owned();
        text += &row(&[
            format!("{} %", line.percent),
            grouped(line.n_instances),
            of_theirs(&|run| format!("{:.1} s", run.seconds())),
            format!("{:.1} s", line.ours.seconds()),
            of_theirs(&|run| format!("{:.1}", run.seconds() / line.ours.seconds())),
            memory(line.theirs.as_ref()),
            memory(Some(&line.ours)),
            line.answers.map_or_else(dash, |(_, theirs)| format!("{theirs:.3}")),
            line.answers.map_or_else(dash, |(ours, _)| format!("{ours:.3}")),
            line.answers.map_or_else(dash, |(ours, theirs)| format!("{:.1}", theirs / ours)),
            line.equal.map_or_else(dash, |(equal, of)| format!("{} of {}", grouped(equal), grouped(of))),
        ]);
    }
    text + "\n"
}

/// Milliseconds a row.
fn a_row(seconds: f64, n_rows: usize) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "some thousands")]
    let n_rows = n_rows.max(1) as f64;
    seconds * 1e3 / n_rows
}

pub(super) fn count_lines(file: &Path) -> io::Result<usize> {
    Ok(fs::read_to_string(file)?.lines().count())
}
