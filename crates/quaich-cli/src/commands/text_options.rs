//! Text to pretrain encoders on: options shared by the commands that train.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use quaich::pretraining::{Overlap, PretrainedEncoder, TextFile, TextFiles};
use quaich::treebank::ReadOptions;
use quaich::{Settings, TextMode};

use super::{InputOptions, open};
use crate::files_used::FilesUsed;

/// Where encoders start from.
#[derive(Args)]
#[command(next_help_heading = "Text options")]
pub(crate) struct TextOptions {
    /// Pretrain the encoders on this text first, by predicting hidden words: plain text, tokens, or treebank files whose trees
    /// are ignored
    #[arg(long, value_name = "TEXT", num_args = 1.., conflicts_with = "encoder")]
    text: Vec<PathBuf>,

    /// The kind of the text instead of detecting it: text; paragraphs (one per line); lines (one sentence per line); tokens (one
    /// sentence per line, tokens separated by spaces); conllu (a treebank file)
    #[arg(long, value_enum, value_name = "KIND", hide_possible_values = true, requires = "text")]
    text_input: Option<InputKind>,

    /// Leave out sentences of the text that share four words in a row with these treebank files
    #[arg(long, value_name = "TREEBANK", num_args = 1.., requires = "text")]
    drop_overlap: Vec<PathBuf>,

    /// Start from an encoder that `quaich pretrain` has made
    #[arg(long, value_name = "ENCODER")]
    encoder: Option<PathBuf>,
}

/// A kind of input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum InputKind {
    /// Plain text; a blank line ends a paragraph
    Text,
    /// Plain text; each line is a paragraph
    Paragraphs,
    /// One sentence per line
    Lines,
    /// One sentence per line, tokens separated by spaces
    Tokens,
    /// A treebank file
    Conllu,
}

impl InputKind {
    /// The meaning of the lines of plain text; none for treebank files.
    pub(crate) fn mode(self) -> Option<TextMode> {
        match self {
            Self::Text => Some(TextMode::Text),
            Self::Paragraphs => Some(TextMode::Paragraphs),
            Self::Lines => Some(TextMode::Lines),
            Self::Tokens => Some(TextMode::Tokens),
            Self::Conllu => None,
        }
    }
}

/// Text or an encoder, checked and opened.
#[derive(Default)]
pub(crate) struct Pretrained {
    pub(crate) text: Option<TextFiles>,
    pub(crate) encoder: Option<Arc<PretrainedEncoder>>,
}

impl TextOptions {
    /// The files to read.
    pub(crate) fn files(&self) -> FilesUsed {
        FilesUsed::default().reading(&self.text).reading(&self.drop_overlap).reading(&self.encoder)
    }

    /// The text files, then the treebanks that they must not overlap with: those whose options `read` needs.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &PathBuf> {
        self.text.iter().chain(&self.drop_overlap)
    }

    /// Opens the files, given the read options of the [inputs](Self::inputs).
    pub(crate) fn read(&self, options: &[ReadOptions]) -> anyhow::Result<Pretrained> {
        let encoder = self.encoder.as_ref().map(PretrainedEncoder::load).transpose()?.map(Arc::new);
        let text = (!self.text.is_empty())
            .then(|| text_files((&self.text, self.text_input), &self.drop_overlap, options))
            .transpose()?;
        Ok(Pretrained { text, encoder })
    }

    /// Checks that settings of pretraining are given only with text.
    pub(crate) fn check(&self, settings: &Settings) -> quaich::Result<()> {
        if self.text.is_empty() { settings.check_without_text() } else { Ok(()) }
    }

    /// Whether sentences that overlap with this treebank are left out.
    pub(crate) fn drops(&self, treebank: &Path) -> bool {
        self.drop_overlap.iter().any(|dropped| dropped == treebank)
    }
}

/// The text in some files, without what overlaps with some treebanks. The options are those of the text files and then of the treebanks.
pub(crate) fn text_files(
    (text, kind): (&[PathBuf], Option<InputKind>),
    drop_overlap: &[PathBuf],
    options: &[ReadOptions],
) -> anyhow::Result<TextFiles> {
    let (of_text, of_treebanks) = options.split_at(text.len());
    let file = |(path, options): (&PathBuf, &ReadOptions)| {
        // The format is that of treebanks, unless `--text-input` says that the text is one.
        let format = options.format.clone().filter(|_| kind == Some(InputKind::Conllu));
        TextFile {
            path: path.clone(),
            options: ReadOptions { format, ..options.clone() },
            mode: kind.and_then(InputKind::mode),
        }
    };
    let mut files = TextFiles::new(text.iter().zip(of_text).map(file).collect());
    files.check()?;
    for (path, options) in drop_overlap.iter().zip(of_treebanks) {
        let mut overlap = Overlap::new(path.display().to_string());
        for sentence in open(path, options)?.sentences() {
            let sentence = sentence?;
            overlap.add(sentence.tokens().map(|token| sentence.form(token)));
        }
        files = files.dropping(overlap);
    }
    Ok(files)
}

/// The options of the inputs of a command, split into those of its treebanks and those of its text.
pub(crate) fn split_options<'o>(
    input_options: &InputOptions,
    treebanks: &[&PathBuf],
    text: &TextOptions,
    into: &'o mut Vec<ReadOptions>,
) -> anyhow::Result<(&'o [ReadOptions], &'o [ReadOptions])> {
    *into = input_options.options_for(treebanks.iter().copied().chain(text.inputs()))?;
    Ok(into.split_at(treebanks.len()))
}
