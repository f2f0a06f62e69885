//! Every command with all its arguments that name files, for tests. Words in capitals are input
//! files; `OUT` is the output.

/// Commands that write files.
pub(crate) const WRITING: &[&str] = &[
    "parse -m MODEL TREEBANK OTHER -o OUT",
    "parse -m MODEL TREEBANK OTHER --format FORMAT.toml --to TO.toml -o OUT",
    "convert TREEBANK --format FORMAT.toml --to TO.toml -o OUT",
    "convert TREEBANK --to conllu -o OUT",
    "transform relabel:MAP.txt TREEBANK OTHER --format FORMAT.toml -o OUT",
    "transform verb-groups,relabel:MAP.txt TREEBANK --invert -o OUT",
    "transform relabel:MAP.txt TREEBANK --report -o OUT",
    "transform --malt=-pp=head TREEBANK OTHER -o OUT",
    "eval GOLD SYSTEM OTHER --train TREEBANK --model MODEL --format FORMAT.toml --html OUT",
    "draw TREEBANK -m MODEL --format FORMAT.toml -o OUT",
    "oracle TREEBANK OTHER --system arc-eager --format FORMAT.toml -o OUT",
    "instances TREEBANK OTHER --features FEATURES.toml --format FORMAT.toml --decision joint --to libsvm -o OUT",
    "instances TREEBANK -m MODEL --to libsvm -o OUT",
    "instances TREEBANK --malt=-F=FEATURES.xml --to libsvm -o OUT",
    "train TREEBANK OTHER --dev DEV --config CONFIG.toml --features FEATURES.toml --format FORMAT.toml -o OUT",
    "train TREEBANK --transform relabel:MAP.txt -o OUT",
    "train TREEBANK --text TEXT.txt OTHER.txt --drop-overlap GOLD -o OUT",
    "train TREEBANK --encoder ENCODER -o OUT",
    "pretrain TEXT.txt OTHER.txt --model MODEL --encoder ENCODER --drop-overlap GOLD --config CONFIG.toml --format FORMAT.toml -o OUT",
    "adapt TREEBANK OTHER --text TEXT.txt --dev DEV --gold GOLD --encoder ENCODER --config CONFIG.toml --features FEATURES.toml --format FORMAT.toml -o OUT",
    "adapt MODEL --source TREEBANK OTHER --text TEXT.txt --drop-overlap GOLD -o OUT",
    "adapt TREEBANK --transform relabel:MAP.txt --text TEXT.txt -o OUT",
    "adapt TREEBANK --set transform=relabel:MAP.txt --text TEXT.txt -o OUT",
    "pretrain TEXT.txt --set text.effort=0.5 -o OUT",
    "distill MODEL --on TREEBANK --text TEXT.txt --drop-overlap GOLD -o OUT",
    "distill MODEL --on TREEBANK --encoder ENCODER -o OUT",
    "blend train TREEBANK --text TEXT.txt --drop-overlap GOLD -o OUT",
    "blend train TREEBANK --encoder ENCODER -o OUT",
    "train TREEBANK --ensemble PARSERS.toml -o OUT",
    "train TREEBANK --set transform=relabel:MAP.txt -o OUT",
    "train TREEBANK --config RELABEL.toml -o OUT",
    "distill MODEL --on TREEBANK OTHER --gold GOLD --dev DEV --config RELABEL.toml --features FEATURES.toml --format FORMAT.toml -o OUT",
    "blend train TREEBANK OTHER --dev DEV --config RELABEL.toml --features FEATURES.toml --parsers PARSERS.toml --format FORMAT.toml -o OUT",
    "blend train TREEBANK --dev DEV --parsers RELABELLERS.toml -o OUT",
    "distill MODEL --on TREEBANK --set transform=relabel:MAP.txt -o OUT",
    "distill MODEL --on TREEBANK --transform relabel:MAP.txt -o OUT",
    "blend train TREEBANK --set transform=relabel:MAP.txt -o OUT",
    "blend train TREEBANK --transform relabel:MAP.txt -o OUT",
    "blend vote TREEBANK OTHER --gold-dev GOLD --dev DEV SYSTEM --format FORMAT.toml -o OUT",
    "tune TREEBANK OTHER --config CONFIG.toml --learner linear --features FEATURES.toml --format FORMAT.toml -o OUT",
    "tune collect FOLDER -o OUT",
    "tune collect FOLDER --report OUT",
    "tune TREEBANK --transform relabel:MAP.txt --report OUT",
    "tune TREEBANK --set transform=relabel:MAP.txt -o OUT",
    #[cfg(feature = "code")]
    "convert TREEBANK --format brackets --head-rules RULES.txt --to conllu -o OUT",
    #[cfg(feature = "code")]
    "code parse SOURCE.py OTHER.py -m MODEL -o OUT",
    #[cfg(feature = "code")]
    "code train SOURCE.py OTHER.py --dev DEV.py --config CONFIG.toml --features FEATURES.toml -o OUT",
    #[cfg(feature = "code")]
    "code train SOURCE.py --transform relabel:MAP.txt -o OUT",
    #[cfg(feature = "code")]
    "code train SOURCE.py --set transform=relabel:MAP.txt -o OUT",
    #[cfg(feature = "code")]
    "code treebank SOURCE.py OTHER.py -o OUT",
    #[cfg(feature = "code")]
    "code tree TREEBANK --format FORMAT.toml -o OUT",
];

