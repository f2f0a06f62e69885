//! A sentence: the text of its block as read, and flat arrays of cell positions.
//!
//! Reading neither interns nor copies anything: a cell is a span of the text. Writing a sentence back copies its text;
//! writing it with another tree copies the text with two cells of every row replaced. Comments, multiword ranges, empty
//! nodes, unknown columns, line ends and blank lines survive because they are never parsed.
//!
//! This module has the accessors. `read.rs` parses a block, `write.rs` writes a sentence with other cells, `build.rs`
//! builds one from words, and `tree.rs` returns its tree.

mod build;
mod read;
mod tree;
mod write;

use std::sync::Arc;

use crate::blocks::is_blank;
use crate::layout::{Layout, Role};
use crate::tree::Node;

pub use build::SentenceBuilder;
pub use tree::Underscore;

/// A sentence of a treebank. Reading into the same value again reuses its memory.
///
/// ```
/// use quaich_treebank::{Node, Role, Treebank};
///
/// let rows = "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n";
/// let treebank = Treebank::from_text(rows)?;
/// let sentence = &treebank[0];
/// assert_eq!(sentence.heads()[1], Node(2));
/// let forms = sentence.layout().position(Role::Form).unwrap();
/// assert_eq!(sentence.cell(Node(1), forms), "Cats");
/// # Ok::<(), quaich_treebank::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sentence {
    layout: Arc<Layout>,
    /// The whole block: blank lines and comments before it, rows, the blank line after it.
    text: String,
    /// The number of the block's first line in its file.
    first_line: u64,
    /// The starts of cells, `columns + 1` entries per token: cell c of a row is `text[cells[c]..cells[c + 1] - 1]`. A
    /// cell that the row does not have starts after its end.
    cells: Vec<u32>,
    /// The number of lines of the block before the row of each token.
    lines_before: Vec<u32>,
    /// The heads as read, by node; `Node::NONE` for `_`.
    heads: Vec<Node>,
}

