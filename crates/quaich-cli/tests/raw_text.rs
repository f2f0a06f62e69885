//! Plain text in: tokens, sentences, tags, lemmas and trees from one model.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

/// A text with everything that output must keep: a byte-order mark, Windows line ends, tabs, several blank lines, spaces at the end.
const TEXT: &str = "\u{feff}The old boat did not come back.  Nobody\tknew why!\r\n\r\n\r\nWho was it?\nA man\u{a0}came in \u{1f469}\u{200d}\u{1f33e}.  \n";

/// Runs the program with this standard input.
fn quaich(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quaich"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A program that fails early does not read its input.
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn succeeds(arguments: &[&str], input: &str) -> String {
    let output = quaich(arguments, input.as_bytes());
    assert!(output.status.success(), "{arguments:?}: {}", text(output.stderr));
    text(output.stdout)
}

fn fails(arguments: &[&str], input: &[u8], code: i32, message: &str) {
    let output = quaich(arguments, input);
    let stderr = text(output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
    assert!(stderr.contains(message), "{arguments:?}: {stderr}");
}

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/sample").join(name)
}

/// A model with all parts, and one with the parser alone, trained briefly on the sample treebank.
fn models() -> &'static (TempDir, String, String) {
    static MODELS: OnceLock<(TempDir, String, String)> = OnceLock::new();
    MODELS.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let (all, alone) = (path("all.quaich"), path("alone.quaich"));
        let train = sample("train.conllu").display().to_string();
        let dev = sample("dev.conllu").display().to_string();
        let short =
            ["--set", "encoder.epochs=30", "--set", "encoder.units=48", "--set", "encoder.networks=1"];
        let output = quaich(&[&["train", &train, "-o", &all, "--dev", &dev][..], &short].concat(), b"");
        let stderr = text(output.stderr);
        assert!(
            output.status.success()
                && stderr.contains("dev, from raw text (labels without subtypes): Tokens "),
            "{stderr}"
        );
        assert!(stderr.contains("part 3 of 3"), "{stderr}");
        succeeds(
            &[
                "train",
                &train,
                "-o",
                &alone,
                "--parts",
                "parse",
                "--learner",
                "linear",
                "--set",
                "linear.epochs=1",
            ],
            "",
        );
        (folder, all, alone)
    })
}

fn model() -> &'static str {
    &models().1
}

/// The rows of tokens, as lists of cells.
fn rows(conllu: &str) -> Vec<Vec<&str>> {
    let rows = conllu.lines().filter(|line| line.contains('\t')).map(|line| line.split('\t').collect());
    rows.collect()
}

#[test]
fn text_is_tokenised_tagged_and_parsed() {
    let parsed = succeeds(&["parse", "-m", model()], "The boat came back. Nobody knew why.\n");
    let start = "# newdoc\n# newpar\n# sent_id = 1\n# text = The boat came back.\n1\tThe\t";
    assert!(
        parsed.starts_with(start) && parsed.contains("# sent_id = 2\n# text = Nobody knew why.\n"),
        "{parsed}"
    );
    for row in rows(&parsed) {
        assert!(
            row.len() == 10 && row[2] != "_" && row[3] != "_" && row[6] != "_" && row[7] != "_",
            "{row:?}"
        );
    }
    assert!(parsed.contains("\tback\t") && parsed.contains("SpaceAfter=No"));
}

#[test]
fn the_text_can_be_rebuilt_from_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = ["in.txt", "out.conllu"].map(|name| folder.path().join(name).display().to_string());
    fs::write(&file, TEXT).unwrap();
    succeeds(&["parse", "-m", model(), &file, "-o", &out, "--input", "text"], "");
    let rebuilt = succeeds(&["convert", &out, "--to", "text", "--exact"], "");
    assert_eq!(rebuilt, TEXT);
}

#[test]
fn lines_and_tokens_are_kept_where_the_input_has_them() {
    let sentences = |kind: &str, input: &str| {
        let parsed = succeeds(&["parse", "-m", model(), "--input", kind], input);
        parsed.matches("# sent_id").count()
    };
    let input = "The boat came back. Nobody knew why\nWho was it\n";
    assert_eq!(sentences("lines", input), 2);
    assert!(sentences("paragraphs", input) >= 2);
    let tokens = succeeds(&["parse", "-m", model(), "--input", "tokens"], "don't split , this .\nA b\n");
    assert!(
        tokens.starts_with("# newdoc\n# newpar\n# sent_id = 1\n# text = don't split , this .\n1-2\tdon't\t")
    );
    let whole = ["parse", "-m", model(), "--input", "tokens", "--no-multiword"];
    let tokens = succeeds(&whole, "don't split , this .\nA b\n");
    let forms: Vec<&str> = rows(&tokens).iter().map(|row| row[1]).collect();
    assert_eq!(forms, ["don't", "split", ",", "this", ".", "A", "b"]);
    // A model without a tokenizer also parses given tokens.
    let alone = succeeds(&["parse", "-m", &models().2, "--input", "tokens"], "A b\n");
    assert_eq!(rows(&alone).len(), 2);
}

