//! `quaich blend`: ensembles of parsers that vote on a tree.

mod train;
mod vote;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::files_used::FilesUsed;

/// Combine several parsers by voting: their outputs, or in one ensemble model
///
/// The score of an arc is the sum of the votes of the parsers that propose it; the tree with the highest total score wins.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich blend vote one.conllu two.conllu three.conllu -o blended.conllu
  quaich blend train train.conllu -o blend.quaich --dev dev.conllu")]
pub(crate) struct Blend {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Vote(vote::Vote),
    Train(Box<train::TrainEnsemble>),
}

impl Blend {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        match &self.what {
            What::Vote(command) => command.files(),
            What::Train(command) => command.files(),
        }
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::Vote(command) => command.run(),
            What::Train(command) => command.run(),
        }
    }
}
