//! Checkpoints and model files: options shared by all commands that train.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use quaich::{Checkpoint, Model};

use crate::files_used::FilesUsed;
use crate::output::Usage;
use crate::{interrupts, output, progress};

/// How models and checkpoints are saved.
#[derive(Args)]
#[command(next_help_heading = "Saving options")]
pub(crate) struct SaveOptions {
    /// Save checkpoints next to the model (MODEL.*.part) and continue from them if they exist; the result is the same as
    /// without an interruption
    #[arg(long)]
    resume: bool,

    /// Overwrite an existing model even if training is interrupted
    #[arg(long)]
    replace: bool,

    /// Store a note in the model, e.g. date=2026-11-15 or licence="CC BY-SA 4.0"; repeatable
    #[arg(long, value_name = "NAME=TEXT")]
    note: Vec<String>,
}

impl SaveOptions {
    /// The checkpoint of a training run, without files that a killed run left incomplete.
    pub(crate) fn checkpoint(&self, model: &Path) -> Checkpoint {
        let checkpoint = if self.resume { Checkpoint::beside(model) } else { Checkpoint::default() };
        checkpoint.remove_unfinished();
        checkpoint
    }

    /// The files that a training run writes: the model, the interrupted model and the checkpoints.
    pub(crate) fn files(&self, model: &Path) -> FilesUsed {
        let parts = if self.resume { Checkpoint::beside(model).files() } else { Vec::new() };
        FilesUsed::default().writing([model, &interrupted_path(model)]).writing(parts)
    }

    /// The notes: names and texts.
    pub(crate) fn notes(&self) -> anyhow::Result<Vec<(&str, &str)>> {
        let invalid = |note: &String| Usage(format!("found note `{note}`, expected name=text"));
        self.note.iter().map(|note| note.split_once('=').ok_or_else(|| invalid(note).into())).collect()
    }

    /// Writes the model, removes checkpoints that are no longer needed, and prints a summary.
    pub(crate) fn save(
        &self,
        parser: &Model,
        output: &Path,
        checkpoint: &Checkpoint,
        start: Instant,
    ) -> anyhow::Result<ExitCode> {
        let interrupted = parser.description().interrupted;
        self.save_as(interrupted, |place| parser.save(place), output, checkpoint, start)
    }

    /// The same for anything that is trained: whether it was interrupted, and how it is saved.
    pub(crate) fn save_as(
        &self,
        interrupted: bool,
        save: impl Fn(&Path) -> quaich::Result<()>,
        output: &Path,
        checkpoint: &Checkpoint,
        start: Instant,
    ) -> anyhow::Result<ExitCode> {
        let kept = interrupted && !self.replace && output.is_file();
        let place = if kept { interrupted_path(output) } else { output.to_owned() };
        save(&place)?;
        if interrupted {
            let existing = if kept { format!("{} is unchanged; ", output.display()) } else { String::new() };
            let resume = if self.resume { "; run the same command again to continue" } else { "" };
            let name = place.display();
            output::note(&format!("interrupted: {existing}{name} contains the model trained so far{resume}"));
        } else {
            checkpoint.remove();
            if self.resume {
                // It is no error if there is none.
                let _ = std::fs::remove_file(interrupted_path(output));
            }
        }
        let size = std::fs::metadata(&place).map_or(0, |file| file.len());
        #[allow(clippy::cast_precision_loss, reason = "a size for display")]
        let megabytes = size as f64 / 1e6;
        let memory = progress::peak_memory()
            .map_or(String::new(), |megabytes| format!(", peak memory {megabytes} MB"));
        let seconds = start.elapsed().as_secs();
        output::note(&format!("wrote {} ({megabytes:.1} MB) after {seconds} s{memory}", place.display()));
        Ok(if interrupted { ExitCode::from(interrupts::INTERRUPTED) } else { ExitCode::SUCCESS })
    }
}

/// Where an interrupted training run saves its model if a complete one exists.
fn interrupted_path(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".interrupted");
    name.into()
}
