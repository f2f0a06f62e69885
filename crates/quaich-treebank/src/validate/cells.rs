//! White space in cells, where it is invisible and makes two values of one.

use super::at;
use crate::error::{Level, Problem};
use crate::layout::Role;
use crate::sentence::Sentence;

/// Looks for white space at the ends of cells, and inside those that are names.
pub(super) fn check(sentence: &Sentence, problems: &mut Vec<Problem>) {
    for (number, column) in sentence.layout().columns().iter().enumerate() {
        let is_name = matches!(column.role, Role::CoarseTag | Role::FineTag | Role::Feats | Role::Label);
        for token in sentence.tokens() {
            let cell = sentence.cell(token, number);
            let found = if cell.trim() != cell {
                "begins or ends with white space"
            } else if is_name && cell.contains(char::is_whitespace) {
                "has white space in it"
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
                "take the white space out of the cell",
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
}
