//! `quaich code`: source code as treebanks.

pub(super) mod brackets;
mod corpus;
mod damage;
mod eval;
mod options;
mod tree;
mod treebank;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::files_used::FilesUsed;

/// Parse source code: make treebanks of it, and turn parsed files back into syntax trees
///
/// A source file is one sentence, its tokens are words, and the dependency labels contain what is needed to restore the
/// syntax tree. `quaich list languages` lists the languages.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich code treebank src/ --language python -o train.conllu
  quaich code eval test.conllu parsed.conllu
  quaich code tree parsed.conllu
  quaich code damage src/ --language python")]
pub(crate) struct Code {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Treebank(treebank::MakeTreebank),
    Tree(tree::ShowTree),
    Eval(eval::EvalTrees),
    Damage(damage::DamageStudy),
}

impl Code {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        match &self.what {
            What::Treebank(command) => command.files(),
            What::Tree(command) => command.files(),
            What::Eval(command) => command.files(),
            What::Damage(command) => command.files(),
        }
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::Treebank(command) => command.run(),
            What::Tree(command) => command.run(),
            What::Eval(command) => command.run(),
            What::Damage(command) => command.run(),
        }
    }
}
