//! Makes function words heads: an auxiliary takes the place of its main verb, which becomes its dependent; and back.
//!
//! ```text
//! before   head ─L─▶ main ─aux─▶ f₁, ─aux:pass─▶ f₂, ─…─▶ others
//! after    head ─L─▶ f₁ ─aux─▶ f₂ ─aux:pass─▶ main, others depend on f₁, f₂ or main
//! ```
//!
//! Every function word of the chain gets the label of the word above it, so no label is lost; only the words that carry
//! them change. Function words with dependents of their own stay in place, marked with `!` at the end of their label.
//! So in a transformed tree, an arc with the label of a function word and without the mark always leads down a chain,
//! and the inverse is exact for every tree.
//!
//! [`verb_groups`] and [`function_heads`] define which words these are, their order in the chain and the attachment of
//! other dependents of the main word.

pub(crate) mod function_heads;
pub(crate) mod verb_groups;

use quaich_treebank::shape::IllFormed;
use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Node, Role, Sentence, Tree};

use crate::profile::matches;
use crate::scratch::Scratch;
use crate::suffixes::Suffixes;
use crate::transform::{Inverse, Transform};

/// Ends the label of a function word that stays in place.
const STAYS: &str = "!";

/// The order of words in a chain, and the attachment of the dependents of its main word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Arrangement {
    /// Function words from left to right; dependents to the left of the rightmost word are attached to the leftmost,
    /// others to the rightmost (Nilsson, Nivre and Hall 2006).
    VerbGroup,
    /// Function words on one side from the farthest to the nearest, and those on both sides by their labels; dependents
    /// are attached to the highest function word between them and the main word, so a projective tree stays projective.
    FunctionHead,
}

/// Function words and their arrangement.
#[derive(Clone, Debug)]
pub(crate) struct Flips {
    /// Their labels, the topmost of a chain first.
    labels: Vec<String>,
    /// Their tags, fine or coarse; any if empty.
    tags: Vec<String>,
    arrangement: Arrangement,
    /// Their names in reports: function words, their main words, dependents of these.
    names: [&'static str; 3],
}

/// The buffers.
#[derive(Clone, Default, Debug)]
pub(crate) struct Buffers {
    heads: Vec<Node>,
    labels: Vec<Label>,
    chain: Vec<Node>,
    /// For each node, the main word of its chain.
    owners: Vec<Node>,
    /// For each node, the next lower word of the chain.
    lower: Vec<Node>,
}

impl Flips {
    fn suffixes() -> Suffixes {
        Suffixes(vec![STAYS.into()])
    }

    /// Whether a token of the original tree is a function word, by its label and tag.
    fn is_function(&self, sentence: &Sentence, tree: &Tree, labels: &Symbols<Label>, token: Node) -> bool {
        let label = tree.label(token);
        // Tests have trees without sentences, where only labels matter.
        let has_tag = || {
            token.index() <= sentence.n_tokens()
                && [Role::CoarseTag, Role::FineTag]
                    .iter()
                    .any(|&role| self.tags.iter().any(|tag| tag == sentence.value(token, role)))
        };
        !label.is_none() && matches(labels.text(label), &self.labels) && (self.tags.is_empty() || has_tag())
    }

    /// Returns the function words above a token, from the top down.
    fn chain(
        &self,
        sentence: &Sentence,
        tree: &Tree,
        labels: &Symbols<Label>,
        children: (&[Node], &dyn Fn(Node) -> bool),
        main: Node,
        chain: &mut Vec<Node>,
    ) {
        let (children, is_leaf) = children;
        chain.clear();
        chain.extend(
            children
                .iter()
                .filter(|&&child| is_leaf(child) && self.is_function(sentence, tree, labels, child)),
        );
        if self.arrangement == Arrangement::FunctionHead {
            let rank = |token: Node| {
                let label = labels.text(tree.label(token));
                self.labels.iter().position(|known| matches(label, std::slice::from_ref(known)))
            };
            // Of two words on the same side the farther one must come first, otherwise arcs would cross.
            let n_left = chain.partition_point(|&word| word < main);
            chain[n_left..].reverse();
            let (mut left, mut right) = (0, n_left);
            let mut merged = Vec::with_capacity(chain.len());
            while merged.len() < chain.len() {
                let (first, second) = (chain[..n_left].get(left), chain.get(right));
                let from_left = match (first, second) {
                    (Some(&first), Some(&second)) => rank(first) <= rank(second),
                    (first, _) => first.is_some(),
                };
                let at = if from_left { &mut left } else { &mut right };
                merged.push(chain[*at]);
                *at += 1;
            }
            *chain = merged;
        }
    }

