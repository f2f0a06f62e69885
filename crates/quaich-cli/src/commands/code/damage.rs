//! `quaich code damage`: what analyses keep of damaged files.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quaich::code::damage::{Blanked, DAMAGES, Damage, Random};
use quaich::code::files::Found;
use quaich::code::{Kinds, Language, ParsedSource, SourceParser, TreeScore};
use quaich::code_parser::{AnalysedCopy, CodeModel, CodeParser, TrialScores, score_undamaged};
use quaich::treebank::counted;
use serde::Serialize;

use super::corpus::{self, Outcome};
use super::options::{self, Sources};
use crate::commands::{Threads, integer};
use crate::files_used::FilesUsed;
use crate::output::{self, Usage};

/// Measure what the grammar, a model, and both together keep of the trees of damaged files
///
/// Each file that parses without error is damaged once per kind. The score compares the tree of the original with
/// the tree of the damaged copy, over the tokens that are in both: labelled brackets, the F of the worst tenth of the files, and the
/// tokens whose parents have the right kind. Error nodes do not count.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich code damage src/ --language python
  quaich code damage include/ --language cpp --damage macro,many --model cpp.quaich --json
  quaich code damage include/ --language cpp --real-macros --model cpp.quaich")]
pub(super) struct DamageStudy {
    #[command(flatten)]
    sources: Sources,

    /// A model to compare with the grammar, by `quaich code train`
    #[arg(long, short, value_name = "MODEL")]
    model: Option<PathBuf>,

    /// Kinds of damage, separated by commas [default: all]
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = options::damages())]
    damage: Vec<Damage>,

    /// Take C and C++ files with errors that are due to macros instead: they parse once names in capitals are blanked, and that tree is
    /// compared with the trees of the file as it is
    #[arg(long, conflicts_with = "damage")]
    real_macros: bool,

    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = integer::<u64>, allow_negative_numbers = true)]
    seed: u64,

    /// Maximum number of files, evenly spaced
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = integer::<usize>, allow_negative_numbers = true)]
    max_files: usize,

    /// Minimum number of tokens of a file
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = integer::<usize>, allow_negative_numbers = true)]
    min_tokens: usize,

    /// Maximum number of tokens of a file
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = integer::<usize>, allow_negative_numbers = true)]
    max_tokens: usize,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    threads: Threads,
}

/// So many files are searched for macros at a time, until enough are found.
const MACRO_FILES: usize = 64;

/// The scores of an analysis on the copies with one kind of damage.
#[derive(Default)]
struct Scores {
    all: TreeScore,
    /// The labelled F of each file.
    of_files: Vec<f64>,
}

/// The scores with one kind of damage; none is the file itself.
#[derive(Default)]
struct Row {
    n_files: usize,
    /// By the grammar, by the model, and by both.
    scores: [Scores; 3],
}

/// The printed scores.
#[derive(Serialize)]
struct Printed {
    damage: &'static str,
    files: usize,
    grammar: PrintedScores,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<PrintedScores>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hybrid: Option<PrintedScores>,
}

#[derive(Serialize)]
struct PrintedScores {
    f: f64,
    f_of_worst_tenth: f64,
    #[serde(flatten)]
    all: TreeScore,
}

