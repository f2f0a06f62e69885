//! `quaich code`: source code as treebanks.

pub(super) mod brackets;
mod corpus;
mod damage;
mod eval;
mod options;
mod parse;
mod train;
mod tree;
mod treebank;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::files_used::FilesUsed;

/// Parse source code, even with errors or unknown macros: by a grammar, a trained model, or both
///
/// `train` learns from a code base, `parse` prints syntax trees. The others are for studies: a source file is one sentence of a treebank,
/// its tokens are words, and the dependency labels contain what is needed to restore the syntax tree. `quaich list languages` lists
/// the languages.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich code parse main.cpp
  quaich code train include/ --language cpp -o cpp.quaich
  quaich code parse -m cpp.quaich include/widget.h
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
    Parse(parse::ParseCode),
    Train(Box<train::TrainOnCode>),
    Treebank(treebank::MakeTreebank),
    Tree(tree::ShowTree),
    Eval(eval::EvalTrees),
    Damage(damage::DamageStudy),
}

impl Code {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        match &self.what {
            What::Parse(command) => command.files(),
            What::Train(command) => command.files(),
            What::Treebank(command) => command.files(),
            What::Tree(command) => command.files(),
            What::Eval(command) => command.files(),
            What::Damage(command) => command.files(),
        }
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::Parse(command) => command.run(),
            What::Train(command) => command.run(),
            What::Treebank(command) => command.run(),
            What::Tree(command) => command.run(),
            What::Eval(command) => command.run(),
            What::Damage(command) => command.run(),
        }
    }
}