    /// Returns the new head of a dependent of the main word.
    fn place(&self, dependent: Node, main: Node, chain: &[Node]) -> Node {
        match self.arrangement {
            Arrangement::VerbGroup => {
                let verbs = || chain.iter().copied().chain([main]);
                let (first, last) = (verbs().min().unwrap_or(main), verbs().max().unwrap_or(main));
                if dependent < last { first } else { last }
            }
            Arrangement::FunctionHead => {
                let (first, last) = (dependent.min(main), dependent.max(main));
                chain.iter().copied().find(|&word| first < word && word < last).unwrap_or(main)
            }
        }
    }
}

impl Transform for Flips {
    fn apply(
        &self,
        sentence: &Sentence,
        tree: &mut Tree,
        labels: &mut Symbols<Label>,
        scratch: &mut Scratch,
    ) -> Result<(), IllFormed> {
        let Scratch { shapes, flips: Buffers { heads, labels: new_labels, chain, .. }, .. } = scratch;
        shapes.read(tree)?;
        let skeleton = shapes.skeleton();
        heads.clear();
        heads.extend_from_slice(tree.heads());
        new_labels.clear();
        let suffixes = Self::suffixes();
        let is_leaf = |token: Node| skeleton.children(token).is_empty();
        // Labels as they would be if nothing moved, then as in the chains.
        let spelt = |labels: &mut Symbols<Label>, token: Node| {
            let label = tree.label(token);
            if label.is_none() {
                return label;
            }
            let moves = is_leaf(token)
                && !tree.head(token).is_root()
                && self.is_function(sentence, tree, labels, token);
            let stays = !moves && matches(labels.text(label), &self.labels);
            let text = suffixes.spell(labels.text(label), stays.then_some(0)).into_owned();
            labels.intern(&text)
        };
        new_labels.push(Label::NONE);
        for token in tree.tokens() {
            new_labels.push(spelt(labels, token));
        }
        for main in tree.tokens() {
            let children = skeleton.children(main);
            self.chain(sentence, tree, labels, (children, &is_leaf), main, chain);
            if chain.is_empty() {
                continue;
            }
            for &child in children.iter().filter(|child| !chain.contains(child)) {
                heads[child.index()] = self.place(child, main, chain);
            }
        }
        for main in tree.tokens() {
            self.chain(sentence, tree, labels, (skeleton.children(main), &is_leaf), main, chain);
            let (mut above, mut label) = (heads[main.index()], new_labels[main.index()]);
            for &word in chain.iter() {
                heads[word.index()] = above;
                std::mem::swap(&mut new_labels[word.index()], &mut label);
                above = word;
            }
            heads[main.index()] = above;
            new_labels[main.index()] = label;
        }
        for token in tree.tokens() {
            tree.set(token, heads[token.index()], new_labels[token.index()]);
        }
        Ok(())
    }

    fn inverse(&self, labels: &mut Symbols<Label>) -> Box<dyn Inverse> {
        let mut inverse = FlipsInverse { labels: self.labels.clone(), codes: Vec::new() };
        inverse.extend(labels);
        Box::new(inverse)
    }

