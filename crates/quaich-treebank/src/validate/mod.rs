//! Validation: problems of a treebank beyond those that reading reports.
//!
//! A [`Validator`] checks the sentences of one file in order and keeps only what it needs for later sentences (counts,
//! hashes of sentence ids, an [`Inventory`]), so files of any length are checked in little memory. Problems found while
//! reading (columns, numbers, encoding) come from [`Reader::read_with_problems`](crate::Reader::read_with_problems);
//! this module checks the tree, the cells, the lines and the file as a whole. `docs/reference/validate.md` lists all
//! codes.

mod cells;
mod inventory;
mod lines;
mod ranges;
mod root_labels;
mod sentence_ids;

use crate::counted;
use crate::error::{Level, Problem};
use crate::formats::Format;
use crate::layout::Role;
use crate::sentence::Sentence;
use crate::tree::{Node, TreeProblem};

pub use inventory::Inventory;

/// A place in a file: line and column, counted from 1.
pub(crate) type Place = (u64, usize);

/// How often something occurred, and its first place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    count: u64,
    first: Place,
}

impl Tally {
    /// Counts one occurrence; `place` is called only for the first.
    fn add(&mut self, place: impl FnOnce() -> Place) {
        if self.count == 0 {
            self.first = place();
        }
        self.count += 1;
    }
}

/// Checks the sentences of one file.
#[derive(Default)]
pub struct Validator {
    format: Option<&'static dyn Format>,
    n_sentences: u64,
    n_tokens: u64,
    lines: lines::Lines,
    sentence_ids: sentence_ids::SentenceIds,
    root_labels: root_labels::RootLabels,
    inventory: Inventory,
    /// Sentences in which no token has a head, and all others.
    blind: Tally,
    headed: u64,
    /// Sentences with heads in which no token has a label, and all others.
    unlabelled: Tally,
    labelled: u64,
}

impl std::fmt::Debug for Validator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Validator").field("n_sentences", &self.n_sentences).finish_non_exhaustive()
    }
}

impl Validator {
    /// Creates a validator for a file; a format of the table adds its own checks.
    pub fn new(format: Option<&'static dyn Format>) -> Self {
        Self { format, ..Self::default() }
    }

    /// Returns the number of sentences checked.
    pub fn n_sentences(&self) -> u64 {
        self.n_sentences
    }

    /// Returns the number of tokens checked.
    pub fn n_tokens(&self) -> u64 {
        self.n_tokens
    }

    /// Checks the next sentence. `problems` contains those found while reading; the new ones are added, and all are
    /// sorted by place.
    pub fn check(&mut self, sentence: &Sentence, problems: &mut Vec<Problem>) {
        self.lines.add(sentence);
        if sentence.n_tokens() > 0 {
            self.n_sentences += 1;
            self.n_tokens += sentence.n_tokens() as u64;
            self.sentence_ids.check(sentence, problems);
            cells::check(sentence, problems);
            ranges::check(sentence, problems);
            self.check_heads(sentence, problems);
            self.check_labels(sentence, problems);
            self.root_labels.add(sentence);
            self.inventory.add(sentence);
            if let Some(format) = self.format {
                format.review(sentence, problems);
            }
        }
        problems.sort_by_key(|problem| (problem.line, problem.column));
    }

