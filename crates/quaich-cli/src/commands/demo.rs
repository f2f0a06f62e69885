//! `quaich demo`: what quaich does, with nothing installed and no files: the sample treebank is
//! described, a parser is trained on it and scored, and a sentence is parsed and drawn.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Args;
use indicatif::ProgressBar;
use quaich::draw::Picture;
use quaich::eval::Score;
use quaich::eval::describe::Describer;
use quaich::sample;
use quaich::treebank::{ReadOptions, Reader, Sentence, Source};
use quaich::{Event, Observer, Settings};

use super::draw;
use crate::output::{self, Screen};
use crate::progress;

/// The sentence that is drawn: short, and non-projective.
const SHOWN: &str = "sample-test-028";

/// Train and score a parser on the bundled sample treebank, and draw a parsed sentence
#[derive(Args)]
#[command(after_help = "Examples:
  quaich demo
  quaich demo --ascii")]
pub(crate) struct Demo {
    /// Draw with ASCII characters only
    #[arg(long)]
    ascii: bool,
}

impl Demo {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let header = ["", "sentences", "tokens", "labels", "non-projective", "mean arc length"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        for (name, text) in sample::PARTS {
            let mut describer = Describer::new();
            for sentence in read(name, text)? {
                describer.add(&sentence);
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
        let mut text = String::from("The bundled sample treebank (English):\n\n");
        text.push_str(&output::table(&rows));
        output::text(&text)?;

        output::note("\ntraining on sample/train.conllu …");
        let sentences = read("sample/train.conllu", sample::TRAIN)?;
        // Faster to train than the default, and as accurate on so little data.
        let settings = Settings::default().with("learner=linear+network")?;
        let bar = TrainingBar(progress::step_bar("training"));
        let parser = quaich::Trainer::new(&settings).observer(&bar).train(&sentences);
        progress::clear();
        let parser = parser?;
        let mut worker = parser.worker();
        let mut score = Score::default();
        let mut text = String::new();
        for (number, gold) in (1..).zip(read("sample/test.conllu", sample::TEST)?) {
            let parsed = worker.parse_sentence(&gold).to_sentence()?;
            score.add(&gold, &parsed, |_| false);
            if gold.comment("sent_id") == Some(SHOWN) {
                let drawn = draw::draw(&Picture::of(&parsed), false, self.ascii, Screen::stdout());
                let title = draw::title(&parsed, number);
                text = format!("\nA sentence of the test set, as parsed:\n\n{title}\n{drawn}");
            }
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "\nTest set: LAS {} %, UAS {} %\n", score.las(), score.uas());
        output::drawing(&text)?;
        output::note("\nnext: quaich train TRAIN.conllu -o MODEL");
        output::note("      quaich parse -m MODEL TEXT.conllu -o PARSED.conllu");
        output::note("      quaich eval GOLD.conllu PARSED.conllu");
        Ok(ExitCode::SUCCESS)
    }
}

fn read(name: &str, text: &'static str) -> anyhow::Result<Vec<Sentence>> {
    let source = Source::from_stream(text.as_bytes(), name.to_owned(), None)?;
    Ok(Reader::new(source, &ReadOptions::default())?.sentences().collect::<Result<_, _>>()?)
}

/// Shows the progress of training.
struct TrainingBar(ProgressBar);

impl Observer for TrainingBar {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::Work { steps } => self.0.set_length(*steps as u64),
            Event::Step => self.0.inc(1),
            _ => {}
        }
    }
}
