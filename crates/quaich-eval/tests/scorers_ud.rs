//! The scorers of Universal Dependencies: small examples computed by hand, the sample treebank with another
//! tokenisation, and any two tokenisations of a text.

mod scoring;

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value as Json;

use scoring::{SAMPLE, close, conllu, noisy_sample, score, words};

/// The measures of a file with another tokenisation, computed from sets of spans: aligned words have the same span on
/// both sides. The sample has no multiword tokens.
#[test]
fn the_sample_cut_in_another_way_as_the_definitions_have_it() {
    let system = cut_in_another_way(&noisy_sample());
    let (_, json) = score("ud", SAMPLE, &system).unwrap();
    let (gold, system) = (spans(SAMPLE), spans(&system));
    let same: Vec<(&Spanned<'_>, &Spanned<'_>)> = gold
        .iter()
        .filter_map(|one| Some((one, system.iter().find(|other| other.place == one.place)?)))
        .collect();
    assert!(same.len() < gold.len() && gold.len() != system.len(), "some words are cut in another way");
    let all = (gold.len(), system.len(), same.len());
    let relation = |word: &Spanned<'_>| word.row[7].split(':').next().unwrap().to_owned();
    let head = |one: &Spanned<'_>, other: &Spanned<'_>| one.head == other.head;
    let check = |name: &str, (n_gold, n_system, n_aligned): (usize, usize, usize), n_right: usize| {
        close(&json[name]["precision"], n_right, n_system);
        close(&json[name]["recall"], n_right, n_gold);
        close(&json[name]["f1"], 2 * n_right, n_gold + n_system);
        close(&json[name]["aligned_accuracy"], n_right, n_aligned);
    };
    let right =
        |is: &dyn Fn(&Spanned<'_>, &Spanned<'_>) -> bool| same.iter().filter(|(g, s)| is(g, s)).count();
    close(&json["Words"]["recall"], same.len(), gold.len());
    assert_eq!(json["Words"]["aligned_accuracy"], Json::Null);
    check("UPOS", all, right(&|g, s| g.row[3] == s.row[3]));
    check("Lemmas", all, right(&|g, s| g.row[2] == s.row[2] || g.row[2] == "_"));
    check("UAS", all, right(&head));
    let las = right(&|g, s| head(g, s) && relation(g) == relation(s));
    check("LAS", all, las);
    let not_content = ["aux", "cop", "mark", "det", "clf", "case", "cc", "punct"];
    let is_content = |word: &Spanned<'_>| !not_content.contains(&relation(word).as_str());
    let content = (
        gold.iter().filter(|word| is_content(word)).count(),
        system.iter().filter(|word| is_content(word)).count(),
        right(&|g, _| is_content(g)),
    );
    check("CLAS", content, right(&|g, s| is_content(g) && head(g, s) && relation(g) == relation(s)));
    let functional = |words: &[Spanned<'_>], of: &Spanned<'_>| -> Vec<String> {
        let is_functional = |word: &&Spanned<'_>| {
            word.head == Some(of.place) && not_content[..7].contains(&relation(word).as_str())
        };
        let shown = |word: &Spanned<'_>| {
            format!("{:?} {} {} {}", word.place, relation(word), word.row[3], word.row[5])
        };
        words.iter().filter(is_functional).map(shown).collect()
    };
    let mlas = right(&|g, s| {
        is_content(g)
            && head(g, s)
            && relation(g) == relation(s)
            && g.row[3] == s.row[3]
            && g.row[5] == s.row[5]
            && functional(&gold, g) == functional(&system, s)
    });
    check("MLAS", content, mlas);
    check(
        "BLEX",
        content,
        right(&|g, s| is_content(g) && head(g, s) && relation(g) == relation(s) && g.row[2] == s.row[2]),
    );
    let sentences: (BTreeSet<_>, BTreeSet<_>) = (sentence_spans(&gold), sentence_spans(&system));
    close(
        &json["Sentences"]["f1"],
        2 * sentences.0.intersection(&sentences.1).count(),
        sentences.0.len() + sentences.1.len(),
    );
    assert!(sentences.1.len() < sentences.0.len());
}

