//! The `quaich` program: one subcommand a file in `commands/`.

mod commands;
mod feature_models;
mod interrupts;
mod memory;
mod output;
mod places;
mod progress;
mod report;
mod side_files;
mod table_style;
mod version;

use std::process::ExitCode;

use clap::Parser;

use crate::commands::Command;

/// Give it a treebank, get a parser.
#[derive(Parser)]
#[command(name = "quaich", version, long_version = version::LONG.as_str(), propagate_version = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// Say nothing on standard error but errors
    #[arg(long, short, global = true)]
    quiet: bool,
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(told) => return output::told_by_clap(&told),
    };
    progress::set_quiet(arguments.quiet);
    interrupts::watch();
    match arguments.command.run() {
        Ok(code) => code,
        // Whoever read our output has seen enough: that is success.
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            if output::is_usage(&error) { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definitions_are_sound() {
        Arguments::command().debug_assert();
    }

    /// The words of a command line, as far as a shell gives them to the program.
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
    fn every_command_has_examples_that_can_be_given() {
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
