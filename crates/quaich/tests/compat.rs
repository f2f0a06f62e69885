//! Saved models of the current format version give the same parses as before; other versions are rejected with a reason.

use std::fs;
use std::path::{Path, PathBuf};

use quaich::{ErrorKind, FORMAT_VERSION, Model, Treebank};

/// The number of sentences with expected parses.
const SENTENCES: usize = 6;

fn models(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/compat").join(folder);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "quaich"));
    files.sort();
    files
}

#[test]
fn models_of_this_version_give_the_expected_parses() {
    let dev = Treebank::from_text(quaich::sample::DEV).unwrap();
    let files = models(&format!("format-{FORMAT_VERSION}"));
    assert!(!files.is_empty(), "no models of this version");
    for file in files {
        let mut worker = Model::load(&file).unwrap().worker();
        let mut found = Vec::new();
        dev.iter().take(SENTENCES).for_each(|sentence| worker.parse_text(sentence, true, &mut found));
        let expected = fs::read_to_string(file.with_extension("conllu")).unwrap();
        assert_eq!(String::from_utf8(found).unwrap(), expected, "{}", file.display());
    }
}

#[test]
fn models_of_other_versions_are_rejected_with_a_reason() {
    for file in models("refused") {
        let error = Model::load(&file).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Model);
        let message = error.to_string();
        assert!(
            message.contains(&format!("this version of quaich reads format {FORMAT_VERSION}")),
            "{message}"
        );
    }
}
