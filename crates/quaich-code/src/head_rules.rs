//! Head rules: which child of a nonterminal is its head.
//!
//! LEFT, RIGHT and FREQ are from Nilsson et al. (2009, section 3.3). TERM, the leftmost terminal child, is MaltParser's
//! default. The paper's FREQ prefers the child whose name is most frequent under nonterminals of that name. "Counting the
//! children's names" can mean every child ([`Counting::Occurrences`], FREQ) or each name once per parent
//! ([`Counting::Parents`], PRES), which is what the paper's remark on mandatory elements says; both are offered.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::head_table::HeadTable;
use crate::tree::{Child, Kind, Kinds, PhraseTree};

/// The names of the head rules, with one line of help each.
pub const HEAD_RULES: [(&str, &str); 5] = [
    ("left", "the first child"),
    ("right", "the last child"),
    ("term", "the first child that is a token, else the first child"),
    ("freq", "the child with the name that is most frequent among all children"),
    ("pres", "the child with the name that most parents of that name have"),
];

/// A head rule.
#[derive(Clone, Debug)]
pub enum HeadRule {
    /// The first child.
    Left,
    /// The last child.
    Right,
    /// The first child that is a token, else the first child.
    Term,
    /// The child with the most frequent name, the first of several.
    Frequent(Frequencies),
    /// Rules by category, from a file.
    Table(HeadTable),
}

/// What is counted of children.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counting {
    /// Every occurrence of a name.
    Occurrences,
    /// The parents that have a child of this name.
    Parents,
}

/// How often names occur under parents of each kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frequencies {
    counting: Counting,
    /// By kind of the parent and name of the child, in the order in which they first occurred.
    counts: Vec<((Kind, Kind), u64)>,
    /// The places in `counts`.
    places: FxHashMap<(Kind, Kind), usize>,
    /// The name that no head has: "exclude the token `;` as a potential head".
    excluded: Kind,
}

impl Frequencies {
    /// Starts to count.
    pub fn new(counting: Counting, kinds: &mut Kinds) -> Self {
        Self { counting, counts: Vec::new(), places: FxHashMap::default(), excluded: kinds.intern(";") }
    }

    /// Counts a tree of the training data. `names` are those of its tokens.
    pub fn add(&mut self, tree: &PhraseTree, names: &[Kind]) {
        let mut seen = FxHashSet::default();
        for (parent, child) in tree.children() {
            let name = name_of(child, tree, names);
            if self.counting == Counting::Occurrences || seen.insert((parent, name)) {
                self.count((tree.kinds()[parent as usize], name), 1);
            }
        }
    }

    /// Adds counts of other trees, whose kinds are in another table.
    pub fn absorb(&mut self, other: &Self, other_kinds: &Kinds, kinds: &mut Kinds) {
        for &((parent, name), count) in &other.counts {
            let [parent, name] = [parent, name].map(|kind| kinds.intern(other_kinds.text(kind)));
            self.count((parent, name), count);
        }
    }

    fn count(&mut self, key: (Kind, Kind), count: u64) {
        let place = *self.places.entry(key).or_insert_with(|| {
            self.counts.push((key, 0));
            self.counts.len() - 1
        });
        self.counts[place].1 += count;
    }

    fn rank(&self, parent: Kind, name: Kind) -> u64 {
        if name == self.excluded {
            return 0;
        }
        self.places.get(&(parent, name)).map_or(1, |&place| self.counts[place].1 + 1)
    }
}

/// Returns the name of a child: the kind of a nonterminal, the leaf kind of a token, or the name of its tag.
fn name_of(child: Child, tree: &PhraseTree, names: &[Kind]) -> Kind {
    match child {
        Child::Nonterminal(node) => tree.kinds()[node as usize],
        Child::Token(token) => match tree.leaf_kinds()[token as usize] {
            Kind::NONE => names[token as usize],
            kind => kind,
        },
    }
}

impl HeadRule {
    /// Returns the head child of each nonterminal. `names` are the names of the tokens' tags, which LEFT, RIGHT and TERM
    /// do not read.
    pub fn head_children(&self, tree: &PhraseTree, names: &[Kind], kinds: &Kinds) -> Vec<Child> {
        let mut heads: Vec<Option<Child>> = vec![None; tree.n_nonterminals()];
        match self {
            Self::Left => choose(tree, &mut heads, |_, _, _| false),
            Self::Right => choose(tree, &mut heads, |_, _, _| true),
            Self::Term => choose(tree, &mut heads, |_, best, child| {
                matches!((best, child), (Child::Nonterminal(_), Child::Token(_)))
            }),
            Self::Frequent(frequencies) => {
                let rank = |parent: u32, child| {
                    frequencies.rank(tree.kinds()[parent as usize], name_of(child, tree, names))
                };
                choose_by(tree, &mut heads, rank, |_, new, best| new > best);
            }
            Self::Table(table) => {
                let table = table.resolve(kinds);
                let kind = |parent: u32| tree.kinds()[parent as usize];
                let rank = |parent, child| table.rank(kind(parent), name_of(child, tree, names));
                let is_better = |parent, new: u32, best: u32| {
                    new < best || (new == best && table.is_from_right(kind(parent), new))
                };
                choose_by(tree, &mut heads, rank, is_better);
            }
        }
        // Every nonterminal has a child.
        heads.into_iter().flatten().collect()
    }
}

/// Sets the head of each nonterminal: its first child, replaced by a later one that is better.
fn choose(tree: &PhraseTree, heads: &mut [Option<Child>], is_better: impl Fn(u32, Child, Child) -> bool) {
    for (parent, child) in tree.children() {
        let head = &mut heads[parent as usize];
        if head.is_none_or(|best| is_better(parent, best, child)) {
            *head = Some(child);
        }
    }
}

/// Like `choose`, by ranks of children, each computed once.
fn choose_by<R: Copy>(
    tree: &PhraseTree,
    heads: &mut [Option<Child>],
    rank: impl Fn(u32, Child) -> R,
    is_better: impl Fn(u32, R, R) -> bool,
) {
    let mut ranks: Vec<Option<R>> = vec![None; heads.len()];
    for (parent, child) in tree.children() {
        let new = rank(parent, child);
        let best = &mut ranks[parent as usize];
        if best.is_none_or(|best| is_better(parent, new, best)) {
            *best = Some(new);
            heads[parent as usize] = Some(child);
        }
    }
}
