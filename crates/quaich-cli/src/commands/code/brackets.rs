//! `quaich convert` from and to bracketed trees.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use quaich::code::bracket_treebank::write_sentence_brackets;
use quaich::code::{
    BracketOptions, BracketReader, BracketedTree, Counting, Encoder, Frequencies, HEAD_RULES, HeadRule,
    HeadTable, Kinds, Labels, SentenceDecoder,
};
use quaich::treebank::convert::Converter;
use quaich::treebank::formats::conllu;
use quaich::treebank::{FormatChoice, ReadOptions, Sentence, Sink, Source};

use crate::commands::convert::report;
use crate::commands::open;
use crate::output::Usage;
use crate::{progress, side_files};

/// The name of the format.
pub(in crate::commands) const BRACKETS: &str = "brackets";

/// How bracketed trees are read.
#[derive(Args)]
#[command(next_help_heading = "Bracketed trees (--format brackets)")]
pub(in crate::commands) struct BracketArguments {
    /// The head of each bracket: left, right, term, freq, pres (see `quaich list head-rules`), or a file of head rules
    #[arg(long, value_name = "RULE", default_value = "term")]
    pub(in crate::commands) head_rules: String,

    /// Keep traces: words with the tag -NONE-
    #[arg(long)]
    keep_traces: bool,

    /// Cut function tags: read NP-SBJ-1 as NP
    #[arg(long)]
    cut_function_tags: bool,
}

impl BracketArguments {
    /// The file with head rules, if one is given.
    pub(in crate::commands) fn file(&self) -> Option<&Path> {
        let is_name = HEAD_RULES.iter().any(|(name, _)| *name == self.head_rules);
        (!is_name).then(|| Path::new(&self.head_rules))
    }

    /// Converts bracketed trees to another format, or to brackets again.
    pub(in crate::commands) fn read(
        &self,
        input: &Path,
        options: &ReadOptions,
        to: &str,
        output: Option<&Path>,
    ) -> anyhow::Result<()> {
        let mut kinds = Kinds::new();
        let rule = self.rule(input, options, &mut kinds)?;
        let target = if to == BRACKETS { None } else { Some(FormatChoice::parse(to)?) };
        let mut sink = Sink::create(output)?;
        let mut trees = self.open(input, options)?;
        let layout = Arc::new(conllu::layout());
        let mut converter = target.as_ref().map(|target| Converter::new((*target.layout()).clone()));
        let mut sentence = Sentence::empty(Arc::clone(&layout));
        let mut encoder = Encoder::new(rule, Labels::Convertible);
        let bar = progress::counter("converted");
        let (mut text, mut out) = (String::new(), Vec::new());
        while let Some(tree) = trees.next(&mut kinds)? {
            text.clear();
            match &mut converter {
                None => {
                    tree.write(&kinds, &mut text);
                    text.push('\n');
                    sink.write_all(text.as_bytes())?;
                }
                Some(converter) => {
                    write_conllu(&tree, &mut encoder, &mut kinds, &mut text);
                    sentence.read_block(&layout, text.as_bytes(), 1, &mut Vec::new());
                    out.clear();
                    converter.write(&sentence, &mut out);
                    sink.write_all(&out)?;
                }
            }
            bar.inc(1);
        }
        sink.finish()?;
        bar.finish_and_clear();
        if let Some(converter) = converter {
            report(converter.lost(), to);
        }
        Ok(())
    }

    fn open(&self, input: &Path, options: &ReadOptions) -> anyhow::Result<BracketReader<Source>> {
        let source = Source::open(input, options.encoding, options.undecodable, options.meter.clone())?;
        let name = source.name().to_owned();
        let options =
            BracketOptions { keep_traces: self.keep_traces, cut_function_tags: self.cut_function_tags };
        Ok(BracketReader::new(source, &name, options))
    }

    /// The head rule. Those with counts need a traversal of the file.
    fn rule(&self, input: &Path, options: &ReadOptions, kinds: &mut Kinds) -> anyhow::Result<HeadRule> {
        let counting = match self.head_rules.as_str() {
            "left" => return Ok(HeadRule::Left),
            "right" => return Ok(HeadRule::Right),
            "term" => return Ok(HeadRule::Term),
            "freq" => Counting::Occurrences,
            "pres" => Counting::Parents,
            file => {
                let text = side_files::read(Path::new(file))?;
                return Ok(HeadRule::Table(HeadTable::parse(&text, file)?));
            }
        };
        if input.as_os_str() == "-" {
            let message = format!("--head-rules {} reads the trees twice; give a file", self.head_rules);
            return Err(Usage(message).into());
        }
        let mut frequencies = Frequencies::new(counting, kinds);
        let mut trees = self.open(input, options)?;
        while let Some(tree) = trees.next(kinds)? {
            frequencies.add(&tree.tree, &tree.names(kinds));
        }
        Ok(HeadRule::Frequent(frequencies))
    }
}

fn write_conllu(tree: &BracketedTree, encoder: &mut Encoder, kinds: &mut Kinds, text: &mut String) {
    let encoded = encoder.encode(&tree.tree, &tree.names(kinds), kinds);
    tree.write_sentence(&encoded, encoder.label_symbols(), kinds, text);
}

/// Writes the trees of a treebank with convertible labels in brackets.
pub(in crate::commands) fn write(
    input: &Path,
    options: &ReadOptions,
    output: Option<&Path>,
) -> anyhow::Result<()> {
    let mut reader = open(input, options)?;
    let mut sink = Sink::create(output)?;
    let mut decoder = SentenceDecoder::default();
    let mut sentence = reader.sentence();
    let bar = progress::counter("converted");
    let mut text = String::new();
    while reader.read(&mut sentence)? {
        if sentence.n_tokens() > 0 {
            text.clear();
            write_sentence_brackets(&sentence, &mut decoder, &mut text);
            sink.write_all(text.as_bytes())?;
            bar.inc(1);
        }
    }
    sink.finish()?;
    bar.finish_and_clear();
    Ok(())
}
