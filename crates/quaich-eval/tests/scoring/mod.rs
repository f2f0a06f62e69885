//! Shared code of the tests of the shared tasks' scorers: small files, the sample treebank with noise, and running a
//! scorer.

use std::io::Cursor;

use quaich_eval::scorers::by_name;
use quaich_treebank::{FormatChoice, ReadOptions, Reader, Source};
use serde_json::Value as Json;

pub(crate) const SAMPLE: &str = include_str!("../../../../data/sample/test.conllu");

fn reader(text: &str, name: &str, format: &str) -> Reader {
    let options =
        ReadOptions { format: Some(FormatChoice::parse(format).unwrap()), ..ReadOptions::default() };
    let source = Source::from_stream(Cursor::new(text.to_owned()), name.into(), None).unwrap();
    Reader::new(source, &options).unwrap()
}

/// Returns the output of a scorer and its JSON, or its error.
pub(crate) fn score_as(
    scorer: &str,
    format: &str,
    gold: &str,
    system: &str,
) -> Result<(String, Json), String> {
    let (gold, system) = (reader(gold, "gold", format), reader(system, "system", format));
    let official =
        by_name(scorer).unwrap().score(gold, system, &mut || ()).map_err(|error| error.to_string())?;
    Ok((official.to_string(), serde_json::to_value(&official).unwrap()))
}

pub(crate) fn score(scorer: &str, gold: &str, system: &str) -> Result<(String, Json), String> {
    score_as(scorer, "conllu", gold, system)
}

/// Returns a line of CoNLL-U from `id form upos head label`.
pub(crate) fn conllu(sentences: &[&str]) -> String {
    let row = |token: &str| match token.split('/').collect::<Vec<_>>()[..] {
        [id, form, tag, head, label] => format!("{id}\t{form}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n"),
        [id, form] => format!("{id}\t{form}\t_\t_\t_\t_\t_\t_\t_\t_\n"),
        _ => panic!("{token}"),
    };
    let sentence = |text: &&str| text.split(' ').map(row).collect::<String>() + "\n";
    sentences.iter().map(sentence).collect()
}

/// Deterministic noise: a number below `n` for an index.
fn noise(place: usize, salt: usize, n: usize) -> usize {
    let mixed = (place * 2_654_435_761 + salt * 40_503) % 4_294_967_296;
    (mixed >> 13) % n
}

/// The sample with other heads, if the sentence remains a tree with one root, and other labels.
pub(crate) fn noisy_sample() -> String {
    let mut place = 0;
    let blocks = SAMPLE.split("\n\n").filter(|block| !block.trim().is_empty());
    let sentence = |block: &str| {
        let mut lines: Vec<Vec<String>> =
            block.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect();
        let rows: Vec<usize> = (0..lines.len())
            .filter(|&at| lines[at].len() == 10 && lines[at][0].parse::<u32>().is_ok())
            .collect();
        for &row in &rows {
            place += 1;
            if noise(place, 1, 9) == 0 {
                ["nsubj", "obj", "case", "punct"][noise(place, 2, 4)].clone_into(&mut lines[row][7]);
            }
            let before = lines[row][6].clone();
            if noise(place, 3, 6) == 0 && before != "0" {
                let head = (1 + noise(place, 4, rows.len())).to_string();
                lines[row][6] = if is_tree(&lines, &rows, row, &head) { head } else { before };
            }
        }
        lines.iter().map(|line| line.join("\t")).collect::<Vec<_>>().join("\n") + "\n\n"
    };
    blocks.map(sentence).collect()
}

/// Whether the path up from a new head does not return.
fn is_tree(lines: &[Vec<String>], rows: &[usize], row: usize, head: &str) -> bool {
    let mut at: usize = head.parse().unwrap();
    for _ in 0..rows.len() {
        if at == 0 {
            return true;
        }
        if rows[at - 1] == row {
            return false;
        }
        at = lines[rows[at - 1]][6].parse().unwrap();
    }
    false
}

/// Returns the rows of words.
pub(crate) fn words(text: &str) -> Vec<Vec<&str>> {
    let rows = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    rows.filter(|row| row.len() == 10 && row[0].parse::<u32>().is_ok()).collect()
}

#[allow(clippy::cast_precision_loss, reason = "small numbers")]
pub(crate) fn close(found: &Json, part: usize, whole: usize) {
    let (found, expected) = (found.as_f64().unwrap(), 100.0 * part as f64 / whole as f64);
    assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
}