#[test]
fn given_columns_are_kept() {
    let tagged = "1\tCats\tCATLEMMA\tX\tY\tCase=Zzz\t2\tdep\t_\t_\n2\tsleep\t_\tVERB\t_\t_\t_\t_\t_\tA=b\n\n";
    let keep = |level: &str| succeeds(&["parse", "-m", model(), "--keep", level], tagged);
    let (tokens, tags, lemmas, trees) = (keep("tokens"), keep("tags"), keep("lemmas"), keep("trees"));
    assert!(!tokens.contains("CATLEMMA") && !tokens.contains("Case=Zzz") && tokens.contains("A=b"));
    assert!(!tags.contains("CATLEMMA") && tags.contains("\tX\tY\tCase=Zzz\t"));
    assert!(lemmas.contains("\tCATLEMMA\tX\tY\tCase=Zzz\t"));
    assert!(trees.contains("\tCATLEMMA\tX\tY\tCase=Zzz\t2\tdep\t"), "{trees}");
    let lemmas_alone = "1\tCats\tCATLEMMA\t_\t_\t_\t_\t_\t_\t_\n2\tsleep\tSLEEP\t_\t_\t_\t_\t_\t_\t_\n\n";
    let filled = succeeds(&["parse", "-m", model(), "--keep", "trees"], lemmas_alone);
    let filled = rows(&filled);
    assert!(filled[0][2] == "CATLEMMA" && filled[0][3] != "_" && filled[0][6] != "_", "{filled:?}");
    // Sentences with tags keep them by default; sentences without are tagged.
    assert!(succeeds(&["parse", "-m", model()], tagged).contains("CATLEMMA"));
    let untagged = succeeds(&["parse", "-m", model()], "1\tCats\t_\t_\t_\t_\t_\t_\t_\t_\n\n");
    assert!(rows(&untagged)[0][3] != "_");
}

#[test]
fn places_of_tokens_count_characters() {
    let parsed =
        succeeds(&["parse", "-m", model(), "--token-ranges", "--input", "tokens"], "né à\n  Oslo .\n");
    let ranges: Vec<&str> =
        rows(&parsed).iter().map(|row| row[9].split("TokenRange=").nth(1).unwrap()).collect();
    assert_eq!(ranges, ["0:2", "3:4", "7:11", "12:13"]);
}

#[test]
fn output_formats() {
    let input = "Nobody knew why.\n";
    let json = succeeds(&["parse", "-m", model(), "--to", "json"], input);
    let object: serde_json::Value = serde_json::from_str(json.trim_end()).unwrap();
    assert_eq!(
        (&object["text"], &object["words"][0]["form"]),
        (&"Nobody knew why.".into(), &"Nobody".into())
    );
    assert!(object["words"].as_array().unwrap().iter().all(|word| word["head"].is_u64()));
    assert_eq!(succeeds(&["parse", "-m", model(), "--to", "text"], input), input);
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, input).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let lines = succeeds(&["parse", "-m", model(), "--to", "json", &file("a.txt"), &file("b.txt")], "");
    assert!(lines.lines().count() == 2 && lines.lines().all(|line| line.starts_with('{')), "{lines}");
    assert!(succeeds(&["parse", "-m", model(), "--to", "conllx"], input).starts_with("1\tNobody\t"));
    assert_eq!(
        rows(&succeeds(&["parse", "-m", model(), "--scores"], input))
            .iter()
            .filter(|row| row[9].contains("Score="))
            .count(),
        4
    );
}

#[test]
fn output_does_not_depend_on_the_number_of_threads() {
    let many = "The boat came back. Nobody knew why!\n\nWho was it?\n".repeat(300);
    let jobs = |n: &str| succeeds(&["parse", "-m", model(), "--jobs", n], &many);
    assert!(jobs("1") == jobs("3"));
}

