//! Checks that sentence ids (`# sent_id = …`) are unique. Only their hashes are kept.

use std::hash::Hasher;

use rustc_hash::{FxHashSet, FxHasher};

use crate::error::{Level, Problem};
use crate::sentence::{Line, Sentence};

#[derive(Debug, Default)]
pub(super) struct SentenceIds(FxHashSet<u64>);

impl SentenceIds {
    pub(super) fn check(&mut self, sentence: &Sentence, problems: &mut Vec<Problem>) {
        let Some(id) = sentence.comment("sent_id") else { return };
        let mut hasher = FxHasher::default();
        hasher.write(id.as_bytes());
        if self.0.insert(hasher.finish()) {
            return;
        }
        let is_id = |line: &Line<'_>| matches!(line, Line::Comment(text) if text.contains("sent_id"));
        let before = sentence.lines().take_while(|line| !is_id(line)).count();
        problems.push(Problem {
            line: sentence.first_line() + before as u64,
            column: 1,
            level: Level::Warning,
            code: "duplicate-sent-id",
            message: format!("found the sentence id `{id}` again"),
            help: "give every sentence a unique id".into(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, rows};

    #[test]
    fn ids_are_compared_over_the_file() {
        let text = rows("a,0,root");
        check(&format!("# sent_id = 1\n{text}# sent_id = 2\n{text}"), &[]);
        check(&format!("# sent_id = 1\n{text}# c\n# sent_id = 1\n{text}"), &["5:1 duplicate-sent-id"]);
    }
}
