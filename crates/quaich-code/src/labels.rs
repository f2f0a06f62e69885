//! Labels of encoded trees: the spine of a token, and where its top is attached in the spine of the head.
//!
//! A convertible label is spelled `~leaf|N1|N2|…@a`: the leaf kind if there is one, the nonterminals whose head the token
//! is, lowest first, and the number a of nonterminals in the head's spine below the one that they are attached to. `*` is an
//! empty spine, `N*3` stands for `N|N|N`, and the label of the root has no `@a`. A non-convertible label is the highest
//! nonterminal alone, or `*`. In names, the characters with a meaning are escaped.

use quaich_treebank::Label;
use quaich_treebank::symbols::Symbols;
use rustc_hash::FxHashMap;

use crate::tree::{Kind, Kinds};

/// The longest run `N*3` that is read; a longer one comes from no tree.
const LONGEST_RUN: usize = 1 << 24;

/// A spine of a table of spines.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Spine(u32);

impl Spine {
    /// The spine of a token that heads no nonterminal and has no leaf kind.
    pub(crate) const EMPTY: Self = Self(0);
}

/// What a spine has above a shorter one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Step {
    Leaf(Kind),
    Nonterminal(Kind),
}

/// Spines as a tree of their beginnings, so that adding a nonterminal takes constant time, however long a spine is.
#[derive(Clone, Debug, Default)]
struct Spines {
    /// The shorter spine and the step of each spine but the empty one.
    steps: Vec<(Spine, Step)>,
    index: FxHashMap<(Spine, Step), Spine>,
}

impl Spines {
    fn extend(&mut self, spine: Spine, step: Step) -> Spine {
        *self.index.entry((spine, step)).or_insert_with(|| {
            self.steps.push((spine, step));
            Spine(u32::try_from(self.steps.len()).expect("fewer than 2³² spines"))
        })
    }

    /// Returns the steps of a spine, lowest first.
    fn steps_of(&self, mut spine: Spine) -> Vec<Step> {
        let mut steps = Vec::new();
        while spine != Spine::EMPTY {
            let (shorter, step) = self.steps[spine.0 as usize - 1];
            steps.push(step);
            spine = shorter;
        }
        steps.reverse();
        steps
    }
}

/// A growing table of labels.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelTable {
    spines: Spines,
    index: FxHashMap<(Spine, u32), Label>,
    symbols: Symbols<Label>,
    /// The names of nonterminals of the longest spine.
    longest: usize,
}

/// The attachment of a root.
pub(crate) const NO_ATTACHMENT: u32 = u32::MAX;

impl LabelTable {
    /// Returns the labels and their spelling.
    pub(crate) fn symbols(&self) -> &Symbols<Label> {
        &self.symbols
    }

    /// Returns the number of nonterminals of the longest spine of a label.
    pub(crate) fn longest_spine(&self) -> usize {
        self.longest
    }

    /// Returns the spine of a token that heads no nonterminal.
    pub(crate) fn leaf(&mut self, kind: Kind) -> Spine {
        if kind.is_none() { Spine::EMPTY } else { self.spines.extend(Spine::EMPTY, Step::Leaf(kind)) }
    }

    /// Returns the spine with a nonterminal more.
    pub(crate) fn extend(&mut self, spine: Spine, kind: Kind) -> Spine {
        self.spines.extend(spine, Step::Nonterminal(kind))
    }

    /// Returns the convertible label.
    pub(crate) fn convertible(&mut self, spine: Spine, attachment: u32, kinds: &Kinds) -> Label {
        if let Some(&label) = self.index.get(&(spine, attachment)) {
            return label;
        }
        let steps = self.spines.steps_of(spine);
        let n_nonterminals = steps.iter().filter(|step| matches!(step, Step::Nonterminal(_))).count();
        self.longest = self.longest.max(n_nonterminals);
        let label = self.symbols.intern(&spell(&steps, attachment, kinds));
        self.index.insert((spine, attachment), label);
        label
    }

    /// Returns the non-convertible label.
    pub(crate) fn highest(&mut self, kind: Kind, kinds: &Kinds) -> Label {
        let mut text = String::new();
        if kind.is_none() {
            text.push('*');
        } else {
            escape(kinds.text(kind), &mut text);
        }
        self.symbols.intern(&text)
    }
}

/// Writes a convertible label.
fn spell(steps: &[Step], attachment: u32, kinds: &Kinds) -> String {
    let mut text = String::new();
    let mut rest = steps;
    while let Some(&step) = rest.first() {
        let run = rest.iter().take_while(|&&other| other == step).count();
        rest = &rest[run..];
        if !text.is_empty() {
            text.push('|');
        }
        match step {
            Step::Leaf(kind) => {
                text.push('~');
                escape(kinds.text(kind), &mut text);
            }
            Step::Nonterminal(kind) => escape(kinds.text(kind), &mut text),
        }
        if run > 1 {
            text.push('*');
            text.push_str(&run.to_string());
        }
    }
    if text.is_empty() {
        text.push('*');
    }
    if attachment != NO_ATTACHMENT {
        text.push('@');
        text.push_str(&attachment.to_string());
    }
    text
}

/// The characters with a meaning in labels and rows, and the letters that stand for them after a backslash.
const ESCAPES: [(char, char); 9] = [
    ('\\', '\\'),
    ('|', 'p'),
    ('@', 'a'),
    ('*', 'x'),
    ('~', 'm'),
    (' ', 's'),
    ('\t', 't'),
    ('\n', 'n'),
    ('\r', 'r'),
];

