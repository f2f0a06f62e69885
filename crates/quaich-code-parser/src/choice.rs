//! Where the model's tree replaces the grammar's.

use std::fmt;

use quaich_code::damage::{DAMAGES, Random};
use quaich_code::files::Found;
use quaich_code::hybrid::{Items, Region, combine};
use quaich_code::{Analysis, Kind, Language, PhraseTree, Token, TreeScore};
use rustc_hash::FxHashSet;

use crate::code_model::CodeModel;
use crate::code_parser::{By, CodeParser};
use crate::error::{Error, Result};
use crate::parallel::{File, for_each};
use crate::trials::AnalysedCopy;

/// The number of copies per file and kind of damage that the choice is made on.
const ROUNDS: u64 = 2;

/// The longest files that the choice is made on, in tokens.
const LONGEST: usize = 10_000;

/// When the model is preferred to the grammar.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    /// The share of the tokens of an item, in percent, that are below nodes for errors, from which the nodes of the item are the model's. The
    /// tokens of smaller items within it do not count, and lists of these that both analyses have remain the grammar's.
    pub replace_from: f64,
    /// Whether nodes for errors in other items are replaced by nodes of the model.
    pub fills: bool,
}

impl Default for Choice {
    fn default() -> Self {
        Self { replace_from: 20.0, fills: true }
    }
}

impl Choice {
    /// The grammar alone.
    const GRAMMAR: Self = Self { replace_from: 101.0, fills: false };

    /// Combines the grammar's tree of a file with errors and the model's.
    pub(crate) fn combine(
        self,
        language: &Language,
        tokens: &[Token],
        (analysis, error): (&Analysis, Kind),
        predicted: &PhraseTree,
    ) -> (PhraseTree, By) {
        let grammar = &analysis.tree;
        let items = Items::new(grammar, error, |token| opens_block(language, tokens[token]));
        let regions = items.regions(grammar, &analysis.incomplete);
        let own = brackets_of(grammar);
        let predicted_brackets: FxHashSet<_> = brackets_of(predicted).into_iter().collect();
        let is_agreed = |node: usize| predicted_brackets.contains(&own[node]);
        let replaced: Vec<u32> =
            regions.iter().filter(|region| self.replaces(region)).map(|region| region.node).collect();
        let mut dropped = items.drop_items(grammar, replaced.iter().copied(), is_agreed);
        if self.fills {
            for (dropped, &kind) in dropped.iter_mut().zip(grammar.kinds()) {
                *dropped |= kind == error;
            }
        }
        let replaced = replaced.len();
        (combine(grammar, &dropped, predicted), By::Hybrid { regions: regions.len(), replaced })
    }

    fn replaces(self, region: &Region) -> bool {
        100.0 * f64::from(region.n_errors) >= self.replace_from * f64::from(region.n_tokens)
    }
}

/// The kind, the first and the last token of each nonterminal.
fn brackets_of(tree: &PhraseTree) -> Vec<(Kind, u32, u32)> {
    let spans = tree.first_tokens().into_iter().zip(tree.last_tokens());
    tree.kinds().iter().zip(spans).map(|(&kind, (first, last))| (kind, first, last)).collect()
}

/// A choice, and the scores that it was chosen by.
#[derive(Clone, Copy, Debug)]
pub struct Chosen {
    /// The choice.
    pub choice: Choice,
    /// The number of damaged copies with errors.
    pub n_copies: usize,
    /// The mean labelled F of the grammar, of the model, and of both together on them, in percent.
    pub scores: [f64; 3],
}

impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [grammar, model, hybrid] = self.scores;
        write!(
            f,
            "{} damaged copies of held-out files have errors; mean F {grammar:.1} by the grammar, {model:.1} by the model, {hybrid:.1} by both",
            self.n_copies
        )
    }
}

