//! `quaich distill`: one fast parser from a slow, good one.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::bail;
use clap::Args;
use quaich::Model;
use quaich::distillation::{Distillation, StudentData, Taught};
use quaich::treebank::{ReadOptions, Role, Sentence, counted};
use serde::Serialize;

use super::keeping::Keeping;
use super::parse::check_layout;
use super::training_options::{TrainingOptions, warn_of_few};
use super::training_run::{TrainingData, TrainingRun, read_treebanks};
use super::{Reading, Threads, open, whole};
use crate::places::FilesUsed;
use crate::{output, progress};

/// Trains one parser on what a better one makes of text
///
/// The teacher is any model, an ensemble above all. It parses the text, which needs tokens and tags but no trees; heads that
/// it has are not looked at. The student learns from that and from gold trees, if there are some: every sentence of
/// theirs counts as often as --gold-weight says. Where the teacher is an ensemble and the student a recurrent network, it also learns
/// how the votes fell. Settings of the student are those of `quaich train`.
#[derive(Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:
  quaich distill blend.quaich --on news.conllu --gold train.conllu -o student.quaich
  quaich distill blend.quaich --on news.conllu --gold train.conllu -o fast.quaich --preset fast --dev dev.conllu
  quaich distill best.quaich --on web.conllu.gz -o student.quaich --min-confidence 0.9"
)]
pub(crate) struct Distill {
    /// The model to learn from
    teacher: PathBuf,

    /// Text with tokens and tags, for the teacher to parse
    #[arg(long, value_name = "TEXT", num_args = 1.., required = true)]
    on: Vec<PathBuf>,

    /// Treebanks to learn from besides
    #[arg(long, value_name = "TREEBANK", num_args = 1..)]
    gold: Vec<PathBuf>,

    /// How often a gold sentence counts
    #[arg(long, value_name = "N", default_value = "1", value_parser = times, allow_negative_numbers = true)]
    gold_weight: usize,

    /// Learn only from sentences of which the teacher is confident: the least mean probability of their arcs, from 0 to 1
    #[arg(long, alias = "sure", value_name = "P", default_value = "0", value_parser = part, allow_negative_numbers = true)]
    min_confidence: f32,

    /// Where to write the student
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,

    /// A treebank to compare teacher and student on; it is not learned from
    #[arg(long, value_name = "FILE")]
    dev: Option<PathBuf>,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    options: TrainingOptions,

    #[command(flatten)]
    keeping: Keeping,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    reading: Reading,
}

/// Reads how often something counts.
fn times(text: &str) -> Result<usize, String> {
    let number = whole::<usize>(text).ok().filter(|number| *number <= MOST_TIMES);
    number.ok_or_else(|| format!("expected a whole number from 0 to {MOST_TIMES}"))
}

/// Gold sentences are copied as often: more only takes memory.
const MOST_TIMES: usize = 100;

/// Reads a part of a whole.
fn part(text: &str) -> Result<f32, String> {
    let number = text.trim().parse::<f32>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// What was learned from, and how it went.
#[derive(Serialize)]
struct Report {
    text: Counts,
    /// The part of the text of which the teacher was confident enough.
    kept: Counts,
    gold: Counts,
    gold_weight: usize,
    /// The mean probability of the teacher's arcs.
    mean_probability: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dev: Option<Comparison>,
}

#[derive(Serialize, Clone, Copy, Default)]
struct Counts {
    sentences: usize,
    tokens: usize,
}

impl Counts {
    fn of<'s>(sentences: impl Iterator<Item = &'s Sentence>) -> Self {
        sentences.fold(Self::default(), |counts, sentence| Self {
            sentences: counts.sentences + 1,
            tokens: counts.tokens + sentence.n_tokens(),
        })
    }
}

/// Teacher and student on the same text.
#[derive(Serialize)]
struct Comparison {
    teacher: Outcome,
    student: Outcome,
}

#[derive(Serialize)]
struct Outcome {
    las: f64,
    uas: f64,
    words_per_second: f64,
}

