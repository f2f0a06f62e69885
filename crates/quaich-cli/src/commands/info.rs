//! `quaich info`: describes a model.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quaich::ensemble::{EnsembleDescription, FULL_VOTE, LabelVote};
use quaich::pretraining::{PretrainedEncoder, PretrainingDescription, is_encoder};
use quaich::treebank::counted;
use quaich::{FileDescription, describe};

use crate::files_used::FilesUsed;
use crate::output;

/// Describe a model or a pretrained encoder: training data, settings, scores, notes
#[derive(Args)]
#[command(after_help = "Examples:
  quaich info english.quaich
  quaich info english.encoder
  quaich info english.quaich --json")]
pub(crate) struct Info {
    /// The model file, or the file of a pretrained encoder
    model: PathBuf,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Info {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        FilesUsed::default().reading([&self.model])
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        if is_encoder(&self.model) {
            return self.describe_encoder();
        }
        let file = describe(&self.model)?;
        if self.json {
            output::json(&file)?;
            return Ok(ExitCode::SUCCESS);
        }
        let description = &file.model;
        let mut rows = vec![
            row("format", description.format_version.to_string()),
            row("trained by", description.trained_by.clone()),
            row(
                "trained on",
                format!(
                    "{}, {}",
                    counted(description.sentences, "sentence"),
                    counted(description.tokens, "token")
                ),
            ),
            row("data fingerprint", description.fingerprint.clone()),
        ];
        if description.interrupted {
            rows.push(row("interrupted", "training was stopped early".to_owned()));
        }
        if let Some(ensemble) = &file.ensemble {
            rows.push(row("ensemble", describe_vote(ensemble, file.members.len())));
        }
        rows.push(row("parts", parts(&file).join(", ")));
        rows.extend(parser_rows(&file));
        if let Some(untagged) = &file.untagged {
            rows.push(row("for untagged words", String::new()));
            rows.extend(parser_rows(untagged));
        }
        if let Some(dev) = &description.dev {
            rows.push(row("dev scores", dev.to_string()));
            rows.push(row("dev calibration error", format!("{:.4}", dev.calibration_error)));
        }
        if !description.dev_text.is_empty() {
            let measures = description.dev_text.iter().map(|(name, value)| format!("{name} {value:.2}"));
            rows.push(row("dev scores from raw text", measures.collect::<Vec<_>>().join(", ")));
        }
        if let Some(pretraining) = &description.pretraining {
            rows.push(row("pretrained", String::new()));
            rows.extend(text_rows(pretraining));
        }
        rows.extend(description.attributes.iter().map(|(name, text)| row(name, text.clone())));
        rows.extend(description.notes.iter().map(|(name, text)| row(name, text.clone())));
        self.print(rows, &description.settings.to_toml())
    }

