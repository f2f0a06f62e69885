//! A folder of source files, split as in the paper into files for training and for scoring.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Place;

/// A language: its name, the ends of the names of its files, and the variable with its folder.
pub(super) struct Language {
    pub(super) name: &'static str,
    extensions: &'static [&'static str],
    pub(super) variable: &'static str,
}

pub(super) static LANGUAGES: [Language; 5] = [
    Language { name: "java", extensions: &["java"], variable: "QUAICH_CODE_JAVA" },
    Language { name: "c", extensions: &["c", "h"], variable: "QUAICH_CODE_C" },
    Language {
        name: "cpp",
        extensions: &["h", "cpp", "cc", "cxx", "hpp", "hh", "hxx", "tcc"],
        variable: "QUAICH_CODE_CPP",
    },
    Language { name: "python", extensions: &["py"], variable: "QUAICH_CODE_PYTHON" },
    Language { name: "rust", extensions: &["rs"], variable: "QUAICH_CODE_RUST" },
];

/// The most files of a part; more are taken at equal distances.
const MOST_FILES: usize = 3000;

pub(super) struct Corpus {
    pub(super) language: String,
    /// Copies of the files to train on.
    pub(super) train: PathBuf,
    /// Copies of the files to score.
    pub(super) test: PathBuf,
}

impl Corpus {
    pub(super) fn read(place: &Place, language: &str, folder: &Path) -> io::Result<Self> {
        let extensions =
            LANGUAGES.iter().find(|known| known.name == language).map_or(&[][..], |l| l.extensions);
        let mut files = Vec::new();
        find(folder, extensions, &mut files)?;
        files.sort();
        if files.is_empty() {
            return Err(io::Error::other(format!("{}: found no files of {language}", folder.display())));
        }
        let part = |name: &str, is_in: &dyn Fn(usize) -> bool| -> io::Result<PathBuf> {
            let to = place.scratch.join(format!("{language}-{name}"));
            fs::create_dir_all(&to)?;
            let chosen: Vec<(usize, &PathBuf)> =
                files.iter().enumerate().filter(|(i, _)| is_in(i % 10)).collect();
            for (number, file) in chosen.iter().step_by(chosen.len().div_ceil(MOST_FILES).max(1)) {
                let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
                fs::copy(file, to.join(format!("{number:06}.{extension}")))?;
            }
            Ok(to)
        };
        Ok(Self {
            language: language.to_owned(),
            train: part("train", &|tenth| tenth != 9 && tenth != 0)?,
            test: part("test", &|tenth| tenth == 9)?,
        })
    }
}

/// Finds the files below a folder with these ends of names. Links are not followed. Files of C++ headers have no end in the standard
/// library; they are left out, because no extension tells their language.
fn find(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            find(&path, extensions, found)?;
        } else if kind.is_file()
            && path.extension().and_then(|end| end.to_str()).is_some_and(|end| extensions.contains(&end))
        {
            found.push(path);
        }
    }
    Ok(())
}
