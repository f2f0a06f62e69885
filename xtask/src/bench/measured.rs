//! Figures by treebank, by whose they are and by what they tell, as they are kept in a file of the project.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Place, record};

/// Something that was measured on a treebank.
#[derive(Clone)]
struct Figure {
    treebank: String,
    /// Whose: `the default`, `parser 1`, `blend`.
    whose: String,
    /// What: `LAS`, `UAS`, `p`, `cost`.
    what: String,
    value: f64,
}

/// The beginnings of the names of figures that are lists of any length.
const LISTS: [&str; 2] = ["confusion ", SETTINGS];
/// Whose the figures are that are settings.
const SETTINGS: &str = "settings";

/// All that was measured.
#[derive(Default)]
pub(super) struct Measured(Vec<Figure>);

impl Measured {
    /// Reads what [`write`](Self::write) wrote.
    fn read(text: &str) -> io::Result<Self> {
        let line = |line: &str| {
            let mut cells = line.split('\t').map(str::to_owned);
            let (treebank, whose, what) = (cells.next()?, cells.next()?, cells.next()?);
            Some(Figure { treebank, whose, what, value: cells.next()?.parse().ok()? })
        };
        let all: Option<Vec<Figure>> = text.lines().skip(1).map(line).collect();
        all.map(Self).ok_or_else(|| io::Error::other("the record has a line that is not a measurement"))
    }

    /// One line per figure.
    fn write(&self) -> String {
        let mut text = String::from("treebank\twhose\twhat\tvalue\n");
        for Figure { treebank, whose, what, value } in &self.0 {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{treebank}\t{whose}\t{what}\t{value:.4}");
        }
        text
    }

    /// Adds a figure.
    pub(super) fn push(&mut self, treebank: &str, whose: &str, what: &str, value: f64) {
        let (treebank, whose, what) = (treebank.to_owned(), whose.to_owned(), what.to_owned());
        self.0.push(Figure { treebank, whose, what, value });
    }

    /// Adds the settings of trainings, `NAME=VALUE`.
    pub(super) fn push_settings(&mut self, treebank: &str, settings: &[&str]) -> io::Result<()> {
        for setting in settings {
            let number = setting.split_once('=').and_then(|(name, value)| Some((name, value.parse().ok()?)));
            let (name, value) =
                number.ok_or_else(|| io::Error::other(format!("found `{setting}`, expected NAME=NUMBER")))?;
            self.push(treebank, SETTINGS, name, value);
        }
        Ok(())
    }

    /// A paragraph that says which settings are not the default ones; nothing if all are.
    pub(super) fn settings(&self, treebank: &str) -> String {
        let all = self.starting(treebank, SETTINGS).map(|(_, name, value)| format!("`{name}={value}`"));
        match &all.collect::<Vec<_>>()[..] {
            [] => String::new(),
            all => format!("Not the default settings, but {}.\n\n", all.join(", ")),
        }
    }

    /// Puts new figures in the place of old ones of the same.
    fn renew(&mut self, new: Self) {
        let lists = LISTS.iter().filter(|list| new.0.iter().any(|figure| figure.whose.starts_with(**list)));
        let lists: Vec<&str> = lists.copied().collect();
        self.0.retain(|old| {
            // A list is renewed as a whole.
            let is_listed = lists.iter().any(|list| old.whose.starts_with(list));
            !(is_listed && new.0.iter().any(|figure| figure.treebank == old.treebank))
        });
        self.0.retain(|old| new.find(&old.treebank, &old.whose, &old.what).is_none());
        self.0.extend(new.0);
    }

    /// A figure, if it was measured.
    pub(super) fn find(&self, treebank: &str, whose: &str, what: &str) -> Option<f64> {
        let is_it =
            |figure: &&Figure| figure.treebank == treebank && figure.whose == whose && figure.what == what;
        self.0.iter().find(is_it).map(|figure| figure.value)
    }

