//! Parses a block: finds the cells and heads, and reports their problems.

use std::sync::Arc;

use super::Sentence;
use crate::blocks::is_blank;
use crate::counted;
use crate::encoding;
use crate::error::{Level, Problem};
use crate::layout::{Layout, Role};
use crate::scan;
use crate::tree::Node;

impl Sentence {
    /// Parses a block and adds its problems to `problems`. If these include errors, the sentence contains what could be
    /// parsed and should only be displayed.
    ///
    /// # Panics
    /// If the block is 4 GiB or more; [`Blocks`](crate::blocks::Blocks) returns none that large.
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
        self.lines_before.clear();
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

/// The state of parsing a block.
struct Rows<'a> {
    layout: &'a Layout,
    text: &'a [u8],
    sentence: &'a mut Sentence,
    problems: &'a mut Vec<Problem>,
    line: u64,
    /// The last unexpected number.
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

    /// Returns the length of the byte-order mark at the start of the block. At the beginning of a file, U+FEFF always
    /// is one. Later it may be a word; but if rows start with a number, it can only be the mark of a file appended to
    /// another.
    fn byte_order_mark(&self) -> usize {
        const MARK: &[u8] = "\u{feff}".as_bytes();
        let can_be = self.line == 1 || self.layout.position(Role::Id) == Some(0);
        if can_be && self.text.starts_with(MARK) { MARK.len() } else { 0 }
    }

    /// Reads the line that starts here; returns the position of its `\n`.
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
                let newline = self.line_end(start);
                self.check_comment(start, newline);
                newline
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

    /// If lines end in CR alone, a whole file may be one comment.
    fn check_comment(&mut self, start: usize, end: usize) {
        let line = &self.text[start..end];
        if memchr::memchr(b'\t', line).is_some() && encoding::oddity(line, false).is_some() {
            self.problem(start, start, Level::Error, "line-ends", || {
                ("found rows in a comment, expected them on separate lines".into(), String::new())
            });
        }
    }

    /// Returns the position of the next `\n`, or the end of the text.
    fn line_end(&self, start: usize) -> usize {
        memchr::memchr(b'\n', &self.text[start..]).map_or(self.text.len(), |at| start + at)
    }

    /// Reads the row of a token; returns the position of its `\n`.
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
        self.sentence.lines_before.push(self.lines_before());
        newline
    }

    /// Returns the number of lines of the block before this one, at most its number of bytes.
    #[allow(clippy::cast_possible_truncation, reason = "read_block asserts that positions fit")]
    fn lines_before(&self) -> u32 {
        (self.line - self.sentence.first_line) as u32
    }

    /// Records the starts of the cells of a row.
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
        // The end of the last cell, and of all cells that the row does not have.
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

    /// Whether the row's first cell is a multiword range or the number of an empty node.
    fn is_extra_row(&self, start: usize) -> bool {
        let row = &self.text[start..];
        let digits = row.iter().take_while(|byte| byte.is_ascii_digit()).count();
        matches!(row.get(digits), Some(b'-' | b'.'))
    }

    /// A multiword range must span later tokens; an empty node must be numbered after the previous token.
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
        // Numbers that continue a wrong one are the same mistake.
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

    /// Checks that heads are nodes, once all rows are known.
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
            self.line = self.sentence.line_of(Node::from_index(index));
            self.problem(start, cell, Level::Error, "head-out-of-range", || {
                (
                    format!("found head {head} in a sentence of {}, expected 0 to {n}", counted(n, "token")),
                    "check whether rows are missing or the sentence was split".into(),
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
        let help = if spaces && self.layout.separator == b'\t' {
            "separate the columns with tabs, not spaces".to_owned()
        } else {
            format!("give every row the columns of {}, `_` where there is no value", self.layout.name())
        };
        self.problem(start, end, Level::Error, "column-count", || {
            (format!("found {}, expected {expected}{more}", counted(found, "column")), help)
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
        let (mut message, mut help) = describe();
        // The whole line may tell more than the cell.
        let line = &self.text[line_start..self.line_end(line_start)];
        if let Some((what, advice)) = encoding::oddity(line, self.line == 1) {
            message = format!("{message}; {what}");
            advice.clone_into(&mut help);
        }
        let column =
            String::from_utf8_lossy(&self.text[line_start..at.min(self.text.len())]).chars().count() + 1;
        self.problems.push(Problem { line: self.line, column, level, code, message, help });
    }
}

/// The cells found in a token's row.
struct Row {
    /// The number of cells.
    found: usize,
    /// The position of its `\n`.
    newline: usize,
    /// The end of its content.
    end: usize,
    /// Whether a cell is empty.
    has_empty: bool,
}

/// Returns the end of a line's content: before `\r\n` or `\n`.
fn without_return(text: &[u8], start: usize, newline: usize) -> usize {
    if newline > start && text[newline - 1] == b'\r' { newline - 1 } else { newline }
}

/// Converts a text position; `read_block` has checked that all fit.
#[allow(clippy::cast_possible_truncation, reason = "read_block asserts that positions fit")]
fn position(at: usize) -> u32 {
    at as u32
}

/// Parses a decimal number without sign, of at most nine digits; no token number is longer.
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
        help:
            "name the file's encoding, for example `--encoding latin1`, or replace such bytes with `--lossy`"
                .into(),
    }
}

#[cfg(test)]
mod tests {
    use crate::sentence::tests::{read, rows};

    fn check_problems(short: &[&str], expected: &[&str]) {
        assert_eq!(read(&rows(short)).1, expected);
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
}
