//! The bundled sample treebank, for trying Quaich without any files.

/// The training set, in CoNLL-U.
pub const TRAIN: &str = include_str!("../../../data/sample/train.conllu");
/// The dev set.
pub const DEV: &str = include_str!("../../../data/sample/dev.conllu");
/// The test set.
pub const TEST: &str = include_str!("../../../data/sample/test.conllu");

/// All three with their file names.
pub const PARTS: [(&str, &str); 3] =
    [("sample/train.conllu", TRAIN), ("sample/dev.conllu", DEV), ("sample/test.conllu", TEST)];