    /// The figures of a treebank whose names start with this, in the order they were measured in: the rest of the name, what, value.
    pub(super) fn starting<'m>(
        &'m self,
        treebank: &'m str,
        start: &'m str,
    ) -> impl Iterator<Item = (&'m str, &'m str, f64)> {
        self.0.iter().filter(move |figure| figure.treebank == treebank).filter_map(move |figure| {
            let rest = figure.whose.strip_prefix(start)?;
            Some((rest, figure.what.as_str(), figure.value))
        })
    }

    /// The treebanks, in the order they were measured in.
    pub(super) fn treebanks(&self) -> Vec<&str> {
        let mut treebanks = Vec::new();
        for figure in &self.0 {
            if !treebanks.contains(&figure.treebank.as_str()) {
                treebanks.push(&figure.treebank);
            }
        }
        treebanks
    }
}

/// A page of the manual that is made from what was measured, a treebank at a time.
pub(super) struct Page {
    /// Where it is.
    pub(super) file: &'static str,
    /// Where figures are kept.
    pub(super) record: &'static str,
    /// Computes the text from the figures.
    pub(super) text: Made,
    /// An accompanying picture: its path and its content.
    pub(super) picture: Option<(&'static str, Made)>,
}

/// What is made of all that was measured.
type Made = fn(&Measured) -> String;

impl Page {
    /// Measures some treebanks, which are given by their names and folders, and writes the page.
    pub(super) fn renew(
        &self,
        place: &Place,
        treebanks: &[&str],
        measure: impl Fn(&str, &Path) -> io::Result<Measured>,
    ) -> io::Result<String> {
        let found = treebanks.iter().map(|treebank| {
            let folder = record::treebanks()?.join(treebank).canonicalize()?;
            Ok((*treebank, folder))
        });
        self.renew_from(place, &found.collect::<io::Result<Vec<_>>>()?, measure)
    }

    /// The same for folders anywhere.
    pub(super) fn renew_from(
        &self,
        place: &Place,
        treebanks: &[(&str, PathBuf)],
        measure: impl Fn(&str, &Path) -> io::Result<Measured>,
    ) -> io::Result<String> {
        let record = place.root.join(self.record);
        for (treebank, folder) in treebanks {
            let new = measure(treebank, folder)?;
            // Read only now: another treebank may have been measured beside this one.
            let mut all = record::load(&record, Measured::read)?;
            all.renew(new);
            record::save(&record, &all.write())?;
        }
        let all = record::load(&record, Measured::read)?;
        if all.0.is_empty() {
            return Err(io::Error::other("nothing was measured yet, expected names of treebanks"));
        }
        let text = (self.text)(&all);
        fs::write(place.root.join(self.file), &text)?;
        if let Some((file, draw)) = self.picture {
            fs::write(place.root.join(file), draw(&all))?;
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::Measured;

    #[test]
    fn what_was_written_is_read_and_renewed() {
        let mut all = Measured::default();
        all.push("a", "blend", "LAS", 80.25);
        all.push("b", "blend", "LAS", 70.0);
        all.push("a", "parser 1", "LAS", 79.0);
        let mut all = Measured::read(&all.write()).unwrap();
        let mut new = Measured::default();
        new.push("a", "blend", "LAS", 81.5);
        all.renew(new);
        assert_eq!(all.treebanks(), ["b", "a"]);
        assert_eq!(all.find("a", "blend", "LAS"), Some(81.5));
        assert_eq!(all.find("a", "parser 1", "LAS"), Some(79.0));
        assert_eq!(all.find("a", "blend", "UAS"), None);
        assert_eq!(all.settings("a"), "");
        all.push_settings("a", &["text.effort=0.15", "encoder.units=128"]).unwrap();
        let expected = "Not the default settings, but `text.effort=0.15`, `encoder.units=128`.\n\n";
        assert_eq!(all.settings("a"), expected);
        assert!(all.push_settings("a", &["learner=linear"]).is_err());
        assert!(Measured::read("heading\nno figure\n").is_err());
    }
}
