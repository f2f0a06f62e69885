//! Converts coordinations between styles, and back (Nilsson, Nivre and Hall 2006; 2007): which of conjuncts,
//! conjunctions and separators heads which. A [`Profile`] names them in a treebank.
//!
//! Losses. From Prague style, under *c* and *c\** dependents of the whole coordination stay on a conjunct, except under
//! *c\** those whose label usually belongs to the coordination, together with dependents of conjuncts that have such a
//! label; under *c+* and *c+\** labels distinguish most of them. A separator that belongs to a conjunct moves to the
//! conjunction if it is where a separator of the coordination could be. From other styles nothing is lost under *c+*
//! and *c+\**; without marks, nested coordinations are restored as flat ones, and separators may be restored on another
//! conjunct.

mod links;
mod prague;
mod state;

use quaich_treebank::shape::IllFormed;
use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Node, Role, Sentence, Tree};

use crate::entry::{Choice, Chosen, Entry, Word as Name};
use crate::error::{Error, Result};
use crate::profile::{CoordinationProfile, FILE, PROFILES, Profile, Style, matches};
use crate::scratch::Scratch;
use crate::suffixes::Suffixes;
use crate::transform::{Inverse, Transform};
use state::{Mark, State, Word};

pub(crate) const ENTRY: Entry = Entry {
    name: "coordination",
    help: "converts coordinations from the treebank's style to another one",
    losses: "from Prague style, dependents of coordinations and of conjuncts that the labels do not distinguish; from \
             other styles, nested coordinations without marks, and nothing with marks",
    choices: &[
        Choice {
            words: &[
                Name {
                    name: "c+*",
                    help: "marks dependents of the coordination with +, except labels that mostly belong to it",
                },
                Name { name: "c+", help: "marks dependents of the coordination with +" },
                Name {
                    name: "c*",
                    help: "no marks; labels that mostly belong to the coordination return to it",
                },
                Name { name: "c", help: "no marks" },
            ],
            several: false,
        },
        Choice {
            words: &[
                Name {
                    name: "ms", help: "Mel'čuk style: each conjunct heads the next over the conjunction"
                },
                Name {
                    name: "cs",
                    help: "Collins style: each conjunct heads the next, conjunctions depend on the conjunct after them",
                },
                Name { name: "ps", help: "Prague style: the conjunction heads the conjuncts" },
            ],
            several: false,
        },
        PROFILES,
    ],
    file: Some(FILE),
    build: |chosen| Ok(Box::new(Coordination::new(chosen)?)),
};

/// The target style.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    Melcuk,
    Collins,
    Prague,
}

/// How labels mark dependents of coordinations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Variant {
    plus: bool,
    star: bool,
}

/// The transformation.
#[derive(Clone, Debug)]
struct Coordination {
    profile: CoordinationProfile,
    target: Target,
    variant: Variant,
    marks: Vec<Mark>,
    suffixes: Suffixes,
}

/// The buffers.
#[derive(Clone, Default, Debug)]
pub(crate) struct Buffers(State);

impl Coordination {
    fn new(chosen: &Chosen<'_>) -> Result<Self> {
        let (file, profile) = Profile::chosen(chosen, 2)?;
        let wrong = |message: &str| Error::File { file: file.clone(), message: message.to_owned() };
        let profile = profile.coordination.ok_or_else(|| wrong("the profile has no [coordination]"))?;
        let variant = [(true, true), (true, false), (false, true), (false, false)][chosen.word(0)];
        let variant = Variant { plus: variant.0, star: variant.1 };
        let target = match (chosen.given(1), profile.style) {
            (Some(word), _) => [Target::Melcuk, Target::Collins, Target::Prague][word],
            // The style that the treebank does not have: chains through the conjunction already are Mel'čuk style.
            (None, Style::Chain) => Target::Prague,
            (None, Style::Prague | Style::FirstConjunct) => Target::Melcuk,
        };
        match (target, profile.style) {
            (Target::Prague, Style::Prague) => {
                return Err(wrong("coordinations already are in Prague style"));
            }
            (Target::Melcuk, Style::Chain) => {
                return Err(wrong("coordinations already are in Mel'čuk style"));
            }
            _ => {}
        }
        let marks: Vec<Mark> = [
            (Mark::Plus, variant.plus),
            (Mark::Nested, variant.plus && profile.style == Style::FirstConjunct && target != Target::Prague),
            (Mark::Suffix, target == Target::Prague),
        ]
        .iter()
        .filter(|(_, used)| *used)
        .map(|(mark, _)| *mark)
        .collect();
        let spelling = |mark: &Mark| match mark {
            Mark::Plus | Mark::None => "+".into(),
            Mark::Nested => ">".into(),
            Mark::Suffix => profile.conjunct_suffix.clone().into(),
        };
        let suffixes = Suffixes(marks.iter().map(spelling).collect());
        Ok(Self { profile, target, variant, marks, suffixes })
    }

