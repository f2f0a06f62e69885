//! Replaces labels according to a map file, to merge labels that a parser does not have to distinguish or to rename
//! others.
//!
//! A line has a label and its replacement, separated by white space; `#` begins a comment line. The inverse uses the
//! first line that has the new label. So if several labels are merged, the first of them is restored; if a label of the
//! treebank also replaces others and should be restored as itself, its own line (`nmod nmod`) comes first.

use std::collections::BTreeMap;

use quaich_treebank::shape::IllFormed;
use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Sentence, Tree, counted};

use crate::entry::{Chosen, Entry, FileUse};
use crate::error::{Error, Result};
use crate::label_map::LabelMap;
use crate::scratch::Scratch;
use crate::transform::{Inverse, Transform};

pub(crate) const ENTRY: Entry = Entry {
    name: "relabel",
    help: "replaces labels according to a map file with lines of a label and its replacement",
    losses: "merged labels: the first of them is restored",
    choices: &[],
    file: Some(FileUse { what: "a map of labels", required: true }),
    build: |chosen| Ok(Box::new(Relabel::new(chosen)?)),
};

/// The map in both directions.
#[derive(Clone, Debug)]
pub(crate) struct Relabel {
    there: BTreeMap<String, String>,
    back: BTreeMap<String, String>,
}

impl Relabel {
    fn new(chosen: &Chosen<'_>) -> Result<Self> {
        let Some(file) = chosen.file() else {
            return Err(Error::NoFile { transform: ENTRY.name, what: "a map of labels" });
        };
        let mut map = Self { there: BTreeMap::new(), back: BTreeMap::new() };
        for (number, line) in (1..).zip(file.text.lines()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                [] => {}
                [first, ..] if first.starts_with('#') => {}
                [from, to] => {
                    if map.there.insert(from.to_owned(), to.to_owned()).is_some() {
                        return Err(wrong(
                            &file.name,
                            number,
                            &format!("found `{from}` a second time, expected it once"),
                        ));
                    }
                    map.back.entry(to.to_owned()).or_insert_with(|| from.to_owned());
                }
                _ => {
                    let found = counted(words.len(), "word");
                    let message = format!("found {found}, expected a label and its replacement");
                    return Err(wrong(&file.name, number, &message));
                }
            }
        }
        Ok(map)
    }
}

fn wrong(file: &str, line: usize, message: &str) -> Error {
    Error::File { file: file.to_owned(), message: format!("line {line}: {message}") }
}

impl Transform for Relabel {
    fn apply(
        &self,
        _sentence: &Sentence,
        tree: &mut Tree,
        labels: &mut Symbols<Label>,
        scratch: &mut Scratch,
    ) -> std::result::Result<(), IllFormed> {
        scratch.shapes.read(tree)?;
        for token in tree.tokens() {
            let label = tree.label(token);
            if !label.is_none()
                && let Some(to) = self.there.get(labels.text(label))
            {
                tree.set(token, tree.head(token), labels.intern(to));
            }
        }
        Ok(())
    }

    fn inverse(&self, labels: &mut Symbols<Label>) -> Box<dyn Inverse> {
        let back = self.back.clone();
        Box::new(LabelMap::new(labels, move |text: &str| back.get(text).cloned()))
    }
}
