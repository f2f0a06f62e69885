//! Ends of lines and indentation as tokens, for languages such as Python.
//!
//! LINE ends a logical line, INDENT follows it where a block starts, DEDENT where one ends. Lines inside brackets are
//! continued. But a lost bracket must not join all lines to the end of the file, so a line that starts with a keyword that no
//! expression has starts a statement in any case.

use super::Scanner;
use super::gaps::Gap;
use crate::language::{Class, Layout, Tag};

/// The state of lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The columns of the open blocks but the outermost.
    indents: Vec<usize>,
    /// The number of open brackets.
    depth: usize,
}

impl Lines {
    /// Counts brackets that a token opens or closes.
    pub(super) fn count_brackets(&mut self, token: &[u8]) {
        match token {
            b"(" | b"[" | b"{" => self.depth += 1,
            b")" | b"]" | b"}" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

impl Scanner<'_> {
    /// Adds the tokens between a gap and the token after it, which has this tag.
    pub(super) fn lay_out(&mut self, gap: &Gap, tag: Tag) {
        let Layout::Indentation { statements } = self.language.layout else { return };
        let is_first = self.tokens.is_empty();
        if !(gap.has_line_end || is_first) {
            return;
        }
        if self.lines.depth > 0 {
            if !statements.contains(&self.language.tag_name(tag)) {
                return;
            }
            self.lines.depth = 0;
        }
        if !is_first {
            self.push_layout(Class::Line);
        }
        let column = gap.column;
        while let Some(&current) = self.lines.indents.last()
            && column < current
        {
            let below = self.lines.indents.iter().nth_back(1).copied().unwrap_or(0);
            if column > below {
                // Neither of the two columns: still the same block.
                self.lines.indents.pop();
                self.lines.indents.push(column);
                return;
            }
            self.lines.indents.pop();
            self.push_layout(Class::Dedent);
        }
        if column > self.lines.indents.last().copied().unwrap_or(0) {
            self.lines.indents.push(column);
            self.push_layout(Class::Indent);
        }
    }

    /// Ends the last line and all blocks, at the end of the file.
    pub(super) fn end_lines(&mut self) {
        if matches!(self.language.layout, Layout::Indentation { .. }) && !self.tokens.is_empty() {
            self.push_layout(Class::Line);
            for _ in 0..self.lines.indents.len() {
                self.push_layout(Class::Dedent);
            }
        }
    }
}
