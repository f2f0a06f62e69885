//! Selects the features of FEATS that are most informative about attachment, from a treebank.
//!
//! A bundle of all features is too rare to learn from, and a single feature is not informative enough. In between is a
//! tag made of the coarse tag and the few features that matter in a language: mostly case and verb form in Latin.
//! Feature models call it `m`.
//!
//! Features are selected greedily. The attachment of a token is y = (tag of its head, direction, label); a selection is
//! scored by the cross-entropy of y given the tag and the selected features, on one half of the sentences with counts
//! from the other and vice versa. Counts are smoothed by back-off: from tag and features to the tag, from the tag to
//! nothing.

use quaich_treebank::symbols::{Symbols, Tag};
use quaich_treebank::{Node, Role, Sentence, Tree};
use rustc_hash::FxHashMap;

use crate::cells::{Pieces, value_of};
use crate::value::TokenValue;

/// The approximate number of tokens used: enough for reliable counts, few enough to be fast.
const MAX_TOKENS: usize = 100_000;
/// The least frequency of a feature, in tokens per thousand.
const MIN_PER_MILLE: usize = 5;
/// The least gain of a selected feature, in nats per token.
const MIN_GAIN: f64 = 0.003;
/// The least advantage of the fine tag over the selected features to replace them, in nats per token.
const BETTER: f64 = 0.02;
/// The most features selected.
const MAX_FEATURES: usize = 6;
/// The most features selected if most features are bare, that is, have only one value.
const MAX_BARE_FEATURES: usize = 8;
/// The weight of the back-off distribution, in tokens.
const BACK_OFF: f64 = 8.0;

/// Returns the coarse tag (or the fine tag if there is none) and the features of FEATS that are most informative about
/// attachment; nothing if no feature is informative or if the fine tag is more so. The result is the same on every
/// processor.
pub fn choose<'a>(sentences: impl Iterator<Item = (&'a Sentence, &'a Tree)>) -> Vec<TokenValue> {
    let sentences = evenly_spaced(sentences.collect());
    let role = if is_constant(&sentences, Role::CoarseTag) { Role::FineTag } else { Role::CoarseTag };
    if is_constant(&sentences, Role::Feats) {
        return Vec::new();
    }
    let Observations { mut items, bundles } = observe(&sentences, role, Role::Feats);
    let n_tokens: usize = items.iter().map(|item| item.counts.iter().sum::<u32>() as usize).sum();
    let mut candidates = candidates(&bundles, &items, n_tokens);
    let n_bare = candidates.iter().filter(|candidate| candidate.is_bare).count();
    let most = if n_bare * 2 > candidates.len() { MAX_BARE_FEATURES } else { MAX_FEATURES };
    let nothing =
        Candidate { name: String::new(), values: vec![0; bundles.len()], n_values: 1, is_bare: false };
    let mut loss = cross_entropy(&items, &nothing);
    let mut chosen = vec![TokenValue::whole(role)];
    while chosen.len() <= most {
        let losses: Vec<f64> = candidates.iter().map(|candidate| cross_entropy(&items, candidate)).collect();
        // In a tie, the first is selected.
        let best = (0..losses.len()).min_by(|&a, &b| losses[a].total_cmp(&losses[b]));
        #[allow(clippy::cast_precision_loss, reason = "far fewer than 2⁵² tokens")]
        let Some(best) = best.filter(|&best| loss - losses[best] >= MIN_GAIN * n_tokens as f64) else {
            break;
        };
        loss = losses[best];
        let candidate = candidates.remove(best);
        refine(&mut items, &candidate);
        chosen.push(TokenValue::feature(candidate.name));
    }
    let fine = observe(&sentences, role, Role::FineTag);
    let given_fine = cross_entropy(&fine.items, &Candidate::whole(&fine.bundles));
    #[allow(clippy::cast_precision_loss, reason = "far fewer than 2⁵² tokens")]
    let is_better = given_fine + BETTER * (n_tokens as f64) < loss;
    if chosen.len() > 1 && !is_better { chosen } else { Vec::new() }
}

