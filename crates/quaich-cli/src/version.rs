//! The text of `--version`.

use std::sync::LazyLock;

use quaich::FORMAT_VERSION;

/// Version, model format and build. It depends only on sources, compiler, features and target, so that builds are reproducible.
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