/// What is chosen from.
const CANDIDATES: [Choice; 8] = {
    const fn replacing_from(replace_from: f64) -> Choice {
        Choice { replace_from, fills: true }
    }
    [
        replacing_from(0.0),
        replacing_from(5.0),
        replacing_from(10.0),
        replacing_from(20.0),
        replacing_from(35.0),
        replacing_from(60.0),
        replacing_from(101.0),
        Choice::GRAMMAR,
    ]
};

impl CodeModel {
    /// Chooses, on damaged copies of files that were not trained on, when the model is preferred to the grammar. `on_file` is called for
    /// each file.
    ///
    /// # Errors
    /// If a copy cannot be parsed.
    pub fn choose(&self, files: &[Found], seed: u64, mut on_file: impl FnMut()) -> Result<Chosen> {
        let mut totals = Totals::default();
        let work = |parser: &mut CodeParser, file: File<'_>| score_candidates(parser, &file, seed);
        for_each(
            files,
            || self.parser(),
            work,
            |_, of_file: Totals| {
                on_file();
                totals.n += of_file.n;
                let all = totals.grammar_and_model.iter_mut().chain(&mut totals.candidates);
                for (total, score) in all.zip(of_file.grammar_and_model.iter().chain(&of_file.candidates)) {
                    *total += score;
                }
                Ok::<_, Error>(())
            },
        )?;
        // Of equal ones, that which replaces least.
        let all = CANDIDATES.into_iter().zip(totals.candidates).rev();
        let best = |best: (Choice, f64), next: (Choice, f64)| if next.1 > best.1 { next } else { best };
        let (choice, total) = all.fold((Choice::GRAMMAR, f64::MIN), best);
        #[allow(clippy::cast_precision_loss, reason = "some hundreds")]
        let mean = |total: f64| total / totals.n.max(1) as f64;
        let [grammar, model] = totals.grammar_and_model.map(mean);
        Ok(Chosen { choice, n_copies: totals.n, scores: [grammar, model, mean(total)] })
    }
}

/// Sums of scores on damaged copies with errors.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    n: usize,
    grammar_and_model: [f64; 2],
    candidates: [f64; CANDIDATES.len()],
}

fn score_candidates(parser: &mut CodeParser, file: &File<'_>, seed: u64) -> Result<Totals> {
    let mut totals = Totals::default();
    let Ok(source) = &file.source else { return Ok(totals) };
    let Ok(original) = parser.source_mut().parse(source) else { return Ok(totals) };
    if original.analysis.has_errors || original.tokens.len() > LONGEST {
        return Ok(totals);
    }
    let language = parser.language();
    let damages = DAMAGES.map(|(_, damage, _)| damage);
    let damages = damages.into_iter().filter(|damage| damage.applies_to(language));
    for (damage, round) in damages.flat_map(|damage| (0..ROUNDS).map(move |round| (damage, round))) {
        let seed = seed.wrapping_add(round) ^ ((damage as u64 + 1) << 32);
        let mut random = Random::new(seed, file.number as u64);
        let copy = AnalysedCopy::new(parser, (source, &original), damage, &mut random)?;
        let Some(copy) = copy.filter(AnalysedCopy::has_errors) else { continue };
        let f = |score: &TreeScore| score.brackets.labelled().f1().value();
        for (at, &choice) in CANDIDATES.iter().enumerate() {
            parser.set_choice(choice);
            let scores = copy.scores(parser, &original);
            totals.candidates[at] += f(&scores.hybrid);
            if at == 0 {
                totals.grammar_and_model[0] += f(&scores.grammar);
                totals.grammar_and_model[1] += f(&scores.model);
            }
        }
        totals.n += 1;
    }
    Ok(totals)
}

/// Whether a token starts the list of items of a block.
fn opens_block(language: &Language, token: Token) -> bool {
    let name = language.tag_name(token.tag);
    name == "{" || name == "INDENT" || name.starts_with("#if") || name.starts_with("#el")
}