    fn constructions(
        &self,
        sentence: &Sentence,
        tree: &Tree,
        labels: &Symbols<Label>,
        scratch: &mut Scratch,
        kinds: &mut [Option<&'static str>],
    ) {
        let Scratch { shapes, flips: Buffers { chain, .. }, .. } = scratch;
        if shapes.read(tree).is_err() {
            return;
        }
        let skeleton = shapes.skeleton();
        let is_leaf = |token: Node| skeleton.children(token).is_empty();
        let [function, main, dependent] = self.names;
        for token in tree.tokens() {
            self.chain(sentence, tree, labels, (skeleton.children(token), &is_leaf), token, chain);
            if !chain.is_empty() {
                kinds[token.index()].get_or_insert(main);
                for child in skeleton.children(token) {
                    let kind = if chain.contains(child) { function } else { dependent };
                    kinds[child.index()].get_or_insert(kind);
                }
            }
        }
    }
}

/// A decoded label.
#[derive(Clone, Copy, Debug)]
struct Code {
    plain: Label,
    /// Whether its arc leads down a chain.
    flipped: bool,
}

/// The decoded labels.
#[derive(Debug)]
struct FlipsInverse {
    labels: Vec<String>,
    codes: Vec<Code>,
}

impl FlipsInverse {
    fn code(&self, label: Label) -> Code {
        self.codes.get(label.index()).copied().unwrap_or(Code { plain: label, flipped: false })
    }
}

impl Inverse for FlipsInverse {
    fn invert(&self, _sentence: &Sentence, tree: &mut Tree, scratch: &mut Scratch) {
        let n_nodes = tree.n_tokens() + 1;
        let is_token = |node: Node| node.is_some() && !node.is_root() && node.index() < n_nodes;
        let Buffers { heads, labels, owners, lower, .. } = &mut scratch.flips;
        lower.clear();
        lower.resize(n_nodes, Node::NONE);
        let mut any = false;
        for token in tree.tokens() {
            let head = tree.head(token);
            if is_token(head) && self.code(tree.label(token)).flipped && lower[head.index()].is_none() {
                lower[head.index()] = token;
                any = true;
            }
        }
        if any {
            owners.clear();
            owners.extend((0..n_nodes).map(Node::from_index));
            heads.clear();
            heads.extend_from_slice(tree.heads());
            labels.clear();
            labels.extend_from_slice(tree.labels());
            for top in tree.tokens() {
                let above = tree.head(top);
                let is_top = !is_token(above) || lower[above.index()] != top;
                // Words that only lead to each other have no top, so every chain ends.
                if !is_top || lower[top.index()].is_none() {
                    continue;
                }
                let mut main = top;
                while lower[main.index()].is_some() {
                    let below = lower[main.index()];
                    labels[main.index()] = tree.label(below);
                    main = below;
                }
                labels[main.index()] = tree.label(top);
                heads[main.index()] = above;
                let mut word = top;
                while word != main {
                    heads[word.index()] = main;
                    owners[word.index()] = main;
                    word = lower[word.index()];
                }
            }
            for token in tree.tokens() {
                let head = heads[token.index()];
                let head = if is_token(head) { owners[head.index()] } else { head };
                tree.set(token, head, labels[token.index()]);
            }
        }
        for token in tree.tokens() {
            tree.set(token, tree.head(token), self.code(tree.label(token)).plain);
        }
    }

    fn unmarked(&self, label: Label) -> Label {
        // Without its mark, an arc would lead down a chain.
        label
    }

    fn keeps(&self, label: Label) -> bool {
        let code = self.code(label);
        code.plain == label && !code.flipped
    }

    fn extend(&mut self, labels: &mut Symbols<Label>) {
        let suffixes = Flips::suffixes();
        while let Some(label) =
            u32::try_from(self.codes.len()).ok().filter(|&at| (at as usize) < labels.len())
        {
            let text = labels.text(Label(label)).to_owned();
            let (plain, mark) = suffixes.read(&text);
            let flipped = mark.is_none() && matches(plain, &self.labels);
            self.codes.push(Code { plain: labels.intern(plain), flipped });
        }
    }
}
