//! `quaich adapt`: a parser for another domain, from text of it without trees.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use quaich::adaptation::{Adaptation, Guard, METHODS, Method, Options};
use quaich::pretraining::{Overlap, PretrainedEncoder, WordText, warn_of_other_script};
use quaich::treebank::{self, ReadOptions, Reader, Role, Sentence, TextSource};
use quaich::{Event, Model, Observer, Settings, TextMode, check_layout, is_model};

use super::adaptation_report::shown;
use super::save_options::SaveOptions;
use super::text_options::{InputKind, text_files};
use super::train::next_steps;
use super::training_options::{ProgressObserver, TrainingOptions, warn_if_few_sentences};
use super::training_run::{TrainingRun, read_treebanks};
use super::{InputOptions, Threads, integer, open};
use crate::files_used::FilesUsed;
use crate::output::Usage;
use crate::text_input::Sentences;
use crate::{interrupts, output, progress};

/// Adapt a parser to text of another domain, without trees of it
///
/// SOURCE is one model file, whose treebanks are then named with --source, or treebanks, from which a source model is trained
/// first; the content of the file decides. The target is plain text, tokens, or treebank files, whose trees are ignored.
/// Adapted models are trained on the source trees together with what a method adds.
///
/// One source sentence in ten is held out, or --dev is used. A method is rejected if its model is worse there by more than
/// --tolerance and the difference is significant. The result is the model of the first accepted method, or the source model if
/// there is none. An accepted model is not always better on the target: check with --gold.
///
/// Ctrl-C stops early and saves the best complete model, with exit code 130.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich adapt train.conllu --text reviews.txt -o reviews.quaich
  quaich adapt en.quaich --source train.conllu --dev dev.conllu --text web.txt -o web.quaich
  quaich adapt train.conllu --text web.conllu --gold few.conllu --method all -o web.quaich
  quaich adapt train.conllu --text web.txt.gz -o web.quaich --method self-training")]
pub(crate) struct Adapt {
    /// A model, or treebanks to train the source model on
    #[arg(value_name = "MODEL|TREEBANK", required = true)]
    start: Vec<PathBuf>,

    /// Target text: plain text, tokens, or treebank files whose trees are ignored
    #[arg(long, value_name = "TARGET", num_args = 1.., required = true)]
    text: Vec<PathBuf>,

    /// The kind of the target text instead of detecting it: text; paragraphs (one per line); lines (one sentence per line); tokens
    /// (one sentence per line, tokens separated by spaces); conllu (a treebank file)
    #[arg(long, value_enum, value_name = "KIND", hide_possible_values = true)]
    text_input: Option<InputKind>,

    /// Write the adapted model to this file
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,

    /// The treebanks that the given model was trained on
    #[arg(long, value_name = "TREEBANK", num_args = 1..)]
    source: Vec<PathBuf>,

    /// Source sentences that no model was trained on, to detect harm; without, one source sentence in ten is held out, which
    /// takes one more training
    #[arg(long, value_name = "FILE")]
    dev: Option<PathBuf>,

    /// Gold trees of the target, to report the gain; the choice of the model does not depend on them
    #[arg(long, value_name = "FILE")]
    gold: Option<PathBuf>,

    /// The method; repeatable, or `all`. The model of the first accepted one is written
    #[arg(long, value_name = "NAME", value_parser = method_names(), default_values_t = [METHODS[0].name.to_owned()])]
    method: Vec<String>,

    /// Add only sentences with at least this confidence, from 0 to 1: the mean probability of arcs, or the share of arcs that two
    /// parsers agree on [default: by method]
    #[arg(long, value_name = "P", value_parser = share, allow_negative_numbers = true)]
    min_confidence: Option<f32>,

    /// Add at most this many sentences, those with the highest confidence
    #[arg(long, value_name = "N", value_parser = integer::<usize>, allow_negative_numbers = true)]
    max_sentences: Option<usize>,

    /// The loss on held-out source sentences that is tolerated, in points of LAS
    #[arg(long, value_name = "POINTS", default_value = "0.5", value_parser = points, allow_negative_numbers = true)]
    tolerance: f64,

    /// Leave out target sentences that share four words in a row with these treebank files
    #[arg(long, value_name = "TREEBANK", num_args = 1..)]
    drop_overlap: Vec<PathBuf>,

    /// Start from an encoder that `quaich pretrain` has made; methods that pretrain train it further
    #[arg(long, value_name = "ENCODER")]
    encoder: Option<PathBuf>,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    options: TrainingOptions,

    #[command(flatten)]
    save_options: SaveOptions,

    #[command(flatten)]
    input_options: InputOptions,
}

/// The help for plain text that the source model cannot read.
const NO_TOKENIZER: &str =
    "\n  help: to adapt to plain text, train the source model with --parts all: it then has a tokenizer";

/// The `--method` that stands for all of them.
const ALL: &str = "all";

fn method_names() -> PossibleValuesParser {
    let methods = METHODS.iter().map(|method| PossibleValue::new(method.name).help(method.help));
    methods.chain([PossibleValue::new(ALL).help("all methods, to compare them")]).collect::<Vec<_>>().into()
}

