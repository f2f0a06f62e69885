//! The files that a command reads and writes, checked before any work is done.
//!
//! No command overwrites a file that it reads. Files are compared by identity, not by name, so links are
//! followed. Devices and pipes are not compared: writing to them overwrites nothing.

use std::fs;
use std::path::{Path, PathBuf};

use quaich::treebank::Sink;

use crate::output::Usage;

/// The files that a command reads and writes, as named by the user; `-` is standard input.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct FilesUsed {
    reads: Vec<PathBuf>,
    writes: Vec<PathBuf>,
}

impl FilesUsed {
    /// Adds files that are read.
    pub(crate) fn reading(mut self, files: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        self.reads.extend(files.into_iter().map(|file| file.as_ref().to_owned()));
        self
    }

    /// Adds files that are written.
    pub(crate) fn writing(mut self, files: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        self.writes.extend(files.into_iter().map(|file| file.as_ref().to_owned()));
        self
    }

    /// Adds the files of `other`.
    pub(crate) fn and(self, other: Self) -> Self {
        self.reading(other.reads).writing(other.writes)
    }

    /// Fails if an output file, or standard output, is also an input file.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        for output in &self.writes {
            self.check_output(Some(output))?;
        }
        self.check_output(None)
    }

    /// Fails if one output is also an input file; none and `-` are standard output.
    pub(crate) fn check_output(&self, output: Option<&Path>) -> anyhow::Result<()> {
        let output = output.filter(|output| !is_stream(output));
        let (place, name) = match output {
            Some(output) => (output, output.display().to_string()),
            None => (Path::new(STDOUT), "<stdout>".to_owned()),
        };
        let Some(id) = FileId::of(place) else { return Ok(()) };
        let is_output = |input: &&PathBuf| {
            let place = if is_stream(input) { Path::new(STDIN) } else { input };
            FileId::of(place).as_ref() == Some(&id)
        };
        let Some(input) = self.reads.iter().find(is_output) else { return Ok(()) };
        let same = if Some(input.as_path()) == output { "" } else { ", which is the same file" };
        let input = if is_stream(input) { "<stdin>".to_owned() } else { input.display().to_string() };
        let message =
            format!("{name}: the output would overwrite the input {input}{same}; choose another output file");
        Err(Usage(message).into())
    }
}

/// Fails if a trained model cannot be written to this path.
pub(crate) fn check_model_output(place: &Path, files: &FilesUsed) -> anyhow::Result<()> {
    if Sink::compresses(place) {
        let reason = "model files are not compressed; choose a name without this extension";
        return Err(Usage(format!("{}: {reason}", place.display())).into());
    }
    files.check()?;
    // Pipes and devices are opened only once: their readers would take this for the end of the data.
    if fs::metadata(place).map_or(true, |found| found.is_file() || found.is_dir()) {
        // Dropping it removes the temporary file.
        drop(Sink::create(Some(place))?);
    }
    Ok(())
}

const STDIN: &str = "/dev/stdin";
const STDOUT: &str = "/dev/stdout";

fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The identity of a file, independent of its names.
#[derive(PartialEq, Eq)]
struct FileId {
    #[cfg(unix)]
    device_and_inode: (u64, u64),
    #[cfg(not(unix))]
    canonical: PathBuf,
}

impl FileId {
    /// The identity of the regular file at this path; none for folders, devices, pipes and missing files.
    fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some(Self { device_and_inode: (found.dev(), found.ino()) })
        }
        #[cfg(not(unix))]
        {
            drop(found);
            Some(Self { canonical: fs::canonicalize(path).ok()? })
        }
    }
}

#[cfg(test)]
#[path = "../tests/file_arguments/mod.rs"]
mod file_arguments;

#[cfg(test)]
mod tests {
    use std::any::TypeId;
    use std::collections::{BTreeMap, BTreeSet};

    use clap::builder::ValueParser;
    use clap::parser::ValueSource;
    use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};

    use super::file_arguments::{PRINTING, WRITING, file_of, words};
    use super::*;
    use crate::Arguments;

    /// Arguments that are not paths but can name files.
    const NAMING: [&str; 8] = ["features", "format", "to", "transform", "malt", "words", "set", "ensemble"];
    /// Arguments with these names that never name files: their values are fixed.
    const CHOOSING: [(&str, &str); 8] = [
        ("pretrain", "set"),
        ("eval", "to"),
        ("instances", "to"),
        ("crossval", "to"),
        ("oracle", "malt"),
        ("trace", "malt"),
        ("code tree", "to"),
        ("code parse", "to"),
    ];

    fn names_files(command: &str, argument: &clap::Arg) -> bool {
        let id = argument.get_id().as_str();
        let is_path = |parser: &ValueParser| parser.type_id() == TypeId::of::<PathBuf>();
        (is_path(argument.get_value_parser()) || NAMING.contains(&id) || (command, id) == ("draw", "output"))
            && !CHOOSING.contains(&(command, id))
            && (command, id) != ("man", "output")
    }

    /// All commands without subcommands, with the arguments that can name files.
    fn leaves<'c>(command: &'c Command, name: &str, leaves: &mut BTreeMap<String, BTreeSet<&'c str>>) {
        if command.has_subcommands() {
            for below in command.get_subcommands() {
                let name = format!("{name} {}", below.get_name());
                self::leaves(below, name.trim_start(), leaves);
            }
            // A command that can also be used without a subcommand has arguments.
            if !command.get_arguments().any(|argument| names_files(name, argument)) {
                return;
            }
        }
        let arguments = command.get_arguments().filter(|argument| names_files(name, argument));
        leaves.insert(name.to_owned(), arguments.map(|argument| argument.get_id().as_str()).collect());
    }

    /// The name of the given command and the names of its given arguments.
    fn given(matches: &ArgMatches) -> (String, Vec<String>) {
        let (mut name, mut matches) = (String::new(), matches);
        while let Some((below, its)) = matches.subcommand() {
            name = format!("{name} {below}");
            matches = its;
        }
        let is_given = |id: &&clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
        let ids = matches.ids().filter(is_given).map(|id| id.as_str().to_owned()).collect();
        (name.trim_start().to_owned(), ids)
    }

    #[test]
    fn every_file_that_an_argument_names_is_known() {
        let quaich = Arguments::command();
        let mut missing = BTreeMap::new();
        leaves(&quaich, "", &mut missing);
        for line in PRINTING.iter().chain(WRITING) {
            let words = [vec!["quaich".to_owned()], words(line, "OUT")].concat();
            let matches = quaich.clone().try_get_matches_from(words).unwrap();
            let (name, ids) = given(&matches);
            let missing = missing.get_mut(&name).unwrap();
            missing.retain(|id| !ids.iter().any(|given| given == id));
            let files = Arguments::from_arg_matches(&matches).unwrap().command.files();
            // Files that settings name are known only after the settings have been read.
            let is_setting = |word: &&str| word.contains("relabel:") && name != "transform";
            for file in line.split_whitespace().filter(|word| !is_setting(word)).filter_map(file_of) {
                assert!(files.reads.contains(&PathBuf::from(file)), "{line}: {file}, {files:?}");
            }
            assert_eq!(files.writes.contains(&PathBuf::from("OUT")), line.ends_with("OUT"), "{line}");
        }
        missing.retain(|_, arguments| !arguments.is_empty());
        assert!(missing.is_empty(), "no test line has these arguments: {missing:?}");
    }
}
