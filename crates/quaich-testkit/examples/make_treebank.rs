//! Writes a generated treebank to a file:
//! `cargo run --release -p quaich-testkit --example make_treebank -- OUT TOKENS [NONPROJECTIVE] [SEED] [MEAN_LENGTH]`

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};

use quaich_testkit::generator::{self, TreebankOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, n_tokens, rest @ ..] = &arguments[..] else {
        return Err("expected OUT TOKENS [NONPROJECTIVE] [SEED] [MEAN_LENGTH]".into());
    };
    let mut options = TreebankOptions { n_tokens: n_tokens.parse()?, ..TreebankOptions::default() };
    if let Some(share) = rest.first() {
        options.nonprojective = share.parse()?;
    }
    if let Some(seed) = rest.get(1) {
        options.seed = seed.parse()?;
    }
    if let Some(length) = rest.get(2) {
        options.mean_length = length.parse()?;
    }
    let mut out = BufWriter::with_capacity(1 << 16, File::create(path)?);
    generator::write(&options, &mut out)?;
    out.flush()?;
    Ok(())
}
