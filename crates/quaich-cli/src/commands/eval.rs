//! `quaich eval`: how well one analysis of a text agrees with another.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use quaich_eval::agreement::Agreement;
use quaich_eval::breakdowns::{BREAKDOWNS, Breakdown, Table, by_name};
use quaich_eval::measures::MEASURES;
use quaich_eval::scorers::{self, SCORERS, Scorer};
use quaich_eval::{Evaluation, Evaluator, Pairs, PunctuationRule};

use super::{Reading, open};
use crate::{output, progress};

/// Scores a parsed file against the gold standard: LAS, UAS, LA, exact match, non-projective arcs
///
/// Both files must have the same tokens; comments, multiword ranges and empty nodes are not looked at, and the
/// formats may differ. Every token is scored unless `--punct skip`.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich eval gold.conllu parsed.conllu
  quaich eval gold.conllu parsed.conllu --by label,length --punct skip
  quaich eval gold.conllu parsed.conllu --json
  quaich eval gold.conll parsed.conll --scorer conllx
  quaich eval gold.conllu parsed-from-text.conllu --scorer ud")]
pub(crate) struct Eval {
    /// The gold standard; `-` is standard input
    gold: PathBuf,

    /// The parsed file; `-` is standard input
    system: PathBuf,

    /// Break the scores down, by one or more of these, separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = breakdowns())]
    by: Vec<&'static dyn Breakdown>,

    /// Whether punctuation is scored
    #[arg(long, value_name = "RULE", default_value = PunctuationRule::Keep.name(), value_parser = punctuation_rules())]
    punct: PunctuationRule,

    /// Score as the program of a shared task does, to the last digit
    #[arg(long, value_name = "NAME", value_parser = scorers(), conflicts_with_all = ["by", "punct"])]
    scorer: Option<&'static dyn Scorer>,

    /// Print JSON: one object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    reading: Reading,
}

fn breakdowns() -> impl TypedValueParser<Value = &'static dyn Breakdown> {
    let values =
        BREAKDOWNS.iter().map(|breakdown| PossibleValue::new(breakdown.name()).help(breakdown.about()));
    PossibleValuesParser::new(values).try_map(|name| by_name(&name))
}

fn scorers() -> impl TypedValueParser<Value = &'static dyn Scorer> {
    let values = SCORERS.iter().map(|scorer| PossibleValue::new(scorer.name()).help(scorer.about()));
    PossibleValuesParser::new(values).try_map(|name| scorers::by_name(&name))
}

fn punctuation_rules() -> impl TypedValueParser<Value = PunctuationRule> {
    let rules = PunctuationRule::ALL;
    let values = rules.map(|rule| PossibleValue::new(rule.name()).help(rule.about()));
    // Only these names reach the map.
    PossibleValuesParser::new(values)
        .map(move |name| rules.into_iter().find(|rule| rule.name() == name).unwrap_or_default())
}

impl Eval {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let options = self.reading.options_for([&self.gold, &self.system])?;
        let (gold, system) = (open(&self.gold, &options[0])?, open(&self.system, &options[1])?);
        let bar = progress::counter("scored");
        if let Some(scorer) = self.scorer {
            let official = scorer.score(gold, system, &mut || bar.inc(1))?;
            bar.finish_and_clear();
            if self.json {
                output::json(&official)?;
            } else {
                output::text(&official.to_string())?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        let mut pairs = Pairs::new(gold, system);
        let mut evaluator = Evaluator::new(self.punct, &self.by);
        evaluator.add_all(&mut pairs, || bar.inc(1))?;
        bar.finish_and_clear();
        let evaluation = evaluator.evaluation();
        pairs.check_scored(evaluation.score.tokens, evaluation.score.scored.tokens)?;
        if self.json {
            output::json(&evaluation)?;
        } else {
            output::text(&tables(&evaluation))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The tables, with a blank line between two.
fn tables(evaluation: &Evaluation) -> String {
    let mut tables = vec![sizes(evaluation), scores(evaluation), nonprojective(evaluation)];
    tables.extend(evaluation.breakdowns.iter().map(|(breakdown, table)| groups(breakdown.name(), table)));
    tables.iter().map(|rows| output::table(rows)).collect::<Vec<_>>().join("\n")
}

type Rows = Vec<Vec<String>>;

fn sizes(evaluation: &Evaluation) -> Rows {
    let score = &evaluation.score;
    let row = |name: &str, count: u64| vec![name.to_owned(), count.to_string()];
    vec![
        row("sentences", score.sentences),
        row("tokens", score.tokens),
        row("scored tokens", score.scored.tokens),
    ]
}

fn scores(evaluation: &Evaluation) -> Rows {
    let head = ["", "%", "right", "of"].map(str::to_owned).to_vec();
    let measures = MEASURES.iter().map(|measure| {
        let share = (measure.share)(&evaluation.score);
        let name = measure.name.to_owned();
        vec![name, share.percent().to_string(), share.part.to_string(), share.whole.to_string()]
    });
    [head].into_iter().chain(measures).collect()
}

fn nonprojective(evaluation: &Evaluation) -> Rows {
    let head = ["non-projective arcs", "precision", "recall", "F", "gold", "found", "system", "right"];
    let row = |name: &str, arcs: &Agreement| {
        let percentages = [arcs.precision(), arcs.recall(), arcs.f1()].map(|percent| percent.to_string());
        let counts =
            [arcs.gold, arcs.gold_found, arcs.system, arcs.system_right].map(|count| count.to_string());
        [name.to_owned()].into_iter().chain(percentages).chain(counts).collect()
    };
    vec![
        head.map(str::to_owned).to_vec(),
        row("unlabelled", &evaluation.nonprojective.unlabelled),
        row("labelled", &evaluation.nonprojective.labelled),
    ]
}

fn groups(name: &str, table: &Table) -> Rows {
    let head = [name].into_iter().chain(table.columns.iter().map(|column| column.name)).map(str::to_owned);
    let rows = table.rows.iter().map(|row| {
        [row.name.clone()].into_iter().chain(row.values.iter().map(ToString::to_string)).collect()
    });
    [head.collect()].into_iter().chain(rows).collect()
}
