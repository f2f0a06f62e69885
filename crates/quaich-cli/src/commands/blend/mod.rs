//! `quaich blend`: several parsers that vote on a tree.

mod train;
mod vote;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::places::FilesUsed;

/// Lets several parsers vote: on files they have parsed, or in one model
///
/// Every arc that a parser proposes is worth the votes of those who propose it; the tree that is worth most is taken.
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
    /// What is read and written.
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