    fn is_prague(&self) -> bool {
        self.profile.style == Style::Prague
    }

    /// Returns a label without the treebank's own suffix, and whether it had one.
    fn stem<'a>(&self, plain: &'a str) -> (&'a str, bool) {
        let stem = plain.strip_suffix(&*self.profile.conjunct_suffix).filter(|_| self.is_prague());
        (stem.unwrap_or(plain), stem.is_some())
    }

    /// Returns the properties of a label, apart from marks.
    fn word(&self, plain: &str) -> Word {
        let profile = &self.profile;
        let (stem, suffix) = self.stem(plain);
        Word {
            conjunction: matches(stem, &profile.conjunctions),
            separator: matches(stem, &profile.separators),
            conjunct: matches(stem, &profile.conjuncts),
            through: matches(stem, &profile.through),
            shared: matches(stem, &profile.shared),
            suffix,
            mark: Mark::None,
        }
    }

    /// Returns the properties of a token by its label and tag.
    fn tagged(&self, sentence: &Sentence, token: Node, word: Word) -> Word {
        let tags = &self.profile.conjunction_tags;
        let has_tag = || {
            token.index() <= sentence.n_tokens()
                && [Role::CoarseTag, Role::FineTag]
                    .iter()
                    .any(|&role| tags.iter().any(|tag| tag == sentence.value(token, role)))
        };
        Word { conjunction: word.conjunction && (tags.is_empty() || has_tag()), ..word }
    }

    /// Reads a tree of the treebank.
    fn read(&self, sentence: &Sentence, tree: &Tree, labels: &Symbols<Label>, state: &mut State) {
        let word = |token: Node| match tree.label(token) {
            Label::NONE => Word::default(),
            label => self.tagged(sentence, token, self.word(labels.text(label))),
        };
        state.fill(tree.heads(), tree.tokens().map(word));
    }
}

impl Transform for Coordination {
    fn apply(
        &self,
        sentence: &Sentence,
        tree: &mut Tree,
        labels: &mut Symbols<Label>,
        scratch: &mut Scratch,
    ) -> std::result::Result<(), IllFormed> {
        scratch.shapes.read(tree)?;
        let state = &mut scratch.coordination.0;
        self.read(sentence, tree, labels, state);
        if self.is_prague() {
            let order = state.bottom_up();
            prague::to_chains(state, &order, self.target, self.variant);
        } else {
            links::transform(state, self.profile.style, self.target, self.variant.plus);
        }
        for token in tree.tokens() {
            let mut label = tree.label(token);
            if !label.is_none() {
                let word = state.word(token);
                let (stem, _) = self.stem(labels.text(label));
                let suffix = if word.suffix { self.profile.conjunct_suffix.as_str() } else { "" };
                let plain = format!("{stem}{suffix}");
                let mark = self.marks.iter().position(|&mark| mark == word.mark);
                label = labels.intern(&self.suffixes.spell(&plain, mark));
            }
            tree.set(token, state.head(token), label);
        }
        Ok(())
    }

