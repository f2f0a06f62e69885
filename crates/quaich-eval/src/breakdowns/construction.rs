//! By construction, for coordination and verb groups as in Nilsson et al. (2006, Table 6): separators (S), conjuncts
//! (C), auxiliaries (A) and main verbs (M). Tokens of the gold standard are grouped by its tree and labels, those of
//! the system by the system's. A token may be in several groups, and most are in none.
//!
//! Groups are determined by labels, of Universal Dependencies and of the Prague treebank, which the paper uses.

use quaich_treebank::{Node, Sentence};

use super::groups::{ArcGroup, UNLABELLED};
use super::{Breakdown, Context, Table, Tally};
use crate::evaluator::SentencePair;

/// The breakdown.
pub(super) struct ByConstruction;

impl Breakdown for ByConstruction {
    fn name(&self) -> &'static str {
        "construction"
    }

    fn about(&self) -> &'static str {
        "precision, recall and F of separators (S) and conjuncts (C) of coordinations, auxiliaries (A) and main verbs (M)"
    }

    fn is_partition(&self) -> bool {
        false
    }

    fn start(&self, _context: &Context) -> Box<dyn Tally> {
        Box::new(Constructions::default())
    }
}

const NAMES: [&str; 4] = ["S", "C", "A", "M"];

#[derive(Default)]
struct Constructions([ArcGroup; NAMES.len()]);

impl Tally for Constructions {
    fn add(&mut self, pair: &SentencePair<'_>) {
        let (gold, system) = (categories(pair.gold), categories(pair.system));
        for (token, token_match) in pair.scored() {
            for (group, place) in self.0.iter_mut().zip(0..) {
                if gold[token.index()][place] {
                    group.add_gold(token_match, token_match.head);
                }
                if system[token.index()][place] {
                    group.add_system(token_match, token_match.head);
                }
            }
        }
    }

    fn table(&self) -> Table {
        Table::of_arcs(&UNLABELLED, NAMES.map(str::to_owned).into_iter().zip(self.0))
    }
}

/// Labels of conjuncts; in the Prague treebank those that end in `_Co`.
const CONJUNCTS: [&str; 2] = ["conj", "conjunct"];
/// Labels of conjunctions.
const CONJUNCTIONS: [&str; 4] = ["cc", "coord", "Coord", "Apos"];
/// Labels of commas and similar punctuation.
const PUNCTUATION: [&str; 5] = ["punct", "pnct", "AuxX", "AuxG", "p"];
/// Labels of auxiliaries.
const AUXILIARIES: [&str; 2] = ["aux", "AuxV"];

/// Returns the categories of every token, by node.
fn categories(sentence: &Sentence) -> Vec<[bool; NAMES.len()]> {
    let mut found = vec![[false; NAMES.len()]; sentence.n_tokens() + 1];
    let plain = |token: Node| sentence.label(token).split(':').next().unwrap_or_default();
    let is_conjunct = |token: Node| CONJUNCTS.contains(&plain(token)) || plain(token).ends_with("_Co");
    let is_conjunction = |token: Node| CONJUNCTIONS.contains(&plain(token));
    for token in sentence.tokens() {
        let head = sentence.heads()[token.index()];
        let head = (head.is_some() && !head.is_root()).then_some(head);
        let [separator, conjunct, auxiliary, _] = &mut found[token.index()];
        *conjunct |= is_conjunct(token);
        // A comma depends on the conjunct that follows it, or on the conjunction.
        let is_comma = PUNCTUATION.contains(&plain(token))
            && head.is_some_and(|head| is_conjunction(head) || (is_conjunct(head) && token < head));
        *separator |= is_conjunction(token) || is_comma;
        *auxiliary |= AUXILIARIES.contains(&plain(token));
        let is_auxiliary = *auxiliary;
        if let Some(head) = head {
            // If conjuncts depend on the first one, that is a conjunct too; if they depend on the conjunction, it is
            // none.
            found[head.index()][1] |= is_conjunct(token) && !is_conjunction(head);
            found[head.index()][3] |= is_auxiliary;
        }
    }
    found
}
