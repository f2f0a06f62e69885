//! Built sentences: in every format they equal what the reader makes of their text, or they are rejected.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use quaich_treebank::formats::{FORMATS, by_name, custom};
use quaich_treebank::{
    FormatChoice, Label, Layout, Node, ReadOptions, Reader, Result, Role, Sentence, SentenceBuilder, Source,
    Symbols,
};

const ROLES: [Role; 10] = [
    Role::Id,
    Role::Form,
    Role::Lemma,
    Role::CoarseTag,
    Role::FineTag,
    Role::Feats,
    Role::Head,
    Role::Label,
    Role::Misc,
    Role::Other,
];

/// All formats of the table, and formats in which a row of cells may not be a token.
fn formats() -> Vec<FormatChoice> {
    let described = [
        "name = \"spaced\"\ncolumns = [\"form\", \"tag\", \"head\", \"label\"]\nseparator = \"space\"",
        "name = \"remarks\"\ncolumns = [\"form\", \"id\", \"head\", \"label\"]\ncomments = true",
        "name = \"words\"\ncolumns = [\"form\"]",
    ];
    let described = described.map(|text| FormatChoice::Custom(Arc::new(custom::parse(text, "f").unwrap())));
    FORMATS.iter().map(|format| FormatChoice::Known(*format)).chain(described).collect()
}

fn layout(name: &str) -> Arc<Layout> {
    let format = formats().into_iter().find(|format| format.layout().name() == name);
    format.expect("a format of the list").layout()
}

type Row<'a> = Vec<(Role, &'a str)>;

