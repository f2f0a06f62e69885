//! Converts sentences between formats.

use std::borrow::Cow;

use crate::layout::{Layout, Role};
use crate::sentence::{Line, Sentence};

/// What a conversion lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lost {
    /// Comments.
    pub comments: u64,
    /// Multiword ranges and empty nodes.
    pub extra_rows: u64,
    /// Cells with a value in a column that the target format does not have.
    pub cells: u64,
    /// Values that were changed: they contain something that would end a cell or a row of the target format, or turn
    /// the row into a comment.
    pub changed: u64,
}

/// Writes sentences in one format.
#[derive(Debug)]
pub struct Converter {
    target: Layout,
    lost: Lost,
    /// Whether a sentence has been written.
    begun: bool,
}

impl Converter {
    /// Creates a converter to `target`.
    pub fn new(target: Layout) -> Self {
        Self { target, lost: Lost::default(), begun: false }
    }

    /// Returns what has been lost so far.
    pub fn lost(&self) -> Lost {
        self.lost
    }

    /// Appends the sentence to `out`: as it was read if it already has the format, otherwise column by column. A tag
    /// column that the source does not have is filled from its other tag column.
    ///
    /// If files name their columns, the output has the columns of the first sentence. If naming them is optional, a
    /// line that names them is kept where it is still true.
    pub fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.begun, true) && self.target.declared {
            if sentence.layout().declared {
                self.target = (**sentence.layout()).clone();
            } else {
                out.extend_from_slice(self.target.header().unwrap_or_default().as_bytes());
            }
        }
        if **sentence.layout() == self.target {
            out.extend_from_slice(sentence.text().as_bytes());
            return;
        }
        if sentence.n_tokens() == 0 {
            self.lost.comments +=
                sentence.lines().filter(|line| matches!(line, Line::Comment(_))).count() as u64;
            return;
        }
        let source = sentence.layout();
        let columns = self.correspondence(source);
        let dropped: Vec<usize> = (0..source.columns().len())
            .filter(|column| !columns.contains(&Some(*column)) && source.columns()[*column].role != Role::Id)
            .collect();
        for line in sentence.lines() {
            match line {
                Line::Blank => {}
                Line::Comment(comment) if self.is_outdated(comment) => {}
                Line::Comment(comment) if self.target.comments => {
                    out.extend_from_slice(comment.trim_start_matches('\u{feff}').as_bytes());
                    out.push(b'\n');
                }
                Line::Comment(_) => self.lost.comments += 1,
                Line::Extra(row) if self.target.ranges => {
                    let cells: Vec<&str> = row.split(char::from(source.separator)).collect();
                    let cell = |column: Option<usize>| column.and_then(|c| cells.get(c)).copied();
                    self.write_row(out, |i, _| cell(columns[i]).unwrap_or("_").into());
                }
                Line::Extra(_) => self.lost.extra_rows += 1,
                Line::Token(token) => {
                    self.lost.cells += sentence.n_extra_cells(token) as u64;
                    self.lost.cells +=
                        dropped.iter().filter(|&&column| sentence.cell(token, column) != "_").count() as u64;
                    self.write_row(out, |i, role| match columns[i] {
                        Some(column) => sentence.cell(token, column).into(),
                        None if role == Role::Id => token.to_string().into(),
                        None => "_".into(),
                    });
                }
            }
        }
        out.push(b'\n');
    }

    /// Whether a comment names columns that differ from those of the output, or that were named at its start.
    fn is_outdated(&self, comment: &str) -> bool {
        let names = Layout::declared_columns(comment);
        names.is_some_and(|names| self.target.declared || !self.target.has_columns(names))
    }

    fn write_row<'a>(&mut self, out: &mut Vec<u8>, cell: impl Fn(usize, Role) -> Cow<'a, str>) {
        let n_columns = self.target.columns().len();
        for (i, column) in self.target.columns().iter().enumerate() {
            if i > 0 {
                out.push(self.target.separator);
            }
            let cell = cell(i, column.role);
            let fitting = fit(&cell, &self.target, i, n_columns);
            self.lost.changed += u64::from(fitting != cell);
            out.extend_from_slice(fitting.as_bytes());
        }
        out.push(b'\n');
    }

    /// Returns the source column of every target column: by role, and for other columns by name.
    fn correspondence(&self, source: &Layout) -> Vec<Option<usize>> {
        let other_tag = |role| match role {
            Role::CoarseTag => source.position(Role::FineTag),
            Role::FineTag => source.position(Role::CoarseTag),
            _ => None,
        };
        self.target
            .columns()
            .iter()
            .map(|column| match column.role {
                Role::Other => {
                    source.columns().iter().position(|c| c.role == Role::Other && c.name == column.name)
                }
                role => source.position(role).or_else(|| other_tag(role)),
            })
            .collect()
    }
}

