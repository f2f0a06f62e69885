//! `quaich instances`: training instances for other programs.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use quaich::features::FeatureModel;
use quaich::instances::{Format, MaltInstances, MaltRun, ModelInstances, Output, training_instances};
use quaich::transition::spec::SystemSpec;
use quaich::treebank::{Sentence, Sink, counted};
use quaich::{Decision, Event, Observer, Settings};

use super::{InputOptions, load_single_parser, open};
use crate::files_used::FilesUsed;
use crate::{feature_models, output, progress};

/// Write training instances for other programs, one line per decision
///
/// The instances are those that `train` uses with the same options, in the order of the static oracle's decisions. With
/// several classifiers, for transitions and labels or for split data, -o is the prefix of their files: OUT.trans,
/// OUT.label-LA, OUT.MASTER.
#[derive(Args)]
#[command(after_help = r#"Examples:
  quaich instances train.conllu --decision joint --features base --to libsvm -o train.svm
  quaich instances test.conllu -m split.quaich --to liblinear -o test
  quaich instances --malt "-a nivreeager -gds T.TRANS,A.DEPREL" train.conll --to liblinear -o train"#)]
pub(crate) struct Instances {
    /// Treebanks; `-` for standard input
    #[arg(value_name = "TREEBANK", required = true)]
    treebanks: Vec<PathBuf>,

    /// The format of the instances
    #[arg(long, value_name = "FORMAT", value_parser = possible_formats())]
    to: Format,

    /// Output file, or prefix of several files [default: standard output]
    #[arg(long, short, value_name = "OUT")]
    output: Option<PathBuf>,

    /// The transition system, as for `train`
    #[arg(long, conflicts_with_all = ["malt", "model"])]
    system: Option<SystemSpec>,

    /// The feature model: a name from `quaich features list`, or a file
    #[arg(long, value_name = "FEATURES", conflicts_with_all = ["malt", "model"])]
    features: Option<String>,

    /// How transitions and labels are predicted: joint, sequence or branch
    #[arg(long, value_parser = Decision::by_name, conflicts_with_all = ["malt", "model"])]
    decision: Option<Decision>,

    /// Use the feature and class numbers of this model
    #[arg(long, short, value_name = "MODEL", conflicts_with = "malt")]
    model: Option<PathBuf>,

    /// Write only the class that the model predicts, one line per instance
    #[arg(long, requires = "model")]
    predict: bool,

    /// Use MaltParser's flags instead, e.g. "-a nivreeager -gds T.TRANS,A.DEPREL"; --help lists them
    #[arg(
        long,
        value_name = "FLAGS",
        value_parser = MaltRun::parse,
        allow_hyphen_values = true,
        long_help = format!("Use MaltParser's flags instead, e.g. \"-a nivreeager -gds T.TRANS,A.DEPREL\"\n{}", MaltRun::help()),
    )]
    malt: Option<MaltRun>,

    #[command(flatten)]
    input_options: InputOptions,
}

fn possible_formats() -> impl TypedValueParser<Value = Format> {
    let values = Format::ALL.map(|format| PossibleValue::new(format.name()).help(format.about()));
    PossibleValuesParser::new(values).try_map(|name| Format::by_name(&name))
}

/// The output files of all classifiers; they appear when all are complete.
struct Files {
    /// The input files, which must not be overwritten.
    used: FilesUsed,
    output: Option<PathBuf>,
    sinks: BTreeMap<String, Sink>,
    /// Why a file could not be created.
    failure: Option<anyhow::Error>,
}

/// The maximum number of classifiers: one open file per classifier.
const MAX_FILES: usize = 500;

impl Files {
    fn sink(&mut self, classifier: &str) -> anyhow::Result<&mut Sink> {
        if !self.sinks.contains_key(classifier) {
            let place = match &self.output {
                Some(output) if classifier.is_empty() => Some(output.clone()),
                Some(output) => {
                    let mut name = output.as_os_str().to_owned();
                    name.push(format!(".{}", file_name(classifier)));
                    Some(PathBuf::from(name))
                }
                None if classifier.is_empty() => None,
                None => {
                    let message = "found several classifiers, expected `-o OUT`, the prefix of their files";
                    return Err(output::Usage(message.to_owned()).into());
                }
            };
            if self.sinks.len() >= MAX_FILES {
                anyhow::bail!(
                    "found more than {MAX_FILES} classifiers, expected fewer\n  help: split by a feature with fewer values, or pool more values (-T of MaltParser)"
                );
            }
            self.used.check_output(place.as_deref())?;
            self.sinks.insert(classifier.to_owned(), Sink::create(place.as_deref())?);
        }
        self.sinks.get_mut(classifier).ok_or_else(|| anyhow::anyhow!("a classifier without a file"))
    }

    fn finish(self) -> anyhow::Result<()> {
        for sink in self.sinks.into_values() {
            sink.finish()?;
        }
        Ok(())
    }
}

