//! The CoNLL-U text that is measured with.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Place;

/// A treebank: a file to learn from, and text the parser has not seen.
pub(super) struct Treebank {
    pub(super) name: &'static str,
    pub(super) train: PathBuf,
    pub(super) test: PathBuf,
    /// The development and the test file, one after the other.
    pub(super) unseen: Vec<u8>,
}

impl Treebank {
    /// The treebank of that name where `QUAICH_TREEBANKS` names a folder that has it; otherwise the
    /// sample treebank.
    pub(super) fn find(root: &Path, name: &'static str) -> io::Result<Self> {
        let folder = std::env::var_os("QUAICH_TREEBANKS").map(|folder| PathBuf::from(folder).join(name));
        match folder.filter(|folder| folder.join("train.conllu").is_file()) {
            Some(folder) => Self::open(name, &folder.canonicalize()?),
            None => Self::sample(root),
        }
    }

    pub(super) fn sample(root: &Path) -> io::Result<Self> {
        Self::open("the sample", &root.join("data/sample"))
    }

    fn open(name: &'static str, folder: &Path) -> io::Result<Self> {
        let test = folder.join("test.conllu");
        let mut unseen = fs::read(folder.join("dev.conllu")).unwrap_or_default();
        unseen.extend(fs::read(&test)?);
        Ok(Self { name, train: folder.join("train.conllu"), test, unseen })
    }
}

/// The file of a treebank's part, in either format.
pub(super) fn part_of(folder: &Path, part: &str) -> io::Result<PathBuf> {
    let files = ["conllu", "conll"].map(|extension| folder.join(format!("{part}.{extension}")));
    let missing = || io::Error::other(format!("{} has no {part} file", folder.display()));
    files.into_iter().find(|file| file.is_file()).ok_or_else(missing)
}

/// One sentence of so many is held out.
const HELD_OUT: usize = 5;

/// All sentences of a treebank's training file but every fifth, and those.
pub(super) fn split(place: &Place, folder: &Path) -> io::Result<(PathBuf, PathBuf)> {
    let file = part_of(folder, "train")?;
    let text = fs::read_to_string(&file)?;
    let extension = file.extension().unwrap_or_default().to_string_lossy().into_owned();
    let (mut train, mut held_out) = (String::new(), String::new());
    for (number, sentence) in sentences(&text).enumerate() {
        let part = if number % HELD_OUT == HELD_OUT / 2 { &mut held_out } else { &mut train };
        part.push_str(sentence);
        part.push_str("\n\n");
    }
    Ok((
        place.write(&format!("four-fifths.{extension}"), train.as_bytes())?,
        place.write(&format!("held-out.{extension}"), held_out.as_bytes())?,
    ))
}

/// So many percent of the sentences, evenly spaced.
pub(super) fn percent_of(text: &str, percent: usize) -> String {
    let mut part = String::new();
    for (number, sentence) in sentences(text).enumerate() {
        if number * percent / 100 != (number + 1) * percent / 100 {
            part.push_str(sentence);
            part.push_str("\n\n");
        }
    }
    part
}

/// One of so many sentences, and the others.
pub(super) fn one_in(n: usize, text: &str) -> [String; 2] {
    let mut parts = [String::new(), String::new()];
    for (number, sentence) in sentences(text).enumerate() {
        let part = &mut parts[usize::from(!number.is_multiple_of(n))];
        part.push_str(sentence);
        part.push_str("\n\n");
    }
    parts
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let blocks = text.split("\n\n").flat_map(|block| block.split("\r\n\r\n"));
    blocks.map(|block| block.trim_matches(['\n', '\r'])).filter(|block| !block.is_empty())
}

/// How many tokens there are: rows that start with a plain number.
pub(super) fn count_tokens(text: &[u8]) -> usize {
    token_rows(text).count()
}

/// The text as often as it takes to have so many tokens.
pub(super) fn at_least(text: &[u8], n_tokens: usize) -> Vec<u8> {
    text.repeat(n_tokens.div_ceil(count_tokens(text).max(1)))
}

/// The first sentences, until there are so many bytes; all of them if there are fewer.
pub(super) fn first_bytes(text: &[u8], n_bytes: usize) -> &[u8] {
    let rest = text.get(n_bytes..).unwrap_or_default();
    let end = rest.windows(2).position(|pair| pair == b"\n\n");
    &text[..end.map_or(text.len(), |end| n_bytes + end + 2)]
}

