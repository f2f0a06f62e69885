//! `quaich info`: what a model is.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quaich_parser::describe;

use crate::output;

/// Tells what a model is: data, settings, scores, notes
#[derive(Args)]
pub(crate) struct Info {
    /// The model
    model: PathBuf,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

impl Info {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let description = describe(&self.model)?;
        if self.json {
            output::json(&description)?;
            return Ok(ExitCode::SUCCESS);
        }
        let row = |name: &str, value: String| vec![name.to_owned(), value];
        let mut rows = vec![
            row("format", description.format_version.to_string()),
            row("trained by", description.trained_by.clone()),
            row("trained on", format!("{} sentences, {} tokens", description.sentences, description.tokens)),
            row("data fingerprint", description.fingerprint.clone()),
            row("system", description.plan.describe()),
            row("labels", description.label_classes.to_string()),
        ];
        if let Some(linear) = &description.linear {
            let (transitions, labels) = (linear.transition_templates.len(), linear.label_templates.len());
            rows.push(row("linear", format!("{transitions} templates for transitions, {labels} for labels")));
        }
        if let Some(network) = &description.network {
            let (transition, label) = (network.transition.hidden, network.label.hidden);
            rows.push(row(
                "network",
                format!("{transition} hidden units for transitions, {label} for labels"),
            ));
        }
        if let Some(dev) = &description.dev {
            rows.push(row("dev scores", format!("LAS {:.2}, UAS {:.2}", dev.las, dev.uas)));
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
