//! `quaich code train`: source files → a model.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use quaich::Settings;
use quaich::code::damage::{DAMAGES, Damage};
use quaich::code::files::{self, Found};
use quaich::code::{Copies, Lexer};
use quaich::code_parser::{CodeModel, SentenceOptions, TrainedOn, TrainingFiles, retag};
use quaich::treebank::formats::conllu;
use quaich::treebank::{ReadOptions, counted};

use super::corpus;
use super::options::{self, Sources};
use crate::commands::save_options::SaveOptions;
use crate::commands::training_options::TrainingOptions;
use crate::commands::training_run::{TrainingData, TrainingRun, read_treebanks};
use crate::commands::{Threads, integer};
use crate::files_used::FilesUsed;
use crate::output::{self, Usage};
use crate::progress;

/// Train a parser of source code on a code base
///
/// Each file becomes a sentence, with damaged copies that make the parser robust, and with the analysis by the grammar as columns, so
/// that the model learns where the grammar is right. Files that do not parse without error are left out, but in C and C++ not those
/// that have no errors once macros, recognised by names in capitals, are blanked. One file in ten is held out, at most 40: on damaged copies of these, training chooses where `quaich code parse` prefers the model to the grammar.
///
/// For a language without a grammar, give examples instead of source files: a treebank (.conllu) with the trees as labels, and
/// --language. `quaich convert --format brackets --to conllu` makes one of bracketed trees.
///
/// Ctrl-C or SIGTERM stops training early and saves the model trained so far, as in `quaich train`.
#[derive(Args)]
#[command(mut_arg("preset", |arg| arg.default_value(PRESET)))]
#[command(after_help = "Examples:
  quaich code train src/ -o java.quaich
  quaich code train include/ --language cpp -o cpp.quaich
  quaich code train src/ -o big.quaich --max-tokens 1_000_000 --set linear.epochs=10
  quaich code train examples.conllu --language cpp --no-columns -o cpp.quaich")]
pub(super) struct TrainOnCode {
    #[command(flatten)]
    sources: Sources,

    /// Write the model to this file
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,

    /// Source files to score each epoch on, where the learner has epochs, and the model; they are not trained on
    #[arg(long, value_name = "PATH")]
    dev: Vec<PathBuf>,

    /// The head rule: which child of a node is its head
    #[arg(long, value_name = "NAME", default_value = "term", value_parser = options::head_rules())]
    rule: String,

    /// Number of damaged copies per file
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = integer::<usize>, allow_negative_numbers = true)]
    copies: usize,

    /// Kinds of damage of the copies, separated by commas [default: all]
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = options::damages())]
    damage: Vec<Damage>,

    /// Do not give the model the analysis by the grammar
    #[arg(long)]
    no_columns: bool,

    /// Train on about this many tokens, not counting copies; larger code bases are sampled evenly
    #[arg(long, value_name = "N", default_value_t = 300_000, value_parser = integer::<usize>, allow_negative_numbers = true)]
    max_tokens: usize,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    options: TrainingOptions,

    #[command(flatten)]
    save_options: SaveOptions,
}

/// The default preset.
const PRESET: &str = "fast";

/// The settings for source code. Its sentences have thousands of tokens, so training and parsing must be fast; there are tags for
/// all tokens, and trees are projective.
const DEFAULTS: [(&str, &str); 2] = [("parts", "parse"), ("transform", "none")];

