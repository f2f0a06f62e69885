//! The sample treebank, bundled with the program so that it can be tried without any file.

/// The training part, in CoNLL-U.
pub const TRAIN: &str = include_str!("../../../data/sample/train.conllu");
/// The development part.
pub const DEV: &str = include_str!("../../../data/sample/dev.conllu");
/// The test part.
pub const TEST: &str = include_str!("../../../data/sample/test.conllu");

/// The parts with the names they have on disk.
pub const PARTS: [(&str, &str); 3] =
    [("sample/train.conllu", TRAIN), ("sample/dev.conllu", DEV), ("sample/test.conllu", TEST)];
