//! The `quaich` program: one file per subcommand in `commands/`. It is a library so that other packages can contain the program.

mod commands;
mod feature_models;
mod files_used;
mod interrupts;
mod out_of_memory;
mod output;
mod progress;
mod report;
mod sentence_formats;
mod side_files;
mod table_style;
mod text_input;
mod training_time;
mod version;

use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use quaich::settings::groups;

use crate::commands::Command;

/// Dependency parser generator: give it a treebank, get a parser
#[derive(Parser)]
#[command(
    name = "quaich",
    version,
    long_version = version::LONG.as_str(),
    propagate_version = true,
    after_help = "Quick start:
  quaich demo
  quaich train train.conllu -o english.quaich
  quaich parse -m english.quaich text.txt -o parsed.conllu
  quaich parse -m english.quaich test.conllu -o test-parsed.conllu
  quaich eval test.conllu test-parsed.conllu

See `quaich COMMAND --help` for the options and examples of a command."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// Print only errors on standard error
    #[arg(long, short, global = true, display_order = 900)]
    quiet: bool,
}

/// Runs the program with the arguments of the process.
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return output::print_clap_error(&with_setting(error)),
    };
    progress::set_quiet(arguments.quiet);
    interrupts::handle_signals();
    match arguments.command.run() {
        Ok(code) => code,
        // The reader of our output has closed the pipe: that is success.
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if output::is_interruption(&error) => {
            progress::clear();
            output::note("interrupted: less than an epoch was trained, so no model was written");
            ExitCode::from(interrupts::INTERRUPTED)
        }
        Err(error) => {
            output::error(&error);
            if output::is_usage(&error) { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

/// Other programs have options for what is a setting here: for `--epochs`, the tip names the settings.
fn with_setting(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return error };
    let option = option.trim_start_matches('-').to_owned();
    let is_near = error.get(ContextKind::SuggestedArg).is_some();
    let is_training = error.get(ContextKind::Usage).is_some_and(|usage| {
        let usage = usage.to_string();
        TRAINING.iter().any(|command| usage.contains(&format!("quaich {command}")))
    });
    if error.kind() != ErrorKind::UnknownArgument || is_near || !is_training {
        return error;
    }
    let names: Vec<String> = groups()
        .flat_map(|group| group.settings.iter().map(move |setting| (group, setting)))
        .filter(|(group, setting)| setting.name == option || group.full_name(setting) == option)
        .map(|(group, setting)| group.full_name(setting))
        .collect();
    if let [first, ..] = &names[..] {
        let tip = format!("settings are given as `--set {first}=VALUE`; known: {}", names.join(", "));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// The commands that take settings.
const TRAINING: [&str; 8] =
    ["train", "blend train", "distill", "adapt", "crossval", "tune", "pretrain", "code train"];

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_definitions_are_valid() {
        Arguments::command().debug_assert();
    }

    /// The arguments of a command line up to a pipe or redirection.
    fn words(line: &str) -> Vec<String> {
        let mut words = Vec::new();
        for (number, part) in line.split('"').enumerate() {
            if number % 2 == 1 {
                words.push(part.to_owned());
            } else {
                words.extend(part.split_whitespace().map(str::to_owned));
            }
        }
        let end = words.iter().position(|word| ["|", "<", ">", ">>"].contains(&word.as_str()));
        words.truncate(end.unwrap_or(words.len()));
        words
    }

    #[test]
    fn every_command_has_examples_that_parse() {
        for command in Arguments::command().get_subcommands() {
            for help in [command.clone().render_help(), command.clone().render_long_help()] {
                let help = help.to_string();
                let examples = help.lines().filter(|line| line.starts_with("  quaich ")).map(words);
                let examples: Vec<Vec<String>> = examples.collect();
                assert!(examples.len() >= 2, "{help}");
                for example in examples {
                    assert_eq!(example[1], command.get_name());
                    if let Err(error) = Arguments::try_parse_from(&example) {
                        panic!("{}: {error}", example.join(" "));
                    }
                }
            }
        }
    }
}
