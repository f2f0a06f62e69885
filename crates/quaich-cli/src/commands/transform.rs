//! `quaich transform`: applies and inverts tree transformations, and reports their losses.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quaich::transform::{
    Counts, Operation, PseudoProjective, Report, Reporter, Rewriter, Rewritten, Specification,
    Transform as Transformation,
};
use quaich::treebank::{Node, Sink, counted};
use serde::Serialize;

use super::{InputOptions, malt_help, open, or_stdin};
use crate::files_used::FilesUsed;
use crate::output::Usage;
use crate::{output, progress};

/// Apply a tree transformation to treebanks, or invert it
///
/// Everything except heads and labels is kept byte for byte. Sentences whose heads do not form a tree are not changed. Several
/// transformations, separated by commas, are applied from left to right and inverted from right to left.
#[derive(Args)]
#[command(
    override_usage = "quaich transform [OPTIONS] <TRANSFORMATION> [TREEBANK]...
       quaich transform [OPTIONS] --malt <FLAGS> [TREEBANK]...",
    after_help = r#"Examples:
  quaich transform pseudo-projective:head train.conllu -o projective.conllu
  quaich transform pseudo-projective:head projective.conllu --invert
  quaich transform "coordination:c+*, verb-groups" train.conll --report
  quaich transform --malt "-pp head -pcr none -plo shortest" train.conll

`quaich list transforms` lists the transformations."#
)]
pub(crate) struct Transform {
    /// The transformation, e.g. pseudo-projective:head (omitted with --malt), then the treebanks [default: standard input]
    #[arg(value_name = "TRANSFORMATION")]
    words: Vec<String>,

    /// Transform like MaltParser with -m proj, or with --invert like -m deproj, with these flags, e.g. "-pp head -pcr none -plo shortest"
    #[arg(
        long,
        value_name = "FLAGS",
        value_parser = PseudoProjective::from_malt_flags,
        allow_hyphen_values = true,
        long_help = malt_help("Transform like MaltParser with -m proj, or with --invert like -m deproj, with these flags", &[&PseudoProjective::of_malt()]),
    )]
    malt: Option<PseudoProjective>,

    /// Invert the transformation
    #[arg(long)]
    invert: bool,

    /// Report how many arcs the transformation changes and how many are lost when it is inverted; writes trees only with -o
    #[arg(long)]
    report: bool,

    /// Print the report as one JSON object
    #[arg(long, requires = "report")]
    json: bool,

    /// Output file, compressed if its name ends in .gz, .zst, .xz or .bz2 [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    input_options: InputOptions,
}