impl TrainOnCode {
    /// The files to read and write.
    pub(super) fn files(&self) -> FilesUsed {
        let files = FilesUsed::default().reading(&self.sources.paths).reading(&self.dev);
        files.and(self.options.files()).and(self.save_options.files(&self.output))
    }

    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let settings = self.settings()?;
        let run = TrainingRun::new(
            self.options.features()?,
            &settings,
            &self.save_options,
            &self.output,
            self.files(),
        )?;
        let examples = self.sources.paths.iter().filter(|path| is_treebank(path)).count();
        let (trained_on, data, held_out) = match examples {
            0 => self.read_files(settings.seed())?,
            n if n == self.sources.paths.len() => self.read_examples()?,
            _ => {
                let message = "found treebanks and source files, expected only one kind of them";
                return Err(Usage(message.to_owned()).into());
            }
        };
        let (model, saving) = run.train(&self.threads, &data)?;
        let mut model = CodeModel::new(model, trained_on);
        if !held_out.is_empty() && !model.model().description().interrupted {
            let bar = progress::step_bar("comparing with the grammar");
            bar.set_length(held_out.len() as u64);
            let seed = settings.seed();
            let chosen = self.threads.install(|| model.choose(&held_out, seed, || bar.inc(1)))??;
            bar.finish_and_clear();
            output::note(&chosen.to_string());
            model = model.with_choice(chosen.choice);
        }
        let code = saving.save(model.model())?;
        if !model.model().description().interrupted {
            let file = output::shell_word(&self.output);
            output::note(&format!("next: quaich code parse -m {file} FILE…"));
            output::note(&format!(
                "      quaich code damage -m {file} PATH…   (files that were not trained on)"
            ));
        }
        Ok(code)
    }

    fn settings(&self) -> anyhow::Result<Settings> {
        let mut settings = self.options.settings()?;
        if settings.is_given("parts") && settings.parts().as_deref() != Some("parse") {
            let message = "found parts=all, but source files need no tokenizer and no tagger";
            return Err(Usage(message.to_owned()).into());
        }
        for (name, value) in DEFAULTS {
            if !settings.is_given(name) {
                settings.set(name, value)?;
            }
        }
        Ok(settings)
    }

    /// Makes sentences of source files.
    fn read_files(&self, seed: u64) -> anyhow::Result<(TrainedOn<'_>, TrainingData, Vec<Found>)> {
        let (language, files) = self.sources.find()?;
        corpus::check_output(&files, Some(&self.output))?;
        let all = DAMAGES.map(|(_, damage, _)| damage).to_vec();
        let kinds = if self.damage.is_empty() { all } else { self.damage.clone() };
        let mut options = SentenceOptions {
            rule: self.rule.clone(),
            columns: !self.no_columns,
            copies: Copies { number: self.copies, kinds, seed },
            max_tokens: self.max_tokens,
            holds_out: true,
        };
        let read = |files: &[Found], options: &SentenceOptions| {
            let bar = progress::step_bar("reading files");
            bar.set_length(files.len() as u64);
            let read =
                self.threads.install(|| TrainingFiles::read(language, files, options, || bar.inc(1)))?;
            bar.finish_and_clear();
            anyhow::Ok(read?)
        };
        let found = read(&files, &options)?;
        for failure in &found.failures {
            output::note(&format!("skipped: {failure}"));
        }
        output::note(&describe(&found, files.len()));
        anyhow::ensure!(
            !found.sentences.is_empty(),
            "found no file of {} that parses without error among {}",
            language.name,
            counted(files.len(), "file")
        );
        let mut dev = Vec::new();
        if !self.dev.is_empty() {
            options = SentenceOptions {
                copies: Copies::default(),
                max_tokens: usize::MAX,
                holds_out: false,
                ..options
            };
            dev = read(&files::find(&self.dev, Some(language))?, &options)?.sentences;
            anyhow::ensure!(!dev.is_empty(), "found no file that parses without error in the dev set");
        }
        let trained_on = TrainedOn { language, head_rule: &self.rule, has_columns: !self.no_columns };
        let data = TrainingData { sentences: found.sentences, dev, ..TrainingData::default() };
        Ok((trained_on, data, found.held_out))
    }

    /// Reads examples with trees, for a language without a grammar.
    fn read_examples(&self) -> anyhow::Result<(TrainedOn<'_>, TrainingData, Vec<Found>)> {
        let Some(language) = self.sources.language() else {
            let message =
                "found a treebank of examples; say with --language which lexer splits the files to be parsed";
            return Err(Usage(message.to_owned()).into());
        };
        let dev = match &self.dev[..] {
            [] => None,
            [dev] => Some(dev.as_path()),
            _ => return Err(Usage("found several dev sets, expected one treebank".to_owned()).into()),
        };
        let options = vec![ReadOptions::default(); self.sources.paths.len() + 1];
        let mut data = read_treebanks(&self.sources.paths, dev, &options)?;
        let lexer = Lexer::new(language);
        let layout = Arc::new(conllu::layout());
        for sentence in data.sentences.iter_mut().chain(&mut data.dev) {
            *sentence = retag(sentence, &lexer, &layout)?;
        }
        let trained_on = TrainedOn { language, head_rule: "that of the examples", has_columns: false };
        Ok((trained_on, data, Vec::new()))
    }
}

/// Whether a path names a treebank of examples.
fn is_treebank(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.split('.').any(|part| part == "conllu") && !path.is_dir()
}

/// What became of the files.
fn describe(found: &TrainingFiles, n_files: usize) -> String {
    let TrainingFiles { n_chosen, n_files: n_used, n_tokens, n_copies, n_with_macros, held_out, .. } = found;
    let chosen = n_chosen + held_out.len();
    let chosen = if chosen < n_files { format!("{chosen} chosen; ") } else { String::new() };
    let (files, tokens) = (counted(n_files, "file"), counted(*n_tokens, "token"));
    let others = [
        (*n_copies, "damaged copies"),
        (*n_with_macros, "with errors only due to macros"),
        (held_out.len(), "held out"),
        (found.with_errors, "with errors"),
        (found.without_code, "without code"),
        (found.failures.len(), "not readable as source code"),
    ];
    let others = others.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!(", {n} {what}"));
    let others: String = others.collect();
    format!("{files}: {chosen}{n_used} to train on, with {tokens}{others}")
}
