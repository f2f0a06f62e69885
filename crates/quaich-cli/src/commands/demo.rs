//! `quaich demo`: what quaich does, with nothing installed and no files.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Args;
use quaich::sample;
use quaich_draw::Picture;
use quaich_eval::describe::Describer;
use quaich_treebank::{ReadOptions, Reader, Source};

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
        let header = ["", "sentences", "tokens", "labels", "non-projective", "mean arc length"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        let mut picture = None;
        for (name, text) in sample::PARTS {
            let mut describer = Describer::new();
            let source = Source::from_stream(text.as_bytes(), name.to_owned(), None)?;
            for (number, sentence) in (1..).zip(Reader::new(source, &ReadOptions::default())?.sentences()) {
                let sentence = sentence?;
                describer.add(&sentence);
                if sentence.comment("sent_id") == Some(SHOWN) {
                    picture = Some((draw::title(&sentence, number), Picture::of(&sentence)));
                }
            }
            let found = describer.description();
            rows.push(vec![
                name.to_owned(),
                found.sentences.to_string(),
                found.tokens.to_string(),
                found.labels.to_string(),
                found.nonprojective_sentences.to_string(),
                format!("{:.2}", found.mean_arc_length),
            ]);
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
        output::note("\nNext: quaich stats FILE, quaich validate FILE, quaich draw FILE; quaich help");
        Ok(ExitCode::SUCCESS)
    }
}
