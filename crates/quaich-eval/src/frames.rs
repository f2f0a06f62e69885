//! Frame confusions: a frame is the sequence of labels of a token and its dependents, in sentence order.
//!
//! Only scored tokens are included. The system's frames have the gold standard's label of the token itself, so a frame
//! is confused only if the dependents are.

use std::collections::BTreeMap;

use quaich_treebank::{Node, Sentence};

/// Counts of frames that differ.
#[derive(Default, Debug)]
pub(crate) struct Frames {
    confusions: BTreeMap<String, u64>,
    gold: Vec<String>,
    system: Vec<String>,
}

impl Frames {
    /// Counts the frames of a sentence that differ; `scored` are its scored tokens.
    pub(crate) fn add(&mut self, gold: &Sentence, system: &Sentence, scored: &[Node]) {
        let n_nodes = gold.n_tokens() + 1;
        for frames in [&mut self.gold, &mut self.system] {
            frames.resize_with(n_nodes.max(frames.len()), String::new);
            frames.iter_mut().for_each(String::clear);
            frames[0].push_str("** ");
        }
        for &token in scored {
            let own = gold.label(token);
            for (frames, sentence) in [(&mut self.gold, gold), (&mut self.system, system)] {
                let head = numeric_head(sentence, token);
                frames[head.index()].extend([sentence.label(token), " "]);
                frames[token.index()].extend(["*", own, "* "]);
            }
        }
        for (gold, system) in self.gold.iter().zip(&self.system).take(n_nodes) {
            if gold != system {
                *self.confusions.entry(format!("{gold}/ {system}")).or_insert(0) += 1;
            }
        }
    }

    /// Returns the confusions that occurred at least this often, the most frequent first.
    pub(crate) fn seen(&self, least: u64) -> Vec<(String, u64)> {
        let shown = self.confusions.iter().filter(|(_, count)| **count >= least);
        let mut shown: Vec<(String, u64)> = shown.map(|(frame, count)| (frame.clone(), *count)).collect();
        shown.sort_by(|(frame, count), (other, other_count)| {
            other_count.cmp(count).then_with(|| frame.cmp(other))
        });
        shown
    }
}

/// Returns the head as a number: a token without one has 0, as `_` has in Perl. It is still wrong.
pub(crate) fn numeric_head(sentence: &Sentence, token: Node) -> Node {
    let head = sentence.heads()[token.index()];
    if head.is_some() { head } else { Node(0) }
}