/// Commands that read files and print.
pub(crate) const PRINTING: &[&str] = &[
    "parse -m MODEL TREEBANK",
    "eval TREEBANK SYSTEM",
    "stats TREEBANK --against OTHER --format FORMAT.toml",
    "validate TREEBANK OTHER --format FORMAT.toml",
    "convert TREEBANK --to conllx",
    "diff TREEBANK OTHER --format FORMAT.toml",
    "draw TREEBANK",
    "oracle TREEBANK --system arc-eager",
    "trace TREEBANK --system arc-eager --format FORMAT.toml",
    "trace TREEBANK -m MODEL",
    "transform verb-groups TREEBANK",
    "features show FEATURES.toml",
    "features check FEATURES.toml",
    "instances TREEBANK --decision joint --to libsvm",
    "crossval TREEBANK --config CONFIG.toml --features FEATURES.toml --format FORMAT.toml",
    "crossval TREEBANK --set transform=relabel:MAP.txt",
    "crossval TREEBANK --transform relabel:MAP.txt",
    "tune plan TREEBANK --dir FOLDER --config CONFIG.toml --features FEATURES.toml --format FORMAT.toml",
    "tune plan TREEBANK --dir FOLDER --set transform=relabel:MAP.txt",
    "tune plan TREEBANK --dir FOLDER --transform relabel:MAP.txt",
    "tune run TRIAL",
    "blend vote TREEBANK OTHER",
    "info MODEL",
    #[cfg(feature = "code")]
    "code parse SOURCE.py",
    #[cfg(feature = "code")]
    "code treebank SOURCE.py",
    #[cfg(feature = "code")]
    "code tree TREEBANK",
    #[cfg(feature = "code")]
    "code eval GOLD SYSTEM --format FORMAT.toml",
    #[cfg(feature = "code")]
    "code damage SOURCE.py OTHER.py --model MODEL",
];

/// The file that a word names.
pub(crate) fn file_of(word: &str) -> Option<&str> {
    let name = word.rsplit(['=', ':']).next().unwrap_or(word);
    let stem = name.split('.').next().unwrap_or(name);
    (stem != "OUT" && stem.len() > 1 && stem.bytes().all(|byte| byte.is_ascii_uppercase())).then_some(name)
}

/// The arguments of a command line; flags of another program are one argument.
pub(crate) fn words(line: &str, out: &str) -> Vec<String> {
    let word = |word: &str| match word.strip_prefix("--malt=") {
        Some(flags) => format!("--malt={}", flags.replace('=', " ")),
        None if word == "OUT" => out.to_owned(),
        None => word.to_owned(),
    };
    line.split_whitespace().map(word).collect()
}