impl Transform {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        let (transform, treebanks) = match &self.words[..] {
            [transform, treebanks @ ..] if self.malt.is_none() => (transform.parse().ok(), treebanks),
            treebanks => (None::<Specification>, treebanks),
        };
        let maps = transform.iter().flat_map(Specification::files);
        self.input_options.files(or_stdin(&paths(treebanks))).reading(maps).writing(&self.output)
    }

    pub(crate) fn run(mut self) -> anyhow::Result<ExitCode> {
        let transform = self.take_transform()?;
        let files = or_stdin(&paths(&self.words));
        let options = self.input_options.options_for(&files)?;
        let operation = if self.invert { Operation::Invert } else { Operation::Apply };
        let mut reporter = self.report.then(|| Reporter::new(&*transform, operation));
        let mut rewriter = Rewriter::new(&*transform, operation);
        let writes = !self.report || self.output.is_some();
        let mut sink = if writes { Some(Sink::create(self.output.as_deref())?) } else { None };
        let bar = progress::counter("transformed");
        let (mut n_not_trees, mut n_doubtful) = (0u64, 0usize);
        let may_misread_marks = !self.invert && self.malt.is_some_and(PseudoProjective::has_marks);
        let mut out = Vec::new();
        for (path, options) in files.iter().zip(&options) {
            let mut reader = open(path, options)?;
            let mut sentence = reader.sentence();
            while reader.read(&mut sentence)? {
                if let Some(reporter) = &mut reporter
                    && sentence.n_tokens() > 0
                {
                    reporter.add(&sentence);
                }
                if may_misread_marks {
                    let has_mark = |token: &Node| sentence.label(*token).contains(['|', '%']);
                    n_doubtful += sentence.tokens().filter(has_mark).count();
                }
                if let Some(sink) = &mut sink {
                    let rewritten = rewriter.write(&sentence, &mut out);
                    n_not_trees += u64::from(rewritten == Rewritten::NoTree);
                    sink.write_all(&out)?;
                    out.clear();
                }
                bar.inc(1);
            }
        }
        if let Some(sink) = sink {
            sink.finish()?;
        }
        bar.finish_and_clear();
        if let Some(reporter) = reporter {
            let report = reporter.finish();
            n_not_trees = report.not_trees;
            print(&report, self.json)?;
        }
        if n_not_trees > 0 {
            let sentences = counted(n_not_trees, "sentence");
            output::note(&format!(
                "not transformed: {sentences} without heads, or whose heads do not form a tree; see `quaich validate`"
            ));
        }
        if n_doubtful > 0 {
            let labels = counted(n_doubtful, "token");
            output::note(&format!(
                "warning: {labels} with `|` or `%` in the label: --invert takes these characters for MaltParser's marks and changes the label"
            ));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The transformation; takes it out of the arguments unless `--malt` gives it.
    fn take_transform(&mut self) -> anyhow::Result<Box<dyn Transformation>> {
        if let Some(malt) = self.malt {
            return Ok(Box::new(malt));
        }
        if self.words.is_empty() {
            let message =
                "found no transformation, expected one such as pseudo-projective:head, or --malt FLAGS";
            return Err(Usage(message.to_owned()).into());
        }
        let spec: Specification = self.words.remove(0).parse()?;
        Ok(spec.build(&spec.read_files()?)?)
    }
}

fn paths(words: &[String]) -> Vec<PathBuf> {
    words.iter().map(PathBuf::from).collect()
}

/// The printed report.
#[derive(Serialize)]
struct Printed {
    sentences: u64,
    not_trees: u64,
    touched_sentences: u64,
    lost_sentences: u64,
    labels_before: usize,
    labels_after: usize,
    labels_added: usize,
    #[serde(flatten)]
    total: PrintedCounts,
    constructions: Vec<Construction>,
}

/// One kind of construction.
#[derive(Serialize)]
struct Construction {
    construction: &'static str,
    #[serde(flatten)]
    counts: PrintedCounts,
}

#[derive(Serialize)]
struct PrintedCounts {
    arcs: u64,
    touched_arcs: u64,
    moved_arcs: u64,
    relabelled_arcs: u64,
    lost_heads: u64,
    lost_labels: u64,
    heads_kept_percent: f64,
}

impl PrintedCounts {
    fn of(counts: &Counts) -> Self {
        let Counts { arcs, moved, relabelled, touched, lost_heads, lost_labels } = *counts;
        #[allow(clippy::cast_precision_loss, reason = "counts of arcs")]
        let kept = if arcs == 0 { 100.0 } else { 100.0 * (arcs - lost_heads) as f64 / arcs as f64 };
        Self {
            arcs,
            touched_arcs: touched,
            moved_arcs: moved,
            relabelled_arcs: relabelled,
            lost_heads,
            lost_labels,
            heads_kept_percent: (kept * 10_000.0).round() / 10_000.0,
        }
    }

    fn row(&self, name: &str) -> Vec<String> {
        let numbers = [
            self.arcs,
            self.touched_arcs,
            self.moved_arcs,
            self.relabelled_arcs,
            self.lost_heads,
            self.lost_labels,
        ];
        let numbers = numbers.iter().map(ToString::to_string);
        [name.to_owned()]
            .into_iter()
            .chain(numbers)
            .chain([format!("{:.2}", self.heads_kept_percent)])
            .collect()
    }
}

fn print(report: &Report, json: bool) -> anyhow::Result<()> {
    let counts = |(construction, counts): &(&'static str, Counts)| Construction {
        construction,
        counts: PrintedCounts::of(counts),
    };
    let printed = Printed {
        sentences: report.sentences,
        not_trees: report.not_trees,
        touched_sentences: report.touched_sentences,
        lost_sentences: report.lost_sentences,
        labels_before: report.labels_before,
        labels_after: report.labels_after,
        labels_added: report.labels_added,
        total: PrintedCounts::of(&report.total),
        constructions: report.constructions.iter().map(counts).collect(),
    };
    if json {
        return output::json(&printed);
    }
    let header = ["", "arcs", "changed", "moved", "relabelled", "heads lost", "labels lost", "% heads kept"];
    let mut rows: Vec<Vec<String>> = vec![header.map(str::to_owned).to_vec()];
    rows.extend(printed.constructions.iter().map(|one| one.counts.row(one.construction)));
    rows.push(printed.total.row("all arcs"));
    let Printed { sentences, touched_sentences, lost_sentences, .. } = printed;
    let summary = format!(
        "{} with trees, {touched_sentences} changed, {lost_sentences} not restored by --invert\n{} before, {} after, {} added\n\n",
        counted(sentences, "sentence"),
        counted(report.labels_before, "label"),
        report.labels_after,
        report.labels_added,
    );
    output::text(&(summary + &output::table(&rows)))
}
