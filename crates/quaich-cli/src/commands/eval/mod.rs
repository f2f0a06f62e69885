//! `quaich eval`: how well analyses of a text agree with the gold standard, and whether one is better than another.

mod comparison;
mod derivations;
mod tables;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use quaich::eval::breakdowns::{BREAKDOWNS, Breakdown, Context, KnownWords, Need, by_name};
use quaich::eval::scorers::{self, SCORERS, Scorer};
use quaich::eval::significance::{self, Resampling, Results};
use quaich::eval::{ComparisonReader, Evaluation, Evaluator, PunctuationRule};
use quaich::treebank::{ReadOptions, Reader, Sink};

use self::comparison::Comparison;
use self::derivations::Deriver;
use super::{Reading, Threads, load_one, open, whole};
use crate::places::FilesUsed;
use crate::report::{Report, Worst};
use crate::table_style::TableStyle;
use crate::{output, progress};

/// Scores parsed files against the gold standard: LAS, UAS, LA, exact match, non-projective arcs
///
/// All files must have the same tokens; comments, multiword ranges and empty nodes are not looked at, and the
/// formats may differ. Every token is scored unless `--punct skip`. With two systems or more, tests say
/// whether their differences are significant.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich eval gold.conllu parsed.conllu
  quaich eval gold.conllu parsed.conllu --by label,length --punct skip
  quaich eval gold.conllu parsed.conllu --by unknown --train train.conllu
  quaich eval gold.conllu parsed.conllu --by transitions,running-time --model english.quaich
  quaich eval gold.conllu one.conllu two.conllu
  quaich eval gold.conllu parsed.conllu --to latex
  quaich eval gold.conllu one.conllu two.conllu --html report.html
  quaich eval gold.conll parsed.conll --scorer conllx
  quaich eval gold.conllu parsed-from-text.conllu --scorer ud")]
pub(crate) struct Eval {
    /// The gold standard; `-` is standard input
    gold: PathBuf,

    /// The parsed files; `-` is standard input
    #[arg(required = true, value_name = "SYSTEM")]
    systems: Vec<PathBuf>,

    /// Break the scores down, by one or more of these, separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = breakdowns())]
    by: Vec<&'static dyn Breakdown>,

    /// Whether punctuation is scored
    #[arg(long, value_name = "RULE", default_value = PunctuationRule::Keep.name(), value_parser = punctuation_rules())]
    punct: PunctuationRule,

    /// Score as the program of a shared task does, to the last digit
    #[arg(long, value_name = "NAME", value_parser = scorers(), conflicts_with_all = ["by", "punct", "to"])]
    scorer: Option<&'static dyn Scorer>,

    /// What a parser was trained on, for `--by unknown`; may be given several times
    #[arg(long, value_name = "FILE")]
    train: Vec<PathBuf>,

    /// A parser, for `--by transitions` and `--by running-time`
    #[arg(long, short, value_name = "MODEL")]
    model: Option<PathBuf>,

    /// How often sentences are shuffled and drawn again, for tests between systems
    #[arg(long, value_name = "N", default_value_t = Resampling::default().samples, value_parser = whole::<u32>, allow_negative_numbers = true)]
    samples: u32,

    /// Fixes every random choice
    #[arg(long, value_name = "N", default_value_t = Resampling::default().seed, value_parser = whole::<u64>, allow_negative_numbers = true)]
    seed: u64,

    /// How tables are written
    #[arg(long, value_name = "STYLE", default_value = TableStyle::Text.name(), value_parser = TableStyle::parser(), conflicts_with = "json")]
    to: TableStyle,

    /// Print JSON: one object
    #[arg(long)]
    json: bool,

    /// Write a report for a browser as well, one file: scores, break-downs (all that need nothing else, unless --by names some),
    /// and the worst sentences with gold and system arcs
    #[arg(long, value_name = "FILE", conflicts_with = "scorer")]
    html: Option<PathBuf>,

