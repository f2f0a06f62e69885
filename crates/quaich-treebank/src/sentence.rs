//! A sentence: the text of its block as it was read, and flat arrays that say where the cells are.
//!
//! Nothing is interned or copied while reading: a cell is a span of the text, so writing a
//! sentence back is copying its text, and writing it with another tree is copying the text with
//! two cells of every row replaced. Comments, multiword ranges, empty nodes, columns nobody
//! understands, line ends and blank lines survive because they are never taken apart.

use std::sync::Arc;

use crate::blocks::is_blank;
use crate::error::{Level, Problem};
use crate::layout::{Layout, Role};
use crate::scan;
use crate::symbols::{Label, Symbols};
use crate::tree::{Node, Tree};

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
        Self { layout, text: String::new(), first_line: 1, cells: Vec::new(), heads: vec![Node::NONE] }
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
        let stride = self.layout.columns().len() + 1;
        let at = (token.index() - 1) * stride + column;
        let (start, next) = (self.cells[at] as usize, self.cells[at + 1] as usize);
        if start < next { &self.text[start..next - 1] } else { "_" }
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

    /// The tree, its labels interned in `labels`; `_` in the label column is no label.
    pub fn tree(&self, labels: &mut Symbols<Label>) -> Tree {
        let mut tree = Tree::new(self.n_tokens());
        for token in self.tokens() {
            let label = match self.label(token) {
                "_" => Label::NONE,
                label => labels.intern(label),
            };
            tree.set(token, self.heads[token.index()], label);
        }
        tree
    }

    /// The line of a token in its file, counted from 1.
    pub fn line_of(&self, token: Node) -> u64 {
        let stride = self.layout.columns().len() + 1;
        let start = self.cells[(token.index() - 1) * stride] as usize;
        self.first_line + memchr::memchr_iter(b'\n', &self.text.as_bytes()[..start]).count() as u64
    }

    /// The column, in characters from 1, where a cell of a token starts in its line.
    pub fn column_of(&self, token: Node, column: usize) -> usize {
        let stride = self.layout.columns().len() + 1;
        let row = (token.index() - 1) * stride;
        let (line, cell) = (self.cells[row] as usize, self.cells[row + column] as usize);
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
        let lines = (self.first_line..).zip(self.lines());
        lines.take_while(|(number, _)| *number <= line).find_map(|(number, found)| match found {
            Line::Token(token) if number == line => Some(self.in_brackets(token)),
            _ => None,
        })
    }

    /// Appends the text to `out` with some cells replaced. `columns` are the columns to replace,
    /// in rising order; `replace` appends the new cell of a token and column. A row that ends
    /// before such a column is filled up with `_`.
    pub fn write_replacing(
        &self,
        out: &mut Vec<u8>,
        columns: &[usize],
        mut replace: impl FnMut(Node, usize, &mut Vec<u8>),
    ) {
        let stride = self.layout.columns().len() + 1;
        let text = self.text.as_bytes();
        let mut copied = 0;
        for token in self.tokens() {
            let row = &self.cells[(token.index() - 1) * stride..][..stride];
            for &column in columns {
                let (start, next) = (row[column] as usize, row[column + 1] as usize);
                if start < next {
                    out.extend_from_slice(&text[copied..start]);
                    copied = next - 1;
                } else {
                    // The cells before this one that the row lacks as well, less those just written.
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

    /// Takes a block apart. What is wrong with it is added to `problems`; if that includes
    /// errors, the sentence holds what could be understood and should only be looked at.
    ///
    /// # Panics
    /// When the block is 4 GiB or more; [`Blocks`](crate::blocks::Blocks) gives none so large.
    pub fn read_block(
        &mut self,
        layout: &Arc<Layout>,
        block: &[u8],
        first_line: u64,
        problems: &mut Vec<Problem>,
    ) {
        if !Arc::ptr_eq(&self.layout, layout) {
            self.layout = Arc::clone(layout);
        }
        self.first_line = first_line;
        self.text.clear();
        self.cells.clear();
        self.heads.truncate(1);
        match std::str::from_utf8(block) {
            Ok(text) => self.text.push_str(text),
            Err(error) => {
                problems.push(not_utf8(block, error.valid_up_to(), first_line));
                self.text.push_str(&String::from_utf8_lossy(block));
            }
        }
        assert!(u32::try_from(self.text.len() + 1).is_ok(), "a block is below 4 GiB");
        let text = std::mem::take(&mut self.text);
        let mut rows = Rows {
            layout,
            text: text.as_bytes(),
            sentence: self,
            problems,
            line: first_line,
            strayed_to: None,
        };
        rows.read();
        self.text = text;
    }
}

/// The state of taking one block apart.
struct Rows<'a> {
    layout: &'a Layout,
    text: &'a [u8],
    sentence: &'a mut Sentence,
    problems: &'a mut Vec<Problem>,
    line: u64,
    /// The last number that was not the expected one.
    strayed_to: Option<u32>,
}

impl Rows<'_> {
    fn read(&mut self) {
        let mut start = self.byte_order_mark();
        while start < self.text.len() {
            start = self.read_line(start) + 1;
            self.line += 1;
        }
        self.check_heads();
    }

    /// The length of the byte-order mark that the block starts with. At the beginning of a file
    /// U+FEFF always is one. After that it may well be a word; but where rows start with a number it
    /// can only be the mark of a file that was joined to the end of another.
    fn byte_order_mark(&self) -> usize {
        const MARK: &[u8] = "\u{feff}".as_bytes();
        let can_be = self.line == 1 || self.layout.position(Role::Id) == Some(0);
        if can_be && self.text.starts_with(MARK) { MARK.len() } else { 0 }
    }

    /// Reads the line that starts here; gives the place of its `\n`.
    fn read_line(&mut self, start: usize) -> usize {
        match self.text[start] {
            b'\n' => start,
            b'#' if self.layout.comments => {
                if self.sentence.n_tokens() > 0 {
                    self.problem(start, start, Level::Warning, "comment-inside", || {
                        (
                            "a comment among the tokens, expected before them".into(),
                            "move it before the first token".into(),
                        )
                    });
                }
                self.line_end(start)
            }
            b' ' | b'\t' | b'\r' if is_blank(&self.text[start..self.line_end(start)]) => self.line_end(start),
            b'0'..=b'9' if self.layout.ranges && self.is_extra_row(start) => {
                let newline = self.line_end(start);
                self.check_extra_row(start, without_return(self.text, start, newline));
                newline
            }
            _ => self.read_row(start),
        }
    }

    /// The place of the next `\n`, or the end of the text.
    fn line_end(&self, start: usize) -> usize {
        memchr::memchr(b'\n', &self.text[start..]).map_or(self.text.len(), |at| start + at)
    }

    /// Reads the row of a token; gives the place of its `\n`.
    fn read_row(&mut self, start: usize) -> usize {
        let token = Node::from_index(self.sentence.heads.len());
        let first_cell = self.sentence.cells.len();
        let Row { found, newline, end, has_empty } = self.find_cells(start);
        let columns = self.layout.columns().len();
        if found < self.layout.min_columns || (found > columns && !self.layout.extra_columns) {
            self.wrong_column_count(start, end, found);
        }
        let cell = |column: usize, cells: &[u32]| -> (usize, usize) {
            let (from, next) = (cells[first_cell + column] as usize, cells[first_cell + column + 1] as usize);
            (from, next.saturating_sub(1).max(from))
        };
        if has_empty {
            for column in 0..found.min(columns) {
                let (from, to) = cell(column, &self.sentence.cells);
                if from == to {
                    self.empty_cell(start, from, column);
                }
            }
        }
        if let Some(column) = self.layout.position(Role::Id) {
            let (from, to) = cell(column, &self.sentence.cells);
            self.check_id(start, from, to, token);
        }
        let mut head = Node::NONE;
        if let Some(column) = self.layout.position(Role::Head).filter(|&column| column < found) {
            let (from, to) = cell(column, &self.sentence.cells);
            head = self.read_head(start, from, to);
        }
        self.sentence.heads.push(head);
        newline
    }

    /// Records where the cells of a row start.
    fn find_cells(&mut self, start: usize) -> Row {
        let cells = &mut self.sentence.cells;
        let first_cell = cells.len();
        cells.resize(first_cell + self.layout.columns().len() + 1, 0);
        let row = &mut cells[first_cell..];
        row[0] = position(start);
        let mut found = 1;
        let mut cell_start = start;
        let mut has_empty = false;
        let newline = scan::line(self.text, start, self.layout.separator, |separator| {
            has_empty |= separator == cell_start;
            cell_start = separator + 1;
            if let Some(cell) = row.get_mut(found) {
                *cell = position(cell_start);
            }
            found += 1;
        });
        let end = without_return(self.text, start, newline);
        has_empty |= cell_start == end;
        // The end of the last cell, and of all that the row does not have.
        if let Some(absent) = row.get_mut(found..) {
            absent.fill(position(end + 1));
        }
        Row { found, newline, end, has_empty }
    }

    fn empty_cell(&mut self, line: usize, at: usize, column: usize) {
        let name = self.layout.columns()[column].name.clone();
        self.problem(line, at, Level::Error, "empty-cell", || {
            (
                format!("the {name} cell is empty, expected a value or `_`"),
                "write `_` where there is no value".into(),
            )
        });
    }

    /// Whether the row's first cell is a multiword range or an empty node's number.
    fn is_extra_row(&self, start: usize) -> bool {
        let row = &self.text[start..];
        let digits = row.iter().take_while(|byte| byte.is_ascii_digit()).count();
        matches!(row.get(digits), Some(b'-' | b'.'))
    }

    /// A multiword range must span tokens still to come; an empty node must be numbered after
    /// the token before it.
    fn check_extra_row(&mut self, start: usize, end: usize) {
        let row = &self.text[start..end];
        let found = memchr::memchr_iter(self.layout.separator, row).count() + 1;
        if found != self.layout.columns().len() {
            self.wrong_column_count(start, end, found);
        }
        let id =
            String::from_utf8_lossy(&row[..memchr::memchr(self.layout.separator, row).unwrap_or(row.len())])
                .into_owned();
        let before = self.sentence.n_tokens();
        let range =
            id.split_once('-').and_then(|(a, b)| Some((a.parse::<usize>().ok()?, b.parse::<usize>().ok()?)));
        let empty =
            id.split_once('.').and_then(|(a, b)| Some((a.parse::<usize>().ok()?, b.parse::<usize>().ok()?)));
        let expected = match (range, empty) {
            (Some((first, last)), _) if first == before + 1 && last >= first => return,
            (_, Some((after, number))) if after == before && number > 0 => return,
            (Some(_), _) => format!("a range that starts at {} and does not end before it", before + 1),
            (_, Some(_)) => format!("an empty node numbered {before}.1 or higher"),
            _ => "a number, a range like 1-2 or an empty node like 1.1".to_owned(),
        };
        self.problem(start, start, Level::Error, "bad-id", || {
            (
                format!("found `{id}` in column ID, expected {expected}"),
                "renumber the rows of this sentence".into(),
            )
        });
    }

    fn check_id(&mut self, line: usize, from: usize, to: usize, token: Node) {
        let id = &self.text[from..to];
        let number = parse_number(id);
        if number == Some(token.0) {
            return;
        }
        // Numbers that go on from a wrong one are that same mistake.
        let goes_on = number.is_some() && number == self.strayed_to.map(|last| last + 1);
        self.strayed_to = number;
        if goes_on {
            return;
        }
        let id = String::from_utf8_lossy(id).into_owned();
        let (code, message) = match number {
            Some(number) if number >= 1 && number < token.0 => {
                ("duplicate-id", format!("found `{id}` again in column ID, expected {token}"))
            }
            _ => ("bad-id", format!("found `{id}` in column ID, expected {token}")),
        };
        self.problem(line, from, Level::Error, code, || {
            (message, "number the tokens of a sentence 1, 2, 3, …; put a blank line between sentences".into())
        });
    }

    fn read_head(&mut self, line: usize, from: usize, to: usize) -> Node {
        let head = &self.text[from..to];
        if head == b"_" || from == to {
            return Node::NONE;
        }
        if let Some(number) = parse_number(head) {
            return Node(number);
        }
        let head = String::from_utf8_lossy(head).into_owned();
        self.problem(line, from, Level::Error, "bad-head", || {
            (
                format!("found `{head}` in column HEAD, expected the number of a token, 0 or `_`"),
                "write the head's number, or `_` where the head is not known".into(),
            )
        });
        Node::NONE
    }

    /// Heads must be nodes; known only when all rows have been seen.
    fn check_heads(&mut self) {
        let n = self.sentence.n_tokens();
        if self.sentence.heads[1..].iter().all(|head| head.index() <= n || head.is_none()) {
            return;
        }
        let Some(column) = self.layout.position(Role::Head) else { return };
        let stride = self.layout.columns().len() + 1;
        for index in 1..=n {
            let head = self.sentence.heads[index];
            if head.is_none() || head.index() <= n {
                continue;
            }
            let row = (index - 1) * stride;
            let (start, cell) =
                (self.sentence.cells[row] as usize, self.sentence.cells[row + column] as usize);
            self.line =
                self.sentence.first_line + memchr::memchr_iter(b'\n', &self.text[..start]).count() as u64;
            self.problem(start, cell, Level::Error, "head-out-of-range", || {
                (
                    format!("found head {head} in a sentence of {n} tokens, expected 0 to {n}"),
                    "check whether rows are missing or two sentences were cut apart".into(),
                )
            });
            self.sentence.heads[index] = Node::NONE;
        }
    }

    fn wrong_column_count(&mut self, start: usize, end: usize, found: usize) {
        let columns = self.layout.columns().len();
        let least = self.layout.min_columns;
        let expected = if least < columns { format!("{least} to {columns}") } else { columns.to_string() };
        let more = if self.layout.extra_columns { " or more" } else { "" };
        let spaces = found == 1 && memchr::memchr(b' ', &self.text[start..end]).is_some();
        let mend = if spaces && self.layout.separator == b'\t' {
            "separate the columns with tabs, not spaces".to_owned()
        } else {
            format!("give every row the columns of {}, `_` where there is no value", self.layout.name())
        };
        self.problem(start, end, Level::Error, "column-count", || {
            (
                format!(
                    "found {found} column{}, expected {expected}{more}",
                    if found == 1 { "" } else { "s" }
                ),
                mend,
            )
        });
    }

    fn problem(
        &mut self,
        line_start: usize,
        at: usize,
        level: Level,
        code: &'static str,
        describe: impl FnOnce() -> (String, String),
    ) {
        let (message, mend) = describe();
        let column =
            String::from_utf8_lossy(&self.text[line_start..at.min(self.text.len())]).chars().count() + 1;
        self.problems.push(Problem { line: self.line, column, level, code, message, mend });
    }
}

/// What was found of a token's row.
struct Row {
    /// The number of cells.
    found: usize,
    /// The place of its `\n`.
    newline: usize,
    /// Where its content ends.
    end: usize,
    /// Whether a cell is empty.
    has_empty: bool,
}

/// Where a line's content ends: before `\r\n` or `\n`.
fn without_return(text: &[u8], start: usize, newline: usize) -> usize {
    if newline > start && text[newline - 1] == b'\r' { newline - 1 } else { newline }
}

/// A text position; `read_block` has checked that they all fit.
#[allow(clippy::cast_possible_truncation, reason = "read_block asserts that positions fit")]
fn position(at: usize) -> u32 {
    at as u32
}

/// A decimal number without sign, at most nine digits; more would not be a token's number.
fn parse_number(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    digits
        .iter()
        .try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0')))
}

fn not_utf8(block: &[u8], at: usize, first_line: u64) -> Problem {
    let before = &block[..at];
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    Problem {
        line: first_line + memchr::memchr_iter(b'\n', before).count() as u64,
        column: String::from_utf8_lossy(&before[line_start..]).chars().count() + 1,
        level: Level::Error,
        code: "invalid-utf8",
        message: format!("found byte 0x{:02X}, expected UTF-8 text", block[at]),
        mend: "name the file's encoding, for example `--encoding latin1`".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::conllu;

    fn read(text: &str) -> (Sentence, Vec<String>) {
        let layout = Arc::new(conllu::layout());
        let mut sentence = Sentence::empty(Arc::clone(&layout));
        let mut problems = Vec::new();
        sentence.read_block(&layout, text.as_bytes(), 1, &mut problems);
        (sentence, problems.iter().map(|p| format!("{p} [{}]", p.code)).collect())
    }

    /// Rows of ten columns from `id form head label`.
    fn rows(short: &[&str]) -> String {
        let row = |row: &&str| {
            let cells: Vec<&str> = row.split(' ').collect();
            format!("{}\t{}\t_\t_\t_\t_\t{}\t{}\t_\t_\n", cells[0], cells[1], cells[2], cells[3])
        };
        short.iter().map(row).collect::<String>() + "\n"
    }

    fn check_problems(short: &[&str], expected: &[&str]) {
        assert_eq!(read(&rows(short)).1, expected);
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

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        check_problems(
            &["1 a 2 x", "1 b 0 root"],
            &["2:1: found `1` again in column ID, expected 2 [duplicate-id]"],
        );
        check_problems(
            &["1 a 2 x", "1 b 0 root", "2 c 2 x"],
            &["2:1: found `1` again in column ID, expected 2 [duplicate-id]"],
        );
        check_problems(&["2 a 0 root"], &["1:1: found `2` in column ID, expected 1 [bad-id]"]);
        check_problems(
            &["1 a b root"],
            &["1:13: found `b` in column HEAD, expected the number of a token, 0 or `_` [bad-head]"],
        );
        check_problems(
            &["1 a 0 root", "2 b 7 x"],
            &["2:13: found head 7 in a sentence of 2 tokens, expected 0 to 2 [head-out-of-range]"],
        );
        check_problems(
            &["1 a 0 root", "5-6 b _ _"],
            &[
                "2:1: found `5-6` in column ID, expected a range that starts at 2 and does not end before it [bad-id]",
            ],
        );
        let (_, problems) = read("1\ta\tb\n");
        assert_eq!(problems, ["1:6: found 3 columns, expected 10 [column-count]"]);
    }

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
