//! What is measured.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::corpus::Corpus;
use crate::bench::Place;
use crate::bench::measured::Measured;
use crate::bench::process::{cargo, checked, measured, output};
use crate::bench::text::count_tokens;

pub(super) struct Bench<'a> {
    pub(super) place: &'a Place,
    pub(super) program: &'a Path,
    pub(super) corpus: &'a Corpus,
    pub(super) folder: &'a Path,
    /// Where models of source code are kept, and taken from if they are there.
    pub(super) models: &'a Path,
    /// Tokens to train on.
    pub(super) n_tokens: usize,
    /// The head rules and variants of the tables.
    pub(super) rules: &'a [&'a str],
    pub(super) variants: &'a [&'a str],
}

type Part = fn(&Bench<'_>, &mut Measured) -> io::Result<()>;

/// The parts by name.
pub(super) const PARTS: &[(&str, Part)] = &[
    ("round-trip", round_trip),
    ("tables", tables),
    ("overlap", overlap),
    ("damage", damage),
    ("damage-without-copies", damage_without_copies),
    ("speed", speed),
];

/// The head rules of the paper, and ours.
pub(super) const RULES: [&str; 5] = ["freq", "left", "right", "term", "pres"];

/// The labels and features of the tables: convertible labels with words and without, and the highest node only.
pub(super) const VARIANTS: [&str; 3] = ["lexical", "unlexical", "highest"];

/// Conversion to dependencies and back, and to CoNLL-U and back, of all files without errors.
fn round_trip(bench: &Bench<'_>, into: &mut Measured) -> io::Result<()> {
    let language = bench.corpus.language.as_str();
    // The folder of a program that is given may have the example as well.
    let built = bench.program.parent().map(|folder| folder.join("examples/roundtrip"));
    let mut command = if let Some(built) = built.filter(|built| built.is_file()) {
        Command::new(built)
    } else {
        let mut cargo = cargo(&bench.place.root);
        cargo.args([
            "run",
            "--release",
            "--quiet",
            "--package",
            "quaich-code",
            "--example",
            "roundtrip",
            "--",
        ]);
        cargo
    };
    command.args(["--language", language]).arg(bench.folder);
    // Its exit code says whether everything came back; the figures say more.
    let printed = String::from_utf8_lossy(&command.output()?.stdout).into_owned();
    let mut push = |what: &str, value: Option<f64>| match value {
        Some(value) => {
            into.push(language, "round trip", what, value);
            Ok(())
        }
        None => Err(io::Error::other(format!("no {what} in:\n{printed}"))),
    };
    let number_before = |text: &str, mark: &str| -> Option<f64> {
        text.split(mark).next()?.split_whitespace().last()?.parse().ok()
    };
    push("files", number_before(&printed, " files"))?;
    push("bytes", number_before(&printed, " bytes"))?;
    push("tokens", number_before(&printed, " tokens;"))?;
    push("with errors", number_before(&printed, " with errors"))?;
    push("not parsed", number_before(&printed, " not parsed"))?;
    push("without code", number_before(&printed, " without code"))?;
    push("without errors", number_before(&printed, " others with"))?;
    for rule in ["left", "right", "term", "freq", "pres"] {
        let line = printed.lines().find(|line| line.trim_start().starts_with(&format!("{rule}: ")));
        let line = line.unwrap_or_default();
        push(&format!("trees, {rule}"), number_before(line, " trees identical"))?;
        push(&format!("labels, {rule}"), number_before(line, " labels"))?;
    }
    push("CoNLL-U files", number_before(&printed, " files identical"))
}

/// Tables 1 to 4: bracketing and attachment by head rule, features and labels; confusions of labels.
fn tables(bench: &Bench<'_>, into: &mut Measured) -> io::Result<()> {
    let language = &bench.name_with_size();
    for rule in bench.rules {
        let features = bench.variants.iter().filter(|variant| **variant != "highest");
        let mut made = None;
        for features in features {
            let made = match &made {
                Some(made) => made,
                None => made.insert(Made::new(bench, rule, "convertible")?),
            };
            into.push(language, "data", "training tokens", made.n_train);
            into.push(language, "data", "test tokens", made.n_test);
            let (train, test) = made.with(features)?;
            let scores = bench.train_and_score(&train, &test)?.0;
            for (what, value) in scores {
                into.push(language, &format!("CO {features} {rule}"), what, value);
            }
        }
        if !bench.variants.contains(&"highest") {
            continue;
        }
        let (train, test) = Made::new(bench, rule, "highest")?.with("lexical")?;
        let (scores, parsed) = bench.train_and_score(&train, &test)?;
        for (what, value) in scores.into_iter().filter(|(what, _)| what.ends_with("AS")) {
            into.push(language, &format!("NC lexical {rule}"), what, value);
        }
        if *rule == "left" {
            for ((gold, system), count) in confusions(&test, &parsed)?.into_iter().take(15) {
                into.push(language, &format!("confusion {gold} {system}"), "count", count);
            }
        }
    }
    Ok(())
}

/// So many tokens in a row are a stretch.
const STRETCH: usize = 30;

/// How much of the files to score is in the files to train on, too: copied code, versions of a file, and generated files.
fn overlap(bench: &Bench<'_>, into: &mut Measured) -> io::Result<()> {
    let made = Made::new(bench, "term", "convertible")?;
    let files = |treebank: &Path| -> io::Result<Vec<Vec<String>>> {
        let text = fs::read_to_string(treebank)?;
        let forms = |sentence: &str| {
            let forms = sentence.lines().filter_map(|line| line.split('\t').nth(1));
            forms.map(str::to_owned).collect()
        };
        Ok(text.split("\n\n").map(forms).collect())
    };
    let (train, test) = (files(&made.train)?, files(&made.test)?);
    let known: HashSet<&[String]> = train.iter().flat_map(|file| file.windows(STRETCH)).collect();
    let stretches = test.iter().flat_map(|file| file.windows(STRETCH));
    let (mut n, mut n_known) = (0.0, 0.0);
    for stretch in stretches {
        n += 1.0;
        n_known += f64::from(u8::from(known.contains(stretch)));
    }
    into.push(&bench.name_with_size(), "data", "percent known", 100.0 * n_known / n);
    Ok(())
}

/// Training tokens: about as many as the paper's corpora have.
pub(super) const N_TOKENS: usize = 300_000;

/// Tokens to score, at least.
const FEWEST_TEST_TOKENS: usize = 20_000;

/// Treebanks of a corpus.
struct Made {
    train: PathBuf,
    test: PathBuf,
    n_train: f64,
    n_test: f64,
}

impl Made {
    fn new(bench: &Bench<'_>, rule: &str, labels: &str) -> io::Result<Self> {
        let Corpus { language, train, test, .. } = bench.corpus;
        let make = |from: &Path, name: &str, n_tokens: usize| -> io::Result<(PathBuf, f64)> {
            let to = bench.place.scratch.join(name);
            let mut command = Command::new(bench.program);
            command.args(["code", "treebank", "--quiet", "--language", language]).arg(from);
            command.args(["--rule", rule, "--labels", labels, "--max-tokens", &n_tokens.to_string()]);
            checked(command.arg("-o").arg(&to))?;
            #[allow(clippy::cast_precision_loss, reason = "a number of tokens")]
            let n = count_tokens(&fs::read(&to)?) as f64;
            Ok((to, n))
        };
        let (train, n_train) = make(train, "train.conllu", bench.n_tokens)?;
        let (test, n_test) = make(test, "test.conllu", bench.n_tokens.max(FEWEST_TEST_TOKENS * 5) / 5)?;
        Ok(Self { train, test, n_train, n_test })
    }

    /// The files; for unlexical features, tags take the place of words.
    fn with(&self, features: &str) -> io::Result<(PathBuf, PathBuf)> {
        if features == "lexical" {
            return Ok((self.train.clone(), self.test.clone()));
        }
        let unlexical = |from: &Path| -> io::Result<PathBuf> {
            let mut text = String::new();
            for line in fs::read_to_string(from)?.lines() {
                let mut cells: Vec<&str> = line.split('\t').collect();
                if cells.len() == 10 {
                    cells[1] = cells[3];
                }
                text.extend([cells.join("\t").as_str(), "\n"]);
            }
            let to = from.with_extension("unlexical.conllu");
            fs::write(&to, text)?;
            Ok(to)
        };
        Ok((unlexical(&self.train)?, unlexical(&self.test)?))
    }
}

impl Bench<'_> {
    /// The name of the corpus in the record: the language, with the number of training tokens unless it is the usual one.
    fn name_with_size(&self) -> String {
        let language = &self.corpus.language;
        if self.n_tokens == N_TOKENS { language.clone() } else { format!("{language} {}", self.n_tokens) }
    }

    /// Trains on a treebank and parses another one; returns the scores and the parsed file.
    fn train_and_score(&self, train: &Path, test: &Path) -> io::Result<(Vec<(&'static str, f64)>, PathBuf)> {
        let [model, parsed] = ["model.quaich", "parsed.conllu"].map(|name| self.place.scratch.join(name));
        let mut command = Command::new(self.program);
        command.args(["train", "--quiet", "--preset", "fast", "--parts", "parse", "--transform", "none"]);
        checked(command.args(["--jobs", "1"]).arg(train).arg("-o").arg(&model))?;
        let mut command = Command::new(self.program);
        command.args(["parse", "--quiet", "--jobs", "1", "-m"]).arg(&model).arg(test).arg("-o").arg(&parsed);
        checked(&mut command)?;
        let mut command = Command::new(self.program);
        let printed = output(command.args(["code", "eval", "--quiet"]).arg(test).arg(&parsed))?;
        let printed = String::from_utf8_lossy(&printed);
        let last = |start: &str| -> io::Result<f64> {
            let line = printed.lines().find(|line| line.starts_with(start));
            let value = line.and_then(|line| line.split_whitespace().last()?.parse().ok());
            value.ok_or_else(|| io::Error::other(format!("no {start} in:\n{printed}")))
        };
        let mut scores = vec![
            ("F labelled", last("labelled")?),
            ("F unlabelled", last("unlabelled")?),
            ("LAS", last("LAS")?),
            ("UAS", last("UAS")?),
        ];
        // There may be none.
        scores.extend(last("leaf kinds").ok().map(|percent| ("leaf kinds", percent)));
        Ok((scores, parsed))
    }
}

/// The pairs of right and parsed labels that differ, the most frequent first.
fn confusions(gold: &Path, parsed: &Path) -> io::Result<Vec<((String, String), f64)>> {
    let mut counts: BTreeMap<(String, String), f64> = BTreeMap::new();
    let (gold, parsed) = (fs::read_to_string(gold)?, fs::read_to_string(parsed)?);
    for (gold, parsed) in gold.lines().zip(parsed.lines()) {
        if let (Some(gold), Some(parsed)) = (gold.split('\t').nth(7), parsed.split('\t').nth(7))
            && gold != parsed
        {
            *counts.entry((gold.to_owned(), parsed.to_owned())).or_default() += 1.0;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by(|one, other| other.1.total_cmp(&one.1));
    Ok(counts)
}

/// What the grammar, a model and both keep of damaged files.
fn damage(bench: &Bench<'_>, into: &mut Measured) -> io::Result<()> {
    damage_with(bench, ("with copies", "2", bench.n_tokens / 3), into)
}

/// The same for a model trained without damaged copies, on the same amount of text.
fn damage_without_copies(bench: &Bench<'_>, into: &mut Measured) -> io::Result<()> {
    damage_with(bench, ("without", "0", bench.n_tokens), into)
}

fn damage_with(
    bench: &Bench<'_>,
    (whose, copies, n_tokens): (&str, &str, usize),
    into: &mut Measured,
) -> io::Result<()> {
    let language = bench.corpus.language.as_str();
    let model = bench.train_code(copies, n_tokens)?;
    let mut command = Command::new(bench.program);
    let about = output(command.args(["info", "--json"]).arg(&model))?;
    let about = String::from_utf8_lossy(&about);
    let n_trained = about.lines().find_map(|line| line.trim().strip_prefix("\"tokens\": "));
    if let Some(n) = n_trained.and_then(|n| n.trim_end_matches(',').parse().ok()) {
        into.push(language, &format!("model {whose}"), "tokens", n);
    }
    bench.study(&model, &[], &format!("damage {whose}"), into)?;
    if ["c", "cpp"].contains(&language) {
        bench.study(&model, &["--real-macros"], &format!("macros {whose}"), into)?;
    }
    Ok(())
}

impl Bench<'_> {
    /// Measures what analyses keep of damaged test files.
    fn study(&self, model: &Path, options: &[&str], name: &str, into: &mut Measured) -> io::Result<()> {
        let language = self.corpus.language.as_str();
        let mut command = Command::new(self.program);
        command.args(["code", "damage", "--quiet", "--jobs", "1", "--language", language, "-m"]).arg(model);
        let printed = output(command.args(options).arg(&self.corpus.test))?;
        for line in String::from_utf8_lossy(&printed).lines().skip(1) {
            let cells: Vec<&str> = line.split_whitespace().collect();
            let [kind, numbers @ ..] = &cells[..] else { continue };
            let numbers: Vec<f64> = numbers.iter().filter_map(|cell| cell.parse().ok()).collect();
            // As the header says: files, then F, worst tenth and parents of each.
            let [files, scores @ ..] = &numbers[..] else { continue };
            for (who, scores) in ["grammar", "model", "hybrid"].iter().zip(scores.chunks_exact(3)) {
                let whose = format!("{name} {kind} {who}");
                for (what, value) in ["F", "worst tenth", "parents"].iter().zip(scores) {
                    into.push(language, &whose, what, *value);
                }
            }
            into.push(language, &format!("{name} {kind} grammar"), "files", *files);
        }
        Ok(())
    }

    /// Trains a model of source code, unless there is one in the folder of models.
    fn train_code(&self, copies: &str, n_tokens: usize) -> io::Result<PathBuf> {
        let model = self.models.join(format!("{}-{copies}.quaich", self.corpus.language));
        if model.is_file() {
            return Ok(model);
        }
        let mut command = Command::new(self.program);
        command.args(["code", "train", "--quiet", "--jobs", "1", "--language", &self.corpus.language]);
        command.args(["--copies", copies, "--max-tokens", &n_tokens.to_string()]);
        checked(command.arg(&self.corpus.train).arg("-o").arg(&model))?;
        Ok(model)
    }
}

/// The lengths of files whose speed is compared, in tokens.
pub(super) const LENGTHS: [usize; 3] = [1_000, 10_000, 100_000];
/// Tokens that are parsed for each length.
const PARSED: usize = 1_000_000;

/// Tokens per second, and memory, for files of several lengths, by the grammar and by a model.
fn speed(bench: &Bench<'_>, into: &mut Measured) -> io::Result<()> {
    let language = bench.corpus.language.as_str();
    let model = bench.train_code("2", bench.n_tokens / 3)?;
    let treebank = Made::new(bench, "term", "convertible")?;
    let test = fs::read_to_string(&treebank.test)?;
    let parsed = bench.place.scratch.join("parsed.out");
    let no_limit = || io::Error::other("there is no limit");
    for length in LENGTHS {
        let file = bench.place.write("long.conllu", repeated(&test, length, PARSED).as_bytes())?;
        let folder = bench.place.scratch.join("long");
        fs::create_dir_all(&folder)?;
        for old in fs::read_dir(&folder)? {
            fs::remove_file(old?.path())?;
        }
        let first = bench.write_sources(&file, &folder)?;
        for with in ["grammar", "model"] {
            let mut command = bench.parse_code(with, &model);
            command.arg(&folder);
            let run = measured(command.arg("-o").arg(&parsed), None)?.ok_or_else(no_limit)?;
            #[allow(clippy::cast_precision_loss, reason = "a number of tokens")]
            let n_tokens = count_tokens(&fs::read(&parsed)?) as f64;
            let whose = format!("speed {length} {with}");
            into.push(language, &whose, "tokens per second", n_tokens / run.seconds());
            // Memory for one file.
            let mut command = bench.parse_code(with, &model);
            command.arg(&first).arg("-o").arg(&parsed);
            let peak = measured(&mut command, None)?.ok_or_else(no_limit)?.peak;
            #[allow(clippy::cast_precision_loss, reason = "a number of tokens, and of KiB")]
            if let Some(peak) = peak {
                into.push(language, &whose, "peak kB of a file", peak as f64 * 1.024);
                into.push(language, &whose, "tokens of the file", count_tokens(&fs::read(&parsed)?) as f64);
            }
        }
    }
    Ok(())
}

impl Bench<'_> {
    /// Parses files by the grammar or by a model.
    fn parse_code(&self, with: &str, model: &Path) -> Command {
        let mut command = Command::new(self.program);
        command.args(["code", "parse", "--quiet", "--jobs", "1", "--language", &self.corpus.language]);
        command.args(["--with", with, "--to", "conllu", "-m"]).arg(model);
        command
    }

    /// Writes the source files of the sentences of a treebank into a folder. Returns the first one.
    fn write_sources(&self, treebank: &Path, folder: &Path) -> io::Result<PathBuf> {
        let extension = match self.corpus.language.as_str() {
            "python" => "py",
            "rust" => "rs",
            other => other,
        };
        let text = fs::read_to_string(treebank)?;
        for (number, sentence) in text.split_inclusive("\n\n").enumerate() {
            let one = self.place.write("one.conllu", sentence.as_bytes())?;
            let mut command = Command::new(self.program);
            let source = output(command.args(["code", "tree", "--quiet", "--to", "source"]).arg(one))?;
            fs::write(folder.join(format!("{number:06}.{extension}")), source)?;
        }
        Ok(folder.join(format!("{:06}.{extension}", 0)))
    }
}

/// Sentences of at least so many tokens each, until there are so many in all: those of a treebank that are not longer, one after the
/// other as one file. Files that are put together may have errors.
fn repeated(treebank: &str, length: usize, in_all: usize) -> String {
    let is_short = |sentence: &&str| sentence.lines().filter(|line| line.contains('\t')).count() <= length;
    let sentences: Vec<&str> = treebank.split_inclusive("\n\n").filter(is_short).collect();
    let mut text = String::new();
    let (mut rows, mut done) = (Vec::new(), 0);
    let mut next = (0..sentences.len()).cycle();
    while done < in_all && !sentences.is_empty() {
        let sentence = sentences[next.next().unwrap_or(0)];
        let first = rows.len();
        for line in sentence.lines().filter(|line| line.contains('\t')) {
            let mut cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
            cells[0] = (rows.len() + 1).to_string();
            if rows.len() == first && first > 0 {
                // What was between the files.
                let misc = if cells[9] == "_" { String::new() } else { format!("|{}", cells[9]) };
                let misc = misc.replace("|SpacesBefore=", "");
                cells[9] = format!("SpacesBefore=\\n{misc}");
            }
            rows.push(cells.join("\t"));
        }
        if rows.len() >= length {
            text.push_str(&rows.join("\n"));
            text.push_str("\n\n");
            done += rows.len();
            rows.clear();
        }
    }
    text
}