impl DamageStudy {
    /// The files to read and write.
    pub(super) fn files(&self) -> FilesUsed {
        FilesUsed::default().reading(&self.sources.paths).reading(&self.model)
    }

    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let (language, files) = self.sources.find()?;
        let load = |file: &PathBuf| CodeModel::load(file, Some(language));
        let model = self.model.as_ref().map(load).transpose()?;
        if let (Some(model), Some(file)) = (&model, &self.model) {
            let found = model.language().name;
            anyhow::ensure!(
                found == language.name,
                "{}: found a model for {found}, expected one for {}",
                file.display(),
                language.name
            );
        }
        let rows = self.threads.install(|| {
            if self.real_macros {
                self.study_macros(language, files, model.as_ref())
            } else {
                self.study(language, &files, model.as_ref())
            }
        })??;
        let printed: Vec<Printed> =
            rows.iter().map(|(name, row)| row.printed(name, model.is_some())).collect();
        if self.json {
            output::json(&printed)?;
        } else {
            output::text(&table(&printed))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn study(
        &self,
        language: &'static Language,
        files: &[Found],
        model: Option<&CodeModel>,
    ) -> anyhow::Result<Vec<(&'static str, Row)>> {
        let chosen = self.choose(language, files)?;
        let kinds = if self.damage.is_empty() {
            DAMAGES.map(|(_, damage, _)| damage).to_vec()
        } else {
            self.damage.clone()
        };
        let kinds: Vec<Damage> = kinds.into_iter().filter(|damage| damage.applies_to(language)).collect();
        let new_worker = || Worker::new(language, model);
        let work = |worker: &mut Worker, file: corpus::File<'_>| {
            let number = file.number as u64;
            match corpus::parse(worker.parser.source_mut(), file) {
                Outcome::Parsed(source, parsed) => {
                    worker.study(&source, &parsed, &kinds, (self.seed, number))
                }
                _ => Ok(Vec::new()),
            }
        };
        let names = std::iter::once("none").chain(kinds.iter().map(|damage| damage.name()));
        let mut rows: Vec<(&'static str, Row)> = names.map(|name| (name, Row::default())).collect();
        corpus::for_each(&chosen, new_worker, work, |_, scores| {
            for ((_, row), scores) in rows.iter_mut().zip(scores) {
                row.add(scores.as_ref());
            }
            Ok(())
        })?;
        Ok(rows)
    }

    /// The same for files with errors that are due to macros, in random order until there are enough.
    fn study_macros(
        &self,
        language: &'static Language,
        mut files: Vec<Found>,
        model: Option<&CodeModel>,
    ) -> anyhow::Result<Vec<(&'static str, Row)>> {
        if !language.macros {
            let message = format!("--real-macros is for C and C++, found files of {}", language.name);
            return Err(Usage(message).into());
        }
        let mut random = Random::new(self.seed, 0);
        for last in (1..files.len()).rev() {
            files.swap(last, random.below(last + 1));
        }
        let lengths = self.min_tokens..=self.max_tokens;
        let work = |worker: &mut Worker, file: corpus::File<'_>| {
            let source = match corpus::parse(worker.parser.source_mut(), file) {
                Outcome::WithErrors(source, parsed) if lengths.contains(&parsed.tokens.len()) => source,
                _ => return Ok(None),
            };
            worker.study_macros(&source).map(Some)
        };
        let mut rows = vec![("none", Row::default()), ("real-macros", Row::default())];
        let (mut n_with_errors, mut n_macros) = (0, 0);
        for files in files.chunks(MACRO_FILES) {
            corpus::for_each(
                files,
                || Worker::new(language, model),
                work,
                |_, studied| {
                    if rows[0].1.n_files == self.max_files {
                        return Ok(());
                    }
                    n_with_errors += usize::from(studied.is_some());
                    if let Some(Some((scores, n))) = studied {
                        n_macros += n;
                        for ((_, row), scores) in rows.iter_mut().zip(scores) {
                            row.add(Some(&scores));
                        }
                    }
                    Ok(())
                },
            )?;
            if rows[0].1.n_files == self.max_files {
                break;
            }
        }
        let n_files = rows[0].1.n_files;
        let (parsing, errors) = (counted(n_files, "file"), counted(n_with_errors, "file"));
        output::note(&format!(
            "{parsing} of {errors} with errors have none once {} are blanked",
            counted(n_macros, "macro")
        ));
        anyhow::ensure!(n_files > 0, "found no file whose errors are due to macros");
        Ok(rows)
    }

    /// The files that are damaged: some of those of the right length without errors.
    fn choose(&self, language: &'static Language, files: &[Found]) -> anyhow::Result<Vec<Found>> {
        let mut fitting = Vec::new();
        let new_worker = || corpus::parser(language, &Kinds::new());
        let work = |parser: &mut SourceParser, file: corpus::File<'_>| {
            Ok(match corpus::parse(parser, file) {
                Outcome::Parsed(_, parsed) => {
                    (self.min_tokens..=self.max_tokens).contains(&parsed.tokens.len())
                }
                _ => false,
            })
        };
        corpus::for_each(files, new_worker, work, |found, fits| {
            if fits {
                fitting.push(found.clone());
            }
            Ok(())
        })?;
        anyhow::ensure!(
            !fitting.is_empty(),
            "found no files with {} to {} tokens and without errors among {}",
            self.min_tokens,
            self.max_tokens,
            counted(files.len(), "file")
        );
        let n = self.max_files.min(fitting.len());
        Ok((0..n).map(|i| fitting[i * fitting.len() / n].clone()).collect())
    }
}

