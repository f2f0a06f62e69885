//! `quaich stats`: describes treebanks, one per column.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use quaich::eval::describe::{
    BufferTransition, Describer, Description, Histogram, NewWords, PunctuationAttached,
};
use quaich::treebank::ReadOptions;
use serde::Serialize;

use super::{InputOptions, open, or_stdin};
use crate::files_used::FilesUsed;
use crate::{output, progress};

/// Describe treebanks: sizes, labels, projectivity, arc lengths and more
///
/// Prints sizes, tags, labels, projectivity, planarity, nestedness, lifts, and arc lengths and directions. Several files are shown side by side, with their total. A token is punctuation if all its characters are in the
/// Unicode category P. Arcs from the root count as rightward.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich stats train.conllu dev.conllu test.conllu
  quaich stats train.conllu --json")]
pub(crate) struct Stats {
    /// Treebanks [default: standard input]
    #[arg(value_name = "TREEBANK")]
    files: Vec<PathBuf>,

    /// Describe all files as one treebank
    #[arg(long)]
    together: bool,

    /// Count the words and lemmas that are not in this treebank, e.g. the training data
    #[arg(long, value_name = "TREEBANK")]
    against: Option<PathBuf>,

    /// Print JSON: one object, or an array with one object per file
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    input_options: InputOptions,
}

/// A description with its source.
#[derive(Serialize)]
struct Column {
    /// The file or files.
    file: String,
    #[serde(flatten)]
    description: Description,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    new_words: Option<NewWords>,
}