    /// Runs the checks that need the whole file. Returns the names that the file uses, for comparison with other files.
    pub fn finish(self, problems: &mut Vec<Problem>) -> Inventory {
        if self.n_sentences == 0 {
            problems.push(Problem {
                line: 1,
                column: 1,
                level: Level::Warning,
                code: "no-sentences",
                message: "the file has no sentences".into(),
                help: "check whether this is the right file".into(),
            });
        }
        if self.headed > 0 && self.blind.count > 0 {
            problems.push(aggregate(
                self.blind,
                "no-heads",
                format!(
                    "{} in which no token has a head (the first here), while {} heads",
                    counted(self.blind.count, "sentence"),
                    has(self.headed)
                ),
                "complete these sentences or remove them before training",
            ));
        } else if self.blind.count > 0 {
            problems.push(aggregate(
                self.blind,
                "no-heads",
                "no token of the file has a head".into(),
                "parsing does not need heads; add them for training or scoring",
            ));
        }
        if self.labelled > 0 && self.unlabelled.count > 0 {
            problems.push(aggregate(
                self.unlabelled,
                "no-labels",
                format!(
                    "{} in which no token has a label (the first here), while {} labels",
                    counted(self.unlabelled.count, "sentence"),
                    has(self.labelled)
                ),
                "label these sentences or remove them before training",
            ));
        }
        self.lines.finish(problems);
        self.root_labels.finish(problems);
        self.inventory
    }

    fn check_heads(&mut self, sentence: &Sentence, problems: &mut Vec<Problem>) {
        let head_column = sentence.layout().position(Role::Head);
        // Problems reported by the reader are not reported again.
        let is_absent = |token: Node| head_column.is_none_or(|column| sentence.cell(token, column) == "_");
        let Some(column) = head_column.filter(|_| !sentence.tokens().all(is_absent)) else {
            self.blind.add(|| (sentence.line_of(Node(1)), 1));
            return;
        };
        self.headed += 1;
        let mut push = |token: Node, level, code, message: String, help: &str| {
            problems.push(at(sentence, token, column, level, code, message, help));
        };
        for problem in sentence.tree(&mut crate::Symbols::new()).problems() {
            match problem {
                TreeProblem::NoHead { token } if !is_absent(token) => {}
                TreeProblem::NoHead { token } => push(
                    token,
                    Level::Error,
                    "missing-head",
                    format!("token {token} has no head, though others in the sentence have"),
                    "give it a head; 0 if it is a root",
                ),
                TreeProblem::Cycle { tokens } => {
                    let mut path: Vec<String> = tokens.iter().take(12).map(ToString::to_string).collect();
                    path.push(if tokens.len() > 12 { "…".into() } else { tokens[0].to_string() });
                    push(
                        tokens[0],
                        Level::Error,
                        "cycle",
                        format!("the heads form a cycle: {}", path.join(" → ")),
                        "give one of these tokens a head outside the cycle",
                    );
                }
                // The reader has removed such heads.
                TreeProblem::HeadOutOfRange { .. } => {}
            }
        }
        let mut roots = sentence.tokens().filter(|token| sentence.heads()[token.index()].is_root());
        match (roots.next(), roots.next()) {
            // A root may be among the heads that could not be read.
            (None, _)
                if sentence.tokens().any(|t| sentence.heads()[t.index()].is_none() && !is_absent(t)) => {}
            (None, _) => push(
                Node(1),
                Level::Error,
                "no-root",
                "no token has head 0, expected a root".into(),
                "give the sentence's root the head 0",
            ),
            (Some(first), Some(second)) => push(
                second,
                Level::Warning,
                "several-roots",
                format!("{} tokens have head 0, the first of them {first}", 2 + roots.count()),
                "valid in most treebanks; in Universal Dependencies, keep one root and attach the others to it",
            ),
            _ => {}
        }
    }

    /// Tokens with a head and no label, in a sentence where others have one.
    fn check_labels(&mut self, sentence: &Sentence, problems: &mut Vec<Problem>) {
        let Some(column) = sentence.layout().position(Role::Label) else { return };
        let headed = || sentence.tokens().filter(|token| sentence.heads()[token.index()].is_some());
        let mut bare = headed().filter(|&token| sentence.cell(token, column) == "_").peekable();
        if headed().any(|token| sentence.cell(token, column) != "_") {
            self.labelled += 1;
        } else if bare.peek().is_some() {
            self.unlabelled.add(|| (sentence.line_of(Node(1)), 1));
            return;
        }
        for token in bare {
            let message = format!("token {token} has a head but no label");
            problems.push(at(
                sentence,
                token,
                column,
                Level::Warning,
                "missing-label",
                message,
                "write the label of its arc",
            ));
        }
    }
}

