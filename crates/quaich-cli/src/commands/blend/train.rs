//! `quaich blend train`: trains an ensemble; the same as `train --ensemble`.

use std::process::ExitCode;

use clap::Args;

use super::super::{list, train};
use crate::files_used::FilesUsed;

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

/// Train an ensemble of parsers that vote, as one model
///
/// This is `quaich train --ensemble`, with the default ensemble unless you name one: six parsers, three systems,
/// each from left to right and from right to left, over two encoders, each shared by three parsers. A file
/// describes other ensembles: one table [[parser]] per parser, with settings that override those given here;
/// parsers with the same `encoder` share one.
///
/// The whole treebank is used for training. To weight the votes, each parser is also trained a second time, for
/// fewer epochs and without a fifth of the sentences: its accuracy on these held-out sentences, per coarse tag, is
/// its weight. With --resume, this second training starts again from the beginning.
#[derive(Args)]
#[command(
    after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{}", list::settings_help())
)]
pub(crate) struct TrainEnsemble {
    #[command(flatten)]
    train: train::Train,
}

impl TrainEnsemble {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        self.train.files()
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.train.of_ensemble().run()
    }
}
