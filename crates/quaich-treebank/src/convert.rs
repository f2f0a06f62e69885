//! A sentence in one format → its text in another.

use crate::layout::{Layout, Role};
use crate::sentence::{Line, Sentence};

/// What a conversion could not carry over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lost {
    /// Comments.
    pub comments: u64,
    /// Multiword ranges and empty nodes.
    pub extra_rows: u64,
    /// Cells with a value in a column that the other format does not have.
    pub cells: u64,
}

/// Writes sentences in one format.
#[derive(Debug)]
pub struct Converter {
    target: Layout,
    lost: Lost,
}

impl Converter {
    /// A converter to `target`.
    pub fn new(target: Layout) -> Self {
        Self { target, lost: Lost::default() }
    }

    /// What was lost so far.
    pub fn lost(&self) -> Lost {
        self.lost
    }

    /// Appends the sentence to `out`: as it was read where it already has the format, otherwise
    /// column by column. A tag column that the source lacks is filled from its other tag column.
    pub fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>) {
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
                Line::Comment(comment) if self.target.comments => {
                    out.extend_from_slice(comment.trim_start_matches('\u{feff}').as_bytes());
                    out.push(b'\n');
                }
                Line::Comment(_) => self.lost.comments += 1,
                Line::Extra(row) if self.target.ranges => {
                    let cells: Vec<&str> = row.split(char::from(source.separator)).collect();
                    let cell = |column: Option<usize>| column.and_then(|c| cells.get(c)).copied();
                    self.write_row(out, |i, _| cell(columns[i]).unwrap_or("_").to_owned());
                }
                Line::Extra(_) => self.lost.extra_rows += 1,
                Line::Token(token) => {
                    self.lost.cells +=
                        dropped.iter().filter(|&&column| sentence.cell(token, column) != "_").count() as u64;
                    self.write_row(out, |i, role| match columns[i] {
                        Some(column) => sentence.cell(token, column).to_owned(),
                        None if role == Role::Id => token.to_string(),
                        None => "_".to_owned(),
                    });
                }
            }
        }
        out.push(b'\n');
    }

    fn write_row(&self, out: &mut Vec<u8>, cell: impl Fn(usize, Role) -> String) {
        for (i, column) in self.target.columns().iter().enumerate() {
            if i > 0 {
                out.push(self.target.separator);
            }
            let mut cell = cell(i, column.role);
            if self.target.separator == b' ' {
                // A space inside a cell would end it.
                cell = cell.replace(' ', "_");
            }
            out.extend_from_slice(cell.as_bytes());
        }
        out.push(b'\n');
    }

    /// The source column for every target column: by role, and for other columns by name.
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
            Lost { comments: 1, extra_rows: 1, cells: 2 },
        );
        check(
            "conllu",
            conllu,
            "malttab",
            "in\tAPPR\t0\troot\ndem\tART\t1\tdet\n\n",
            Lost { comments: 1, extra_rows: 1, cells: 6 },
        );
        check("malttab", "#\tX\t0\troot\n", "conllu", "1\t#\t_\tX\tX\t_\t0\troot\t_\t_\n\n", Lost::default());
    }
}