impl Stats {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        self.input_options.files(or_stdin(&self.files)).reading(&self.against)
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let files = or_stdin(&self.files);
        let options = self.input_options.options_for(files.iter().chain(&self.against))?;
        let inputs: Vec<Input<'_>> = files.iter().map(PathBuf::as_path).zip(&options).collect();
        let training =
            self.against.as_deref().zip(options.last()).map(|input| describe(&[input])).transpose()?;
        let names = without_common_directory(&files);
        let column = |file: String, describer: &Describer| Column {
            file,
            description: describer.description(),
            new_words: training.as_ref().map(|training| describer.new_words(training)),
        };
        let mut columns = Vec::new();
        if self.together {
            columns.push(column(names.join(" + "), &describe(&inputs)?));
        } else {
            let mut total = Describer::new();
            for ((file, options), name) in inputs.into_iter().zip(names) {
                let describer = describe(&[(file, options)])?;
                let name = if self.json { file.display().to_string() } else { name };
                columns.push(column(name, &describer));
                total.absorb(&describer);
            }
            if columns.len() > 1 && !self.json {
                columns.push(column("total".to_owned(), &total));
            }
        }
        match &columns[..] {
            [only] if self.json => output::json(only)?,
            all if self.json => output::json(&all)?,
            all => output::text(&output::table(&rows(all)))?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A file and how to read it.
type Input<'a> = (&'a Path, &'a ReadOptions);

fn describe(inputs: &[Input<'_>]) -> anyhow::Result<Describer> {
    let mut describer = Describer::new();
    let bar = progress::counter("read");
    for (file, options) in inputs {
        let mut reader = open(file, options)?;
        let mut sentence = reader.sentence();
        while reader.read(&mut sentence)? {
            describer.add(&sentence);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(describer)
}

/// The paths without the directories that all of them share.
fn without_common_directory(files: &[PathBuf]) -> Vec<String> {
    let mut common = files[0].parent().unwrap_or(Path::new(""));
    while !files.iter().all(|file| file.starts_with(common)) {
        common = common.parent().unwrap_or(Path::new(""));
    }
    files.iter().map(|file| file.strip_prefix(common).unwrap_or(file).display().to_string()).collect()
}

/// The table: one row per measure, one column per treebank.
fn rows(columns: &[Column]) -> Vec<Vec<String>> {
    let mut rows = vec![[String::new()].into_iter().chain(columns.iter().map(|c| c.file.clone())).collect()];
    let mut row = |name: &str, value: &dyn Fn(&Description) -> String| {
        let values = columns.iter().map(|column| value(&column.description));
        rows.push([name.to_owned()].into_iter().chain(values).collect());
    };
    let of_trees = |trees: u64, d: &Description| {
        let percent = Percent::of(trees, d.sentences);
        format!("{trees} ({percent} %)")
    };
    row("sentences", &|d| d.sentences.to_string());
    row("tokens", &|d| d.tokens.to_string());
    row("tokens per sentence", &|d| tenths(d.tokens_per_sentence));
    row("longest sentence", &|d| d.longest_sentence.to_string());
    if columns.iter().any(|column| column.description.ill_formed_sentences > 0) {
        row("sentences without a tree", &|d| d.ill_formed_sentences.to_string());
    }
    row("forms", &|d| d.forms.to_string());
    row("lemmas", &|d| if d.has_lemmas { d.lemmas.to_string() } else { "none".to_owned() });
    row("coarse tags", &|d| d.coarse_tags.to_string());
    row("fine tags", &|d| d.fine_tags.to_string());
    row("features", &|d| d.features.to_string());
    row("labels", &|d| d.labels.to_string());
    row("root labels", &|d| d.root_labels.to_string());
    row("% roots", &|d| tenths(d.roots_percent));
    row("% head on the left", &|d| tenths(d.head_left_percent));
    row("% head on the right", &|d| tenths(d.head_right_percent));
    row("roots per sentence", &|d| tenths(d.roots_per_sentence));
    row("% non-projective arcs", &|d| hundredths(d.nonprojective_arcs_percent));
    row("% non-projective sentences", &|d| tenths(d.nonprojective_sentences_percent));
    row("punctuation attached", &|d| match d.punctuation_attached {
        Some(PunctuationAttached::Always) => "always".to_owned(),
        Some(PunctuationAttached::Sometimes) => "sometimes".to_owned(),
        Some(PunctuationAttached::Never) => "never".to_owned(),
        None => "none".to_owned(),
    });
    row("punctuation labels", &|d| d.punctuation_labels.to_string());
    row("non-projective arcs", &|d| d.nonprojective_arcs.to_string());
    row("non-projective", &|d| of_trees(d.nonprojective_sentences, d));
    row("not planar", &|d| of_trees(d.not_planar, d));
    row("not 2-planar", &|d| of_trees(d.not_2_planar, d));
    row("not 3-planar", &|d| of_trees(d.not_3_planar, d));
    row("not 4-planar", &|d| of_trees(d.not_4_planar, d));
    if columns.iter().any(|column| column.description.undecided_planarity > 0) {
        row("number of planes not found", &|d| d.undecided_planarity.to_string());
    }
    row("ill-nested", &|d| of_trees(d.ill_nested, d));
    row("largest gap degree", &|d| d.max_gap_degree.to_string());
    row("gap degree 1", &|d| of_trees(d.gap_degrees.count(1), d));
    row("gap degree 2 or more", &|d| of_trees(d.gap_degrees.count_above(1), d));
    row("arcs lifted once", &|d| d.lifts.count(1).to_string());
    row("arcs lifted twice", &|d| d.lifts.count(2).to_string());
    row("arcs lifted more often", &|d| d.lifts.count_above(2).to_string());
    row("% leftward arcs", &|d| tenths(d.left_percent));
    row("% rightward arcs", &|d| tenths(d.right_percent));
    row("% leftward arcs of length 1", &|d| tenths(d.left1_percent));
    row("% rightward arcs of length 1", &|d| tenths(d.right1_percent));
    row("suggested buffer transition", &|d| match d.buffer_transition {
        Some(BufferTransition::Lba) => "+lba".to_owned(),
        Some(BufferTransition::Rba) => "+rba".to_owned(),
        None => String::new(),
    });
    row("mean arc length", &|d| hundredths(d.mean_arc_length));
    for (name, first, last) in [("1", 1, 1), ("2", 2, 2), ("3 to 6", 3, 6), ("7 or more", 7, u32::MAX)] {
        row(&format!("% arcs of length {name}"), &|d| share(&d.arc_lengths, first, last));
    }
    if columns.iter().any(|column| column.new_words.is_some()) {
        let new = |name: &str, value: &dyn Fn(NewWords) -> Option<f64>| -> Vec<String> {
            let values = columns
                .iter()
                .map(|column| column.new_words.and_then(value).map_or("none".to_owned(), hundredths));
            [name.to_owned()].into_iter().chain(values).collect()
        };
        rows.push(new("% new words", &|new| Some(new.forms_percent)));
        rows.push(new("% new lemmas", &|new| new.lemmas_percent));
    }
    rows
}

/// The percentage of the counted numbers from `first` to `last`.
fn share(histogram: &Histogram, first: u32, last: u32) -> String {
    let within = histogram.count_above(first - 1) - histogram.count_above(last);
    Percent::of(within, histogram.count_above(0)).tenths()
}

/// A percentage.
struct Percent(f64);

impl Percent {
    fn of(part: u64, whole: u64) -> Self {
        #[allow(clippy::cast_precision_loss, reason = "counts are far below 2⁵²")]
        Self(if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 })
    }

    fn tenths(&self) -> String {
        tenths(self.0)
    }
}

impl std::fmt::Display for Percent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&hundredths(self.0))
    }
}

fn tenths(number: f64) -> String {
    format!("{number:.1}")
}

fn hundredths(number: f64) -> String {
    format!("{number:.2}")
}
