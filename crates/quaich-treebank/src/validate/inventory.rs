//! The labels, tags and features of a treebank, to compare files: a parser cannot learn those that occur only in the
//! test file.

use super::{Tally, aggregate, times};
use crate::error::Problem;
use crate::layout::Role;
use crate::sentence::Sentence;
use crate::symbols::{Symbols, Tag};

/// The kinds of names that are compared: role, problem code, and name in messages.
const KINDS: [(Role, &str, &str); 4] = [
    (Role::Label, "unseen-label", "label"),
    (Role::CoarseTag, "unseen-tag", "coarse tag"),
    (Role::FineTag, "unseen-tag", "fine tag"),
    (Role::Feats, "unseen-feature", "feature"),
];

/// All labels, tags and features of a file, with their counts and first places.
#[derive(Debug, Default)]
pub struct Inventory {
    kinds: [Names; KINDS.len()],
}

#[derive(Debug, Default)]
struct Names {
    names: Symbols<Tag>,
    tallies: Vec<Tally>,
}

impl Inventory {
    /// Counts the names of a sentence.
    pub fn add(&mut self, sentence: &Sentence) {
        for ((role, _, _), names) in KINDS.iter().zip(&mut self.kinds) {
            let Some(column) = sentence.layout().position(*role) else { continue };
            for token in sentence.tokens() {
                let place = || (sentence.line_of(token), sentence.column_of(token, column));
                match sentence.cell(token, column) {
                    "_" => {}
                    cell if *role == Role::Feats => {
                        for feature in cell.split('|') {
                            names.add(feature, place);
                        }
                    }
                    cell => names.add(cell, place),
                }
            }
        }
    }

    /// Warns about every name that occurs here but not in `train`, which was read from the file `train_file`. A kind
    /// without any names in `train` is skipped: its column is simply not filled in.
    pub fn compare(&self, train: &Self, train_file: &str, problems: &mut Vec<Problem>) {
        for (((_, code, what), here), there) in KINDS.iter().zip(&self.kinds).zip(&train.kinds) {
            if there.names.is_empty() {
                continue;
            }
            for (name, text) in here.names.iter().filter(|(_, text)| there.names.get(text).is_none()) {
                let tally = here.tallies[name.index()];
                problems.push(aggregate(
                    tally,
                    code,
                    format!(
                        "the {what} `{text}` occurs {} (first here) and never in {train_file}",
                        times(tally.count)
                    ),
                    format!("correct it if it is an error; a parser trained on {train_file} cannot learn it"),
                ));
            }
        }
    }
}

impl Names {
    fn add(&mut self, name: &str, place: impl FnOnce() -> super::Place) {
        let id = self.names.intern(name).index();
        if id == self.tallies.len() {
            self.tallies.push(Tally::default());
        }
        self.tallies[id].add(place);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::formats::conllx;

    fn inventory(rows: &str) -> Inventory {
        let layout = Arc::new(conllx::layout());
        let mut sentence = Sentence::empty(Arc::clone(&layout));
        sentence.read_block(&layout, rows.as_bytes(), 1, &mut Vec::new());
        let mut inventory = Inventory::default();
        inventory.add(&sentence);
        inventory
    }

    #[test]
    fn names_of_one_file_only_are_found() {
        let train = inventory("1\ta\t_\tN\t_\tx=1|y=2\t0\tROOT\t_\t_\n");
        let test = inventory(
            "1\ta\t_\tN\tNN\ty=2|z=3\t2\tsbj\t_\t_\n2\tb\t_\tV\tVV\t_\t0\tROOT\t_\t_\n3\tc\t_\tV\tVV\t_\t2\tsbj\t_\t_\n",
        );
        let mut problems = Vec::new();
        test.compare(&train, "train", &mut problems);
        let found: Vec<String> = problems.iter().map(|p| format!("{p} [{}]", p.code)).collect();
        assert_eq!(
            found,
            [
                "1:22: the label `sbj` occurs 2 times (first here) and never in train [unseen-label]",
                "2:7: the coarse tag `V` occurs 2 times (first here) and never in train [unseen-tag]",
                "1:12: the feature `z=3` occurs once (first here) and never in train [unseen-feature]",
            ]
        );
    }
}
