//! Writing a sentence back with other cells: its text is copied, and only they are new.

use super::Sentence;
use crate::layout::Role;
use crate::symbols::Label;
use crate::tree::{Node, Tree};

impl Sentence {
    /// Appends the text to `out` with the heads and labels of a tree of as many tokens; `text_of` spells a label.
    pub fn write_tree<'l>(&self, tree: &Tree, text_of: impl Fn(Label) -> &'l str, out: &mut Vec<u8>) {
        let position = |role: Role| self.layout().position(role);
        let (heads, labels) = (position(Role::Head), position(Role::Label));
        let mut columns: Vec<usize> = heads.into_iter().chain(labels).collect();
        columns.sort_unstable();
        self.write_replacing(out, &columns, |token, column, out| {
            let (head, label) = (tree.head(token), tree.label(token));
            match Some(column) == heads {
                true if head.is_some() => out.extend_from_slice(head.to_string().as_bytes()),
                false if !label.is_none() => out.extend_from_slice(text_of(label).as_bytes()),
                _ => out.push(b'_'),
            }
        });
    }

    /// Appends the text to `out` with some cells replaced. `columns` are the columns to replace, in ascending order;
    /// `replace` appends the new cell of a token and column. A row that ends before such a column is padded with `_`.
    pub fn write_replacing(
        &self,
        out: &mut Vec<u8>,
        columns: &[usize],
        mut replace: impl FnMut(Node, usize, &mut Vec<u8>),
    ) {
        let text = self.text.as_bytes();
        let mut copied = 0;
        for token in self.tokens() {
            let row = self.row(token);
            for &column in columns {
                let (start, next) = (row[column] as usize, row[column + 1] as usize);
                if start < next {
                    out.extend_from_slice(&text[copied..start]);
                    copied = next - 1;
                } else {
                    // The earlier cells that the row does not have either, except those just written.
                    let end = start - 1;
                    if copied < end {
                        out.extend_from_slice(&text[copied..end]);
                        copied = end;
                    }
                    let written = columns.iter().rev().find(|&&c| c < column && row[c] >= row[c + 1]);
                    let present = row.windows(2).take_while(|pair| pair[0] < pair[1]).count();
                    for _ in written.map_or(present, |&c| c + 1)..column {
                        out.extend_from_slice(&[self.layout.separator, b'_']);
                    }
                    out.push(self.layout.separator);
                }
                replace(token, column, out);
            }
        }
        out.extend_from_slice(&text[copied..]);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::sentence::tests::{read, rows};

    #[test]
    fn replacing_keeps_everything_else() {
        let text = "# c\n".to_owned() + &rows(&["1 a 2 x", "2 b 0 root"]);
        let (sentence, _) = read(&text);
        let mut out = Vec::new();
        sentence.write_replacing(&mut out, &[6, 7], |token, column, out| {
            out.extend_from_slice(format!("<{token}.{column}>").as_bytes());
        });
        let expected = text.replace("2\tx", "<1.6>\t<1.7>").replace("0\troot", "<2.6>\t<2.7>");
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn short_rows_are_filled_up() {
        let layout = Arc::new(crate::formats::conllx::layout());
        let mut sentence = Sentence::empty(Arc::clone(&layout));
        let mut problems = Vec::new();
        sentence.read_block(&layout, b"1\ta\t_\tN\tN\t_\n2\tb\t_\tN\tN\t_\r\n", 1, &mut problems);
        assert_eq!(problems, []);
        assert_eq!(sentence.label(Node(1)), "_");
        let mut out = Vec::new();
        sentence.write_replacing(&mut out, &[6, 7, 9], |_, column, out| {
            out.extend_from_slice(column.to_string().as_bytes());
        });
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "1\ta\t_\tN\tN\t_\t6\t7\t_\t9\n2\tb\t_\tN\tN\t_\t6\t7\t_\t9\r\n"
        );
    }
}
