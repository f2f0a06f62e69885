//! Input files: several files, several formats, invalid files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/sample").join(name)
}

/// A folder with input files, in which commands run.
struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::write(folder.path().join(name), content).unwrap();
        }
        Self(folder)
    }

    fn run(&self, command: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_quaich"))
            .args(command.split(' '))
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// Runs a command and checks its exit code and a part of its standard error; returns standard output.
    fn check(&self, command: &str, status: i32, message: &str) -> String {
        let output = self.run(command);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{command}: {stderr}");
        assert!(stderr.contains(message), "{command}: {stderr}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Trains a small parser with these arguments; returns the output of `info`.
    fn train(&self, arguments: &str) -> String {
        let command = format!(
            "train {arguments} -o m.quaich --learner linear --set linear.folds=0 --set linear.epochs=1"
        );
        self.check(&command, 0, "");
        self.check("info m.quaich", 0, "")
    }
}

/// Rows of ten columns from `id form tag head label`.
fn rows(short: &[&str]) -> String {
    let row = |row: &&str| {
        let cells: Vec<&str> = row.split(' ').collect();
        let [id, form, tag, head, label] = cells[..] else { panic!("five cells") };
        format!("{id}\t{form}\t_\t{tag}\t{tag}\t_\t{head}\t{label}\t_\t_\n")
    };
    short.iter().map(row).collect()
}

#[test]
fn treebanks_of_several_formats_can_be_trained_on() {
    let dev = fs::read(sample("dev.conllu")).unwrap();
    let folder =
        Folder::new(&[("dev.conllu", &dev), ("test.conllu", &fs::read(sample("test.conllu")).unwrap())]);
    folder.check("convert test.conllu --to malttab -o test.tab", 0, "");
    let n_sentences = |name: &str| fs::read_to_string(sample(name)).unwrap().matches("# sent_id").count();
    let both = n_sentences("dev.conllu") + n_sentences("test.conllu");
    for second in ["test.conllu", "test.tab"] {
        let info = folder.train(&format!("dev.conllu {second}"));
        assert!(info.contains(&format!("{both} sentences")), "{info}");
    }
    folder.train("dev.conllu test.tab --format conllu --format malttab");
    folder.train("test.tab --dev dev.conllu --format malttab --format auto");
    let command = "train dev.conllu test.tab -o m.quaich --format auto --format auto --format auto";
    folder.check(command, 2, "found `--format` 3 times for 2 files");
}

#[test]
fn two_files_may_be_of_two_formats() {
    let dev = fs::read(sample("dev.conllu")).unwrap();
    let folder = Folder::new(&[("dev.conllu", &dev)]);
    folder.check("convert dev.conllu --to malttab -o dev.tab", 0, "");
    folder.check("eval dev.conllu dev.tab --format conllu --format malttab", 0, "");
    folder.check("eval dev.conllu dev.tab --format malttab --format conllu", 1, "column");
}

#[test]
fn a_file_to_score_on_has_sentences_and_heads() {
    let train = rows(&["1 a X 0 root", "2 b Y 1 x"]);
    let blind = rows(&["1 a X _ _"]);
    let files =
        [("train.conllu", train.as_bytes()), ("blind.conllu", blind.as_bytes()), ("empty.conllu", b"")];
    let folder = Folder::new(&files);
    for (dev, message) in
        [("blind.conllu", "no token has a head"), ("empty.conllu", "the file has no sentences")]
    {
        folder.check(
            &format!("train train.conllu -o m.quaich --dev {dev}"),
            1,
            &format!("error: {dev}: {message}"),
        );
    }
    assert!(!folder.0.path().join("m.quaich").exists());
    folder.check("train - -o m.quaich --dev -", 2, "standard input (`-`) is given more than once");
    folder.check("parse -m m.quaich - -", 1, "");
}

/// A folder with a parser trained on every column of the sample.
fn with_parser(files: &[(&str, &[u8])]) -> Folder {
    let folder = Folder::new(files);
    fs::copy(sample("dev.conllu"), folder.0.path().join("sample.conllu")).unwrap();
    folder.train("sample.conllu");
    folder
}

#[test]
fn parsed_files_are_not_glued() {
    let row = rows(&["1 The DET _ _"]);
    for (name, end) in [("no blank line", "\n"), ("no line end", ""), ("sound", "\n\n")] {
        let text = row.trim_end().to_owned() + end;
        let folder = with_parser(&[("a.conllu", text.as_bytes()), ("b.conllu", text.as_bytes())]);
        let parsed = folder.check("parse -m m.quaich a.conllu b.conllu a.conllu", 0, "");
        assert_eq!(parsed.matches("\n\n1\tThe").count(), 2, "{name}: {parsed}");
        fs::write(folder.0.path().join("parsed.conllu"), parsed).unwrap();
        let checked = folder.check("validate parsed.conllu", 0, "");
        assert!(checked.contains("3 sentences, 3 tokens: 0 errors"), "{name}: {checked}");
    }
}

#[test]
fn parsed_files_of_different_formats_are_refused_or_converted() {
    let (conllu, malttab) = (rows(&["1 The DET _ _"]), "The\tDT\ncat\tNN");
    let folder = with_parser(&[("a.conllu", conllu.as_bytes()), ("b.tab", malttab.as_bytes()), ("c", b"")]);
    let message = "error: b.tab: found the format malttab, expected conllu as in a.conllu; `--to`";
    folder.check("parse -m m.quaich a.conllu b.tab -o out", 1, message);
    assert!(!folder.0.path().join("out").exists());
    // That is seen before the first is parsed, and so is a file that is not there.
    assert_eq!(folder.check("parse -m m.quaich a.conllu b.tab", 1, message), "");
    assert_eq!(folder.check("parse -m m.quaich a.conllu absent", 1, "error: absent: "), "");
    let parsed = folder.check(
        "parse -m m.quaich a.conllu c b.tab --to malttab",
        0,
        "dropped, because malttab cannot represent them",
    );
    assert_eq!(parsed.lines().map(|line| line.split('\t').count()).collect::<Vec<_>>(), [4, 1, 4, 4]);
    // An empty file has any format.
    folder.check("parse -m m.quaich c b.tab", 0, "");
    folder.check("parse -m m.quaich a.conllu --to malttap", 2, "unknown format `malttap`");
}

#[test]
fn missing_columns_cause_a_warning() {
    let bare = rows(&["1 The _ _ _", "2 cat _ _ _"]);
    let folder = with_parser(&[("bare.conllu", bare.as_bytes()), ("bare.tab", b"The\tDT\ncat\tNN\n")]);
    let check = |file: &str, columns: &str| {
        let output = folder.run(&format!("parse -m m.quaich {file} {file}"));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(stderr.matches("no values in").count(), usize::from(!columns.is_empty()), "{stderr}");
        assert!(stderr.contains(columns), "{stderr}");
    };
    check("bare.conllu", "warning: bare.conllu: no values in LEMMA, UPOS, XPOS, FEATS;");
    check("bare.tab", "warning: bare.tab: no values in LEMMA, UPOS, FEATS;");
    check("sample.conllu", "");
    folder.check("parse -m m.quaich bare.conllu --quiet", 0, "");
}

#[test]
fn the_columns_of_a_file_can_be_its_own() {
    let text = "# global.columns = ID FORM UPOS XPOS:NE HEAD DEPREL\n1\tThe\tDET\tO\t2\tdet\n2\tcat\tNOUN\tB\t0\troot\n\n";
    let other = text.replace("XPOS:NE", "NE");
    let folder = with_parser(&[("a.conllup", text.as_bytes()), ("other.conllup", other.as_bytes())]);
    assert_eq!(folder.check("convert a.conllup --to conllup", 0, ""), text);
    let conllu = folder.check("convert a.conllup --to conllu", 0, "values of other columns: 2");
    assert_eq!(conllu.lines().next(), Some("1\tThe\t_\tDET\tDET\t_\t2\tdet\t_\t_"));
    assert!(folder.check("validate a.conllup", 0, "").contains("conllup, 1 sentence, 2 tokens: 0 errors"));
    // Once named, the columns are not named again.
    let parsed = folder.check("parse -m m.quaich a.conllup a.conllup", 0, "");
    assert_eq!(parsed.matches("global.columns").count(), 1, "{parsed}");
    assert_eq!(parsed.matches("1\tThe\tDET\tO\t").count(), 2, "{parsed}");
    folder.check("parse -m m.quaich a.conllup other.conllup", 1, "`--to` converts");
    folder.train("a.conllup sample.conllu");
}

#[test]
fn a_file_that_names_the_columns_of_conllu_comes_back_byte_for_byte() {
    let header = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC\n";
    let rows = format!("# sent_id = 1\n{}\n", rows(&["1 a X 0 root"]));
    let text = format!("{header}{rows}");
    let files = [("a.conllu", text.as_bytes()), ("plain.conllu", rows.as_bytes())];
    let folder = with_parser(&files);
    for command in ["convert a.conllu --to conllu", "parse -m m.quaich a.conllu --to conllu"] {
        assert_eq!(folder.check(command, 0, "").lines().next(), Some(header.trim_end()), "{command}");
    }
    assert_eq!(folder.check("convert a.conllu --to conllu", 0, ""), text);
    folder.check("convert a.conllu --to conllup -o a.conllup", 0, "");
    assert_eq!(folder.check("convert a.conllup --to conllu", 0, ""), text);
    let joined = folder.check("parse -m m.quaich a.conllu a.conllu plain.conllu", 0, "");
    assert!(joined.starts_with(header), "{joined}");
    assert_eq!(joined.matches("global.columns").count(), 1, "{joined}");
}

#[test]
fn what_a_terminal_would_obey_is_not_in_messages() {
    let row = "1\tx\u{1b}[31mred\u{7}\t_\tX\n\n";
    let folder = Folder::new(&[("a.conllu", row.as_bytes()), ("\u{1b}[31m", b"hello\n")]);
    folder.check("convert a.conllu --to conllu", 1, "in: [x\\u{1b}[31mred\\u{7}]");
    folder.check("convert a.conllu \u{1b}[31m --to conllu", 2, "unexpected argument");
    folder.check("convert \u{1b}[31m --to conllu", 1, "error: \\u{1b}[31m: the format is not recognised");
}

#[test]
fn validate_finds_the_problems_that_training_reports() {
    let blind = rows(&["1 a X _ _"]);
    let partly = format!("{blind}\n{}", rows(&["1 a X 0 root"]));
    let folder = Folder::new(&[("blind.conllu", blind.as_bytes()), ("partly.conllu", partly.as_bytes())]);
    folder.check("train blind.conllu -o m.quaich", 1, "found 1 sentence, none of them with a tree");
    let found = folder.check("validate blind.conllu", 0, "");
    assert!(
        found.contains("blind.conllu:1:1: warning[no-heads]: no token of the file has a head"),
        "{found}"
    );
    folder.check(
        "oracle --system arc-eager partly.conllu",
        0,
        "no derivation: 1 sentence without heads, or whose heads do not form a tree",
    );
    let found = folder.check("validate partly.conllu", 0, "");
    assert!(
        found.contains("1 sentence in which no token has a head (the first here), while 1 has heads"),
        "{found}"
    );
    folder.check(
        "train partly.conllu -o m.quaich --learner linear --set linear.folds=0",
        0,
        "1 of 2 sentences has no well-formed tree and is skipped",
    );
}

#[test]
fn labels_that_a_format_cannot_represent_are_not_written() {
    let train = rows(&["1 a X 0 root", "2 b Y 1 x"]).replace("\tx\t", "\tx y\t").replace("root", "r t");
    let spaced = b"name = \"spaced\"\ncolumns = [\"form\", \"coarse-tag\", \"head\", \"label\"]\nseparator = \"space\"\n";
    let folder = Folder::new(&[
        ("train.conllu", train.as_bytes()),
        ("spaced.toml", spaced),
        ("text", b"a X _ _\nb Y _ _\n\n"),
    ]);
    folder.train("train.conllu");
    let message = "which the format spaced cannot represent";
    folder.check("parse -m m.quaich text --format spaced.toml", 1, message);
    folder.check(
        "parse -m m.quaich train.conllu --to spaced.toml",
        0,
        "for what spaced.toml cannot represent: 2 values",
    );
}
