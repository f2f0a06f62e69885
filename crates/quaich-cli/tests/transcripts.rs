//! Transcripts of commands in `tests/commands/*.md`, the docs and the README. Every `console` block is
//! run in the workspace folder and must print what it shows.

use std::path::Path;

#[test]
fn commands_do_what_their_transcripts_show() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::set_current_dir(root).unwrap();
    trycmd::TestCases::new()
        .case("tests/commands/*.md")
        .case("docs/*.md")
        .case("docs/*/*.md")
        .case("README.md")
        .env("NO_COLOR", "1")
        .run();
}
