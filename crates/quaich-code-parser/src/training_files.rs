//! Source files → sentences to train on, and files that are held out.

use std::fs;
use std::sync::Arc;

use quaich_code::damage::{Blanked, Damage};
use quaich_code::files::Found;
use quaich_code::{Copies, Kinds, Labels, Language, SentenceMaker, SourceParser};
use quaich_treebank::formats::conllu;
use quaich_treebank::{Layout, Level, Sentence};

use crate::error::Result;
use crate::head_rule::head_rule;
use crate::parallel::{File, for_each};

/// What sentences are made of source files.
#[derive(Clone, Debug)]
pub struct SentenceOptions {
    /// The name of the head rule.
    pub rule: String,
    /// Whether sentences have the grammar's analysis as columns.
    pub columns: bool,
    /// The damaged copies of each file.
    pub copies: Copies,
    /// About how many tokens are trained on, copies left out; of larger code bases, files are taken at equal distances.
    pub max_tokens: usize,
    /// Whether some files are held out, to choose when the model is preferred to the grammar.
    pub holds_out: bool,
}

/// The training data.
#[derive(Debug, Default)]
pub struct TrainingFiles {
    /// The sentences: each file, followed by its damaged copies.
    pub sentences: Vec<Sentence>,
    /// Files that are not among them.
    pub held_out: Vec<Found>,
    /// The number of files that were chosen, held-out files left out.
    pub n_chosen: usize,
    /// The number of files with sentences.
    pub n_files: usize,
    /// The number of tokens of these files, copies left out.
    pub n_tokens: usize,
    /// The number of damaged copies.
    pub n_copies: usize,
    /// The number of files, among these, that parse without error only without their macros.
    pub n_with_macros: usize,
    /// The number of files that do not parse without error, and are left out.
    pub with_errors: usize,
    /// The number of files without code.
    pub without_code: usize,
    /// Why files could not be read or parsed.
    pub failures: Vec<String>,
}

/// So many files tell how many bytes a token has, with spaces, comments, and files with errors.
const MEASURED: usize = 400;

/// One file of so many is held out, but not more than [`MOST_HELD_OUT`].
const HELD_OUT_ONE_IN: usize = 10;
/// With fewer files, none is held out.
const FEWEST_TO_HOLD_OUT: usize = 20;
const MOST_HELD_OUT: usize = 40;

impl TrainingFiles {
    /// Reads files of a language. `on_file` is called for each.
    ///
    /// # Errors
    /// If this build does not have the grammar.
    pub fn read(
        language: &'static Language,
        files: &[Found],
        options: &SentenceOptions,
        mut on_file: impl FnMut(),
    ) -> Result<Self> {
        let chosen = sample(language, files, options.max_tokens);
        let (training, held_out) = if options.holds_out { hold_out(chosen) } else { (chosen, Vec::new()) };
        let (rule, kinds) = head_rule(&options.rule, language, &training, &mut on_file)?;
        let new_worker = || {
            let parser = SourceParser::new(language, kinds.clone())?;
            Ok(SentenceMaker::new(parser, rule.clone(), Labels::Convertible).with_columns(options.columns))
        };
        let layout = Arc::new(conllu::layout());
        let work = |maker: &mut SentenceMaker, file: File<'_>| make(maker, &file, options, &layout);
        let mut data = Self { held_out, n_chosen: training.len(), ..Self::default() };
        for_each(&training, new_worker, work, |_, made| {
            on_file();
            match made {
                Made::Sentences { sentences, n_tokens, n_copies, has_macros } => {
                    data.n_files += 1;
                    data.n_with_macros += usize::from(has_macros);
                    data.n_tokens += n_tokens;
                    data.n_copies += n_copies;
                    data.sentences.extend(sentences);
                }
                Made::WithErrors => data.with_errors += 1,
                Made::WithoutCode => data.without_code += 1,
                Made::Failed(reason) => data.failures.push(reason),
            }
            Ok(())
        })?;
        Ok(data)
    }
}

/// What is made of a file.
enum Made {
    Sentences { sentences: Vec<Sentence>, n_tokens: usize, n_copies: usize, has_macros: bool },
    WithErrors,
    WithoutCode,
    Failed(String),
}

fn make(
    maker: &mut SentenceMaker,
    file: &File<'_>,
    options: &SentenceOptions,
    layout: &Arc<Layout>,
) -> Result<Made> {
    let name = file.found.path.display().to_string();
    let source = match &file.source {
        Ok(source) => source,
        Err(error) => return Ok(Made::Failed(file.found.name_error(error))),
    };
    let parsed = match maker.parser_mut().parse(source) {
        Ok(parsed) if parsed.tokens.is_empty() => return Ok(Made::WithoutCode),
        Ok(parsed) if parsed.analysis.has_errors => {
            let learns_macros = options.copies.number > 0 && options.copies.kinds.contains(&Damage::Macro);
            return if learns_macros {
                make_with_macros(maker, &name, source, layout)
            } else {
                Ok(Made::WithErrors)
            };
        }
        Ok(parsed) => parsed,
        Err(error) => return Ok(Made::Failed(file.found.name_error(&error))),
    };
    let mut text = String::new();
    maker.write(&name, source, &parsed, &mut text);
    let n_copies = maker.write_copies((&name, file.number), source, &parsed, &options.copies, &mut text)?;
    let sentences = read_sentences(&name, layout, &text)?;
    Ok(Made::Sentences { sentences, n_tokens: parsed.tokens.len(), n_copies, has_macros: false })
}

