//! A segmenter trained on a toy treebank: its accuracy, and properties that hold for any weights.

use std::fmt::Write;
use std::io::Read;
use std::sync::{Arc, OnceLock};

use proptest::prelude::*;
use quaich_learn::Arrays;
use quaich_text::raw_text::{TextOptions, write_text};
use quaich_text::segmenter::{
    OutputOptions, Segmenter, SegmenterOptions, TextMode, TextSentence, TextStream, TrainingProgress,
};
use quaich_treebank::{Sentence, Treebank};

const MODES: [TextMode; 4] = [TextMode::Text, TextMode::Paragraphs, TextMode::Lines, TextMode::Tokens];

/// Sentences such as "Die Katze schläft zum Fenster!", where "zum" is a multiword token.
fn treebank() -> Treebank {
    let (subjects, verbs) = (["Katze", "Maus", "Frau", "Sonne"], ["schläft", "geht", "sieht", "lacht"]);
    let mut text = String::new();
    for (i, subject) in (0..).zip(subjects.iter().cycle().take(48)) {
        let mut number = 0;
        let mut row = |form: &str, misc: &str, text: &mut String| {
            number += 1;
            writeln!(text, "{number}\t{form}\t_\t_\t_\t_\t0\troot\t_\t{misc}").unwrap();
        };
        text.push_str("# text = x\n");
        row("Die", "_", &mut text);
        row(subject, "_", &mut text);
        row(verbs[i % 3], "_", &mut text);
        if i % 2 == 0 {
            text.push_str("4-5\tzum\t_\t_\t_\t_\t_\t_\t_\t_\n");
            row("zu", "_", &mut text);
            row("dem", "_", &mut text);
        }
        row("Fenster", "SpaceAfter=No", &mut text);
        row(if i % 3 == 0 { "!" } else { "." }, "_", &mut text);
        text.push('\n');
    }
    Treebank::from_text(&text).unwrap()
}

fn options() -> SegmenterOptions {
    let sizes = SegmenterOptions { units: 16, word_units: 8, ..SegmenterOptions::default() };
    SegmenterOptions { n_characters: Some(1_200_000), n_words: Some(200_000), ..sizes }
}

fn train(options: &SegmenterOptions) -> Segmenter {
    let treebank = treebank();
    Segmenter::train(&treebank.iter().collect::<Vec<_>>(), options, &mut ()).unwrap()
}

fn segmenter() -> Arc<Segmenter> {
    static SEGMENTER: OnceLock<Arc<Segmenter>> = OnceLock::new();
    Arc::clone(SEGMENTER.get_or_init(|| Arc::new(train(&options()))))
}

fn sentences(text: impl Read, mode: TextMode) -> Vec<TextSentence> {
    let mut stream = TextStream::new(Some(segmenter()), text, mode);
    let (mut sentence, mut all) = (TextSentence::default(), Vec::new());
    while stream.read(&mut sentence).unwrap() {
        all.push(sentence.clone());
    }
    all
}

/// The tokens separated by spaces; multiword tokens are marked with `*`.
fn shown(sentences: &[TextSentence]) -> Vec<String> {
    let mut form = String::new();
    let show = |sentence: &TextSentence| {
        let mut shown = Vec::new();
        for token in &sentence.tokens {
            sentence.form(token, &mut form);
            shown.push(if token.is_multiword { format!("{form}*") } else { form.clone() });
        }
        shown.join(" ")
    };
    sentences.iter().map(show).collect()
}

fn conllu(sentences: &[TextSentence]) -> String {
    let mut text = String::new();
    for sentence in sentences {
        let mut split = |form: &str, is_multiword: bool, words: &mut Vec<String>| {
            if is_multiword {
                words.extend([form.to_owned(), "x".to_owned()]);
            }
        };
        sentence.write(OutputOptions { token_ranges: true }, &mut split, &mut text);
    }
    text
}

/// The raw text of a CoNLL-U file, and its token ranges.
fn rebuilt(conllu: &str) -> (String, Vec<(usize, usize)>) {
    if conllu.is_empty() {
        return Default::default();
    }
    let treebank = Treebank::from_text(conllu).unwrap();
    let mut text = Vec::new();
    let options = TextOptions { exact: true, ..TextOptions::default() };
    write_text(treebank.iter().cloned().map(Ok::<Sentence, std::io::Error>), options, &mut text).unwrap();
    let ranges = conllu.split("TokenRange=").skip(1).map(|rest| {
        let (start, end) = rest.lines().next().unwrap().split_once(':').unwrap();
        (start.parse().unwrap(), end.parse().unwrap())
    });
    (String::from_utf8(text).unwrap(), ranges.collect())
}