/// Returns enough sentences from all parts of the treebank.
fn evenly_spaced<'a>(sentences: Vec<(&'a Sentence, &'a Tree)>) -> Vec<(&'a Sentence, &'a Tree)> {
    let n_tokens: usize = sentences.iter().map(|(sentence, _)| sentence.n_tokens()).sum();
    let step = n_tokens.div_ceil(MAX_TOKENS).max(1);
    sentences.into_iter().step_by(step).collect()
}

fn is_constant(sentences: &[(&Sentence, &Tree)], role: Role) -> bool {
    let mut cells = sentences
        .iter()
        .flat_map(|(sentence, _)| sentence.tokens().map(move |token| sentence.value(token, role)));
    let first = cells.next();
    cells.all(|cell| Some(cell) == first)
}

/// Tokens with the same properties.
#[derive(Clone, Debug)]
struct Item {
    /// Tag and selected features, numbered.
    context: u32,
    /// Their attachment, numbered.
    outcome: u32,
    /// Their FEATS, or other observed cells, numbered.
    bundle: u32,
    /// Their number in each half of the sentences.
    counts: [u32; 2],
    /// The probability of the outcome given the tag, estimated from the other half.
    given_tag: [f64; 2],
}

struct Observations {
    /// Sorted by context and outcome.
    items: Vec<Item>,
    bundles: Symbols<Tag>,
}

/// Counts attachments by tag, and by the cells of another column.
fn observe(sentences: &[(&Sentence, &Tree)], role: Role, cells: Role) -> Observations {
    const ROOT: u32 = u32::MAX;
    let (mut tags, mut bundles) = (Symbols::<Tag>::new(), Symbols::<Tag>::new());
    let mut outcomes: FxHashMap<(u32, bool, u32), u32> = FxHashMap::default();
    let mut tokens = Vec::new();
    for (half, (sentence, tree)) in [0usize, 1].into_iter().cycle().zip(sentences) {
        let mut tag = |token: Node| tags.intern(sentence.value(token, role)).0;
        for token in sentence.tokens() {
            let head = tree.head(token);
            if head.is_none() {
                continue;
            }
            let head_tag = if head.is_root() { ROOT } else { tag(head) };
            let next = u32::try_from(outcomes.len()).expect("no more outcomes than tokens");
            let outcome = *outcomes.entry((head_tag, head > token, tree.label(token).0)).or_insert(next);
            let bundle = bundles.intern(sentence.value(token, cells)).0;
            tokens.push((tag(token), outcome, bundle, half));
        }
    }
    tokens.sort_unstable();
    let mut items: Vec<Item> = Vec::new();
    for (context, outcome, bundle, half) in tokens {
        let same = |item: &Item| (item.context, item.outcome, item.bundle) == (context, outcome, bundle);
        if !items.last().is_some_and(same) {
            items.push(Item { context, outcome, bundle, counts: [0; 2], given_tag: [0.0; 2] });
        }
        let last = items.len() - 1;
        items[last].counts[half] += 1;
    }
    back_off(&mut items, outcomes.len());
    Observations { items, bundles }
}

/// Computes the probabilities given the tag; contexts are tags here.
fn back_off(items: &mut [Item], n_outcomes: usize) {
    let mut of_outcome = vec![[0u32; 2]; n_outcomes];
    for item in items.iter() {
        add(&mut of_outcome[item.outcome as usize], item.counts);
    }
    let n_tokens = sum(items);
    let n_seen = [0, 1].map(|half| of_outcome.iter().filter(|counts| counts[half] > 0).count());
    for tag in items.chunk_by_mut(|a, b| a.context == b.context) {
        let of_tag = sum(tag);
        for group in tag.chunk_by_mut(|a, b| a.outcome == b.outcome) {
            let of_both = sum(group);
            let of_outcome = of_outcome[group[0].outcome as usize];
            let given_tag = [0, 1].map(|held_out| {
                let other = 1 - held_out;
                // One for every outcome that was seen, and one for all others.
                #[allow(clippy::cast_precision_loss, reason = "far fewer than 2⁵² outcomes")]
                let total = f64::from(n_tokens[other]) + n_seen[other] as f64 + 1.0;
                smoothed(of_both[other], of_tag[other], (f64::from(of_outcome[other]) + 1.0) / total)
            });
            for item in group {
                item.given_tag = given_tag;
            }
        }
    }
}

