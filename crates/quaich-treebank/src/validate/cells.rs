//! Checks cells that look valid but are not: with white space or control characters, or numbers with leading zeros.

use super::at;
use crate::error::{Level, Problem};
use crate::layout::Role;
use crate::sentence::Sentence;

/// Checks every cell.
pub(super) fn check(sentence: &Sentence, problems: &mut Vec<Problem>) {
    check_white_space(sentence, problems);
    check_control_characters(sentence, problems);
    check_numbers(sentence, problems);
}

/// Checks for control characters, which most programs interpret differently.
fn check_control_characters(sentence: &Sentence, problems: &mut Vec<Problem>) {
    if !sentence.text().contains(is_control) {
        return;
    }
    for (number, column) in sentence.layout().columns().iter().enumerate() {
        for token in sentence.tokens() {
            let Some(found) = sentence.cell(token, number).chars().find(|&c| is_control(c)) else { continue };
            let message =
                format!("the {} cell contains the control character U+{:04X}", column.name, u32::from(found));
            let help = "remove the character";
            problems.push(at(sentence, token, number, Level::Warning, "control-character", message, help));
        }
    }
}

/// Whether a character is a control character other than white space.
fn is_control(c: char) -> bool {
    c.is_control() && !c.is_whitespace()
}

/// Checks for heads with leading zeros.
fn check_numbers(sentence: &Sentence, problems: &mut Vec<Problem>) {
    let Some(column) = sentence.layout().position(Role::Head) else { return };
    for token in sentence.tokens() {
        let cell = sentence.cell(token, column);
        if cell.len() > 1 && cell.starts_with('0') && cell.bytes().all(|byte| byte.is_ascii_digit()) {
            let number = cell.trim_start_matches('0');
            let number = if number.is_empty() { "0" } else { number };
            let message = format!("found head `{cell}`, which is read as {number}");
            let help = "write numbers without leading zeros";
            problems.push(at(sentence, token, column, Level::Warning, "leading-zero", message, help));
        }
    }
}

/// Checks for white space at the ends of cells, and inside names.
fn check_white_space(sentence: &Sentence, problems: &mut Vec<Problem>) {
    for (number, column) in sentence.layout().columns().iter().enumerate() {
        let is_name = matches!(column.role, Role::CoarseTag | Role::FineTag | Role::Feats | Role::Label);
        for token in sentence.tokens() {
            let cell = sentence.cell(token, number);
            let found = if cell.trim() != cell {
                "begins or ends with white space"
            } else if is_name && cell.contains(char::is_whitespace) {
                "contains white space"
            } else {
                continue;
            };
            let message = format!("the {} cell `{}` {found}", column.name, cell.escape_debug());
            problems.push(at(
                sentence,
                token,
                number,
                Level::Warning,
                "space-in-cell",
                message,
                "remove the white space",
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, rows};

    #[test]
    fn white_space_is_seen_where_it_does_not_belong() {
        let text = rows("a_b,2,x c,0,root");
        check(&text.replace("a_b", "a b"), &[]);
        check(&text.replace("a_b", "a b "), &["1:3 space-in-cell"]);
        check(&text.replace("\tx", "\tx y"), &["1:17 space-in-cell"]);
        check(&text.replace("a_b", "\u{a0}a"), &["1:3 space-in-cell"]);
    }

    #[test]
    fn control_characters_are_seen() {
        let text = rows("a_b,2,x c,0,root");
        check(&text.replace("a_b", "a\0b"), &["1:3 control-character"]);
        check(&text.replace("a_b", "\u{1b}[31m"), &["1:3 control-character"]);
        check(&text.replace("\tx", "\tx\u{7}"), &["1:17 control-character"]);
        check(&text.replace("a_b", "\u{200c}"), &[]);
    }

    #[test]
    fn zeros_before_heads_are_seen() {
        let text = rows("a,02,x c,0,root");
        check(&text, &["1:13 leading-zero"]);
        check(&text.replace("\t0\t", "\t00\t"), &["1:13 leading-zero", "2:13 leading-zero"]);
    }
}