/// Creates a problem at a cell.
fn at(
    sentence: &Sentence,
    token: Node,
    column: usize,
    level: Level,
    code: &'static str,
    message: String,
    help: &str,
) -> Problem {
    Problem {
        line: sentence.line_of(token),
        column: sentence.column_of(token, column),
        level,
        code,
        message,
        help: help.to_owned(),
    }
}

/// Creates a warning about something counted over the file, at its first place.
fn aggregate(tally: Tally, code: &'static str, message: String, help: impl Into<String>) -> Problem {
    let (line, column) = tally.first;
    Problem { line, column, level: Level::Warning, code, message, help: help.into() }
}

/// `1 has`, `2 have`, …
fn has(count: u64) -> String {
    format!("{count} {}", if count == 1 { "has" } else { "have" })
}

/// `once`, `2 times`, …
fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

#[cfg(test)]
mod tests {
    use crate::{ReadOptions, Reader, Source};

    use super::*;

    /// Checks all problems of a file, as `line:column code`.
    pub(super) fn check(text: &str, expected: &[&str]) {
        let source =
            Source::from_stream(std::io::Cursor::new(text.as_bytes().to_vec()), "f".into(), None).unwrap();
        let options = ReadOptions::parse(Some("conllu"), None).unwrap();
        let mut reader = Reader::new(source, &options).unwrap();
        let mut validator = Validator::new(reader.format().known());
        let (mut sentence, mut problems) = (reader.sentence(), Vec::new());
        while reader.read_with_problems(&mut sentence, &mut problems).unwrap() {
            validator.check(&sentence, &mut problems);
        }
        validator.finish(&mut problems);
        let found: Vec<String> =
            problems.iter().map(|p| format!("{}:{} {}", p.line, p.column, p.code)).collect();
        assert_eq!(found, expected, "{problems:#?}");
    }

    /// Sentences separated by ` / `, tokens by spaces, each `form,head,label`.
    pub(super) fn rows(short: &str) -> String {
        let sentence = |sentence: &str| {
            let row = |(i, token): (usize, &str)| {
                let cells: Vec<&str> = token.split(',').collect();
                format!("{}\t{}\t_\tX\t_\t_\t{}\t{}\t_\t_\n", i + 1, cells[0], cells[1], cells[2])
            };
            sentence.split(' ').enumerate().map(row).collect::<String>() + "\n"
        };
        short.split(" / ").map(sentence).collect()
    }

    #[test]
    fn sound_files_have_no_problems() {
        check(&rows("a,2,x b,0,root / c,0,root"), &[]);
        check(&rows("a,2,_ b,0,_"), &[]);
    }

    #[test]
    fn trees_that_are_none_are_found() {
        check(&rows("a,2,x b,1,y c,0,root"), &["1:13 cycle"]);
        check(&rows("a,1,x b,0,root"), &["1:13 cycle"]);
        check(&rows("a,2,x b,1,y"), &["1:13 cycle", "1:13 no-root"]);
        check(&rows("a,_,_ b,0,root"), &["1:13 missing-head"]);
        check(&rows("a,0,root b,0,root"), &["2:13 several-roots"]);
        check(&rows("a,0,root b,9,x"), &["2:13 head-out-of-range"]);
    }

    #[test]
    fn labels_and_heads_may_be_absent_only_throughout() {
        check(&rows("a,0,root b,1,_"), &["2:15 missing-label"]);
        check(&rows("a,0,root / b,_,_"), &["3:1 no-heads"]);
        check(&rows("a,_,_ b,_,_"), &["1:1 no-heads"]);
        check(&rows("a,0,root / b,0,_"), &["3:1 no-labels"]);
        check("", &["1:1 no-sentences"]);
    }
}
