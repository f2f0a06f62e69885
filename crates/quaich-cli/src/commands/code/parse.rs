//! `quaich code parse`: source files → syntax trees.

use std::borrow::Cow;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use quaich::code::files::{self, Found};
use quaich::code::lexer::MOST_BYTES;
use quaich::code::show::{Leaf, write_indented, write_json};
use quaich::code::treebank::SourceFile;
use quaich::code::{Encoder, HeadRule, Labels, Language};
use quaich::code_parser::{By, CodeModel, CodeParser, ParsedFile, With};
use quaich::treebank::{Sink, counted};

use super::corpus;
use super::options::languages;
use crate::commands::Threads;
use crate::files_used::FilesUsed;
use crate::output::{self, Usage};

/// Print the syntax trees of source files
///
/// The grammar of a language parses code without errors exactly. Where it finds errors, a model by `quaich code train` can do better: with
/// -m, such files are parsed by both, and each region with errors by the one that is better at it. Without a model, the grammar's own
/// recovery is printed. Each tree says which it was: grammar, grammar-with-errors, hybrid, or model.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich code parse main.py
  quaich code parse -m cpp.quaich include/ --to json -o trees.jsonl
  quaich code parse -m cpp.quaich widget.h --with model
  quaich code parse - --language rust < main.rs")]
pub(super) struct ParseCode {
    /// Source files, and folders with source files; `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,

    /// A model by `quaich code train`
    #[arg(long, short, value_name = "MODEL")]
    model: Option<PathBuf>,

    /// The language instead of detecting it from the extension; in folders, only its files are read, for C and C++ with all `.h`
    #[arg(long, value_name = "NAME", value_parser = languages())]
    language: Option<&'static Language>,

    /// What to parse with
    #[arg(long, value_name = "WHAT", default_value = "auto")]
    with: Choice,

    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "sexp")]
    to: Format,

    /// Output file, compressed if its name ends in .gz, .zst, .xz or .bz2 [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    threads: Threads,
}

/// What to parse with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Choice {
    /// The grammar where a file has no errors, else the grammar and the model together
    Auto,
    /// The grammar
    Grammar,
    /// The model
    Model,
}

/// An output format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// Indented brackets after a comment with the file; a blank line follows each tree
    Sexp,
    /// One JSON object per line and file
    Json,
    /// A sentence of CoNLL-U per file, with the head rule `term`
    Conllu,
}

/// What is printed of a file.
enum Printed {
    Tree { text: Vec<u8>, by: By },
    Failed(String),
}

