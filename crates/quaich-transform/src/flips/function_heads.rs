//! Makes function words heads in Universal Dependencies, where content words are heads: auxiliaries, adpositions,
//! copulas and subordinating conjunctions.

use super::{Arrangement, Flips};
use crate::entry::{Choice, Chosen, Entry, Word};

/// The order from the top of a chain down, if words are on both sides of their head.
const LABELS: [&str; 4] = ["mark", "case", "aux", "cop"];

pub(crate) const ENTRY: Entry = Entry {
    name: "function-heads",
    help: "makes function words the heads of content words in Universal Dependencies; all, or some: aux+case",
    losses: "nothing",
    choices: &[Choice {
        words: &[
            Word { name: "all", help: "all of these" },
            Word { name: "mark", help: "subordinating conjunctions" },
            Word { name: "case", help: "adpositions" },
            Word { name: "aux", help: "auxiliaries" },
            Word { name: "cop", help: "copulas" },
        ],
        several: true,
    }],
    file: None,
    build: |chosen| Ok(Box::new(function_heads(chosen))),
};

fn function_heads(chosen: &Chosen<'_>) -> Flips {
    let all = chosen.given(0).is_none_or(|word| word == 0);
    let is_chosen = |number: usize| all || chosen.all(0).any(|word| word == number + 1);
    let labels = LABELS.iter().enumerate().filter(|&(number, _)| is_chosen(number));
    Flips {
        labels: labels.map(|(_, label)| (*label).to_owned()).collect(),
        tags: Vec::new(),
        arrangement: Arrangement::FunctionHead,
        names: ["function words", "content words", "dependents of content words"],
    }
}
