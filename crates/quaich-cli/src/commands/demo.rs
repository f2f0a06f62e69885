//! `quaich demo`: what quaich does, with nothing installed and no files.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Args;
use quaich::sample;
use quaich_draw::Picture;
use quaich_treebank::{Label, ReadOptions, Reader, Source, Symbols};

use super::draw;
use crate::output::{self, Screen};

/// The sentence that is drawn: short, and non-projective.
const SHOWN: &str = "sample-test-028";

/// Describes and draws the sample treebank that comes with quaich
#[derive(Args)]
pub(crate) struct Demo {
    /// Only ASCII characters
    #[arg(long)]
    ascii: bool,
}

impl Demo {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let mut rows = vec![["treebank", "sentences", "tokens", "labels"].map(str::to_owned).to_vec()];
        let mut picture = None;
        for (name, text) in sample::PARTS {
            let (mut n_sentences, mut n_tokens, mut labels) = (0, 0, Symbols::<Label>::new());
            let source = Source::from_stream(text.as_bytes(), name.to_owned(), None)?;
            for sentence in Reader::new(source, &ReadOptions::default())?.sentences() {
                let sentence = sentence?;
                n_sentences += 1;
                n_tokens += sentence.n_tokens();
                sentence.tree(&mut labels);
                if sentence.comment("sent_id") == Some(SHOWN) {
                    picture = Some((draw::title(&sentence, n_sentences), Picture::of(&sentence)));
                }
            }
            let counts = [n_sentences.to_string(), n_tokens.to_string(), labels.len().to_string()];
            rows.push([name.to_owned()].into_iter().chain(counts).collect());
        }
        let mut text =
            String::from("The sample treebank, original English sentences that come with quaich:\n\n");
        text.push_str(&output::table(&rows));
        if let Some((title, picture)) = picture {
            let drawn = draw::draw(&picture, false, self.ascii, Screen::stdout());
            // Writing to a string cannot fail.
            let _ = write!(text, "\nA sentence of its test part:\n\n{title}\n{drawn}");
        }
        output::text(&text)?;
        output::note(
            "\nNext: quaich validate FILE, quaich draw FILE, quaich convert FILE --to conllu; quaich help",
        );
        Ok(ExitCode::SUCCESS)
    }
}