/// Parses a number from 0 to 1.
fn share(text: &str) -> Result<f32, String> {
    let number = text.trim().parse::<f32>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// Parses a difference of scores.
fn points(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 100".to_owned())
}

impl Adapt {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        let files = self.input_options.files(self.inputs());
        let files = files.reading(&self.start).reading(&self.encoder).and(self.options.files());
        files.and(self.save_options.files(&self.output))
    }

    /// The treebanks to train on.
    fn treebanks(&self) -> &[PathBuf] {
        if self.source.is_empty() { &self.start } else { &self.source }
    }

    /// All files of sentences: treebanks, dev set, gold trees, target, treebanks that it must not overlap with.
    fn inputs(&self) -> impl Iterator<Item = &PathBuf> {
        let treebanks = self.treebanks().iter().chain(&self.dev).chain(&self.gold);
        treebanks.chain(&self.text).chain(&self.drop_overlap)
    }

    fn methods(&self) -> Vec<&'static Method> {
        let mut methods: Vec<&Method> = Vec::new();
        for name in &self.method {
            for method in METHODS.iter().filter(|method| name == ALL || name == method.name) {
                if !methods.iter().any(|known| known.name == method.name) {
                    methods.push(method);
                }
            }
        }
        methods
    }

    /// The model to start from, if it is not a treebank.
    fn model(&self) -> anyhow::Result<Option<Model>> {
        let Some(file) = self.start.iter().find(|file| is_model(file)) else {
            if let (Some(start), false) = (self.start.first(), self.source.is_empty()) {
                let start = start.display();
                let message = format!("{start} is not a model, so it is the source: --source is for models");
                return Err(Usage(message).into());
            }
            return Ok(None);
        };
        let shown = file.display();
        if self.start.len() > 1 {
            return Err(Usage(format!("{shown} is a model, expected no other files with it")).into());
        }
        if self.source.is_empty() {
            let message = format!(
                "{shown} is a model, which has no trees to train on: name the treebanks that it was trained on with --source"
            );
            return Err(Usage(message).into());
        }
        Ok(Some(Model::load(file)?))
    }

    /// The settings: those of the model, changed by the given ones.
    fn settings(&self, model: Option<&Model>) -> anyhow::Result<Settings> {
        let given = self.options.settings()?;
        let Some(model) = model else { return Ok(given) };
        let mut settings = model.description().settings.clone();
        for (name, value) in given.given() {
            settings.set(name, &value.to_string())?;
        }
        Ok(settings)
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let model = self.model()?;
        let settings = self.settings(model.as_ref())?;
        let run = TrainingRun::new(
            self.options.features()?,
            &settings,
            &self.save_options,
            &self.output,
            self.files(),
        )?;
        let encoder = self.encoder.as_ref().map(PretrainedEncoder::load).transpose()?;
        if encoder.is_none() && model.as_ref().is_some_and(is_pretrained) {
            output::note(
                "warning: the model was trained from a pretrained encoder; adapted models start from random weights, unless it is \
                 given with --encoder",
            );
        }
        let bar = progress::step_bar("reading");
        let options = self.input_options.options_for(self.inputs())?;
        let (of_treebanks, options) =
            options.split_at(self.treebanks().len() + usize::from(self.dev.is_some()));
        let (of_gold, options) = options.split_at(usize::from(self.gold.is_some()));
        let (of_text, of_overlap) = options.split_at(self.text.len());
        let (trainer, n_parsers, saving) = run.into_parts();
        let reads_text = match &model {
            Some(model) if self.dev.is_some() => model.reads_text(),
            _ => trainer.trains_all_parts(),
        };
        self.check_text(reads_text, of_text)?;
        let data = read_treebanks(self.treebanks(), self.dev.as_deref(), of_treebanks)?;
        let gold = read_treebanks(&[], self.gold.as_deref(), of_gold)?.dev;
        let overlaps = self.overlaps(of_overlap, &gold)?;
        // The beginning of the target is read now, so that a long run does not fail late.
        text_files((&self.text, self.text_input), &[], of_text)?;
        warn_if_few_sentences(data.sentences.len());
        let trainer = match encoder {
            Some(encoder) => trainer.encoder(encoder.into()),
            None => trainer,
        };
        let observer = ProgressObserver::new(bar, interrupts::stop_flag(), n_parsers)
            .with_estimate(&data.sentences, self.threads.number());
        let options = Options {
            min_confidence: self.min_confidence,
            max_sentences: self.max_sentences.unwrap_or(usize::MAX),
            guard: Guard { tolerance: self.tolerance },
        };
        let mut adaptation = Adaptation::new(trainer).methods(&self.methods()).options(options);
        adaptation = adaptation.dev(&data.dev).gold(&gold).observer(&observer);
        if let Some(model) = model {
            adaptation = adaptation.model(model);
        }
        let prepared = self.threads.install(|| adaptation.prepare(&data.sentences))??;
        // The model of an interrupted training may read no text.
        let target =
            if observer.stop() { Vec::new() } else { self.read_target(prepared.model(), of_text, overlaps)? };
        if !observer.stop() {
            let mut words = WordText::new(usize::MAX);
            for sentence in &target {
                words.add(sentence.tokens().map(|token| sentence.form(token)));
            }
            warn_of_other_script(&words, &data.sentences, &observer);
        }
        let adapted = self.threads.install(|| prepared.adapt(&target))??;
        progress::clear();
        if self.json {
            output::json(&adapted.report)?;
        } else {
            output::text(&shown(&adapted.report))?;
        }
        let code = saving.save_as(&adapted.model, adapted.interrupted)?;
        if !adapted.interrupted {
            if adapted.report.chosen.is_none() {
                output::note("no method was accepted: the model that was written is the source model");
            }
            next_steps(&adapted.model, &self.output);
        }
        Ok(code)
    }

    /// The treebanks that the target must not overlap with, and whether sentences that do are left out.
    fn overlaps(&self, options: &[ReadOptions], gold: &[Sentence]) -> anyhow::Result<Vec<(Overlap, bool)>> {
        let mut overlaps = Vec::new();
        for (path, options) in self.drop_overlap.iter().zip(options) {
            let mut overlap = Overlap::new(path.display().to_string());
            for sentence in open(path, options)?.sentences() {
                let sentence = sentence?;
                overlap.add(sentence.tokens().map(|token| sentence.form(token)));
            }
            overlaps.push((overlap, true));
        }
        if let Some(file) = self.gold.as_ref().filter(|gold| !self.drop_overlap.contains(gold)) {
            overlaps.push((Overlap::of(file.display().to_string(), gold), false));
        }
        Ok(overlaps)
    }

    /// Checks that a source model without a tokenizer, which may still have to be trained, gets no plain text. Streams can be opened
    /// only once and are checked when they are read.
    fn check_text(&self, reads_text: bool, options: &[ReadOptions]) -> anyhow::Result<()> {
        if reads_text {
            return Ok(());
        }
        let mode = self.text_input.and_then(InputKind::mode);
        for (path, options) in self.text.iter().zip(options) {
            if mode.is_some_and(|mode| mode != TextMode::Tokens) {
                bail!("{}: found plain text{NO_TOKENIZER}", path.display());
            }
            let is_file = path.metadata().map_or(path.as_os_str() != "-", |found| found.is_file());
            if is_file && mode.is_none() {
                match Reader::open(path, options) {
                    Err(error @ treebank::Error::UnrecognisedFormat { .. }) => bail!("{error}{NO_TOKENIZER}"),
                    opened => drop(opened?),
                }
            }
        }
        Ok(())
    }

    /// The sentences of the target, as the source model's tokenizer finds them.
    fn read_target(
        &self,
        model: &Model,
        options: &[ReadOptions],
        mut overlaps: Vec<(Overlap, bool)>,
    ) -> anyhow::Result<Vec<Sentence>> {
        let mut target = Vec::new();
        for (path, options) in self.text.iter().zip(options) {
            let mut reader = self.open(model, path, options)?;
            if let Sentences::Treebank(reader) = &reader {
                check_layout(model, reader)?;
                if reader.layout().position(Role::Label).is_none() {
                    bail!("{}: found no column for labels, expected a format with one", reader.file());
                }
            }
            let mut sentence = reader.sentence();
            while reader.read(&mut sentence)? {
                let words = || sentence.tokens().map(|token| sentence.form(token));
                let mut is_dropped = false;
                for (overlap, drops) in &mut overlaps {
                    is_dropped |= overlap.is_in(words()) && *drops;
                }
                if !is_dropped && sentence.n_tokens() > 0 {
                    target.push(sentence.clone());
                }
            }
        }
        for (overlap, dropped) in &overlaps {
            let event = Event::TextOverlap {
                file: overlap.name(),
                sequences: overlap.n_sequences(),
                found: overlap.n_found(),
                sentences: overlap.n_sentences(),
                dropped: *dropped,
            };
            output::note(&event.to_string());
        }
        if target.is_empty() {
            bail!("{}: found no sentences, expected text of the target", self.text[0].display());
        }
        let missing = model.missing_columns(&target);
        if !missing.is_empty() {
            output::note(&format!(
                "warning: no values in {}; the source model was trained with them and is less accurate without",
                missing.join(", ")
            ));
        }
        Ok(target)
    }

    fn open(&self, model: &Model, path: &Path, options: &ReadOptions) -> anyhow::Result<Sentences> {
        let Some(kind) = self.text_input else { return Sentences::open(path, options, Some(model)) };
        let Some(mode) = kind.mode() else { return Sentences::open(path, options, None) };
        let source = TextSource::open(path, options)?;
        let name = source.name().to_owned();
        Ok(Sentences::Text(Box::new(model.text_sentences((source, &name), mode)?)))
    }
}

/// Whether a model, or the part of it for untagged words, started from a pretrained encoder.
fn is_pretrained(model: &Model) -> bool {
    let started = |model: &Model| model.description().pretraining.is_some();
    started(model) || model.untagged().is_some_and(started)
}