/// Makes the sentence of a file with errors that are due to macros.
fn make_with_macros(
    maker: &mut SentenceMaker,
    name: &str,
    source: &[u8],
    layout: &Arc<Layout>,
) -> Result<Made> {
    // The grammar may take too long without some name.
    let Ok(Some(file)) = Blanked::find(maker.parser_mut(), source) else { return Ok(Made::WithErrors) };
    let mut text = String::new();
    maker.write_with_macros(name, &file, &mut text)?;
    let sentences = read_sentences(name, layout, &text)?;
    Ok(Made::Sentences { sentences, n_tokens: file.parsed.tokens.len(), n_copies: 0, has_macros: true })
}

/// Reads sentences that were just written.
fn read_sentences(name: &str, layout: &Arc<Layout>, text: &str) -> Result<Vec<Sentence>> {
    let mut sentences = Vec::new();
    for block in text.split_inclusive("\n\n") {
        let mut sentence = Sentence::empty(Arc::clone(layout));
        let mut problems = Vec::new();
        sentence.read_block(layout, block.as_bytes(), 1, &mut problems);
        if let Some(problem) = problems.into_iter().find(|problem| problem.level == Level::Error) {
            let (file, problem) = (name.to_owned(), Box::new(problem));
            return Err(quaich_treebank::Error::Malformed { file, problem, context: None }.into());
        }
        sentences.push(sentence);
    }
    Ok(sentences)
}

/// Returns files at equal distances that have about so many tokens.
pub fn sample(language: &'static Language, files: &[Found], max_tokens: usize) -> Vec<Found> {
    if max_tokens == usize::MAX {
        return files.to_vec();
    }
    let size = |found: &Found| fs::metadata(&found.path).map_or(0, |file| file.len());
    let n_bytes: u64 = files.iter().map(size).sum();
    let wanted = u128::from(bytes_of_tokens(language, files, max_tokens));
    if u128::from(n_bytes) <= wanted {
        return files.to_vec();
    }
    // A file is taken when so many of the bytes up to it are wanted as the files before do not have.
    let (mut read, mut taken) = (0_u128, 0_u128);
    let mut chosen = Vec::new();
    for found in files {
        let size = u128::from(size(found));
        read += size;
        if read * wanted / u128::from(n_bytes) >= taken + size.div_ceil(2) {
            taken += size;
            chosen.push(found.clone());
        }
    }
    chosen
}

/// Returns how many bytes of these files have so many tokens in files that parse without error, measured on some of them.
fn bytes_of_tokens(language: &'static Language, files: &[Found], n_tokens: usize) -> u64 {
    let Ok(mut parser) = SourceParser::new(language, Kinds::new()) else { return u64::MAX };
    let (mut bytes, mut tokens) = (0, 0);
    for found in files.iter().step_by(files.len().div_ceil(MEASURED).max(1)) {
        let Ok(source) = quaich_code::files::read(&found.path) else { continue };
        bytes += source.len() as u128;
        match parser.parse(&source) {
            Ok(parsed) if !parsed.analysis.has_errors => tokens += parsed.tokens.len() as u128,
            _ => {}
        }
    }
    let wanted = bytes.saturating_mul(n_tokens as u128).checked_div(tokens);
    wanted.and_then(|wanted| u64::try_from(wanted).ok()).unwrap_or(u64::MAX)
}

/// Takes some files at equal distances out of others.
fn hold_out(files: Vec<Found>) -> (Vec<Found>, Vec<Found>) {
    if files.len() < FEWEST_TO_HOLD_OUT {
        return (files, Vec::new());
    }
    let distance = HELD_OUT_ONE_IN.max(files.len().div_ceil(MOST_HELD_OUT));
    let (mut others, mut held_out) = (Vec::new(), Vec::new());
    for (number, found) in files.into_iter().enumerate() {
        (if number % distance == distance / 2 { &mut held_out } else { &mut others }).push(found);
    }
    (others, held_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quaich_code::language::by_name;

    #[test]
    fn files_are_taken_at_equal_distances() {
        let folder = tempfile::tempdir().unwrap();
        let language = by_name("python").unwrap();
        let files: Vec<Found> = (0..100)
            .map(|number| {
                let path = folder.path().join(format!("{number:02}.py"));
                fs::write(&path, "x = 1\n".repeat(10)).unwrap();
                Found { path, language }
            })
            .collect();
        let numbers = |files: &[Found]| -> Vec<usize> {
            files
                .iter()
                .map(|file| file.path.file_stem().unwrap().to_str().unwrap().parse().unwrap())
                .collect()
        };
        assert_eq!(sample(language, &files, 4000).len(), 100);
        let half = numbers(&sample(language, &files, 2000));
        assert_eq!(half.len(), 50);
        assert!(half.windows(2).all(|pair| pair[1] - pair[0] == 2), "{half:?}");
        let (others, held_out) = hold_out(files.clone());
        assert_eq!(numbers(&held_out), [5, 15, 25, 35, 45, 55, 65, 75, 85, 95]);
        assert_eq!(others.len(), 90);
        assert!(hold_out(files[..19].to_vec()).1.is_empty());
    }
}
