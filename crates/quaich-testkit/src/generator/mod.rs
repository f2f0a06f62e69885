//! Made-up treebanks of any size in CoNLL-U, for tests and benchmarks. The same settings give the
//! same bytes.
//!
//! Sentences grow from a small grammar, so that a parser has something to learn; words follow
//! Zipf's law. Trees have one root. A chosen share of the sentences is made non-projective by moving
//! one subtree to the front or to the end, as questions and heavy phrases do.

mod grammar;
mod words;

use std::io::{self, Write};

use quaich_treebank::shape::Shapes;
use quaich_treebank::symbols::Label;
use quaich_treebank::tree::{Node, Tree};

use self::grammar::{Dependent, PUNCTUATION, Tag};
use self::words::Word;
use crate::random::Random;

/// What treebank to make.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The seed of all choices.
    pub seed: u64,
    /// Sentences are written until there are at least this many tokens.
    pub n_tokens: u64,
    /// The mean number of tokens in a sentence, roughly.
    pub mean_length: u32,
    /// The share of sentences that are non-projective, from 0 to 1.
    pub nonprojective: f64,
    /// How many nouns there are to choose from; other open classes have fewer in proportion.
    pub n_nouns: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { seed: 1, n_tokens: 10_000, mean_length: 18, nonprojective: 0.1, n_nouns: 20_000 }
    }
}

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Written {
    /// Sentences.
    pub sentences: u64,
    /// Tokens.
    pub tokens: u64,
    /// Sentences whose tree is not projective.
    pub nonprojective_sentences: u64,
}

/// Writes a treebank. Memory does not depend on its size.
pub fn write(settings: &Settings, out: &mut impl Write) -> io::Result<Written> {
    let mut random = Random::new(settings.seed);
    let mut sentence = Draft::default();
    let mut text = String::new();
    let mut written = Written::default();
    while written.tokens < settings.n_tokens {
        written.sentences += 1;
        sentence.grow(&mut random, settings.mean_length);
        // A sentence too short to be made non-projective leaves it to the next.
        #[allow(clippy::cast_precision_loss, reason = "counts far below 2⁵²")]
        let due = (written.nonprojective_sentences + 1) as f64
            <= settings.nonprojective * written.sentences as f64 + 1e-9;
        if due && sentence.make_nonprojective(&mut random) {
            written.nonprojective_sentences += 1;
        }
        text.clear();
        sentence.print(&mut random, settings.n_nouns, written.sentences, &mut text);
        out.write_all(text.as_bytes())?;
        written.tokens += sentence.order.len() as u64;
    }
    Ok(written)
}

/// A treebank as text.
///
/// # Panics
/// Never: writing to memory does not fail.
pub fn text(settings: &Settings) -> String {
    let mut out = Vec::new();
    write(settings, &mut out).expect("writing to memory does not fail");
    String::from_utf8(out).expect("the generator writes UTF-8")
}

/// A sentence in the making. Items are in the order in which they were added, the root first.
#[derive(Default)]
struct Draft {
    items: Vec<Item>,
    /// The items in the order of the sentence.
    order: Vec<usize>,
    /// The token number of each item.
    place: Vec<u32>,
    /// Items that may still get dependents.
    open: Vec<usize>,
    /// Items by head and place, and where those of each head begin.
    children: Vec<usize>,
    starts: Vec<usize>,
    tree: Tree,
    shapes: Shapes,
    words: Vec<Word>,
}

struct Item {
    tag: Tag,
    label: &'static str,
    /// The item this hangs on; the root names itself.
    head: usize,
    /// Negative on the left of the head, positive on the right; larger is further away.
    distance: i8,
    /// The dependents of the grammar that were used up, a bit each.
    used: u32,
}

impl Draft {
    /// A new projective sentence.
    fn grow(&mut self, random: &mut Random, mean_length: u32) {
        // The sum of two exponential draws: few very short sentences, a long tail.
        let draw = -((1.0 - random.unit()).ln() + (1.0 - random.unit()).ln()) / 2.0;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive and small")]
        let length = (draw * f64::from(mean_length)).min(f64::from(mean_length) * 8.0) as usize + 1;
        self.items.clear();
        self.open.clear();
        let tag = if random.chance(0.9) { Tag::Verb } else { Tag::Noun };
        self.add(Item { tag, label: "root", head: 0, distance: 0, used: 0 });
        let with_stop = length > 2;
        while self.items.len() + usize::from(with_stop) < length {
            let open = random.index(self.open.len());
            let head = self.open[open];
            self.add_dependent(random, head);
        }
        if with_stop {
            self.add(Item { tag: Tag::Punct, label: PUNCTUATION, head: 0, distance: i8::MAX, used: 0 });
        }
        self.put_in_order();
    }

    fn add(&mut self, item: Item) -> usize {
        let index = self.items.len();
        if !item.tag.dependents().is_empty() {
            self.open.push(index);
        }
        self.items.push(item);
        index
    }

    /// One more dependent, with the preposition or conjunction that goes with it.
    fn add_dependent(&mut self, random: &mut Random, head: usize) {
        let dependents = self.items[head].tag.dependents();
        let chosen = random.index(dependents.len());
        let Dependent { weight, tag, label, distance, once, with } = dependents[chosen];
        let used = self.items[head].used & (1 << chosen) != 0;
        if used || !random.chance(f64::from(weight) / 10.0) {
            return;
        }
        if once {
            self.items[head].used |= 1 << chosen;
        }
        let item = self.add(Item { tag, label, head, distance, used: 0 });
        if let Some((tag, label)) = with {
            self.add(Item { tag, label, head: item, distance: -100, used: 0 });
        }
    }

