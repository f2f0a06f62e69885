//! `quaich blend train`: a treebank → a model of several parsers; `train --ensemble` by another name.

use std::process::ExitCode;

use clap::Args;

use super::super::{list, train};
use crate::places::FilesUsed;

const EXAMPLES: &str = "Examples:
  quaich blend train train.conllu -o ensemble.quaich
  quaich blend train train.conllu -o ensemble.quaich --dev dev.conllu --preset fast
  quaich blend train train.conllu -o ensemble.quaich --parsers mine.toml --equal

mine.toml:
  [[parser]]
  system = \"swap-lazy\"
  encoder = 1

  [[parser]]
  system = \"rtl:arc-hybrid\"
  encoder = 1

  [[parser]]
  system = \"rtl:arc-eager\"
  learner = \"linear\"";

/// Trains several parsers that vote, and puts them in one model
///
/// This is `quaich train --ensemble`, with the default ensemble if none is named: six parsers, three systems,
/// each from left to right and from right to left, over two encoders, each shared by three parsers. A file
/// can name others: a table [[parser]] for each, with the settings that it has in place of those given here;
/// parsers with the same `encoder` share one.
///
/// Beside that every parser is trained a second time, for a shorter time and without a fifth of the sentences:
/// how it does there, by the coarse tag of a word, is the weight of its votes. All of the treebank is learned
/// from. With --resume the second training is done anew.
#[derive(Args)]
#[command(
    verbatim_doc_comment,
    after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{}", list::settings_help())
)]
pub(crate) struct TrainEnsemble {
    #[command(flatten)]
    train: train::Train,
}

impl TrainEnsemble {
    /// What is read and written.
    pub(crate) fn files(&self) -> FilesUsed {
        self.train.files()
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.train.of_ensemble().run()
    }
}
