//! What can be chosen on the command line.

use super::marks::Notation;
use super::{CoveredRoots, Encoding, Order, Practice, PseudoProjective, Search};
use crate::entry::{Choice, Chosen, Entry, Word};

pub(crate) const ENTRY: Entry = Entry {
    name: "pseudo-projective",
    help: "makes trees projective by lifting arcs, with labels that tell how to take them down again",
    losses: "tokens whose syntactic head cannot be told from another node by the labels of the encoding; all lifts \
             in trees without labels",
    choices: &[
        Choice {
            words: &[
                Word { name: "head", help: "lifted arcs name the label of their syntactic head: d↑h" },
                Word {
                    name: "head+path",
                    help: "as head, and arcs on the way to the syntactic head are marked: d↑h, p↓",
                },
                Word {
                    name: "path",
                    help: "lifted arcs and arcs on the way to the syntactic head are marked: d↑, p↓",
                },
                Word { name: "baseline", help: "lifted arcs keep their labels, and stay lifted" },
                Word { name: "none", help: "nothing is lifted: for covered roots alone" },
            ],
            several: false,
        },
        ORDER,
        Choice {
            words: &[
                Word { name: "covered-none", help: "nothing is done about covered roots" },
                Word { name: "covered-ignore", help: "arcs over roots are not lifted for them" },
                Word {
                    name: "covered-left",
                    help: "covered roots are hung on the left end of an arc over them: d⇑",
                },
                Word {
                    name: "covered-right",
                    help: "covered roots are hung on the right end of an arc over them: d⇑",
                },
                Word {
                    name: "covered-head",
                    help: "covered roots are hung on the head of an arc over them: d⇑",
                },
            ],
            several: false,
        },
        Choice {
            words: &[
                Word { name: "papers", help: "lifts and searches as in the papers" },
                Word {
                    name: "malt",
                    help: "lifts and searches as in MaltParser, and its marks unless others are asked for",
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
    help: "makes trees projective by lifting arcs, and leaves them so",
    losses: "all lifts",
    choices: &[ORDER],
    file: None,
    build: |chosen| Ok(Box::new(projectivize(chosen))),
};

const ORDER: Choice = Choice {
    words: &[
        Word { name: "shortest", help: "the shortest non-projective arc is lifted first" },
        Word { name: "deepest", help: "the deepest non-projective arc is lifted first" },
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
    // MaltParser's practice brings its marks along.
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