/// Writes the name of a kind as in a label. An empty name and the name `_` are escaped, too.
fn escape(name: &str, out: &mut String) {
    match name {
        "" => return out.push_str("\\e"),
        "_" => return out.push_str("\\u"),
        _ => {}
    }
    for char in name.chars() {
        match ESCAPES.iter().find(|(meaning, _)| *meaning == char) {
            Some((_, letter)) => out.extend(['\\', *letter]),
            None => out.push(char),
        }
    }
}

/// Reads the name of a kind as [`escape`] writes it; what it would not write stands for itself.
fn unescape(text: &str) -> String {
    let mut name = String::new();
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            name.push(char);
            continue;
        }
        match chars.next() {
            Some('e') => {}
            Some('u') => name.push('_'),
            Some(letter) => match ESCAPES.iter().find(|(_, other)| *other == letter) {
                Some((meaning, _)) => name.push(*meaning),
                None => name.extend(['\\', letter]),
            },
            None => name.push('\\'),
        }
    }
    name
}

/// A label as read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ParsedLabel {
    /// The leaf kind, or [`Kind::NONE`].
    pub(crate) leaf: Kind,
    /// The nonterminals, lowest first, equal neighbours as a run.
    pub(crate) runs: Vec<(Kind, usize)>,
    /// Their number.
    pub(crate) n_nonterminals: usize,
    /// The attachment, 0 if there is none.
    pub(crate) attachment: u32,
}

impl ParsedLabel {
    /// The label of a token without one.
    pub(crate) const EMPTY: Self =
        Self { leaf: Kind::NONE, runs: Vec::new(), n_nonterminals: 0, attachment: 0 };

    /// Reads a label. Every text is one: what is no spine is the name of a nonterminal.
    pub(crate) fn read(text: &str, kinds: &mut Kinds) -> Self {
        let (spine, attachment) = match text.rsplit_once('@').map(|(spine, a)| (spine, a.parse())) {
            Some((spine, Ok(attachment))) => (spine, attachment),
            _ => (text, 0),
        };
        let mut label = Self { attachment, ..Self::EMPTY };
        if matches!(spine, "*" | "" | "_") {
            return label;
        }
        for (i, part) in spine.split('|').enumerate() {
            match part.strip_prefix('~') {
                Some(leaf) if i == 0 => label.leaf = kinds.intern(&unescape(leaf)),
                _ => {
                    let (name, run) = match part.rsplit_once('*').map(|(name, run)| (name, run.parse())) {
                        Some((name, Ok(run))) => (name, usize::clamp(run, 1, LONGEST_RUN)),
                        _ => (part, 1),
                    };
                    label.runs.push((kinds.intern(&unescape(name)), run));
                    label.n_nonterminals = label.n_nonterminals.saturating_add(run);
                }
            }
        }
        label
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(leaf: &str, spine: &[&str], attachment: u32) -> String {
        let (mut kinds, mut table) = (Kinds::new(), LabelTable::default());
        let leaf = if leaf.is_empty() { Kind::NONE } else { kinds.intern(leaf) };
        let mut at = table.leaf(leaf);
        let spine: Vec<Kind> = spine.iter().map(|name| kinds.intern(name)).collect();
        for &kind in &spine {
            at = table.extend(at, kind);
        }
        let label = table.convertible(at, attachment, &kinds);
        assert_eq!(table.convertible(at, attachment, &kinds), label);
        let text = table.symbols().text(label).to_owned();
        // It can be read back.
        let read = ParsedLabel::read(&text, &mut kinds);
        let runs = read.runs.iter().flat_map(|&(kind, run)| std::iter::repeat_n(kind, run));
        assert_eq!(runs.collect::<Vec<_>>(), spine);
        assert_eq!((read.leaf, read.n_nonterminals), (leaf, spine.len()));
        assert_eq!(read.attachment, if attachment == NO_ATTACHMENT { 0 } else { attachment });
        text
    }

    #[test]
    fn labels_are_spelled_and_read() {
        assert_eq!(spelled("", &[], NO_ATTACHMENT), "*");
        assert_eq!(spelled("", &[], 2), "*@2");
        assert_eq!(spelled("", &["a", "b"], 0), "a|b@0");
        assert_eq!(spelled("t", &[], 7), "~t@7");
        assert_eq!(spelled("t", &["t", "b", "b", "b", "t"], 1), "~t|t|b*3|t@1");
        assert_eq!(
            spelled("|", &["PRT|ADVP", "*", "@3", "not in", "~x"], 1),
            "~\\p|PRT\\pADVP|\\x|\\a3|not\\sin|\\mx@1"
        );
        assert_eq!(spelled("", &["", "_", "\\"], NO_ATTACHMENT), "\\e|\\u|\\\\");
    }

    #[test]
    fn every_text_is_a_label() {
        let mut kinds = Kinds::new();
        for text in ["", "_", "nsubj:pass", "@", "a@b", "|", "~", "a|~b", "*3", "a*999999999999", "\\", "a\\"]
        {
            ParsedLabel::read(text, &mut kinds);
        }
        assert_eq!(ParsedLabel::read("nsubj", &mut kinds).n_nonterminals, 1);
        assert_eq!(ParsedLabel::read("a*99999999", &mut kinds).n_nonterminals, LONGEST_RUN);
    }
}