/// What a thread needs.
struct Worker {
    parser: CodeParser,
}

impl Worker {
    fn new(language: &'static Language, model: Option<&CodeModel>) -> anyhow::Result<Self> {
        let parser = match model {
            Some(model) => model.parser()?,
            None => CodeParser::of_language(language)?,
        };
        Ok(Self { parser })
    }

    /// The scores without damage and with each kind of it; none where it does not apply to the file.
    fn study(
        &mut self,
        source: &[u8],
        original: &ParsedSource,
        kinds: &[Damage],
        (seed, number): (u64, u64),
    ) -> anyhow::Result<Vec<Option<TrialScores>>> {
        let mut scores = vec![Some(score_undamaged(&mut self.parser, source, original)?)];
        for &damage in kinds {
            // The same choices whichever kinds are studied.
            let mut random = Random::new(seed ^ ((damage as u64 + 1) << 32), number);
            let copy = AnalysedCopy::new(&mut self.parser, (source, original), damage, &mut random)?;
            scores.push(copy.map(|copy| copy.scores(&mut self.parser, original)));
        }
        Ok(scores)
    }
}

impl Worker {
    /// The scores without macros and with them, and the number of macros; `None` if not all errors are due to them.
    fn study_macros(&mut self, source: &[u8]) -> anyhow::Result<Option<([TrialScores; 2], usize)>> {
        let Some(file) = Blanked::find(self.parser.source_mut(), source)? else { return Ok(None) };
        let none = score_undamaged(&mut self.parser, &file.source, &file.parsed)?;
        let copy = AnalysedCopy::of_macros(&mut self.parser, &file)?;
        let scores = copy.scores(&mut self.parser, &file.parsed);
        Ok(Some(([none, scores], file.n_macros())))
    }
}

impl Row {
    fn add(&mut self, scores: Option<&TrialScores>) {
        let Some(TrialScores { grammar, model, hybrid }) = scores else { return };
        self.n_files += 1;
        for (all, score) in self.scores.iter_mut().zip([grammar, model, hybrid]) {
            all.all.absorb(score);
            all.of_files.push(score.brackets.labelled().f1().value());
        }
    }

    fn printed(&self, damage: &'static str, has_model: bool) -> Printed {
        let [grammar, model, hybrid] = self.scores.each_ref().map(Scores::printed);
        let [model, hybrid] = [model, hybrid].map(|scores| has_model.then_some(scores));
        Printed { damage, files: self.n_files, grammar, model, hybrid }
    }
}

impl Scores {
    fn printed(&self) -> PrintedScores {
        let mut of_files = self.of_files.clone();
        of_files.sort_by(f64::total_cmp);
        let n = of_files.len();
        #[allow(clippy::cast_precision_loss, reason = "numbers of files")]
        let mean = |values: &[f64]| {
            if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
        };
        PrintedScores {
            f: mean(&of_files),
            f_of_worst_tenth: mean(&of_files[..n.div_ceil(10)]),
            all: self.all,
        }
    }
}

fn table(printed: &[Printed]) -> String {
    let has_model = printed.iter().any(|row| row.model.is_some());
    let titles = ["F", "worst tenth", "parents"];
    let mut header = vec!["damage".to_owned(), "files".to_owned()];
    for who in ["grammar", "model", "hybrid"].iter().take(if has_model { 3 } else { 1 }) {
        header.extend(titles.map(|title| format!("{who} {title}")));
    }
    let mut rows = vec![header];
    for row in printed {
        let mut cells = vec![row.damage.to_owned(), row.files.to_string()];
        for scores in std::iter::once(&row.grammar).chain(&row.model).chain(&row.hybrid) {
            cells.push(format!("{:.1}", scores.f));
            cells.push(format!("{:.1}", scores.f_of_worst_tenth));
            cells.push(format!("{:.1}", scores.all.parents.percent().value()));
        }
        rows.push(cells);
    }
    output::table(&rows)
}
