//! What benchmarks are asked for that measure one treebank at a time.

use std::io;
use std::path::{Path, PathBuf};

use super::Place;
use super::process::build;

/// Options of such a benchmark, of which it may take some, and treebanks.
#[derive(Default)]
pub(super) struct Asked<'a> {
    /// The program to measure, in the place of one that is built.
    program: Option<PathBuf>,
    /// Words that trainings go through; the usual number if none.
    pub(super) words: Option<usize>,
    /// Of so many sentences one has its tree; the usual number if none.
    pub(super) one_in: Option<usize>,
    /// Where models are kept, and taken from if they are there.
    models: Option<PathBuf>,
    /// A file of text.
    pub(super) text: Option<PathBuf>,
    /// Minutes of a search; the usual number if none.
    pub(super) minutes: Option<usize>,
    /// Trials of a search instead of minutes, if any.
    pub(super) trials: Option<usize>,
    /// Threads; the usual number if none.
    pub(super) jobs: Option<usize>,
    /// The one thing to measure of several.
    pub(super) only: Option<&'a str>,
    /// Head rules; all if none is given.
    pub(super) rules: Vec<&'a str>,
    /// Features and labels; all if none is given.
    pub(super) variants: Vec<&'a str>,
    /// Settings of trainings, `NAME=VALUE`.
    pub(super) settings: Vec<&'a str>,
    /// Names of treebanks.
    pub(super) treebanks: Vec<&'a str>,
}

impl<'a> Asked<'a> {
    /// Reads options; those that `usage` does not name are refused.
    pub(super) fn read(options: &[&'a str], usage: &str) -> io::Result<Self> {
        let wrong =
            |found: &str, expected: &str| io::Error::other(format!("found {found}, expected {expected}"));
        let mut asked = Self::default();
        let mut options = options.iter();
        while let Some(&option) = options.next() {
            if !option.starts_with("--") {
                asked.treebanks.push(option);
                continue;
            }
            if !usage.split(['[', ' ', ']']).any(|known| known == option) {
                return Err(wrong(&format!("`{option}`"), usage));
            }
            let value = options.next().ok_or_else(|| wrong(&format!("no value of `{option}`"), usage))?;
            let number = |what: &str| value.parse().map_err(|_| wrong(&format!("`{value}`"), what));
            match option {
                "--program" => asked.program = Some(PathBuf::from(value).canonicalize()?),
                "--words" => asked.words = Some(number("a number of words")?),
                "--one-in" => asked.one_in = Some(number("a number of sentences")?),
                "--minutes" => asked.minutes = Some(number("a number of minutes")?),
                "--trials" => asked.trials = Some(number("a number of trials")?),
                "--jobs" => asked.jobs = Some(number("a number of threads")?),
                "--models" => asked.models = Some(PathBuf::from(value).canonicalize()?),
                "--text" => asked.text = Some(PathBuf::from(value).canonicalize()?),
                "--only" => asked.only = Some(value),
                "--rules" => asked.rules = value.split(',').collect(),
                "--variants" => asked.variants = value.split(',').collect(),
                "--set" => asked.settings.push(value),
                _ => return Err(wrong(&format!("`{option}`"), usage)),
            }
        }
        Ok(asked)
    }

    /// The program to measure.
    pub(super) fn program(&self, place: &Place) -> io::Result<PathBuf> {
        self.program.clone().map_or_else(|| build(&place.root), Ok)
    }

    /// Where models are.
    pub(super) fn models<'p>(&'p self, place: &'p Place) -> &'p Path {
        self.models.as_deref().unwrap_or(&place.scratch)
    }
}

#[cfg(test)]
mod tests {
    use super::Asked;

    #[test]
    fn options_are_those_of_the_usage() {
        let usage = "[--words N] [--only WHAT] [TREEBANK…]";
        let asked = Asked::read(&["--words", "7", "a", "--only", "x y", "b"], usage).unwrap();
        assert_eq!((asked.words, asked.only, &asked.treebanks[..]), (Some(7), Some("x y"), &["a", "b"][..]));
        let asked = Asked::read(&["--rules", "term,left", "c"], "[--rules NAME,…] [TREEBANK…]").unwrap();
        assert_eq!((&asked.rules[..], &asked.treebanks[..]), (&["term", "left"][..], &["c"][..]));
        assert!(asked.variants.is_empty());
        let asked =
            Asked::read(&["--set", "a=1", "--set", "b=2"], "[--set NAME=VALUE]… [TREEBANK…]").unwrap();
        assert_eq!(asked.settings, ["a=1", "b=2"]);
        let error = |options: &[&str]| Asked::read(options, usage).err().map(|error| error.to_string());
        assert_eq!(error(&["--word", "7"]), Some(format!("found `--word`, expected {usage}")));
        assert_eq!(error(&["--models", "."]), Some(format!("found `--models`, expected {usage}")));
        assert_eq!(error(&["--words", "many"]), Some("found `many`, expected a number of words".to_owned()));
        assert_eq!(error(&["--only"]), Some(format!("found no value of `--only`, expected {usage}")));
    }
}