/// A reader that returns a few bytes at a time.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = buffer.len().min(self.0.len()).min(7);
        buffer[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

#[test]
fn the_toy_treebank_is_learned() {
    let text = "Die Maus lacht\nFenster! Die Sonne geht zum Fenster.\n\nDie Frau sieht Fenster.";
    let found = sentences(text.as_bytes(), TextMode::Text);
    let expected = ["Die Maus lacht Fenster !", "Die Sonne geht zum* Fenster .", "Die Frau sieht Fenster ."];
    assert_eq!(shown(&found), expected);
    let starts: Vec<String> = found.iter().map(|sentence| format!("{:?}", sentence.start)).collect();
    assert_eq!(starts, ["Document", "Sentence", "Paragraph"]);
    let lines = conllu(&found);
    assert!(
        lines.starts_with("# newdoc\n# newpar\n# sent_id = 1\n# text = Die Maus lacht Fenster!\n1\tDie\t")
    );
    assert!(lines.contains("SpacesAfter=\\n|TokenRange=9:14\n"), "{lines}");
    assert!(lines.contains("4-5\tzum\t_\t_\t_\t_\t_\t_\t_\tTokenRange=39:42\n4\tzum\t"), "{lines}");
    assert!(lines.contains("SpacesAfter=\\n\\n"));
}

#[test]
fn modes_determine_the_meaning_of_line_breaks() {
    let text = "Die Maus lacht Fenster. Die\nSonne geht Fenster!\n\nx";
    let shown = |mode| shown(&sentences(text.as_bytes(), mode));
    assert_eq!(shown(TextMode::Lines), ["Die Maus lacht Fenster . Die", "Sonne geht Fenster !", "x"]);
    assert_eq!(shown(TextMode::Tokens), ["Die Maus lacht Fenster. Die", "Sonne geht Fenster!", "x"]);
    assert!(shown(TextMode::Paragraphs).len() >= 3);
}

#[test]
fn training_is_deterministic_and_models_are_saved() {
    let few = SegmenterOptions { n_characters: Some(1), n_words: Some(1), max_repeats: 6, ..options() };
    let saved = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut arrays = Arrays::default();
        pool.install(|| train(&few)).save(&mut arrays);
        arrays
    };
    let arrays = saved(1);
    assert_eq!(arrays, saved(3));
    let mut again = Arrays::default();
    Segmenter::load(&arrays).unwrap().save(&mut again);
    assert_eq!(arrays, again);
    // Truncated arrays are rejected.
    let names: Vec<String> = arrays.iter().map(|(name, _)| name.to_owned()).collect();
    for name in names {
        let mut changed = arrays.clone();
        let bytes = arrays.bytes(&name).unwrap();
        changed.set_bytes(&name, bytes[..bytes.len() / 2].to_vec());
        assert!(bytes.len() < 2 || Segmenter::load(&changed).is_err(), "{name}");
    }
}

#[test]
fn training_can_be_observed_and_stopped() {
    #[derive(Default)]
    struct Watch(Vec<(usize, usize)>);
    impl TrainingProgress for Watch {
        fn epoch(&mut self, done: usize, of: usize, _loss: f64) {
            self.0.push((done, of));
        }

        fn stops(&self) -> bool {
            !self.0.is_empty()
        }
    }
    let (mut watch, treebank) = (Watch::default(), treebank());
    let all: Vec<&Sentence> = treebank.iter().collect();
    assert!(Segmenter::train(&all, &options(), &mut watch).is_some());
    assert!(watch.0.iter().all(|&(done, of)| done == 1 && of >= 1), "{:?}", watch.0);
    assert!(Segmenter::train(&[], &options(), &mut ()).is_none());
}

#[test]
fn sentence_length_is_limited_for_any_text() {
    let parts = [
        "x",
        "😀\u{200d}",
        "a\u{301}",
        "\u{301}",
        "中",
        "Die Maus ",
        ".",
        "x\n",
        "@",
        "http://",
        " \t",
        "\0",
    ];
    for part in parts {
        let text = part.repeat(100_000 / part.len());
        for mode in MODES {
            let found = sentences(text.as_bytes(), mode);
            for sentence in &found {
                assert!(mode == TextMode::Tokens || sentence.text.len() < 70_000, "{part}");
                assert!(
                    matches!(mode, TextMode::Lines | TextMode::Tokens) || sentence.tokens.len() <= 500,
                    "{part}: {}",
                    sentence.tokens.len()
                );
            }
            if !text.trim().is_empty() {
                assert_eq!(rebuilt(&conllu(&found)).0, text, "{part}");
            }
        }
    }
}

#[test]
fn long_whitespace_belongs_to_the_sentence_before_it() {
    for space in [" ".repeat(100_000), "\n".repeat(100_000), " \n".repeat(200_000)] {
        for text in [format!("Die Maus lacht.{space}"), format!("{space}Die Maus.{space}Fenster!{space}\n")] {
            for mode in MODES {
                let found = sentences(text.as_bytes(), mode);
                assert!(rebuilt(&conllu(&found)).0 == text, "{mode:?}");
            }
        }
    }
}

#[test]
fn invalid_utf8_is_reported_with_its_position() {
    let mut stream = TextStream::new(Some(segmenter()), &b"Die\nMa\xffus"[..], TextMode::Text);
    let error = stream.read(&mut TextSentence::default()).unwrap_err();
    assert_eq!(error.to_string(), "line 2, column 3: found a byte that is not UTF-8 (byte 6 of the text)");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn output_preserves_the_text(
        text in prop_oneof![
            "[ \\t\\r\\n]{0,3}([A-Za-z.!?,]{1,6}[ \\n\\r\\t\u{a0}]{0,3}){0,40}",
            "\\PC{0,60}",
            any::<String>(),
            "[\u{feff}\u{200d}\u{301}👨👩🏽a \u{2028}\\\\|\\n]{0,40}",
        ],
        mode in prop::sample::select(MODES.to_vec()),
    ) {
        prop_assume!(!text.chars().all(|c| c.is_whitespace() || c == '\u{feff}'));
        let found = sentences(text.as_bytes(), mode);
        let (again, ranges) = rebuilt(&conllu(&found));
        prop_assert_eq!(&again, &text);
        let chars: Vec<char> = text.chars().collect();
        let mut forms = found.iter().flat_map(|sentence| {
            sentence.tokens.iter().map(|token| &sentence.text[token.start..token.end])
        });
        for (start, end) in ranges {
            let form: String = chars[start..end].iter().collect();
            prop_assert_eq!(Some(form.as_str()), forms.next());
        }
        prop_assert_eq!(sentences(Slow(text.as_bytes()), mode), found);
    }
}
