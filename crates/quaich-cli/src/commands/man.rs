//! `quaich man`: manual pages, generated from the command definitions.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;
use quaich::treebank::{Sink, UnknownName};

use crate::{Arguments, output};

/// Print a manual page, or write all of them to a folder
#[derive(Args)]
#[command(after_help = "Examples:
  quaich man train | man -l -
  quaich man -o ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// The command [default: quaich itself]
    command: Option<String>,

    /// Write all pages to this existing folder: quaich.1, quaich-train.1, …
    #[arg(long, short, value_name = "FOLDER", conflicts_with = "command")]
    output: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let mut quaich = Arguments::command();
        // Sets the full names of the subcommands.
        quaich.build();
        if let Some(folder) = &self.output {
            for command in std::iter::once(&quaich).chain(quaich.get_subcommands()) {
                let page = Page::new(command.clone());
                let mut sink = Sink::create(Some(&folder.join(page.get_filename())))?;
                page.render(&mut sink)?;
                sink.flush()?;
                sink.finish()?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        let command = match &self.command {
            None => &quaich,
            Some(name) => quaich.find_subcommand(name).ok_or_else(|| {
                UnknownName::new("command", name, quaich.get_subcommands().map(clap::Command::get_name))
            })?,
        };
        let mut page = Vec::new();
        Page::new(command.clone()).render(&mut page)?;
        output::bytes(&page)?;
        Ok(ExitCode::SUCCESS)
    }
}