    /// Puts every item between its left and its right dependents.
    fn put_in_order(&mut self) {
        let n = self.items.len();
        self.children.clear();
        self.children.extend(1..n);
        self.children.sort_by_key(|&item| (self.items[item].head, self.items[item].distance));
        self.starts.clear();
        self.starts.extend((0..=n).map(|head| self.children.partition_point(|&c| self.items[c].head < head)));
        self.order.clear();
        // Each item waits twice: first to make room for its dependents, then to be placed.
        let mut waiting = vec![(0, false)];
        while let Some((item, expanded)) = waiting.pop() {
            if expanded {
                self.order.push(item);
                continue;
            }
            let children = &self.children[self.starts[item]..self.starts[item + 1]];
            let left = children.partition_point(|&child| self.items[child].distance < 0);
            waiting.extend(children[left..].iter().rev().map(|&child| (child, false)));
            waiting.push((item, true));
            waiting.extend(children[..left].iter().rev().map(|&child| (child, false)));
        }
        self.number();
    }

    /// Gives the items their token numbers and makes the tree.
    fn number(&mut self) {
        self.place.clear();
        self.place.resize(self.items.len(), 0);
        for (token, &item) in (1..).zip(&self.order) {
            self.place[item] = token;
        }
        self.tree.reset(self.items.len());
        for (index, item) in self.items.iter().enumerate() {
            let head = if index == 0 { 0 } else { self.place[item.head] };
            self.tree.set(Node(self.place[index]), Node(head), Label::NONE);
        }
    }

    /// Moves one subtree to the front or to the end so that its arc becomes non-projective; says whether
    /// that was possible.
    fn make_nonprojective(&mut self, random: &mut Random) -> bool {
        let n = self.items.len();
        for _ in 0..4 * n {
            let moved = random.index(n);
            if self.items[moved].head == 0 || self.items[moved].tag == Tag::Punct {
                continue;
            }
            let before = self.order.clone();
            self.shapes.read(&self.tree).expect("the draft is a tree");
            let skeleton = self.shapes.skeleton();
            let top = Node(self.place[moved]);
            let (block, mut rest): (Vec<usize>, Vec<usize>) =
                before.iter().partition(|&&item| skeleton.dominates(top, Node(self.place[item])));
            let full_stop = rest.last().is_some_and(|&last| self.items[last].tag == Tag::Punct);
            let at = if random.chance(0.5) { 0 } else { rest.len() - usize::from(full_stop) };
            rest.splice(at..at, block);
            self.order = rest;
            self.number();
            self.shapes.read(&self.tree).expect("the draft is a tree");
            if !self.shapes.is_projective() {
                return true;
            }
            self.order = before;
            self.number();
        }
        false
    }

    fn print(&mut self, random: &mut Random, n_nouns: u32, number: u64, text: &mut String) {
        use std::fmt::Write as _;
        self.words.clear();
        self.words.extend(self.order.iter().map(|&item| Word::choose(random, self.items[item].tag, n_nouns)));
        // Writing to a string does not fail.
        let _ = write!(text, "# sent_id = made-up-{number}\n# text = ");
        let glued =
            |place: usize| self.order.get(place + 1).is_some_and(|&next| self.items[next].tag == Tag::Punct);
        for (place, word) in self.words.iter().enumerate() {
            let space = if place + 1 == self.words.len() || glued(place) { "" } else { " " };
            let _ = write!(text, "{}{space}", word.form);
        }
        text.push('\n');
        for (place, (word, &index)) in self.words.iter().zip(&self.order).enumerate() {
            let item = &self.items[index];
            let head = self.tree.head(Node(self.place[index]));
            let misc = if glued(place) { "SpaceAfter=No" } else { "_" };
            let _ = writeln!(
                text,
                "{}\t{}\t{}\t{}\t{}\t{}\t{head}\t{}\t_\t{misc}",
                place + 1,
                word.form,
                word.lemma,
                item.tag.upos(),
                word.xpos,
                word.feats,
                item.label,
            );
        }
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use quaich_treebank::{ReadOptions, Reader, Source};

    use super::*;

    #[test]
    fn the_share_of_nonprojective_sentences_is_as_asked() {
        for (share, seed) in [(0.0, 1), (0.1, 2), (0.5, 3)] {
            let settings = Settings { nonprojective: share, seed, ..Settings::default() };
            let mut out = Vec::new();
            let written = write(&settings, &mut out).unwrap();
            let source = Source::from_stream(io::Cursor::new(out), "made up".into(), None).unwrap();
            let mut found = Written::default();
            let mut shapes = Shapes::default();
            let mut labels = quaich_treebank::Symbols::new();
            for sentence in Reader::new(source, &ReadOptions::default()).unwrap().sentences() {
                let sentence = sentence.unwrap();
                if sentence.n_tokens() == 0 {
                    continue;
                }
                found.sentences += 1;
                found.tokens += sentence.n_tokens() as u64;
                shapes.read(&sentence.tree(&mut labels)).unwrap();
                found.nonprojective_sentences += u64::from(!shapes.is_projective());
            }
            assert_eq!(found, written);
            #[allow(clippy::cast_precision_loss, reason = "small counts")]
            let found_share = found.nonprojective_sentences as f64 / found.sentences as f64;
            assert!((found_share - share).abs() < 0.01, "{found_share} instead of {share}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        let settings = Settings { n_tokens: 500, ..Settings::default() };
        assert_eq!(text(&settings), text(&settings));
        assert_ne!(text(&settings), text(&Settings { seed: 2, ..settings }));
    }
}