/// A word with its position in the text and that of its head.
#[derive(Debug)]
struct Spanned<'a> {
    place: (usize, usize),
    head: Option<(usize, usize)>,
    sentence: usize,
    row: Vec<&'a str>,
}

fn spans(text: &str) -> Vec<Spanned<'_>> {
    let (mut found, mut at): (Vec<Spanned<'_>>, usize) = (Vec::new(), 0);
    for (sentence, block) in text.split("\n\n").enumerate() {
        let first = found.len();
        for row in words(block) {
            let place = (at, at + row[1].chars().count());
            at = place.1;
            found.push(Spanned { place, head: None, sentence, row });
        }
        for index in first..found.len() {
            let head: usize = found[index].row[6].parse().unwrap();
            found[index].head = (head > 0).then(|| found[first + head - 1].place);
        }
    }
    found
}

fn sentence_spans(words: &[Spanned<'_>]) -> BTreeSet<(usize, usize)> {
    let mut spans: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for word in words {
        let span = spans.entry(word.sentence).or_insert(word.place);
        span.1 = word.place.1;
    }
    spans.into_values().collect()
}

/// Joins every third sentence with the next, and splits every eleventh word in two, the second part being a dependent
/// of the first.
fn cut_in_another_way(text: &str) -> String {
    let blocks: Vec<&str> = text.split("\n\n").filter(|block| !block.trim().is_empty()).collect();
    let (mut written, mut place, mut index) = (String::new(), 0, 0);
    while index < blocks.len() {
        let n_joined = if index % 3 == 0 && index + 1 < blocks.len() { 2 } else { 1 };
        let (mut rows, mut root): (Vec<Vec<String>>, usize) = (Vec::new(), 0);
        for block in &blocks[index..index + n_joined] {
            let offset = rows.len();
            let block = words(block);
            // The index of every old word among the new ones.
            let mut starts = vec![0];
            let is_cut: Vec<bool> = block
                .iter()
                .map(|row| {
                    place += 1;
                    place % 11 == 0 && row[1].chars().count() > 1
                })
                .collect();
            for cut in &is_cut {
                starts.push(starts.last().unwrap() + 1 + usize::from(*cut));
            }
            for ((row, cut), start) in block.iter().zip(is_cut).zip(&starts) {
                let mut row: Vec<String> = row.iter().map(|&cell| cell.to_owned()).collect();
                row[6] = match row[6].parse::<usize>().unwrap() {
                    0 if root > 0 => root.to_string(),
                    0 => {
                        root = offset + start + 1;
                        "0".to_owned()
                    }
                    head => (offset + starts[head - 1] + 1).to_string(),
                };
                let mut second = row.clone();
                if cut {
                    let end = row[1].char_indices().nth(1).unwrap().0;
                    row[1][end..].clone_into(&mut second[1]);
                    row[1].truncate(end);
                    second[6] = (offset + start + 1).to_string();
                    "flat".clone_into(&mut second[7]);
                }
                rows.push(row);
                rows.extend(cut.then_some(second));
            }
        }
        for (id, row) in (1..).zip(&mut rows) {
            row[0] = id.to_string();
            written.push_str(&(row.join("\t") + "\n"));
        }
        written.push('\n');
        index += n_joined;
    }
    written
}

/// Checks the number of common words of two tokenisations of a text; all words are attached to the first. `ab=a+b` is a
/// multiword token.
fn check_alignment(gold: &str, system: &str, expected: u64) {
    let text = |words: &str| {
        let (mut rows, mut n) = (Vec::new(), 0);
        for token in words.split(' ') {
            let (form, parts) =
                token.split_once('=').map_or((None, token), |(form, parts)| (Some(form), parts));
            let parts: Vec<&str> = parts.split('+').collect();
            if let Some(form) = form {
                rows.push(format!("{}-{}/{form}", n + 1, n + parts.len()));
            }
            for part in parts {
                n += 1;
                rows.push(format!("{n}/{part}/X/{}/x", u8::from(n > 1)));
            }
        }
        conllu(&[rows.join(" ").as_str()])
    };
    let (_, json) = score("ud", &text(gold), &text(system)).unwrap();
    assert_eq!(json["Words"]["correct"], expected, "{gold} against {system}");
}

#[test]
fn words_of_multiword_tokens_are_aligned_by_their_forms() {
    check_alignment("a b c", "a b c", 3);
    check_alignment("abc=a+b+c", "a b c", 3);
    check_alignment("a bc=b+c d", "a b c d", 4);
    check_alignment("abcd=a+b+c+d", "ab=a+b cd=c+d", 4);
    check_alignment("abc=a+b+c de=d+e", "a bcd=b+c+d e", 5);
    check_alignment("abcd", "a b c d", 0);
    check_alignment("abc d", "a b c d", 1);
    check_alignment("a bc d", "a b c d", 2);
    check_alignment("a bc=b+c d", "a b cd", 2);
    check_alignment("ab=a+b cd=bc+d", "a bc d", 2);
    check_alignment("a bc=b+c d", "ab=AX+BX cd=CX+a", 1);
    check_alignment("abc=A+B+C", "a b c", 3);
}

#[test]
fn empty_nodes_and_comments_are_not_words() {
    let gold = "# text = x\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n1.1\te\t_\tX\t_\t_\t_\t_\t0:root\t_\n2-3\tbc\t_\t_\t_\t_\t_\t_\t_\t_\n\
                2\tb\t_\tX\t_\t_\t1\tobj\t_\t_\n3\tc\t_\tX\t_\t_\t1\tdet\t_\t_\n\n";
    let (_, json) = score("ud", gold, &conllu(&["1/a/X/0/root 2/b/X/1/obj 3/c/X/1/det"])).unwrap();
    assert_eq!((&json["Words"]["gold"], &json["Words"]["correct"]), (&Json::from(3), &Json::from(3)));
    assert_eq!(json["Tokens"]["gold"], 2);
    assert_eq!(json["Tokens"]["correct"], 1);
}

#[test]
fn white_space_in_forms_does_not_matter() {
    let gold = "1\t10 000\t_\tNUM\t_\t_\t0\troot\t_\t_\n2\tx\t_\tX\t_\t_\t1\tdep\t_\t_\n\n";
    let system = "1\t10\t_\tNUM\t_\t_\t0\troot\t_\t_\n2\t000\t_\tNUM\t_\t_\t1\tflat\t_\t_\n3\tx\t_\tX\t_\t_\t1\tdep\t_\t_\n\n";
    let (_, json) = score("ud", gold, system).unwrap();
    assert_eq!(json["Words"]["correct"], 1);
    // The head of `x` does not exist on the other side.
    assert_eq!(json["UAS"]["correct"], 0);
    // A no-break space is white space in 2018 only.
    let odd = gold.replace(' ', "\u{a0}");
    assert_eq!(score("ud", gold, &odd).unwrap().1["Words"]["correct"], 2);
    assert!(
        score("conll17", gold, &odd)
            .unwrap_err()
            .contains("found the text `\u{a0}000x`, expected the text `000x`")
    );
}

#[test]
fn what_the_scorers_of_universal_dependencies_refuse() {
    let good = conllu(&["1/a/X/0/root 2/b/X/1/x"]);
    for (bad, expected) in [
        (
            "1/a/X/0/root 2/b/X/0/x",
            "system:2:13: the sentence has a second root, expected a tree with one root",
        ),
        ("1/a/X/2/root 2/b/X/1/x", "system:1:13: the token is in a cycle"),
        ("1/a/X/_/root 2/b/X/1/x", "system:1:13: the token has no head"),
        ("1/a/X/0/root 2/c/X/1/x", "system:2:3: found the text `c`, expected the text `b`, as in gold:2:3"),
        ("1/a/X/0/root", "system:1:3: found the end of the text, expected the text `b`, as in gold:2:3"),
    ] {
        let error = score("ud", &good, &conllu(&[bad])).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
        assert!(error.contains("\n  help: "), "{error}");
    }
    // Other scorers accept several roots.
    assert!(score("conllx", &conllu(&["1/a/X/0/root 2/b/X/0/x"]), &good).is_ok());
}

/// A tokenisation of ten letters: a boundary or none after each, tokens of several letters as multiword tokens or not,
/// and sentences.
#[derive(Clone, Debug)]
struct Cut {
    /// The boundary after each letter: none, of tokens, or of sentences.
    boundaries: Vec<u8>,
    /// Whether a token of several letters has one word per letter.
    is_multiword: Vec<bool>,
    /// The heads of words: this number, modulo the number of preceding words, for all others.
    heads: Vec<usize>,
}

const LETTERS: &str = "abcabcabca";

impl Cut {
    fn conllu(&self) -> String {
        let (mut text, mut rows, mut token) = (String::new(), Vec::new(), String::new());
        let mut n_words = 0;
        for (place, letter) in LETTERS.chars().enumerate() {
            token.push(letter);
            let boundary = self.boundaries.get(place).copied().unwrap_or(2);
            if boundary == 0 {
                continue;
            }
            let mut word = |form: &str, rows: &mut Vec<String>| {
                n_words += 1;
                let head = if n_words == 1 { 0 } else { 1 + self.heads[place] % (n_words - 1) };
                let label = ["nsubj", "case", "det"][self.heads[place] % 3];
                rows.push(format!("{n_words}\t{form}\t_\tX\t_\t_\t{head}\t{label}\t_\t_\n"));
                n_words
            };
            if token.len() > 1 && self.is_multiword[place] {
                let range = rows.len();
                let numbers: Vec<usize> =
                    token.chars().map(|letter| word(&letter.to_string(), &mut rows)).collect();
                let (first, last) = (numbers[0], numbers[numbers.len() - 1]);
                rows.insert(range, format!("{first}-{last}\t{token}\t_\t_\t_\t_\t_\t_\t_\t_\n"));
            } else {
                word(&token, &mut rows);
            }
            token.clear();
            if boundary == 2 {
                text.push_str(&(rows.concat() + "\n"));
                rows.clear();
                n_words = 0;
            }
        }
        text
    }
}

fn cut() -> impl Strategy<Value = Cut> {
    let boundaries = vec(prop_oneof![2 => Just(0_u8), 3 => Just(1), 1 => Just(2)], LETTERS.len() - 1);
    (boundaries, vec(any::<bool>(), LETTERS.len()), vec(0..100_usize, LETTERS.len()))
        .prop_map(|(boundaries, is_multiword, heads)| Cut { boundaries, is_multiword, heads })
}

proptest! {
    /// Every tokenisation is equal to itself, and no two share more words than either has.
    #[test]
    fn any_two_cuts_of_a_text_can_be_aligned(one in cut(), other in cut()) {
        let (one, other) = (one.conllu(), other.conllu());
        for scorer in ["ud", "conll17"] {
            let (_, itself) = score(scorer, &one, &one).unwrap();
            for (name, measure) in itself.as_object().unwrap() {
                let all = if measure["gold"] == 0 { 0.0 } else { 100.0 };
                prop_assert_eq!(&measure["f1"], &Json::from(all), "{}", name);
            }
            let (_, json) = score(scorer, &one, &other).unwrap();
            let count = |measure: &str, key: &str| json[measure][key].as_u64().unwrap();
            prop_assert!(count("Words", "correct") <= count("Words", "gold").min(count("Words", "system")));
            prop_assert!(count("LAS", "correct") <= count("UAS", "correct"));
            prop_assert!(count("UAS", "correct") <= count("Words", "correct"));
            prop_assert!(count("CLAS", "correct") <= count("LAS", "correct"));
            // Tokens with the same span that touch no multiword token are the same word.
            prop_assert!(count("Words", "correct") >= plain_in_both(&one, &other));
        }
    }
}

/// Returns the number of tokens with the same span in two files without multiword tokens.
fn plain_in_both(one: &str, other: &str) -> u64 {
    if one.contains('-') || other.contains('-') {
        return 0;
    }
    let other: BTreeSet<(usize, usize)> = spans(other).iter().map(|word| word.place).collect();
    spans(one).iter().filter(|word| other.contains(&word.place)).count() as u64
}
