//! Converts all source files below some folders to dependency trees and back, under every head rule, and says what came back.
//!
//! ```text
//! cargo run --release -p quaich-code --example roundtrip -- [--language NAME] [--list] FOLDER…
//! ```
//!
//! `--list` lists the files that do not parse without error. The exit code is 1 if a tree or a file did not come back.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program")]
#![allow(clippy::cast_precision_loss, reason = "counts are below 2⁵³")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quaich_code::treebank::{SourceFile, source_of};
use quaich_code::{
    Counting, Decoder, Encoder, Frequencies, HeadRule, Kinds, LANGUAGES, Labels, Language, ParsedSource,
    PhraseTree, Result, SourceParser, Token, files, language,
};
use quaich_treebank::formats::conllu;
use quaich_treebank::shape::Shapes;
use quaich_treebank::symbols::Symbols;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Returns whether everything came back.
fn run() -> Result<bool> {
    let mut folders = Vec::new();
    let (mut only, mut list) = (None, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--list" => list = true,
            "--language" => only = Some(language::by_name(&arguments.next().unwrap_or_default())?),
            _ => folders.push(argument),
        }
    }
    let files = files::find(&folders, only)?;
    let mut is_exact = true;
    for language in LANGUAGES.iter().filter(|language| language.has_grammar()) {
        let files = files.iter().filter(|found| found.language.name == language.name);
        let files: Vec<PathBuf> = files.map(|found| found.path.clone()).collect();
        if !files.is_empty() {
            is_exact &= Corpus::read(language, &files, list)?.check();
        }
    }
    Ok(is_exact)
}

/// A file that parses without error.
struct Parsed {
    path: PathBuf,
    tokens: Vec<Token>,
    tree: PhraseTree,
}

/// The files of a language.
struct Corpus {
    parser: SourceParser,
    files: Vec<Parsed>,
    frequencies: [Frequencies; 2],
}

impl Corpus {
    fn read(language: &'static Language, paths: &[PathBuf], list: bool) -> Result<Self> {
        let mut parser = SourceParser::new(language, Kinds::new())?;
        let frequencies = [Counting::Occurrences, Counting::Parents]
            .map(|counting| Frequencies::new(counting, parser.kinds_mut()));
        let mut corpus = Self { parser, files: Vec::new(), frequencies };
        let (mut with_errors, mut without_code, mut unreadable) = (0, 0, 0);
        let (mut n_bytes, mut n_tokens) = (0, 0);
        let (mut lexing, mut parsing) = (Duration::ZERO, Duration::ZERO);
        for path in paths {
            let source = files::read(path)?;
            let started = Instant::now();
            drop(corpus.parser.tokens(&source));
            lexing += started.elapsed();
            let started = Instant::now();
            let parsed = corpus.parser.parse(&source);
            parsing += started.elapsed();
            match parsed {
                Err(error) => {
                    unreadable += 1;
                    println!("{}: {error}", path.display());
                }
                Ok(ParsedSource { tokens, analysis }) => {
                    n_bytes += source.len();
                    n_tokens += tokens.len();
                    if analysis.has_errors {
                        with_errors += 1;
                        if list {
                            println!("{}: does not parse without error", path.display());
                        }
                    } else if tokens.is_empty() {
                        without_code += 1;
                    } else {
                        let names = corpus.parser.names(&tokens);
                        for frequencies in &mut corpus.frequencies {
                            frequencies.add(&analysis.tree, &names);
                        }
                        corpus.files.push(Parsed { path: path.clone(), tokens, tree: analysis.tree });
                    }
                }
            }
        }
        let n_error_free: usize = corpus.files.iter().map(|file| file.tokens.len()).sum();
        println!(
            "{}: {} files, {n_bytes} bytes, {n_tokens} tokens; {with_errors} with errors, {unreadable} not parsed, \
             {without_code} without code, {} others with {n_error_free} tokens",
            language.name,
            paths.len(),
            corpus.files.len()
        );
        println!(
            "  lexer {:.1} s, grammar with tree {:.1} s; {:.0} and {:.0} thousand tokens per second",
            lexing.as_secs_f64(),
            parsing.as_secs_f64(),
            n_tokens as f64 / 1e3 / lexing.as_secs_f64(),
            n_tokens as f64 / 1e3 / parsing.as_secs_f64()
        );
        Ok(corpus)
    }