#[test]
fn drawing_tracing_and_distilling_plain_text() {
    let input = "Nobody knew why.\n";
    assert!(succeeds(&["draw", "-m", model(), "--ascii"], input).contains("Nobody"));
    assert!(succeeds(&["trace", "-m", model()], input).starts_with("# Nobody knew why .\n"));
    let folder = tempfile::tempdir().unwrap();
    let [file, student] =
        ["in.txt", "student.quaich"].map(|name| folder.path().join(name).display().to_string());
    fs::write(&file, "The boat came back. Nobody knew why.\n\n".repeat(4)).unwrap();
    let report = succeeds(
        &[
            "distill",
            model(),
            "--on",
            &file,
            "-o",
            &student,
            "--learner",
            "linear",
            "--set",
            "linear.epochs=1",
        ],
        "",
    );
    assert!(report.contains("parsed by teacher"), "{report}");
}

#[test]
fn info_names_the_parts_and_their_scores() {
    let info = succeeds(&["info", model()], "");
    for expected in ["tokenizer", "(UPOS)", "lemmas", "dev scores from raw text"] {
        assert!(info.contains(expected), "{info}");
    }
    assert!(!succeeds(&["info", &models().2], "").contains("tokenizer"));
}

#[test]
fn bad_input_is_refused_with_its_place() {
    fails(
        &["parse", "-m", model(), "--input", "text"],
        b"abc\nab\xffc\n",
        1,
        ":2:3: found a byte that is not UTF-8",
    );
    // What stands before that place is written, without the sentence that is cut off.
    let cut = quaich(&["parse", "-m", model()], b"Cats sleep.\n\nDogs bark. Birds \xff.\n");
    let forms = rows(&text(cut.stdout)).iter().map(|row| row[1].to_owned()).collect::<Vec<_>>();
    assert!(
        forms.starts_with(&["Cats".to_owned(), "sleep".to_owned()]) && !forms.contains(&"Birds".to_owned()),
        "{forms:?}"
    );
    fails(&["parse", "-m", &models().2, "--input", "text"], b"abc\n", 1, "has no tokenizer");
    fails(&["parse", "-m", model(), "--input", "conllu"], b"abc\n", 1, "leave out `--input conllu`");
    fails(&["parse", "-m", &models().2, "--keep", "tokens"], b"abc\n", 1, "predicts no tags");
    fails(
        &["parse", "-m", model(), "--input", "text", "--keep", "tags"],
        b"abc\n",
        2,
        "--keep is for treebank files",
    );
    fails(&["parse", "-m", model(), "--to", "text", "--scores"], b"abc\n", 1, "no column for scores");
    assert_eq!(succeeds(&["parse", "-m", model()], ""), "");
    assert_eq!(succeeds(&["parse", "-m", model(), "--input", "text"], " \n\n\t"), "");
    let warned = quaich(&["parse", "-m", model(), "--keep", "tags"], b"Plain text.\n");
    assert!(warned.status.success() && text(warned.stderr).contains("--keep has no effect"));
}

#[test]
fn text_that_looks_like_a_treebank_is_parsed_as_text() {
    let quoted = "# Formats\nA row of a treebank:\n\n1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n";
    for input in [
        "\tIt was dark.\n\n\tHe slept.\n",
        "A:\tHello there.\nB:\tHi.\n",
        "#winning is everything.\n",
        quoted,
        "\u{a0}x\n",
    ] {
        let parsed = succeeds(&["parse", "-m", model()], input);
        assert!(
            parsed.contains("# sent_id = 1\n") && rows(&parsed).iter().all(|row| row.len() == 10),
            "{parsed}"
        );
    }
    for treebank in ["a\tDT\nb\tNN\n\n", "# x\n# y\n1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n"] {
        let parsed = succeeds(&["parse", "-m", model()], treebank);
        assert!(!parsed.contains("sent_id"), "{parsed}");
    }
}

#[test]
fn odd_text_is_parsed() {
    let long_word = "x".repeat(300_000);
    let no_spaces = "the,boat;".repeat(20_000);
    let control = "a\0b\u{1}c \u{2028}d\u{85}e\n";
    let capitals = "THE BOAT CAME BACK ".repeat(500);
    for input in [&long_word, &no_spaces, control, &capitals, "\u{301}\u{200d}\n", "日本語のテキスト。"]
    {
        let parsed = succeeds(&["parse", "-m", model(), "--input", "text"], input);
        let longest = parsed.split("\n\n").map(|block| rows(block).len()).max().unwrap();
        assert!((1..=501).contains(&longest), "{longest}");
    }
}