    fn inverse(&self, labels: &mut Symbols<Label>) -> Box<dyn Inverse> {
        let mut inverse = CoordinationInverse { transform: self.clone(), codes: Vec::new() };
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
        let state = &mut scratch.coordination.0;
        self.read(sentence, tree, labels, state);
        let mut say = |tokens: &[Node], kind: &'static str| {
            for token in tokens {
                kinds[token.index()].get_or_insert(kind);
            }
        };
        if self.is_prague() {
            for base in state.tokens().filter(|&token| state.word(token).conjunction) {
                if let Some((conjuncts, separators, others)) = prague::members(state, base) {
                    say(&conjuncts, "conjuncts");
                    say(&separators, "conjunctions and separators");
                    say(&others, "dependents of coordinations");
                }
            }
        } else {
            for link in links::links(state, self.profile.style) {
                say(&[link.from, link.to], "conjuncts");
                say(&link.separators, "conjunctions and separators");
            }
        }
    }
}

/// A decoded label.
#[derive(Clone, Copy, Debug)]
struct Code {
    word: Word,
    /// The label without marks, and without the treebank's suffix.
    stem: Label,
    /// The same with the suffix.
    with_suffix: Label,
    /// The simpler label to fall back on, if any.
    unmarked: Label,
}

/// The decoded labels.
#[derive(Debug)]
struct CoordinationInverse {
    transform: Coordination,
    codes: Vec<Code>,
}

impl CoordinationInverse {
    fn code(&self, label: Label) -> Code {
        let unknown = Code { word: Word::default(), stem: label, with_suffix: label, unmarked: label };
        self.codes.get(label.index()).copied().unwrap_or(unknown)
    }

    /// Whether a label is relevant to coordination.
    fn matters(word: Word) -> bool {
        word.conjunction || word.conjunct || word.mark != Mark::None
    }
}

impl Inverse for CoordinationInverse {
    fn invert(&self, sentence: &Sentence, tree: &mut Tree, scratch: &mut Scratch) {
        let Self { transform, .. } = self;
        let any = tree.labels()[1..].iter().any(|&label| Self::matters(self.code(label).word));
        if !any {
            for token in tree.tokens() {
                let code = self.code(tree.label(token));
                let label = if code.word.suffix { code.with_suffix } else { code.stem };
                tree.set(token, tree.head(token), label);
            }
            return;
        }
        let state = &mut scratch.coordination.0;
        let word = |token: Node| transform.tagged(sentence, token, self.code(tree.label(token)).word);
        state.fill(tree.heads(), tree.tokens().map(word));
        if transform.is_prague() {
            prague::from_chains(state, transform.target, transform.variant);
        } else {
            links::invert(state, transform.profile.style, transform.target);
        }
        for token in tree.tokens() {
            let code = self.code(tree.label(token));
            let label = if state.word(token).suffix { code.with_suffix } else { code.stem };
            tree.set(token, state.head(token), label);
        }
    }

    fn unmarked(&self, label: Label) -> Label {
        self.code(label).unmarked
    }

    fn keeps(&self, label: Label) -> bool {
        let code = self.code(label);
        let same = if code.word.suffix { code.with_suffix } else { code.stem };
        same == label && !Self::matters(code.word)
    }

    fn extend(&mut self, labels: &mut Symbols<Label>) {
        let transform = &self.transform;
        while let Some(label) =
            u32::try_from(self.codes.len()).ok().filter(|&at| (at as usize) < labels.len())
        {
            let text = labels.text(Label(label)).to_owned();
            let (plain, mark) = transform.suffixes.read(&text);
            let mark = mark.map_or(Mark::None, |number| transform.marks[number]);
            let word = Word { mark, ..transform.word(plain) };
            let (stem, _) = transform.stem(plain);
            let stem_label = labels.intern(stem);
            let with_suffix = if transform.is_prague() {
                // No label gets the suffix twice, so this terminates.
                labels.intern(&format!("{stem}{}", transform.profile.conjunct_suffix))
            } else {
                stem_label
            };
            let spelt = transform.suffixes.spell(plain, None);
            let unmarked = match mark {
                Mark::Plus | Mark::Nested => labels.get(&spelt).unwrap_or(Label(label)),
                Mark::None | Mark::Suffix => Label(label),
            };
            self.codes.push(Code { word, stem: stem_label, with_suffix, unmarked });
        }
    }
}
