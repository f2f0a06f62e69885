//! Checks lines: their ends, lines of white space, byte-order marks in the middle of a file.

use super::{Tally, aggregate, times};
use crate::blocks::is_blank;
use crate::error::Problem;
use crate::sentence::Sentence;

/// What has been seen of a file's lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Lines that end in `\n` and in `\r\n`.
    lf: Tally,
    crlf: Tally,
    /// Lines that consist of white space but are not empty.
    white: Tally,
    /// Byte-order marks after the first line.
    marks: Tally,
}

impl Lines {
    pub(super) fn add(&mut self, sentence: &Sentence) {
        for (number, line) in (sentence.first_line()..).zip(sentence.text().split_inclusive('\n')) {
            let mut content = line;
            if let Some(before) = line.strip_suffix("\r\n") {
                content = before;
                self.crlf.add(|| (number, before.chars().count() + 1));
            } else if let Some(before) = line.strip_suffix('\n') {
                content = before;
                self.lf.add(|| (number, before.chars().count() + 1));
            }
            if !content.is_empty() && is_blank(content.as_bytes()) {
                self.white.add(|| (number, 1));
            }
            if number > 1 && content.starts_with('\u{feff}') {
                self.marks.add(|| (number, 1));
            }
        }
    }

    pub(super) fn finish(self, problems: &mut Vec<Problem>) {
        if self.lf.count > 0 && self.crlf.count > 0 {
            let (few, many, name) = if self.crlf.count <= self.lf.count {
                (self.crlf, self.lf.count, "CRLF")
            } else {
                (self.lf, self.crlf.count, "LF")
            };
            let other = if name == "LF" { "CRLF" } else { "LF" };
            problems.push(aggregate(
                few,
                "mixed-line-ends",
                format!("{name} ends a line {} (first here), {other} {many}", times(few.count)),
                format!("end every line with {other}"),
            ));
        }
        if self.white.count > 0 {
            problems.push(aggregate(
                self.white,
                "white-space-line",
                format!(
                    "a line of white space is read as a blank line {} (first here)",
                    times(self.white.count)
                ),
                "make blank lines empty",
            ));
        }
        if self.marks.count > 0 {
            problems.push(aggregate(
                self.marks,
                "byte-order-mark",
                format!("a byte-order mark after the first line, {} (first here)", times(self.marks.count)),
                "remove it; files were probably concatenated",
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, rows};

    #[test]
    fn lines_are_checked() {
        let text = rows("a,0,root / b,0,root");
        check(&text.replace('\n', "\r\n"), &[]);
        check(&text.replacen('\n', "\r\n", 1), &["1:23 mixed-line-ends"]);
        check(&text.replace("\n\n", "\n \t\n"), &["2:1 white-space-line"]);
        check(&format!("\u{feff}{text}"), &[]);
        check(&format!("{text}\u{feff}{text}"), &["5:1 byte-order-mark"]);
    }
}