/// A candidate feature.
#[derive(Clone, Debug)]
struct Candidate {
    name: String,
    /// For each bundle the value, numbered from 1; 0 if there is none.
    values: Vec<u32>,
    n_values: usize,
    /// Whether it has only one value.
    is_bare: bool,
}

/// Returns the features that are frequent enough, in first-seen order.
fn candidates(bundles: &Symbols<Tag>, items: &[Item], n_tokens: usize) -> Vec<Candidate> {
    let mut frequency = vec![0usize; bundles.len()];
    for item in items {
        frequency[item.bundle as usize] += item.counts.iter().sum::<u32>() as usize;
    }
    let mut names = Symbols::<Tag>::new();
    let mut with_name: Vec<usize> = Vec::new();
    for (bundle, text) in bundles.iter() {
        Pieces::Listed.visit(text, |name, _| {
            let name = names.intern(name).index();
            with_name.resize(names.len(), 0);
            with_name[name] += frequency[bundle.index()];
        });
    }
    let mut found = Vec::new();
    for (name, &n) in names.iter().map(|(_, name)| name).zip(&with_name) {
        // A feature without a name cannot be used.
        if n * 1000 >= MIN_PER_MILLE * n_tokens && !name.is_empty() {
            found.push(Candidate::new(name, bundles));
        }
    }
    found
}

impl Candidate {
    /// Returns the candidate of whole bundles.
    fn whole(bundles: &Symbols<Tag>) -> Self {
        let values: Vec<u32> = (1u32..).take(bundles.len()).collect();
        Self { name: String::new(), n_values: 1 + values.len(), values, is_bare: false }
    }

    fn new(name: &str, bundles: &Symbols<Tag>) -> Self {
        let mut known = Symbols::<Tag>::new();
        let mut is_bare = true;
        let mut values = vec![0; bundles.len()];
        for (value, (_, text)) in values.iter_mut().zip(bundles.iter()) {
            Pieces::Listed.visit(text, |held, piece| {
                // Of several values, templates see the first.
                if held == name && *value == 0 {
                    *value = 1 + known.intern(value_of(piece)).0;
                    is_bare &= piece == name;
                }
            });
        }
        Self { name: name.to_owned(), values, n_values: 1 + known.len(), is_bare }
    }
}

/// Returns the cross-entropy of the outcomes given contexts and a feature, summed over all tokens, in nats.
fn cross_entropy(items: &[Item], candidate: &Candidate) -> f64 {
    let value = |item: &Item| candidate.values[item.bundle as usize] as usize;
    let mut of_context = vec![[0u32; 2]; candidate.n_values];
    let mut of_both = vec![[0u32; 2]; candidate.n_values];
    let mut loss = 0.0;
    for context in items.chunk_by(|a, b| a.context == b.context) {
        for item in context {
            of_context[value(item)] = [0; 2];
        }
        for item in context {
            add(&mut of_context[value(item)], item.counts);
        }
        for group in context.chunk_by(|a, b| a.outcome == b.outcome) {
            for item in group {
                add(&mut of_both[value(item)], item.counts);
            }
            for item in group {
                // The first item with this value handles the tokens of all of them.
                let counts = std::mem::take(&mut of_both[value(item)]);
                for held_out in [0, 1] {
                    if counts[held_out] > 0 {
                        let other = 1 - held_out;
                        let total = of_context[value(item)][other];
                        let probability = smoothed(counts[other], total, item.given_tag[held_out]);
                        loss -= f64::from(counts[held_out]) * ln(probability);
                    }
                }
            }
        }
    }
    loss
}

