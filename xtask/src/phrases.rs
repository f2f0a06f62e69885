//! Checks that no text of the project uses a phrase of `xtask/phrases.txt`, which says what to write instead.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The list of phrases.
const LIST: &str = "xtask/phrases.txt";

/// The files and folders that are checked.
const CHECKED: &[&str] = &[
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "benchmarks",
    "bindings",
    "crates",
    "data",
    "docs",
    "fuzz",
    "tests/commands",
    "xtask",
];

/// The file name endings that are checked.
const ENDINGS: &[&str] = &["md", "py", "pyi", "rs", "toml"];

/// Where comments and string literals go on after a line break: these markers do not interrupt a phrase.
const MARKERS: &[&str] = &["///", "//!", "//", "#", ">", "*"];

/// Returns the number of files checked, or one message per place where a phrase is used.
pub(crate) fn check() -> Result<usize, Vec<String>> {
    let phrases = fs::read_to_string(LIST).map_err(|error| format!("{LIST}: {error}"));
    let phrases = phrases.and_then(|text| parse(&text)).map_err(|message| vec![message])?;
    let mut files = Vec::new();
    for path in CHECKED {
        collect(Path::new(path), &mut files).map_err(|error| vec![format!("{path}: {error}")])?;
    }
    files.sort();
    let mut found = Vec::new();
    for path in &files {
        match fs::read_to_string(path) {
            Ok(text) => found.extend(check_text(&path.to_string_lossy(), &text, &phrases)),
            Err(error) => found.push(format!("{}: {error}", path.display())),
        }
    }
    if found.is_empty() { Ok(files.len()) } else { Err(found) }
}

/// Collects the files to check at a path.
pub(crate) fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_dir() {
        if path.file_name().is_some_and(|name| name == "target") {
            return Ok(());
        }
        for entry in fs::read_dir(path)? {
            collect(&entry?.path(), files)?;
        }
    } else if path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)) {
        files.push(path.to_owned());
    }
    Ok(())
}

/// A phrase to avoid.
struct Phrase {
    words: Vec<Word>,
    /// What to write instead.
    instead: String,
    /// Paths of files and folders where it may be used.
    exceptions: Vec<String>,
}

/// A word of a phrase.
enum Word {
    /// This word.
    Exact(String),
    /// Any word with this beginning; with an empty one, any word.
    Prefix(String),
}

impl Word {
    fn matches(&self, word: &str) -> bool {
        match self {
            Self::Exact(text) => word == text,
            Self::Prefix(start) => word.starts_with(start.as_str()),
        }
    }
}

/// Parses the list; its first lines describe the format.
fn parse(list: &str) -> Result<Vec<Phrase>, String> {
    let mut phrases: Vec<Phrase> = Vec::new();
    for (number, line) in (1..).zip(list.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(path) = line.trim_start().strip_prefix("except ") {
            let phrase = phrases.last_mut();
            let phrase =
                phrase.ok_or_else(|| format!("{LIST}:{number}: found an exception before any phrase"))?;
            phrase.exceptions.push(path.trim().to_owned());
            continue;
        }
        let parts = line.split_once(" -> ").map(|(text, instead)| (text.trim(), instead.trim()));
        let Some((text, instead)) = parts.filter(|(text, instead)| !text.is_empty() && !instead.is_empty())
        else {
            return Err(format!("{LIST}:{number}: expected `phrase -> what to write instead`"));
        };
        let words = text.split_whitespace().map(|word| match word.strip_suffix('*') {
            Some(start) => Word::Prefix(start.to_lowercase()),
            None => Word::Exact(word.to_lowercase()),
        });
        phrases.push(Phrase { words: words.collect(), instead: instead.to_owned(), exceptions: Vec::new() });
    }
    Ok(phrases)
}

/// Returns one message per phrase found in a text.
fn check_text(path: &str, text: &str, phrases: &[Phrase]) -> Vec<String> {
    let words = words(text);
    let applied: Vec<&Phrase> = phrases.iter().filter(|phrase| !phrase.is_allowed_in(path)).collect();
    let mut found = Vec::new();
    for start in 0..words.len() {
        for phrase in &applied {
            if phrase.begins(&words[start..]) {
                let used: Vec<&str> =
                    words[start..][..phrase.words.len()].iter().map(|found| found.word.as_str()).collect();
                let line = words[start].line;
                found.push(format!("{path}:{line}: found `{}`, write {}", used.join(" "), phrase.instead));
            }
        }
    }
    found
}

