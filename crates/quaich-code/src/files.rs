//! Source files in folders, and their languages.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::language::{LANGUAGES, Language, by_path};
use crate::lexer::MOST_BYTES;

/// A source file.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its path.
    pub path: PathBuf,
    /// Its language.
    pub language: &'static Language,
}

impl Found {
    /// Returns an error about this file, with its name.
    pub fn name_error(&self, error: &impl std::fmt::Display) -> String {
        let (file, error) = (self.path.display().to_string(), error.to_string());
        if error.starts_with(&file) { error } else { format!("{file}: {error}") }
    }
}

/// Returns the given files and the source files below the given folders, in order of their paths for each folder. The
/// extension tells the language, unless one is given: then the given files have it, and in folders those with its extensions,
/// and with those of headers if it is C or C++. Links in folders are not followed.
///
/// # Errors
/// If a file or folder cannot be read, or if nothing tells the language of a given file.
pub fn find(paths: &[impl AsRef<Path>], language: Option<&'static Language>) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    for path in paths.iter().map(AsRef::as_ref) {
        if fs::metadata(path).map_err(|error| io_error(path, error))?.is_dir() {
            search(path, language, &mut found)?;
        } else {
            let language = language.or_else(|| by_path(path)).ok_or_else(|| unknown(path))?;
            found.push(Found { path: path.to_owned(), language });
        }
    }
    Ok(found)
}

fn search(folder: &Path, language: Option<&'static Language>, found: &mut Vec<Found>) -> Result<()> {
    let first = found.len();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| io_error(&folder, error))? {
            let entry = entry.map_err(|error| io_error(&folder, error))?;
            let kind = entry.file_type().map_err(|error| io_error(&folder, error))?;
            if kind.is_dir() {
                pending.push(entry.path());
            } else if kind.is_file()
                && let Some(language) = language_in_folder(&entry.path(), language)
            {
                found.push(Found { path: entry.path(), language });
            }
        }
    }
    found[first..].sort_by(|one, other| one.path.cmp(&other.path));
    Ok(())
}

/// Returns the language of a file in a folder, if it is one that is searched for.
fn language_in_folder(path: &Path, wanted: Option<&'static Language>) -> Option<&'static Language> {
    let Some(wanted) = wanted else { return by_path(path) };
    let is_header = wanted.macros && path.extension().is_some_and(|extension| extension == "h");
    let is_wanted = is_header || by_path(path).is_some_and(|language| language.name == wanted.name);
    is_wanted.then_some(wanted)
}

fn unknown(path: &Path) -> Error {
    let extensions: Vec<String> = LANGUAGES
        .iter()
        .map(|language| format!("{} (.{})", language.name, language.extensions.join(", .")))
        .collect();
    Error::UnknownExtension { file: path.display().to_string(), known: extensions.join(", ") }
}

fn io_error(path: &Path, source: io::Error) -> Error {
    quaich_treebank::Error::Io { file: path.display().to_string(), source }.into()
}

/// Reads a source file.
///
/// # Errors
/// If it cannot be read or is too large.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let mut source = Vec::new();
    let file = File::open(path).map_err(|error| io_error(path, error))?;
    let limit = MOST_BYTES as u64 + 1;
    file.take(limit).read_to_end(&mut source).map_err(|error| io_error(path, error))?;
    if source.len() > MOST_BYTES {
        return Err(Error::TooLarge { found: source.len(), unit: "bytes", limit: MOST_BYTES });
    }
    Ok(source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::by_name;

    #[test]
    fn files_are_found_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("b")).unwrap();
        for name in ["b/z.py", "b/a.h", "a.rs", "c.txt", "d.py", "e.cpp"] {
            fs::write(at(name), "x").unwrap();
        }
        let names = |paths: &[PathBuf], language| {
            let found = find(paths, language).unwrap();
            let show = |found: &Found| {
                format!(
                    "{}:{}",
                    found.path.strip_prefix(folder.path()).unwrap().display(),
                    found.language.name
                )
            };
            found.iter().map(show).collect::<Vec<_>>().join(" ")
        };
        let all = [folder.path().to_owned()];
        assert_eq!(names(&all, None), "a.rs:rust b/a.h:c b/z.py:python d.py:python e.cpp:cpp");
        assert_eq!(names(&all, Some(by_name("cpp").unwrap())), "b/a.h:cpp e.cpp:cpp");
        assert_eq!(names(&[at("d.py"), at("b")], None), "d.py:python b/a.h:c b/z.py:python");
        assert_eq!(names(&[at("c.txt")], Some(by_name("c").unwrap())), "c.txt:c");
        let error = find(&[at("c.txt")], None).unwrap_err().to_string();
        assert!(error.ends_with("c.txt: the extension tells no language; known: java (.java), c (.c, .h), cpp (.cpp, .cc, .cxx, .c++, .hpp, .hh, .hxx, .h++, .ipp, .tcc), python (.py, .pyi), rust (.rs)"), "{error}");
        assert!(find(&[at("none.py")], None).is_err());
    }
}