/// The same words, one after the other, in sentences of one length, without heads and labels; what
/// is left over at the end is dropped.
pub(super) fn in_sentences_of(text: &[u8], length: usize) -> Vec<u8> {
    let rows: Vec<&[u8]> = token_rows(text).collect();
    let mut glued = Vec::with_capacity(text.len());
    for sentence in rows.chunks_exact(length) {
        for (idx, row) in sentence.iter().enumerate() {
            glued.extend((idx + 1).to_string().into_bytes());
            for (column, value) in row.split(|&byte| byte == b'\t').enumerate().skip(1) {
                glued.push(b'\t');
                // Head, label and enhanced graph, which spoke of the sentence the word was in.
                glued.extend(if matches!(column, 6..=8) { b"_" } else { value });
            }
            glued.push(b'\n');
        }
        glued.push(b'\n');
    }
    glued
}

/// Sentences glued to one of at least so many words, if there are as many: a tree whose root is the first sentence's, with
/// the other sentences' roots below it.
pub(super) fn one_sentence(text: &[u8], n_tokens: usize) -> Vec<u8> {
    let number = |cell: &[u8]| std::str::from_utf8(cell).ok().and_then(|cell| cell.parse::<usize>().ok());
    let (mut glued, mut n_before, mut n_words, mut root) = (Vec::new(), 0, 0, None);
    for line in text.split(|&byte| byte == b'\n') {
        if line.is_empty() {
            n_before = n_words;
            if n_words >= n_tokens {
                break;
            }
        }
        for row in token_rows(line) {
            n_words += 1;
            for (column, value) in row.split(|&byte| byte == b'\t').enumerate() {
                match (column, number(value)) {
                    (0, _) => glued.extend(n_words.to_string().into_bytes()),
                    (6, Some(0)) => glued.extend(root.unwrap_or(0).to_string().into_bytes()),
                    (6, Some(head)) => glued.extend((n_before + head).to_string().into_bytes()),
                    // The enhanced graph spoke of the sentence the word was in.
                    (8, _) => glued.push(b'_'),
                    _ => glued.extend(value),
                }
                if column == 6 && number(value) == Some(0) {
                    root = root.or(Some(n_words));
                }
                glued.push(b'\t');
            }
            glued.pop();
            glued.push(b'\n');
        }
    }
    glued.push(b'\n');
    glued
}

fn token_rows(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n').filter(|line| {
        let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0 && line.get(digits) == Some(&b'\t')
    })
}

#[cfg(test)]
mod tests {
    use super::{count_tokens, first_bytes, in_sentences_of, one_in, one_sentence, percent_of};

    const TEXT: &[u8] = b"# c\n1-2\tab\n1\ta\t_\t_\t_\t_\t2\tx\t2:x\tm\n2\tb\t_\t_\t_\t_\t0\ty\t0:y\tn\n\n1\tc\t_\t_\t_\t_\t0\tz\t_\t_\n\n";

    #[test]
    fn sentences_are_glued_and_cut() {
        assert_eq!(count_tokens(TEXT), 3);
        let expected =
            b"1\ta\t_\t_\t_\t_\t_\t_\t_\tm\n2\tb\t_\t_\t_\t_\t_\t_\t_\tn\n3\tc\t_\t_\t_\t_\t_\t_\t_\t_\n\n";
        assert_eq!(in_sentences_of(TEXT, 3), expected);
        assert_eq!(count_tokens(&in_sentences_of(TEXT, 2)), 2);
    }

    #[test]
    fn sentences_are_glued_to_one_tree() {
        let expected =
            b"1\ta\t_\t_\t_\t_\t2\tx\t_\tm\n2\tb\t_\t_\t_\t_\t0\ty\t_\tn\n3\tc\t_\t_\t_\t_\t2\tz\t_\t_\n\n";
        assert_eq!(one_sentence(TEXT, 3), expected);
        assert_eq!(count_tokens(&one_sentence(TEXT, 1)), 2);
    }

    #[test]
    fn parts_are_evenly_spaced() {
        let text = "a\n\nb\n\nc\n\nd\n\ne\n\n";
        assert_eq!(percent_of(text, 40), "c\n\ne\n\n");
        assert_eq!(percent_of(text, 100), text);
        assert_eq!(one_in(3, text), ["a\n\nd\n\n", "b\n\nc\n\ne\n\n"]);
    }

    #[test]
    fn text_ends_after_a_sentence() {
        assert_eq!(count_tokens(first_bytes(TEXT, 10)), 2);
        assert_eq!(first_bytes(TEXT, 1000), TEXT);
    }
}
