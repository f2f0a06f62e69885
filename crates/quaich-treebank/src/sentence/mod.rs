//! A sentence: the text of its block as it was read, and flat arrays that say where the cells are.
//!
//! Nothing is interned or copied while reading: a cell is a span of the text, so writing a
//! sentence back is copying its text, and writing it with another tree is copying the text with
//! two cells of every row replaced. Comments, multiword ranges, empty nodes, columns nobody
//! understands, line ends and blank lines survive because they are never taken apart.
//!
//! Here is what a sentence tells about itself. How a block is taken apart is in `read.rs`, how a sentence is
//! written with other cells in `write.rs`, how one is made of words in `build.rs`, and what its tree is in `tree.rs`.

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

/// One sentence of a treebank. Reading into the same value again reuses its memory.
#[derive(Clone, Debug)]
pub struct Sentence {
    layout: Arc<Layout>,
    /// The whole block: blank lines and comments before it, rows, the blank line after it.
    text: String,
    /// The number of the block's first line in its file.
    first_line: u64,
    /// Where cells start, `columns + 1` entries a token: cell c of a row is
    /// `text[cells[c]..cells[c + 1] - 1]`. A cell that the row does not have starts after its end.
    cells: Vec<u32>,
    /// By token, how many lines of the block are before its row.
    lines_before: Vec<u32>,
    /// The heads as read, by node; `Node::NONE` for `_`.
    heads: Vec<Node>,
}

/// A line of a sentence, as [`Sentence::lines`] tells them apart.
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
    /// A sentence without tokens.
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

    /// The columns of the format this was read in.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// The number of tokens. May be 0: what follows the last sentence of a file comes as a
    /// sentence without tokens, so that it can be written back.
    pub fn n_tokens(&self) -> usize {
        self.heads.len() - 1
    }

    /// The tokens 1 to n.
    pub fn tokens(&self) -> impl DoubleEndedIterator<Item = Node> + ExactSizeIterator + use<> {
        (1..self.heads.len()).map(Node::from_index)
    }

    /// The text as it was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of the first line of the block in its file, counted from 1.
    pub fn first_line(&self) -> u64 {
        self.first_line
    }

    /// The heads as read, by node: `Node::NONE` for the root and for `_`. A head is a node of the
    /// sentence, but the heads need not make a tree.
    pub fn heads(&self) -> &[Node] {
        &self.heads
    }

    /// A cell by column number; `_` where the row has no such column.
    #[inline]
    pub fn cell(&self, token: Node, column: usize) -> &str {
        let row = self.row(token);
        let (start, next) = (row[column] as usize, row[column + 1] as usize);
        if start < next { &self.text[start..next - 1] } else { "_" }
    }

    /// The cells of a row after the columns that its format names; CoNLL 2009 has one for every predicate there.
    pub fn extra_cells(&self, token: Node) -> impl Iterator<Item = &str> {
        let row = self.row(token);
        let line = self.text[row[0] as usize..].split('\n').next().unwrap_or_default();
        let line = if self.layout.extra_columns { line.trim_end_matches('\r') } else { "" };
        line.split(char::from(self.layout.separator)).skip(row.len() - 1)
    }

    /// How many cells with a value a row has after the columns that its format names.
    pub(crate) fn n_extra_cells(&self, token: Node) -> usize {
        self.extra_cells(token).filter(|cell| *cell != "_").count()
    }

    /// A cell by role; `_` where the format has no such column.
    #[inline]
    pub fn value(&self, token: Node, role: Role) -> &str {
        match self.layout.position(role) {
            Some(column) => self.cell(token, column),
            None => "_",
        }
    }

    /// The word form.
    pub fn form(&self, token: Node) -> &str {
        self.value(token, Role::Form)
    }

    /// The dependency label as written.
    pub fn label(&self, token: Node) -> &str {
        self.value(token, Role::Label)
    }

    /// The line of a token in its file, counted from 1.
    pub fn line_of(&self, token: Node) -> u64 {
        self.first_line + u64::from(self.lines_before[token.index() - 1])
    }

    /// The column, in characters from 1, where a cell of a token starts in its line.
    pub fn column_of(&self, token: Node, column: usize) -> usize {
        let row = self.row(token);
        let (line, cell) = (row[0] as usize, row[column] as usize);
        self.text[line..cell.min(self.text.len())].chars().count() + 1
    }

    /// The lines in order, told apart.
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

    /// The value of a comment of the form `# key = value`.
    pub fn comment(&self, key: &str) -> Option<&str> {
        self.lines().find_map(|line| match line {
            Line::Comment(text) => {
                let (name, value) = text.trim_start_matches(['#', '\u{feff}']).split_once('=')?;
                (name.trim() == key).then(|| value.trim())
            }
            _ => None,
        })
    }

    /// The forms side by side with one token in brackets, cut to its surroundings: what error
    /// messages show.
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

    /// The forms with the token in brackets whose row is at a line of the file, if one is.
    pub fn context_of(&self, line: u64) -> Option<String> {
        let before = u32::try_from(line.checked_sub(self.first_line)?).ok()?;
        let at = self.lines_before.binary_search(&before).ok()?;
        Some(self.in_brackets(Node::from_index(at + 1)))
    }

    /// The part of `cells` that is about a token.
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

    /// A sentence of CoNLL-U and what is wrong with it.
    pub(super) fn read(text: &str) -> (Sentence, Vec<String>) {
        let layout = Arc::new(conllu::layout());
        let mut sentence = Sentence::empty(Arc::clone(&layout));
        let mut problems = Vec::new();
        sentence.read_block(&layout, text.as_bytes(), 1, &mut problems);
        (sentence, problems.iter().map(|p| format!("{p} [{}]", p.code)).collect())
    }

    /// Rows of ten columns from `id form head label`.
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
        // A longer sentence before it leaves nothing behind.
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
