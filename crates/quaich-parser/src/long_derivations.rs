//! The limit on long derivations in training.

use quaich_transition::configuration::Configuration;

/// The maximum number of transitions per token to learn from. With SWAP, and with Covington's lists, a derivation may have as many
/// transitions as there are pairs of tokens, too many states to keep in memory. Treebank sentences need far fewer: at most 12 per token
/// with SWAP (Basque 3LB), 25 with Covington's lists (Chinese GSD).
pub(crate) const TRANSITIONS_PER_TOKEN: usize = 100;

/// Whether the derivation has reached the limit.
pub(crate) fn is_exhausted(c: &Configuration) -> bool {
    c.n_transitions() >= TRANSITIONS_PER_TOKEN * c.n_tokens()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use quaich_testkit::treebanks;
    use quaich_transition::gold::Gold;
    use quaich_transition::oracle::derives;
    use quaich_transition::systems::{Options, SYSTEMS};
    use quaich_treebank::{ReadOptions, Reader, Symbols};

    use super::*;

    #[test]
    fn no_sentence_of_a_treebank_is_learned_from_in_part() {
        let Some(folder) = treebanks() else { return };
        let entries = |folder: PathBuf| {
            std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path())
        };
        let is_treebank =
            |path: &PathBuf| path.extension().is_some_and(|end| end == "conllu" || end == "conll");
        let files = entries(folder).flat_map(entries).filter(is_treebank);
        let (mut gold, mut c, mut n_trees) = (Gold::new(), Configuration::new(), 0);
        for file in files {
            for sentence in Reader::open(&file, &ReadOptions::default()).unwrap().sentences() {
                let tree = sentence.unwrap().tree(&mut Symbols::new());
                if !tree.is_well_formed() {
                    continue;
                }
                n_trees += 1;
                for entry in SYSTEMS {
                    derives(&*(entry.build)(Options::default()), &tree, &mut gold, &mut c, &mut ());
                    assert!(!is_exhausted(&c), "{}: {} tokens in {file:?}", entry.name, tree.n_tokens());
                }
            }
        }
        assert!(n_trees > 0);
    }
}
