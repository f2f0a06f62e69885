//! Specifications such as `pseudo-projective:head+path, verb-groups, coordination:c+*`: names of transformations with
//! their options, in the order of application.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use quaich_treebank::{UnknownName, side_file};

use crate::TRANSFORMS;
use crate::chain::Chain;
use crate::entry::{Chosen, Entry, NamedText};
use crate::error::{Error, Result};
use crate::transform::Transform;

/// The most transformations of a chain.
const MAX_LINKS: usize = 16;

/// Transformations with their options, as written. Files are named, not read.
#[derive(Clone, Debug)]
pub struct Specification {
    links: Vec<Link>,
}

#[derive(Clone, Debug)]
struct Link {
    entry: &'static Entry,
    /// Indices of option and value, in the order of the options.
    words: Vec<(usize, usize)>,
    file: Option<String>,
}

impl Specification {
    /// Iterates over the named files.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.links.iter().filter_map(|link| link.file.as_deref()).map(Path::new)
    }

    /// Reads the named files.
    pub fn read_files(&self) -> Result<Vec<NamedText>> {
        let mut files: Vec<NamedText> = Vec::new();
        for path in self.links.iter().filter_map(|link| link.file.as_deref()) {
            let text = side_file::read(path)?;
            let name = file_name(path).to_owned();
            match files.iter().find(|file| file.name == name) {
                None => files.push(NamedText { name, text }),
                Some(file) if file.text == text => {}
                Some(_) => {
                    let message = "found another file with this name and different text".to_owned();
                    return Err(Error::File { file: path.to_owned(), message });
                }
            }
        }
        Ok(files)
    }

    /// Creates the transformation, given the texts of the named files.
    pub fn build(&self, files: &[NamedText]) -> Result<Box<dyn Transform>> {
        let link = |link: &Link| {
            let named = |path: &String| {
                let name = file_name(path);
                files.iter().find(|file| file.name == name).ok_or_else(|| Error::File {
                    file: path.clone(),
                    message: "the text of this file is missing".to_owned(),
                })
            };
            let file = link.file.as_ref().map(named).transpose()?;
            (link.entry.build)(&Chosen { words: &link.words, file })
        };
        match &self.links[..] {
            [one] => link(one),
            all => Ok(Box::new(Chain::new(all.iter().map(link).collect::<Result<_>>()?))),
        }
    }

    /// Returns the same with file names without folders, as stored in a model.
    #[must_use]
    pub fn without_folders(mut self) -> Self {
        for link in &mut self.links {
            link.file = link.file.as_deref().map(|path| file_name(path).to_owned());
        }
        self
    }
}

impl FromStr for Specification {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let n_links = text.split(',').count();
        if n_links > MAX_LINKS {
            return Err(Error::TooMany { found: n_links, expected: MAX_LINKS });
        }
        let links = text.split(',').map(|link| Link::parse(link.trim())).collect::<Result<_>>()?;
        Ok(Self { links })
    }
}

impl fmt::Display for Specification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, link) in self.links.iter().enumerate() {
            f.write_str(if at > 0 { "," } else { "" })?;
            write!(f, "{link}")?;
        }
        Ok(())
    }
}

impl Link {
    fn parse(text: &str) -> Result<Self> {
        let mut parts = text.split(':').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let known = || TRANSFORMS.iter().map(|entry| entry.name);
        let entry = TRANSFORMS.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| UnknownName::new("transformation", name, known()))?;
        let mut link = Self { entry, words: Vec::new(), file: None };
        for part in parts {
            match link.find(part) {
                Some((choice, words)) => {
                    if link.words.iter().any(|&(of, _)| of == choice) {
                        return Err(Error::Twice { option: part.to_owned(), transform: entry.name });
                    }
                    link.words.extend(words.into_iter().map(|word| (choice, word)));
                }
                None if link.can_be_file(part) => link.file = Some(part.to_owned()),
                None => {
                    let words = entry.choices.iter().flat_map(|choice| choice.words);
                    return Err(UnknownName::new("variant", part, words.map(|word| word.name)).into());
                }
            }
        }
        if let Some(file) = &entry.file
            && file.required
            && link.file.is_none()
        {
            return Err(Error::NoFile { transform: entry.name, what: file.what });
        }
        link.words.sort_unstable();
        Ok(link)
    }

    /// Whether a part that is not a known value is a file name. If the transformation has options, a full stop or a
    /// slash distinguishes it from a misspelt value.
    fn can_be_file(&self, part: &str) -> bool {
        let has_words = !self.entry.choices.is_empty();
        self.entry.file.is_some() && self.file.is_none() && (!has_words || part.contains(['.', '/']))
    }

    /// Returns the option that a value, or several joined with `+`, belongs to.
    fn find(&self, part: &str) -> Option<(usize, Vec<usize>)> {
        self.entry.choices.iter().enumerate().find_map(|(number, choice)| {
            let word = |name: &str| choice.words.iter().position(|word| word.name == name);
            let words = match word(part) {
                Some(word) => Some(vec![word]),
                None if choice.several => part.split('+').map(word).collect(),
                None => None,
            };
            let mut words = words?;
            words.sort_unstable();
            words.dedup();
            Some((number, words))
        })
    }
}

impl fmt::Display for Link {
    /// The first option is always written, others only if they are not the default.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)?;
        for (number, choice) in self.entry.choices.iter().enumerate() {
            let mut given: Vec<usize> =
                self.words.iter().filter(|&&(of, _)| of == number).map(|&(_, word)| word).collect();
            if given.is_empty() && number == 0 {
                given.push(0);
            }
            if given == [0] && number > 0 {
                given.clear();
            }
            for (at, &word) in given.iter().enumerate() {
                write!(f, "{}{}", if at == 0 { ":" } else { "+" }, choice.words[word].name)?;
            }
        }
        match &self.file {
            Some(file) => write!(f, ":{file}"),
            None => Ok(()),
        }
    }
}

/// Returns the name of a file without its folders.
fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}
