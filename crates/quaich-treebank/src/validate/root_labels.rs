//! Checks that one label marks all roots and only roots, in treebanks where this is mostly so.

use super::{Tally, aggregate, times};
use crate::error::Problem;
use crate::layout::Role;
use crate::sentence::Sentence;
use crate::symbols::{Label, Symbols};

/// A treebank is consistent if at most one in this many cases deviates.
const CONSISTENT: u64 = 10;

/// The uses of all labels.
#[derive(Debug, Default)]
pub(super) struct RootLabels {
    labels: Symbols<Label>,
    uses: Vec<Uses>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    at_root: Tally,
    elsewhere: Tally,
}

impl RootLabels {
    pub(super) fn add(&mut self, sentence: &Sentence) {
        let Some(column) = sentence.layout().position(Role::Label) else { return };
        for token in sentence.tokens() {
            let (head, label) = (sentence.heads()[token.index()], sentence.cell(token, column));
            if head.is_none() || label == "_" {
                continue;
            }
            let label = self.labels.intern(label).index();
            if label == self.uses.len() {
                self.uses.push(Uses::default());
            }
            let uses = &mut self.uses[label];
            let tally = if head.is_root() { &mut uses.at_root } else { &mut uses.elsewhere };
            tally.add(|| (sentence.line_of(token), sentence.column_of(token, column)));
        }
    }

    pub(super) fn finish(self, problems: &mut Vec<Problem>) {
        let roots: u64 = self.uses.iter().map(|uses| uses.at_root.count).sum();
        let usual = self.labels.iter().max_by_key(|(label, _)| self.uses[label.index()].at_root.count);
        let Some((usual, name)) = usual else { return };
        let uses = self.uses[usual.index()];
        if (roots - uses.at_root.count) * CONSISTENT > roots {
            return;
        }
        for (label, other) in self.labels.iter() {
            let strays = self.uses[label.index()].at_root;
            if label != usual && strays.count > 0 {
                problems.push(aggregate(
                    strays,
                    "root-label",
                    format!(
                        "`{other}` is the label of a root {} (first here), while `{name}` is {}",
                        times(strays.count),
                        times(uses.at_root.count)
                    ),
                    format!("label roots `{name}`, or give the token another head"),
                ));
            }
        }
        let strays = uses.elsewhere;
        if strays.count > 0 && strays.count * CONSISTENT <= uses.at_root.count {
            problems.push(aggregate(
                strays,
                "root-label",
                format!(
                    "`{name}`, the label of roots, is the label of other tokens {} (first here)",
                    times(strays.count)
                ),
                "give the token the head 0 or another label",
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, rows};

    #[test]
    fn strays_are_found_in_consistent_treebanks_only() {
        let sound = "a,0,root b,1,x / ".repeat(20);
        check(&rows(&format!("{sound}c,0,dep")), &["61:15 root-label"]);
        check(&rows(&format!("{sound}c,0,root d,1,root")), &["62:15 root-label"]);
        check(&rows("a,0,x b,1,y / c,0,y d,1,x"), &[]);
    }
}