impl Output for Files {
    fn line(&mut self, classifier: &str, line: &str) -> io::Result<()> {
        match self.sink(classifier) {
            Ok(sink) => {
                sink.write_all(line.as_bytes())?;
                sink.write_all(b"\n")
            }
            Err(error) => {
                self.failure = Some(error);
                Err(io::Error::other("no file"))
            }
        }
    }
}

/// The name of a classifier, escaped for file names.
fn file_name(classifier: &str) -> String {
    let mut name = String::new();
    for character in classifier.chars() {
        if character.is_control() || matches!(character, '/' | '\\' | '%') {
            for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                // Writing to a string does not fail.
                let _ = std::fmt::Write::write_fmt(&mut name, format_args!("%{byte:02X}"));
            }
        } else {
            name.push(character);
        }
    }
    name
}

impl Instances {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        let features = [self.features.as_ref(), self.malt.as_ref().and_then(|run| run.features.as_ref())];
        let features = features.into_iter().flatten().filter_map(|name| feature_models::file(name));
        self.input_options.files(&self.treebanks).reading(&self.model).reading(features).writing(&self.output)
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let (used, output) = (self.files(), self.output.clone());
        let mut files = Files { used, output, sinks: BTreeMap::new(), failure: None };
        let written = match (&self.malt, &self.model) {
            (Some(run), _) => self.write_malt(run, &mut files),
            (None, Some(model)) => self.write_with_model(model, &mut files),
            (None, None) => self.write_for_training(&mut files),
        };
        // The reason why a file could not be created is more specific than a failed write.
        written.map_err(|error| files.failure.take().unwrap_or(error))?;
        files.finish()?;
        Ok(ExitCode::SUCCESS)
    }

    /// Visits every sentence; `visit` returns whether it has a tree.
    fn sentences(&self, mut visit: impl FnMut(&Sentence) -> anyhow::Result<bool>) -> anyhow::Result<()> {
        let bar = progress::counter("read");
        let mut n_not_trees = 0u64;
        for (path, options) in self.treebanks.iter().zip(&self.input_options.options_for(&self.treebanks)?) {
            let mut reader = open(path, options)?;
            let mut sentence = reader.sentence();
            while reader.read(&mut sentence)? {
                if !visit(&sentence)? && sentence.n_tokens() > 0 {
                    n_not_trees += 1;
                }
                bar.inc(1);
            }
        }
        bar.finish_and_clear();
        if n_not_trees > 0 {
            let sentences = counted(n_not_trees, "sentence");
            output::note(&format!(
                "skipped: {sentences} without heads, or whose heads do not form a tree; see `quaich validate`"
            ));
        }
        Ok(())
    }

    fn write_malt(&self, run: &MaltRun, files: &mut Files) -> anyhow::Result<()> {
        let features: FeatureModel = match &run.features {
            Some(name) => feature_models::by_name_or_file_with(name, run.options())?.with_nulls(run.nulls),
            None => run.own_features()?,
        };
        let mut instances = MaltInstances::new(run, &features, self.to)?;
        let mut checked = false;
        self.sentences(|sentence| {
            if !checked {
                features.check_columns(sentence.layout())?;
                checked = true;
            }
            Ok(instances.read(sentence, files)?)
        })?;
        instances.finish(files)?;
        Ok(())
    }

    fn write_with_model(&self, model: &Path, files: &mut Files) -> anyhow::Result<()> {
        let parser = load_single_parser(model)?;
        let mut instances = ModelInstances::new(&parser, self.to, self.predict)
            .map_err(|error| anyhow::anyhow!("{}: {error}", model.display()))?;
        self.sentences(|sentence| Ok(instances.read(sentence, files)?))
    }

    fn write_for_training(&self, files: &mut Files) -> anyhow::Result<()> {
        // A learner with feature templates: the encoder-based learners have other default systems.
        let mut settings = Settings::default().with("learner=linear")?;
        if let Some(system) = self.system {
            settings.set("system", &system.to_string())?;
        }
        if let Some(decision) = self.decision {
            settings.set("decision", decision.name())?;
        }
        if self.output.is_none() && settings.decision() != Decision::Joint {
            let name = settings.decision().name();
            let message = format!(
                "the decision `{name}` has several classifiers, expected `-o OUT`, the prefix of their files\n  help: --decision joint has a single classifier"
            );
            return Err(output::Usage(message).into());
        }
        let features = match &self.features {
            Some(name) => feature_models::by_name_or_file(name)?,
            None => FeatureModel::default_model(),
        };
        let mut sentences = Vec::new();
        self.sentences(|sentence| {
            sentences.push(sentence.clone());
            Ok(true)
        })?;
        training_instances(&sentences, features, &settings, self.to, &EventPrinter, files)?;
        Ok(())
    }
}

/// Prints the messages of preparing a treebank.
struct EventPrinter;

impl Observer for EventPrinter {
    fn event(&self, event: &Event<'_>) {
        if !matches!(event, Event::Work { .. } | Event::Stage { .. } | Event::Step) {
            output::note(&event.to_string());
        }
    }
}
