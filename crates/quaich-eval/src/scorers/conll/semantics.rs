//! Predicates and their arguments, as counted by the scorer of CoNLL 2009: a predicate is an arc from the root labelled
//! with its sense, an argument is an arc from its predicate.

use std::collections::BTreeMap;

use quaich_treebank::{Node, Sentence};

use super::counts::entry;

/// Predicates and arguments, counted over all sentences.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Semantics {
    /// Predicates.
    pub predicates: Dependencies,
    /// Arguments.
    pub arguments: Dependencies,
    /// Predicates with the correct sense and all arguments correct.
    pub propositions: u64,
    /// Sentences with all predicates and arguments correct.
    pub exact_sentences: u64,
    /// Sentences with all of that and the syntax correct.
    pub exact_with_syntax: u64,
    /// Predicates by part-of-speech tag.
    pub predicates_by_tag: BTreeMap<String, Dependencies>,
    /// Arguments by the tag of their predicate and their label, as in `VB + A0`.
    pub arguments_by_tag: BTreeMap<String, Dependencies>,
}

/// Semantic dependencies.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Dependencies {
    /// In the gold standard.
    pub gold: u64,
    /// In the system's analysis.
    pub system: u64,
    /// At the correct position.
    pub unlabelled: u64,
    /// At the correct position, with the correct sense or label.
    pub labelled: u64,
}

impl Semantics {
    /// Counts a sentence; `tag_column` is the column of tags, `syntax` tells whether all its heads and labels are
    /// correct.
    pub(super) fn add(
        &mut self,
        gold: &Sentence,
        system: &Sentence,
        tag_column: Option<usize>,
        syntax: bool,
    ) {
        let (gold, system) = (propositions(gold, tag_column), propositions(system, tag_column));
        let before = (self.predicates, self.arguments);
        self.add_sizes(&gold, |counts| &mut counts.gold);
        self.add_sizes(&system, |counts| &mut counts.system);
        for one in &gold {
            for other in system.iter().filter(|other| other.token == one.token) {
                self.add_matching(one, other);
            }
        }
        let is_all = |now: Dependencies, then: Dependencies| {
            let labelled = now.labelled - then.labelled;
            now.gold - then.gold == labelled && now.system - then.system == labelled
        };
        let is_exact = is_all(self.predicates, before.0) && is_all(self.arguments, before.1);
        self.exact_sentences += u64::from(is_exact);
        self.exact_with_syntax += u64::from(is_exact && syntax);
    }

    fn add_sizes(&mut self, propositions: &[Proposition<'_>], side: fn(&mut Dependencies) -> &mut u64) {
        for proposition in propositions {
            *side(&mut self.predicates) += 1;
            *side(entry(&mut self.predicates_by_tag, proposition.tag)) += 1;
            for argument in &proposition.arguments {
                *side(&mut self.arguments) += 1;
                *side(entry(&mut self.arguments_by_tag, &proposition.name_of(argument))) += 1;
            }
        }
    }

    /// Counts what two propositions at the same position share.
    fn add_matching(&mut self, gold: &Proposition<'_>, system: &Proposition<'_>) {
        let same_sense = same_sense(gold.sense, system.sense);
        for counts in [&mut self.predicates, entry(&mut self.predicates_by_tag, gold.tag)] {
            counts.unlabelled += 1;
            counts.labelled += u64::from(same_sense);
        }
        self.propositions += u64::from(same_sense && gold.has_arguments_of(system));
        // A token may be an argument several times: each is matched once without its label, and with it if the label is
        // the same.
        let mut taken = vec![false; system.arguments.len()];
        for argument in &gold.arguments {
            let name = gold.name_of(argument);
            let mut is_matched = false;
            for (other, taken) in system.arguments.iter().zip(&mut taken) {
                if other.token != argument.token {
                    continue;
                }
                let is_new = !is_matched && !*taken;
                is_matched |= is_new;
                *taken |= is_new;
                for counts in [&mut self.arguments, entry(&mut self.arguments_by_tag, &name)] {
                    counts.unlabelled += u64::from(is_new);
                    counts.labelled += u64::from(other.label == argument.label);
                }
            }
        }
    }
}

/// A predicate with its arguments.
struct Proposition<'a> {
    token: Node,
    sense: &'a str,
    tag: &'a str,
    arguments: Vec<Argument<'a>>,
}

#[derive(PartialEq, Eq)]
struct Argument<'a> {
    token: Node,
    label: &'a str,
}

impl Proposition<'_> {
    /// Returns the name under which an argument is counted.
    fn name_of(&self, argument: &Argument<'_>) -> String {
        format!("{} + {}", self.tag, argument.label)
    }

    /// Whether the arguments are equal.
    fn has_arguments_of(&self, other: &Self) -> bool {
        self.arguments.len() == other.arguments.len()
            && self.arguments.iter().all(|argument| other.arguments.contains(argument))
    }
}

/// Returns the propositions of a sentence. The k-th predicate has its arguments in the k-th column after PRED.
fn propositions(sentence: &Sentence, tag_column: Option<usize>) -> Vec<Proposition<'_>> {
    let Some(column) = sentence.layout().columns().iter().position(|column| column.name == "PRED") else {
        return Vec::new();
    };
    let mut found: Vec<Proposition<'_>> = sentence
        .tokens()
        .filter(|&token| has_value(sentence.cell(token, column)))
        .map(|token| Proposition {
            token,
            sense: sense(sentence.cell(token, column)),
            tag: tag_column.map_or("_", |column| sentence.cell(token, column)),
            arguments: Vec::new(),
        })
        .collect();
    if found.is_empty() {
        return found;
    }
    for token in sentence.tokens() {
        for (proposition, cell) in found.iter_mut().zip(sentence.extra_cells(token)) {
            if has_value(cell) {
                let mut labels: Vec<&str> = cell.split('|').filter(|label| !label.is_empty()).collect();
                labels.sort_unstable();
                labels.dedup();
                proposition.arguments.extend(labels.into_iter().map(|label| Argument { token, label }));
            }
        }
    }
    found
}

/// The Chinese data of 2009 have a dash instead of an underscore.
fn has_value(cell: &str) -> bool {
    !matches!(cell, "_" | "-")
}

/// Returns the sense of a predicate: the text after the only dot, as in `say.01`, or all of it.
fn sense(predicate: &str) -> &str {
    match predicate.split_once('.') {
        Some((lemma, sense)) if !lemma.is_empty() && !sense.is_empty() && !sense.contains('.') => sense,
        _ => predicate,
    }
}

/// Whether two senses are equal; compared as numbers if both are, so `01` equals `1`.
fn same_sense(one: &str, other: &str) -> bool {
    let is_number = |sense: &str| !sense.is_empty() && sense.bytes().all(|byte| byte.is_ascii_digit());
    if is_number(one) && is_number(other) {
        return one.trim_start_matches('0') == other.trim_start_matches('0');
    }
    one == other
}
