//! `quaich info`: what a model is.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quaich_parser::describe;
use quaich_treebank::counted;

use crate::output;

/// Tells what a model is: data, settings, scores, notes
#[derive(Args)]
#[command(after_help = "Examples:
  quaich info english.quaich
  quaich info english.quaich --json")]
pub(crate) struct Info {
    /// The model
    model: PathBuf,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

impl Info {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let file = describe(&self.model)?;
        if self.json {
            output::json(&file)?;
            return Ok(ExitCode::SUCCESS);
        }
        let description = &file.model;
        let row = |name: &str, value: String| vec![name.to_owned(), value];
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
            rows.push(row("interrupted", "training was ended before it was done".to_owned()));
        }
        for member in &file.members {
            rows.push(row("system", member.plan.describe()));
            rows.push(row("decision", member.decision.name().to_owned()));
            rows.push(row("labels", member.label_classes.to_string()));
            rows.extend(member.about.iter().map(|(name, text)| row(name, text.clone())));
        }
        if let Some(dev) = &description.dev {
            rows.push(row("dev scores", dev.to_string()));
            rows.push(row("dev calibration error", format!("{:.4}", dev.calibration_error)));
        }
        rows.extend(description.notes.iter().map(|(name, text)| row(name, text.clone())));
        let size = std::fs::metadata(&self.model).map_or(0, |file| file.len());
        rows.push(row("size", format!("{size} bytes")));
        rows.push(row("settings", String::new()));
        let width = rows.iter().map(|row| row[0].chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        for row in &rows {
            text += format!("{:width$}  {}", row[0], row[1]).trim_end();
            text.push('\n');
        }
        for line in description.settings.to_toml().lines() {
            text.extend(["  ", line, "\n"]);
        }
        output::text(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}