    fn describe_encoder(&self) -> anyhow::Result<ExitCode> {
        let encoder = PretrainedEncoder::load(&self.model)?;
        let description = encoder.description();
        if self.json {
            output::json(description)?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut rows = vec![
            row("format", description.format_version.to_string()),
            row("trained by", description.trained_by.clone()),
            row("encoder", format!("{} × {} units per direction", encoder.n_layers(), encoder.n_units())),
        ];
        rows.extend(text_rows(description));
        rows.extend(description.notes.iter().map(|(name, text)| row(name, text.clone())));
        self.print(rows, &description.settings.to_toml())
    }

    /// Prints the rows, the size of the file and the settings.
    fn print(&self, mut rows: Vec<Vec<String>>, settings: &str) -> anyhow::Result<ExitCode> {
        let size = std::fs::metadata(&self.model).map_or(0, |file| file.len());
        rows.push(row("size", format!("{size} bytes")));
        rows.push(row("settings", String::new()));
        let width = rows.iter().map(|row| row[0].chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        for row in &rows {
            text += format!("{:width$}  {}", row[0], row[1]).trim_end();
            text.push('\n');
        }
        for line in settings.lines() {
            text.extend(["  ", line, "\n"]);
        }
        output::text(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// What the model can do, in the order of a pipeline.
fn parts(file: &FileDescription) -> Vec<&'static str> {
    let mut parts = Vec::new();
    if !file.tokenizer.is_null() {
        parts.push("tokenizer");
    }
    if file.untagged.is_some() {
        parts.extend(["tagger, lemmatizer and parser for untagged words", "parser for tagged words"]);
    } else if file.tokenizer.is_null() {
        parts.push("parser alone: reads treebank files and tokens, not plain text");
    } else {
        parts.push("parser");
    }
    parts
}

/// What an encoder was pretrained on.
fn text_rows(description: &PretrainingDescription) -> Vec<Vec<String>> {
    let PretrainingDescription { words, kept_words, seen_words, known_forms, known_ngrams, .. } = description;
    let kept = if kept_words < words { format!(", of which {kept_words} were kept") } else { String::new() };
    let mut rows = vec![
        row("text", format!("{words} words{kept}, {}", counted(description.sentences, "sentence"))),
        row("words seen in training", seen_words.to_string()),
        row("known", format!("{known_forms} forms, {known_ngrams} character n-grams")),
        row("most frequent words", description.frequent.join(" ")),
        row("loss per hidden word", format!("{:.3}", description.loss)),
        row("text fingerprint", description.fingerprint.clone()),
    ];
    if let Some(continued) = &description.continued {
        rows.push(row("continued from", format!("text fingerprint {continued}")));
    }
    if description.interrupted {
        rows.push(row("interrupted", "pretraining was stopped early".to_owned()));
    }
    rows
}

/// The encoders and parsers of a model.
fn parser_rows(file: &FileDescription) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (number, encoder) in file.encoders.iter().enumerate() {
        let number = if file.encoders.len() > 1 { format!("{} ", number + 1) } else { String::new() };
        let named = |(name, text): &(String, String)| match name.as_str() {
            "encoder" => row(format!("{name} {number}").trim_end(), text.clone()),
            name => row(name, text.clone()),
        };
        rows.extend(encoder.about.iter().map(named));
    }
    for (number, member) in file.members.iter().enumerate() {
        if let Some(ensemble) = &file.ensemble {
            rows.push(row(&format!("parser {}", number + 1), vote_weight(ensemble, number)));
        }
        rows.push(row("system", member.scheme.plan.describe()));
        rows.push(row("learner", member.learner.clone()));
        if let Some(encoder) = member.encoder.filter(|_| file.encoders.len() > 1) {
            rows.push(row("uses encoder", (encoder + 1).to_string()));
        }
        rows.push(row("decision", member.scheme.decision.name().to_owned()));
        rows.push(row("labels", member.scheme.label_classes.to_string()));
        rows.extend(member.about.iter().map(|(name, text)| row(name, text.clone())));
    }
    rows
}

/// A row of the table.
fn row(name: &str, value: String) -> Vec<String> {
    vec![name.to_owned(), value]
}

/// How the parsers of an ensemble vote.
fn describe_vote(ensemble: &EnsembleDescription, n_members: usize) -> String {
    let labels = match ensemble.rules.labels {
        LabelVote::Together => "arcs with their labels",
        LabelVote::Afterwards => "arcs, then labels",
    };
    let roots = if ensemble.rules.single_root { ", one root" } else { "" };
    format!("{n_members} parsers vote on {labels}{roots}")
}

/// The weight of a parser's votes.
fn vote_weight(ensemble: &EnsembleDescription, number: usize) -> String {
    let percent = |weight: u32| format!("{:.1}", 100.0 * f64::from(weight) / f64::from(FULL_VOTE));
    let Some(weights) = ensemble.weights.get(number) else { return String::new() };
    let by_tag: Vec<String> =
        weights.by_tag.iter().map(|(tag, &weight)| format!("{tag} {}", percent(weight))).collect();
    let by_tag = if by_tag.is_empty() { String::new() } else { format!("; {}", by_tag.join(", ")) };
    format!("vote weight {}{by_tag}", percent(weights.all))
}
