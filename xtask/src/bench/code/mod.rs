//! Source code: the tables of Nilsson et al. (2009) on other corpora, the round trip, the speed next to tree-sitter, and what is kept of
//! damaged files.
//!
//! A corpus is a folder of source files of one language. As in the paper, files are sorted by path; every tenth from the tenth on is for
//! scoring, every tenth from the first on is not used, and the others are trained on.

mod corpus;
mod page;
mod parts;

use std::io;
use std::path::PathBuf;

use super::Place;
use super::asked::Asked;
use super::measured::{Measured, Page};
use corpus::Corpus;
use parts::{Bench, N_TOKENS, PARTS, RULES, VARIANTS};

pub(super) const USAGE: &str = "[--program FILE] [--models FOLDER] [--words N] [--only PART] [--rules NAME,…] [--variants NAME,…] [LANGUAGE=FOLDER…]";

const PAGE: Page =
    Page { file: "docs/results/code.md", record: "benchmarks/code.tsv", text: page::page, picture: None };

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let asked = Asked::read(options, USAGE)?;
    let parts: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
    one_of("part", asked.only.as_slice(), &parts)?;
    let rules = one_of("head rule", &asked.rules, &RULES)?;
    let variants = one_of("variant", &asked.variants, &VARIANTS)?;
    let folders = folders(&asked.treebanks)?;
    // The page can be made from what was measured before, without a program.
    let program = if folders.is_empty() { PathBuf::new() } else { asked.program(place)? };
    let n_tokens = asked.words.unwrap_or(N_TOKENS);
    PAGE.renew_from(place, &folders, |language, folder| {
        let corpus = Corpus::read(place, language, folder)?;
        let models = asked.models(place);
        let (program, corpus) = (&program, &corpus);
        let (rules, variants) = (&rules[..], &variants[..]);
        let bench = Bench { place, program, corpus, folder, models, n_tokens, rules, variants };
        let mut measured = Measured::default();
        for (name, measure) in PARTS {
            if asked.only.is_none_or(|only| only == *name) {
                measure(&bench, &mut measured)?;
            }
        }
        Ok(measured)
    })
}

/// The names that are asked for, or all that are known.
fn one_of<'a>(what: &str, asked: &[&'a str], known: &[&'a str]) -> io::Result<Vec<&'a str>> {
    if let Some(name) = asked.iter().find(|name| !known.contains(name)) {
        let message = format!("found {what} `{name}`, expected one of: {}", known.join(", "));
        return Err(io::Error::other(message));
    }
    Ok(if asked.is_empty() { known.to_vec() } else { asked.to_vec() })
}

/// The languages with their folders: those given, or those that the environment names.
fn folders<'a>(given: &[&'a str]) -> io::Result<Vec<(&'a str, PathBuf)>> {
    let known = corpus::LANGUAGES.iter().map(|language| language.name);
    let mut found = Vec::new();
    for pair in given {
        let is_known = |name: &str| known.clone().any(|known| known == name);
        let (language, folder) =
            pair.split_once('=').filter(|(name, _)| is_known(name)).ok_or_else(|| {
                let known: Vec<&str> = known.clone().collect();
                io::Error::other(format!(
                    "found `{pair}`, expected LANGUAGE=FOLDER with one of {}",
                    known.join(", ")
                ))
            })?;
        found.push((language, PathBuf::from(folder).canonicalize()?));
    }
    if found.is_empty() {
        for language in &corpus::LANGUAGES {
            if let Some(folder) = std::env::var_os(language.variable) {
                found.push((language.name, PathBuf::from(folder).canonicalize()?));
            }
        }
    }
    Ok(found)
}