impl Phrase {
    fn is_allowed_in(&self, path: &str) -> bool {
        self.exceptions.iter().any(|exception| Path::new(path).starts_with(exception))
    }

    /// Whether these words begin with the phrase, without a break between its words.
    fn begins(&self, words: &[Found]) -> bool {
        words.len() >= self.words.len()
            && self.words.iter().zip(words).all(|(word, found)| word.matches(&found.word))
            && words[..self.words.len()].iter().skip(1).all(|found| found.continues)
    }
}

/// A word of a text, in lower case.
struct Found {
    word: String,
    line: usize,
    /// Whether only spaces, hyphens, underscores or a line break with comment markers separate it from the word before.
    continues: bool,
}

/// Splits a text into words: runs of letters, digits and apostrophes.
fn words(text: &str) -> Vec<Found> {
    let mut words: Vec<Found> = Vec::new();
    let mut continues = false;
    for (number, line) in (1..).zip(text.lines()) {
        let mut rest = line.trim();
        if rest.is_empty() {
            continues = false;
        }
        while let Some(after) = MARKERS.iter().find_map(|marker| rest.strip_prefix(marker)) {
            rest = after.trim_start();
        }
        // The rest of a string literal is on the next line.
        let rest = rest.strip_suffix('\\').unwrap_or(rest);
        let mut word = String::new();
        for character in rest.chars().chain([' ']) {
            if character.is_alphanumeric() || character == '\'' {
                word.extend(character.to_lowercase());
                continue;
            }
            if !word.is_empty() {
                words.push(Found { word: std::mem::take(&mut word), line: number, continues });
                continues = true;
            }
            continues &= character == ' ' || character == '-' || character == '_';
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHRASES: &str = "# comment\n\nbells a minute -> bells per minute\none * a bell -> one … per bell\n\
                           ding* -> ring\n  except docs/bells.md\n  except crates/bells\n";

    fn lines(path: &str, text: &str) -> Vec<String> {
        check_text(path, text, &parse(PHRASES).unwrap())
    }

    #[test]
    fn messages_name_the_place_and_what_to_write() {
        let found = lines("README.md", "# Bells\n\nForty Bells a minute.\n");
        assert_eq!(found, ["README.md:3: found `bells a minute`, write bells per minute"]);
    }

    #[test]
    fn words_are_whole_and_in_order() {
        for text in ["doorbells a minute", "bells a minuet", "bells. A minute", "bells, a minute", "a minute"]
        {
            assert_eq!(lines("README.md", text), [""; 0], "{text}");
        }
        assert_eq!(lines("README.md", "one rope a bell; dinging, a ding_dong").len(), 3);
    }

    #[test]
    fn phrases_continue_over_line_breaks_and_in_names() {
        for text in [
            "bells a\nminute",
            "/// bells\n    /// a minute",
            "    //! bells a\n    //! minute",
            "\"bells \\\n  a minute\"",
            "bells_a_minute",
            "--bells-a-minute",
        ] {
            assert_eq!(lines("a.rs", text).len(), 1, "{text}");
        }
        assert_eq!(lines("a.rs", "bells a\n\nminute"), [""; 0]);
    }

    #[test]
    fn exceptions_hold_for_files_and_folders() {
        for (path, expected) in
            [("docs/bells.md", 0), ("crates/bells/src/a.rs", 0), ("docs/a.md", 1), ("crates/bells-2/a.rs", 1)]
        {
            assert_eq!(lines(path, "ding").len(), expected, "{path}");
        }
    }

    #[test]
    fn lists_that_cannot_be_read_are_refused() {
        for list in ["a phrase", "-> b", "a -> ", "  except a.md"] {
            assert!(parse(list).is_err(), "{list}");
        }
    }

    #[test]
    fn the_list_of_the_project_can_be_read() {
        assert!(!parse(include_str!("../phrases.txt")).unwrap().is_empty());
    }
}
