//! `quaich blend vote`: combines the outputs of several parsers.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clap::Args;
use quaich::coarse_tag;
use quaich::ensemble::{FULL_VOTE, LabelVote, Rules, TagScores, Vote as Voting, Weights};
use quaich::eval::{Error, ParallelReader};
use quaich::treebank::{
    Label, Meter, Node, ReadOptions, Reader, Role, Sentence, Sink, Symbols, Tree, Underscore, counted,
};
use serde::Serialize;

use super::super::{InputOptions, open};
use crate::files_used::FilesUsed;
use crate::output::Usage;
use crate::progress::Counter;
use crate::{output, progress};

/// Combine the outputs of several parsers by voting on arcs
///
/// All files must have the same tokens. The output is the first file with the winning heads and labels; everything else in
/// it is kept byte for byte. Files may contain missing heads or cycles: their other arcs still vote. All files are read to
/// the end before anything is printed; standard input and pipes can be read only once, so their sentences are
/// printed as they arrive.
///
/// All votes have the same weight, unless --gold-dev and --dev are given: then the weight is the accuracy of the
/// parser on the dev set, per coarse tag of the dependent, as in Hall et al. (2007).
#[derive(Args)]
#[command(after_help = "Examples:
  quaich blend vote one.conllu two.conllu three.conllu -o blended.conllu
  quaich blend vote a.conllu b.conllu c.conllu --gold-dev dev.conllu --dev a-dev.conllu b-dev.conllu c-dev.conllu
  quaich blend vote one.conll two.conll three.conll --two-step --single-root")]
pub(crate) struct Vote {
    /// Parser outputs to combine; ties go to the earlier file
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Gold dev set, not used to train the parsers: weight votes by the accuracy of --dev on it
    #[arg(long, value_name = "GOLD", requires = "dev")]
    gold_dev: Option<PathBuf>,

    /// Parser outputs for the dev set, in the order of the files
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "gold_dev")]
    dev: Vec<PathBuf>,

    /// Vote on heads first, then on the labels of those that propose the head, instead of on arcs with labels
    #[arg(long)]
    two_step: bool,

    /// Attach exactly one token to the root
    #[arg(long)]
    single_root: bool,

    /// Print the weights as JSON and exit
    #[arg(long, requires = "gold_dev")]
    weights: bool,

    /// Output file, compressed if its name ends in .gz, .zst, .xz or .bz2 [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    input_options: InputOptions,
}

/// The weights of a file.
#[derive(Serialize)]
struct Shown<'a> {
    file: String,
    /// LAS of all words, in percent.
    las: f64,
    /// LAS per coarse tag, in percent.
    by_tag: BTreeMap<&'a str, f64>,
}

