//! The recorded answers of other programs in `tests/answers`, to compare ours with where the programs are not installed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The answers of a program to one set of data, by options.
pub(crate) struct Answers {
    program: &'static str,
    /// A hash of the data.
    data: String,
    by_options: BTreeMap<String, String>,
}

impl Answers {
    /// The answers to the data in these files. If `QUAICH_RECORD` is set to the version of the installed program, they are empty, to be
    /// recorded.
    pub(crate) fn read(program: &'static str, files: &[&Path]) -> Self {
        let data = fingerprint(files);
        let mut answers = Self { program, data, by_options: BTreeMap::new() };
        if std::env::var_os("QUAICH_RECORD").is_none() {
            let text = std::fs::read_to_string(answers.path()).expect("the answers are in the repository");
            let mut lines = text.lines().filter(|line| !line.starts_with('#'));
            let recorded = lines.next().and_then(|line| line.strip_prefix("data\t"));
            assert_eq!(
                recorded,
                Some(&*answers.data),
                "the data is not that of {program}'s recorded answers"
            );
            for line in lines {
                let (options, found) = line.split_once('\t').expect("options and answers");
                answers.by_options.insert(options.to_owned(), found.to_owned());
            }
        }
        answers
    }

    /// The answers with these options: one character per row of the test data. `live` are those of the program itself, which are recorded
    /// if requested.
    pub(crate) fn under(&mut self, options: &str, live: Option<&str>) -> &str {
        if std::env::var_os("QUAICH_RECORD").is_some() {
            let live = live.expect("the program whose answers are to be recorded is installed");
            self.by_options.insert(options.to_owned(), live.to_owned());
        }
        self.by_options.get(options).unwrap_or_else(|| panic!("no answers are recorded for {options}"))
    }

    /// Writes the recorded answers.
    pub(crate) fn finish(self) {
        let Ok(version) = std::env::var("QUAICH_RECORD") else { return };
        let mut text = format!("# {} {version}\ndata\t{}\n", self.program, self.data);
        for (options, found) in &self.by_options {
            writeln!(text, "{options}\t{found}").expect("strings can be written to");
        }
        std::fs::write(self.path(), text).expect("the answers can be written");
    }

    fn path(&self) -> PathBuf {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/answers");
        folder.join(self.program).with_extension("txt")
    }
}

/// FNV-1a of the files' bytes.
fn fingerprint(files: &[&Path]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        for byte in std::fs::read(file).expect("the test has written it") {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}