/// Splits the contexts of items by a feature.
fn refine(items: &mut [Item], candidate: &Candidate) {
    let value = |item: &Item| candidate.values[item.bundle as usize];
    items.sort_by_key(|item| (item.context, value(item), item.outcome, item.bundle));
    let (mut before, mut number) = (None, 0);
    for item in items {
        let key = (item.context, value(item));
        if before.is_some_and(|before| before != key) {
            number += 1;
        }
        before = Some(key);
        item.context = number;
    }
}

fn add(counts: &mut [u32; 2], more: [u32; 2]) {
    counts[0] += more[0];
    counts[1] += more[1];
}

fn sum(items: &[Item]) -> [u32; 2] {
    items.iter().fold([0; 2], |mut counts, item| {
        add(&mut counts, item.counts);
        counts
    })
}

/// Returns a probability from counts, smoothed by that of a more general context.
fn smoothed(count: u32, total: u32, general: f64) -> f64 {
    (f64::from(count) + BACK_OFF * general) / (f64::from(total) + BACK_OFF)
}

/// Returns the natural logarithm of a positive normal number. The standard library's may differ in the last digit
/// between systems, and so might the selection; this uses additions, multiplications and divisions in a fixed order.
fn ln(x: f64) -> f64 {
    const FRACTION: u64 = (1 << 52) - 1;
    let bits = x.to_bits();
    let mut exponent = f64::from(u16::try_from(bits >> 52).unwrap_or(u16::MAX)) - 1023.0;
    let mut fraction = f64::from_bits(bits & FRACTION | 1.0f64.to_bits());
    if fraction > std::f64::consts::SQRT_2 {
        fraction *= 0.5;
        exponent += 1.0;
    }
    // ln m = 2 artanh s for s = (m − 1) / (m + 1), and |s| < 0.172: ten terms are enough.
    let s = (fraction - 1.0) / (fraction + 1.0);
    let square = s * s;
    let series = (0..10u8).rev().fold(0.0, |sum, i| sum * square + 1.0 / (2.0 * f64::from(i) + 1.0));
    exponent * std::f64::consts::LN_2 + 2.0 * s * series
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use quaich_treebank::formats::{by_name, conllu};
    use quaich_treebank::{Label, Layout, ReadOptions, Reader};

    use super::*;

    type Treebank = Vec<(Sentence, Tree)>;

    /// Returns sentences of nouns with a final verb: `n` times, each noun with one of the FEATS in turn, and a label
    /// from `label`.
    fn treebank(layout: Layout, n: usize, feats: &[&str], label: impl Fn(&str) -> &'static str) -> Treebank {
        let layout = Arc::new(layout);
        let mut labels = Symbols::<Label>::new();
        let mut feats = feats.iter().cycle();
        let mut treebank = Vec::new();
        for _ in 0..n {
            let mut text = String::new();
            for token in 1..=3 {
                let feats = feats.next().unwrap();
                text += &row(&layout, token, "NOUN", feats, 4, label(feats));
            }
            text += &row(&layout, 4, "VERB", "_", 0, "root");
            let mut sentence = Sentence::empty(Arc::clone(&layout));
            sentence.read_block(&layout, text.as_bytes(), 1, &mut Vec::new());
            let tree = sentence.tree(&mut labels);
            treebank.push((sentence, tree));
        }
        treebank
    }

    fn row(layout: &Layout, id: usize, tag: &str, feats: &str, head: usize, label: &str) -> String {
        let cells: Vec<String> = layout
            .columns()
            .iter()
            .map(|column| match column.role {
                Role::Id => id.to_string(),
                Role::CoarseTag | Role::FineTag => tag.to_owned(),
                Role::Feats => feats.to_owned(),
                Role::Head => head.to_string(),
                Role::Label => label.to_owned(),
                _ => "_".to_owned(),
            })
            .collect();
        cells.join("\t") + "\n"
    }

    fn chosen(treebank: &Treebank) -> String {
        let sentences = treebank.iter().map(|(sentence, tree)| (sentence, tree));
        choose(sentences).iter().map(ToString::to_string).collect::<Vec<String>>().join("&")
    }

    #[test]
    fn informative_features_are_selected() {
        let feats = [
            "Case=Nom|Number=Sing",
            "Case=Acc|Number=Sing",
            "Case=Nom|Number=Plur",
            "Case=Acc|Number=Plur",
            "Case=Acc|Number=Sing",
        ];
        let label = |feats: &str| if feats.contains("Nom") { "nsubj" } else { "obj" };
        assert_eq!(chosen(&treebank(conllu::layout(), 60, &feats, label)), "p&f.Case");
        let both = |feats: &str| match (feats.contains("Nom"), feats.contains("Sing")) {
            (true, true) => "a",
            (true, false) => "b",
            (false, true) => "c",
            (false, false) => "d",
        };
        assert_eq!(chosen(&treebank(conllu::layout(), 60, &feats, both)), "p&f.Case&f.Number");
    }

    #[test]
    fn bare_features_are_features() {
        let feats = ["ABS|MG", "ERG|MG", "ERG", "ABS"];
        let label = |feats: &str| if feats.contains("ERG") { "nsubj" } else { "obj" };
        assert_eq!(chosen(&treebank(conllu::layout(), 60, &feats, label)), "p&f.ABS");
    }

    #[test]
    fn fine_tags_serve_where_there_are_no_coarse_ones() {
        let feats = ["Case=Nom", "Case=Acc"];
        let label = |feats: &str| if feats.contains("Nom") { "nsubj" } else { "obj" };
        assert_eq!(chosen(&treebank(by_name("conll09").unwrap().layout(), 60, &feats, label)), "t&f.Case");
    }

    #[test]
    fn nothing_is_chosen_where_nothing_is_said() {
        let label = |_: &str| "dep";
        assert_eq!(chosen(&treebank(conllu::layout(), 60, &["_"], label)), "");
        assert_eq!(chosen(&treebank(conllu::layout(), 60, &["Case=Nom", "Case=Acc"], label)), "");
        assert_eq!(chosen(&Treebank::new()), "");
        assert_eq!(chosen(&treebank(conllu::layout(), 1, &["Case=Nom", "_"], label)), "");
    }

    #[test]
    fn rare_features_are_ignored() {
        // One noun in 300 has it: one token in 400.
        let mut feats = vec!["_"; 299];
        feats.push("Foreign=Yes");
        let label = |feats: &str| if feats == "_" { "obj" } else { "flat" };
        assert_eq!(chosen(&treebank(conllu::layout(), 1000, &feats, label)), "");
    }

    #[test]
    fn latin_attaches_by_case() {
        let Some(folder) = quaich_testkit::treebanks() else { return };
        let path = folder.join("latin-perseus/train.conllu");
        let mut labels = Symbols::<Label>::new();
        let reader = Reader::open(path, &ReadOptions::default()).unwrap();
        let sentences: Vec<Sentence> = reader.sentences().map(Result::unwrap).collect();
        let treebank: Treebank = sentences
            .into_iter()
            .map(|sentence| {
                let tree = sentence.tree(&mut labels);
                (sentence, tree)
            })
            .collect();
        assert!(chosen(&treebank).starts_with("p&f.Case"));
    }

    #[test]
    fn logarithms_are_those_of_the_library() {
        for i in 1..5000 {
            for x in [f64::from(i) / 5000.0, f64::from(i), f64::from(i) * 1e-9] {
                assert!((ln(x) - x.ln()).abs() <= 1e-14 * (1.0 + x.ln().abs()), "{x}: {} {}", ln(x), x.ln());
            }
        }
        assert_eq!(ln(1.0).to_bits(), 0);
    }
}
