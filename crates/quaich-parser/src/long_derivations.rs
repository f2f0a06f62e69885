//! How much of a long derivation is learned from.

use quaich_transition::configuration::Configuration;

/// The most transitions per token that are learned from in one sentence. With SWAP, and with Covington's lists, a derivation
/// may have as many transitions as there are pairs of tokens, too many to keep all their states. Sentences of treebanks take far
/// fewer: at most 12 per token with SWAP (Basque 3LB), 25 with Covington's lists (Chinese GSD).
pub(crate) const TRANSITIONS_PER_TOKEN: usize = 100;

/// Whether so many transitions are made that nothing more is learned from the sentence.
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