fn build(layout: &Arc<Layout>, rows: &[Row<'_>]) -> Result<Sentence> {
    let mut builder = SentenceBuilder::new(layout);
    for row in rows {
        builder.token(row.iter().copied())?;
    }
    builder.finish()
}

/// Returns all sentences of a text, including those without tokens.
fn read(text: &str, format: &FormatChoice) -> Vec<Sentence> {
    let stream = std::io::Cursor::new(text.as_bytes().to_vec());
    let source = Source::from_stream(stream, "f".to_owned(), None).unwrap();
    let options = ReadOptions { format: Some(format.clone()), ..ReadOptions::default() };
    let mut reader = Reader::new(source, &options).unwrap();
    let mut sentences = Vec::new();
    let mut sentence = reader.sentence();
    while reader.read(&mut sentence).unwrap() {
        sentences.push(sentence.clone());
    }
    sentences
}

/// Checks that a built sentence has the given cells and equals the sentence read from its text, down to the last span.
fn check(sentence: &Sentence, rows: &[Row<'_>], format: &FormatChoice) {
    assert_eq!(sentence.n_tokens(), rows.len());
    for (token, row) in sentence.tokens().zip(rows) {
        for role in ROLES.into_iter().filter(|role| *role != Role::Id) {
            let given = row.iter().find(|(given, _)| *given == role).map_or("_", |(_, cell)| cell);
            assert_eq!(sentence.value(token, role), given, "{role:?} of {token}");
        }
        let head = match sentence.value(token, Role::Head) {
            "_" => Node::NONE,
            head => Node(head.parse().unwrap()),
        };
        assert_eq!(sentence.heads()[token.index()], head);
    }
    let read = read(sentence.text(), format);
    if rows.is_empty() {
        assert!(read.is_empty());
        return;
    }
    assert_eq!(format!("{read:?}"), format!("[{sentence:?}]"));
    assert_eq!(sentence.tree(&mut Symbols::<Label>::new()), read[0].tree(&mut Symbols::<Label>::new()));
    let mut copy = Vec::new();
    sentence.write_replacing(&mut copy, &[0], |token, column, out| {
        out.extend_from_slice(sentence.cell(token, column).as_bytes());
    });
    assert_eq!(String::from_utf8(copy).unwrap(), sentence.text());
}

fn check_text(name: &str, rows: &[Row<'_>], expected: &str) {
    assert_eq!(build(&layout(name), rows).unwrap().text(), expected);
}

fn check_refused(name: &str, rows: &[Row<'_>], expected: &str) {
    assert_eq!(build(&layout(name), rows).unwrap_err().to_string(), expected);
}

#[test]
fn words_alone_make_a_sentence() {
    for format in formats() {
        let layout = format.layout();
        for words in [&[][..], &["a"], &["New", "York", "'s", "_", "naïve", "睡觉", "1", "0"]] {
            let sentence = Sentence::from_words(&layout, words).unwrap();
            let rows: Vec<Row<'_>> = words.iter().map(|word| vec![(Role::Form, *word)]).collect();
            check(&sentence, &rows, &format);
        }
    }
    let layout = Arc::new(by_name("conllu").unwrap().layout());
    let owned = Sentence::from_words(&layout, vec!["a b".to_owned()]).unwrap();
    assert_eq!(owned.text(), "1\ta b\t_\t_\t_\t_\t_\t_\t_\t_\n\n");
}

#[test]
fn cells_go_where_their_roles_are() {
    let row = |form, head, label| vec![(Role::Label, label), (Role::Form, form), (Role::Head, head)];
    let rows = [row("cats", "2", "sbj"), row("sleep", "0", "root"), vec![(Role::Form, "#")]];
    check_text("malttab", &rows, "cats\t_\t2\tsbj\nsleep\t_\t0\troot\n#\t_\t_\t_\n\n");
    check_text("spaced", &rows, "cats _ 2 sbj\nsleep _ 0 root\n# _ _ _\n\n");
    check_text("conllx", &rows[2..], "1\t#\t_\t_\t_\t_\t_\t_\t_\t_\n\n");
    check_text(
        "conllu",
        &[vec![(Role::Misc, "A=b"), (Role::Other, "c")]],
        "1\t_\t_\t_\t_\t_\t_\t_\tc\tA=b\n\n",
    );
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    let form = |form| vec![(Role::Form, form)];
    check_refused(
        "conllu",
        &[form("a"), form("")],
        "token 2: the FORM cell is empty, expected a value or `_`",
    );
    check_refused("conllu", &[form("a\tb")], "token 1: found a tab in the FORM cell `a\\tb`, expected none");
    check_refused(
        "conllu",
        &[form("a\r")],
        "token 1: found a line end in the FORM cell `a\\r`, expected none",
    );
    check_refused("spaced", &[form("a b")], "token 1: found a space in the FORM cell `a b`, expected none");
    check_refused(
        "malttab",
        &[vec![(Role::Lemma, "a")]],
        "token 1: found a cell for Lemma, which malttab has no column for; its columns: FORM, POSTAG, HEAD, DEPREL",
    );
    check_refused(
        "conllu",
        &[vec![(Role::Form, "a"), (Role::Form, "a")]],
        "token 1: found two cells for column FORM, expected one",
    );
    check_refused(
        "conllu",
        &[form("a"), vec![(Role::Head, "3")]],
        "token 2: found head 3 in a sentence of 2 tokens, expected 0 to 2",
    );
    check_refused(
        "conllu",
        &[vec![(Role::Head, "a")]],
        "token 1: found `a` in column HEAD, expected the number of a token, 0 or `_`",
    );
    check_refused("conllu", &[vec![(Role::Id, "2")]], "token 1: found `2` in column ID, expected 1");
    let other = "would be read as something other than this token in";
    check_refused(
        "conllu",
        &[vec![(Role::Id, "1-2")]],
        &format!("token 1: the row `1-2{}` {other} conllu", "\\t_".repeat(9)),
    );
    check_refused(
        "remarks",
        &[form("a"), form("#")],
        &format!("token 2: the row `#\\t2\\t_\\t_` {other} remarks"),
    );
    check_refused("words", &[form("a"), form(" ")], &format!("token 2: the row ` ` {other} words"));
    check_refused("words", &[form("\u{feff}a")], &format!("token 1: the row `\\u{{feff}}a` {other} words"));
}

#[test]
fn a_refused_token_is_not_added() {
    let mut builder = SentenceBuilder::new(&layout("malttab"));
    builder.token([(Role::Form, "a")]).unwrap();
    assert!(builder.token([(Role::Form, "b"), (Role::FineTag, "")]).is_err());
    builder.token([(Role::Form, "c")]).unwrap();
    assert_eq!(builder.finish().unwrap().text(), "a\t_\t_\t_\nc\t_\t_\t_\n\n");
}

/// The text of a cell: often with a special meaning to the reader.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![20 => "[^\t\r\n]{1,6}", 5 => "[a_#1.\u{feff} -]{1,3}", 1 => "[a\t\r\n ]{0,2}"]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn what_is_built_is_what_is_read(
        which in 0..7usize,
        drawn in vec((vec(any::<bool>(), ROLES.len()), vec(cell(), ROLES.len()), 0..9usize), 0..6),
    ) {
        let format = &formats()[which];
        let layout = format.layout();
        let heads: Vec<String> = drawn.iter().map(|(_, _, head)| (head % (drawn.len() + 1)).to_string()).collect();
        let rows: Vec<Row<'_>> = drawn.iter().zip(&heads).map(|((given, cells, _), head)| {
            let cells = ROLES.into_iter().zip(cells).zip(given);
            let known = cells.filter(|((role, _), given)| {
                **given && *role != Role::Id && layout.position(*role).is_some()
            });
            known.map(|((role, cell), _)| (role, if role == Role::Head { head } else { cell.as_str() })).collect()
        }).collect();
        match build(&layout, &rows) {
            Ok(sentence) => check(&sentence, &rows, format),
            Err(error) => {
                // If rows begin with a number, only these can be invalid.
                let bad = |cell: &str| cell.is_empty() || cell.contains(['\t', '\r', '\n']);
                let any_bad = rows.iter().flatten().any(|(_, cell)| bad(cell));
                prop_assert!(any_bad || layout.position(Role::Id) != Some(0), "{}", error);
            }
        }
    }
}