    #[command(flatten)]
    threads: Threads,

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

/// Reads the name of a rule for punctuation.
pub(crate) fn punctuation_rules() -> impl TypedValueParser<Value = PunctuationRule> {
    let rules = PunctuationRule::ALL;
    let values = rules.map(|rule| PossibleValue::new(rule.name()).help(rule.about()));
    // Only these names reach the map.
    PossibleValuesParser::new(values)
        .map(move |name| rules.into_iter().find(|rule| rule.name() == name).unwrap_or_default())
}

impl Eval {
    /// What is read and written.
    pub(crate) fn files(&self) -> FilesUsed {
        let treebanks = [&self.gold].into_iter().chain(&self.systems).chain(&self.train);
        self.reading.files(treebanks).reading(&self.model).writing(&self.html)
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.check_needs()?;
        let files: Vec<&PathBuf> = [&self.gold].into_iter().chain(&self.systems).chain(&self.train).collect();
        let options = self.reading.options_for(&files)?;
        let mut options = options.iter();
        // There are options for each file, in this order.
        let mut next = |path: &Path| -> anyhow::Result<Reader> {
            Ok(open(path, options.next().unwrap_or(&ReadOptions::default()))?)
        };
        let gold = next(&self.gold)?;
        let gold_name = gold.file().to_owned();
        let systems = self.systems.iter().map(|path| next(path)).collect::<anyhow::Result<Vec<Reader>>>()?;
        if let Some(scorer) = self.scorer {
            return self.score_as(scorer, gold, systems);
        }
        // Before anything is read: what cannot be written is said at once.
        let page = self.html.as_deref().map(|path| Sink::create(Some(path))).transpose()?;
        let context = Context { known_words: Arc::new(self.known_words(next)?) };
        let names: Vec<String> = systems.iter().map(|reader| reader.file().to_owned()).collect();
        let (mut evaluations, results, worst) =
            self.evaluate(ComparisonReader::new(gold, systems), &context)?;
        let significance = if evaluations.len() > 1 {
            let resampling = Resampling { samples: self.samples, seed: self.seed };
            Some(self.threads.install(|| significance::compare(&results, resampling))?)
        } else {
            None
        };
        if let Some(mut page) = page {
            let (gold, systems, evaluations) = (&gold_name[..], &names[..], &evaluations[..]);
            let report =
                Report { gold, systems, evaluations, significance: significance.as_ref(), worst: &worst };
            page.write_all(report.html()?.as_bytes())?;
            page.finish()?;
        }
        if self.by.is_empty() {
            // Those that only the report has.
            for evaluation in &mut evaluations {
                evaluation.breakdowns.clear();
            }
        }
        let Some(significance) = significance else {
            for evaluation in &evaluations {
                if self.json {
                    output::json(evaluation)?;
                } else {
                    output::text(&tables::of_one(evaluation, self.to))?;
                }
            }
            return Ok(ExitCode::SUCCESS);
        };
        let comparison = Comparison { names: &names, evaluations: &evaluations, significance: &significance };
        if self.json {
            output::json(&comparison)?;
        } else {
            output::text(&tables::of_several(&comparison, self.to))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Whether all is given that break-downs need.
    fn check_needs(&self) -> anyhow::Result<()> {
        for breakdown in &self.by {
            let missing = match breakdown.need() {
                Need::KnownWords if self.train.is_empty() => "what the parser was trained on: --train FILE",
                Need::Derivations if self.model.is_none() => "a parser: --model MODEL",
                Need::Derivations if self.systems.len() > 1 => "one system only, which a model is about",
                _ => continue,
            };
            return Err(output::Usage(format!("--by {} needs {missing}", breakdown.name())).into());
        }
        Ok(())
    }

    fn score_as(&self, scorer: &dyn Scorer, gold: Reader, systems: Vec<Reader>) -> anyhow::Result<ExitCode> {
        let Ok([system]) = <[Reader; 1]>::try_from(systems) else {
            let message = format!("--scorer {} takes one system at a time", scorer.name());
            return Err(output::Usage(message).into());
        };
        let bar = progress::counter("scored");
        let official = scorer.score(gold, system, &mut || bar.inc(1))?;
        bar.finish_and_clear();
        if self.json {
            output::json(&official)?;
        } else {
            output::text(&official.to_string())?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The words of the training data, where someone asks for them.
    fn known_words(
        &self,
        mut next: impl FnMut(&Path) -> anyhow::Result<Reader>,
    ) -> anyhow::Result<KnownWords> {
        let mut known = KnownWords::default();
        if self.by.iter().any(|breakdown| breakdown.need() == Need::KnownWords) {
            for path in &self.train {
                for sentence in next(path)?.sentences() {
                    known.add(&sentence?);
                }
            }
        }
        Ok(known)
    }

    /// The break-downs that are made.
    fn breakdowns(&self) -> Vec<&'static dyn Breakdown> {
        if self.by.is_empty() && self.html.is_some() {
            BREAKDOWNS.iter().copied().filter(|breakdown| breakdown.need() == Need::Nothing).collect()
        } else {
            self.by.clone()
        }
    }

    /// Judges all sentences: an evaluation for each system, what tests between systems need, and what a report shows.
    fn evaluate(
        &self,
        mut reader: ComparisonReader,
        context: &Context,
    ) -> anyhow::Result<(Vec<Evaluation>, Results, Worst)> {
        let needs_model = self.by.iter().any(|breakdown| breakdown.need() == Need::Derivations);
        let parser = self.model.as_deref().filter(|_| needs_model).map(load_one).transpose()?;
        let mut deriver = parser.as_ref().map(Deriver::new);
        let breakdowns = self.breakdowns();
        let new = || Evaluator::with_context(self.punct, &breakdowns, context);
        let mut evaluators: Vec<Evaluator> = self.systems.iter().map(|_| new()).collect();
        let (mut results, mut worst) = (Results::new(self.systems.len()), Worst::default());
        let bar = progress::counter("scored");
        while let Some(sentence) = reader.read(self.punct)? {
            let derivation = deriver.as_mut().map(|deriver| deriver.derive(sentence.gold));
            for (pair, evaluator) in sentence.systems().zip(&mut evaluators) {
                match derivation {
                    Some(derivation) => evaluator.add_pair(&pair.with_derivation(derivation)),
                    None => evaluator.add_pair(&pair),
                }
            }
            if evaluators.len() > 1 {
                results.add(&sentence);
            }
            if self.html.is_some() {
                worst.add(&sentence);
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        let evaluations: Vec<Evaluation> = evaluators.iter().map(Evaluator::evaluation).collect();
        let score = evaluations.first().map(|evaluation| evaluation.score).unwrap_or_default();
        reader.check_scored(score.tokens, score.scored.tokens)?;
        Ok((evaluations, results, worst))
    }
}
