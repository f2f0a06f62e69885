//! Converts all source files below some folders to dependency trees and back, under every head rule, and says what came back.
//!
//! ```text
//! cargo run --release -p quaich-code --example roundtrip -- [--language NAME] [--list] FOLDER…
//! ```
//!
//! `--list` lists the files that do not parse without error. The exit code is 1 if a tree or a file did not come back.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program")]
#![allow(clippy::cast_precision_loss, reason = "counts are below 2⁵³")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quaich_code::treebank::{SourceFile, source_of};
use quaich_code::{
    Counting, Decoder, Encoder, Frequencies, GrammarParser, HeadRule, Kind, Kinds, LANGUAGES, Labels,
    Language, Lexer, PhraseTree, Token, language,
};
use quaich_treebank::formats::conllu;
use quaich_treebank::shape::Shapes;
use quaich_treebank::symbols::Symbols;

fn main() -> ExitCode {
    let mut folders = Vec::new();
    let (mut only, mut list) = (None, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--list" => list = true,
            "--language" => match arguments.next().map(|name| language::by_name(&name)) {
                Some(Ok(language)) => only = Some(language),
                Some(Err(error)) => {
                    eprintln!("error: {error}");
                    return ExitCode::from(2);
                }
                None => {
                    eprintln!("error: `--language` needs a name");
                    return ExitCode::from(2);
                }
            },
            _ => folders.push(PathBuf::from(argument)),
        }
    }
    let mut files: BTreeMap<&str, Vec<PathBuf>> = BTreeMap::new();
    for folder in &folders {
        find_files(folder, only, &mut files);
    }
    let mut is_exact = true;
    for language in LANGUAGES.iter().filter(|language| language.has_grammar()) {
        if let Some(mut files) = files.remove(language.name) {
            files.sort();
            is_exact &= Corpus::read(language, &files, list).check();
        }
    }
    if is_exact { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Adds the source files below a folder; of all languages, or of one, whatever its files are called.
fn find_files(
    path: &Path,
    only: Option<&'static Language>,
    found: &mut BTreeMap<&'static str, Vec<PathBuf>>,
) {
    let mut pending = vec![path.to_owned()];
    while let Some(path) = pending.pop() {
        if path.is_symlink() {
            continue;
        }
        if let Ok(entries) = std::fs::read_dir(&path) {
            pending.extend(entries.flatten().map(|entry| entry.path()));
        } else if let Some(by_name) = language::by_path(&path) {
            let is_header =
                path.extension().is_some_and(|extension| extension == "h" || extension.is_empty());
            let language = only
                .filter(|only| only.name == by_name.name || is_header)
                .or(Some(by_name).filter(|_| only.is_none()));
            if let Some(language) = language {
                found.entry(language.name).or_default().push(path);
            }
        } else if let Some(only) = only
            && path.extension().is_none()
            && path.is_file()
        {
            // The headers of C++'s library have no extension.
            found.entry(only.name).or_default().push(path);
        }
    }
}

/// A file that parses without error.
struct Parsed {
    path: PathBuf,
    tokens: Vec<Token>,
    tree: PhraseTree,
}

/// The files of a language.
struct Corpus {
    language: &'static Language,
    kinds: Kinds,
    /// By tag.
    tag_kinds: Vec<Kind>,
    files: Vec<Parsed>,
    frequencies: [Frequencies; 2],
}

impl Corpus {
    fn read(language: &'static Language, paths: &[PathBuf], list: bool) -> Self {
        let mut kinds = Kinds::new();
        let tag_kinds = language.tags().map(|(_, name)| kinds.intern(name)).collect();
        let frequencies =
            [Counting::Occurrences, Counting::Parents].map(|counting| Frequencies::new(counting, &mut kinds));
        let mut corpus = Self { language, kinds, tag_kinds, files: Vec::new(), frequencies };
        let lexer = Lexer::new(language);
        let mut parser = GrammarParser::new(language).expect("the grammar is in this build");
        let (mut with_errors, mut without_code, mut unreadable) = (0, 0, 0);
        let (mut n_bytes, mut n_tokens) = (0, 0);
        let (mut lexing, mut parsing) = (Duration::ZERO, Duration::ZERO);
        for path in paths {
            let Ok(source) = std::fs::read(path) else { continue };
            let started = Instant::now();
            let tokens = lexer.tokens(&source);
            lexing += started.elapsed();
            let started = Instant::now();
            let analysis =
                tokens.and_then(|tokens| Ok((parser.parse(&source, &tokens, &mut corpus.kinds)?, tokens)));
            parsing += started.elapsed();
            match analysis {
                Err(error) => {
                    unreadable += 1;
                    println!("{}: {error}", path.display());
                }
                Ok((analysis, tokens)) => {
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
                        let names = corpus.names(&tokens);
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
        corpus
    }

    fn names(&self, tokens: &[Token]) -> Vec<Kind> {
        let names: Vec<&str> = tokens.iter().map(|token| self.language.tag_name(token.tag)).collect();
        names.iter().map(|name| self.kinds.get(name).unwrap_or(self.tag_kinds[0])).collect()
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
            let mut decoder = Decoder::new(self.kinds.intern(self.language.root));
            let (mut n_trees, mut n_projective) = (0, 0);
            let (mut encoding, mut decoding) = (Duration::ZERO, Duration::ZERO);
            for file in &self.files {
                let names = self.names(&file.tokens);
                let started = Instant::now();
                let encoded = encoder.encode(&file.tree, &names, &self.kinds);
                encoding += started.elapsed();
                let mut shapes = Shapes::default();
                n_projective += usize::from(shapes.read(&encoded).is_ok() && shapes.is_projective());
                let started = Instant::now();
                let decoded = decoder.decode(&encoded, encoder.label_symbols(), &mut self.kinds);
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
        let mut decoder = Decoder::new(self.kinds.intern(self.language.root));
        let mut labels = Symbols::new();
        let (mut n_trees, mut n_files) = (0, 0);
        let mut nonconvertible = Encoder::new(HeadRule::Term, Labels::NonConvertible);
        for file in &self.files {
            let Ok(source) = std::fs::read(&file.path) else { continue };
            let names = self.names(&file.tokens);
            let encoded = encoder.encode(&file.tree, &names, &self.kinds);
            nonconvertible.encode(&file.tree, &names, &self.kinds);
            let written = SourceFile {
                language: self.language,
                name: &file.path.to_string_lossy(),
                source: &source,
                tokens: &file.tokens,
            };
            let sentence = match written.sentence(&layout, Some((&encoded, encoder.label_symbols()))) {
                Ok(sentence) => sentence.expect("the file has tokens"),
                Err(error) => {
                    println!("{}: {error}", file.path.display());
                    continue;
                }
            };
            let tree = sentence.tree(&mut labels);
            let is_same = decoder.decode(&tree, &labels, &mut self.kinds) == file.tree;
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