impl Vote {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        self.input_options
            .files(self.files.iter().chain(&self.gold_dev).chain(&self.dev))
            .writing(&self.output)
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let n_files = self.files.len();
        if n_files < 2 {
            return Err(Usage("found one file, expected at least two".to_owned()).into());
        }
        if !self.dev.is_empty() && self.dev.len() != n_files {
            let found = counted(self.dev.len(), "file");
            let message = format!("found {found} after --dev, expected one per parser: {n_files}");
            return Err(Usage(message).into());
        }
        let all = self.files.iter().chain(&self.gold_dev).chain(&self.dev);
        let options = self.input_options.options_for(all)?;
        let (options, of_dev) = options.split_at(n_files);
        let weights = self.weights(of_dev)?;
        if self.weights {
            output::json(&self.shown(&weights))?;
            return Ok(ExitCode::SUCCESS);
        }
        if self.output.is_none() && self.files.iter().all(|file| file.is_file()) {
            // Printed output cannot be taken back, so all errors must occur before anything is printed.
            let uncounted =
                |options: &ReadOptions| ReadOptions { meter: Meter::default(), ..options.clone() };
            let options: Vec<ReadOptions> = options.iter().map(uncounted).collect();
            let checked = open_all(self.files.iter(), &options, |file, options| Reader::open(file, options))?;
            self.vote((&weights, &options), checked, &mut io::sink(), &progress::counter("checked"))?;
        }
        let outputs = open_all(self.files.iter(), options, open)?;
        let (mut sink, bar) = (Sink::create(self.output.as_deref())?, progress::counter("combined"));
        self.vote((&weights, options), outputs, &mut sink, &bar)?;
        sink.finish()?;
        Ok(ExitCode::SUCCESS)
    }

    /// The weights of the votes, by file.
    fn weights(&self, options: &[ReadOptions]) -> anyhow::Result<Vec<Weights>> {
        let Some(gold) = &self.gold_dev else { return Ok(vec![Weights::equal(); self.files.len()]) };
        let mut outputs = open_all([gold].into_iter().chain(&self.dev), options, open)?;
        let mut scores = vec![TagScores::default(); self.dev.len()];
        let mut n_scored = 0_u64;
        while outputs.advance(|_| ()).map_err(mismatch_error)? {
            let gold = outputs.sentence(0);
            for token in gold.tokens().filter(|token| gold.heads()[token.index()].is_some()) {
                n_scored += 1;
                for (system, scores) in outputs.sentences().skip(1).zip(&mut scores) {
                    let right = gold.heads()[token.index()] == system.heads()[token.index()]
                        && gold.label(token) == system.label(token);
                    scores.add(coarse_tag(gold, token), right);
                }
            }
        }
        if n_scored == 0 {
            bail!("{}: found no token with a head, expected a dev treebank with trees", gold.display());
        }
        Ok(scores.iter().map(TagScores::weights).collect())
    }

    /// Votes on every sentence and writes the winning trees.
    fn vote(
        &self,
        (weights, options): (&[Weights], &[ReadOptions]),
        mut outputs: ParallelReader,
        out: &mut impl Write,
        bar: &Counter,
    ) -> anyhow::Result<()> {
        let labels = if self.two_step { LabelVote::Afterwards } else { LabelVote::Together };
        let rules = Rules { labels, single_root: self.single_root };
        let (mut symbols, mut voting, mut winner) =
            (Symbols::<Label>::new(), Voting::default(), Tree::default());
        let (mut trees, mut text) = (Vec::new(), Vec::new());
        let mut usage = LabelUsage::default();
        let mut underscores: Vec<Underscore> =
            self.files.iter().zip(options).map(|(file, options)| usage.read(file, options)).collect();
        voting.set_root_label(usage.root_label().map(|label| symbols.intern(label)));
        loop {
            let has_sentence = outputs.advance(|aside| text.extend_from_slice(aside.text().as_bytes()));
            let has_sentence = has_sentence.map_err(mismatch_error)?;
            out.write_all(&text)?;
            text.clear();
            if !has_sentence {
                break;
            }
            let first = outputs.sentence(0);
            trees.clear();
            for (sentence, underscore) in outputs.sentences().zip(&mut underscores) {
                if Underscore::of([sentence]) == Underscore::Label {
                    *underscore = Underscore::Label;
                }
                trees.push(sentence.tree_with(&mut symbols, *underscore));
            }
            let weight = |file: usize, token: Node| weights[file].of(coarse_tag(first, token));
            voting.hold(rules, &trees, weight, &mut winner);
            check_labels(first, &winner, &symbols)?;
            first.write_tree(&winner, |label| symbols.text(label), &mut text);
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(())
    }

    fn shown<'w>(&self, weights: &'w [Weights]) -> Vec<Shown<'w>> {
        let percent = |weight: u32| 100.0 * f64::from(weight) / f64::from(FULL_VOTE);
        let files = self.dev.iter().zip(weights).map(|(file, weights)| Shown {
            file: file.display().to_string(),
            las: percent(weights.all),
            by_tag: weights.by_tag.iter().map(|(tag, &weight)| (tag.as_str(), percent(weight))).collect(),
        });
        files.collect()
    }
}

