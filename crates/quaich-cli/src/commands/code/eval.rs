//! `quaich code eval`: compares syntax trees.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quaich::code::sentence_decoder::token_has_text;
use quaich::code::{SentenceDecoder, TreeScore, grammar};
use quaich::eval::agreement::Agreement;
use quaich::eval::{PairReader, Score};
use quaich::treebank::counted;
use serde::Serialize;

use crate::commands::{InputOptions, open};
use crate::files_used::FilesUsed;
use crate::{output, progress};

/// Score parsed source code by its syntax trees
///
/// Both files are treebanks with convertible labels and the same tokens. Brackets are compared as evalb does: all nodes of the
/// trees but the root. Tokens without text (line ends and indentation) do not count.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich code eval gold.conllu parsed.conllu
  quaich code eval gold.conllu parsed.conllu --json")]
pub(super) struct EvalTrees {
    /// The gold standard
    gold: PathBuf,

    /// The parsed file
    system: PathBuf,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    input_options: InputOptions,
}

/// The printed scores.
#[derive(Serialize)]
struct Printed {
    #[serde(flatten)]
    trees: TreeScore,
    uas: quaich::eval::Percent,
    las: quaich::eval::Percent,
    tokens: u64,
}

impl EvalTrees {
    /// The files to read and write.
    pub(super) fn files(&self) -> FilesUsed {
        self.input_options.files([&self.gold, &self.system])
    }

    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let options = self.input_options.options_for([&self.gold, &self.system])?;
        let mut reader = PairReader::new(open(&self.gold, &options[0])?, open(&self.system, &options[1])?);
        let mut decoder = SentenceDecoder::default();
        let error = decoder.kinds_mut().intern(grammar::ERROR);
        let (mut trees, mut attachment) = (TreeScore::default(), Score::default());
        let bar = progress::counter("scored");
        while let Some((gold, system)) = reader.read()? {
            let (gold_tree, system_tree) = (decoder.decode(gold), decoder.decode(system));
            trees.add(&gold_tree, &system_tree, error, |token| token_has_text(gold, token));
            attachment.add(gold, system, |node| !token_has_text(gold, node.index() - 1));
            bar.inc(1);
        }
        bar.finish_and_clear();
        let printed =
            Printed { trees, uas: attachment.uas(), las: attachment.las(), tokens: attachment.scored.tokens };
        if self.json {
            output::json(&printed)?;
        } else {
            output::text(&table(&printed))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn table(printed: &Printed) -> String {
    let brackets = &printed.trees.brackets;
    let row = |name: &str, score: Agreement| {
        vec![
            name.to_owned(),
            score.precision().to_string(),
            score.recall().to_string(),
            score.f1().to_string(),
        ]
    };
    let header = ["", "precision", "recall", "F"].map(str::to_owned).to_vec();
    let rows = vec![header, row("labelled", brackets.labelled()), row("unlabelled", brackets.unlabelled())];
    let others = [
        ("exact trees", brackets.exact_match()),
        ("leaf kinds", printed.trees.leaf_kinds.percent()),
        ("parents of tokens", printed.trees.parents.percent()),
        ("UAS", printed.uas),
        ("LAS", printed.las),
    ];
    let others: Vec<Vec<String>> =
        others.iter().map(|(name, percent)| vec![(*name).to_owned(), percent.to_string()]).collect();
    format!(
        "{}, {}, {}\n\n{}\n{}",
        counted(brackets.sentences, "sentence"),
        counted(printed.tokens, "token"),
        counted(brackets.gold, "bracket"),
        output::table(&rows),
        output::table(&others)
    )
}