impl ParseCode {
    /// The files to read and write.
    pub(super) fn files(&self) -> FilesUsed {
        FilesUsed::default().reading(&self.paths).reading(&self.model).writing(&self.output)
    }

    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        if self.with == Choice::Model && self.model.is_none() {
            return Err(Usage("--with model needs a model; give one with -m".to_owned()).into());
        }
        let model = self.model.as_ref().map(|file| CodeModel::load(file, self.language)).transpose()?;
        let files = self.find(model.as_ref())?;
        corpus::check_output(&files, self.output.as_deref())?;
        let mut sink = match self.to {
            Format::Json => Sink::for_json(self.output.as_deref())?,
            _ => Sink::create(self.output.as_deref())?,
        };
        let mut counts = Counts::default();
        self.threads.install(|| {
            corpus::for_each(
                &files,
                || Ok(Workers::default()),
                |workers, file| Ok(self.print(workers, model.as_ref(), &file)),
                |_, printed| {
                    match printed {
                        Printed::Tree { text, by } => {
                            sink.write_all(&text)?;
                            counts.add(by);
                        }
                        // If nothing else is printed, this is the error of the program.
                        Printed::Failed(reason) if files.len() == 1 => anyhow::bail!(reason),
                        Printed::Failed(reason) => {
                            output::note(&format!("error: {reason}"));
                            counts.failed += 1;
                        }
                    }
                    Ok(())
                },
            )
        })??;
        if counts.n_parsed() == 0 {
            anyhow::bail!("no file could be parsed");
        }
        sink.finish()?;
        output::note(&counts.to_string());
        Ok(if counts.failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    /// The files with their languages. A model tells the language of what its language may have: `.h` is C++ for a model of C++.
    fn find(&self, model: Option<&CodeModel>) -> anyhow::Result<Vec<Found>> {
        let of_model = model.map(CodeModel::language);
        let mut found = Vec::new();
        for path in &self.paths {
            if path.as_os_str() == "-" {
                let Some(language) = self.language.or(of_model) else {
                    let message = "standard input has no extension; name its language with --language";
                    return Err(Usage(message.to_owned()).into());
                };
                found.push(Found { path: path.clone(), language });
            } else {
                found.extend(files::find(&[path], self.language)?);
            }
        }
        if let (None, Some(language)) = (self.language, of_model) {
            for file in &mut found {
                let is_header = file.path.extension().is_some_and(|extension| extension == "h");
                if is_header && language.macros {
                    file.language = language;
                }
            }
        }
        let shown: Vec<String> = self.paths.iter().map(|path| path.display().to_string()).collect();
        anyhow::ensure!(!found.is_empty(), "{}: found no source files, expected some", shown.join(" "));
        Ok(found)
    }

    fn print(&self, workers: &mut Workers, model: Option<&CodeModel>, file: &corpus::File<'_>) -> Printed {
        match self.parse(workers, model, file) {
            Ok((text, by)) => Printed::Tree { text, by },
            Err(error) => Printed::Failed(file.found.name_error(&error)),
        }
    }

    fn parse(
        &self,
        workers: &mut Workers,
        model: Option<&CodeModel>,
        file: &corpus::File<'_>,
    ) -> anyhow::Result<(Vec<u8>, By)> {
        let language = file.found.language;
        let source = match &file.source {
            _ if file.found.path.as_os_str() == "-" => read_stdin()?,
            Ok(source) => source.clone(),
            Err(error) => anyhow::bail!("{error}"),
        };
        let model = model.filter(|model| model.language().name == language.name);
        let with = match self.with {
            Choice::Auto => With::Auto,
            Choice::Grammar => With::Grammar,
            Choice::Model => With::Model,
        };
        if with == With::Model && model.is_none() {
            anyhow::bail!("found a file of {}, expected one of the language of the model", language.name);
        }
        let parser = workers.of(language, model)?;
        let parsed = parser.parse(&source, with)?;
        Ok((self.show(parser, &file.found.path, &source, &parsed)?.into_bytes(), parsed.by))
    }

    /// The text of a tree.
    fn show(
        &self,
        parser: &mut CodeParser,
        path: &Path,
        source: &[u8],
        parsed: &ParsedFile,
    ) -> anyhow::Result<String> {
        let (language, name) = (parser.language(), path.display().to_string());
        let ParsedFile { tokens, tree, by } = parsed;
        let mut text = String::new();
        if self.to == Format::Conllu {
            let names = parser.source_mut().names(tokens);
            let mut encoder = Encoder::new(HeadRule::Term, Labels::Convertible);
            let encoded = encoder.encode(tree, &names, parser.kinds());
            let comments = &[("analysis", by.name())];
            let file = SourceFile { language, name: &name, source, tokens, comments, columns: None };
            file.write(Some((&encoded, encoder.label_symbols())), &mut text);
            return Ok(text);
        }
        let kinds = parser.kinds();
        let leaf = |number: usize| {
            let (token, kind) = (tokens[number], tree.leaf_kinds()[number]);
            let kind = if kind.is_some() { kinds.text(kind) } else { language.tag_name(token.tag) };
            let text: Cow<'_, str> = String::from_utf8_lossy(token.text(source));
            Leaf { kind, text, span: Some((token.start as usize, token.end as usize)) }
        };
        if self.to == Format::Json {
            let file = serde_json::to_string(&name)?;
            let (language, by) = (language.name, by.name());
            text = format!("{{\"file\":{file},\"language\":\"{language}\",\"analysis\":\"{by}\",\"tree\":");
            if tree.n_tokens() == 0 {
                text.push_str("null");
            } else {
                write_json(tree, kinds, leaf, &mut text);
                text.truncate(text.trim_end().len());
            }
            text.push_str("}\n");
        } else {
            text = format!("; {}: {}, {by}\n", quaich::treebank::visible::visible(&name), language.name);
            write_indented(tree, kinds, leaf, &mut text);
            text.push('\n');
        }
        Ok(text)
    }
}

/// Reads source code from standard input.
fn read_stdin() -> anyhow::Result<Vec<u8>> {
    let mut source = Vec::new();
    std::io::stdin().take(MOST_BYTES as u64 + 1).read_to_end(&mut source)?;
    Ok(source)
}

/// The parsers of a thread, one per language.
#[derive(Default)]
struct Workers {
    parsers: Vec<CodeParser>,
}

impl Workers {
    /// The parser of a language, with the model if it is one of this language.
    fn of(
        &mut self,
        language: &'static Language,
        model: Option<&CodeModel>,
    ) -> anyhow::Result<&mut CodeParser> {
        let known = self.parsers.iter().position(|parser| parser.language().name == language.name);
        let at = known.unwrap_or(self.parsers.len());
        if known.is_none() {
            self.parsers.push(match model {
                Some(model) => model.parser()?,
                None => CodeParser::of_language(language)?,
            });
        }
        Ok(&mut self.parsers[at])
    }
}

/// How many files were parsed by what.
#[derive(Default)]
struct Counts {
    grammar: usize,
    recovery: usize,
    hybrid: usize,
    model: usize,
    failed: usize,
}

impl Counts {
    fn add(&mut self, by: By) {
        *match by {
            By::Grammar => &mut self.grammar,
            By::Recovery => &mut self.recovery,
            By::Hybrid { .. } => &mut self.hybrid,
            By::Model => &mut self.model,
        } += 1;
    }

    fn n_parsed(&self) -> usize {
        self.grammar + self.recovery + self.hybrid + self.model
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} parsed", counted(self.n_parsed(), "file"))?;
        let parts = [
            (self.grammar, "by the grammar"),
            (self.recovery, "by the grammar with errors"),
            (self.hybrid, "by grammar and model"),
            (self.model, "by the model"),
            (self.failed, "not parsed"),
        ];
        let mut separator = ": ";
        for (n, what) in parts.into_iter().filter(|(n, _)| *n > 0) {
            write!(f, "{separator}{n} {what}")?;
            separator = ", ";
        }
        Ok(())
    }
}
