//! Which quaich this is, and what it was built with.

use std::sync::LazyLock;

use quaich::FORMAT_VERSION;

/// What `--version` says. The same sources, compiler and features say the same, wherever and whenever they were built.
pub(crate) static LONG: LazyLock<String> = LazyLock::new(|| {
    let features = match env!("QUAICH_FEATURES") {
        "" => "none",
        features => features,
    };
    [
        env!("CARGO_PKG_VERSION"),
        &format!("model format: {FORMAT_VERSION}"),
        &format!("features: {features}"),
        concat!("compiler: ", env!("QUAICH_COMPILER")),
        concat!("target: ", env!("QUAICH_TARGET")),
    ]
    .join("\n")
});
