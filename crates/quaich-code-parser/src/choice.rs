//! Where the model's tree replaces the grammar's.

use std::fmt;

use quaich_code::damage::{DAMAGES, Random};
use quaich_code::files::Found;
use quaich_code::hybrid::{Region, combine, drop_all, regions};
use quaich_code::{Kind, Language, PhraseTree, Token, TreeScore};

use crate::code_model::CodeModel;
use crate::code_parser::{By, CodeParser};
use crate::error::{Error, Result};
use crate::parallel::{File, for_each};
use crate::trials::AnalysedCopy;

/// The longest files that the choice is made on, in tokens.
const LONGEST: usize = 10_000;

/// When the model is preferred to the grammar.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    /// The share of tokens of a region, in percent, that are below nodes for errors, from which all nodes of the region are the model's.
    /// With a smaller share, only the nodes for errors are replaced.
    pub replace_from: f64,
}

impl Default for Choice {
    fn default() -> Self {
        Self { replace_from: 3.0 }
    }
}

impl Choice {
    /// Combines the grammar's tree of a file with errors and the model's.
    pub(crate) fn combine(
        self,
        language: &Language,
        tokens: &[Token],
        (grammar, error): (&PhraseTree, Kind),
        predicted: &PhraseTree,
    ) -> (PhraseTree, By) {
        let found = regions(grammar, error, |token| opens_block(language, tokens[token]));
        let mut dropped: Vec<bool> = grammar.kinds().iter().map(|&kind| kind == error).collect();
        let mut replaced = 0;
        for region in &found {
            if self.replaces(region) {
                drop_all(grammar, region.node, &mut dropped);
                replaced += 1;
            }
        }
        (combine(grammar, &dropped, predicted), By::Hybrid { regions: found.len(), replaced })
    }

    fn replaces(self, region: &Region) -> bool {
        100.0 * f64::from(region.n_errors) >= self.replace_from * f64::from(region.n_tokens())
    }
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

/// The values to choose from; the last is never reached.
const CANDIDATES: [f64; 9] = [0.0, 1.0, 3.0, 10.0, 20.0, 35.0, 50.0, 75.0, 101.0];

impl CodeModel {
    /// Chooses, on damaged copies of files that were not trained on, when the model is preferred to the grammar. `on_file` is called for
    /// each file.
    ///
    /// # Errors
    /// If a copy cannot be parsed.
    pub fn choose(&self, files: &[Found], seed: u64, mut on_file: impl FnMut()) -> Result<Chosen> {
        let mut totals = Totals::default();
        let work = |parser: &mut CodeParser, file: File<'_>| score_candidates(parser, &file, seed);
        for_each(files, || self.parser(), work, |_, of_file: Totals| {
            on_file();
            totals.n += of_file.n;
            let all = totals.grammar_and_model.iter_mut().chain(&mut totals.candidates);
            for (total, score) in all.zip(of_file.grammar_and_model.iter().chain(&of_file.candidates)) {
                *total += score;
            }
            Ok::<_, Error>(())
        })?;
        // Of equal ones, that which replaces least.
        let best = (0..CANDIDATES.len()).max_by(|&a, &b| totals.candidates[a].total_cmp(&totals.candidates[b]));
        let best = best.expect("there are candidates");
        #[allow(clippy::cast_precision_loss, reason = "some hundreds")]
        let mean = |total: f64| total / totals.n.max(1) as f64;
        let [grammar, model] = totals.grammar_and_model.map(mean);
        Ok(Chosen {
            choice: Choice { replace_from: CANDIDATES[best] },
            n_copies: totals.n,
            scores: [grammar, model, mean(totals.candidates[best])],
        })
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
    for (_, damage, _) in DAMAGES.iter().filter(|(_, damage, _)| damage.applies_to(language)) {
        let mut random = Random::new(seed ^ ((*damage as u64 + 1) << 32), file.number as u64);
        let copy = AnalysedCopy::new(parser, (source, &original), *damage, &mut random)?;
        let Some(copy) = copy.filter(AnalysedCopy::has_errors) else { continue };
        let f = |score: &TreeScore| score.brackets.labelled().f1().value();
        for (at, &replace_from) in CANDIDATES.iter().enumerate() {
            parser.set_choice(Choice { replace_from });
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