/// Returns a value that is valid in a column of a format: it does not end the cell or the row, and does not turn the
/// row into a comment.
fn fit<'a>(value: &'a str, target: &Layout, column: usize, n_columns: usize) -> Cow<'a, str> {
    let separator = char::from(target.separator);
    let comment = column == 0 && target.comments && value.starts_with('#');
    let end_of_line = column + 1 == n_columns && value.ends_with('\r');
    let mut fitting = Cow::Borrowed(value);
    if value.contains(separator) || end_of_line {
        fitting = Cow::Owned(value.replace([separator, '\r'], "_"));
    }
    if comment {
        fitting = Cow::Owned(format!("_{fitting}"));
    }
    if fitting.is_empty() { Cow::Borrowed("_") } else { fitting }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::formats::by_name;

    fn check(from: &str, text: &str, to: &str, expected: &str, lost: Lost) {
        let layout = Arc::new(by_name(from).unwrap().layout());
        let mut sentence = Sentence::empty(Arc::clone(&layout));
        let mut problems = Vec::new();
        sentence.read_block(&layout, text.as_bytes(), 1, &mut problems);
        assert_eq!(problems, []);
        let mut converter = Converter::new(by_name(to).unwrap().layout());
        let mut out = Vec::new();
        converter.write(&sentence, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        assert_eq!(converter.lost(), lost);
    }

    #[test]
    fn columns_go_where_their_roles_are() {
        let conllu = "# c\n1-2\tim\t_\t_\t_\t_\t_\t_\t_\t_\n1\tin\tin\tADP\tAPPR\t_\t0\troot\t0:root\tA=b\n2\tdem\tder\tDET\tART\t_\t1\tdet\t_\t_\n\n";
        check("conllu", conllu, "conllu", conllu, Lost::default());
        check(
            "conllu",
            conllu,
            "conllx",
            "1\tin\tin\tADP\tAPPR\t_\t0\troot\t_\t_\n2\tdem\tder\tDET\tART\t_\t1\tdet\t_\t_\n\n",
            Lost { comments: 1, extra_rows: 1, cells: 2, changed: 0 },
        );
        check(
            "conllu",
            conllu,
            "malttab",
            "in\tAPPR\t0\troot\ndem\tART\t1\tdet\n\n",
            Lost { comments: 1, extra_rows: 1, cells: 6, changed: 0 },
        );
        check(
            "conllu",
            "1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n",
            "conllup",
            "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC\n1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n\n",
            Lost::default(),
        );
        let header = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC\n";
        let named = format!("{header}# c\n1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n\n");
        for (from, to) in
            [("conllu", "conllu"), ("conllu", "conllup"), ("conllup", "conllu"), ("conllup", "conllup")]
        {
            check(from, &named, to, &named, Lost::default());
        }
        check(
            "conll09",
            "1\ta\ta\ta\tN\tN\t_\t_\t0\t0\tROOT\tROOT\tY\ta.01\tA0\t_\tA1\n",
            "malttab",
            "a\tN\t0\tROOT\n\n",
            Lost { cells: 9, ..Lost::default() },
        );
        check("malttab", "#\tX\t0\troot\n", "conllu", "1\t#\t_\tX\tX\t_\t0\troot\t_\t_\n\n", Lost::default());
    }
    /// Converts a sentence between two custom formats; returns its text and the number of changed values.
    fn described(from: &str, text: &str, to: &str) -> (String, u64) {
        let layout =
            |text: &str| crate::formats::custom::parse(&format!("name = \"x\"\n{text}"), "f").unwrap();
        let source = Arc::new(layout(from));
        let mut sentence = Sentence::empty(Arc::clone(&source));
        sentence.read_block(&source, text.as_bytes(), 1, &mut Vec::new());
        let mut converter = Converter::new(layout(to));
        let mut out = Vec::new();
        converter.write(&sentence, &mut out);
        (String::from_utf8(out).unwrap(), converter.lost().changed)
    }

    #[test]
    fn values_that_a_format_cannot_hold_are_changed_and_counted() {
        let columns = "columns = [\"form\", \"tag\"]\n";
        let (tabs, spaces) = (columns.to_owned(), columns.to_owned() + "separator = \"space\"");
        let comments = columns.to_owned() + "comments = true";
        assert_eq!(described(&tabs, "a b\tX\nc\tY Z\n", &spaces), ("a_b X\nc Y_Z\n\n".to_owned(), 2));
        assert_eq!(described(&spaces, "a\tb X\n", &tabs), ("a_b\tX\n\n".to_owned(), 1));
        assert_eq!(described(&tabs, "#\tX\na\tX\n", &comments), ("_#\tX\na\tX\n\n".to_owned(), 1));
    }
}
