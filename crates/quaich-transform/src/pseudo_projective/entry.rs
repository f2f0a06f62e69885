//! The options on the command line.

use super::marks::Notation;
use super::{CoveredRoots, Encoding, Order, Practice, PseudoProjective, Search};
use crate::entry::{Choice, Chosen, Entry, Word};

pub(crate) const ENTRY: Entry = Entry {
    name: "pseudo-projective",
    help: "makes trees projective by lifting arcs, with labels that encode how to undo this",
    losses: "tokens whose syntactic head the labels do not distinguish from another node; all lifts in trees \
             without labels",
    choices: &[
        Choice {
            words: &[
                Word {
                    name: "head", help: "marks lifted arcs with the label of their syntactic head: d↑h"
                },
                Word {
                    name: "head+path",
                    help: "like head, and marks arcs on the path to the syntactic head: d↑h, p↓",
                },
                Word {
                    name: "path",
                    help: "marks lifted arcs and arcs on the path to the syntactic head: d↑, p↓",
                },
                Word { name: "baseline", help: "no marks; lifted arcs stay lifted" },
                Word { name: "none", help: "lifts nothing; handles only covered roots" },
            ],
            several: false,
        },
        ORDER,
        Choice {
            words: &[
                Word { name: "covered-none", help: "covered roots are not handled" },
                Word { name: "covered-ignore", help: "arcs over roots are not lifted because of them" },
                Word {
                    name: "covered-left",
                    help: "attaches covered roots to the left end of an arc over them: d⇑",
                },
                Word {
                    name: "covered-right",
                    help: "attaches covered roots to the right end of an arc over them: d⇑",
                },
                Word {
                    name: "covered-head",
                    help: "attaches covered roots to the head of an arc over them: d⇑",
                },
            ],
            several: false,
        },
        Choice {
            words: &[
                Word { name: "papers", help: "lifts and searches as in the papers" },
                Word {
                    name: "malt",
                    help: "lifts and searches as in MaltParser; implies its marks unless others are given",
                },
            ],
            several: false,
        },
        Choice {
            words: &[
                Word { name: "arrows", help: "marks as in the papers: d↑h, d↑, p↓" },
                Word { name: "bars", help: "marks as in MaltParser: d|h, d|, p%" },
            ],
            several: false,
        },
    ],
    file: None,
    build: |chosen| Ok(Box::new(pseudo_projective(chosen))),
};

pub(crate) const PROJECTIVIZE: Entry = Entry {
    name: "projectivize",
    help: "makes trees projective by lifting arcs, without an inverse",
    losses: "all lifts",
    choices: &[ORDER],
    file: None,
    build: |chosen| Ok(Box::new(projectivize(chosen))),
};

const ORDER: Choice = Choice {
    words: &[
        Word { name: "shortest", help: "lifts the shortest non-projective arc first" },
        Word { name: "deepest", help: "lifts the deepest non-projective arc first" },
    ],
    several: false,
};

const ORDERS: [Order; 2] = [Order::Shortest, Order::Deepest];

fn pseudo_projective(chosen: &Chosen<'_>) -> PseudoProjective {
    let encodings =
        [Encoding::Head, Encoding::HeadPath, Encoding::Path, Encoding::Baseline, Encoding::Unmarked];
    let covered_roots = [
        CoveredRoots::None,
        CoveredRoots::Ignore,
        CoveredRoots::Left,
        CoveredRoots::Right,
        CoveredRoots::Head,
    ];
    let practices = [(Practice::Papers, Search::Papers), (Practice::Malt, Search::Malt)];
    let (practice, search) = practices[chosen.word(3)];
    // `malt` implies MaltParser's marks.
    let notation = chosen.given(4).unwrap_or(chosen.word(3));
    PseudoProjective {
        encoding: encodings[chosen.word(0)],
        order: ORDERS[chosen.word(1)],
        covered_roots: covered_roots[chosen.word(2)],
        practice,
        notation: [Notation::Arrows, Notation::Bars][notation],
        search,
    }
}

fn projectivize(chosen: &Chosen<'_>) -> PseudoProjective {
    let transform = PseudoProjective::new(Encoding::Baseline);
    PseudoProjective { order: ORDERS[chosen.word(0)], ..transform }
}
