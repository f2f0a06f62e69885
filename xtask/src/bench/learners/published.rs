//! What the papers print.

/// Figures of Hall, Nivre and Nilsson (2006), "Discriminative Classifiers for Deterministic Dependency Parsing".
pub(super) struct Published {
    pub(super) features: &'static str,
    pub(super) learner: &'static str,
    /// Table 2, by language: unlabelled and labelled attachment, unlabelled and labelled exact match.
    pub(super) scores: [[f64; 4]; 3],
    /// Table 3, by language: learning and parsing time.
    pub(super) times: [[&'static str; 2]; 3],
}

/// The languages of the tables.
pub(super) const LANGUAGES: [&str; 3] = ["Swedish", "English", "Chinese"];

/// Tables 2 and 3.
pub(super) const TABLE: [Published; 10] = [
    published(
        "phi1",
        "memory",
        [[75.3, 68.7, 16.0, 11.4], [76.5, 73.7, 9.8, 7.7], [66.4, 63.6, 14.3, 12.1]],
        [["1 s", "2 s"], ["16 s", "26 s"], ["7 s", "8 s"]],
    ),
    published(
        "phi1",
        "svm",
        [[75.4, 68.9, 16.3, 12.1], [76.4, 73.6, 9.8, 7.7], [66.4, 63.6, 14.2, 12.1]],
        [["40 s", "14 s"], ["1.5 h", "14 min"], ["1.5 h", "17 min"]],
    ),
    published(
        "phi2",
        "memory",
        [[81.9, 74.4, 31.4, 19.8], [81.2, 78.2, 19.8, 14.9], [73.0, 70.7, 22.6, 18.8]],
        [["3 s", "5 s"], ["35 s", "32 s"], ["13 s", "14 s"]],
    ),
    published(
        "phi2",
        "svm",
        [[83.1, 76.3, 34.3, 24.0], [81.3, 78.3, 19.4, 14.9], [73.2, 71.0, 22.1, 18.6]],
        [["40 s", "13 s"], ["1 h", "11 min"], ["1.5 h", "15 min"]],
    ),
    published(
        "phi3",
        "memory",
        [[85.9, 81.4, 37.9, 28.9], [85.5, 83.7, 26.5, 23.7], [77.9, 76.3, 26.3, 23.4]],
        [["6 s", "1 min"], ["1.5 min", "9.5 min"], ["46 s", "10 min"]],
    ),
    published(
        "phi3",
        "svm",
        [[86.2, 82.6, 38.7, 32.5], [86.4, 84.8, 28.5, 25.9], [79.7, 78.3, 30.1, 25.9]],
        [["1 min", "15 s"], ["1 h", "9 min"], ["2 h", "16 min"]],
    ),
    published(
        "phi4",
        "memory",
        [[86.1, 82.1, 37.6, 30.1], [87.0, 85.2, 29.8, 26.0], [79.4, 77.7, 28.0, 24.7]],
        [["8 s", "2 min"], ["1.5 min", "9 min"], ["45 s", "12 min"]],
    ),
    published(
        "phi4",
        "svm",
        [[86.0, 82.2, 37.9, 31.2], [88.4, 86.8, 33.2, 30.3], [81.7, 80.1, 31.0, 27.0]],
        [["2 min", "18 s"], ["2 h", "12 min"], ["2.5 h", "14 min"]],
    ),
    published(
        "phi5",
        "memory",
        [[86.6, 82.3, 39.9, 29.9], [88.0, 86.2, 32.8, 28.4], [81.1, 79.2, 30.2, 25.9]],
        [["10 s", "7 min"], ["3 min", "41 min"], ["1.5 min", "46 min"]],
    ),
    published(
        "phi5",
        "svm",
        [[86.9, 83.2, 40.7, 33.7], [89.4, 87.9, 36.4, 33.1], [84.3, 82.7, 34.5, 30.5]],
        [["2 min", "25 s"], ["1.5 h", "10 min"], ["6 h", "24 min"]],
    ),
];

const fn published(
    features: &'static str,
    learner: &'static str,
    scores: [[f64; 4]; 3],
    times: [[&'static str; 2]; 3],
) -> Published {
    Published { features, learner, scores, times }
}

/// LAS, UAS and label accuracy for Danish of Nivre, Hall, Nilsson, Eryiğit and Marinov (2006), "Labeled Pseudo-Projective
/// Dependency Parsing with Support Vector Machines", Table 2.
pub(super) const DANISH_2006: [f64; 3] = [84.77, 89.80, 89.16];

/// Tokens of hungarian-szeged that MaltParser 1.9.2 parses in a second on a core with LIBSVM.
pub(super) const MALTPARSER_WITH_LIBSVM: f64 = 75.0;
