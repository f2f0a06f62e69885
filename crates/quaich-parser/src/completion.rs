//! Completes partial trees, so that every system and learner can learn from them.
//!
//! ```text
//!   known heads ─▶ an encoder with head pointers ─▶ scores of all heads ─▶ spanning tree with the known heads ─▶ complete tree
//! ```
//!
//! Every known head is a training example for a pointer by itself, so a partial tree is as good as a complete one there; transitions
//! are not like that, since the right one often depends on heads that are unknown. The completed heads only serve the oracle: they have
//! no labels, and pointers, calibration and scores leave them out.

use quaich_treebank::{Node, Sentence};
use rayon::prelude::*;

use crate::encoder::{HeadScores, SentenceEncoder, SentenceEncoding};
use crate::ensemble::{Candidates, Roots, SpanningTrees};
use crate::error::Result;
use crate::observer::{Event, Observer};
use crate::partial::{Completed, Known, known};
use crate::recurrent::learn_heads;

/// Completes partial trees; does nothing without any. Fails only if the observer stops it.
pub(crate) fn complete(sentences: &[Sentence], seed: u64, observer: &dyn Observer) -> Result<Completed> {
    let is_partial = |sentence: &Sentence| known(sentence) == Known::Part;
    let n_partial = sentences.iter().filter(|sentence| is_partial(sentence)).count();
    if n_partial == 0 {
        return Ok(Completed::default());
    }
    let learnable: Vec<&Sentence> =
        sentences.iter().filter(|sentence| known(sentence) != Known::Nothing).collect();
    let unknown = |sentence: &&Sentence| {
        sentence.tokens().filter(|token| sentence.heads()[token.index()].is_none()).count()
    };
    let words = learnable.iter().map(unknown).sum();
    let of = learnable.iter().map(|sentence| sentence.n_tokens()).sum();
    observer.event(&Event::Partial { sentences: n_partial, words, of });
    let n_roots = |sentence: &&Sentence| sentence.heads()[1..].iter().filter(|head| head.is_root()).count();
    let roots = if learnable.iter().any(|sentence| n_roots(sentence) > 1) { Roots::Any } else { Roots::One };
    let encoder = learn_heads(&learnable, seed, observer)?;
    let heads = sentences
        .par_iter()
        .map_init(Completer::default, |completer, sentence| {
            observer.check()?;
            Ok(is_partial(sentence).then(|| completer.complete(&encoder, sentence, roots)))
        })
        .collect::<Result<_>>()?;
    Ok(Completed { heads })
}

/// The buffers that one thread needs to complete trees.
#[derive(Debug, Default)]
struct Completer {
    encoding: SentenceEncoding,
    scores: HeadScores,
    candidates: Candidates,
    spanning_trees: SpanningTrees,
}

impl Completer {
    /// The heads of the best tree with the known heads of a sentence.
    fn complete(&mut self, encoder: &SentenceEncoder, sentence: &Sentence, roots: Roots) -> Vec<Node> {
        /// Differences of log-probabilities that are smaller do not count.
        const UNIT: f32 = 1e-4;
        encoder.encode(sentence, &mut self.encoding);
        let probabilities = encoder.head_scores(&self.encoding, &mut self.scores);
        let n_nodes = sentence.n_tokens() + 1;
        self.candidates.reset(sentence.n_tokens());
        for token in sentence.tokens() {
            let given = sentence.heads()[token.index()];
            if given.is_some() {
                self.candidates.push(token, given, 0);
                continue;
            }
            let row = probabilities.get(token.index() * n_nodes..(token.index() + 1) * n_nodes);
            for head in (0..n_nodes).map(Node::from_index).filter(|head| *head != token) {
                // Without scores, which very long sentences do not have, near heads are preferred.
                #[allow(clippy::cast_precision_loss, reason = "a rough distance")]
                let near = || 1.0 / (1.0 + head.index().abs_diff(token.index()) as f32);
                let probability = row.map_or_else(near, |row| row[head.index()]);
                #[allow(clippy::cast_possible_truncation, reason = "some hundred thousand")]
                let weight = (probability.max(f32::MIN_POSITIVE).ln() / UNIT) as i64;
                self.candidates.push(token, head, weight.into());
            }
        }
        let mut heads = Vec::new();
        // The known heads are part of a tree, and every other word may have any head.
        self.spanning_trees.find(&self.candidates, roots, &mut heads);
        heads
    }
}

#[cfg(test)]
mod tests {
    use quaich_treebank::Treebank;

    use super::*;
    use crate::observer::Unobserved;

    fn treebank(rows: &[&[(&str, &str)]]) -> Treebank {
        let row = |(number, (head, label)): (usize, &(&str, &str))| {
            format!("{number}\tw{number}\t_\tX\t_\t_\t{head}\t{label}\t_\t_\n")
        };
        let text =
            |sentence: &&[(&str, &str)]| (1..).zip(*sentence).map(row).collect::<Vec<_>>().concat() + "\n";
        Treebank::from_text(&rows.iter().map(text).collect::<Vec<_>>().concat()).unwrap()
    }

    #[test]
    fn known_heads_stay() {
        let treebank = treebank(&[&[("2", "a"), ("_", "_"), ("_", "_")], &[("2", "a"), ("0", "b")]]);
        let completed = complete(&treebank, 1, &Unobserved).unwrap();
        let heads = completed.heads(0).unwrap();
        assert_eq!(heads[1], Node(2));
        assert!(heads[2..].iter().all(|head| head.is_some()));
        assert!(completed.heads(1).is_none() && completed.heads(2).is_none());
        assert!(complete(&treebank[1..], 1, &Unobserved).unwrap().heads(0).is_none());
    }
}
