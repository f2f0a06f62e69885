//! `quaich eval`: scores parser outputs against a gold standard and compares systems.

mod comparison;
mod derivations;
mod tables;

use std::io::{self, IsTerminal, Write};
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
use super::{InputOptions, Threads, integer, load_single_parser, open};
use crate::files_used::FilesUsed;
use crate::report::{Report, WorstSentences};
use crate::table_style::TableStyle;
use crate::{output, progress};

/// Score parsed files against a gold standard
///
/// Prints LAS, UAS, LA, exact match and the scores of non-projective arcs. All files must have the same tokens, except with
/// --scorer ud and conll17, which score the parse of raw text; comments, multiword ranges and empty nodes are ignored, and the
/// formats may differ. All tokens are scored, unless --punct skip is given. Two or more systems are compared with significance
/// tests.
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
    /// The gold standard; `-` for standard input
    gold: PathBuf,

    /// Parsed files, one per system; `-` for standard input
    #[arg(required = true, value_name = "SYSTEM")]
    systems: Vec<PathBuf>,

    /// Break scores down by one or more of these, separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = breakdowns())]
    by: Vec<&'static dyn Breakdown>,

    /// Whether to score punctuation
    #[arg(long, value_name = "RULE", default_value = PunctuationRule::Keep.name(), value_parser = punctuation_rules())]
    punct: PunctuationRule,

    /// Score like the official scorer of a shared task, to the last digit
    #[arg(long, value_name = "NAME", value_parser = scorers(), conflicts_with_all = ["by", "punct", "to"])]
    scorer: Option<&'static dyn Scorer>,

    /// Training data of the parser, for --by unknown; repeatable
    #[arg(long, value_name = "FILE")]
    train: Vec<PathBuf>,

    /// The model of the parser, for --by transitions and --by running-time
    #[arg(long, short, value_name = "MODEL")]
    model: Option<PathBuf>,

    /// Number of random samples, for significance tests
    #[arg(long, value_name = "N", default_value_t = Resampling::default().samples, value_parser = integer::<u32>, allow_negative_numbers = true)]
    samples: u32,

    /// Random seed, for significance tests
    #[arg(long, value_name = "N", default_value_t = Resampling::default().seed, value_parser = integer::<u64>, allow_negative_numbers = true)]
    seed: u64,

    /// Table style
    #[arg(long, value_name = "STYLE", default_value = TableStyle::Text.name(), value_parser = TableStyle::parser(), conflicts_with = "json")]
    to: TableStyle,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Also write a report as one HTML file: scores, breakdowns (unless --by is given, all that need no other options), and the
    /// sentences with the most errors, with gold and system arcs
    #[arg(long, value_name = "FILE", conflicts_with = "scorer")]
    html: Option<PathBuf>,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    input_options: InputOptions,
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

/// Parses the name of a punctuation rule.
pub(crate) fn punctuation_rules() -> impl TypedValueParser<Value = PunctuationRule> {
    let rules = PunctuationRule::ALL;
    let values = rules.map(|rule| PossibleValue::new(rule.name()).help(rule.about()));
    // Only these names reach the map.
    PossibleValuesParser::new(values)
        .map(move |name| rules.into_iter().find(|rule| rule.name() == name).unwrap_or_default())
}

impl Eval {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        let treebanks = [&self.gold].into_iter().chain(&self.systems).chain(&self.train);
        self.input_options.files(treebanks).reading(&self.model).writing(&self.html)
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.check_needs()?;
        let files: Vec<&PathBuf> = [&self.gold].into_iter().chain(&self.systems).chain(&self.train).collect();
        let options = self.input_options.options_for(&files)?;
        let mut options = options.iter();
        // One entry per file, in this order.
        let mut next = |path: &Path| -> anyhow::Result<Reader> {
            Ok(open(path, options.next().unwrap_or(&ReadOptions::default()))?)
        };
        let gold = next(&self.gold)?;
        let gold_name = gold.file().to_owned();
        let systems = self.systems.iter().map(|path| next(path)).collect::<anyhow::Result<Vec<Reader>>>()?;
        if let Some(scorer) = self.scorer {
            return self.score_as(scorer, gold, systems);
        }
        // Created before anything is read, so that a report that cannot be written fails at once.
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
            // Only the report shows them.
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
            self.suggest_next_steps();
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

    /// Suggests options that show where the errors are, to people at a terminal who have used none of them.
    fn suggest_next_steps(&self) {
        let is_plain = !self.json && self.by.is_empty() && self.html.is_none() && self.to == TableStyle::Text;
        if let [system] = &self.systems[..]
            && is_plain
            && io::stderr().is_terminal()
            && io::stdout().is_terminal()
        {
            let (gold, system) = (output::shell_word(&self.gold), output::shell_word(system));
            output::note(&format!("next: quaich eval {gold} {system} --by label,length"));
            output::note(&format!("      quaich eval {gold} {system} --html report.html"));
            output::note(&format!("      quaich diff {gold} {system}"));
        }
    }

    /// Checks that all options that breakdowns need are given.
    fn check_needs(&self) -> anyhow::Result<()> {
        for breakdown in &self.by {
            let missing = match breakdown.need() {
                Need::KnownWords if self.train.is_empty() => "the training data of the parser: --train FILE",
                Need::Derivations if self.model.is_none() => "the model of the parser: --model MODEL",
                Need::Derivations if self.systems.len() > 1 => "a single system, that of the model",
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

    /// The words of the training data, if a breakdown needs them.
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

    /// The breakdowns to compute.
    fn breakdowns(&self) -> Vec<&'static dyn Breakdown> {
        if self.by.is_empty() && self.html.is_some() {
            BREAKDOWNS.iter().copied().filter(|breakdown| breakdown.need() == Need::Nothing).collect()
        } else {
            self.by.clone()
        }
    }

    /// Evaluates all sentences: an evaluation per system, the results for significance tests, and the sentences of the report.
    fn evaluate(
        &self,
        mut reader: ComparisonReader,
        context: &Context,
    ) -> anyhow::Result<(Vec<Evaluation>, Results, WorstSentences)> {
        let needs_model = self.by.iter().any(|breakdown| breakdown.need() == Need::Derivations);
        let parser = self.model.as_deref().filter(|_| needs_model).map(load_single_parser).transpose()?;
        let mut deriver = parser.as_ref().map(Deriver::new);
        let breakdowns = self.breakdowns();
        let new = || Evaluator::with_context(self.punct, &breakdowns, context);
        let mut evaluators: Vec<Evaluator> = self.systems.iter().map(|_| new()).collect();
        let (mut results, mut worst) = (Results::new(self.systems.len()), WorstSentences::default());
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
