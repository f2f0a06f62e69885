//! What commands are given to read: several files, files of several formats, files that are not what they should be.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/sample").join(name)
}

/// A folder with files to give to commands, which run in it.
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

    /// Runs a command, which is to end with this status and to say this on standard error.
    fn check(&self, command: &str, status: i32, message: &str) -> String {
        let output = self.run(command);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{command}: {told}");
        assert!(told.contains(message), "{command}: {told}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Trains a parser in a moment, on these files, and gives what is told of it.
    fn train(&self, arguments: &str) -> String {
        let command = format!("train {arguments} -o m.quaich --learner linear --set folds=0 --set passes=1");
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
fn several_treebanks_are_learned_from_whatever_their_formats() {
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
    folder.check(command, 2, "found 3 times `--format` for 2 files");
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
    folder.check("train - -o m.quaich --dev -", 2, "standard input is given more than once");
    folder.check("parse -m m.quaich - -", 1, "");
}