/// A line of a sentence, as returned by [`Sentence::lines`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line<'a> {
    /// A line of white space.
    Blank,
    /// A comment, with its `#`.
    Comment(&'a str),
    /// A multiword range or an empty node: the whole row.
    Extra(&'a str),
    /// The row of a token.
    Token(Node),
}

impl Sentence {
    /// Creates a sentence without tokens.
    pub fn empty(layout: Arc<Layout>) -> Self {
        Self {
            layout,
            text: String::new(),
            first_line: 1,
            cells: Vec::new(),
            lines_before: Vec::new(),
            heads: vec![Node::NONE],
        }
    }

    /// Returns the columns of the format in which the sentence was read.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Returns the number of tokens. It is 0 for the text after the last sentence of a file, which is returned as a
    /// sentence without tokens to be written back.
    pub fn n_tokens(&self) -> usize {
        self.heads.len() - 1
    }

    /// Iterates over the tokens 1 to n.
    pub fn tokens(&self) -> impl DoubleEndedIterator<Item = Node> + ExactSizeIterator + use<> {
        (1..self.heads.len()).map(Node::from_index)
    }

    /// Returns the text as read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of the first line of the block in its file, counted from 1.
    pub fn first_line(&self) -> u64 {
        self.first_line
    }

    /// Returns the heads as read, by node: `Node::NONE` for the root and for `_`. Each head is a node of the sentence,
    /// but the heads may not form a tree.
    pub fn heads(&self) -> &[Node] {
        &self.heads
    }

    /// Returns a cell by column number; `_` if the row has no such column.
    #[inline]
    pub fn cell(&self, token: Node, column: usize) -> &str {
        let row = self.row(token);
        let (start, next) = (row[column] as usize, row[column + 1] as usize);
        if start < next { &self.text[start..next - 1] } else { "_" }
    }

    /// Returns the cells of a row after the named columns; CoNLL 2009 has one per predicate.
    pub fn extra_cells(&self, token: Node) -> impl Iterator<Item = &str> {
        let row = self.row(token);
        let line = self.text[row[0] as usize..].split('\n').next().unwrap_or_default();
        let line = if self.layout.extra_columns { line.trim_end_matches('\r') } else { "" };
        line.split(char::from(self.layout.separator)).skip(row.len() - 1)
    }

    /// Returns the number of cells with a value after the named columns.
    pub(crate) fn n_extra_cells(&self, token: Node) -> usize {
        self.extra_cells(token).filter(|cell| *cell != "_").count()
    }

    /// Returns a cell by role; `_` if the format has no such column.
    #[inline]
    pub fn value(&self, token: Node, role: Role) -> &str {
        match self.layout.position(role) {
            Some(column) => self.cell(token, column),
            None => "_",
        }
    }

    /// Returns the word form.
    pub fn form(&self, token: Node) -> &str {
        self.value(token, Role::Form)
    }

    /// Returns the dependency label as written.
    pub fn label(&self, token: Node) -> &str {
        self.value(token, Role::Label)
    }

    /// Returns the line of a token in its file, counted from 1.
    pub fn line_of(&self, token: Node) -> u64 {
        self.first_line + u64::from(self.lines_before[token.index() - 1])
    }

    /// Returns the column, in characters from 1, where a cell of a token starts in its line.
    pub fn column_of(&self, token: Node, column: usize) -> usize {
        let row = self.row(token);
        let (line, cell) = (row[0] as usize, row[column] as usize);
        self.text[line..cell.min(self.text.len())].chars().count() + 1
    }

    /// Iterates over the lines in order, by kind.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let stride = self.layout.columns().len() + 1;
        let mut next = 1;
        let mut at = 0;
        self.text.split_inclusive('\n').map(move |line| {
            let start = at;
            at += line.len();
            let row = (next - 1) * stride;
            let content = line.strip_suffix('\n').unwrap_or(line);
            let content = content.strip_suffix('\r').unwrap_or(content);
            if self.cells.get(row).is_some_and(|&cell| (start..at).contains(&(cell as usize))) {
                next += 1;
                Line::Token(Node::from_index(next - 1))
            } else if is_blank(content.as_bytes()) {
                Line::Blank
            } else if self.layout.comments && content.trim_start_matches('\u{feff}').starts_with('#') {
                Line::Comment(content)
            } else {
                Line::Extra(content)
            }
        })
    }

    /// Returns the value of a comment of the form `# key = value`.
    pub fn comment(&self, key: &str) -> Option<&str> {
        self.lines().find_map(|line| match line {
            Line::Comment(text) => {
                let (name, value) = text.trim_start_matches(['#', '\u{feff}']).split_once('=')?;
                (name.trim() == key).then(|| value.trim())
            }
            _ => None,
        })
    }

    /// Returns the forms around a token, with the token in brackets, for error messages.
    pub fn in_brackets(&self, token: Node) -> String {
        const AROUND: usize = 6;
        let first = token.index().saturating_sub(AROUND).max(1);
        let last = (token.index() + AROUND).min(self.n_tokens());
        let mut shown = String::from(if first > 1 { "… " } else { "" });
        for index in first..=last {
            let node = Node::from_index(index);
            let (open, close) = if node == token { ("[", "]") } else { ("", "") };
            shown.extend([open, self.form(node), close, if index < last { " " } else { "" }]);
        }
        shown + if last < self.n_tokens() { " …" } else { "" }
    }

    /// Returns the forms with the token in brackets whose row is at a line of the file, if any.
    pub fn context_of(&self, line: u64) -> Option<String> {
        let before = u32::try_from(line.checked_sub(self.first_line)?).ok()?;
        let at = self.lines_before.binary_search(&before).ok()?;
        Some(self.in_brackets(Node::from_index(at + 1)))
    }

    /// Returns the part of `cells` for a token.
    #[inline]
    fn row(&self, token: Node) -> &[u32] {
        let stride = self.layout.columns().len() + 1;
        &self.cells[(token.index() - 1) * stride..][..stride]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::conllu;

    /// Reads a sentence in CoNLL-U; returns it and its problems.
    pub(super) fn read(text: &str) -> (Sentence, Vec<String>) {
        let layout = Arc::new(conllu::layout());
        let mut sentence = Sentence::empty(Arc::clone(&layout));
        let mut problems = Vec::new();
        sentence.read_block(&layout, text.as_bytes(), 1, &mut problems);
        (sentence, problems.iter().map(|p| format!("{p} [{}]", p.code)).collect())
    }

    /// Returns rows of ten columns from `id form head label`.
    pub(super) fn rows(short: &[&str]) -> String {
        let row = |row: &&str| {
            let cells: Vec<&str> = row.split(' ').collect();
            format!("{}\t{}\t_\t_\t_\t_\t{}\t{}\t_\t_\n", cells[0], cells[1], cells[2], cells[3])
        };
        short.iter().map(row).collect::<String>() + "\n"
    }

    #[test]
    fn tokens_are_found_by_their_lines() {
        let range = "2-3\tbc\t_\t_\t_\t_\t_\t_\t_\t_\n";
        let text = rows(&["1 a 0 root", "2 b 1 x", "3 c 1 x"]).replace("\n2", &format!("\n# c\n{range}2"));
        let layout = Arc::new(conllu::layout());
        let mut sentence = Sentence::empty(Arc::clone(&layout));
        // Nothing remains of a longer sentence read before.
        for (text, first_line) in [(format!("{text}\n{}", rows(&["4 d 1 x"])), 1), (format!("\n\n{text}"), 7)]
        {
            sentence.read_block(&layout, text.as_bytes(), first_line, &mut Vec::new());
        }
        let lines: Vec<u64> = sentence.tokens().map(|token| sentence.line_of(token)).collect();
        assert_eq!(lines, [9, 12, 13]);
        let contexts: Vec<Option<String>> = (6..15).map(|line| sentence.context_of(line)).collect();
        let context = |text: &str| Some(text.to_owned());
        let (a, b, c) = (context("[a] b c"), context("a [b] c"), context("a b [c]"));
        assert_eq!(contexts, [None, None, None, a, None, None, b, c, None]);
    }

    #[test]
    fn cells_are_found_whatever_surrounds_the_rows() {
        let text = "\u{feff}\n# text = du bist\n1-2\tdubist\t_\t_\t_\t_\t_\t_\t_\t_\n".to_owned()
            + &rows(&["1 du 2 nsubj", "2 bist 0 root"]);
        for text in [text.clone(), text.replace('\n', "\r\n"), text.trim_end().to_owned()] {
            let (sentence, problems) = read(&text);
            assert_eq!(problems, [""; 0]);
            assert_eq!(sentence.text(), text);
            assert_eq!(sentence.form(Node(1)), "du");
            assert_eq!(sentence.label(Node(2)), "root");
            assert_eq!(sentence.cell(Node(2), 9), "_");
            assert_eq!(sentence.heads(), [Node::NONE, Node(2), Node(0)]);
            assert_eq!(sentence.comment("text"), Some("du bist"));
            assert_eq!(sentence.line_of(Node(2)), 5);
            assert_eq!(sentence.column_of(Node(2), 6), 16);
            let kinds: Vec<Line<'_>> = sentence.lines().take(5).skip(1).collect();
            assert_eq!(
                kinds,
                [
                    Line::Comment("# text = du bist"),
                    Line::Extra("1-2\tdubist\t_\t_\t_\t_\t_\t_\t_\t_"),
                    Line::Token(Node(1)),
                    Line::Token(Node(2))
                ]
            );
        }
    }
}