    /// Converts everything and back. Returns whether all is as it was.
    fn check(&mut self) -> bool {
        let [freq, pres] = self.frequencies.clone();
        let rules = [
            ("left", HeadRule::Left),
            ("right", HeadRule::Right),
            ("term", HeadRule::Term),
            ("freq", HeadRule::Frequent(freq)),
            ("pres", HeadRule::Frequent(pres)),
        ];
        let mut is_exact = true;
        for (name, rule) in rules {
            let mut encoder = Encoder::new(rule.clone(), Labels::Convertible);
            let mut decoder = Decoder::new(self.parser.root_kind());
            let (mut n_trees, mut n_projective) = (0, 0);
            let (mut encoding, mut decoding) = (Duration::ZERO, Duration::ZERO);
            for file in &self.files {
                let names = self.parser.names(&file.tokens);
                let started = Instant::now();
                let encoded = encoder.encode(&file.tree, &names, self.parser.kinds());
                encoding += started.elapsed();
                let mut shapes = Shapes::default();
                n_projective += usize::from(shapes.read(&encoded).is_ok() && shapes.is_projective());
                let started = Instant::now();
                let decoded = decoder.decode(
                    &encoded,
                    |label| encoder.label_symbols().text(label),
                    self.parser.kinds_mut(),
                );
                decoding += started.elapsed();
                if decoded == file.tree && file.tree.is_continuous() {
                    n_trees += 1;
                } else {
                    println!("{}: the tree is another one under {name}", file.path.display());
                }
            }
            is_exact &= n_trees == self.files.len();
            println!(
                "  {name}: {n_trees} trees identical, {n_projective} projective; {} labels, the longest spine has {} \
                 nonterminals; encoded in {:.1} s, decoded in {:.1} s",
                encoder.label_symbols().len(),
                encoder.longest_spine(),
                encoding.as_secs_f64(),
                decoding.as_secs_f64()
            );
        }
        is_exact & self.check_text()
    }

    /// Writes everything as CoNLL-U and reads it back, with the rule TERM.
    fn check_text(&mut self) -> bool {
        let layout = Arc::new(conllu::layout());
        let mut encoder = Encoder::new(HeadRule::Term, Labels::Convertible);
        let mut decoder = Decoder::new(self.parser.root_kind());
        let mut labels = Symbols::new();
        let (mut n_trees, mut n_files) = (0, 0);
        let mut nonconvertible = Encoder::new(HeadRule::Term, Labels::NonConvertible);
        for file in &self.files {
            let Ok(source) = std::fs::read(&file.path) else { continue };
            let names = self.parser.names(&file.tokens);
            let encoded = encoder.encode(&file.tree, &names, self.parser.kinds());
            nonconvertible.encode(&file.tree, &names, self.parser.kinds());
            let written = SourceFile {
                language: self.parser.language(),
                name: &file.path.to_string_lossy(),
                source: &source,
                tokens: &file.tokens,
                comments: &[],
                columns: None,
            };
            let sentence = match written.sentence(&layout, Some((&encoded, encoder.label_symbols()))) {
                Ok(sentence) => sentence.expect("the file has tokens"),
                Err(error) => {
                    println!("{}: {error}", file.path.display());
                    continue;
                }
            };
            let tree = sentence.tree(&mut labels);
            let is_same =
                decoder.decode(&tree, |label| labels.text(label), self.parser.kinds_mut()) == file.tree;
            let is_file = source_of(&sentence).is_ok_and(|bytes| bytes == source);
            if !(is_same && is_file) {
                println!("{}: CoNLL-U has another tree or file", file.path.display());
            }
            n_trees += usize::from(is_same);
            n_files += usize::from(is_file);
        }
        println!(
            "  through CoNLL-U: {n_trees} trees and {n_files} files identical; {} non-convertible labels",
            nonconvertible.label_symbols().len()
        );
        n_trees == self.files.len() && n_files == self.files.len()
    }
}
