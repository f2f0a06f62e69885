//! What becomes of what was learned: where it is kept while it is learned and afterwards, whatever kind of training it is.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use quaich::{Checkpoint, Model};

use crate::output::Usage;
use crate::places::FilesUsed;
use crate::{interrupts, output, progress};

/// How models and trainings are kept.
#[derive(Args)]
pub(crate) struct Keeping {
    /// Keep what is done in files beside the model, MODEL.*.part, and go on from them if they are
    /// there: a training that was interrupted comes to the same end as one that was not
    #[arg(long)]
    resume: bool,

    /// Let a training that is interrupted take the place of a model that is there
    #[arg(long)]
    replace: bool,

    /// Something to note in the model, e.g. date=2026-11-15 or licence="CC BY-SA 4.0"
    #[arg(long, value_name = "NAME=TEXT")]
    note: Vec<String>,
}

impl Keeping {
    /// Where a training keeps what it has done, without what one that was killed was just writing.
    pub(crate) fn checkpoint(&self, model: &Path) -> Checkpoint {
        let checkpoint = if self.resume { Checkpoint::beside(model) } else { Checkpoint::default() };
        checkpoint.remove_unfinished();
        checkpoint
    }

    /// What a training writes: the model, what holds it if it is interrupted, and its parts.
    pub(crate) fn files(&self, model: &Path) -> FilesUsed {
        let parts = if self.resume { Checkpoint::beside(model).files() } else { Vec::new() };
        FilesUsed::default().writing([model, &beside(model)]).writing(parts)
    }

    /// What is to be noted: names and texts.
    pub(crate) fn notes(&self) -> anyhow::Result<Vec<(&str, &str)>> {
        let wrong = |note: &String| Usage(format!("found note `{note}`, expected name=text"));
        self.note.iter().map(|note| note.split_once('=').ok_or_else(|| wrong(note).into())).collect()
    }

    /// Writes a model, removes what is no longer needed, and tells of it.
    pub(crate) fn save(
        &self,
        parser: &Model,
        output: &Path,
        checkpoint: &Checkpoint,
        start: Instant,
    ) -> anyhow::Result<ExitCode> {
        let interrupted = parser.description().interrupted;
        let kept = interrupted && !self.replace && output.is_file();
        let place = if kept { beside(output) } else { output.to_owned() };
        parser.save(&place)?;
        if interrupted {
            let existing = if kept { format!("{} is as it was; ", output.display()) } else { String::new() };
            let resume = if self.resume { "; the same command goes on" } else { "" };
            let name = place.display();
            output::note(&format!("interrupted: {existing}{name} holds what was learned until then{resume}"));
        } else {
            checkpoint.remove();
            if self.resume {
                // If there was none, there is none now.
                let _ = std::fs::remove_file(beside(output));
            }
        }
        let size = std::fs::metadata(&place).map_or(0, |file| file.len());
        #[allow(clippy::cast_precision_loss, reason = "a size for people")]
        let megabytes = size as f64 / 1e6;
        let memory = progress::peak_memory()
            .map_or(String::new(), |megabytes| format!(" and at most {megabytes} MB of memory"));
        let seconds = start.elapsed().as_secs();
        output::note(&format!("wrote {} ({megabytes:.1} MB) after {seconds} s{memory}", place.display()));
        Ok(if interrupted { ExitCode::from(interrupts::INTERRUPTED) } else { ExitCode::SUCCESS })
    }
}

/// Where an interrupted training leaves an existing model alone.
fn beside(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".interrupted");
    name.into()
}