impl Distill {
    /// What is read and written.
    pub(crate) fn files(&self) -> FilesUsed {
        let treebanks = self.on.iter().chain(&self.gold).chain(&self.dev);
        let files = self.reading.files(treebanks).reading([&self.teacher]).and(self.options.files());
        files.and(self.keeping.files(&self.output))
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let settings = self.options.settings()?;
        let run = TrainingRun::new(&self.options, &settings, &self.keeping, &self.output, self.files())?;
        let teacher = Model::load(&self.teacher)?;
        let bar = progress::steps("reading");
        let options = self.reading.options_for(self.on.iter().chain(&self.gold).chain(&self.dev))?;
        let (of_text, options) = options.split_at(self.on.len());
        let text = self.read_text(&teacher, of_text)?;
        let TrainingData { sentences: gold, dev, .. } =
            read_treebanks(&self.gold, self.dev.as_deref(), options)?;
        bar.set_message("the teacher parses");
        let taught = self.threads.install(|| teacher.teach(&text))??;
        let (data, mut report) = self.choose(taught, &gold)?;
        warn_of_few(report.kept.sentences + report.gold.sentences);
        let data = TrainingData { sentences: data.sentences, head_distributions: data.head_distributions, dev };
        let (student, code) = run.run(&self.threads, &data)?;
        if !data.dev.is_empty() && !student.description().interrupted {
            let outcome = |model: &Model| self.threads.install(|| measure(model, &data.dev));
            report.dev = Some(Comparison { teacher: outcome(&teacher)?, student: outcome(&student)? });
        }
        if self.json {
            output::json(&report)?;
        } else {
            output::text(&report.shown())?;
        }
        Ok(code)
    }

    fn read_text(&self, teacher: &Model, options: &[ReadOptions]) -> anyhow::Result<Vec<Sentence>> {
        let mut text = Vec::new();
        for (path, options) in self.on.iter().zip(options) {
            let reader = open(path, options)?;
            check_layout(teacher, &reader)?;
            if reader.layout().position(Role::Label).is_none() {
                bail!("{}: found no column for labels, expected one for the teacher's", reader.file());
            }
            for sentence in reader.sentences() {
                text.push(sentence?);
            }
        }
        text.retain(|sentence| sentence.n_tokens() > 0);
        if text.is_empty() {
            bail!("{}: found no sentences, expected text for the teacher to parse", self.on[0].display());
        }
        let missing = teacher.missing_columns(&text);
        if !missing.is_empty() {
            output::note(&format!(
                "there are no values in {}; the teacher learned from them and makes more mistakes without",
                missing.join(", ")
            ));
        }
        Ok(text)
    }

    /// What of the teacher's sentences is learned from, and gold sentences behind.
    fn choose(&self, taught: Vec<Taught>, gold: &[Sentence]) -> anyhow::Result<(StudentData, Report)> {
        let text = Counts::of(taught.iter().map(|taught| &taught.sentence));
        #[allow(clippy::cast_precision_loss, reason = "a number of tokens")]
        let mean_probability = taught
            .iter()
            .map(|taught| f64::from(taught.confidence) * taught.sentence.n_tokens() as f64)
            .sum::<f64>()
            / text.tokens.max(1) as f64;
        let Self { gold_weight, min_confidence, .. } = *self;
        let data = Distillation { gold_weight, min_confidence }.student_data(taught, gold);
        if data.sentences.is_empty() {
            bail!(
                "the teacher is not that confident of any of {}; take a lower --min-confidence, or give gold trees too (--gold)",
                counted(text.sentences, "sentence")
            );
        }
        let kept = Counts::of(data.sentences[..data.n_taught].iter());
        let of_gold = Counts::of(gold.iter());
        let report = Report { text, kept, gold: of_gold, gold_weight, mean_probability, dev: None };
        Ok((data, report))
    }
}

/// How well and how fast a model parses.
fn measure(model: &Model, sentences: &[Sentence]) -> Outcome {
    let start = Instant::now();
    model.parse_all(sentences);
    let seconds = start.elapsed().as_secs_f64();
    let scores = model.score(sentences);
    let tokens: usize = sentences.iter().map(Sentence::n_tokens).sum();
    #[allow(clippy::cast_precision_loss, reason = "a number of tokens")]
    let words_per_second = tokens as f64 / seconds.max(1e-9);
    let (las, uas) = scores.map_or((0.0, 0.0), |scores| (scores.las, scores.uas));
    Outcome { las, uas, words_per_second }
}

impl Report {
    fn shown(&self) -> String {
        let Self { text, kept, gold, gold_weight, mean_probability, dev } = self;
        let counts = |counts: &Counts| {
            format!("{}, {}", counted(counts.sentences, "sentence"), counted(counts.tokens, "token"))
        };
        let times = if *gold_weight == 1 { "once".to_owned() } else { format!("{gold_weight} times") };
        let mut rows = vec![
            ("the teacher's text", format!("{}, mean probability {mean_probability:.3}", counts(text))),
            ("learned of it", counts(kept)),
            ("gold", format!("{}, counted {times}", counts(gold))),
        ];
        if let Some(Comparison { teacher, student }) = dev {
            rows.extend([("teacher on dev", teacher.shown()), ("student on dev", student.shown())]);
        }
        rows.into_iter().map(|(name, value)| format!("{name:18}  {value}\n")).collect::<Vec<_>>().concat()
    }
}

impl Outcome {
    fn shown(&self) -> String {
        let Self { las, uas, words_per_second } = self;
        format!("LAS {las:.2}, UAS {uas:.2}, {words_per_second:.0} words per second")
    }
}
