//! Inputs that end with an error: everything before it is parsed and written.

use std::io::{Cursor, Error, Read, Result};

use quaich_parser::{Model, ParseOptions, Settings, Unobserved, parse_stream, train};
use quaich_treebank::{ReadOptions, Reader, Sentence, Source};

const TRAIN: &str = include_str!("../../../data/sample/train.conllu");
const TEST: &str = include_str!("../../../data/sample/test.conllu");

/// A failing disk.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> Result<usize> {
        Err(Error::other("worn out"))
    }
}

fn reader(stream: impl Read + Send + 'static) -> Reader {
    Reader::new(Source::from_stream(stream, "test".to_owned(), None).unwrap(), &ReadOptions::default())
        .unwrap()
}

fn linear_parser() -> Model {
    let sentences: Vec<Sentence> =
        reader(Cursor::new(TRAIN)).sentences().collect::<std::result::Result<_, _>>().unwrap();
    let settings = ["learner=linear", "linear.epochs=1", "linear.folds=0"]
        .iter()
        .fold(Settings::default(), |settings, assignment| settings.with(assignment).unwrap());
    train(&sentences, &settings, &Unobserved).unwrap()
}

#[test]
fn what_comes_before_a_place_that_cannot_be_read_is_parsed() {
    let parser = linear_parser();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let parse = |mut reader: Reader| {
        let mut out = Vec::new();
        let ended = pool.install(|| {
            parse_stream(
                &parser,
                &mut reader,
                &mut out,
                ParseOptions { scores: false, ..ParseOptions::default() },
                |_| {},
            )
        });
        (ended.map(|parsed| parsed.tokens), String::from_utf8(out).unwrap())
    };
    // In the first round of batches, and in a later one.
    for text in [TEST.repeat(5), TEST.repeat(50)] {
        let (whole, expected) = parse(reader(Cursor::new(text.clone())));
        whole.unwrap();
        let (broken, parsed) = parse(reader(Cursor::new(text).chain(Broken)));
        let error = broken.unwrap_err().to_string();
        assert!(error.contains("worn out"), "{error}");
        assert_eq!(parsed, expected);
    }
}
