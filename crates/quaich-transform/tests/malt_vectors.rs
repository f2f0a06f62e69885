//! The output of MaltParser 1.9.2 for 400 trees under `-m proj` and `-m deproj`, line by line, for all settings of
//! `-pp`, `-pcr` and `-plo`.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{show, tree};
use quaich_transform::{Decoder, PseudoProjective, Scratch};
use quaich_treebank::{Label, ReadOptions, Reader, Symbols};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/malt-vectors")
}

fn lines(name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder().join(name)).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn all_settings_agree() {
    let reader = Reader::open(folder().join("trees.conll"), &ReadOptions::default()).unwrap();
    let sentences: Vec<_> = reader.sentences().map(Result::unwrap).filter(|one| one.n_tokens() > 0).collect();
    assert_eq!(sentences.len(), 400);
    let mut scratch = Scratch::default();
    let (mut n_settings, mut n_lines) = (0, 0);
    for marking in ["none", "baseline", "head", "path", "head+path"] {
        for covered in ["none", "ignore", "left", "right", "head"] {
            if marking == "none" && matches!(covered, "none" | "ignore") {
                // Nothing changes, and there are no files.
                continue;
            }
            for order in ["shortest", "deepest"] {
                let name = format!("{marking}.{covered}.{order}.txt");
                let flags = format!("-pp {marking} -pcr {covered} -plo {order}");
                let transform = PseudoProjective::from_malt_flags(&flags).unwrap();
                let (projected, back) = (lines(&format!("proj.{name}")), lines(&format!("deproj.{name}")));
                assert_eq!((projected.len(), back.len()), (400, 400));
                let mut labels = Symbols::<Label>::new();
                for ((sentence, projected), back) in sentences.iter().zip(&projected).zip(&back) {
                    let mut found = sentence.tree(&mut labels);
                    transform.projectivize(&mut found, &mut labels, &mut scratch).unwrap();
                    assert_eq!(&show(&found, &labels), projected, "{flags}");
                    let mut found = tree(projected, &mut labels);
                    Decoder::new(transform, &mut labels).deprojectivize(&mut found, &mut scratch);
                    assert_eq!(&show(&found, &labels), back, "{flags}, back from {projected}");
                    n_lines += 2;
                }
                n_settings += 1;
            }
        }
    }
    assert_eq!((n_settings, n_lines), (46, 46 * 800));
}
