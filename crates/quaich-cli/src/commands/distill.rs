//! `quaich distill`: trains a fast student from an accurate teacher.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::bail;
use clap::Args;
use quaich::distillation::{Distillation, StudentData, Taught};
use quaich::treebank::{ReadOptions, Role, Sentence, counted};
use quaich::{Model, check_layout};
use serde::Serialize;

use super::save_options::SaveOptions;
use super::text_options::{TextOptions, split_options};
use super::train::next_steps;
use super::training_options::{TrainingOptions, warn_if_few_sentences};
use super::training_run::{TrainingData, TrainingRun, read_treebanks};
use super::{InputOptions, Threads, integer};
use crate::files_used::FilesUsed;
use crate::text_input::Sentences;
use crate::{output, progress};

/// Train a fast parser (the student) on the output of an accurate one (the teacher)
///
/// The teacher is any model, usually an ensemble. It parses the text: plain text, or a treebank file whose heads are ignored.
/// The student is trained on the parsed text and on gold trees, if given; each gold sentence counts
/// --gold-weight times. If the teacher is an ensemble and the student a recurrent network, the student is also trained
/// on the distribution of the votes. The settings of the student are those of `quaich train`.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich distill blend.quaich --on news.conllu --gold train.conllu -o student.quaich
  quaich distill blend.quaich --on news.conllu --gold train.conllu -o fast.quaich --preset fast --dev dev.conllu
  quaich distill best.quaich --on web.conllu.gz -o student.quaich --min-confidence 0.9")]
pub(crate) struct Distill {
    /// The teacher: a model file
    teacher: PathBuf,

    /// Text for the teacher to parse: plain text, or tokens in a treebank file
    #[arg(long, value_name = "TEXT", num_args = 1.., required = true)]
    on: Vec<PathBuf>,

    /// Gold treebanks to train on as well
    #[arg(long, value_name = "TREEBANK", num_args = 1..)]
    gold: Vec<PathBuf>,

    /// How many times each gold sentence counts
    #[arg(long, value_name = "N", default_value = "1", value_parser = weight, allow_negative_numbers = true)]
    gold_weight: usize,

    /// Train only on sentences whose arcs have at least this mean probability according to the teacher, from 0 to 1
    #[arg(long, alias = "sure", value_name = "P", default_value = "0", value_parser = probability, allow_negative_numbers = true)]
    min_confidence: f32,

    /// Write the student to this file
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,

    /// Dev set: compare teacher and student on this treebank; it is not trained on
    #[arg(long, value_name = "FILE")]
    dev: Option<PathBuf>,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    options: TrainingOptions,

    #[command(flatten)]
    text_options: TextOptions,

    #[command(flatten)]
    save_options: SaveOptions,

    #[command(flatten)]
    input_options: InputOptions,
}

/// Parses a gold weight.
fn weight(text: &str) -> Result<usize, String> {
    let number = integer::<usize>(text).ok().filter(|number| *number <= MAX_GOLD_WEIGHT);
    number.ok_or_else(|| format!("expected an integer from 0 to {MAX_GOLD_WEIGHT}"))
}

/// Gold sentences are copied this many times, which takes memory.
const MAX_GOLD_WEIGHT: usize = 100;

/// Parses a probability.
fn probability(text: &str) -> Result<f32, String> {
    let number = text.trim().parse::<f32>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// The training data and the scores.
#[derive(Serialize)]
struct Report {
    text: Counts,
    /// The sentences with enough confidence.
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

/// Teacher and student on the dev set.
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
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        let treebanks = self.on.iter().chain(&self.gold).chain(&self.dev);
        let files = self
            .input_options
            .files(treebanks)
            .reading([&self.teacher])
            .and(self.options.files())
            .and(self.text_options.files());
        files.and(self.save_options.files(&self.output))
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let settings = self.options.settings()?;
        self.text_options.check(&settings)?;
        let run = TrainingRun::new(
            self.options.features()?,
            &settings,
            &self.save_options,
            &self.output,
            self.files(),
        )?;
        let teacher = Model::load(&self.teacher)?;
        let bar = progress::step_bar("reading");
        let treebanks: Vec<&PathBuf> = self.on.iter().chain(&self.gold).chain(&self.dev).collect();
        let mut options = Vec::new();
        let (options, for_pretraining) =
            split_options(&self.input_options, &treebanks, &self.text_options, &mut options)?;
        let (of_text, options) = options.split_at(self.on.len());
        let text = self.read_text(&teacher, of_text)?;
        let TrainingData { sentences: gold, dev, .. } =
            read_treebanks(&self.gold, self.dev.as_deref(), options)?;
        let of_dev = self.dev.as_deref().filter(|file| !self.text_options.drops(file));
        let of_dev = of_dev.map(|file| (file, &dev[..]));
        let run = run.pretrained(self.text_options.read(for_pretraining)?, of_dev);
        bar.set_message("parsing with the teacher");
        let taught = self.threads.install(|| teacher.teach(&text))??;
        let (data, mut report) = self.choose(taught, &gold)?;
        warn_if_few_sentences(report.kept.sentences + report.gold.sentences);
        let data =
            TrainingData { sentences: data.sentences, head_distributions: data.head_distributions, dev };
        let (student, code) = run.run(&self.threads, &data)?;
        if !data.dev.is_empty() && !student.description().interrupted {
            let outcome = |model: &Model| self.threads.install(|| measure(model, &data.dev));
            report.dev = Some(Comparison { teacher: outcome(&teacher)?, student: outcome(&student)? });
        }
        if self.json {
            output::json(&report)?;
        } else {
            output::text(&report.shown())?;
            if !student.description().interrupted {
                next_steps(&student, &self.output);
            }
        }
        Ok(code)
    }

    fn read_text(&self, teacher: &Model, options: &[ReadOptions]) -> anyhow::Result<Vec<Sentence>> {
        let mut text = Vec::new();
        for (path, options) in self.on.iter().zip(options) {
            let mut reader = Sentences::open(path, options, Some(teacher))?;
            if let Sentences::Treebank(reader) = &reader {
                check_layout(teacher, reader)?;
                if reader.layout().position(Role::Label).is_none() {
                    bail!("{}: found no column for labels, expected a format with one", reader.file());
                }
            }
            let mut sentence = reader.sentence();
            while reader.read(&mut sentence)? {
                text.push(sentence.clone());
            }
        }
        text.retain(|sentence| sentence.n_tokens() > 0);
        if text.is_empty() {
            bail!("{}: found no sentences, expected text for the teacher to parse", self.on[0].display());
        }
        let missing = teacher.missing_columns(&text);
        if !missing.is_empty() {
            output::note(&format!(
                "warning: no values in {}; the teacher was trained with them and is less accurate without",
                missing.join(", ")
            ));
        }
        Ok(text)
    }

    /// The sentences to train on: confident ones of the teacher, then gold ones.
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
                "none of {} reaches --min-confidence {min_confidence}\n  help: lower --min-confidence, or add gold trees with --gold",
                counted(text.sentences, "sentence")
            );
        }
        let kept = Counts::of(data.sentences[..data.n_taught].iter());
        let of_gold = Counts::of(gold.iter());
        let report = Report { text, kept, gold: of_gold, gold_weight, mean_probability, dev: None };
        Ok((data, report))
    }
}

/// The accuracy and speed of a model.
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
        let weight = format!("weight {gold_weight}");
        let mut rows = vec![
            ("parsed by teacher", format!("{}, mean probability {mean_probability:.3}", counts(text))),
            ("used for training", counts(kept)),
            ("gold", format!("{}, {weight}", counts(gold))),
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