/// Opens files that are read side by side.
fn open_all<'f>(
    files: impl Iterator<Item = &'f PathBuf>,
    options: &[ReadOptions],
    open: impl Fn(&Path, &ReadOptions) -> quaich::treebank::Result<Reader>,
) -> anyhow::Result<ParallelReader> {
    let mut readers = Vec::new();
    for (file, options) in files.zip(options) {
        let reader = open(file, options)?;
        if reader.layout().position(Role::Head).is_none() {
            bail!("{}: found no column for heads, expected a format with one", reader.file());
        }
        readers.push(reader);
    }
    Ok(ParallelReader::new(readers))
}

/// How often each label marks a root, and another word, in files that can be read twice.
#[derive(Default)]
struct LabelUsage(BTreeMap<String, [u64; 2]>);

impl LabelUsage {
    /// A label marks roots if at most one in this many roots has another label, and one in this many words with it is no root.
    const EXCEPTIONS: u64 = 10;

    /// Counts the labels of a file. Returns the meaning of `_` as a label there, as far as it is known in advance: pipes can be read only
    /// once.
    fn read(&mut self, file: &Path, options: &ReadOptions) -> Underscore {
        let mut underscore = Underscore::Absent;
        if let Ok(metadata) = file.metadata()
            && metadata.is_file()
            && let Ok(mut reader) = Reader::open(file, options)
            && let Some(column) = reader.layout().position(Role::Label)
        {
            let mut sentence = reader.sentence();
            // Errors in the file are reported when it is read for the vote.
            while let Ok(true) = reader.read(&mut sentence) {
                if underscore != Underscore::Label {
                    underscore = Underscore::of([&sentence]);
                }
                for token in sentence.tokens().filter(|token| sentence.heads()[token.index()].is_some()) {
                    let is_other = usize::from(!sentence.heads()[token.index()].is_root());
                    let label = sentence.cell(token, column);
                    if let Some(counts) = self.0.get_mut(label) {
                        counts[is_other] += 1;
                    } else if label != "_" {
                        self.0.entry(label.to_owned()).or_default()[is_other] += 1;
                    }
                }
            }
        }
        underscore
    }

    /// The label that marks nearly all roots, and hardly any other words.
    fn root_label(&self) -> Option<&str> {
        let (label, [at_root, elsewhere]) = self.0.iter().max_by_key(|(_, [at_root, _])| at_root)?;
        let all: u64 = self.0.values().map(|[at_root, _]| at_root).sum();
        let is_rule = |exceptions: u64, of: u64| exceptions * Self::EXCEPTIONS <= of;
        (is_rule(all - at_root, all) && is_rule(*elsewhere, *at_root)).then_some(label)
    }
}

/// Checks that the format of the sentence can represent the labels of the tree, which may come from files in other formats.
fn check_labels(sentence: &Sentence, tree: &Tree, labels: &Symbols<Label>) -> anyhow::Result<()> {
    let layout = sentence.layout();
    let text = |token: Node| {
        Some(tree.label(token)).filter(|label| !label.is_none()).map(|label| labels.text(label))
    };
    match sentence.tokens().filter_map(text).find(|label| !layout.can_hold(label)) {
        Some(label) => {
            bail!("found the label `{label}`, which the format {} cannot represent", layout.name())
        }
        None => Ok(()),
    }
}

/// The mismatch between two outputs, without mentioning a gold standard.
fn mismatch_error(error: Error) -> anyhow::Error {
    let Error::Mismatch(mismatch) = error else { return error.into() };
    let context =
        |file: &str, text: &str| if text.is_empty() { String::new() } else { format!("\n  {file}: {text}") };
    let (here, there) = (&mismatch.system, &mismatch.gold);
    anyhow!(
        "{here}: {}, as in {there}{}{}\n  help: give outputs for the same text, with the same tokens and sentences",
        mismatch.difference,
        context(&here.file, &mismatch.system_context),
        context(&there.file, &mismatch.gold_context),
    )
}
