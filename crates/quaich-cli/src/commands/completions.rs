//! `quaich completions`: shell completions, generated from the command definitions.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::{Arguments, output};

/// Print a shell completion script
#[derive(Args)]
#[command(after_help = "Examples:
  quaich completions bash > ~/.local/share/bash-completion/completions/quaich
  quaich completions zsh > ~/.zfunc/_quaich
  quaich completions fish > ~/.config/fish/completions/quaich.fish
  quaich completions powershell >> $PROFILE")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "quaich", &mut script);
        output::bytes(&script)?;
        Ok(ExitCode::SUCCESS)
    }
}
